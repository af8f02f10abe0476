"""What an evaluation of citation resolution found, as a page for readers or as a README's table.

Both have the layout of Table 1 of Duma and Klein (2014): a row for a representation, internal,
external or mixed, and a column for a window of the query.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import __version__
from ...model.problems import InputError
from ..page import (
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
    scrolling,
    tiles,
)
from . import published, report_learned, report_papers
from .results import ResolutionResult, Row

if TYPE_CHECKING:
    from lxml import etree
    from matplotlib.axes import Axes

_GROUPS = {"Internal": "contents", "External": "inlink contexts", "Mixed": "both"}


# What both forms show


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a result in the places they have in Table 1, and the best of them."""

    windows: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    rows: Mapping[tuple[str, str], Row]
    best: Row
    best_of_groups: Mapping[str, Row]

    def mark(self, row: Row) -> str:
        """Return the element that marks a row's accuracy, "" for one of the many."""
        if row is self.best:
            return "strong"
        return "em" if row in self.best_of_groups.values() else ""


def _table(result: ResolutionResult) -> _Table:
    rows = result.table_1
    by_group: dict[str, list[Row]] = {group: [] for group in _GROUPS}
    for row in rows:
        by_group[_group(row.representation)].append(row)
    found = {group: rows for group, rows in by_group.items() if rows}
    return _Table(
        tuple(dict.fromkeys(row.window or "" for row in rows)),
        {
            group: tuple(dict.fromkeys(r.representation for r in rows))
            for group, rows in found.items()
        },
        {(row.representation, row.window or ""): row for row in rows},
        max(rows, key=_merit),
        {group: max(rows, key=_merit) for group, rows in found.items()},
    )


def _require_rows(result: ResolutionResult) -> None:
    if not result.rows:
        raise InputError("nothing to report: no row of the table was finished")


def _group(representation: str) -> str:
    if representation.startswith("mixed-"):
        return "Mixed"
    return "External" if representation.startswith("inlink-") else "Internal"


def _merit(row: Row) -> tuple[float, float]:
    """Order rows by accuracy, then by mean reciprocal rank; of equal ones the first is best."""
    return (-1.0, -1.0) if math.isnan(row.accuracy) else (row.accuracy, row.mrr)


def _interval(row: Row) -> str:
    return "–".join(map(fraction, row.ci95))


def _sizes(result: ResolutionResult) -> str:
    return (
        f"{count(result.test_papers, 'test paper')} of {result.papers:,}, "
        f"{count(result.resolvable_citations, 'resolvable citation')}"
    )


# Markdown


def markdown(result: ResolutionResult) -> str:
    """Return the result as a Markdown table with a line of its sizes, for a README.

    Raise `InputError` for a result without rows.
    """
    _require_rows(result)
    return "\n".join(
        [
            f"Citation resolution on {escape_markdown(result.corpus)}, top-1 accuracy: "
            f"{_sizes(result)}; chance {fraction(result.chance)}.",
            *(_markdown_table_1(_table(result)) if result.table_1 else ()),
            *report_learned.markdown(result.learned),
            "",
        ]
    )


def _markdown_table_1(table: _Table) -> list[str]:
    lines = [
        ["Representation", *(_marked(f"({w})", w == table.best.window) for w in table.windows)],
        [":--", *("--:" for _ in table.windows)],
    ]
    for group, representations in table.groups.items():
        lines.append([f"{group} ({_GROUPS[group]})", *("" for _ in table.windows)])
        for name in representations:
            cells = (_markdown_cell(table, table.rows.get((name, w))) for w in table.windows)
            lines.append([_marked(name, name == table.best.representation), *cells])
    bests = (
        f"- {group}: {_marked(fraction(row.accuracy), row is table.best)} ({_interval(row)}), "
        f"{row.representation} at ({row.window}); MRR {fraction(row.mrr)}, {_recalls(row)}"
        for group, row in table.best_of_groups.items()
    )
    return [
        "",
        *markdown_table(lines),
        "",
        "Bold: the best accuracy, its representation and its window; italic: the best of its "
        "group. The best of each group, with 95% intervals (bootstrap over test papers):",
        "",
        *bests,
    ]


def _markdown_cell(table: _Table, row: Row | None) -> str:
    if row is None:
        return "–"
    accuracy = fraction(row.accuracy)
    return {"strong": f"**{accuracy}**", "em": f"*{accuracy}*"}.get(table.mark(row), accuracy)


