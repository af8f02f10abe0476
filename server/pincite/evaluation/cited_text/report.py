"""What an evaluation of cited text identification found, as a page for readers or as a table.

Scores are in percent, as in the papers, and each column is of one ruler: figures of different
rulers say nothing about each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

from ... import __version__
from ...model.problems import InputError
from ..page import (
    BAR,
    MIN_OUTCOMES,
    count,
    element,
    escape_markdown,
    facts,
    figure,
    listing,
    markdown_table,
    page,
    require_plots,
    scrolling,
    tiles,
    valid,
    worst_and_best,
)
from .findings import Finding
from .published import (
    LENGTHS,
    PUBLISHED,
    SCORED_BY_US,
    Published,
    PublishedLength,
    Ruler,
    published,
)
from .results import CitedTextResult, Curve, Measure, PaperCounts, Row

if TYPE_CHECKING:
    from typing import TypeGuard

    from lxml import etree
    from matplotlib.axes import Axes

#: The system whose papers are listed, where it is in the result.
_DEFAULT = "asymmetric"
#: The rows that are levels in Figure 3 of Ricci et al. (2022): Symm and the BM25 ensemble.
_LEVELS = ("symmetric", "bm25-2field")
_CITRET = "CitRet and its ablations"
_GROUPS = {
    "asymmetric": "Asymmetric matcher and its ablations",
    "symmetric": "Symmetric matcher",
    "bm25": "BM25 and TF-IDF",
    "tfidf": "BM25 and TF-IDF",
    "sbert": _CITRET,
    "citret": _CITRET,
}
_OTHERS = "Others"
# Each stands out from both themes' backgrounds, and from the others for those who see no colours.
_COLOURS = {
    "Asymmetric matcher and its ablations": BAR,
    "Symmetric matcher": "#c9711c",
    "BM25 and TF-IDF": "#3a9a63",
    _CITRET: "#b5485d",
    _OTHERS: "#a06cd5",
}
_LINES = tuple(zip((BAR, "#c9711c", "#3a9a63", "#a06cd5"), "osD^", strict=True))
_SPLITS = {
    "train": "training set",
    "scisummnet": "ScisummNet part of the training set",
    "test": "test set",
}

_RULERS = (
    "The official script keeps only the last citance of each citing paper and scores against each "
    "annotator in turn. By citances, every usable row of every annotator counts. The union takes "
    "whatever any annotator of a citance chose, as the published scores of CitRet do. The same "
    "answers score very differently by the three: compare figures of one ruler only, never across "
    "columns."
)


# What both forms show


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the table: what it is of, and a value for each row of the result.

    Where it `is_ranked`, its best value is marked; where it `is_published`, others found it.
    """

    subject: str
    head: str
    values: tuple[float | None, ...]
    write: Callable[[float | None], str]
    is_ranked: bool = False
    is_published: bool = False
    intervals: tuple[str, ...] = ()

    def is_best(self, row: int) -> bool:
        """Tell whether no value of the column is better than that of a row."""
        value = self.values[row]
        return self.is_ranked and _is_known(value) and value == max(filter(_is_known, self.values))


def _columns(result: CitedTextResult) -> list[_Column]:
    """Return all columns; those of published figures where there are such figures."""
    if not result.rows:
        raise InputError("nothing to report: no system was finished")

    def ours(
        subject: str,
        head: str,
        value: Callable[[Row], float],
        write: Callable[[float | None], str] = _percent,
    ) -> _Column:
        is_score = head in ("F1", "here")
        return _Column(subject, head, tuple(map(value, result.rows)), write, is_score)

    def theirs(
        subject: str,
        ruler: Ruler,
        value: Callable[[Published], float | None],
        split: str = result.split,
        head: str = "published",
    ) -> _Column:
        found = [published(row, split, ruler) for row in result.rows]
        values = tuple(None if one is None else value(one) for one in found)
        return _Column(subject, head, values, _percent, is_published=True)

    # CitRet's figures, the only ones by this ruler, are of the test set.
    on_test = "published" if result.split == "test" else "published (test set)"

    columns = [
        ours("Official script", "P", lambda row: row.official.precision),
        ours("Official script", "R", lambda row: row.official.recall),
        ours("Official script", "F1", lambda row: row.official.f1),
        theirs("Official script", "official", lambda one: one.f1),
        ours("Citances", "P", lambda row: row.citance.precision),
        ours("Citances", "R", lambda row: row.citance.recall),
        replace(
            ours("Citances", "F1", lambda row: row.citance.f1),
            intervals=tuple(map(_interval, result.rows)),
        ),
        ours("Union", "F1", lambda row: row.union.f1),
        theirs("Union", "union", lambda one: one.f1, "test", on_test),
        ours("ROUGE-S*", "here", lambda row: row.rouge_s),
        theirs("ROUGE-S*", "official", lambda one: one.rouge_s),
        ours("Chosen", "K", lambda row: row.k, partial(_number, decimals=0)),
        ours("Chosen", "sentences", lambda row: row.sentences_per_citance, _number),
        ours("Chosen", "words", lambda row: row.mean_length, partial(_number, decimals=1)),
        ours("Time", "seconds", lambda row: row.seconds, partial(_number, decimals=1)),
    ]
    return [one for one in columns if not one.is_published or any(map(_is_known, one.values))]


