"""The tables and figures of the report, section by section; None for one without figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from pincite.text.escaping import one_line

from ...report.figures import Figure, figure
from ...report.tables import Cell, Table
from ...report.words import (
    MIN_OUTCOMES,
    difference,
    is_known,
    number,
    percent,
    worst_and_best,
)
from ..findings import Finding
from ..published import LENGTHS, Published, Scheme, published
from ..results import CitedTextResult, Curve, PaperCounts
from .charts import draw_curves, draw_intervals, draw_lengths
from .columns import (
    SPLITS,
    Column,
    default_row,
    human_figures,
    in_groups,
    merit,
    sizes_of,
)

#: The rows drawn as levels in Figure 3 of Ricci et al. (2022): Symm and the BM25 ensemble.
_LEVELS: Final = ("symmetric", "bm25-2field")
_SCHEMES: Final[tuple[Scheme, ...]] = ("official", "citance", "union")


class Drawn(NamedTuple):
    """A figure and the table of its numbers."""

    figure: Figure
    table: Table


# Scores


def scores(result: CitedTextResult, columns: Sequence[Column]) -> Table:
    """Return all columns, below grouped heads."""
    subjects = [column.subject for column in columns]
    over = {subject: subjects.count(subject) for subject in dict.fromkeys(subjects)}
    starts = [subject not in subjects[:place] for place, subject in enumerate(subjects)]
    kinds = [
        " ".join(("start",) * starts_here + ("published",) * column.is_published)
        for column, starts_here in zip(columns, starts, strict=True)
    ]
    return Table(
        f"Scores in percent on {sizes_of(result)}",
        ["System", *(Cell(one.head, kind=k) for one, k in zip(columns, kinds, strict=True))],
        {
            group: [
                [
                    result.rows[row].name,
                    *(_cell(one, row, kind) for one, kind in zip(columns, kinds, strict=True)),
                ]
                for row in rows
            ]
            for group, rows in in_groups(result.rows).items()
        },
        over=[(Cell(subject, kind="start"), span) for subject, span in over.items()],
        kind="scores",
    )


def short_scores(result: CitedTextResult, columns: Iterable[Column]) -> Table:
    """Return the short table, for Markdown."""
    chosen = [column for column in columns if column.short]
    return Table.of(
        "Scores in percent",
        ["System", *(column.short for column in chosen)],
        (
            [result.rows[row].name, *(_cell(column, row) for column in chosen)]
            for rows in in_groups(result.rows).values()
            for row in rows
        ),
    )


def _cell(column: Column, row: int, kind: str = "") -> Cell:
    return Cell(
        column.write(column.values[row]),
        "strong" if column.is_best(row) else "",
        column.intervals[row] if column.intervals else "",
        kind,
    )


def intervals(result: CitedTextResult) -> Figure:
    """Return the chart of F1 by citances with intervals, which guard against hasty comparisons."""
    groups = in_groups(result.rows)
    ranked = sorted(result.rows, key=merit)
    alternative = (
        "Dots with whiskers: F1 by citances and its 95% interval for each system, as in the table "
        f"above, from {percent(ranked[0].citance.f1)} ({ranked[0].name}) to "
        f"{percent(ranked[-1].citance.f1)} ({ranked[-1].name})."
    )
    level = None
    if result.human is not None:
        level = result.human.agreement_citance.f1
        alternative += f" A dashed line at {percent(level)}: one annotator against another."
    size = (5.6, 1.1 + 0.23 * (len(result.rows) + len(groups)))
    draw = partial(draw_intervals, rows=result.rows, groups=groups, level=level)
    return figure(draw, size, alternative)


# Findings


def orderings(result: CitedTextResult, findings: Sequence[Finding]) -> Table | None:
    """Return the papers' orderings, with published differences if there are any."""
    if not findings:
        return None
    heads = ["Claim", "First", "Second", "Verdict here", "Difference", "95% interval"]
    lines = [
        [
            one.claim,
            one.first,
            one.second,
            one.verdict,
            difference(one.difference),
            " to ".join(map(difference, one.ci95)),
        ]
        for one in findings
    ]
    for head, theirs in {
        "Published, official": _published(result, result.split, "official"),
        "Published, union (test)": _published(result, "test", "union"),
    }.items():
        differences = [_published_difference(theirs, one) for one in findings]
        if any(map(is_known, differences)):
            heads.append(head)
            for line, value in zip(lines, differences, strict=True):
                line.append(difference(value))
    return Table.of("First against second, in percentage points of F1", heads, lines, words=4)


def _published(result: CitedTextResult, split: str, scheme: Scheme) -> dict[str, Published | None]:
    """Return the published figures for the rows of a result, by name."""
    return {row.name: published(row, split, scheme) for row in result.rows}


def _published_difference(theirs: Mapping[str, Published | None], one: Finding) -> float | None:
    first, second = theirs.get(one.first), theirs.get(one.second)
    # The same figure belongs to a system with its trained model and without.
    if first is None or second is None or first is second:
        return None
    return first.f1 - second.f1


# Curves


def by_power(result: CitedTextResult) -> Drawn | None:
    """Return the F1 by the power d."""
    levels = {row.name: row.citance.f1 for row in result.rows if row.name in _LEVELS}
    return _curves(result.f1_by_d, levels, "d", "F1 by citances")


def by_depth(result: CitedTextResult) -> Drawn | None:
    """Return the recall by the number of sentences."""
    return _curves(result.recall_by_k, {}, "K", "recall by citances")


