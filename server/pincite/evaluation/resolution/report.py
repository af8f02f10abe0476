"""What an evaluation of citation resolution found, as a page for readers or as a README's table.

Both have the layout of Table 1 of Duma and Klein (2014): a row for a representation, internal,
external or mixed, and a column for a window of the query.
"""

from __future__ import annotations

import base64
import io
import math
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml import etree

from ... import __version__
from ...model.problems import InputError
from . import published
from .results import PaperOutcome, ResolutionResult, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What the best and worst papers must have: a paper with few citations is right or wrong by luck.
MIN_OUTCOMES = 5
_LISTED_PAPERS = 10
_GROUPS = {"Internal": "contents", "External": "inlink contexts", "Mixed": "both"}
_BIN_STARTS = (1, 5, 8, 9, 10, 12, 15, 20, 30)
_LIGHT_INK, _DARK_INK = "#1f2328", "#e6e8eb"
_BAR = "#4a8bd0"


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
    if not result.rows:
        raise InputError("nothing to report: no row of the table was finished")
    by_group: dict[str, list[Row]] = {group: [] for group in _GROUPS}
    for row in result.rows:
        by_group[_group(row.representation)].append(row)
    found = {group: rows for group, rows in by_group.items() if rows}
    return _Table(
        tuple(dict.fromkeys(row.window for row in result.rows)),
        {
            group: tuple(dict.fromkeys(r.representation for r in rows))
            for group, rows in found.items()
        },
        {(row.representation, row.window): row for row in result.rows},
        max(result.rows, key=_merit),
        {group: max(rows, key=_merit) for group, rows in found.items()},
    )


def _group(representation: str) -> str:
    if representation.startswith("mixed-"):
        return "Mixed"
    return "External" if representation.startswith("inlink-") else "Internal"


def _merit(row: Row) -> tuple[float, float]:
    """Order rows by accuracy, then by mean reciprocal rank; of equal ones the first is best."""
    return (-1.0, -1.0) if math.isnan(row.accuracy) else (row.accuracy, row.mrr)


