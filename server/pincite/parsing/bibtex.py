"""Bibliographies as BibTeX and biber read them, with every broken entry reported.

An entry ends at the latest where a line starts the next one, so a broken entry costs nothing but
itself; `bibtex_entry` reads one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import intern
from typing import Final

from ..model.drafts import CitationKey
from ..model.papers import BibEntry
from ..model.places import Places
from ..model.problems import Problem
from ..model.spans import TextSpan
from .bibtex_entry import (
    ENTRY_START,
    MONTHS,
    PLAIN_ENTRY,
    EntryReader,
    FaultKind,
    begins_entry,
    is_plain,
)
from .bibtex_fields import Fields, PlainFields
from .encoding import read_text

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


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one place of an entry: `offset` in the text, `entry` where all of it stands.

    A fault of the kind "key used" is an entry that does not count.
    """

    message: str
    offset: int
    entry: TextSpan
    kind: FaultKind = "other"

    def moved(self, by: int) -> Fault:
        """Return the fault `by` code points later."""
        return replace(self, offset=self.offset + by, entry=self.entry.moved(by))


@dataclass(frozen=True, slots=True)
class Bibliography:
    """What a `.bib` file holds: entries in order, what was wrong, its `@string` macros as written.

    `strings` maps lower-cased macro names; pass it on to read a file that uses them.
    """

    entries: tuple[BibEntry, ...]
    problems: tuple[Problem, ...]
    strings: Mapping[str, str] = field(default_factory=dict)
    #: The `@xdata` entries: not citable, but inherited from.
    data_entries: tuple[BibEntry, ...] = ()
    #: The keys of entries that do not count, because an earlier one has the same key.
    repeated: tuple[CitationKey, ...] = ()
    #: The same as `problems`, place by place.
    faults: tuple[Fault, ...] = ()
    #: Whether any entry names another to take fields from.
    inherits: bool = False
    #: Where the last `@string` ends.
    strings_end: int = 0
    #: Where the entries stand, also the `@xdata` ones.
    places: Places = field(default_factory=Places)
    #: The text that all this was read from: a gap, an entry, a gap, and so on up to a gap.
    pieces: tuple[str, ...] = ("",)

    def excerpt(self, entry: BibEntry) -> tuple[str, int] | None:
        """Return an entry's text from the beginning of its line, and where that begins.

        None where it is not known, or where another entry stands before it.
        """
        if entry.key not in self.places:
            return None
        at = 2 * self.places.position(entry.key)
        before, text = self.pieces[at : at + 2]
        start = max(before.rfind("\n"), before.rfind("\r")) + 1
        place = self.places[entry.key]
        if not start and len(before) < place.span.start:
            return None
        return before[start:] + text, place.span.start - len(before) + start


def read_bibliography(path: Path, strings: Mapping[str, str] | None = None) -> Bibliography:
    """Read a `.bib` file; raise `InputError` when it is missing, a folder or binary."""
    return parse_bibliography(read_text(path), path, strings)


def parse_bibliography(
    text: str, path: Path, strings: Mapping[str, str] | None = None
) -> Bibliography:
    """Read the text of a `.bib` file that stands at `path`; any text gives a result.

    `strings` are macros of files that BibTeX would read before this one.
    """
    reader = Reader(text, path, strings or {})
    reader.read()
    heirs = _inherit(reader.entries)
    entries = tuple((reader.entries | heirs).values()) if heirs else tuple(reader.entries.values())
    data_entries: tuple[BibEntry, ...] = ()
    if reader.has_data:
        data_entries = tuple(entry for entry in entries if entry.entry_type == "xdata")
        entries = tuple(entry for entry in entries if entry.entry_type != "xdata")
    return Bibliography(
        entries,
        tuple(reader.problems),
        reader.strings,
        data_entries,
        tuple(reader.repeated),
        tuple(reader.faults),
        bool(heirs),
        reader.strings_end,
        reader.places,
        in_pieces(text, reader.places, reader.texts),
    )


def in_pieces(text: str, places: Places, entries: Sequence[str]) -> tuple[str, ...]:
    """Return a text as `Bibliography.pieces` has it, whose entries stand at some places."""
    spans = zip((0, *places.ends), (*places.starts, len(text)), strict=True)
    gaps = (text[start:end] for start, end in spans)
    pieces = [""] * (2 * len(entries) + 1)
    # Nearly all are the same few line ends.
    pieces[::2] = [intern(gap) if len(gap) < 8 else gap for gap in gaps]
    pieces[1::2] = entries
    return tuple(pieces)


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
            for key in _listed_keys(_named(entry, name))
            if key.lower() in known and key.lower() not in own
            # Of entries with one key in several files, the first one counts.
            if entries[entry.key] is entry
        }
        if not heirs:
            results.append(bibliography)
            continue
        inherited = _inherit(entries)
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


def _listed_keys(value: str) -> tuple[str, ...]:
    if not value:
        return ()
    return tuple(key for part in value.split(",") if (key := part.strip(" \t\r\n{}")))


