"""What an evaluation on whole drafts found, as a page for readers or as a README's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ... import __version__
from ..page import (
    BAR,
    count,
    element,
    escape_markdown,
    facts,
    figure,
    fraction,
    listing,
    markdown_table,
    page,
    require_plots,
    tiles,
)
from .projects import Situation
from .results import ALL, PART_TOP, TOP, DraftsResult, Row, short_names

if TYPE_CHECKING:
    from lxml import etree
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


def _names(result: DraftsResult) -> dict[str, str]:
    groups = dict.fromkeys(row.group for row in result.rows if row.group != ALL)
    return {**short_names(list(groups)), ALL: ALL}


def _tables(result: DraftsResult) -> Iterator[tuple[Situation, list[str], list[list[str]]]]:
    """Yield each situation with the heads and lines of its table: rankers by groups."""
    names, groups = _names(result), (*result.groups(), ALL)
    heads = ["Ranker", "Projects of", "Projects", "Citations", "Top-1"]
    heads += [*(f"Top-{k}" for k in TOP[1:]), "MRR"]
    heads += [f"{part}, top-{k}" for part in ("First", "Repeat") for k in PART_TOP]
    for situation in dict.fromkeys(row.situation for row in result.rows):
        shown = (row for row in result.rows if row.situation == situation and row.group in groups)
        yield situation, heads, [_line(row, names[row.group]) for row in shown]


def _line(row: Row, group: str) -> list[str]:
    figures = row.figures
    parts = (figures.first.top, figures.repeat.top)
    deeper = (figures.top[k] for k in TOP[1:])
    return [
        row.ranker,
        group,
        f"{row.projects:,}",
        f"{figures.items:,}",
        f"{fraction(figures.top[1])} ({'–'.join(map(fraction, row.top1_ci95))})",
        *map(fraction, (*deeper, figures.mrr, *(top[k] for top in parts for k in PART_TOP))),
    ]


def _projects(result: DraftsResult) -> tuple[list[str], list[list[str]]]:
    """Return the heads and lines of the table of projects, with top-1 in the first situation."""
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
    return heads + rankers, lines


def _sizes(result: DraftsResult) -> str:
    items = sum(len(project.outcome.items) for project in result.projects)
    return f"{count(items, 'citation')} of {count(len(result.projects), 'project')}"


# Markdown


def markdown(result: DraftsResult) -> str:
    """Return the result as Markdown tables: one for each situation, and the projects."""
    parts = [f"Whole drafts: {_sizes(result)}. {_MEANS}"]
    for situation, heads, lines in _tables(result):
        parts += [f"{_SITUATIONS[situation]}.", _markdown_table(heads, lines, words=2)]
    parts += ["Projects, with top-1 in writing.", _markdown_table(*_projects(result), words=3)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(heads: Sequence[str], lines: Sequence[Sequence[str]], words: int) -> str:
    sides = [":--"] * words + ["--:"] * (len(heads) - words)
    cells = [[escape_markdown(cell) for cell in line] for line in lines]
    return "\n".join(markdown_table([heads, sides, *cells]))


# HTML


def html(result: DraftsResult) -> str:
    """Return the result as one page of HTML that needs nothing else; equal results, equal pages.

    Raises `InputError` without matplotlib.
    """
    require_plots()
    everything = [row for row in result.rows if row.group == ALL]
    headline = [row for row in everything if row.situation == everything[0].situation]
    best = max(headline, key=lambda row: row.figures.top[1])
    return page(
        "Whole drafts",
        element("h1", "Whole drafts"),
        element(
            "p",
            "Every citation is to be found again among all entries of the bibliography, from what "
            "its author had when writing it. Most often right was ",
            element("strong", best.ranker),
            f". {_MEANS}",
        ),
        tiles(
            {
                "top-1, writing": fraction(best.figures.top[1]),
                "95% interval": "–".join(map(fraction, best.top1_ci95)),
                "top-5, writing": fraction(best.figures.top[5]),
                "projects": f"{best.projects:,}",
                "citations": f"{best.figures.items:,}",
            }
        ),
        figure(
            _drawing(headline),
            (7.0, 0.8 + 0.35 * len(headline)),
            "Bars of top-1 in writing with 95% intervals, as in the first table below.",
        ),
        *_sections(result),
        *_run(result),
    )


def _sections(result: DraftsResult) -> Iterator[etree._Element]:
    for situation, heads, lines in _tables(result):
        yield element("h2", situation.capitalize())
        yield listing(_SITUATIONS[situation], heads, lines, words=2)
    yield element("h2", "Projects")
    yield listing("Projects, with top-1 in writing", *_projects(result), words=3)


def _run(result: DraftsResult) -> list[etree._Element]:
    values = {
        "Candidates": "All entries of the bibliography, or of an article's reference list. Inlink "
        "contexts are none: other drafts say nothing of them.",
        "Not counted": r"Citations of keys that the bibliography lacks, and \nocite.",
        "Ties": "Broken by what the entries say; neither keys nor their order are evidence.",
        "Models": f"Of {result.folds} folds, projects held out whole."
        if result.folds
        else "None was trained for this.",
        "Left out": ", ".join(source.name for source in result.skipped) or "No project.",
        "Made by": f"Pincite {__version__}",
    }
    return [element("h2", "How it was run"), facts(values)]


def _drawing(rows: Sequence[Row]) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        top1 = [row.figures.top[1] for row in rows]
        low, high = zip(*(row.top1_ci95 for row in rows), strict=True)
        reach = [
            [max(0.0, at - end) for at, end in zip(top1, low, strict=True)],
            [max(0.0, end - at) for at, end in zip(top1, high, strict=True)],
        ]
        ink = axes.xaxis.label.get_color()
        axes.barh(range(len(rows)), top1, 0.6, xerr=reach, color=BAR, ecolor=ink, capsize=3)
        axes.set_yticks(range(len(rows)), [row.ranker for row in rows])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("top-1, writing")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", length=0)

    return draw