def _groups(rows: Sequence[Row]) -> dict[str, list[int]]:
    """Return the numbers of the rows of each group, groups and rows in the order of the table."""
    numbers: dict[str, list[int]] = {group: [] for group in _COLOURS}
    for number, row in enumerate(rows):
        numbers[_group(row)].append(number)
    return {group: members for group, members in numbers.items() if members}


def _group(row: Row) -> str:
    return _GROUPS.get(row.system.partition("-")[0], _OTHERS)


def _default(result: CitedTextResult) -> int:
    """Return the number of the default system's row, that of the best system where it is not."""
    numbers = range(len(result.rows))
    by_name = (number for number in numbers if result.rows[number].name == _DEFAULT)
    return next(by_name, max(numbers, key=lambda number: _merit(result.rows[number])))


def _merit(row: Row) -> float:
    return row.citance.f1 if _is_known(row.citance.f1) else -1.0


def _is_known(value: float | None) -> TypeGuard[float]:
    return value is not None and not math.isnan(value)


def _percent(value: float | None) -> str:
    return _number(100 * value if _is_known(value) else None, decimals=1)


def _number(value: float | None, decimals: int = 2) -> str:
    return f"{value:,.{decimals}f}" if _is_known(value) else "–"


def _signed(value: float | None) -> str:
    """Return a difference of fractions in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−") if _is_known(value) else "–"


def _interval(row: Row) -> str:
    return "–".join(map(_percent, row.ci95))


def _sizes(result: CitedTextResult) -> str:
    return (
        f"{count(result.papers, 'reference paper')}, {count(result.citances, 'citance')} "
        f"({_SPLITS.get(result.split, result.split)})"
    )


# Markdown

_MARKDOWN = {
    ("Official script", "P"): "Official P",
    ("Official script", "R"): "Official R",
    ("Official script", "F1"): "Official F1",
    ("Official script", "published"): "Published official F1",
    ("Citances", "F1"): "Citance F1 (95%)",
    ("Union", "F1"): "Union F1",
    ("Union", "published"): "Published union F1",
    ("Union", "published (test set)"): "Published union F1 (test set)",
    ("ROUGE-S*", "here"): r"ROUGE-S\*",
    ("Chosen", "sentences"): "Sentences",
    ("Chosen", "words"): "Words",
}


def markdown(result: CitedTextResult) -> str:
    """Return the result as a Markdown table with a line of its sizes, for a README.

    Raise `InputError` for a result without rows.
    """
    found = {(column.subject, column.head): column for column in _columns(result)}
    columns = {head: found[key] for key, head in _MARKDOWN.items() if key in found}
    lines = [
        ["System", *columns],
        [":--", *("--:" for _ in columns)],
        *(
            [escape_markdown(result.rows[row].name), *(_cell(one, row) for one in columns.values())]
            for rows in _groups(result.rows).values()
            for row in rows
        ),
    ]
    human = [
        f"- {name}: official F1 {_percent(official.f1)}, citance F1 {_percent(citance.f1)}"
        for name, (official, citance) in _human_figures(result).items()
    ]
    return "\n".join(
        [
            f"Cited text identification on {escape_markdown(result.corpus)}: {_sizes(result)}. "
            "Scores in percent.",
            "",
            *markdown_table(lines),
            "",
            *human,
            *[""][: len(human)],
            "Bold: the best of a column; in brackets: the 95% interval (bootstrap over reference "
            "papers). Sentences: chosen for a citance; words: of a chosen sentence. " + _RULERS,
            "",
        ]
    )


def _cell(column: _Column, row: int) -> str:
    value = column.write(column.values[row])
    value = f"**{value}**" if column.is_best(row) else value
    return f"{value} ({column.intervals[row]})" if column.intervals else value


# HTML


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
    columns = _columns(result)
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
        *_run(result, options or {}),
        style=_STYLE,
    )


def _introduction(result: CitedTextResult) -> list[etree._Element]:
    best = max(result.rows, key=_merit)
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
            f" agreed best: {_percent(best.citance.f1)}% F1 over all citances, with a 95% interval "
            f"of {_interval(best)}.",
        ),
    ]


def _key_figures(result: CitedTextResult) -> etree._Element:
    row = result.rows[_default(result)]
    theirs = published(row, result.split, "official")
    figures = {
        f"F1 by citances, {row.name}": _percent(row.citance.f1),
        "95% interval": _interval(row),
        "official F1": _percent(row.official.f1),
        **({} if theirs is None else {"published official F1": _percent(theirs.f1)}),
        "reference papers": f"{result.papers:,}",
        "citances": f"{result.citances:,}",
    }
    return tiles(figures)


def _scores_section(result: CitedTextResult, columns: Sequence[_Column]) -> list[etree._Element]:
    """Return the table and, for those columns that are easily compared too soon, the intervals."""
    groups = _groups(result.rows)
    subjects = {
        subject: [column for column in columns if column.subject == subject]
        for subject in dict.fromkeys(column.subject for column in columns)
    }
    starts = {id(members[0]) for members in subjects.values()}

    def classes(column: _Column) -> str:
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
    caption = f"Scores in percent on {_sizes(result)}"
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
        element("p", element("strong", "Three rulers. "), _RULERS),
        element("p", note),
        scrolling(table, caption),
        _intervals_figure(result, groups),
    ]


def _cell_content(column: _Column, row: int) -> list[etree._Element | str]:
    value = column.write(column.values[row])
    shown = element("strong", value) if column.is_best(row) else value
    interval = [element("small", column.intervals[row])] if column.intervals else []
    return [shown, *interval]


def _intervals_figure(
    result: CitedTextResult, groups: Mapping[str, Sequence[int]]
) -> etree._Element:
    ranked = sorted(result.rows, key=_merit)
    human = result.human
    alternative = (
        "Dots with whiskers: F1 by citances and its 95% interval for each system, as in the table "
        f"above, from {_percent(ranked[0].citance.f1)} ({ranked[0].name}) to "
        f"{_percent(ranked[-1].citance.f1)} ({ranked[-1].name})."
    )
    level = None
    if human is not None:
        level = human.agreement_citance.f1
        alternative += f" A dashed line at {_percent(level)}: one annotator against another."
    size = (5.6, 1.1 + 0.23 * (len(result.rows) + len(groups)))
    draw = partial(_draw_intervals, rows=result.rows, groups=groups, level=level)
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
            _signed(one.difference),
            " to ".join(map(_signed, one.ci95)),
        ]
        for one in findings
    ]
    for head, theirs in published_columns.items():
        differences = [_published_difference(theirs, one) for one in findings]
        if any(map(_is_known, differences)):
            heads.append(head)
            for record, difference in zip(records, differences, strict=True):
                record.append(_signed(difference))
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
    curves = [curve for curve in curves if any(_is_known(y) for _, y in curve.points)]
    if not curves:
        return []
    of_x, of_y = axes
    lines = {curve.system: dict(curve.points) for curve in curves}
    places = sorted({x for points in lines.values() for x in points})
    records = [
        [
            f"{x:g}",
            *(_percent(points.get(x)) for points in lines.values()),
            *map(_percent, levels.values()),
        ]
        for x in places
    ]
    tops = (
        max((point for point in curve.points if _is_known(point[1])), key=lambda point: point[1])
        for curve in curves
    )
    said = [
        f"{name} is highest, {_percent(y)}, at {of_x} = {x:g}"
        for name, (x, y) in zip(lines, tops, strict=True)
    ]
    said += [f"{name} is a level of {_percent(y)}" for name, y in levels.items()]
    alternative = f"Lines of {of_y} by {of_x}, as in the table: {'; '.join(said)}."
    draw = partial(_draw_curves, curves=curves, levels=levels, of_x=of_x, of_y=of_y)
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
            _number(row.mean_length, 1),
            *([_number(one.tokens if one else None, 1)] if is_compared else []),
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
            figure(partial(_draw_lengths, found=found), size, alternative),
            listing("Mean length of a chosen sentence", heads, records),
            class_="beside",
        ),
    ]


def _human_figures(result: CitedTextResult) -> dict[str, tuple[Measure, Measure]]:
    """Return what people reach by the official ruler and by citances."""
    human = result.human
    if human is None:
        return {}
    return {
        "One annotator against another": (human.agreement_official, human.agreement_citance),
        "The best of all answers (oracle)": (human.oracle_official, human.oracle_citance),
    }


def _human_section(result: CitedTextResult) -> list[etree._Element]:
    human = result.human
    if human is None:
        return []
    rows = (result.rows[_default(result)], max(result.rows, key=_merit))
    measures = {row.name: (row.official, row.citance) for row in rows}
    records = [
        [name, *map(_percent, (*_values(official), *_values(citance)))]
        for name, (official, citance) in (_human_figures(result) | measures).items()
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
    number = _default(result)

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
                    _percent(f1(paper)),
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
    heads = [head for head in by_figure[0] if any(_is_known(found[head]) for found in by_figure)]
    records = [
        [
            one.name,
            f"{one.source} ({one.part})" if one.part else one.source,
            f"{one.k or ''}",
            *(_percent(found[head]) if _is_known(found[head]) else "" for head in heads),
        ]
        for one, found in zip(figures, by_figure, strict=True)
    ]
    note = (
        "What the papers report for this split, each figure in the columns of its own ruler; "
        "“scored by us”: the annotators, and runs that participants of the shared task handed in."
        if any(one.source == SCORED_BY_US for one in figures)
        else "What the papers report for this split, or for the part of it that is named."
    )
    caption = f"Published figures in percent ({_SPLITS[result.split]})"
    return [
        element("h2", "Published figures"),
        element("p", note),
        listing(caption, ["System", "Source", "K", *heads], records, words=3),
    ]


def _run(result: CitedTextResult, options: Mapping[str, str]) -> list[etree._Element]:
    values = {
        "Corpus": f"{result.corpus}, {_SPLITS.get(result.split, result.split)}",
        "Scored": _sizes(result),
        **options,
        "Rulers": _RULERS,
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


# Figures


def _label(text: str) -> str:
    """Return a name for a drawing, without the markup of mathematics."""
    return " ".join(valid(text).split()).replace("$", r"\$")


def _draw_intervals(
    axes: Axes,
    rows: Sequence[Row],
    groups: Mapping[str, Sequence[int]],
    level: float | None,
) -> None:
    """Draw a dot with whiskers for each row, in the order of the table, a gap between groups."""
    y, labels = 0.0, {}
    for group, numbers in groups.items():
        places = []
        for number in numbers:
            labels[y] = _label(rows[number].name)
            places.append(y)
            y += 1
        y += 1
        members, colour = [rows[number] for number in numbers], _COLOURS[group]
        lows, highs = ([100 * row.ci95[end] for row in members] for end in (0, 1))
        axes.hlines(places, lows, highs, colors=colour, linewidth=1.5)
        scores = [100 * row.citance.f1 for row in members]
        axes.plot(scores, places, "o", color=colour, markersize=5)
    if level is not None:
        label = "one annotator against another"
        axes.axvline(100 * level, color=_ink(axes), linestyle="--", linewidth=1, label=label)
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.set_yticks(list(labels), list(labels.values()))
    axes.set_ylim(y - 1.4, -0.6)
    axes.set_xlabel("F1 by citances, in percent, with 95% interval")
    axes.grid(axis="x", color=_ink(axes), alpha=0.15)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_curves(
    axes: Axes, curves: Sequence[Curve], levels: Mapping[str, float], of_x: str, of_y: str
) -> None:
    for curve, (colour, marker) in zip(curves, cycle(_LINES), strict=False):
        xs, ys = zip(*curve.points, strict=True)
        scores = [100 * y for y in ys]
        axes.plot(xs, scores, color=colour, marker=marker, ms=5, label=_label(curve.system))
    for (name, y), dashes in zip(levels.items(), cycle(("--", ":", "-.")), strict=False):
        axes.axhline(100 * y, color=_ink(axes), linestyle=dashes, linewidth=1.2, label=_label(name))
    axes.set_xticks(sorted({x for curve in curves for x, _ in curve.points}))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(of_x)
    axes.set_ylabel(f"{of_y}, in percent")
    axes.grid(axis="y", color=_ink(axes), alpha=0.15)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_lengths(axes: Axes, found: Sequence[tuple[Row, PublishedLength | None]]) -> None:
    places = range(len(found))
    axes.barh(places, [row.mean_length for row, _ in found], 0.65, color=BAR, label="here")
    marks = {place: one.tokens for place, (_, one) in enumerate(found) if one is not None}
    if marks:
        tokens = list(marks.values())
        axes.plot(tokens, list(marks), "|", color=_ink(axes), ms=15, mew=2, label="published")
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    for place, (row, _) in enumerate(found):
        axes.annotate(
            _number(row.mean_length, 1),
            (max(row.mean_length, marks.get(place, 0.0)), place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
        )
    axes.set_yticks(places, [_label(row.name) for row, _ in found])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlabel("words of a chosen sentence, on average")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def _ink(axes: Axes) -> str:
    """Return the colour that the theme writes in."""
    return str(axes.xaxis.label.get_color())


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
