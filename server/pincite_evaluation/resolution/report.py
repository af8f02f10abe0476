"""The report of citation resolution, as an HTML page or a Markdown table.

Both have the layout of Table 1 of Duma and Klein (2014): a row for each internal, external or mixed
representation, and a column for each query window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal

from pincite.model.problems import InputError
from pincite.text.escaping import one_line

from ..report import rendering
from ..report.figures import Figure, figure, require_plots
from ..report.tables import Cell, Line, Table
from ..report.words import MIN_OUTCOMES, count, fraction, worst_and_best
from . import published
from .charts import draw_bins, draw_heat_map
from .report_rows import GROUPS, CandidatesBin, Table1, by_candidates, merit
from .results import PaperOutcome, ResolutionResult, Row

_LEARNED: Final = (
    "Top-1 accuracy of boosted trees by what is known of the candidates, from the text on both "
    "sides alone, or with what the paper cites before the place; with 95% intervals."
)


def markdown(result: ResolutionResult) -> str:
    """Return the result as a Markdown table below a line with its sizes.

    Raise `InputError` for a result without rows.
    """
    _require_rows(result)
    table = Table1.of(result.table_1) if result.table_1 else None
    return rendering.markdown(
        "resolution",
        result=result,
        sizes=_sizes(result),
        accuracies=table and _short_accuracies(table),
        best=table and table.best,
        best_of_groups=table and table.best_of_groups,
        interval=_interval,
        recalls=_recalls,
        learned=_short_learned(result.learned) if result.learned else None,
        learned_note=_LEARNED,
    )


def html(result: ResolutionResult, options: Mapping[str, str] | None = None) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    `options` names further settings of the run, listed with it. Raise `InputError` for a result
    without rows, or without matplotlib.
    """
    require_plots()
    _require_rows(result)
    table = Table1.of(result.table_1) if result.table_1 else None
    best = table.best if table else max(result.rows, key=merit)
    bins = by_candidates(result, best)
    papers = [paper for paper in result.per_paper if paper.outcomes >= MIN_OUTCOMES]
    key = {
        "best accuracy": fraction(best.accuracy),
        "95% interval": _interval(best),
        "chance": fraction(result.chance),
        "test papers": f"{result.test_papers:,}",
        "resolvable citations": f"{result.resolvable_citations:,}",
    }
    return rendering.html(
        "resolution",
        result=result,
        best=best,
        key=key,
        sizes=_sizes(result),
        options=options or {},
        published=published,
        is_compared=table is not None and any(_compared(table).values()),
        accuracies=table and _accuracies(table),
        best_of_groups=table and _best_of_groups(table),
        heat_map=table and _heat_map(table),
        learned=_learned(result.learned) if result.learned else None,
        learned_note=_LEARNED,
        candidates=_candidates(bins, best) if bins else None,
        candidates_figure=_candidates_figure(bins) if bins else None,
        enough=len(papers),
        min_outcomes=MIN_OUTCOMES,
        papers=list(_papers(papers, result.rows.index(best))),
    )


def _require_rows(result: ResolutionResult) -> None:
    if not result.rows:
        raise InputError("nothing to report: no row of the table has finished")


def _interval(row: Row) -> str:
    return "–".join(map(fraction, row.ci95))


def _recalls(row: Row) -> str:
    return ", ".join(f"recall@{k} {fraction(value)}" for k, value in sorted(row.recall.items()))


def _sizes(result: ResolutionResult) -> str:
    return (
        f"{count(result.test_papers, 'test paper')} of {result.papers:,}, "
        f"{count(result.resolvable_citations, 'resolvable citation')}"
    )


# Table 1


def _mark(table: Table1, row: Row) -> Literal["", "strong", "em"]:
    if row is table.best:
        return "strong"
    return "em" if row in table.best_of_groups.values() else ""


def _name(text: str, is_best: bool) -> Cell:
    return Cell(text, "strong" if is_best else "")


def _grouped(table: Table1, line: Mapping[str, Line]) -> dict[str, list[Line]]:
    return {
        f"{group} ({GROUPS[group]})": [line[name] for name in names]
        for group, names in table.groups.items()
    }


def _short_accuracies(table: Table1) -> Table:
    best = table.best

    def line(name: str) -> Iterator[Cell | str]:
        yield _name(name, name == best.representation)
        for window in table.windows:
            row = table.rows.get((name, window))
            yield Cell(fraction(row.accuracy), _mark(table, row)) if row else "–"

    lines = {name: list(line(name)) for name, _ in table.rows}
    heads: Line = ["Representation", *(_name(f"({w})", w == best.window) for w in table.windows)]
    return Table("Top-1 accuracy", heads, _grouped(table, lines))


def _compared(table: Table1) -> dict[str, bool]:
    """Return for each window whether the paper has figures for it."""
    shown = {name for names in table.groups.values() for name in names}
    return {
        window: any((name, window) in published.ACCURACY for name in shown)
        for window in table.windows
    }


