"""The report of discourse facets, in percent as in the papers: text, HTML, or Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from rich.console import RenderableType

from pincite.text.characters import escape_markdown

from ..report import page
from ..report.page import Column, Table, between, difference, percent, scores, thousands
from ..results import FACETS_OF_A_FIFTH, FACETS_OFFICIAL, Result, Row
from .run import CONSTANT, PERCEPTRONS, RANDOM_FOLDS
from .training import FACETS

_SPLITS: Final = {"train": "training set, cross-validated by paper", "test": "test set"}
_DIFFERENCES: Final[list[Column]] = [
    ("Measure", "measure", str),
    ("First", "first", str),
    ("Second", "second", str),
    ("Difference", "difference", difference),
    ("95%", "ci95", partial(between, write=difference, dash=" to ")),
    ("Verdict", "verdict", str),
]


def text(result: Result) -> Iterator[RenderableType]:
    """Yield the tables and the differences for a terminal."""
    for table in (_gold(result), _by_facet(result), _official(result)):
        yield f"{table.caption}:"
        yield table.text()
        yield ""
    own = percent(result.facts["sentences"]["f1"])
    yield f"official F1 of the sentences by {result.facts['system']}: {own}"
    for one in result.more["differences"]:
        low, high = one["ci95"]
        yield (
            f"{one['measure']}, {one['first']} minus {one['second']}: "
            f"{100 * one['difference']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}): "
            f"{one['verdict']}"
        )


def markdown(result: Result) -> str:
    """Return the tables for a README, without the differences."""
    return page.render(
        "facets.md",
        corpus=escape_markdown(result.facts["corpus"]),
        sizes=_sizes(result),
        gold=_gold(result).markdown(),
        by_facet=_by_facet(result, "F1").markdown(),
        official=_official(result).markdown(),
    )


def html(result: Result) -> str:
    """Return a page with all tables and figures."""
    rows = {row.name: row for row in result.rows}
    confusion, places = rows[PERCEPTRONS]["confusion"], range(len(FACETS))
    most, i, j = max((confusion[i][j], i, j) for i in places for j in places if i != j)
    differences = "Difference of F1, in percentage points"
    return page.render(
        "facets.html",
        of=result.facts,
        best=rows[PERCEPTRONS],
        constant=rows[CONSTANT],
        random_folds=RANDOM_FOLDS,
        split=_SPLITS[result.facts["split"]],
        gold=_gold(result),
        by_facet=_by_facet(result),
        differences=Table.of(differences, _DIFFERENCES, result.more["differences"], words=3),
        official=_official(result),
        by_k=page.curves(
            result.more["official_f1_by_k"], "number of sentences K", "official F1 of facets", {}
        ),
        confusion=Table(
            "Gold facets by answers of the perceptrons",
            ["Gold", *FACETS],
            {"": [[facet, *map(str, line)] for facet, line in zip(FACETS, confusion, strict=True)]},
        ),
        confusion_figure=page.grid(
            FACETS,
            FACETS,
            [[number / max(1, sum(line)) for number in line] for line in confusion],
            [list(map(str, line)) for line in confusion],
            "A grid of the counts in the table, the share of its row as the colour of a cell. Most "
            f"often wrong: {FACETS[i]} taken for {FACETS[j]}, {most} times.",
            xlabel="answer",
            ylabel="gold",
        ),
    )


def _gold(result: Result) -> Table:
    columns: list[Column] = [
        ("Answers", lambda row: row.name, str),
        ("Accuracy", "accuracy.value", lambda value: "" if value is None else percent(value)),
        ("95%", "accuracy.ci95", between),
        *scores("micro"),
        ("95%", "micro.ci95", between),
        *scores("macro"),
    ]
    columns[-3] = ("Macro P", *columns[-3][1:])
    return Table.of(f"Scores in percent, {_sizes(result)}", columns, _with_published(result))


def _by_facet(result: Result, head: str = "Answers") -> Table:
    lines = [
        [row.name, *(percent(row["facets"][facet]["f1"]) for facet in FACETS)]
        for row in _with_published(result)
    ]
    facets = result.rows[0]["facets"]
    lines.append(["citances", *(thousands(facets[facet]["samples"]) for facet in FACETS)])
    return Table("F1 of each facet, in percent", [head, *FACETS], {"": lines})


def _with_published(result: Result) -> Sequence[Row]:
    return [*result.rows, *[FACETS_OF_A_FIFTH] * (result.facts["split"] == "train")]


def _official(result: Result) -> Table:
    of = result.facts
    lines = [
        [
            *(row.name, of["system"], str(of["k"])),
            *(percent(found["micro"][name]) for name in page.SCORES.values()),
            between(found["micro"]["ci95"]),
            percent(found["macro"]["f1"]),
        ]
        for row in result.rows
        if (found := row["official"]) is not None
    ]
    if of["split"] == "test":
        lines += (
            [one["name"], one["source"], f"{one.get('k', '')}", "", "", percent(one["f1"]), "", ""]
            for one in FACETS_OFFICIAL
        )
    heads = ["Answers", "Sentences by", "K", "P", "R", "F1", "95%", "Macro F1"]
    return Table("Scores in percent by the official script", heads, {"": lines})


def _sizes(result: Result) -> str:
    of = result.facts
    papers = page.count(of["papers"], "reference paper")
    return f"{papers}, {page.count(of['samples'], 'citance')} ({_SPLITS[of['split']]})"
