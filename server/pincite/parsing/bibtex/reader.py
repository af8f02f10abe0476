"""Reads bibliographies as BibTeX and biber do; reports every broken entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from sys import intern

from ...model.drafts import CitationKey
from ...model.papers import BibEntry
from ...model.places import Places
from ...model.problems import Problem
from ...model.spans import TextSpan
from ..encoding import read_text
from .bibliography import Bibliography, Fault, in_pieces
from .entry import ENTRY_START, MONTHS, PLAIN_ENTRY, EntryReader, begins_entry, is_plain
from .fields import Fields, PlainFields
from .inherit import heirs_of, listed_keys


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
    heirs = heirs_of(reader.entries)
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
        members = listed_keys(written.get("entryset", "")) if kind == "set" else ()
        aliases = listed_keys(written.get("ids", ""))
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