class Reader:
    """Walks over the entries of a file and collects them by key."""

    def __init__(self, text: str, path: Path, strings: Mapping[str, str]) -> None:
        self.text = text
        self.path = path
        self.known = {**MONTHS, **strings}
        self.months_stand = self.known.items() >= MONTHS.items()
        self.strings: dict[str, str] = {}
        self.entries: dict[str, BibEntry] = {}
        #: Where the entries stand, and what stands there.
        self.places = Places()
        self.texts: list[str] = []
        self.has_data = False
        self.repeated: list[CitationKey] = []
        self.problems: list[Problem] = []
        self.faults: list[Fault] = []
        self.undefined: set[str] = set()
        self.strings_end = 0
        self._counted = 0
        self._line = 1
        self._next_entry = -1

    def read(self, line: int = 1) -> None:
        """Read every entry of the text, which begins in a `line`."""
        self._counted, self._line = 0, line
        position, text, end = 0, self.text, len(self.text)
        for found in PLAIN_ENTRY.finditer(text):
            first, behind = found.span()
            if first < position:
                continue  # within what was read otherwise
            if "@" in text[position:first]:
                position = self._one_by_one(position, first)
            if first >= position and self._keep_plain(found):
                position = behind
            elif first >= position:
                position = self._one_by_one(first, first + 1)
        self._one_by_one(position, end)

    def _keep_plain(self, found: re.Match[str]) -> bool:
        """Keep an entry that was found as a whole, if it has no faults."""
        key, start = found[2], found.start()
        text = found.group()
        if not self.months_stand or key in self.entries or not is_plain(found, text):
            return False
        line = self.line(start)
        self.places.add(key, line, found.span(), found.span(2))
        self.texts.append(text)
        self.has_data |= (kind := intern(found[1].lower())) == "xdata"
        self.entries[key] = BibEntry(key, kind, PlainFields(text), self.path)
        return True

    def _one_by_one(self, position: int, until: int) -> int:
        """Read what begins from `position` to `until`; return where reading goes on."""
        for start in ENTRY_START.finditer(self.text, position):
            if start.start() >= until:
                break
            if start.start() >= position:
                position = self.command(start, self._limit(start))
        return position

    def _limit(self, start: re.Match[str]) -> int:
        """Return where a line begins the next entry: there a broken one is done at the latest."""
        if self._next_entry <= start.start():
            others = ENTRY_START.finditer(self.text, start.end())
            begun = (other.start() for other in others if begins_entry(self.text, other))
            self._next_entry = next(begun, len(self.text))
        return self._next_entry

    def command(self, start: re.Match[str], limit: int) -> int:
        """Read what the `@` of `start` begins, up to `limit`; return where reading goes on."""
        kind = intern(start[1].lower())
        if kind == "comment":
            # BibTeX skips the word only and reads on behind it.
            return start.end()
        line = self.line(start.start())
        closing = "}" if start[2] == "{" else ")"
        body = EntryReader(self.text, limit, closing, self.known)
        key = ""
        if kind == "preamble":
            end = body.preamble(start.end())
        elif kind == "string":
            end = body.read(start.end())
            self.known.update(body.fields)
            self.months_stand = self.known.items() >= MONTHS.items()
            self.strings.update(body.fields)
            self.strings_end = end
        else:
            key, position = body.key(start.end(), start[2])
            end = body.read(position)
            key_start = self.text.find(key, start.end())
            key_span = TextSpan(key_start, key_start + len(key))
            if not key:
                body.note(start.start(), "no citation key, so it cannot be cited")
            elif key in self.entries:
                first = self.places[key].line
                message = f"key already used in line {first}; the first entry counts"
                body.note(start.end(), message, "key used")
                self.repeated.append(CitationKey(key, key_span))
            else:
                self.keep(key, kind, Fields(body.fields))
                place = key_span.start, key_span.end
                self.places.add(key, line, (start.start(), end), place)
                self.texts.append(self.text[start.start() : end])
        if body.faults or body.undefined:
            self.report(f"@{kind} {key}".rstrip(), line, TextSpan(start.start(), end), body)
        return end

    def keep(self, key: str, kind: str, fields: Fields) -> None:
        """Keep an entry under its key."""
        written = fields.as_written()
        members = _listed_keys(written.get("entryset", "")) if kind == "set" else ()
        aliases = _listed_keys(written.get("ids", ""))
        entry = BibEntry(key, kind, fields, self.path, aliases, members)
        self.has_data |= kind == "xdata"
        self.entries[key] = entry

    def report(self, what: str, line: int, entry: TextSpan, body: EntryReader) -> None:
        """Turn the faults of an entry into one problem in its line."""
        faults = body.faults
        if any(message.endswith(" is not closed") for _, message, _ in faults):
            # Where a value is not closed, its entry cannot be.
            faults = [fault for fault in faults if fault[1] != "not closed"]
        told: list[str] = []
        seen: set[str] = set()
        for offset, message, kind in faults:
            if message in seen:
                continue
            seen.add(message)
            self.faults.append(Fault(message, offset, entry, kind))
            place = line + line_ends(self.text, entry.start, offset)
            told.append(message + (f" (line {place})" if place != line else ""))
        if told:
            self.problems.append(Problem(self.path, line, f"{what}: {'; '.join(told)}"))
        for offset, name in body.undefined:
            if name.lower() not in self.undefined:
                self.undefined.add(name.lower())
                message = f"@string macro {name} is not defined"
                self.faults.append(Fault(message, offset, entry, "no macro"))
                self.problems.append(Problem(self.path, line, f"{what}: {message}"))

    def line(self, offset: int) -> int:
        """Return the 1-based line of `offset`, which never lies before an earlier one."""
        self._line += line_ends(self.text, self._counted, offset)
        self._counted = offset
        return self._line


def line_ends(text: str, start: int, end: int) -> int:
    """Count the line ends between two offsets: LF, CRLF, lone CR."""
    count = text.count("\n", start, end)
    if text.find("\r", start, end) >= 0:
        count += text.count("\r", start, end) - text.count("\r\n", start, end)
    return count


def _inherit(entries: Mapping[str, BibEntry]) -> dict[str, BibEntry]:
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
            for key in _listed_keys(_named(child, name)):
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
