"""The report of citation resolution: text, an HTML page, or a Markdown table.

All have the layout of Table 1 of Duma and Klein (2014): a row for each internal, external or mixed
representation, and a column for each query window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from pincite.model.problems import InputError
from pincite.text.escaping import escape_markdown, one_line

from .. import published
from ..report import page
from ..report.figures import Figure, figure, require_plots
from ..report.tables import (
    MIN_OUTCOMES,
    Cell,
    Column,
    Line,
    Table,
    between,
    count,
    fraction,
    thousands,
    worst_and_best,
)
from ..results import Row
from .charts import draw_bins, draw_heat_map
from .report_rows import GROUPS, Table1, by_candidates, merit
from .results import PaperOutcome, ResolutionResult, is_learned
from .table import RECALL_AT

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEARNED: Final = (
    "Top-1 accuracy of boosted trees by what is known of the candidates, from the text on both "
    "sides alone, or with what the paper cites before the place; with 95% intervals."
)
_interval = partial(between, write=fraction)
_MEASURES: Final = [
    Column[Row]("Accuracy", "accuracy", fraction),
    Column[Row]("95% interval", "ci95", _interval),
    Column[Row]("MRR", "mrr", fraction),
    *(Column[Row](f"Recall@{depth}", f"recall@{depth}", fraction) for depth in RECALL_AT),
]
_CANDIDATES: Final = [
    Column[Mapping[str, Any]]("Candidates", "candidates"),
    Column("Test papers", "papers", thousands),
    Column("Resolvable citations", "outcomes", thousands),
    Column("Right", "right", thousands),
    Column("Accuracy", "accuracy", fraction),
    Column("Chance", "chance", fraction),
]


def text(result: ResolutionResult) -> Iterator[RenderableType]:
    """Yield accuracies, a line for each representation, and whether the paper's claims hold."""
    for name, rows, line, column in (
        ("accuracy", result.table_1, "representation", "window"),
        ("learned", result.learned, "situation", "knows"),
    ):
        if rows:
            best = max(row["accuracy"] for row in rows)
            cells = [f"{'*' * (row['accuracy'] == best)}{row['accuracy']:.3f}" for row in rows]
            yield _grid(name, rows, line, column, cells).text()
    of = result.facts
    yield (
        f"{of['resolvable_citations']:,} resolvable citations of {of['test_papers']} test papers"
        f" among {of['papers']:,}, chance {of['chance']:.3f}"
    )
    for finding in result.findings or ():
        low, high = finding.ci95
        yield (
            f"{finding.claim}: {finding.verdict} ({' '.join(finding.first)} against "
            f"{' '.join(finding.second)}: {finding.difference:+.3f}, {low:+.3f} to {high:+.3f})"
        )


def markdown(result: ResolutionResult) -> str:
    """Return the result as a Markdown table below a line with its sizes.

    Raise `InputError` for a result without rows.
    """
    _require_rows(result)
    corpus, chance = escape_markdown(result.facts["corpus"]), fraction(result.facts["chance"])
    parts = [f"Citation resolution on {corpus}, top-1 accuracy: {_sizes(result)}; chance {chance}."]
    if result.table_1:
        table = Table1(result.table_1)
        of_groups = (
            f"- {group}: {'**' * (row is table.best)}{fraction(row['accuracy'])}"
            f"{'**' * (row is table.best)} ({_interval(row['ci95'])}), {row['representation']} at "
            f"({row['window']}); MRR {fraction(row['mrr'])}, {_recalls(row)}"
            for group, row in table.best_of_groups.items()
        )
        parts += [
            _table_1(table, in_full=False).markdown(),
            "Bold: the best accuracy, its representation and its window; italic: the best of its "
            "group. The best of each group, with 95% intervals (bootstrap over test papers):",
            "\n".join(of_groups),
        ]
    if result.learned:
        rows = result.learned
        cells = [Cell(fraction(row["accuracy"]), note=_interval(row["ci95"])) for row in rows]
        known = _grid("The learned ranker", rows, "situation", "knows", cells)
        parts += [_LEARNED, known.markdown()]
    return page.markdown(*parts)


