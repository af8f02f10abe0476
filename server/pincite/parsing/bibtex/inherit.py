"""What entries take from others: `crossref` and `xdata`, in one file or across files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...model.papers import BibEntry
from .bibliography import Bibliography
from .fields import Fields, PlainFields

# Fields that say how an entry is handled, or which work it is: a child has its own or none.
_NOT_INHERITED: Final = frozenset(
    (
        *("crossref", "xref", "xdata", "ids", "entryset", "entrysubtype", "execute", "label"),
        *("options", "presort", "related", "relatedtype", "relatedstring", "shorthand", "sortkey"),
        *("title", "subtitle", "titleaddon", "shorttitle"),
        *("doi", "eprint", "file", "pdf", "abstract", "annote", "annotation", "keywords"),
    )
)
_PART_TYPES: Final = frozenset(
    (
        *("inproceedings", "conference", "incollection", "inbook", "inreference"),
        *("bookinbook", "suppbook", "suppcollection"),
    )
)
_TITLES: Final = ("title", "subtitle", "titleaddon")
_PARENTS: Final = ("xdata", "crossref")


def inherit_across(bibliographies: Sequence[Bibliography]) -> tuple[Bibliography, ...]:
    """Let entries inherit from parents in other files: to BibTeX and biber, all files are one.

    A bibliography in which nothing changes is returned as it is, the same object.
    """
    if len(bibliographies) < 2 or not any(each.inherits for each in bibliographies):
        return tuple(bibliographies)
    entries: dict[str, BibEntry] = {}
    for bibliography in bibliographies:
        for entry in (*bibliography.entries, *bibliography.data_entries):
            entries.setdefault(entry.key, entry)
    known = {key.lower() for key in entries}
    results: list[Bibliography] = []
    for bibliography in bibliographies:
        own = {e.key.lower() for e in (*bibliography.entries, *bibliography.data_entries)}
        heirs = {
            entry.key
            for entry in bibliography.entries
            for name in _PARENTS
            for key in listed_keys(_named(entry, name))
            if key.lower() in known and key.lower() not in own
            # Of entries with one key in several files, the first one counts.
            if entries[entry.key] is entry
        }
        if not heirs:
            results.append(bibliography)
            continue
        inherited = heirs_of(entries)
        with_theirs = (
            replace(entry, fields=inherited[entry.key].fields) if entry.key in heirs else entry
            for entry in bibliography.entries
        )
        results.append(replace(bibliography, entries=tuple(with_theirs)))
    return tuple(results)


def inherits(entry: BibEntry) -> bool:
    """Tell whether an entry takes fields from another one."""
    if isinstance(entry.fields, PlainFields):
        return False
    return any(_named(entry, name) for name in _PARENTS)


def _named(entry: BibEntry, name: str) -> str:
    """Return the value of a field that names keys, before decoding; empty where it is not."""
    fields = entry.fields
    # Read here, all entries of a large bibliography would be.
    if isinstance(fields, PlainFields):
        return ""
    return _as_written(entry).get(name, "")


def listed_keys(value: str) -> tuple[str, ...]:
    """Return the keys that a field such as ``ids`` or ``crossref`` lists."""
    if not value:
        return ()
    return tuple(key for part in value.split(",") if (key := part.strip(" \t\r\n{}")))


def heirs_of(entries: Mapping[str, BibEntry]) -> dict[str, BibEntry]:
    """Return by key the entries that inherit from others, with all fields, their own first.

    Parents are complete before their children take from them; in a cycle each takes what the
    others wrote themselves.
    """
    complete: dict[str, BibEntry] = {}
    heirs = [entry for entry in entries.values() if inherits(entry)]
    if not heirs:
        return complete
    # BibTeX finds the parent whatever the case of its key; aliases are biber's.
    named: dict[str, BibEntry] = {}
    for entry in entries.values():
        for key in (entry.key, *entry.aliases):
            named.setdefault(key.lower(), entry)

    def parents(child: BibEntry) -> list[tuple[BibEntry, bool]]:
        found = []
        for name in _PARENTS:
            for key in listed_keys(_named(child, name)):
                parent = entries.get(key) or named.get(key.lower())
                if parent is not None:
                    found.append((complete.get(parent.key, parent), name == "crossref"))
        return found

    for heir in heirs:
        waiting = [(heir, iter(parents(heir)))]
        begun = {heir.key}
        while waiting:
            child, ancestors = waiting[-1]
            parent = next((parent for parent, _ in ancestors if parent.key not in complete), None)
            if parent is None:
                complete[child.key] = _with_inheritance(child, parents(child))
                waiting.pop()
            elif parent.key not in begun:
                begun.add(parent.key)
                waiting.append((parent, iter(parents(parent))))
    return complete


def _with_inheritance(child: BibEntry, parents: list[tuple[BibEntry, bool]]) -> BibEntry:
    """Return `child` with what it lacks from its parents (True: by `crossref`)."""
    fields = _as_written(child)
    for parent, by_crossref in parents:
        given = _as_written(parent)
        if not by_crossref:
            for name, value in given.items():
                if name not in ("xdata", "crossref", "ids"):
                    fields.setdefault(name, value)
            continue
        prefix = _title_prefix(child.entry_type, parent.entry_type)
        for name in _TITLES:
            if prefix and name in given:
                fields.setdefault(prefix + name, given[name])
        for name, value in given.items():
            if name not in _NOT_INHERITED:
                fields.setdefault(name, value)
    return replace(child, fields=Fields(fields))


def _as_written(entry: BibEntry) -> dict[str, str]:
    fields = entry.fields
    return dict(fields.as_written() if isinstance(fields, Fields) else fields)


def _title_prefix(child_type: str, parent_type: str) -> str:
    """Return what the parent's title is called in its child: ``book``, ``journal``, ``main``."""
    if child_type in _PART_TYPES:
        return "book"
    if parent_type == "periodical":
        return "journal"
    return "main" if parent_type.startswith("mv") else ""
