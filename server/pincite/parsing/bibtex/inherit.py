"""Inheritance of fields by `crossref` and `xdata`, in one file or across files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from ...model.papers import BibEntry
from .statements import Statement

# Fields that say how to process an entry, or which work it is; a child does not inherit them.
_NOT_INHERITED: Final = frozenset(
    "crossref xref xdata ids entryset entrysubtype execute label options presort related "
    "relatedtype relatedstring shorthand sortkey title subtitle titleaddon shorttitle doi eprint "
    "file pdf abstract annote annotation keywords".split()
)
_PART_TYPES: Final = frozenset(
    "inproceedings conference incollection inbook inreference bookinbook suppbook "
    "suppcollection".split()
)
#: The fields that name the entries that one inherits from.
PARENTS: Final = ("xdata", "crossref")
#: Further fields that name entries which are printed with this one, or in place of it.
_PRINTED_WITH: Final = ("xref", "related", "entryset")


def inherits(source: object) -> bool:
    """Return whether an entry inherits fields from another one, by the source of its fields."""
    return isinstance(source, Statement) and any(map(source.written().get, PARENTS))


def keys_named_by(
    entry: BibEntry, fields: Iterable[str] = (*PARENTS, *_PRINTED_WITH)
) -> tuple[str, ...]:
    """Return the keys in fields of an entry: by default its parents, related entries, members."""
    return tuple(key for name in fields for key in listed_keys(entry.written.get(name, "")))


def listed_keys(value: str) -> tuple[str, ...]:
    """Return the keys that a field such as ``ids`` or ``crossref`` lists."""
    return tuple(key for part in value.split(",") if (key := part.strip(" \t\r\n{}")))


def with_inheritance(
    heirs: Iterable[BibEntry], find: Callable[[str], BibEntry | None]
) -> dict[str, BibEntry]:
    """Return entries with all fields, their own first, by key.

    `find` returns the entry for a parent's name. Parents are resolved before their children; in a
    cycle, one of them is not.
    """
    waiting = [*heirs]
    wanted = [heir.key for heir in waiting]
    complete: dict[str, BibEntry] = {}
    begun: set[str] = set()
    while waiting:
        child = waiting.pop()
        if child.key in complete:
            continue
        parents = [
            (complete.get(parent.key, parent), name == "crossref")
            for name in PARENTS
            for key in listed_keys(child.written.get(name, ""))
            if (parent := find(key)) is not None
        ]
        if child.key in begun:
            complete[child.key] = _with_inheritance(child, parents)
            continue
        begun.add(child.key)
        before = (parent for parent, _ in parents if parent.key not in begun)
        waiting += [child, *(parent for parent in before if inherits(parent.source))]
    return {key: complete[key] for key in wanted}


def _with_inheritance(child: BibEntry, parents: list[tuple[BibEntry, bool]]) -> BibEntry:
    """Return `child` with what it lacks from its parents (True: by `crossref`)."""
    assert isinstance(child.source, Statement)  # see `inherits`
    fields = dict(child.written)
    for parent, by_crossref in parents:
        given = parent.written
        if by_crossref:
            prefix = _title_prefix(child.entry_type, parent.entry_type)
            if prefix or (prefix is not None and "title" not in fields):
                for name in ("title", "subtitle", "titleaddon"):
                    if name in given:
                        fields.setdefault(prefix + name, given[name])
        excluded = _NOT_INHERITED if by_crossref else ("xdata", "crossref", "ids")
        for name, value in given.items():
            if name not in excluded:
                fields.setdefault(name, value)
    own = child.source.command().fields
    inherited = {name: value for name, value in fields.items() if name not in own}
    return replace(child, source=replace(child.source, inherited=inherited))


def _title_prefix(child_type: str, parent_type: str) -> str | None:
    """Return the prefix of the parent's title in its child; None if that is not inherited."""
    if child_type == parent_type:
        return ""
    if child_type in _PART_TYPES:
        return "book"
    if parent_type == "periodical":
        return "journal"
    return "main" if parent_type.startswith("mv") else None
