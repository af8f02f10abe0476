"""Parse a Typst file in regions, so that an edit affects only one of them.

A region begins at a heading or at a paragraph of words. If code, content or a comment that begins
in a region does not end there, the region goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...model.drafts import DraftFile, DraftRegion
from .scanner import Scanner
from .tokens import BLANK_LINES

#: A region ends at the first heading after this many characters, or else...
_LEAST: Final = 4_000
#: ... at the first unindented paragraph after this many.
_MOST: Final = 8_000
_HEADING: Final = re.compile(rf"{BLANK_LINES.pattern}(?==+[ \t])")
_PARAGRAPH: Final = re.compile(rf"{BLANK_LINES.pattern}(?=[^\W\d_]{{2}})")


@dataclass(frozen=True, slots=True)
class _Parsed:
    unclosed: bool
    labels: frozenset[str]
    references: frozenset[str]
    region: DraftRegion


class TypstParser:
    """Parses one file; after an edit, only the changed regions."""

    def __init__(self, path: Path) -> None:
        """Prepare to parse the file at `path`."""
        self._path = path
        self._known: dict[str, _Parsed] = {}
        self._dialect: frozenset[str] = frozenset()
        #: The labels that the file defines.
        self.labels: frozenset[str] = frozenset()
        #: The names that it refers to.
        self.references: frozenset[str] = frozenset()

    def read(self, text: str, labels: frozenset[str] = frozenset()) -> DraftFile:
        """Parse the file's text, in which references to some labels cite nothing."""
        if labels != self._dialect:
            self._known, self._dialect = {}, labels
        parts = tuple(self._parts(text))
        self.labels = frozenset(label for part in parts for label in part.labels)
        self.references = frozenset(name for part in parts for name in part.references)
        regions = tuple(part.region for part in parts)
        return DraftFile(self._path, text, regions or (DraftRegion(""),))

    def _parts(self, text: str) -> Iterator[_Parsed]:
        known: dict[str, _Parsed] = {}

        def parsed(start: int, end: int) -> _Parsed:
            part = text[start:end]
            found = self._known.get(part)
            if found is None:
                scanner = Scanner(part, self._dialect)
                region = scanner.read()
                names = frozenset(scanner.labels), frozenset(scanner.references)
                found = _Parsed(scanner.unclosed, *names, region)
            known[part] = found
            return found

        start = 0
        while start < len(text):
            end = _region_end(text, start, start)
            region = parsed(start, end)
            while region.unclosed and end < len(text):
                # Doubled each time, as repeated extension would otherwise take quadratic time.
                end = _region_end(text, start, 2 * end - start)
                region = parsed(start, end)
            yield region
            start = end
        self._known = known


def _region_end(text: str, start: int, least: int) -> int:
    least, most = max(start + _LEAST, least), max(start + _MOST, least)
    match = _HEADING.search(text, least, most) or _PARAGRAPH.search(text, most)
    return match.end() if match else len(text)
