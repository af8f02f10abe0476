"""The report of citation resolution, in the layout of Table 1: text, an HTML page, or Markdown."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from rich.console import RenderableType

from pincite.model.problems import InputError
from pincite.text.characters import escape_markdown

from ..report import page
from ..report.page import Cell, Column, Figure, Table, count, fraction, thousands
from ..results import ACCURACY, RESOLUTION, Row, grouped
from .run import RECALL_AT, PaperOutcome, ResolutionResult

_NOTHING: Final = "nothing to report: no row of the table has finished"
_interval = partial(page.between, write=fraction)
_MEASURES: Final[list[Column]] = [
    ("Accuracy", "accuracy", fraction),
    ("95% interval", "ci95", _interval),
    ("MRR", "mrr", fraction),
    *((f"Recall@{depth}", f"recall@{depth}", fraction) for depth in RECALL_AT),
]
_CANDIDATES: Final[list[Column]] = [
    ("Candidates", "candidates", str),
    ("Test papers", "papers", thousands),
    ("Resolvable citations", "outcomes", thousands),
    ("Right", "right", thousands),
    ("Accuracy", "accuracy", fraction),
    ("Chance", "chance", fraction),
]
#: The groups of Table 1, and what their representations are made of.
_GROUPS = {"Internal": "contents", "External": "inlink contexts", "Mixed": "both"}
#: The number of candidates at which a bin starts, and its name.
_BINS = {0: "1–4", 5: "5–7", 8: "8", 9: "9", 10: "10–11", 12: "12–14", 15: "15–19", 20: "20–29"}
_BINS[30] = "30+"


class Table1:
    """The rows of a result, at least one, in the layout of Table 1, and the best of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        of = {"mixed": "Mixed", "inlink": "External"}
        found = grouped(rows, lambda row: of.get(row["representation"].split("-")[0], "Internal"))
        in_order = {group: found[group] for group in _GROUPS if group in found}
        self.rows = {(row["representation"], row["window"]): row for row in rows}
        self.windows = tuple(dict.fromkeys(row["window"] for row in rows))
        self.groups = {
            group: tuple(dict.fromkeys(row["representation"] for row in own))
            for group, own in in_order.items()
        }
        self.best = max(rows, key=_merit)
        known = (row for row in rows if _merit(row) > (-1.0, -1.0))
        self.worst = min(known, key=_merit, default=self.best)
        self.best_of_groups = {group: max(own, key=_merit) for group, own in in_order.items()}
        names = {name for name, _ in self.rows}
        #: For each window whether the paper has figures for it.
        self.compared = {w: any((name, w) in ACCURACY for name in names) for w in self.windows}


def text(result: ResolutionResult) -> Iterator[RenderableType]:
    """Yield the accuracies and the findings for a terminal."""
    if result.table_1:
        yield _table_1(Table1(result.table_1), in_full=False).text()
    if result.learned:
        yield _learned(result.learned, _MEASURES[:1]).text()
    of = result.facts
    yield (
        f"{of['resolvable_citations']:,} resolvable citations of {of['test_papers']} test papers"
        f" among {of['papers']:,}, chance {of['chance']:.3f}"
    )
    yield from (finding.text("{:+.3f}".format) for finding in result.findings or ())


def markdown(result: ResolutionResult) -> str:
    """Return the tables for a README; raises `InputError` without rows."""
    if not result.rows:
        raise InputError(_NOTHING)
    table = Table1(result.table_1) if result.table_1 else None
    return page.render(
        "resolution.md",
        corpus=escape_markdown(result.facts["corpus"]),
        of=result.facts,
        table=table,
        accuracies=table and _table_1(table, in_full=False).markdown(),
        recalls=_recalls,
        learned=result.learned and _learned(result.learned).markdown(),
    )


def html(result: ResolutionResult) -> str:
    """Return a page with all tables and figures; raises `InputError` without rows."""
    if not result.rows:
        raise InputError(_NOTHING)
    table = Table1(result.table_1) if result.table_1 else None
    best = table.best if table else max(result.rows, key=_merit)
    row = result.rows.index(best)
    bins = _by_candidates(result.per_paper, row)
    papers = [paper for paper in result.per_paper if paper.outcomes >= page.MIN_OUTCOMES]
    named: list[Column] = [("Group", "group", str), ("Representation", "representation", str)]
    named.append(("Window", "window", "({})".format))
    shares = [
        (f"{own['candidates']} ({count(own['outcomes'], 'citation')})", own["accuracy"])
        for own in bins
    ]
    return page.render(
        "resolution.html",
        result=result,
        of=result.facts,
        best=best,
        published=RESOLUTION,
        is_compared=table is not None and any(table.compared.values()),
        accuracies=table and _table_1(table, in_full=True),
        best_of_groups=table
        and Table.of(
            "The most accurate representation and window of each group",
            [*named, *_MEASURES],
            [{**row.figures, "group": group} for group, row in table.best_of_groups.items()],
            words=3,
        ),
        table_1=table,
        heat_map=table and _heat_map(table),
        learned=_learned(result.learned),
        candidates=Table.of(f"By {best.name}", _CANDIDATES, bins),
        candidates_figure=bins
        and page.bars(
            shares,
            "top-1 accuracy by candidates of the test paper",
            marks=("chance", [own["chance"] for own in bins]),
        ),
        enough=len(papers),
        papers=_papers(papers, row),
    )


