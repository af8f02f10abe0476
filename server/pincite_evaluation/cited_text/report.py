"""The report of cited text identification: text, an HTML page, or a Markdown table.

Scores are in percent, as in the papers, and each column has one scheme: figures of different
scoring schemes cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pincite.model.problems import InputError
from pincite.text.escaping import escape_markdown, one_line

from ..published import LENGTHS, PUBLISHED, SCORED_BY_US, Published, Scheme, published
from ..report import page
from ..report.figures import Figure, draw_curves, figure
from ..report.tables import (
    MIN_OUTCOMES,
    Cell,
    Column,
    Line,
    Table,
    between,
    count,
    difference,
    is_known,
    number,
    percent,
    thousands,
    worst_and_best,
)
from ..report.tables import (
    cell as as_cell,
)
from ..results import Curve, Finding, Row
from .charts import draw_intervals, draw_lengths
from .findings import CitedTextResult, PaperCounts

if TYPE_CHECKING:
    from rich.console import RenderableType

#: The system whose papers are listed, if it is in the result.
_DEFAULT = "asymmetric"
_CITRET = "CitRet and its ablations"
_GROUP_OF = {
    "asymmetric": "Asymmetric matcher and its ablations",
    "symmetric": "Symmetric matcher",
    "bm25": "BM25 and TF-IDF",
    "tfidf": "BM25 and TF-IDF",
    "sbert": _CITRET,
    "citret": _CITRET,
}
_OTHERS = "Others"
#: The names of the groups of rows, in the order of the table.
_GROUPS = (*dict.fromkeys(_GROUP_OF.values()), _OTHERS)
_SPLITS = {
    "train": "training set",
    "scisummnet": "ScisummNet part of the training set",
    "test": "test set",
}
#: The rows drawn as levels in Figure 3 of Ricci et al. (2022): Symm and the BM25 ensemble.
_LEVELS: Final = ("symmetric", "bm25-2field")
_SCORES: Final = {"P": "precision", "R": "recall", "F1": "f1"}


class Drawn(NamedTuple):
    """A figure and the table of its numbers."""

    figure: Figure
    table: Table


def text(result: CitedTextResult) -> Iterator[RenderableType]:
    """Yield a line for each system, in percent, and whether the papers' orderings hold."""
    columns = [
        Column[Row]("percent", lambda row: row.name),
        Column("K", "k"),
        Column("P official", "official.precision", percent),
        Column("R", "official.recall", percent),
        Column("F1", "official.f1", percent),
        Column("F1 citance", "citance.f1", percent),
        Column("95 %", "citance.ci95", partial(between, dash="-")),
        Column("F1 union", "union.f1", percent),
        Column("ROUGE-S*", "rouge_s", percent),
        Column("repaired", "rouge_s_repaired", percent),
        Column("sentences", "sentences_per_citance", number(2)),
        Column("words", "mean_length", number(1)),
        Column("seconds", "seconds", number(1)),
    ]
    yield Table.of("", columns, result.rows).text()
    of = result.facts
    yield f"{of['citances']:,} citances of {of['papers']:,} reference papers ({of['split']})"
    if human := _human_scores(result):
        agreed, oracle = (
            f"official {percent(one['official']['f1'])}, citance {percent(one['citance']['f1'])}"
            for one in human
        )
        yield f"human against human: {agreed}; best possible: {oracle}"
    for finding in result.findings or ():
        low, high = finding.ci95
        yield (
            f"{finding.claim}: {finding.verdict} ({finding.first} against {finding.second}: "
            f"{100 * finding.difference:+.1f}, {100 * low:+.1f} to {100 * high:+.1f})"
        )


def markdown(result: CitedTextResult) -> str:
    """Return the result as a Markdown table below a line with its sizes.

    Raise `InputError` for a result without rows.
    """
    return page.render(
        "cited_text.md",
        corpus=escape_markdown(result.facts["corpus"]),
        sizes=_sizes(result),
        scores=_scores(result, in_full=False).markdown(),
        human=_human_scores(result),
    )


