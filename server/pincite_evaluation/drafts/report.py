"""The report of an evaluation on whole drafts, as an HTML page or Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..report import rendering
from ..report.figures import BAR, figure, ink, require_plots
from ..report.tables import Table
from ..report.words import count, fraction
from .projects import Situation
from .results import ALL, PART_TOP, TOP, DraftsResult, Row, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SITUATIONS: dict[Situation, str] = {
    "writing": "Writing: the text to the left, and the citations before the place",
    "revising": "Revising: the text on both sides, and the citations before the place",
    "text only": "Text only: the text on both sides",
}
_MEANS = (
    "A citation counts as found at its best true entry; each project counts once, whatever its "
    "size. First: citations of entries that were not cited before, repeat: all others. In "
    "parentheses: 95% intervals (bootstrap over projects)."
)


def markdown(result: DraftsResult) -> str:
    """Return the result as Markdown tables: one for each situation, and the projects."""
    items = sum(len(project.outcome.items) for project in result.projects)
    return rendering.markdown(
        "drafts",
        sizes=f"{count(items, 'citation')} of {count(len(result.projects), 'project')}",
        means=_MEANS,
        situations=_situations(result),
        projects=_projects(result),
    )


def html(result: DraftsResult) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    Raises `InputError` without matplotlib.
    """
    require_plots()
    everything = [row for row in result.rows if row.group == ALL]
    headline = [row for row in everything if row.situation == everything[0].situation]
    best = max(headline, key=lambda row: row.figures.top[1])
    key = {
        "top-1, writing": fraction(best.figures.top[1]),
        "95% interval": _interval(best),
        "top-5, writing": fraction(best.figures.top[5]),
        "projects": f"{best.projects:,}",
        "citations": f"{best.figures.items:,}",
    }
    bars = figure(
        partial(_draw_bars, rows=headline),
        (7.0, 0.8 + 0.35 * len(headline)),
        "Bars of top-1 in writing with 95% intervals, as in the first table below.",
    )
    return rendering.html(
        "drafts",
        result=result,
        best=best,
        means=_MEANS,
        key=key,
        bars=bars,
        situations=_situations(result),
        projects=_projects(result),
    )


def _interval(row: Row) -> str:
    return "–".join(map(fraction, row.top1_ci95))


def _names(result: DraftsResult) -> dict[str, str]:
    groups = dict.fromkeys(row.group for row in result.rows if row.group != ALL)
    return {**short_names(list(groups)), ALL: ALL}


def _situations(result: DraftsResult) -> dict[Situation, Table]:
    """Return the table of each situation: rankers by groups."""
    names, groups = _names(result), (*result.groups(), ALL)
    heads = ["Ranker", "Projects of", "Projects", "Citations", "Top-1"]
    heads += [*(f"Top-{k}" for k in TOP[1:]), "MRR"]
    heads += [f"{part}, top-{k}" for part in ("First", "Repeat") for k in PART_TOP]
    return {
        situation: Table.of(
            _SITUATIONS[situation],
            heads,
            (
                _line(row, names[row.group])
                for row in result.rows
                if row.situation == situation and row.group in groups
            ),
            words=2,
        )
        for situation in dict.fromkeys(row.situation for row in result.rows)
    }


def _line(row: Row, group: str) -> list[str]:
    figures = row.figures
    parts = (figures.first.top, figures.repeat.top)
    deeper = (figures.top[k] for k in TOP[1:])
    return [
        row.ranker,
        group,
        f"{row.projects:,}",
        f"{figures.items:,}",
        f"{fraction(figures.top[1])} ({_interval(row)})",
        *map(fraction, (*deeper, figures.mrr, *(top[k] for top in parts for k in PART_TOP))),
    ]


def _projects(result: DraftsResult) -> Table:
    """Return the table of projects, with top-1 in the first situation."""
    names = _names(result)
    situation = result.rows[0].situation
    rankers = list(dict.fromkeys(row.ranker for row in result.rows))
    heads = ["Project", "Projects of", "Language", "Entries", "With abstract", "Cited", "Citations"]
    lines = []
    for project in result.projects:
        outcome = project.outcome
        lines.append(
            [
                outcome.source.name,
                names[outcome.source.group],
                outcome.language or "–",
                f"{outcome.entries:,}",
                fraction(outcome.with_abstract),
                fraction(outcome.cited_share),
                f"{len(outcome.items):,}",
                *(fraction(project.figures[name, situation].top[1]) for name in rankers),
            ]
        )
    return Table.of("Projects, with top-1 in writing", [*heads, *rankers], lines, words=3)


def _draw_bars(axes: Axes, rows: Sequence[Row]) -> None:
    top1 = [row.figures.top[1] for row in rows]
    low, high = zip(*(row.top1_ci95 for row in rows), strict=True)
    reach = [
        [max(0.0, at - end) for at, end in zip(top1, low, strict=True)],
        [max(0.0, end - at) for at, end in zip(top1, high, strict=True)],
    ]
    axes.barh(range(len(rows)), top1, 0.6, xerr=reach, color=BAR, ecolor=ink(axes), capsize=3)
    axes.set_yticks(range(len(rows)), [row.ranker for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("top-1, writing")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
