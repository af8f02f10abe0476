"""The report of discourse facets, as an HTML page or Markdown tables.

Scores are in percent, as in the papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ..cited_text.results import Curve
from ..report import rendering
from ..report.figures import BAR, Figure, figure
from ..report.tables import Table
from ..report.words import count, difference, percent
from .classifier import FACETS
from .published import OFFICIAL_TEST, VALIDATION, VALIDATION_MACRO, VALIDATION_MICRO
from .results import FacetsResult, Interval
from .table import CONSTANT, PERCEPTRONS, RANDOM_FOLDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNIHD: Final = "UniHD, Table 3 (random fifth)"
_SPLITS: Final = {"train": "training set, cross-validated by paper", "test": "test set"}
_SCHEMES: Final = (
    "On gold sentences the answer sees the sentences that the annotator chose, and every judged "
    "citance counts. The official script looks at a facet only where a right sentence was "
    "submitted for the pair of papers: a constant answer scores more with every further sentence, "
    "and the figure says little of facets."
)
_RANDOM: Final = (
    "Random folds put citances of one paper into training and test, as the split of Aumiller et "
    "al. (2020) does; the classifier then knows the papers by their words."
)


def markdown(result: FacetsResult) -> str:
    """Return the tables of the result in Markdown."""
    return rendering.markdown(
        "facets",
        result=result,
        sizes=_sizes(result),
        tables=(_gold(result), _by_facet(result, "F1"), _official(result)),
        schemes=_SCHEMES,
        random=_RANDOM,
    )


def html(result: FacetsResult) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    Raises `InputError` without matplotlib.
    """
    best = result.row(PERCEPTRONS)
    constant = result.row(CONSTANT)
    key = {
        "accuracy, perceptrons": percent(best.accuracy),
        "accuracy, always Method": percent(constant.accuracy),
        "F1, perceptrons": percent(best.micro.f1),
        "F1, always Method": percent(constant.micro.f1),
        "judged citances": f"{result.samples:,}",
    }
    return rendering.html(
        "facets",
        result=result,
        key=key,
        schemes=_SCHEMES,
        random=_RANDOM,
        random_folds=RANDOM_FOLDS,
        split=_SPLITS[result.split],
        gold=_gold(result),
        by_facet=_by_facet(result),
        differences=_differences(result),
        official=_official(result),
        by_k=_by_k(result),
        by_k_figure=_by_k_figure(result),
        confusion=_confusion(best.confusion),
        confusion_figure=_confusion_figure(best.confusion),
        confident=_confident(result),
    )


def _gold(result: FacetsResult) -> Table:
    heads = ["Answers", "Accuracy", "95%", "P", "R", "F1", "95%", "Macro P", "R", "F1"]
    lines = [
        [
            row.name,
            percent(row.accuracy),
            _interval(row.accuracy_ci95),
            *map(percent, row.micro),
            _interval(row.micro_ci95),
            *map(percent, row.macro),
        ]
        for row in result.rows
    ]
    if result.split == "train":
        micro, means = map(percent, VALIDATION_MICRO), map(percent, VALIDATION_MACRO)
        lines.append([_UNIHD, "", "", *micro, "", *means])
    return Table.of(f"Scores in percent, {_sizes(result)}", heads, lines)


def _by_facet(result: FacetsResult, head: str = "Answers") -> Table:
    lines = [[row.name, *(percent(one.f1) for one in row.facets)] for row in result.rows]
    if result.split == "train":
        lines.append([_UNIHD, *(percent(VALIDATION[facet][0].f1) for facet in FACETS)])
    lines.append(["citances", *(f"{n:,}" for n in result.rows[0].samples)])
    return Table.of("F1 of each facet, in percent", [head, *FACETS], lines)


def _official(result: FacetsResult) -> Table:
    heads = ["Answers", "Sentences by", "K", "P", "R", "F1", "95%", "Macro F1"]
    lines = [
        [
            row.name,
            result.system,
            f"{result.k}",
            *map(percent, found.micro),
            _interval(found.ci95),
            percent(found.macro.f1),
        ]
        for row in result.rows
        if (found := row.official) is not None
    ]
    if result.split == "test":
        lines += (
            [one.name, one.source, f"{one.k or ''}", "", "", percent(one.f1), "", ""]
            for one in OFFICIAL_TEST
        )
    return Table.of("Scores in percent", heads, lines)


