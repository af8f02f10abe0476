"""What an evaluation of discourse facets found, as a page for readers or as Markdown tables.

Scores are in percent, as in the papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ... import __version__
from ...matching.facets import FACETS
from ..cited_text.results import Curve
from ..page import (
    BAR,
    count,
    element,
    escape_markdown,
    facts,
    figure,
    listing,
    markdown_table,
    page,
    require_plots,
    tiles,
)
from .published import (
    OFFICIAL_TEST,
    VALIDATION,
    VALIDATION_MACRO,
    VALIDATION_MICRO,
)
from .results import FacetsResult, Interval
from .table import CONSTANT, PERCEPTRONS, RANDOM_FOLDS

if TYPE_CHECKING:
    from lxml import etree
    from matplotlib.axes import Axes

_UNIHD: Final = "UniHD, Table 3 (random fifth)"
_SPLITS: Final = {"train": "training set, cross-validated by paper", "test": "test set"}
_HEADS: Final = ("Answers", "Accuracy", "95%", "P", "R", "F1", "95%", "Macro P", "R", "F1")
_OFFICIAL_HEADS: Final = ("Answers", "Sentences by", "K", "P", "R", "F1", "95%", "Macro F1")
_RULERS: Final = (
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
    """Return the tables of the result in Markdown, for a README."""
    tables = (
        (_HEADS, _gold(result)),
        (("F1", *FACETS), _f1_by_facet(result)),
        (_OFFICIAL_HEADS, _official(result)),
    )
    lines = [f"Discourse facets on {escape_markdown(result.corpus)}: {_sizes(result)}.", ""]
    for heads, records in tables:
        rule = [":--", *("--:" for _ in heads[1:])]
        cells = [[escape_markdown(cell) for cell in record] for record in records]
        lines += [*markdown_table([heads, rule, *cells]), ""]
    return "\n".join([*lines, f"Scores in percent. {_RULERS} {_RANDOM}", ""])


def html(result: FacetsResult) -> str:
    """Return the result as one page of HTML that needs nothing else; equal results, equal pages.

    Raises `InputError` without matplotlib.
    """
    require_plots()
    best = result.row(PERCEPTRONS)
    constant = result.row(CONSTANT)
    key = {
        "accuracy, perceptrons": _percent(best.accuracy),
        "accuracy, always Method": _percent(constant.accuracy),
        "F1, perceptrons": _percent(best.micro.f1),
        "F1, always Method": _percent(constant.micro.f1),
        "judged citances": f"{result.samples:,}",
    }
    return page(
        f"Discourse facets on {result.corpus}",
        element("h1", "Discourse facets"),
        element(
            "p",
            "What does a citance take up of the paper that it cites: its aim, a hypothesis, an "
            "implication, its method, or its results? Annotators have told for each citance, "
            "sometimes more than one; most are of the method.",
        ),
        tiles(key),
        *_tables(result),
        *_confusion_section(result),
        *_confident_section(result),
        element("h2", "How it was run"),
        facts(_run(result)),
    )


def _tables(result: FacetsResult) -> Iterator[etree._Element]:
    yield element("h2", "On gold sentences")
    yield element("p", f"{_RULERS} {_RANDOM}")
    caption = f"Scores in percent, {_sizes(result)}"
    yield listing(caption, _HEADS, _gold(result))
    yield listing("F1 of each facet, in percent", ["Answers", *FACETS], _f1_by_facet(result))
    yield element("h2", "Perceptrons or a constant answer")
    yield listing(
        "Difference of F1, in percentage points",
        ["Measure", "First", "Second", "Difference", "95%", "Verdict"],
        [
            [
                one.measure,
                one.first,
                one.second,
                f"{100 * one.difference:+.1f}".replace("-", "−"),
                " to ".join(f"{100 * end:+.1f}".replace("-", "−") for end in one.ci95),
                one.verdict,
            ]
            for one in result.differences
        ],
        words=3,
    )
    yield element("h2", "By the official script")
    note = (
        f"The sentences are those of {result.system}; their own official F1 (Task 1A) is "
        f"{_percent(result.sentences.f1)}."
    )
    yield element("p", note)
    yield listing("Scores in percent", _OFFICIAL_HEADS, _official(result))
    said = "; ".join(
        f"{curve.system} from {_percent(curve.points[0][1])} to {_percent(curve.points[-1][1])}"
        for curve in result.by_k
    )
    yield figure(
        partial(_draw_by_k, curves=result.by_k),
        (5.0, 3.2),
        f"Lines of the official F1 by the number of sentences, as in the table: {said}.",
    )
    yield listing(
        "Official F1 in percent, by the number of sentences K",
        ["K", *(curve.system for curve in result.by_k)],
        [
            [f"{k:g}", *(_percent(dict(curve.points)[k]) for curve in result.by_k)]
            for k, _ in result.by_k[0].points
        ],
    )


def _gold(result: FacetsResult) -> list[list[str]]:
    records = [
        [
            row.name,
            _percent(row.accuracy),
            _interval(row.accuracy_ci95),
            *map(_percent, (row.micro.precision, row.micro.recall, row.micro.f1)),
            _interval(row.micro_ci95),
            *map(_percent, (row.macro.precision, row.macro.recall, row.macro.f1)),
        ]
        for row in result.rows
    ]
    if result.split == "train":
        micro, all_facets = VALIDATION_MICRO, VALIDATION_MACRO
        figures = (micro.precision, micro.recall, micro.f1)
        means = (all_facets.precision, all_facets.recall, all_facets.f1)
        records.append([_UNIHD, "", "", *map(_percent, figures), "", *map(_percent, means)])
    return records


def _f1_by_facet(result: FacetsResult) -> list[list[str]]:
    records = [[row.name, *(_percent(one.f1) for one in row.facets)] for row in result.rows]
    if result.split == "train":
        records.append([_UNIHD, *(_percent(VALIDATION[facet][0].f1) for facet in FACETS)])
    return [*records, ["citances", *(f"{n:,}" for n in result.rows[0].samples)]]


def _official(result: FacetsResult) -> list[list[str]]:
    records = [
        [
            row.name,
            result.system,
            f"{result.k}",
            *map(_percent, (found.micro.precision, found.micro.recall, found.micro.f1)),
            _interval(found.ci95),
            _percent(found.macro.f1),
        ]
        for row in result.rows
        if (found := row.official) is not None
    ]
    if result.split == "test":
        records += (
            [one.name, one.source, f"{one.k or ''}", "", "", _percent(one.f1), "", ""]
            for one in OFFICIAL_TEST
        )
    return records


def _confusion_section(result: FacetsResult) -> Iterator[etree._Element]:
    matrix = result.row(PERCEPTRONS).confusion
    yield element("h2", "Which facet is taken for which")
    yield element(
        "p",
        "How many citances with a gold facet (row) have an answer (column): the facet that the "
        "perceptrons are most for. A citance with several gold facets is in each of their rows.",
    )
    places = range(len(FACETS))
    wrong = [(matrix[i][j], i, j) for i in places for j in places if i != j]
    most, i, j = max(wrong)
    alternative = (
        "A grid of the counts in the table, the share of its row as the colour of a cell. Most "
        f"often wrong: {FACETS[i]} taken for {FACETS[j]}, {most} times."
    )
    yield figure(partial(_draw_confusion, matrix=matrix), (4.6, 3.6), alternative)
    yield listing(
        "Gold facets by answers of the perceptrons",
        ["Gold", *FACETS],
        [[facet, *map(str, line)] for facet, line in zip(FACETS, matrix, strict=True)],
    )


def _confident_section(result: FacetsResult) -> Iterator[etree._Element]:
    yield element("h2", "Confident answers")
    yield element(
        "p",
        "Pincite names the facet of a citation only where it is confident: where four out of five "
        "such answers are right in cross-validation, with the sentences that it chose itself. The "
        "limits are found on other papers than those they are applied to here. An answer is worth "
        "having where it is right more often than the share of citances that have the facet.",
    )
    records = []
    for one in result.confident:
        precision = "–" if one.precision is None else _percent(one.precision)
        share = _percent(one.citances / one.of)
        records.append([one.facet, f"{one.answers:,.0f} of {one.of:,}", precision, share])
    heads = ["Facet", "Answers", "Right", "Citances with it"]
    yield listing("Confident answers, shares in percent", heads, records)


def _run(result: FacetsResult) -> dict[str, str]:
    return {
        "Corpus": f"{result.corpus}, {_SPLITS[result.split]}",
        "Classifier": "One-vs-rest perceptrons (scikit-learn's defaults) on TF-IDF of uni- and "
        "bigrams of lemmas, stop words and citation markers removed, trained on gold sentences "
        f"(seed {result.seed}).",
        RANDOM_FOLDS: _RANDOM,
        "95%": "Bootstrap over reference papers.",
        "Majority": "The facets most often given together in the papers trained on.",
        "Accuracy": "The share of citances whose facets are exactly those of the annotator.",
        "Published figures": "Dennis Aumiller, Satya Almasian, Philip Hausner and Michael Gertz "
        "(2020), UniHD@CL-SciSumm 2020: Citation Extraction as Search, SDP 2020.",
        "Made by": f"Pincite {__version__}",
    }


def _sizes(result: FacetsResult) -> str:
    papers, samples = count(result.papers, "reference paper"), count(result.samples, "citance")
    return f"{papers}, {samples} ({_SPLITS[result.split]})"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _interval(interval: Interval) -> str:
    return "–".join(map(_percent, interval))


# Figures


def _draw_by_k(axes: Axes, curves: Sequence[Curve]) -> None:
    for curve, colour, marker in zip(curves, (BAR, "#c9711c"), "os", strict=False):
        ks, scores = zip(*curve.points, strict=True)
        percent = [100 * score for score in scores]
        axes.plot(ks, percent, color=colour, marker=marker, ms=5, label=curve.system)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("K, sentences a citance")
    axes.set_ylabel("official F1 of facets, in percent")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_confusion(axes: Axes, matrix: Sequence[Sequence[int]]) -> None:
    # One colour that is seen on both themes, more of it for a larger share of the row.
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
