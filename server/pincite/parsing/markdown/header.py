"""The YAML header of a Markdown file, of which only some entries are read.

Each entry is read by itself: an error in one, for which Pandoc refuses the whole file, loses
neither the others nor the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ...model.spans import TextSpan
from ..yaml import strings_in

#: A title in lines that begin with a per cent sign may come first.
_HEADER: Final = re.compile(
    r"\ufeff?(?:%[^\r\n]*(?:\r\n|\n|\r)(?:[ \t]+\S[^\r\n]*(?:\r\n|\n|\r))*){0,3}"
    r"(?:[ \t]*(?:\r\n|\n|\r))*---[ \t]*(?:\r\n|\n|\r)(?![ \t]*[\r\n])"
    r"(?P<inside>(?:[^\r\n]*(?:\r\n|\n|\r))*?)(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)"
)
#: The name of an entry; what begins at the start of a line is another entry, or none.
_ENTRY: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.-]*|\"[^\"\r\n]+\"|'[^'\r\n]+')[ \t]*:", re.M)
_OUTER: Final = re.compile(r"(?<=[\r\n])(?=[^\s#-])")
#: Anything further from the start of a file is no header.
_MAX_LENGTH: Final = 100_000


class Metadata(NamedTuple):
    """The places of the values in a header or a block of metadata, which ends at `end`."""

    text: str
    end: int
    entries: Mapping[str, TextSpan]

    def value(self, name: str) -> str | None:
        """Return the value of an entry as it is written."""
        return self.entries[name].of(self.text) if name in self.entries else None

    def strings(self, name: str) -> Iterator[tuple[str, TextSpan]]:
        """Yield the strings of an entry, a scalar or a list, with their places in the file."""
        if (place := self.entries.get(name)) is not None:
            for value, span in strings_in(place.of(self.text)):
                yield value, span.moved(place.start)


def header_of(text: str) -> Metadata:
    """Return the header at the start of a file; it ends at 0 where there is none."""
    found = _HEADER.match(text, 0, _MAX_LENGTH)
    if found is None:
        return Metadata(text, 0, {})
    return metadata_between(text, *found.span("inside"))._replace(end=found.end())


def metadata_between(text: str, start: int, end: int) -> Metadata:
    """Return the entries between two offsets; of two with one name, the last one counts in YAML."""
    entries: dict[str, TextSpan] = {}
    for name in _ENTRY.finditer(text, start, end):
        following = _OUTER.search(text, name.end(), end)
        stop = following.start() if following else end
        entries[name["name"].strip("\"'")] = TextSpan(name.end(), stop)
    return Metadata(text, end, entries)
