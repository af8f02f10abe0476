"""A parsed `.bib` file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from ...model.bibliographies import BibliographyFile, Fault, in_use
from ...model.drafts import CitationKey
from ...model.papers import BibEntry
from ...model.places import Place
from ...model.problems import Problem
from ...model.programs import BIBER, Program
from ...model.spans import TextSpan, line_ends
from ..encoding import read_text
from .faults import faults_of
from .inherit import inherits, listed_keys, with_inheritance
from .statements import Statement, read_statements


def read_bibliography(path: Path, strings: Mapping[str, str] | None = None) -> Bibliography:
    """Read a `.bib` file; raise `InputError` if it is missing, a folder or binary."""
    return parse_bibliography(read_text(path), path, strings)


def parse_bibliography(
    text: str,
    path: Path,
    strings: Mapping[str, str] | None = None,
    program: Program = BIBER,
    start: int = 0,
    line: int = 1,
) -> Bibliography:
    """Parse the text of the `.bib` file at `path` as a program does; any text gives a result.

    `strings` are macros of files that the program would read before this one. The text may be in
    another file, where it begins at offset `start` and in line `line`.
    """
    return Bibliography(text, path, strings or {}, program, start, line)


class Bibliography(BibliographyFile):
    """The entries of a `.bib` file, what is wrong with it, and its ``@string`` macros.

    Finding what is wrong parses every entry.
    """

    def __init__(
        self,
        text: str,
        path: Path,
        strings: Mapping[str, str],
        program: Program,
        start: int,
        line: int,
    ) -> None:
        self.path, self.program, self.start, self.line = path, program, start, line
        read = read_statements(text, strings, comments=program.comments)
        self._head, self.statements, macros = read
        self.strings = macros.defined
        self.positions = in_use([each.key for each in self.statements], program)
        own: dict[str, BibEntry] = {}
        heirs: list[str] = []
        for key, at in self.positions.items():
            statement = self.statements[at]
            # Most entries name no others, which is seen without parsing them.
            text = statement.text.lower()
            own[key] = _entry(statement, path, has_aliases="ids" in text)
            if ("crossref" in text or "xdata" in text) and inherits(statement):
                heirs.append(key)
        self.all_entries = own
        self.heirs = heirs
        self.all_entries = {**own, **with_inheritance([own[key] for key in heirs], self.find)}

    @property
    def text(self) -> str:
        """The text, joined on every access."""
        # In one string, one smart quote would make every character two bytes wide.
        return "".join((self._head, *(each.text for each in self.statements)))

    @cached_property
    def crossref_parents(self) -> frozenset[str]:  # type: ignore[override]
        """The names, in lower case, of entries from which others inherit by ``crossref``."""
        named = (self.all_entries[key].written.get("crossref", "") for key in self.heirs)
        return frozenset(name.lower() for value in named for name in listed_keys(value))

    def place(self, key: str) -> Place:
        """Return the place of an entry; raise `KeyError` if there is none with this key."""
        return self.place_at(self.positions[key])

    def place_at(self, position: int) -> Place:
        """Return the place of the statement with an index."""
        start, command = self._starts[position], self.statements[position].command()
        key = TextSpan(command.key_start, command.key_start + len(command.key)).moved(start)
        return Place(self._lines[position], TextSpan(start, start + command.end), key)

    @cached_property
    def _starts(self) -> list[int]:
        lengths = (len(each.text) for each in self.statements)
        return list(accumulate(lengths, initial=self.start + len(self._head)))

    @cached_property
    def _lines(self) -> list[int]:
        ends = (line_ends(each.text) for each in self.statements)
        return list(accumulate(ends, initial=self.line + line_ends(self._head)))

    @cached_property
    def repeated(self) -> tuple[CitationKey, ...]:
        """The keys of entries that are ignored, because another one has the same key."""
        return tuple(
            CitationKey(each.key, self.place_at(at).key_span)
            for at, each in enumerate(self.statements)
            if each.key and self.positions[each.key] != at
        )

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, place by place, in order; takes long in a large file."""
        return self._faults[0]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The same as `faults`, entry by entry."""
        return self._faults[1]

    @cached_property
    def _faults(self) -> tuple[tuple[Fault, ...], tuple[Problem, ...]]:
        return faults_of(self, self.statements, self.place_at, self.positions)


def _entry(statement: Statement, path: Path, *, has_aliases: bool) -> BibEntry:
    """Return an entry with its own fields only."""
    aliases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    if has_aliases:
        aliases = listed_keys(statement.written().get("ids", ""))
    if statement.kind == "set":
        members = listed_keys(statement.written().get("entryset", ""))
    return BibEntry(statement.key, statement.kind, statement, path, aliases, members)
