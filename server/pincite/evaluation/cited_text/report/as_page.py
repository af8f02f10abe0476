"""The report as one page of HTML: the scores, and what the papers found beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from .... import __version__
from ...page import (
    MIN_OUTCOMES,
    count,
    element,
    facts,
    figure,
    listing,
    page,
    require_plots,
    scrolling,
    tiles,
    worst_and_best,
)
from ..findings import Finding
from ..published import LENGTHS, PUBLISHED, SCORED_BY_US, Published, Ruler, published
from ..results import CitedTextResult, Curve, Measure, PaperCounts
from .charts import draw_curves, draw_intervals, draw_lengths
from .columns import (
    RULERS,
    SPLITS,
    Column,
    as_difference,
    as_number,
    as_percent,
    columns_of,
    default_row,
    human_figures,
    in_groups,
    interval_of,
    is_known,
    merit,
    sizes_of,
)

if TYPE_CHECKING:
    from lxml import etree

#: The rows that are levels in Figure 3 of Ricci et al. (2022): Symm and the BM25 ensemble.
_LEVELS = ("symmetric", "bm25-2field")


def html(
    result: CitedTextResult,
    findings: Iterable[Finding] = (),
    options: Mapping[str, str] | None = None,
) -> str:
    """Return the result as one page of HTML that needs nothing else; equal results, equal pages.

    `findings` are the paper's orderings as they came out, `options` further settings of the run.
    Sections without figures are left out. Raise `InputError` for a result without rows, or
    without matplotlib.
    """
    require_plots()
    columns = columns_of(result)
    return page(
        f"Cited text identification on {result.corpus}",
        *_introduction(result),
        _key_figures(result),
        *_scores_section(result, columns),
        *_findings_section(result, tuple(findings)),
        *_powers_section(result),
        *_recall_section(result),
        *_mix_section(result),
        *_lengths_section(result),
        *_human_section(result),
        *_papers_section(result),
        *_published_section(result),
        *_how_it_was_run(result, options or {}),
        style=_STYLE,
    )


def _introduction(result: CitedTextResult) -> list[etree._Element]:
    best = max(result.rows, key=merit)
    who = "A program has" if result.split == "scisummnet" else "Annotators have"
    return [
        element("h1", "Cited text identification"),
        element(
            "p",
            "A sentence that cites a paper, the citance, says something of that paper, the "
            "reference paper. Which sentences of the reference paper does it speak of? "
            f"{who} chosen those sentences; a system reads the citance and the reference paper "
            "and chooses as well. Precision (P) is the share of its sentences that are right, "
            "recall (R) the share of the right ones that it found, and F1 is high only where both "
            "are.",
        ),
        element(
            "p",
            f"Of {count(len(result.rows), 'system')}, ",
            element("strong", best.name),
            f" agreed best: {as_percent(best.citance.f1)}% F1 over all citances, with a 95% "
            f"interval of {interval_of(best)}.",
        ),
    ]


def _key_figures(result: CitedTextResult) -> etree._Element:
    row = result.rows[default_row(result)]
    theirs = published(row, result.split, "official")
    figures = {
        f"F1 by citances, {row.name}": as_percent(row.citance.f1),
        "95% interval": interval_of(row),
        "official F1": as_percent(row.official.f1),
        **({} if theirs is None else {"published official F1": as_percent(theirs.f1)}),
        "reference papers": f"{result.papers:,}",
        "citances": f"{result.citances:,}",
    }
    return tiles(figures)


def _scores_section(result: CitedTextResult, columns: Sequence[Column]) -> list[etree._Element]:
    """Return the table and, for those columns that are easily compared too soon, the intervals."""
    groups = in_groups(result.rows)
    subjects = {
        subject: [column for column in columns if column.subject == subject]
        for subject in dict.fromkeys(column.subject for column in columns)
    }
    starts = {id(members[0]) for members in subjects.values()}

    def classes(column: Column) -> str:
        names = ("start" * (id(column) in starts), "published" * column.is_published)
        return " ".join(filter(None, names))

    head = element(
        "thead",
        element(
            "tr",
            element("th", "System", scope="col", rowspan="2"),
            *(
                element("th", subject, scope="colgroup", colspan=str(len(members)), class_="start")
                for subject, members in subjects.items()
            ),
        ),
        element(
            "tr", *(element("th", one.head, scope="col", class_=classes(one)) for one in columns)
        ),
    )
    bodies = []
    for group, rows in groups.items():
        name = element("th", group, scope="rowgroup", colspan=str(1 + len(columns)))
        lines = (
            element(
                "tr",
                element("th", result.rows[row].name, scope="row"),
                *(
                    element("td", *_cell_content(column, row), class_=classes(column))
                    for column in columns
                ),
            )
            for row in rows
        )
        bodies.append(element("tbody", element("tr", name, class_="group"), *lines))
    caption = f"Scores in percent on {sizes_of(result)}"
    spans = (element("colgroup", span=str(len(members))) for members in subjects.values())
    table = element(
        "table",
        element("caption", caption),
        element("colgroup"),
        *spans,
        head,
        *bodies,
        class_="scores",
    )
    note = (
        "Bold: the best of a column; small: 95% interval, by bootstrap over reference papers. "
        "Sentences: how many were chosen for a citance; words: how long they are on average."
    )
    if any(column.is_published for column in columns):
        note += (
            " Published: what the papers report for the same system and split (CitRet: always the "
            "test set), by that ruler."
        )
    return [
        element("h2", "Scores"),
        element("p", element("strong", "Three rulers. "), RULERS),
        element("p", note),
        scrolling(table, caption),
        _intervals_figure(result, groups),
    ]


def _cell_content(column: Column, row: int) -> list[etree._Element | str]:
    value = column.write(column.values[row])
    shown = element("strong", value) if column.is_best(row) else value
    interval = [element("small", column.intervals[row])] if column.intervals else []
    return [shown, *interval]


def _intervals_figure(
    result: CitedTextResult, groups: Mapping[str, Sequence[int]]
) -> etree._Element:
    ranked = sorted(result.rows, key=merit)
    human = result.human
    alternative = (
        "Dots with whiskers: F1 by citances and its 95% interval for each system, as in the table "
        f"above, from {as_percent(ranked[0].citance.f1)} ({ranked[0].name}) to "
        f"{as_percent(ranked[-1].citance.f1)} ({ranked[-1].name})."
    )
    level = None
    if human is not None:
        level = human.agreement_citance.f1
        alternative += f" A dashed line at {as_percent(level)}: one annotator against another."
    size = (5.6, 1.1 + 0.23 * (len(result.rows) + len(groups)))
    draw = partial(draw_intervals, rows=result.rows, groups=groups, level=level)
    return figure(draw, size, alternative)


def _findings_section(result: CitedTextResult, findings: Sequence[Finding]) -> list[etree._Element]:
    if not findings:
        return []
    published_columns = {
        "Published, official": _published_figures(result, result.split, "official"),
        "Published, union (test)": _published_figures(result, "test", "union"),
    }
    heads = ["Claim", "First", "Second", "Verdict here", "Difference", "95% interval"]
    records = [
        [
            one.claim,
            one.first,
            one.second,
            one.verdict,
            as_difference(one.difference),
            " to ".join(map(as_difference, one.ci95)),
        ]
        for one in findings
    ]
    for head, theirs in published_columns.items():
        differences = [_published_difference(theirs, one) for one in findings]
        if any(map(is_known, differences)):
            heads.append(head)
            for record, difference in zip(records, differences, strict=True):
                record.append(as_difference(difference))
    note = (
        "What was found by Ricci et al. (2022, Table 3), by CitRet's ablation (2022, Table 1) and "
        "by UniHD (2020, Table 2), checked here: the difference of the F1 by citances, first less "
        "second, in percentage points, with the interval of that difference over the same "
        "reference papers. Where the interval holds 0, the papers are too few to tell. Published "
        "are what the papers report: by the official script on this split, CitRet's by the union "
        "on the test set."
    )
    caption = "First against second, in percentage points of F1"
    return [
        element("h2", "Orderings of the papers"),
        element("p", note),
        listing(caption, heads, records, words=4),
    ]


def _published_figures(
    result: CitedTextResult, split: str, ruler: Ruler
) -> dict[str, Published | None]:
    """Return what is published for the rows of a result, by name."""
    return {row.name: published(row, split, ruler) for row in result.rows}


def _published_difference(theirs: Mapping[str, Published | None], one: Finding) -> float | None:
    first, second = theirs.get(one.first), theirs.get(one.second)
    # The same figure stands beside a system with its trained model and without.
    if first is None or second is None or first is second:
        return None
    return first.f1 - second.f1


def _powers_section(result: CitedTextResult) -> list[etree._Element]:
    levels = {row.name: row.citance.f1 for row in result.rows if row.name in _LEVELS}
    note = (
        "The matcher raises the similarity of two words to the power d. A small d lets related "
        "words count, a large one equal words only (Figure 3 of Ricci et al. 2022)."
    )
    return _curves_section(
        "F1 by the power d", note, result.f1_by_d, levels, ("d", "F1 by citances")
    )


def _recall_section(result: CitedTextResult) -> list[etree._Element]:
    note = (
        "How many of the right sentences are among the first K (Figure 4 of Ricci et al. 2022, "
        "there by the official script)."
    )
    return _curves_section(
        "Recall by the number of sentences",
        note,
        result.recall_by_k,
        {},
        ("K", "recall by citances"),
    )


def _mix_section(result: CitedTextResult) -> list[etree._Element]:
    note = (
        "NEAL mixes TF-IDF (λ = 0) with a learnt similarity of words (λ = 1). Each paper is scored "
        "by a model that was trained on other papers (Nomoto 2016, Figure 4, there by ROUGE)."
    )
    return _curves_section(
        "F1 by the share λ of the learnt part", note, result.f1_by_mix, {}, ("λ", "F1 by citances")
    )


def _curves_section(
    heading: str,
    note: str,
    curves: Iterable[Curve],
    levels: Mapping[str, float],
    axes: tuple[str, str],
) -> list[etree._Element]:
    """Return a line chart beside its table; `levels` are figures that do not change along x."""
    curves = [curve for curve in curves if any(is_known(y) for _, y in curve.points)]
    if not curves:
        return []
    of_x, of_y = axes
    lines = {curve.system: dict(curve.points) for curve in curves}
    places = sorted({x for points in lines.values() for x in points})
    records = [
        [
            f"{x:g}",
            *(as_percent(points.get(x)) for points in lines.values()),
            *map(as_percent, levels.values()),
        ]
        for x in places
    ]
    tops = (
        max((point for point in curve.points if is_known(point[1])), key=lambda point: point[1])
        for curve in curves
    )
    said = [
        f"{name} is highest, {as_percent(y)}, at {of_x} = {x:g}"
        for name, (x, y) in zip(lines, tops, strict=True)
    ]
    said += [f"{name} is a level of {as_percent(y)}" for name, y in levels.items()]
    alternative = f"Lines of {of_y} by {of_x}, as in the table: {'; '.join(said)}."
    draw = partial(draw_curves, curves=curves, levels=levels, of_x=of_x, of_y=of_y)
    caption = f"{of_y[0].upper()}{of_y[1:]} in percent, by {of_x}"
    return [
        element("h2", heading),
        element("p", note),
        element(
            "div",
            figure(draw, (5.0, 3.6), alternative),
            listing(caption, [of_x, *lines, *levels], records),
            class_="beside",
        ),
    ]


def _lengths_section(result: CitedTextResult) -> list[etree._Element]:
    """Return Table 4 of Ricci et al., who have it for the training set."""
    found = [
        (row, one if result.split == "train" and row.k == one.k else None)
        for one in LENGTHS
        for row in result.rows
        if any(ours.is_of(row) for ours in one.ours)
    ]
    if not found:
        return []
    is_compared = any(one is not None for _, one in found)
    heads = ["System", "Words", *(["Published (tokens)"] if is_compared else [])]
    records = [
        [
            row.name,
            as_number(row.mean_length, 1),
            *([as_number(one.tokens if one else None, 1)] if is_compared else []),
        ]
        for row, one in found
    ]
    alternative = "Bars of the mean lengths in the table"
    alternative += ", each with a mark at the published one." if is_compared else "."
    size = (5.0, 1.1 + 0.3 * len(found))
    return [
        element("h2", "Length of the chosen sentences"),
        element(
            "p",
            "A matcher that asks only how much of the citance is covered prefers long sentences, "
            "which cover more by chance; a higher power d tames that (Table 4 of Ricci et al. "
            "2022).",
        ),
        element(
            "div",
            figure(partial(draw_lengths, found=found), size, alternative),
            listing("Mean length of a chosen sentence", heads, records),
            class_="beside",
        ),
    ]


def _human_section(result: CitedTextResult) -> list[etree._Element]:
    human = result.human
    if human is None:
        return []
    rows = (result.rows[default_row(result)], max(result.rows, key=merit))
    measures = {row.name: (row.official, row.citance) for row in rows}
    records = [
        [name, *map(as_percent, (*_values(official), *_values(citance)))]
        for name, (official, citance) in (human_figures(result) | measures).items()
    ]
    heads = [f"{ruler} {head}" for ruler in ("Official", "Citance") for head in ("P", "R", "F1")]
    note = (
        f"Up to {count(human.annotators, 'annotator')} chose sentences for the same citance, and "
        "seldom the same ones. Each scored against the others shows what agreement to expect; no "
        "single answer can please all of them, and the oracle is the best that any could do."
    )
    return [
        element("h2", "Annotators and oracle"),
        element("p", note),
        listing("In percent", ["Answers of", *heads], records),
    ]


def _values(measure: Measure) -> tuple[float, float, float]:
    return measure.precision, measure.recall, measure.f1


def _papers_section(result: CitedTextResult) -> list[etree._Element]:
    number = default_row(result)

    def f1(paper: PaperCounts) -> float:
        return 2 * paper.right[number] / (paper.returned[number] + paper.wanted)

    papers = [
        paper for paper in result.per_paper if paper.citances >= MIN_OUTCOMES and paper.wanted
    ]
    papers.sort(key=lambda paper: (-paper.citances, paper.id))
    if not papers:
        return []
    heads = ["Paper", "Title", "Citances", "Sentences", "Right", "Chosen", "Wanted", "F1"]
    tables = (
        listing(
            caption,
            heads,
            [
                [
                    paper.id,
                    " ".join(paper.title.split()),
                    *(
                        f"{value:,}"
                        for value in (
                            paper.citances,
                            paper.sentences,
                            paper.right[number],
                            paper.returned[number],
                            paper.wanted,
                        )
                    ),
                    as_percent(f1(paper)),
                ]
                for paper in listed
            ],
            words=2,
        )
        for caption, listed in worst_and_best(papers, f1).items()
    )
    note = (
        f"By {result.rows[number].name}, F1 by citances in percent; of the "
        f"{count(len(papers), 'reference paper')} with at least {MIN_OUTCOMES} citances."
    )
    return [element("h2", "Worst and best reference papers"), element("p", note), *tables]


def _published_section(result: CitedTextResult) -> list[etree._Element]:
    figures = [one for one in PUBLISHED if one.split == result.split]
    if not figures:
        return []
    rulers: tuple[Ruler, ...] = ("official", "citance", "union")

    def scores(one: Published) -> dict[str, float | None]:
        """Return scores by head; a figure has them in the columns of its own ruler."""
        return {
            f"{ruler.capitalize()} {head}": value if ruler == one.ruler else None
            for ruler in rulers
            for head, value in (("P", one.precision), ("R", one.recall), ("F1", one.f1))
        } | {"ROUGE-S*": one.rouge_s}

    by_figure = [scores(one) for one in figures]
    heads = [head for head in by_figure[0] if any(is_known(found[head]) for found in by_figure)]
    records = [
        [
            one.name,
            f"{one.source} ({one.part})" if one.part else one.source,
            f"{one.k or ''}",
            *(as_percent(found[head]) if is_known(found[head]) else "" for head in heads),
        ]
        for one, found in zip(figures, by_figure, strict=True)
    ]
    note = (
        "What the papers report for this split, each figure in the columns of its own ruler; "
        "“scored by us”: the annotators, and runs that participants of the shared task handed in."
        if any(one.source == SCORED_BY_US for one in figures)
        else "What the papers report for this split, or for the part of it that is named."
    )
    caption = f"Published figures in percent ({SPLITS[result.split]})"
    return [
        element("h2", "Published figures"),
        element("p", note),
        listing(caption, ["System", "Source", "K", *heads], records, words=3),
    ]


def _how_it_was_run(result: CitedTextResult, options: Mapping[str, str]) -> list[etree._Element]:
    values = {
        "Corpus": f"{result.corpus}, {SPLITS.get(result.split, result.split)}",
        "Scored": sizes_of(result),
        "Word vectors": _word_vectors(result),
        **options,
        "Rulers": RULERS,
        "ROUGE-S*": "As the organisers' script runs ROUGE: skip bigrams at any distance, stemmed, "
        "without stop words; the mean over the citances that the official ruler keeps, then over "
        "files.",
        "K": "Sentences for a citance, as in the paper of each system unless set otherwise.",
        "95% interval": "Of the F1 by citances, by bootstrap over reference papers.",
        "Published figures": "Kathryn Ricci, Haw-Shiuan Chang, Puruji Goyal and Andrew McCallum "
        "(2022), Unsupervised Partial Sentence Matching for Cited Text Identification, SDP 2022; "
        "Dennis Aumiller, Satya Almasian, Philip Hausner and Michael Gertz (2020), "
        "UniHD@CL-SciSumm 2020: Citation Extraction as Search, SDP 2020; Amit Pandey, Avani Gupta "
        "and Vikram Pudi (2022), CitRet: A Hybrid Model for Cited Text Span Retrieval, COLING "
        "2022. Ricci et al. train their vectors on 86 million words and give all words seen fewer "
        "than 35 times one vector, as asymmetric-unk does; asymmetric stands beside the same "
        "figure.",
        "Made by": f"Pincite {__version__}",
    }
    return [element("h2", "How it was run"), facts(values)]


def _word_vectors(result: CitedTextResult) -> str:
    trained = [row.name for row in result.rows if "min_count" in row.params]
    if not trained:
        return "The packaged ones."
    return f"The packaged ones; those of {', '.join(trained)}: trained on the training papers."


_STYLE = """
main { max-width: 68rem; }
.scores tbody th[scope=row] { position: sticky; left: 0; background: var(--page); }
.scores { font-size: .8125rem; }
.scores :is(th, td) { padding-inline: .375rem; }
.scores .start { border-left: 1px solid var(--line); }
.words-4 :is(th, td):nth-child(-n+4) { text-align: left; }
.words-4 tbody th { white-space: normal; min-width: 12rem; }
.words-3 td, .words-4 td:nth-child(n+5) { white-space: nowrap; }
.beside { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
.beside > * { min-width: 0; max-width: 100%; }
@media (max-width: 40rem) {
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: .75rem; }
  .scores tbody th[scope=row] { white-space: normal; min-width: 7.5rem; }
}
@media print {
  main { max-width: none; padding: 0; }
  table, .scores { font-size: .5625rem; }
  th, td, .scores :is(th, td) { padding: .125rem .25rem; }
  small { font-size: .5rem; }
  .words-2 td:nth-child(2) { min-width: 0; }
  .words-4 tbody th { min-width: 0; }
  h2, h2 + p { break-after: avoid; }
  tr, figure, .beside { break-inside: avoid; }
  .beside { flex-wrap: nowrap; }
}
"""