def _merit(row: Row) -> tuple[float, float]:
    return (row["accuracy"], row["mrr"]) if page.is_known(row["accuracy"]) else (-1.0, -1.0)


def _recalls(row: Row) -> str:
    return ", ".join(f"recall@{k} {fraction(row[f'recall@{k}'])}" for k in RECALL_AT)


def _learned(rows: Sequence[Row], measures: Sequence[Column] = _MEASURES) -> Table:
    named: list[Column] = [("Situation", "situation", str), ("Known of candidates", "knows", str)]
    caption = "The learned ranker by what is known"
    return Table.of(caption, [*named, *measures], rows, words=2)


def _table_1(table: Table1, *, in_full: bool) -> Table:
    """Return Table 1; in full, with intervals, and with published figures in a second column."""
    best, compared = table.best, table.compared if in_full else {}

    def head(text: str, is_best: bool) -> Cell:
        return Cell(text, "strong" if is_best else "")

    def line(name: str) -> Iterator[Cell]:
        is_best = name == best["representation"]
        yield head(name, is_best)
        for window in table.windows:
            tint = "best" if is_best or window == best["window"] else "other"
            row = table.rows.get((name, window))
            if row is None:
                yield Cell("–", kind=tint)
            else:
                mark: Literal["", "em"] = "em" if row in table.best_of_groups.values() else ""
                more = f"{name} ({window}): MRR {fraction(row['mrr'])}, {_recalls(row)}"
                note = _interval(row["ci95"]) if in_full else ""
                yield Cell(
                    fraction(row["accuracy"]), "strong" if row is best else mark, note, tint, more
                )
            if compared.get(window):
                theirs = ACCURACY.get((name, window))
                yield Cell("" if theirs is None else fraction(theirs), kind=f"{tint} published")

    windows = [head(f"({window})", window == best["window"]) for window in table.windows]
    heads: list[Cell | str] = ["Representation", *([] if in_full else windows)]
    for twice in compared.values():
        heads += ["here", *[Cell("2014", kind="published")] * twice]
    return Table(
        "Top-1 accuracy by representation and query window (words left, words right)",
        heads,
        {
            f"{group} ({_GROUPS[group]})": [list(line(name)) for name in names]
            for group, names in table.groups.items()
        },
        over=[(one, 1 + twice) for one, twice in zip(windows, compared.values(), strict=False)],
    )


def _papers(papers: Sequence[PaperOutcome], row: int) -> list[Table]:
    def accuracy(paper: PaperOutcome) -> float:
        return paper.correct[row] / paper.outcomes

    columns: list[Column] = [
        ("Candidates", "candidates", thousands),
        ("Citations", "outcomes", thousands),
        ("Right", lambda paper: paper.correct[row], thousands),
        ("Accuracy", accuracy, fraction),
        ("Chance", lambda paper: paper.chance / paper.outcomes, fraction),
    ]
    return page.worst_and_best(columns, papers, "outcomes", accuracy)


def _by_candidates(papers: Iterable[PaperOutcome], row: int) -> list[dict[str, Any]]:
    """Return the outcomes of a row by number of candidates, without empty bins."""
    starts = list(_BINS)
    tested = (paper for paper in papers if paper.outcomes)
    binned = grouped(tested, lambda paper: starts[bisect(starts, paper.candidates) - 1])
    found = []
    for start, own in sorted(binned.items()):
        outcomes, right, chance = (
            sum(of)
            for of in zip(*((p.outcomes, p.correct[row], p.chance) for p in own), strict=True)
        )
        sizes = {"candidates": _BINS[start], "papers": len(own), "outcomes": outcomes}
        shares = {"right": right, "accuracy": right / outcomes, "chance": chance / outcomes}
        found.append({**sizes, **shares})
    return found


def _heat_map(table: Table1) -> Figure:
    names = [name for own in table.groups.values() for name in own]
    rows = [[table.rows.get((name, window)) for window in table.windows] for name in names]
    values = [[row["accuracy"] if row else math.nan for row in line] for line in rows]
    texts = [list(map(fraction, line)) for line in values]
    of_x = "query window (words left, words right)"
    return page.grid(names, [f"({one})" for one in table.windows], values, texts, xlabel=of_x)