def _fraction(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def _interval(row: Row) -> str:
    return "–".join(map(_fraction, row.ci95))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _sizes(result: ResolutionResult) -> str:
    return (
        f"{_count(result.test_papers, 'test paper')} of {result.papers:,}, "
        f"{_count(result.resolvable_citations, 'resolvable citation')}"
    )


def _valid(text: str) -> str:
    """Replace what no text file should have, such as control characters and lone surrogates."""
    return re.sub(r"[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


# Markdown


def markdown(result: ResolutionResult) -> str:
    """Return the result as a Markdown table with a line of its sizes, for a README.

    Raise `InputError` for a result without rows.
    """
    table = _table(result)
    lines = [
        ["Representation", *(_marked(f"({w})", w == table.best.window) for w in table.windows)],
        [":--", *("--:" for _ in table.windows)],
    ]
    for group, representations in table.groups.items():
        lines.append([f"{group} ({_GROUPS[group]})", *("" for _ in table.windows)])
        for name in representations:
            cells = (_markdown_cell(table, table.rows.get((name, w))) for w in table.windows)
            lines.append([_marked(name, name == table.best.representation), *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = (
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    )
    bests = (
        f"- {group}: {_marked(_fraction(row.accuracy), row is table.best)} ({_interval(row)}), "
        f"{row.representation} at ({row.window}); MRR {_fraction(row.mrr)}, {_recalls(row)}"
        for group, row in table.best_of_groups.items()
    )
    return "\n".join(
        [
            f"Citation resolution on {_escape_markdown(result.corpus)}, top-1 accuracy: "
            f"{_sizes(result)}; chance {_fraction(result.chance)}.",
            "",
            *rows,
            "",
            "Bold: the best accuracy, its representation and its window; italic: the best of its "
            "group. The best of each group, with 95% intervals (bootstrap over test papers):",
            "",
            *bests,
            "",
        ]
    )


def _markdown_cell(table: _Table, row: Row | None) -> str:
    if row is None:
        return "–"
    accuracy = _fraction(row.accuracy)
    return {"strong": f"**{accuracy}**", "em": f"*{accuracy}*"}.get(table.mark(row), accuracy)


def _marked(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def _recalls(row: Row) -> str:
    return ", ".join(f"recall@{k} {_fraction(value)}" for k, value in sorted(row.recall.items()))


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", " ".join(_valid(text).split()))


# HTML


def require_plots() -> None:
    """Raise `InputError` without matplotlib, so that a long run need not end in it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise InputError(
            "the figures of a report need matplotlib: pip install 'pincite[plots]'"
        ) from error


def html(result: ResolutionResult, options: Mapping[str, str] | None = None) -> str:
    """Return the result as one page of HTML that needs nothing else; equal results, equal pages.

    `options` names further settings of the run, listed with it. Raise `InputError` for a result
    without rows, or without matplotlib.
    """
    require_plots()
    table = _table(result)
    best = table.best
    page = _element(
        "html",
        _element(
            "head",
            _element("meta", charset="utf-8"),
            _element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            _element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            _element("meta", name="color-scheme", content="light dark"),
            _element("title", f"Citation resolution on {result.corpus}"),
            _element("style", _STYLE),
        ),
        _element(
            "body",
            _element(
                "main",
                _element("h1", "Citation resolution"),
                _element(
                    "p",
                    "The citations of a paper are taken out, and each is to be given back from the "
                    "words around it: which of the papers it cites belongs there? Most often right "
                    "was ",
                    _element("strong", best.representation),
                    f" with a query window of ({best.window}).",
                ),
                _key_figures(result, best),
                *_accuracies(table),
                *_best_of_groups(table),
                *_heat_map_section(table),
                *_candidates_section(result, best),
                *_papers_section(result, best),
                *_run(result, options or {}),
            ),
        ),
        lang="en",
    )
    return etree.tostring(page, method="html", encoding="unicode", doctype="<!DOCTYPE html>") + "\n"


def _element(tag: str, *content: etree._Element | str, **attributes: str) -> etree._Element:
    """Return an element; lxml escapes what is in it. ``http_equiv=`` writes ``http-equiv``."""
    element = etree.Element(tag)
    for name, value in attributes.items():
        element.set(name.rstrip("_").replace("_", "-"), _valid(value))
    for part in content:
        if not isinstance(part, str):
            element.append(part)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + _valid(part)
        else:
            element.text = (element.text or "") + _valid(part)
    return element


def _scrolling(table: etree._Element, label: str) -> etree._Element:
    return _element("div", table, class_="wide", role="region", aria_label=label, tabindex="0")


def _listing(
    caption: str, heads: Iterable[str], records: Iterable[Sequence[str]], words: int = 1
) -> etree._Element:
    """Return a table of records headed by their first fields; `words` columns are set left."""
    lines = (
        _element(
            "tr",
            _element("th", record[0], scope="row"),
            *(_element("td", field) for field in record[1:]),
        )
        for record in records
    )
    table = _element(
        "table",
        _element("caption", caption),
        _element("thead", _element("tr", *(_element("th", head, scope="col") for head in heads))),
        _element("tbody", *lines),
        class_=f"words-{words}",
    )
    return _scrolling(table, caption)


def _key_figures(result: ResolutionResult, best: Row) -> etree._Element:
    figures = {
        "best accuracy": _fraction(best.accuracy),
        "95% interval": _interval(best),
        "chance": _fraction(result.chance),
        "test papers": f"{result.test_papers:,}",
        "resolvable citations": f"{result.resolvable_citations:,}",
    }
    tiles = (
        _element("div", _element("dt", name), _element("dd", value))
        for name, value in figures.items()
    )
    return _element("dl", *tiles, class_="tiles")


def _accuracies(table: _Table) -> list[etree._Element]:
    """Return Table 1, each window with a second column where the paper has figures for it."""
    shown = {name for names in table.groups.values() for name in names}
    compared = {
        window: any((name, window) in published.ACCURACY for name in shown)
        for window in table.windows
    }
    windows = [_element("th", "Representation", scope="col", rowspan="2")]
    columns, kinds = [_element("colgroup")], []
    for window, is_compared in compared.items():
        name = _element("strong", f"({window})") if window == table.best.window else f"({window})"
        span = str(1 + is_compared)
        columns.append(_element("colgroup", span=span))
        windows.append(_element("th", name, scope="colgroup", colspan=span))
        kinds.append(_element("th", "here", scope="col"))
        if is_compared:
            kinds.append(_element("th", "2014", scope="col", class_="published"))
    bodies = []
    for group, names in table.groups.items():
        head = _element(
            "th",
            f"{group} ({_GROUPS[group]})",
            scope="rowgroup",
            colspan=str(1 + sum(1 + is_compared for is_compared in compared.values())),
        )
        lines = (_accuracy_line(table, name, compared) for name in names)
        bodies.append(_element("tbody", _element("tr", head, class_="group"), *lines))
    caption = "Top-1 accuracy by representation and query window (words left, words right)"
    heads = _element("thead", _element("tr", *windows), _element("tr", *kinds))
    whole = _element("table", _element("caption", caption), *columns, heads, *bodies)
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
    return [_element("h2", "Accuracy"), _element("p", note), _scrolling(whole, caption)]


def _accuracy_line(table: _Table, name: str, compared: Mapping[str, bool]) -> etree._Element:
    is_best = name == table.best.representation
    cells = [_element("th", _element("strong", name) if is_best else name, scope="row")]
    for window, is_compared in compared.items():
        tint = "best" if is_best or window == table.best.window else "other"
        cells.append(_accuracy_cell(table, table.rows.get((name, window)), tint))
        if is_compared:
            theirs = published.ACCURACY.get((name, window))
            figure = "" if theirs is None else _fraction(theirs)
            cells.append(_element("td", figure, class_=f"{tint} published"))
    return _element("tr", *cells)


def _accuracy_cell(table: _Table, row: Row | None, tint: str) -> etree._Element:
    if row is None:
        return _element("td", "–", class_=tint)
    accuracy, mark = _fraction(row.accuracy), table.mark(row)
    return _element(
        "td",
        _element(mark, accuracy) if mark else accuracy,
        _element("small", _interval(row)),
        class_=tint,
        title=f"{row.representation} ({row.window}): MRR {_fraction(row.mrr)}, {_recalls(row)}",
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
            _fraction(row.accuracy),
            _interval(row),
            *map(_fraction, [row.mrr, *(row.recall.get(depth) for depth in depths)]),
        ]
        for group, row in table.best_of_groups.items()
    ]
    caption = "The most accurate representation and window of each group"
    return [_element("h2", "The best of each group"), _listing(caption, heads, records, words=3)]


def _heat_map_section(table: _Table) -> list[etree._Element]:
    rows = [row for row in table.rows.values() if not math.isnan(row.accuracy)]
    worst = min(rows, key=_merit, default=table.best)
    alternative = (
        f"Heat map of the accuracies in the table above, from {_fraction(worst.accuracy)} "
        f"({worst.representation}, window {worst.window}) to {_fraction(table.best.accuracy)} "
        f"({table.best.representation}, window {table.best.window})."
    )
    lines = len(table.groups) + sum(map(len, table.groups.values()))
    size = (3.2 + 0.95 * len(table.windows), 1.0 + 0.27 * lines)
    return [
        _element("h2", "Heat map"),
        _figure(lambda axes: _draw_heat_map(axes, table), size, alternative),
    ]


@dataclass(slots=True)
class _Bin:
    """Test papers with about as many candidates; `right` and `guessed` count outcomes."""

    label: str
    papers: int = 0
    outcomes: int = 0
    right: int = 0
    guessed: float = 0.0

    @property
    def accuracy(self) -> float:
        return self.right / self.outcomes

    @property
    def chance(self) -> float:
        return self.guessed / self.outcomes


def _bins(papers: Iterable[PaperOutcome], row: int) -> list[_Bin]:
    labels = [
        f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(_BIN_STARTS)
    ]
    bins = [_Bin(label) for label in (*labels, f"{_BIN_STARTS[-1]}+")]
    for paper in papers:
        group = bins[max(bisect(_BIN_STARTS, paper.candidates) - 1, 0)]
        group.papers += 1
        group.outcomes += paper.outcomes
        group.right += paper.correct[row]
        group.guessed += paper.chance
    return [group for group in bins if group.outcomes]


def _candidates_section(result: ResolutionResult, best: Row) -> list[etree._Element]:
    bins = _bins(result.per_paper, result.rows.index(best))
    if not bins:
        return []
    heads = ["Candidates", "Test papers", "Resolvable citations", "Right", "Accuracy", "Chance"]
    records = [
        [
            group.label,
            *(f"{count:,}" for count in (group.papers, group.outcomes, group.right)),
            *map(_fraction, (group.accuracy, group.chance)),
        ]
        for group in bins
    ]
    alternative = "Bars of the accuracies in the table below, each with a mark at chance."
    size = (1.4 + 1.05 * len(bins), 3.3)
    return [
        _element("h2", "Accuracy by number of candidates"),
        _figure(lambda axes: _draw_bins(axes, bins), size, alternative),
        _listing(f"By {best.representation}, window ({best.window})", heads, records),
    ]


def _papers_section(result: ResolutionResult, best: Row) -> list[etree._Element]:
    """Return the worst and the best papers; with few papers, no paper is in both lists."""
    row = result.rows.index(best)

    def accuracy(paper: PaperOutcome) -> float:
        return paper.correct[row] / paper.outcomes

    papers = [paper for paper in result.per_paper if paper.outcomes >= MIN_OUTCOMES]
    ranked = sorted(papers, key=lambda paper: (-accuracy(paper), -paper.outcomes, paper.id))
    half = (len(papers) + 1) // 2
    lists = {
        "Worst papers": sorted(ranked[half:], key=accuracy)[:_LISTED_PAPERS],
        "Best papers": ranked[:half][:_LISTED_PAPERS],
    }
    heads = ["Paper", "Title", "Candidates", "Citations", "Right", "Accuracy", "Chance"]
    tables = [
        _listing(
            caption,
            heads,
            [
                [
                    paper.id,
                    " ".join(paper.title.split()),
                    *(f"{n:,}" for n in (paper.candidates, paper.outcomes, paper.correct[row])),
                    *map(_fraction, (accuracy(paper), paper.chance / paper.outcomes)),
                ]
                for paper in listed
            ],
            words=2,
        )
        for caption, listed in lists.items()
        if listed
    ]
    note = (
        f"By {best.representation}, window ({best.window}); of the {_count(len(papers), 'paper')} "
        f"with at least {MIN_OUTCOMES} resolvable citations."
    )
    return [_element("h2", "Worst and best papers"), _element("p", note), *tables]


def _run(result: ResolutionResult, options: Mapping[str, str]) -> list[etree._Element]:
    facts = {
        "Collection": f"{result.corpus}: {_count(result.papers, 'paper')}",
        "Tested": _sizes(result),
        **options,
        "Task": "The candidates are the papers of the collection that the test paper lists. All "
        "its citations become placeholders; those in direct succession share one context, which "
        "is the query. Where n candidates are cited together, all count as right when any of them "
        "is among the first n.",
        "Ranking": "TF-IDF and cosine; the inverse document frequencies are those of the "
        "candidates.",
        "Chance": "The accuracy that random orders have on average under the same rule.",
        "95% interval": "Bootstrap over test papers.",
        "Published figures": "Daniel Duma and Ewan Klein (2014), Citation Resolution: A method "
        "for evaluating context-based citation recommendation systems, ACL 2014, pages 358–363, "
        "Table 1.",
        "Made by": f"Pincite {__version__}",
    }
    pairs = (
        part
        for name, value in facts.items()
        for part in (_element("dt", name), _element("dd", value))
    )
    return [_element("h2", "How it was run"), _element("dl", *pairs, class_="facts")]


# Figures


def _figure(
    draw: Callable[[Axes], None], size: tuple[float, float], alternative: str
) -> etree._Element:
    """Return a figure of `size` inches in two inks, of which the reader's theme takes one."""
    return _element(
        "figure",
        _element(
            "picture",
            _element(
                "source",
                media="(prefers-color-scheme: dark)",
                srcset=_image(draw, size, _DARK_INK),
            ),
            _element("img", src=_image(draw, size, _LIGHT_INK), alt=alternative),
        ),
    )


def _image(draw: Callable[[Axes], None], size: tuple[float, float], ink: str) -> str:
    """Return an SVG as a data address, the same for the same figures whatever the user's style."""
    from matplotlib import style
    from matplotlib.figure import Figure

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    fixed = {"svg.hashsalt": "pincite", "font.size": 9, **dict.fromkeys(inked, ink)}
    unwanted = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    image = io.BytesIO()
    with style.context(["default", fixed]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(image, format="svg", transparent=True, metadata=unwanted)
    return "data:image/svg+xml;base64," + base64.b64encode(image.getvalue()).decode("ascii")


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
                    _fraction(row.accuracy),
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


def _draw_bins(axes: Axes, bins: Sequence[_Bin]) -> None:
    places = range(len(bins))
    bars = axes.bar(places, [group.accuracy for group in bins], 0.7, color=_BAR, label="accuracy")
    axes.bar_label(bars, [_fraction(group.accuracy) for group in bins], padding=2)
    axes.hlines(
        [group.chance for group in bins],
        [place - 0.42 for place in places],
        [place + 0.42 for place in places],
        colors=axes.xaxis.label.get_color(),
        linewidth=2,
        label="chance",
    )
    axes.set_xticks(
        places,
        [
            f"{group.label}\n{_count(group.papers, 'paper')}\n{_count(group.outcomes, 'citation')}"
            for group in bins
        ],
    )
    axes.set_xlabel("candidates of the test paper")
    axes.set_ylabel("top-1 accuracy")
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.legend(frameon=False)


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --tint: #eef4fb;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --ink: #e6e8eb; --faint: #9aa4af; --line: #353c45; --tint: #1c2937; }
}
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { line-height: 1.2; margin: 0 0 .5rem; }
h2 { margin: 2.5rem 0 .75rem; }
p { max-width: 46rem; }
.wide { overflow-x: auto; margin: 0 0 1.5rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding-bottom: .5rem; }
th, td { padding: .25rem .625rem; text-align: right; vertical-align: baseline;
  border-bottom: 1px solid var(--line); }
th { font-weight: normal; }
thead th { vertical-align: bottom; color: var(--faint); }
thead th[scope=colgroup] { text-align: center; color: var(--ink); }
tbody th, thead tr:first-child th:first-child,
.words-2 :is(th, td):nth-child(2), .words-3 :is(th, td):nth-child(-n+3) {
  text-align: left; }
tbody th { white-space: nowrap; }
.group th { padding-top: 1rem; font-weight: 600; }
.best { background: var(--tint); }
.published { color: var(--faint); }
.words-2 td:nth-child(2) { min-width: 18rem; }
small { display: block; color: var(--faint); font-size: .6875rem; white-space: nowrap; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.5rem 0; }
.tiles dd { margin: 0; font-size: 1.375rem; font-weight: 600; }
.tiles dt, .facts dt { color: var(--faint); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1.5rem; }
.facts dd { margin: 0; max-width: 46rem; }
figure { margin: 0 0 1.5rem; }
img { max-width: 100%; height: auto; }
@media print { .wide { overflow: visible; } }
"""
