"""The report of cited text identification: text, an HTML page, or a Markdown table.

Each column has one scheme: figures of different scoring schemes cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rich.console import RenderableType

from pincite.model.problems import InputError
from pincite.text.characters import escape_markdown

from .. import results
from ..report import page
from ..report.page import Cell, Column, Table, Value, between, is_known, number, percent
from ..report.page import scores as columns_of
from ..results import Finding, Published, Row, published
from .run import CitedTextResult, PaperCounts

#: The groups of rows in the order of the table, with the first parts of their systems' names.
_GROUPS = {
    "Asymmetric matcher and its ablations": ("asymmetric",),
    "Symmetric matcher": ("symmetric",),
    "BM25 and TF-IDF": ("bm25", "tfidf"),
    "CitRet and its ablations": ("sbert", "citret"),
    "Others": (),
}
_SPLITS = {
    "train": "training set",
    "scisummnet": "ScisummNet part of the training set",
    "test": "test set",
}
#: The rows drawn as levels in Figure 3 of Ricci et al. (2022): Symm and the BM25 ensemble.
_LEVELS: Final = ("symmetric", "bm25-2field")


def text(result: CitedTextResult) -> Iterator[RenderableType]:
    """Yield the table and the findings for a terminal."""
    columns: list[Column] = [
        ("percent", lambda row: row.name, str),
        ("K", "k", str),
        *columns_of("official", "official "),
        ("F1 citance", "citance.f1", percent),
        ("95 %", "citance.ci95", partial(between, dash="-")),
        ("F1 union", "union.f1", percent),
        ("ROUGE-S*", "rouge_s", percent),
        ("repaired", "rouge_s_repaired", percent),
        ("sentences", "sentences_per_citance", number(2)),
        ("words", "mean_length", number(1)),
        ("seconds", "seconds", number(1)),
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
    yield from (finding.text(page.difference) for finding in result.findings or ())


def markdown(result: CitedTextResult) -> str:
    """Return the short table; raises `InputError` without rows."""
    return page.render(
        "cited_text.md",
        corpus=escape_markdown(result.facts["corpus"]),
        sizes=_sizes(result),
        scores=_scores(result, in_full=False).markdown(),
        human=_human_scores(result),
    )


def html(result: CitedTextResult) -> str:
    """Return a page with all tables and figures; raises `InputError` without rows."""
    scores = _scores(result, in_full=True)
    of, default = result.facts, _default(result)
    row = result.rows.index(default)
    judged = (one for one in result.per_paper if one.counts[row].tp + one.counts[row].fn)
    papers = [one for one in judged if one.citances >= page.MIN_OUTCOMES]
    of_split = [one for one in results.PUBLISHED if one.split == of["split"]]
    levels = {row.name: row["citance"]["f1"] for row in result.rows if row.name in _LEVELS}
    curves, by_f1 = result.more, "F1 by citances"
    groups, human = _in_groups(result.rows), result.more.get("human")
    in_order = [row for own in groups.values() for row in own]
    return page.render(
        "cited_text.html",
        result=result,
        of=of,
        worst=min(result.rows, key=_merit),
        best=max(result.rows, key=_merit),
        default=default,
        theirs=published(default, of["split"], "official"),
        sizes=_sizes(result),
        split=_SPLITS[of["split"]],
        scores=scores,
        is_published=any("published" in one.kind for one in map(page.cell, scores.heads)),
        # The intervals guard against hasty comparisons.
        intervals=page.bars(
            [(row.name, 100 * row["citance"]["f1"]) for row in in_order],
            "F1 by citances, in percent, with 95% interval",
            [[100 * end for end in row["citance"]["ci95"]] for row in in_order],
            level=(
                "one annotator against another",
                100 * human["agreement"]["citance"]["f1"] if human else None,
            ),
        ),
        orderings=_orderings(result, result.findings) if result.findings else None,
        by_power=page.curves(curves.get("f1_by_d", ()), "d", by_f1, levels),
        by_depth=page.curves(curves.get("recall_by_k", ()), "K", "recall by citances", {}),
        by_mix=page.curves(curves.get("f1_by_mix", ()), "λ", by_f1, {}),
        lengths=_lengths(result),
        human=_human(result),
        papers=_papers(papers, row),
        enough=len(papers),
        published=_published_scores(of_split, of["split"]) if of_split else None,
        is_rescored=any(one.source == results.SCORED_BY_US for one in of_split),
    )


def _merit(row: Row) -> float:
    f1: float = row["citance"]["f1"]
    return f1 if is_known(f1) else -1.0


def _default(result: CitedTextResult) -> Row:
    usual = (row for row in result.rows if row.name == "asymmetric")
    return next(usual, max(result.rows, key=_merit))


def _sizes(result: CitedTextResult) -> str:
    of = result.facts
    papers = page.count(of["papers"], "reference paper")
    return f"{papers}, {page.count(of['citances'], 'citance')} ({_SPLITS[of['split']]})"


def _in_groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    group_of = {name: group for group, names in _GROUPS.items() for name in names}
    found = results.grouped(
        rows, lambda row: group_of.get(row["system"].partition("-")[0], "Others")
    )
    return {group: found[group] for group in _GROUPS if group in found}


def _scores(result: CitedTextResult, *, in_full: bool) -> Table:
    """Return all columns below grouped heads, or the short table for Markdown."""
    rows, split = result.rows, result.facts["split"]
    if not rows:
        raise InputError("nothing to report: no system has finished")

    def theirs(scheme: Any, figure: str, split: str = split) -> Value:  # noqa: ANN401
        return lambda row: getattr(published(row, split, scheme), figure, None)

    # CitRet's figures, the only ones by the union, are of the test set.
    on_test = "" if split == "test" else " (test set)"
    official, union, rouge = "Official script", "Union", "ROUGE-S*"
    # The subject, head, value and format of each column, and its head in the short table.
    published_union = theirs("union", "f1", "test")
    described: list[tuple[str, str, Value, Any, str]] = [
        *((official, *column, f"Official {column[0]}") for column in columns_of("official")),
        (official, "published", theirs("official", "f1"), percent, "Published official F1"),
        *(("Citances", *column, "") for column in columns_of("citance")[:2]),
        ("Citances", "F1", "citance.f1", percent, "Citance F1 (95%)"),
        (union, "F1", "union.f1", percent, "Union F1"),
        (union, f"published{on_test}", published_union, percent, f"Published union F1{on_test}"),
        (rouge, "here", "rouge_s", percent, rouge),
        (rouge, "repaired", "rouge_s_repaired", percent, ""),
        (rouge, "published", theirs("official", "rouge_s"), percent, ""),
        ("Chosen", "K", "k", page.thousands, ""),
        ("Chosen", "sentences", "sentences_per_citance", number(2), "Sentences"),
        ("Chosen", "words", "mean_length", number(1), "Words"),
        ("Time", "seconds", "seconds", number(1), ""),
    ]
    heads: list[Cell] = []
    spans: dict[str, int] = {}
    lines: dict[int, list[Cell | str]] = {id(row): [row.name] for row in rows}
    for subject, head, value, write, short in described:
        values = [page.value_of(row, value) for row in rows]
        is_published = not isinstance(value, str)
        if not (in_full or short) or (is_published and not any(map(is_known, values))):
            continue
        kind = f"{'' if subject in spans else 'start'} {'published' * is_published}".strip()
        best = max(filter(is_known, values), default=None) if head in ("F1", "here") else None
        for row, one in zip(rows, values, strict=True):
            note = between(row["citance"]["ci95"]) if value == "citance.f1" else ""
            is_best = best is not None and one == best
            lines[id(row)].append(Cell(write(one), "strong" if is_best else "", note, kind))
        heads.append(Cell(head if in_full else short, kind=kind))
        spans[subject] = spans.get(subject, 0) + 1
    groups: dict[str, list[page.Line]] = {}
    for group, own in _in_groups(rows).items():
        groups.setdefault(group if in_full else "", []).extend(lines[id(row)] for row in own)
    return Table(
        f"Scores in percent on {_sizes(result)}",
        ["System", *heads],
        groups,
        over=[(Cell(subject, kind="start"), span) for subject, span in spans.items()],
        kind="scores",
    )


def _orderings(result: CitedTextResult, findings: Sequence[Finding]) -> Table:
    heads = {"Claim": "claim", "First": "first", "Second": "second", "Verdict here": "verdict"}
    columns: list[Column] = [
        *((head, figure, str) for head, figure in heads.items()),
        ("Difference", "difference", page.difference),
        ("95% interval", "ci95", partial(between, write=page.difference, dash=" to ")),
    ]

    def ahead(one: Finding, theirs: Mapping[str, Published | None]) -> float | None:
        first, second = theirs.get(one.first), theirs.get(one.second)
        # The same figure belongs to a system with its trained model and without.
        return None if not first or not second or first is second else first.f1 - second.f1

    of_split = {row.name: published(row, result.facts["split"], "official") for row in result.rows}
    on_test = {row.name: published(row, "test", "union") for row in result.rows}
    for head, theirs in (("Published, official", of_split), ("Published, union (test)", on_test)):
        if any(is_known(ahead(one, theirs)) for one in findings):
            columns.append((head, partial(ahead, theirs=theirs), page.difference))
    return Table.of("First against second, in percentage points of F1", columns, findings, words=4)


def _lengths(result: CitedTextResult) -> dict[str, Any] | None:
    found = [
        (row, one if result.facts["split"] == "train" and row["k"] == one.k else None)
        for one in results.LENGTHS
        for row in result.rows
        if any(ours.is_of(row) for ours in one.ours)
    ]
    if not found:
        return None
    tokens = [getattr(one, "tokens", None) for _, one in found]
    columns: list[Column] = [
        ("System", lambda one: one[0].name, str),
        ("Words", lambda one: one[0]["mean_length"], number(1)),
    ]
    if any(tokens):
        columns += [("Published (tokens)", lambda of: getattr(of[1], "tokens", None), number(1))]
    drawn = page.bars(
        [(row.name, row["mean_length"]) for row, _ in found],
        "words of a chosen sentence, on average",
        marks=("published", tokens),
    )
    table = Table.of("Mean length of a chosen sentence", columns, found)
    return {"figure": drawn, "table": table}


def _human_scores(result: CitedTextResult) -> list[Mapping[str, Any]]:
    if not (human := result.more.get("human")):
        return []
    named = ("One annotator against another", "The best of all answers (oracle)")
    found = zip(named, (human["agreement"], human["oracle"]), strict=True)
    return [{"name": name, **scores} for name, scores in found]


def _human(result: CitedTextResult) -> Table | None:
    scores = _human_scores(result)
    if not scores:
        return None
    rows = {row.name: row for row in (_default(result), max(result.rows, key=_merit))}
    scores += ({"name": name, **row.figures} for name, row in rows.items())
    columns = [*columns_of("official", "Official "), *columns_of("citance", "Citance ")]
    return Table.of("In percent", [("Answers of", "name", str), *columns], scores)


def _papers(papers: Sequence[PaperCounts], row: int) -> list[Table]:
    def f1(paper: PaperCounts) -> float:
        right, others = paper.counts[row].tp, paper.counts[row].fp + paper.counts[row].fn
        return 2 * right / (2 * right + others)

    columns: list[Column] = [
        ("Citances", "citances", page.thousands),
        ("Sentences", "sentences", page.thousands),
        ("Right", lambda paper: paper.counts[row].tp, page.thousands),
        ("Chosen", lambda paper: paper.counts[row].tp + paper.counts[row].fp, page.thousands),
        ("Wanted", lambda paper: paper.counts[row].tp + paper.counts[row].fn, page.thousands),
        ("F1", f1, percent),
    ]
    return page.worst_and_best(columns, papers, "citances", f1)


def _published_scores(figures: Sequence[Published], split: str) -> Table:
    def of(scheme: str, name: str) -> Value:
        return lambda one: getattr(one, name) if scheme == one.scheme else None

    def known(value: float | None) -> str:
        return percent(value) if is_known(value) else ""

    columns: list[Column] = [
        ("System", "name", str),
        ("Source", lambda one: f"{one.source} ({one.part})" if one.part else one.source, str),
        ("K", lambda one: one.k or "", str),
        *(
            (f"{scheme.capitalize()} {head}", of(scheme, name), known)
            for scheme in ("official", "citance", "union")
            for head, name in page.SCORES.items()
        ),
        ("ROUGE-S*", "rouge_s", known),
    ]
    columns = [one for one in columns if any(one[2](page.value_of(row, one[1])) for row in figures)]
    return Table.of(f"Published figures in percent ({_SPLITS[split]})", columns, figures, words=3)