def _accuracies(table: Table1) -> Table:
    """Return Table 1; windows with published figures have a second column."""
    compared, best = _compared(table), table.best

    def line(name: str) -> Iterator[Cell | str]:
        is_best = name == best.representation
        yield _name(name, is_best)
        for window, is_compared in compared.items():
            tint = "best" if is_best or window == best.window else "other"
            row = table.rows.get((name, window))
            yield Cell("–", kind=tint) if row is None else _accuracy(table, row, tint)
            if is_compared:
                theirs = published.ACCURACY.get((name, window))
                text = "" if theirs is None else fraction(theirs)
                yield Cell(text, kind=f"{tint} published")

    heads: list[Cell | str] = ["Representation"]
    for is_compared in compared.values():
        heads += ["here", *[Cell("2014", kind="published")][: int(is_compared)]]
    return Table(
        "Top-1 accuracy by representation and query window (words left, words right)",
        heads,
        _grouped(table, {name: list(line(name)) for name, _ in table.rows}),
        over=[(_name(f"({w})", w == best.window), 1 + twice) for w, twice in compared.items()],
    )


def _accuracy(table: Table1, row: Row, tint: str) -> Cell:
    said = f"{row.representation} ({row.window}): MRR {fraction(row.mrr)}, {_recalls(row)}"
    return Cell(fraction(row.accuracy), _mark(table, row), _interval(row), tint, said)


def _measures(row: Row, depths: Sequence[int]) -> list[str]:
    recalls = (row.recall.get(depth) for depth in depths)
    return [fraction(row.accuracy), _interval(row), *map(fraction, [row.mrr, *recalls])]


def _heads(depths: Sequence[int]) -> list[str]:
    return ["Accuracy", "95% interval", "MRR", *(f"Recall@{depth}" for depth in depths)]


def _best_of_groups(table: Table1) -> Table:
    depths = sorted(table.best.recall)
    return Table.of(
        "The most accurate representation and window of each group",
        ["Group", "Representation", "Window", *_heads(depths)],
        (
            [group, row.representation, f"({row.window})", *_measures(row, depths)]
            for group, row in table.best_of_groups.items()
        ),
        words=3,
    )


def _heat_map(table: Table1) -> Figure:
    rows = [row for row in table.rows.values() if merit(row) > (-1.0, -1.0)]
    worst, best = min(rows, key=merit, default=table.best), table.best
    lines = len(table.groups) + sum(map(len, table.groups.values()))
    return figure(
        partial(draw_heat_map, table=table),
        (3.2 + 0.95 * len(table.windows), 1.0 + 0.27 * lines),
        f"Heat map of the accuracies in the table above, from {fraction(worst.accuracy)} "
        f"({worst.representation}, window {worst.window}) to {fraction(best.accuracy)} "
        f"({best.representation}, window {best.window}).",
    )


# The learned ranker


def _short_learned(rows: Sequence[Row]) -> Table:
    """Return a table with levels of knowledge as columns and situations as lines."""
    known = list(dict.fromkeys(row.knows or "" for row in rows))
    found = {(row.situation or "", row.knows or ""): row for row in rows}
    lines = []
    for situation in dict.fromkeys(situation for situation, _ in found):
        own = (found.get((situation, knows)) for knows in known)
        cells = (
            "–" if row is None else Cell(fraction(row.accuracy), "", _interval(row)) for row in own
        )
        lines.append([situation, *cells])
    return Table.of("", ["The learned ranker", *known], lines)


def _learned(rows: Sequence[Row]) -> Table:
    depths = sorted(rows[0].recall)
    return Table.of(
        "The learned ranker by what is known",
        ["Situation", "Known of candidates", *_heads(depths)],
        ([row.situation or "", row.knows or "", *_measures(row, depths)] for row in rows),
        words=2,
    )


# Papers


def _candidates(bins: Sequence[CandidatesBin], best: Row) -> Table:
    return Table.of(
        f"By {best.said}",
        ["Candidates", "Test papers", "Resolvable citations", "Right", "Accuracy", "Chance"],
        (
            [
                group.label,
                *(f"{value:,}" for value in (group.papers, group.outcomes, group.right)),
                *map(fraction, (group.accuracy, group.chance)),
            ]
            for group in bins
        ),
    )


def _candidates_figure(bins: Sequence[CandidatesBin]) -> Figure:
    alternative = "Bars of the accuracies in the table below, each with a mark at chance."
    return figure(partial(draw_bins, bins=bins), (1.4 + 1.05 * len(bins), 3.3), alternative)


def _papers(papers: Sequence[PaperOutcome], row: int) -> Iterator[Table]:
    """Yield the papers for which a row is worst and best."""

    def accuracy(paper: PaperOutcome) -> float:
        return paper.correct[row] / paper.outcomes

    ordered = sorted(papers, key=lambda paper: (-paper.outcomes, paper.id))
    heads = ["Paper", "Title", "Candidates", "Citations", "Right", "Accuracy", "Chance"]
    for caption, listed in worst_and_best(ordered, accuracy).items():
        lines = (
            [
                paper.id,
                one_line(paper.title),
                *(f"{n:,}" for n in (paper.candidates, paper.outcomes, paper.correct[row])),
                *map(fraction, (accuracy(paper), paper.chance / paper.outcomes)),
            ]
            for paper in listed
        )
        yield Table.of(caption, heads, lines, words=2)