def html(result: CitedTextResult) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    Sections without figures are left out. Raise `InputError` for a result without rows, or
    without matplotlib.
    """
    scores = _scores(result, in_full=True)
    of, default = result.facts, _default(result)
    papers = [one for one in result.per_paper if one.citances >= MIN_OUTCOMES and one.wanted]
    of_split = [one for one in PUBLISHED if one.split == of["split"]]
    levels = {row.name: row["citance"]["f1"] for row in result.rows if row.name in _LEVELS}
    return page.html(
        "cited_text",
        result=result,
        of=of,
        worst=min(result.rows, key=_merit),
        best=_best(result),
        default=default,
        theirs=published(default, of["split"], "official"),
        sizes=_sizes(result),
        split=_SPLITS[of["split"]],
        scores=scores,
        is_published=any("published" in cell.kind for cell in map(as_cell, scores.heads)),
        intervals=_intervals(result),
        orderings=_orderings(result, result.findings) if result.findings else None,
        by_power=_curves(result.curves.get("f1_by_d", ()), levels, "d", "F1 by citances"),
        by_depth=_curves(result.curves.get("recall_by_k", ()), {}, "K", "recall by citances"),
        by_mix=_curves(result.curves.get("f1_by_mix", ()), {}, "λ", "F1 by citances"),
        lengths=_lengths(result),
        human=_human(result),
        papers=_papers(papers, result.rows.index(default)),
        enough=len(papers),
        min_outcomes=MIN_OUTCOMES,
        published=_published_scores(of_split, of["split"]) if of_split else None,
        is_rescored=any(one.source == SCORED_BY_US for one in of_split),
    )


def _merit(row: Row) -> float:
    """Return the sort key of rows: the F1 by citances; unknown ones come last."""
    f1: float = row["citance"]["f1"]
    return f1 if is_known(f1) else -1.0


def _best(result: CitedTextResult) -> Row:
    return max(result.rows, key=_merit)


def _default(result: CitedTextResult) -> Row:
    """Return the default system's row, else that of the best system."""
    return next((row for row in result.rows if row.name == _DEFAULT), _best(result))


def _sizes(result: CitedTextResult) -> str:
    of = result.facts
    papers, citances = count(of["papers"], "reference paper"), count(of["citances"], "citance")
    return f"{papers}, {citances} ({_SPLITS[of['split']]})"


def _in_groups(rows: Sequence[Row]) -> dict[str, list[int]]:
    """Return the indices of the rows of each group, groups and rows in the order of the table."""
    places: dict[str, list[int]] = {group: [] for group in _GROUPS}
    for place, row in enumerate(rows):
        places[_GROUP_OF.get(row["system"].partition("-")[0], _OTHERS)].append(place)
    return {group: members for group, members in places.items() if members}


# Scores


class _Score(NamedTuple):
    """A column of the table of scores: ours by the name of a figure, or published ones.

    `short` is its head in the short table, "" if it is not there.
    """

    subject: str
    head: str
    value: str | Callable[[Row], float | None]
    short: str = ""
    write: Callable[[float | None], str] = percent


def _columns(split: str) -> list[_Score]:
    def theirs(scheme: Scheme, figure: str, split: str = split) -> Callable[[Row], float | None]:
        return lambda row: getattr(published(row, split, scheme), figure, None)

    official, union, rouge = "Official script", "Union", "ROUGE-S*"
    # CitRet's figures, the only ones by the union, are of the test set.
    on_test = "" if split == "test" else " (test set)"
    union_on_test = theirs("union", "f1", "test")
    return [
        _Score(official, "P", "official.precision", "Official P"),
        _Score(official, "R", "official.recall", "Official R"),
        _Score(official, "F1", "official.f1", "Official F1"),
        _Score(official, "published", theirs("official", "f1"), "Published official F1"),
        _Score("Citances", "P", "citance.precision"),
        _Score("Citances", "R", "citance.recall"),
        _Score("Citances", "F1", "citance.f1", "Citance F1 (95%)"),
        _Score(union, "F1", "union.f1", "Union F1"),
        _Score(union, f"published{on_test}", union_on_test, f"Published union F1{on_test}"),
        _Score(rouge, "here", "rouge_s", rouge),
        _Score(rouge, "repaired", "rouge_s_repaired"),
        _Score(rouge, "published", theirs("official", "rouge_s")),
        _Score("Chosen", "K", "k", write=thousands),
        _Score("Chosen", "sentences", "sentences_per_citance", "Sentences", number(2)),
        _Score("Chosen", "words", "mean_length", "Words", number(1)),
        _Score("Time", "seconds", "seconds", write=number(1)),
    ]