def by_mix(result: CitedTextResult) -> Drawn | None:
    """Return NEAL's F1 by the share of its learned part."""
    return _curves(result.f1_by_mix, {}, "λ", "F1 by citances")


def _curves(
    curves: Iterable[Curve], levels: Mapping[str, float], of_x: str, of_y: str
) -> Drawn | None:
    """Return a line chart and its table; `levels` are drawn as horizontal lines."""
    curves = [curve for curve in curves if any(is_known(y) for _, y in curve.points)]
    if not curves:
        return None
    lines = {curve.system: dict(curve.points) for curve in curves}
    tops = (
        max((point for point in curve.points if is_known(point[1])), key=lambda point: point[1])
        for curve in curves
    )
    said = [
        f"{name} is highest, {percent(y)}, at {of_x} = {x:g}"
        for name, (x, y) in zip(lines, tops, strict=True)
    ]
    said += [f"{name} is a level of {percent(y)}" for name, y in levels.items()]
    alternative = f"Lines of {of_y} by {of_x}, as in the table: {'; '.join(said)}."
    draw = partial(draw_curves, curves=curves, levels=levels, of_x=of_x, of_y=of_y)
    table = Table.of(
        f"{of_y[0].upper()}{of_y[1:]} in percent, by {of_x}",
        [of_x, *lines, *levels],
        (
            [
                f"{x:g}",
                *(percent(points.get(x)) for points in lines.values()),
                *map(percent, levels.values()),
            ]
            for x in sorted({x for points in lines.values() for x in points})
        ),
    )
    return Drawn(figure(draw, (5.0, 3.6), alternative), table)


def lengths(result: CitedTextResult) -> Drawn | None:
    """Return the mean lengths, as in Table 4 of Ricci et al. (training set)."""
    found = [
        (row, one if result.split == "train" and row.k == one.k else None)
        for one in LENGTHS
        for row in result.rows
        if any(ours.is_of(row) for ours in one.ours)
    ]
    if not found:
        return None
    is_compared = any(one is not None for _, one in found)
    alternative = "Bars of the mean lengths in the table"
    alternative += ", each with a mark at the published one." if is_compared else "."
    draw = partial(draw_lengths, found=found)
    table = Table.of(
        "Mean length of a chosen sentence",
        ["System", "Words", *(["Published (tokens)"] if is_compared else [])],
        (
            [
                row.name,
                number(row.mean_length, 1),
                *([number(one.tokens if one else None, 1)] if is_compared else []),
            ]
            for row, one in found
        ),
    )
    return Drawn(figure(draw, (5.0, 1.1 + 0.3 * len(found)), alternative), table)


# Annotators, papers, published figures


def human(result: CitedTextResult) -> Table | None:
    """Return the human scores beside those of the default system and the best one."""
    if result.human is None:
        return None
    rows = (result.rows[default_row(result)], max(result.rows, key=merit))
    measures = {row.name: (row.official, row.citance) for row in rows}
    return Table.of(
        "In percent",
        [
            "Answers of",
            *(
                f"{scheme} {head}"
                for scheme in ("Official", "Citance")
                for head in ("P", "R", "F1")
            ),
        ],
        (
            [name, *map(percent, (*official, *citance))]
            for name, (official, citance) in (human_figures(result) | measures).items()
        ),
    )


def scored_papers(result: CitedTextResult) -> list[PaperCounts]:
    """Return the papers with enough citances for a meaningful score."""
    return [paper for paper in result.per_paper if paper.citances >= MIN_OUTCOMES and paper.wanted]


def papers(scored: Iterable[PaperCounts], row: int) -> Iterator[Table]:
    """Yield the papers for which a row is worst and best."""

    def f1(paper: PaperCounts) -> float:
        return 2 * paper.right[row] / (paper.returned[row] + paper.wanted)

    ordered = sorted(scored, key=lambda paper: (-paper.citances, paper.id))
    heads = ["Paper", "Title", "Citances", "Sentences", "Right", "Chosen", "Wanted", "F1"]
    for caption, listed in worst_and_best(ordered, f1).items():
        lines = (
            [
                paper.id,
                one_line(paper.title),
                f"{paper.citances:,}",
                f"{paper.sentences:,}",
                f"{paper.right[row]:,}",
                f"{paper.returned[row]:,}",
                f"{paper.wanted:,}",
                percent(f1(paper)),
            ]
            for paper in listed
        )
        yield Table.of(caption, heads, lines, words=2)


def published_scores(figures: Sequence[Published], split: str) -> Table:
    """Return the published figures, each in the columns of its scheme."""
    by_figure = [_scores(one) for one in figures]
    heads = [head for head in by_figure[0] if any(is_known(found[head]) for found in by_figure)]
    return Table.of(
        f"Published figures in percent ({SPLITS[split]})",
        ["System", "Source", "K", *heads],
        (
            [
                one.name,
                f"{one.source} ({one.part})" if one.part else one.source,
                f"{one.k or ''}",
                *(percent(found[head]) if is_known(found[head]) else "" for head in heads),
            ]
            for one, found in zip(figures, by_figure, strict=True)
        ),
        words=3,
    )


def _scores(one: Published) -> dict[str, float | None]:
    return {
        f"{scheme.capitalize()} {head}": value if scheme == one.scheme else None
        for scheme in _SCHEMES
        for head, value in (("P", one.precision), ("R", one.recall), ("F1", one.f1))
    } | {"ROUGE-S*": one.rouge_s}