def _differences(result: FacetsResult) -> Table:
    return Table.of(
        "Difference of F1, in percentage points",
        ["Measure", "First", "Second", "Difference", "95%", "Verdict"],
        (
            [
                one.measure,
                one.first,
                one.second,
                difference(one.difference),
                " to ".join(map(difference, one.ci95)),
                one.verdict,
            ]
            for one in result.differences
        ),
        words=3,
    )


def _by_k(result: FacetsResult) -> Table:
    return Table.of(
        "Official F1 in percent, by the number of sentences K",
        ["K", *(curve.system for curve in result.by_k)],
        (
            [f"{k:g}", *(percent(dict(curve.points)[k]) for curve in result.by_k)]
            for k, _ in result.by_k[0].points
        ),
    )


def _by_k_figure(result: FacetsResult) -> Figure:
    said = "; ".join(
        f"{curve.system} from {percent(curve.points[0][1])} to {percent(curve.points[-1][1])}"
        for curve in result.by_k
    )
    return figure(
        partial(_draw_by_k, curves=result.by_k),
        (5.0, 3.2),
        f"Lines of the official F1 by the number of sentences, as in the table: {said}.",
    )


def _confusion(matrix: Sequence[Sequence[int]]) -> Table:
    return Table.of(
        "Gold facets by answers of the perceptrons",
        ["Gold", *FACETS],
        ([facet, *map(str, line)] for facet, line in zip(FACETS, matrix, strict=True)),
    )


def _confusion_figure(matrix: Sequence[Sequence[int]]) -> Figure:
    places = range(len(FACETS))
    most, i, j = max((matrix[i][j], i, j) for i in places for j in places if i != j)
    return figure(
        partial(_draw_confusion, matrix=matrix),
        (4.6, 3.6),
        "A grid of the counts in the table, the share of its row as the colour of a cell. Most "
        f"often wrong: {FACETS[i]} taken for {FACETS[j]}, {most} times.",
    )


def _confident(result: FacetsResult) -> Table:
    return Table.of(
        "Confident answers, shares in percent",
        ["Facet", "Answers", "Right", "Citances with it"],
        (
            [
                one.facet,
                f"{one.answers:,.0f} of {one.of:,}",
                percent(one.precision),
                percent(one.citances / one.of),
            ]
            for one in result.confident
        ),
    )


def _sizes(result: FacetsResult) -> str:
    papers, samples = count(result.papers, "reference paper"), count(result.samples, "citance")
    return f"{papers}, {samples} ({_SPLITS[result.split]})"


def _interval(interval: Interval) -> str:
    return "–".join(map(percent, interval))


# Figures


def _draw_by_k(axes: Axes, curves: Sequence[Curve]) -> None:
    for curve, colour, marker in zip(curves, (BAR, "#c9711c"), "os", strict=False):
        ks, scores = zip(*curve.points, strict=True)
        percent = [100 * score for score in scores]
        axes.plot(ks, percent, color=colour, marker=marker, ms=5, label=curve.system)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("K, sentences per citance")
    axes.set_ylabel("official F1 of facets, in percent")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_confusion(axes: Axes, matrix: Sequence[Sequence[int]]) -> None:
    # One colour visible in both themes, stronger for a larger share of the row.
    from matplotlib.patches import Rectangle

    for row, line in enumerate(matrix):
        for column, number in enumerate(line):
            share = number / max(1, sum(line))
            square = Rectangle((column - 0.5, row - 0.5), 1, 1, color=BAR, alpha=0.75 * share, lw=0)
            axes.add_patch(square)
            axes.text(column, row, f"{number}", ha="center", va="center")
    places = range(len(FACETS))
    axes.set_xticks(places, FACETS)
    axes.set_yticks(places, FACETS)
    axes.set_xlim(-0.5, len(FACETS) - 0.5)
    axes.set_ylim(len(FACETS) - 0.5, -0.5)
    axes.set_xlabel("answer")
    axes.set_ylabel("gold")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
