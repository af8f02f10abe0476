"""The report of an evaluation on whole drafts: text, an HTML page, or Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType

from ..report import page
from ..report.page import Column, Table, Value, between, count, fraction, thousands
from ..results import Row, grouped
from .projects import Situation
from .run import ALL, PART_TOP, TOP, DraftsResult, ProjectOutcome, rows, short_names

_SITUATIONS: dict[Situation, str] = {
    "writing": "Writing: the text to the left, and the citations before the place",
    "revising": "Revising: the text on both sides, and the citations before the place",
    "text only": "Text only: the text on both sides",
}
#: The columns of its table.
_NOTHING_FITS: Final = (
    "When nothing fits, from the best entry alone. area: how often it is better where the cited "
    "works are in the bibliography; recall: the places without them that are seen; false alarms: "
    "the places with them that are taken for such, and of these the works among the first five; "
    "right: how often this is right if half lack their works; usable: the recall at nine in ten"
)


def text(result: DraftsResult) -> Iterator[RenderableType]:
    """Yield a table for each situation, and one by group if there are several, for a terminal."""
    top: list[Column] = [_top1("top-1", "-"), ("top-3", "top3", fraction)]
    others: list[Column] = [
        *((f"top-{k}", f"top{k}", fraction) for k in TOP[2:]),
        ("MRR", "mrr", fraction),
        ("first", "first.top1", fraction),
        ("repeat", "repeat.top1", fraction),
    ]
    tables = [
        Table.of("", [(situation, "ranker", str), *top, *others], rows)
        for situation, rows in _by_situation(result, (ALL,)).items()
    ]
    headline = result.rows[0]["situation"]
    if groups := result.groups:
        named: Column = (f"{headline}, by group", "group", short_names(groups).__getitem__)
        own = _by_situation(result, groups)[headline]
        own.sort(key=lambda row: groups.index(row["group"]))
        tables.append(Table.of("", [named, ("", "ranker", str), *top], own, words=2))
    signals = _nothing_fits(result)
    for table in (*tables, *_slices(result), *signals):
        yield table.text(no_wrap=True)
        yield ""
    for table in signals:
        yield table.caption
        yield ""
    yield (
        f"{count(result.items, 'citation')} of {count(len(result.projects), 'project')}"
        + (f", {len(result.skipped)} left out" if result.skipped else "")
        + (f"; {result.folds} folds" if result.folds else "")
    )
    yield (
        "Means over projects (95 % intervals). first, repeat: top-1 of entries that were not, and "
        "were, cited before"
    )


def markdown(result: DraftsResult) -> str:
    """Return the tables for a README."""
    sizes = f"{count(result.items, 'citation')} of {count(len(result.projects), 'project')}"
    more = (*_slices(result), *_nothing_fits(result, result.groups), _projects(result))
    return page.render("drafts.md", sizes=sizes, tables=(*_situations(result).values(), *more))


def html(result: DraftsResult) -> str:
    """Return a page with all tables and a bar chart of top-1."""
    headline = next(iter(_by_situation(result, (ALL,)).values()))
    return page.render(
        "drafts.html",
        result=result,
        best=max(headline, key=lambda row: float(row["top1"])),
        bars=page.bars(
            [(row.name, row["top1"]) for row in headline],
            "top-1, writing",
            [row["top1_ci95"] for row in headline],
        ),
        situations=_situations(result),
        projects=_projects(result),
        nothing_fits=_nothing_fits(result, result.groups),
    )


def _by_situation(result: DraftsResult, groups: Sequence[str]) -> dict[Situation, list[Row]]:
    rows = (row for row in result.rows if row["group"] in groups)
    return grouped(rows, lambda row: row["situation"])


def _top1(name: str, dash: str = "–") -> Column:
    def written(row: Row) -> str:
        return f"{fraction(row['top1'])} ({between(row['top1_ci95'], fraction, dash)})"

    return name, written, str


def _names(result: DraftsResult) -> dict[str, str]:
    groups = {row["group"]: None for row in result.rows if row["group"] != ALL}
    return {**short_names(list(groups)), ALL: ALL}


def _situations(result: DraftsResult) -> dict[Situation, Table]:
    columns: list[Column] = [
        ("Ranker", "ranker", str),
        ("Projects of", "group", _names(result).__getitem__),
        ("Projects", "projects", thousands),
        ("Citations", "items", thousands),
        _top1("Top-1"),
        *((f"Top-{k}", f"top{k}", fraction) for k in TOP[1:]),
        ("MRR", "mrr", fraction),
        *(
            (f"{part}, top-{k}", f"{part.lower()}.top{k}", fraction)
            for part in ("First", "Repeat")
            for k in PART_TOP
        ),
    ]
    return {
        situation: Table.of(_SITUATIONS[situation], columns, rows, words=2)
        for situation, rows in _by_situation(result, (*result.groups, ALL)).items()
    }


def _projects(result: DraftsResult) -> Table:
    situation = result.rows[0]["situation"]

    def top1_of(ranker: str) -> Value:
        return lambda project: project.figures[ranker, situation]["top1"]

    columns: list[Column] = [
        ("Project", "source.name", str),
        ("Projects of", "source.group", _names(result).__getitem__),
        ("Language", lambda one: one.language or "–", str),
        ("Entries", "entries", thousands),
        ("With abstract", "with_abstract", fraction),
        ("Cited", "cited_share", fraction),
        ("Citations", lambda one: len(one.items), thousands),
        *(
            (ranker, top1_of(ranker), fraction)
            for ranker in dict.fromkeys(row["ranker"] for row in result.rows)
        ),
    ]
    return Table.of("Projects, with top-1 in writing", columns, result.projects, words=3)


def _slices(result: DraftsResult) -> Iterator[Table]:
    """Yield the figures of the first situation by what is known of the projects, if of many."""
    if len(result.projects) < _MIN_SLICED:
        return
    situation = result.rows[0]["situation"]
    slices = [
        {**row.figures, "property": name}
        for name, value_of in _PROPERTIES.items()
        for row in sorted(rows(grouped(result.projects, value_of)), key=lambda row: row["group"])
        if row["situation"] == situation
    ]
    columns: list[Column] = [
        (f"{situation}, by", "property", str),
        ("", "group", str),
        ("ranker", "ranker", str),
        ("projects", "projects", thousands),
        *((f"top-{k}", f"top{k}", fraction) for k in TOP if k != 3),
    ]
    yield Table.of(f"{situation.capitalize()}, by kinds of projects", columns, slices, words=3)


def _nothing_fits(result: DraftsResult, groups: Sequence[str] = ()) -> list[Table]:
    """Return what happens if a list shows that nothing fits at so many places without their works.

    It does so where the `signal` of its best entry is low. A line has its figures by threshold.
    """
    names = _names(result)
    shown = [
        {**row, **level}
        for row in result.more.get("nothing_fits", ())
        if row["group"] in (*groups, ALL)
        for level in row["levels"]
    ]
    columns: list[Column] = [
        ("Nothing fits", "signal", str),
        ("by", "ranker", str),
        *([("Projects of", "group", names.__getitem__)] if groups else []),
        ("area", "area", fraction),
        ("recall", "recall", fraction),
        ("right", "precision", fraction),
        ("false alarms", "false_alarms", fraction),
        ("first five", "in_first", fraction),
        ("usable", "usable_recall", fraction),
    ]
    words = 3 if groups else 2
    return [Table.of(_NOTHING_FITS, columns, shown, words=words)] if shown else []


_SIZES, _ABSTRACTS = ("1-99", "100-299", "300-"), ("none", "fewer than half", "half or more")
#: What projects are sorted by.
_PROPERTIES: Final[Mapping[str, Callable[[ProjectOutcome], str]]] = {
    "entries": lambda own: _SIZES[(own.entries >= 100) + (own.entries >= 300)],
    "abstracts": lambda own: _ABSTRACTS[(own.with_abstract > 0) + (own.with_abstract >= 0.5)],
    "language": lambda own: own.language or "?",
    "markup": lambda own: own.source.main.suffix.lower().removeprefix("."),
    "kind": lambda own: own.source.kind or "?",
}
#: Of fewer projects, parts show nothing.
_MIN_SLICED: Final = 20
