"""A parsed `.bib` file, and inheritance by `crossref` and `xdata`, in one file or across files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Final

from ...model.bibliographies import (
    BibliographyFile,
    EntryPlace,
    Fault,
    FieldPlace,
    Place,
    key_used,
    named_keys,
)
from ...model.papers import BibEntry
from ...model.problems import Problem
from ...model.programs import BIBER, BIBTEX, Program
from ...model.spans import TextSpan, line_ends
from ..encoding import read_text
from .entry import (
    BRACES,
    HEAD,
    NO_ENTRIES,
    Command,
    CommandFault,
    begins_entry,
    closing_brace,
    starts_line,
)
from .statements import HIDDEN, Statement, read_statements, without_comments

#: The citable entry types of BibTeX's standard styles and biblatex.
_ENTRY_TYPES: Final = frozenset(
    "article artwork audio bibnote book bookinbook booklet collection commentary conference "
    "dataset electronic image inbook incollection inproceedings inreference jurisdiction legal "
    "legislation letter manual mastersthesis misc movie music mvbook mvcollection mvproceedings "
    "mvreference online patent performance periodical phdthesis proceedings reference report "
    "review set software standard suppbook suppcollection suppperiodical techreport thesis "
    "unpublished video www xdata".split()
)
#: The beginning of a line that looks like an entry but is not followed by one, and space after it.
_BARE_HEAD: Final = re.compile(r"(@[ \t]*([A-Za-z]+))(?![\w.-])(?!\s*[{(])\s*")

# Fields that determine how to process an entry, or which work it is; a child does not inherit them.
_NOT_INHERITED: Final = frozenset(
    "crossref xref xdata ids entryset entrysubtype execute label options presort related "
    "relatedtype relatedstring shorthand sortkey title subtitle titleaddon shorttitle doi eprint "
    "file pdf abstract annote annotation keywords".split()
)
_NOT_FROM_DATA: Final = frozenset(("xdata", "crossref", "ids"))
_DATES: Final = frozenset(("date", "year"))
_PART_TYPES: Final = frozenset(
    "inproceedings conference incollection inbook inreference bookinbook suppbook "
    "suppcollection".split()
)
#: The fields that name the entries that one inherits from.
PARENTS: Final = ("xdata", "crossref")
#: Further fields that name entries which are printed with this one, or in place of it.
_PRINTED_WITH: Final = ("xref", "related", "entryset")


def read_bibliography(path: Path) -> Bibliography:
    """Read a `.bib` file; raise `InputError` if it is missing, a folder or binary."""
    return Bibliography(read_text(path), path)


class Bibliography(BibliographyFile):
    """The entries of a `.bib` file and its macros; finding what is wrong parses every entry."""

    def __init__(
        self,
        text: str,
        path: Path,
        strings: Mapping[str, str] | None = None,
        program: Program = BIBER,
        start: int = 0,
        line: int = 1,
        earlier: BibliographyFile | None = None,
    ) -> None:
        """Parse the text of the `.bib` file at `path` as a program does: any text can be parsed.

        `strings` are macros of files that the program would read before this one. The text may be
        in another file, where it begins at offset `start` and in line `line`. Entries that are as
        they were in an `earlier` version of the file are not read again.
        """
        before = earlier if isinstance(earlier, Bibliography) else None
        read = read_statements(
            *(text, strings or {}),
            comments=program.comments,
            earlier=before.statements if before else (),
        )
        self._head, statements, macros = read
        self.statements: Sequence[Statement] = statements
        super().__init__(path, program, start, line, [each.key for each in self.statements])
        self.strings = {name: values[-1][1] for name, values in macros.items() if values[-1][0]}
        own: dict[str, BibEntry] = {}
        heirs: list[str] = []
        known = before.all_entries if before else {}
        for key, at in self.positions.items():
            statement = self.statements[at]
            if (entry := known.get(key)) is not None and entry.source is statement:
                own[key] = entry
                continue
            # Most entries name no others, which is seen without parsing them.
            written = statement.encoded.lower()
            aliases = listed_keys(statement.written().get("ids", "")) if b"ids" in written else ()
            is_set = statement.kind == "set"
            members = listed_keys(statement.written().get("entryset", "")) if is_set else ()
            own[key] = BibEntry(key, statement.kind, statement, path, aliases, members)
            if (b"crossref" in written or b"xdata" in written) and inherits(statement):
                heirs.append(key)
        self.all_entries = own
        self.heirs = heirs
        own.update(with_inheritance([own[key] for key in heirs], self.find))

    @property
    def text(self) -> str:
        """The text, joined on every access."""
        return "".join((self._head, *(each.text for each in self.statements)))

    def place_at(self, position: int) -> Place:
        """Return the place of the statement with an index."""
        spans = _spans(self._starts[position], self.statements[position].command())
        return Place(self._lines[position], *spans)

    def entry_place(self, position: int) -> EntryPlace:
        """Return the place of the statement with an index, and those of its fields."""
        start, statement = self._starts[position], self.statements[position]
        command, text = statement.command(), statement.text
        fields = [
            FieldPlace(name, value.moved(start), content and content.moved(start))
            for name, *span in command.places
            for value in [TextSpan(*span)]
            for content in [_content(text, value)]
        ]
        place = statement.kind, statement.key, *_spans(start, command)
        return EntryPlace(*place, fields, command.fields, named_keys(fields, text, start))

    def entry_places(self) -> Iterator[EntryPlace]:
        """Yield the places of the entries in order, those without a key included."""
        for position, statement in enumerate(self.statements):
            if statement.kind not in NO_ENTRIES:
                yield self.entry_place(position)

    @cached_property
    def _starts(self) -> list[int]:
        lengths = (len(each.text) for each in self.statements)
        return list(accumulate(lengths, initial=self.start + len(self._head)))

    @cached_property
    def _lines(self) -> list[int]:
        ends = (line_ends(each.text) for each in self.statements)
        return list(accumulate(ends, initial=self.line + line_ends(self._head)))

    def _find_faults(self) -> tuple[list[Fault], list[Problem]]:
        faults: list[Fault] = []
        problems: list[Problem] = []
        undefined: set[str] = set()
        for at, statement in enumerate(self.statements):
            start, line, entry = self._starts[at], self._lines[at], self.place_at(at).span
            what = f"@{statement.kind} {statement.key}".rstrip()
            messages: list[str] = []
            for message, offset, kind in self._faults_of(at, statement):
                faults.append(Fault(message, start + offset, entry, kind))
                if kind != "comment":  # most who write one use biber
                    lines = line_ends(statement.text[:offset])
                    messages.append(message + (f" (line {line + lines})" if lines else ""))
            if messages:
                problems.append(Problem(self.path, line, f"{what}: {'; '.join(messages)}"))
            for name, offset in statement.command().undefined:
                if name.lower() not in undefined:  # reported once, at the first use
                    undefined.add(name.lower())
                    message = f"@string macro {name} is not defined"
                    faults.append(Fault(message, start + offset, entry, "no macro"))
                    problems.append(Problem(self.path, line, f"{what}: {message}"))
        for fault, line in self._bare_heads():
            faults.append(fault)
            problems.append(Problem(self.path, line, fault.message))
        return faults, problems

    def _faults_of(self, at: int, statement: Statement) -> list[CommandFault]:
        """Return what is wrong with a statement, each message once."""
        found = statement.command().faults
        # If a value is not closed, neither is its entry.
        is_cut = any(fault.message.endswith(" is not closed") for fault in found)
        first: dict[str, CommandFault] = {}
        for fault in found:
            if not (is_cut and fault.message == "not closed"):
                first.setdefault(fault.message, fault)
        if (used := self.positions.get(statement.key, at)) != at:
            head = HEAD.match(statement.text)
            message = key_used(self._lines[used], self.program)
            first[message] = CommandFault(message, head.end() if head else 0, "key used")
        return list(first.values())

    def _bare_heads(self) -> Iterator[tuple[Fault, int]]:
        """Yield what looks like the beginning of an entry outside of statements, with its line."""
        text, line, counted = self.text, self.line, 0
        for head in _BARE_HEAD.finditer(text):
            span = TextSpan(*head.span()).moved(self.start)
            if head[2].lower() not in _ENTRY_TYPES or not starts_line(text, head.start()):
                continue
            at = bisect_right(self._starts, span.start, hi=len(self.statements)) - 1
            if at < 0 or span.start >= self.place_at(at).span.end:
                line, counted = line + line_ends(text[counted : head.start()]), head.start()
                message = f"{head[1]} has no entry after it: add {{key, ...}}, or delete it"
                yield Fault(message, span.start, span), line


def _spans(start: int, command: Command) -> tuple[TextSpan, TextSpan]:
    """Return where a command that begins at an offset is, and its key."""
    key_start = start + command.key_start
    key_span = TextSpan(key_start, key_start + len(command.key))
    return TextSpan(start, start + command.end), key_span


def _content(text: str, value: TextSpan) -> TextSpan | None:
    """Return the part of a value between its delimiters, if it has one part."""
    written, inner = value.of(text), TextSpan(value.start + 1, value.end - 1)
    if written.startswith("{"):
        return inner if closing_brace(BRACES, text, value.start, value.end) == value.end else None
    if written.startswith('"'):
        is_one = len(written) > 1 and written.endswith('"') and not re.search(r'"\s*#', written)
        return inner if is_one else None
    return value if written[:1].isalnum() and "#" not in written else None


def entry_at(text: str, offset: int, *, comments: bool = True) -> EntryPlace | None:
    """Return the entry around `offset`; for `comments` see `Program`.

    Only what is around it is read: that takes the same time in a file of ten entries and of fifty
    thousand.
    """
    visible = without_comments(text) if comments else text
    if comments and visible.startswith(HIDDEN, offset):
        return None

    def begins(at: int) -> bool:
        head = HEAD.match(visible, at)
        return head is not None and begins_entry(visible, head)

    start = visible.rfind("@", 0, offset + 1)
    while start > 0 and not begins(start):
        start = visible.rfind("@", 0, start)
    end = visible.find("@", offset + 1)
    while end >= 0 and not begins(end):
        end = visible.find("@", end + 1)
    start, program = max(start, 0), BIBER if comments else BIBTEX
    around = Bibliography(text[start : end if end >= 0 else None], Path(), None, program, start)
    return next((each for each in around.entry_places() if each.span.covers(offset)), None)


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
        excluded = _NOT_INHERITED if by_crossref else _NOT_FROM_DATA
        if not _DATES.isdisjoint(fields):  # a date replaces a year, and a year a date
            excluded |= _DATES
        for name, value in given.items():
            if name not in excluded:
                fields.setdefault(name, value)
    own = child.source.command().fields
    inherited = {name: value for name, value in fields.items() if name not in own}
    return replace(child, source=replace(child.source, inherited=inherited))


def _title_prefix(child_type: str, parent_type: str) -> str | None:
    """Return the prefix of the parent's title in its child; None if that is not inherited."""
    if child_type == parent_type or parent_type.startswith("software"):  # of a version or module
        return ""
    if child_type in _PART_TYPES:
        return "book"
    if parent_type == "periodical":
        return "journal"
    return "main" if parent_type.startswith("mv") else None


parse_bibliography = Bibliography
