"""The YAML header of a Markdown file, of which only some entries are read.

Each entry is read by itself: an error in one, for which Pandoc refuses the whole file, loses
neither the others nor the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...model.spans import TextSpan
from ..yaml import strings_in

#: A title in lines that begin with a per cent sign may come first.
_HEADER: Final = re.compile(
    r"\ufeff?(?:%[^\r\n]*(?:\r\n|\n|\r)(?:[ \t]+\S[^\r\n]*(?:\r\n|\n|\r))*){0,3}"
    r"(?:[ \t]*(?:\r\n|\n|\r))*---[ \t]*(?:\r\n|\n|\r)(?![ \t]*[\r\n])"
    r"(?P<inside>(?:[^\r\n]*(?:\r\n|\n|\r))*?)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)"
)
_ENTRY: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.-]*|\"[^\"\r\n]+\"|'[^'\r\n]+')[ \t]*:", re.M)
#: What begins at the start of a line is another entry, or none.
_OUTER: Final = re.compile(r"(?<=[\r\n])(?=[^\s#-])")
#: Anything further from the start of a file is no header.
_LONGEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A top-level entry of a header; `span` is its value as written."""

    name: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file: its text up to `end`, and its entries. Without a header, `end` is 0."""

    text: str
    end: int = 0
    entries: tuple[Entry, ...] = ()

    @property
    def inside(self) -> str:
        """The text of the file up to the end of the header."""
        return self.text[: self.end]

    @classmethod
    def of(cls, text: str) -> Header:
        """Find the header at the start of a file."""
        found = _HEADER.match(text, 0, _LONGEST)
        if found is None:
            return cls(text)
        return cls(text, found.end(), tuple(_entries(text, *found.span("inside"))))

    @classmethod
    def between(cls, text: str, start: int, end: int) -> Header:
        """Return the block of metadata between two offsets, as a header."""
        return cls(text, end, tuple(_entries(text, start, end)))

    def entry(self, name: str) -> Entry | None:
        """Return the last entry with a name, as YAML's readers do."""
        return next((each for each in reversed(self.entries) if each.name == name), None)

    def strings(self, name: str) -> Iterator[tuple[str, TextSpan]]:
        """Yield the strings of an entry, a scalar or a list, with their places in the file."""
        if (entry := self.entry(name)) is not None:
            for value, span in strings_in(entry.span.of(self.text)):
                yield value, span.moved(entry.span.start)


def _entries(text: str, start: int, end: int) -> Iterator[Entry]:
    """Yield the entries between two offsets."""
    for name in _ENTRY.finditer(text, start, end):
        next_one = _OUTER.search(text, name.end(), end)
        value = TextSpan(name.end(), next_one.start() if next_one else end)
        yield Entry(name["name"].strip("\"'"), value)