def _marked(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def _recalls(row: Row) -> str:
    return ", ".join(f"recall@{k} {fraction(value)}" for k, value in sorted(row.recall.items()))


# HTML


def html(result: ResolutionResult, options: Mapping[str, str] | None = None) -> str:
    """Return the result as one page of HTML that needs nothing else; equal results, equal pages.

    `options` names further settings of the run, listed with it. Raise `InputError` for a result
    without rows, or without matplotlib.
    """
    require_plots()
    _require_rows(result)
    table = _table(result) if result.table_1 else None
    best = table.best if table else max(result.rows, key=_merit)
    behind = (
        f" with a query window of ({best.window})."
        if table
        else f" ({best.situation}, {best.knows})."
    )
    sections = (_accuracies, _best_of_groups, _heat_map_section) if table else ()
    return page(
        f"Citation resolution on {result.corpus}",
        element("h1", "Citation resolution"),
        element(
            "p",
            "The citations of a paper are taken out, and each is to be given back from the "
            "words around it: which of the papers it cites belongs there? Most often right was ",
            element("strong", best.representation),
            behind,
        ),
        _key_figures(result, best),
        *(part for section in sections if table for part in section(table)),
        *report_learned.html(result.learned),
        *report_papers.candidates_section(result, best),
        *report_papers.papers_section(result, best),
        *_run(result, options or {}),
    )


def _key_figures(result: ResolutionResult, best: Row) -> etree._Element:
    return tiles(
        {
            "best accuracy": fraction(best.accuracy),
            "95% interval": _interval(best),
            "chance": fraction(result.chance),
            "test papers": f"{result.test_papers:,}",
            "resolvable citations": f"{result.resolvable_citations:,}",
        }
    )


def _accuracies(table: _Table) -> list[etree._Element]:
    """Return Table 1, each window with a second column where the paper has figures for it."""
    shown = {name for names in table.groups.values() for name in names}
    compared = {
        window: any((name, window) in published.ACCURACY for name in shown)
        for window in table.windows
    }
    windows = [element("th", "Representation", scope="col", rowspan="2")]
    columns, kinds = [element("colgroup")], []
    for window, is_compared in compared.items():
        name = element("strong", f"({window})") if window == table.best.window else f"({window})"
        span = str(1 + is_compared)
        columns.append(element("colgroup", span=span))
        windows.append(element("th", name, scope="colgroup", colspan=span))
        kinds.append(element("th", "here", scope="col"))
        if is_compared:
            kinds.append(element("th", "2014", scope="col", class_="published"))
    bodies = []
    for group, names in table.groups.items():
        head = element(
            "th",
            f"{group} ({_GROUPS[group]})",
            scope="rowgroup",
            colspan=str(1 + sum(1 + is_compared for is_compared in compared.values())),
        )
        lines = (_accuracy_line(table, name, compared) for name in names)
        bodies.append(element("tbody", element("tr", head, class_="group"), *lines))
    caption = "Top-1 accuracy by representation and query window (words left, words right)"
    heads = element("thead", element("tr", *windows), element("tr", *kinds))
    whole = element("table", element("caption", caption), *columns, heads, *bodies)
    note = (
        "Bold: the best accuracy, its representation and its window; italic: the best of its "
        "group; small: 95% interval."
    )
    if any(compared.values()):
        note += (
            " 2014: the figures of Duma and Klein (2014), Table 1, from another collection (about "
            f"{published.PAPERS:,} papers, {published.TEST_PAPERS} of them test papers, "
            f"{published.RESOLVABLE_CITATIONS:,} resolvable citations)."
        )
    return [element("h2", "Accuracy"), element("p", note), scrolling(whole, caption)]


def _accuracy_line(table: _Table, name: str, compared: Mapping[str, bool]) -> etree._Element:
    is_best = name == table.best.representation
    cells = [element("th", element("strong", name) if is_best else name, scope="row")]
    for window, is_compared in compared.items():
        tint = "best" if is_best or window == table.best.window else "other"
        cells.append(_accuracy_cell(table, table.rows.get((name, window)), tint))
        if is_compared:
            theirs = published.ACCURACY.get((name, window))
            accuracy = "" if theirs is None else fraction(theirs)
            cells.append(element("td", accuracy, class_=f"{tint} published"))
    return element("tr", *cells)


def _accuracy_cell(table: _Table, row: Row | None, tint: str) -> etree._Element:
    if row is None:
        return element("td", "–", class_=tint)
    accuracy, mark = fraction(row.accuracy), table.mark(row)
    return element(
        "td",
        element(mark, accuracy) if mark else accuracy,
        element("small", _interval(row)),
        class_=tint,
        title=f"{row.representation} ({row.window}): MRR {fraction(row.mrr)}, {_recalls(row)}",
    )


def _best_of_groups(table: _Table) -> list[etree._Element]:
    depths = sorted(table.best.recall)
    heads = ["Group", "Representation", "Window", "Accuracy", "95% interval", "MRR"]
    heads += [f"Recall@{depth}" for depth in depths]
    records = [
        [
            group,
            row.representation,
            f"({row.window})",
            fraction(row.accuracy),
            _interval(row),
            *map(fraction, [row.mrr, *(row.recall.get(depth) for depth in depths)]),
        ]
        for group, row in table.best_of_groups.items()
    ]
    caption = "The most accurate representation and window of each group"
    return [element("h2", "The best of each group"), listing(caption, heads, records, words=3)]


def _heat_map_section(table: _Table) -> list[etree._Element]:
    rows = [row for row in table.rows.values() if not math.isnan(row.accuracy)]
    worst = min(rows, key=_merit, default=table.best)
    alternative = (
        f"Heat map of the accuracies in the table above, from {fraction(worst.accuracy)} "
        f"({worst.representation}, window {worst.window}) to {fraction(table.best.accuracy)} "
        f"({table.best.representation}, window {table.best.window})."
    )
    lines = len(table.groups) + sum(map(len, table.groups.values()))
    size = (3.2 + 0.95 * len(table.windows), 1.0 + 0.27 * lines)
    return [
        element("h2", "Heat map"),
        figure(lambda axes: _draw_heat_map(axes, table), size, alternative),
    ]


def _run(result: ResolutionResult, options: Mapping[str, str]) -> list[etree._Element]:
    values = {
        "Collection": f"{result.corpus}: {count(result.papers, 'paper')}",
        "Tested": _sizes(result),
        **options,
        "Task": "The candidates are the papers of the collection that the test paper lists. All "
        "its citations become placeholders; those in direct succession share one context, which "
        "is the query. Where n candidates are cited together, all count as right when any of them "
        "is among the first n.",
        "Ranking": " ".join(_ranking(result)),
        "Chance": "The accuracy that random orders have on average under the same rule.",
        "95% interval": "Bootstrap over test papers.",
        "Published figures": "Daniel Duma and Ewan Klein (2014), Citation Resolution: A method "
        "for evaluating context-based citation recommendation systems, ACL 2014, pages 358–363, "
        "Table 1.",
        "Made by": f"Pincite {__version__}",
    }
    return [element("h2", "How it was run"), facts(values)]


def _ranking(result: ResolutionResult) -> Iterator[str]:
    if result.table_1:
        yield "TF-IDF and cosine; the inverse document frequencies are those of the candidates."
    if result.learned:
        yield "The learned ranker: boosted trees over separate evidence for each candidate."


# Figures


def _draw_heat_map(axes: Axes, table: _Table) -> None:
    """Draw a line for each representation below a line with the name of its group."""
    lines = [name for group, names in table.groups.items() for name in (group, *names)]
    grid = [[table.rows.get((name, window)) for window in table.windows] for name in lines]
    mesh = axes.pcolormesh(
        [[row.accuracy if row else math.nan for row in line] for line in grid], cmap="cividis"
    )
    low, high = mesh.get_clim()
    middle = low + 0.45 * (high - low)
    for y, line in enumerate(grid):
        for x, row in enumerate(line):
            if row is not None and not math.isnan(row.accuracy):
                axes.text(
                    x + 0.5,
                    y + 0.5,
                    fraction(row.accuracy),
                    color="black" if row.accuracy > middle else "white",
                    weight="bold" if row is table.best else "normal",
                    ha="center",
                    va="center_baseline",
                )
    axes.set_yticks([y + 0.5 for y in range(len(lines))], lines)
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in _GROUPS else "normal")
    axes.set_xticks([x + 0.5 for x in range(len(table.windows))], [f"({w})" for w in table.windows])
    axes.set_xlabel("query window (words left, words right)")
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if low < high:
        colours = axes.figure.colorbar(mesh, ax=axes, label="top-1 accuracy", aspect=40)
        colours.outline.set_visible(False)