def html(result: ResolutionResult) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    Raise `InputError` for a result without rows, or without matplotlib.
    """
    require_plots()
    _require_rows(result)
    table = Table1(result.table_1) if result.table_1 else None
    best = table.best if table else max(result.rows, key=merit)
    row = result.rows.index(best)
    bins = by_candidates(result.per_paper, row)
    papers = [paper for paper in result.per_paper if paper.outcomes >= MIN_OUTCOMES]
    key = {
        "best accuracy": fraction(best["accuracy"]),
        "95% interval": _interval(best["ci95"]),
        "chance": fraction(result.facts["chance"]),
        "test papers": thousands(result.facts["test_papers"]),
        "resolvable citations": thousands(result.facts["resolvable_citations"]),
    }
    return page.html(
        "resolution",
        result=result,
        of=result.facts,
        best=best,
        is_learned=is_learned(best),
        key=key,
        sizes=_sizes(result),
        published=published,
        is_compared=table is not None and any(_compared(table).values()),
        accuracies=table and _table_1(table, in_full=True),
        best_of_groups=table and _best_of_groups(table),
        heat_map=table and _heat_map(table),
        learned=Table.of(
            "The learned ranker by what is known",
            [Column("Situation", "situation"), Column("Known of candidates", "knows"), *_MEASURES],
            result.learned,
            words=2,
        ),
        learned_note=_LEARNED,
        candidates=Table.of(f"By {best.name}", _CANDIDATES, bins),
        candidates_figure=bins
        and figure(
            partial(draw_bins, bins=bins),
            (1.4 + 1.05 * len(bins), 3.3),
            "Bars of the accuracies in the table below, each with a mark at chance.",
        ),
        enough=len(papers),
        min_outcomes=MIN_OUTCOMES,
        papers=_papers(papers, row),
    )


def _require_rows(result: ResolutionResult) -> None:
    if not result.rows:
        raise InputError("nothing to report: no row of the table has finished")


def _recalls(row: Row) -> str:
    return ", ".join(f"recall@{k} {fraction(row[f'recall@{k}'])}" for k in RECALL_AT)


def _sizes(result: ResolutionResult) -> str:
    of = result.facts
    return (
        f"{count(of['test_papers'], 'test paper')} of {of['papers']:,}, "
        f"{count(of['resolvable_citations'], 'resolvable citation')}"
    )


def _grid(
    head: str, rows: Sequence[Row], line: str, column: str, cells: Iterable[Cell | str]
) -> Table:
    """Return the cells of rows in a table, by the values of two figures."""
    found = {(row[line], row[column]): cell for row, cell in zip(rows, cells, strict=True)}
    names, columns = (list(dict.fromkeys(of)) for of in zip(*found, strict=True))
    lines = [[name, *(found.get((name, one), "–") for one in columns)] for name in names]
    return Table("", [head, *columns], {"": lines})


# Table 1


def _compared(table: Table1) -> dict[str, bool]:
    """Return for each window whether the paper has figures for it."""
    return {
        window: any((name, window) in published.ACCURACY for name, _ in table.rows)
        for window in table.windows
    }


def _table_1(table: Table1, *, in_full: bool) -> Table:
    """Return Table 1; in full, with intervals, and with published figures in a second column."""
    best, compared = table.best, _compared(table) if in_full else {}

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
                theirs = published.ACCURACY.get((name, window))
                cell = "" if theirs is None else fraction(theirs)
                yield Cell(cell, kind=f"{tint} published")

    windows = [head(f"({window})", window == best["window"]) for window in table.windows]
    heads: Line = ["Representation", *windows]
    if in_full:
        heads = ["Representation"]
        for twice in compared.values():
            heads += ["here", *[Cell("2014", kind="published")] * twice]
    return Table(
        "Top-1 accuracy by representation and query window (words left, words right)",
        heads,
        {
            f"{group} ({GROUPS[group]})": [list(line(name)) for name in names]
            for group, names in table.groups.items()
        },
        over=[(one, 1 + twice) for one, twice in zip(windows, compared.values(), strict=False)],
    )


def _best_of_groups(table: Table1) -> Table:
    groups = {id(row): group for group, row in table.best_of_groups.items()}
    columns = [
        Column[Row]("Group", lambda row: groups[id(row)]),
        Column("Representation", "representation"),
        Column("Window", "window", "({})".format),
        *_MEASURES,
    ]
    caption = "The most accurate representation and window of each group"
    return Table.of(caption, columns, table.best_of_groups.values(), words=3)


def _heat_map(table: Table1) -> Figure:
    rows = [row for row in table.rows.values() if merit(row) > (-1.0, -1.0)]
    worst, best = min(rows, key=merit, default=table.best), table.best
    lines = len(table.groups) + sum(map(len, table.groups.values()))
    low, high = (
        f"{fraction(row['accuracy'])} ({row['representation']}, window {row['window']})"
        for row in (worst, best)
    )
    return figure(
        partial(draw_heat_map, table=table),
        (3.2 + 0.95 * len(table.windows), 1.0 + 0.27 * lines),
        f"Heat map of the accuracies in the table above, from {low} to {high}.",
    )


def _papers(papers: Sequence[PaperOutcome], row: int) -> list[Table]:
    """Return the papers for which a row is worst and best."""

    def accuracy(paper: PaperOutcome) -> float:
        return paper.correct[row] / paper.outcomes

    columns = [
        Column[PaperOutcome]("Paper", lambda paper: paper.id),
        Column("Title", lambda paper: one_line(paper.title)),
        Column("Candidates", lambda paper: paper.candidates, thousands),
        Column("Citations", lambda paper: paper.outcomes, thousands),
        Column("Right", lambda paper: paper.correct[row], thousands),
        Column("Accuracy", accuracy, fraction),
        Column("Chance", lambda paper: paper.chance / paper.outcomes, fraction),
    ]
    ordered = sorted(papers, key=lambda paper: (-paper.outcomes, paper.id))
    return worst_and_best(columns, ordered, accuracy)
