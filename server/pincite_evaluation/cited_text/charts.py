"""The charts of the report; a table beside each has its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..published import PublishedLength
from ..report.figures import BAR, ink, label
from ..report.tables import number
from ..results import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Those of groups; distinguishable on both themes' backgrounds, and without colour vision.
_COLOURS = (BAR, "#c9711c", "#3a9a63", "#b5485d", "#a06cd5")


def draw_intervals(
    axes: Axes, groups: Mapping[str, Sequence[Row]], order: Sequence[str], level: float | None
) -> None:
    """Draw a dot with whiskers for each row, in the order of the table, a gap between groups.

    The colour of a group is that of its place in the `order` of all groups.
    """
    y = 0.0
    labels: dict[float, str] = {}
    for group, rows in groups.items():
        places = [y + place for place in range(len(rows))]
        labels |= {place: label(row.name) for place, row in zip(places, rows, strict=True)}
        y += len(rows) + 1
        colour = _COLOURS[order.index(group)]
        lows, highs = ([100 * row["citance"]["ci95"][end] for row in rows] for end in (0, 1))
        axes.hlines(places, lows, highs, colors=colour, linewidth=1.5)
        scores = [100 * row["citance"]["f1"] for row in rows]
        axes.plot(scores, places, "o", color=colour, markersize=5)
    if level is not None:
        name = "one annotator against another"
        axes.axvline(100 * level, color=ink(axes), linestyle="--", linewidth=1, label=name)
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.set_yticks(list(labels), list(labels.values()))
    axes.set_ylim(y - 1.4, -0.6)
    # In two lines: long names leave little room for the axis.
    axes.set_xlabel("F1 by citances, in percent,\nwith 95% interval")
    axes.grid(axis="x", color=ink(axes), alpha=0.15)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def draw_lengths(axes: Axes, found: Sequence[tuple[Row, PublishedLength | None]]) -> None:
    """Draw a bar for the mean length of each row, and a mark at the published one."""
    places = range(len(found))
    axes.barh(places, [row["mean_length"] for row, _ in found], 0.65, color=BAR, label="here")
    marks = {place: one.tokens for place, (_, one) in enumerate(found) if one is not None}
    if marks:
        tokens = list(marks.values())
        axes.plot(tokens, list(marks), "|", color=ink(axes), ms=15, mew=2, label="published")
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    for place, (row, _) in enumerate(found):
        axes.annotate(
            number(1)(row["mean_length"]),
            (max(row["mean_length"], marks.get(place, 0.0)), place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
        )
    axes.set_yticks(places, [label(row.name) for row, _ in found])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("words of a chosen sentence, on average")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