def _scores(result: CitedTextResult, *, in_full: bool) -> Table:
    """Return all columns below grouped heads, or the short table for Markdown."""
    rows = result.rows
    if not rows:
        raise InputError("nothing to report: no system has finished")
    heads: list[Cell] = []
    columns: list[list[Cell]] = []
    spans: dict[str, int] = {}
    for one in _columns(result.facts["split"]):
        values = [Column[Row](one.head, one.value).found(row) for row in rows]
        is_published = not isinstance(one.value, str)
        if not (in_full or one.short) or (is_published and not any(map(is_known, values))):
            continue
        kind = f"{'' if one.subject in spans else 'start'} {'published' * is_published}".strip()
        best = max(filter(is_known, values), default=None) if one.head in ("F1", "here") else None
        has_note = one.value == "citance.f1"
        columns.append(
            [
                Cell(
                    one.write(value),
                    "strong" if best is not None and value == best else "",
                    between(row["citance"]["ci95"]) if has_note else "",
                    kind,
                )
                for row, value in zip(rows, values, strict=True)
            ]
        )
        heads.append(Cell(one.head if in_full else one.short, kind=kind))
        spans[one.subject] = spans.get(one.subject, 0) + 1
    groups: dict[str, list[Line]] = {}
    for group, places in _in_groups(rows).items():
        lines = groups.setdefault(group if in_full else "", [])
        lines += ([rows[place].name, *(cells[place] for cells in columns)] for place in places)
    return Table(
        f"Scores in percent on {_sizes(result)}",
        ["System", *heads],
        groups,
        over=[(Cell(subject, kind="start"), span) for subject, span in spans.items()],
        kind="scores",
    )


def _intervals(result: CitedTextResult) -> Figure:
    """Return the chart of F1 by citances with intervals, which guard against hasty comparisons."""
    rows = result.rows
    groups = {name: [rows[place] for place in some] for name, some in _in_groups(rows).items()}
    human = result.more.get("human")
    level = human["agreement"]["citance"]["f1"] if human else None
    size = (5.6, 1.1 + 0.23 * (len(result.rows) + len(groups)))
    draw = partial(draw_intervals, groups=groups, order=_GROUPS, level=level)
    return figure(draw, size)


def _difference(theirs: Mapping[str, Published | None], one: Finding) -> float | None:
    """Return what is published of a difference."""
    first, second = theirs.get(one.first), theirs.get(one.second)
    # The same figure belongs to a system with its trained model and without.
    return None if not first or not second or first is second else first.f1 - second.f1


def _orderings(result: CitedTextResult, findings: Sequence[Finding]) -> Table:
    """Return the papers' orderings, with published differences if there are any."""
    columns = [
        Column[Finding]("Claim", lambda one: one.claim),
        Column("First", lambda one: one.first),
        Column("Second", lambda one: one.second),
        Column("Verdict here", lambda one: one.verdict),
        Column("Difference", lambda one: one.difference, difference),
        Column("95% interval", lambda one: between(one.ci95, difference, " to ")),
    ]
    compared: dict[str, tuple[str, Scheme]] = {
        "Published, official": (result.facts["split"], "official"),
        "Published, union (test)": ("test", "union"),
    }
    for head, (split, scheme) in compared.items():
        theirs = {row.name: published(row, split, scheme) for row in result.rows}
        ahead = partial(_difference, theirs)
        if any(is_known(ahead(one)) for one in findings):
            columns.append(Column(head, ahead, difference))
    caption = "First against second, in percentage points of F1"
    return Table.of(caption, columns, findings, words=4)


# Curves


def _curves(
    curves: Sequence[Curve], levels: Mapping[str, float], of_x: str, of_y: str
) -> Drawn | None:
    """Return a line chart and its table; `levels` are drawn as horizontal lines."""
    curves = [curve for curve in curves if any(is_known(y) for _, y in curve.points)]
    if not curves:
        return None
    described: list[str] = []
    for curve in curves:
        x, y = max((one for one in curve.points if is_known(one[1])), key=lambda point: point[1])
        described.append(f"{curve.system} is highest, {percent(y)}, at {of_x} = {x:g}")
    described += [f"{name} is a level of {percent(y)}" for name, y in levels.items()]
    alternative = f"Lines of {of_y} by {of_x}, as in the table: {'; '.join(described)}."
    draw = partial(draw_curves, curves=curves, levels=levels, of_x=of_x, of_y=of_y)
    caption = f"{of_y[0].upper()}{of_y[1:]} in percent, by {of_x}"
    table = Table.of_curves(caption, of_x, curves, levels)
    return Drawn(figure(draw, (5.0, 3.6), alternative), table)


