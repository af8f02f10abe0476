"""The charts of the report; a table beside each has its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from ...report.figures import BAR, ink, label
from ...report.words import number
from ..published import PublishedLength
from ..results import Curve, Row
from .columns import GROUPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Distinguishable from both themes' backgrounds, and from each other without colour vision.
_COLOURS = dict(zip(GROUPS, (BAR, "#c9711c", "#3a9a63", "#b5485d", "#a06cd5"), strict=True))
_LINES = tuple(zip((BAR, "#c9711c", "#3a9a63", "#a06cd5"), "osD^", strict=True))


def draw_intervals(
    axes: Axes,
    rows: Sequence[Row],
    groups: Mapping[str, Sequence[int]],
    level: float | None,
) -> None:
    """Draw a dot with whiskers for each row, in the order of the table, a gap between groups."""
    y, labels = 0.0, {}
    for group, numbers in groups.items():
        places = []
        for row in numbers:
            labels[y] = label(rows[row].name)
            places.append(y)
            y += 1
        y += 1
        members, colour = [rows[row] for row in numbers], _COLOURS[group]
        lows, highs = ([100 * row.ci95[end] for row in members] for end in (0, 1))
        axes.hlines(places, lows, highs, colors=colour, linewidth=1.5)
        scores = [100 * row.citance.f1 for row in members]
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


def draw_curves(
    axes: Axes, curves: Sequence[Curve], levels: Mapping[str, float], of_x: str, of_y: str
) -> None:
    """Draw a line for each curve, and each level as a dashed one."""
    for curve, (colour, marker) in zip(curves, cycle(_LINES), strict=False):
        xs, ys = zip(*curve.points, strict=True)
        scores = [100 * y for y in ys]
        axes.plot(xs, scores, color=colour, marker=marker, ms=5, label=label(curve.system))
    for (name, y), dashes in zip(levels.items(), cycle(("--", ":", "-.")), strict=False):
        axes.axhline(100 * y, color=ink(axes), linestyle=dashes, linewidth=1.2, label=label(name))
    axes.set_xticks(sorted({x for curve in curves for x, _ in curve.points}))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(of_x)
    axes.set_ylabel(f"{of_y}, in percent")
    axes.grid(axis="y", color=ink(axes), alpha=0.15)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def draw_lengths(axes: Axes, found: Sequence[tuple[Row, PublishedLength | None]]) -> None:
    """Draw a bar for the mean length of each row, and a mark at the published one."""
    places = range(len(found))
    axes.barh(places, [row.mean_length for row, _ in found], 0.65, color=BAR, label="here")
    marks = {place: one.tokens for place, (_, one) in enumerate(found) if one is not None}
    if marks:
        tokens = list(marks.values())
        axes.plot(tokens, list(marks), "|", color=ink(axes), ms=15, mew=2, label="published")
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    for place, (row, _) in enumerate(found):
        axes.annotate(
            number(row.mean_length, 1),
            (max(row.mean_length, marks.get(place, 0.0)), place),
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
