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
_PARENTS: Final = ("xdata", "crossref")
#: Further fields that name entries which are printed with this one, or in place of it.
_PRINTED_WITH: Final = ("xref", "related", "entryset")


def inherits(source: object) -> bool:
    """Return whether an entry inherits fields from another one, by the source of its fields."""
    return isinstance(source, Statement) and any(map(source.written().get, _PARENTS))


def parents_of(entry: BibEntry) -> tuple[str, ...]:
    """Return the keys of the entries that an entry inherits from."""
    return tuple(key for name in _PARENTS for key in listed_keys(entry.written.get(name, "")))


def keys_named_by(entry: BibEntry) -> tuple[str, ...]:
    """Return the keys of the entries that an entry needs: its parents, related ones, members."""
    others = (entry.written.get(name, "") for name in _PRINTED_WITH)
    return (*parents_of(entry), *(key for value in others for key in listed_keys(value)))


def listed_keys(value: str) -> tuple[str, ...]:
    """Return the keys that a field such as ``ids`` or ``crossref`` lists."""
    return tuple(key for part in value.split(",") if (key := part.strip(" \t\r\n{}")))


def with_inheritance(
    heirs: Iterable[BibEntry], find: Callable[[str], BibEntry | None]
) -> dict[str, BibEntry]:
    """Return entries with all fields, their own first, by key.

    `find` returns the entry for a parent's name.
    """
    known: dict[str, BibEntry] = {}
    return {heir.key: known.get(heir.key) or _complete(heir, find, known) for heir in heirs}


def _complete(
    heir: BibEntry, find: Callable[[str], BibEntry | None], known: dict[str, BibEntry]
) -> BibEntry:
    """Return an entry with what it inherits.

    Parents are resolved before their children; in a cycle, each inherits the others' own fields.
    `known` are entries that are resolved; those in a cycle depend on the heir.
    """
    complete: dict[str, BibEntry] = {}
    is_cycle = False

    def parents(child: BibEntry) -> list[tuple[BibEntry, bool]]:
        return [
            (complete.get(parent.key) or known.get(parent.key) or parent, name == "crossref")
            for name in _PARENTS
            for key in listed_keys(child.written.get(name, ""))
            if (parent := find(key)) is not None
        ]

    waiting = [(heir, iter(parents(heir)))]
    begun = {heir.key}
    while waiting:
        child, ancestors = waiting[-1]
        parent, _ = next(ancestors, (None, False))
        if parent is None:
            complete[child.key] = _with_inheritance(child, parents(child))
            waiting.pop()
        elif parent.key in complete or parent.key in known or not inherits(parent.source):
            continue
        elif parent.key in begun:
            is_cycle = True
        else:
            begun.add(parent.key)
            waiting.append((parent, iter(parents(parent))))
    if not is_cycle:
        known.update((key, entry) for key, entry in complete.items() if key != heir.key)
    return complete[heir.key]


def _with_inheritance(child: BibEntry, parents: list[tuple[BibEntry, bool]]) -> BibEntry:
    """Return `child` with what it lacks from its parents (True: by `crossref`)."""
    if not isinstance(child.source, Statement):
        return child
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
    """Return the prefix of the parent's title in its child: ``book``, ``journal``, ``main``.

    An entry of the same type, such as an edition, has the same title; None if not inherited.
    """
    if child_type == parent_type:
        return ""
    if child_type in _PART_TYPES:
        return "book"
    if parent_type == "periodical":
        return "journal"
    return "main" if parent_type.startswith("mv") else None
