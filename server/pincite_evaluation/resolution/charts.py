"""The charts of the report of citation resolution; a table beside each has its numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..report.figures import BAR, ink
from ..report.tables import count, fraction
from .report_rows import Table1

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_heat_map(axes: Axes, table: Table1) -> None:
    """Draw a row for each representation, below a row with the name of its group."""
    lines = [name for group, names in table.groups.items() for name in (group, *names)]
    grid = [[table.rows.get((name, window)) for window in table.windows] for name in lines]
    mesh = axes.pcolormesh(
        [[row["accuracy"] if row else math.nan for row in line] for line in grid], cmap="cividis"
    )
    low, high = mesh.get_clim()
    middle = low + 0.45 * (high - low)
    for y, line in enumerate(grid):
        for x, row in enumerate(line):
            if row is not None and not math.isnan(row["accuracy"]):
                axes.text(
                    x + 0.5,
                    y + 0.5,
                    fraction(row["accuracy"]),
                    color="black" if row["accuracy"] > middle else "white",
                    weight="bold" if row is table.best else "normal",
                    ha="center",
                    va="center_baseline",
                )
    axes.set_yticks([y + 0.5 for y in range(len(lines))], lines)
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in table.groups else "normal")
    axes.set_xticks([x + 0.5 for x in range(len(table.windows))], [f"({w})" for w in table.windows])
    axes.set_xlabel("query window (words left, words right)")
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if low < high:
        colours = axes.figure.colorbar(mesh, ax=axes, label="top-1 accuracy", aspect=40)
        colours.outline.set_visible(False)


def draw_bins(axes: Axes, bins: Sequence[Mapping[str, Any]]) -> None:
    """Draw a bar for the accuracy at each number of candidates, and a mark at chance."""
    places = range(len(bins))
    bars = axes.bar(places, [one["accuracy"] for one in bins], 0.7, color=BAR, label="accuracy")
    axes.bar_label(bars, [fraction(one["accuracy"]) for one in bins], padding=2)
    axes.hlines(
        [one["chance"] for one in bins],
        [place - 0.42 for place in places],
        [place + 0.42 for place in places],
        colors=ink(axes),
        linewidth=2,
        label="chance",
    )
    papers = [
        f"{count(one['papers'], 'paper')}\n{count(one['outcomes'], 'citation')}" for one in bins
    ]
    axes.set_xticks(
        places, [f"{one['candidates']}\n{of}" for one, of in zip(bins, papers, strict=True)]
    )
    axes.set_xlabel("candidates of the test paper")
    axes.set_ylabel("top-1 accuracy")
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.legend(frameon=False)