def _lengths(result: CitedTextResult) -> Drawn | None:
    """Return the mean lengths, as in Table 4 of Ricci et al. (training set)."""
    found = [
        (row, one if result.facts["split"] == "train" and row["k"] == one.k else None)
        for one in LENGTHS
        for row in result.rows
        if any(ours.is_of(row) for ours in one.ours)
    ]
    if not found:
        return None
    columns = [
        Column[Any]("System", lambda one: one[0].name),
        Column("Words", lambda one: one[0]["mean_length"], number(1)),
    ]
    if any(one is not None for _, one in found):
        columns.append(
            Column("Published (tokens)", lambda one: getattr(one[1], "tokens", None), number(1))
        )
    draw = partial(draw_lengths, found=found)
    table = Table.of("Mean length of a chosen sentence", columns, found)
    return Drawn(figure(draw, (5.0, 1.1 + 0.3 * len(found))), table)


# Annotators, papers, published figures


def _human_scores(result: CitedTextResult) -> list[Mapping[str, Any]]:
    """Return the human scores by the official scheme and by citances; none for one annotator."""
    human = result.more.get("human")
    if human is None:
        return []
    return [
        {"name": "One annotator against another", **human["agreement"]},
        {"name": "The best of all answers (oracle)", **human["oracle"]},
    ]


def _human(result: CitedTextResult) -> Table | None:
    """Return the human scores beside those of the default system and the best one."""
    scores = _human_scores(result)
    if not scores:
        return None
    rows = {row.name: row for row in (_default(result), _best(result))}
    scores += ({"name": name, **row.figures} for name, row in rows.items())
    columns = [
        Column[Mapping[str, Any]]("Answers of", "name"),
        *(
            Column[Mapping[str, Any]](f"{scheme.capitalize()} {head}", f"{scheme}.{name}", percent)
            for scheme in ("official", "citance")
            for head, name in _SCORES.items()
        ),
    ]
    return Table.of("In percent", columns, scores)


def _papers(papers: Sequence[PaperCounts], row: int) -> list[Table]:
    """Return the papers for which a row is worst and best."""

    def f1(paper: PaperCounts) -> float:
        return 2 * paper.right[row] / (paper.returned[row] + paper.wanted)

    columns = [
        Column[PaperCounts]("Paper", lambda paper: paper.id),
        Column("Title", lambda paper: one_line(paper.title)),
        Column("Citances", lambda paper: paper.citances, thousands),
        Column("Sentences", lambda paper: paper.sentences, thousands),
        Column("Right", lambda paper: paper.right[row], thousands),
        Column("Chosen", lambda paper: paper.returned[row], thousands),
        Column("Wanted", lambda paper: paper.wanted, thousands),
        Column("F1", f1, percent),
    ]
    ordered = sorted(papers, key=lambda paper: (-paper.citances, paper.id))
    return worst_and_best(columns, ordered, f1)


def _published_scores(figures: Sequence[Published], split: str) -> Table:
    """Return the published figures, each in the columns of its scheme."""
    columns = [
        Column[Published]("System", lambda one: one.name),
        Column("Source", lambda one: f"{one.source} ({one.part})" if one.part else one.source),
        Column("K", lambda one: f"{one.k or ''}"),
        *(
            Column(f"{scheme.capitalize()} {head}", partial(_of_scheme, scheme, name))
            for scheme in ("official", "citance", "union")
            for head, name in _SCORES.items()
        ),
        Column("ROUGE-S*", lambda one: percent(one.rouge_s) if is_known(one.rouge_s) else ""),
    ]
    known = [column for column in columns if any(column.of(one) for one in figures)]
    return Table.of(f"Published figures in percent ({_SPLITS[split]})", known, figures, words=3)


def _of_scheme(scheme: str, figure: str, one: Published) -> str:
    value = getattr(one, figure) if scheme == one.scheme else None
    return percent(value) if is_known(value) else ""
