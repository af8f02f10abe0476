"""Parse a text in regions, so that an edit affects only one of them, in Markdown and Typst.

A region begins at a heading or at a paragraph of words that is not indented. If something that
begins in a region does not end there, the region goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

#: A region ends at the first heading after this many characters, or else...
_LEAST: Final = 4_000
#: ... at the first unindented paragraph after this many.
_MOST: Final = 8_000
_BLANK: Final = r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))"
_PARAGRAPH: Final = re.compile(rf"{_BLANK}(?=[^\W\d_]{{2}})")

_Parsed = TypeVar("_Parsed")


class RegionCache(Generic[_Parsed]):
    """What was parsed of the regions of the latest text, which serves for the next one."""

    def __init__(self, heading: str) -> None:
        """Begin regions at headings, whose sign is this expression."""
        self._heading = re.compile(rf"{_BLANK}(?={heading}[ \t])")
        self._known: dict[str, tuple[_Parsed, bool]] = {}

    def clear(self) -> None:
        """Forget everything, as another dialect is read."""
        self._known = {}

    def parsed(
        self, text: str, start: int, parse: Callable[[str], tuple[_Parsed, bool]]
    ) -> Iterator[_Parsed]:
        """Yield what was parsed of the regions from an offset on.

        `parse` parses a new one, and returns whether something may end in the text that follows.
        """
        known: dict[str, tuple[_Parsed, bool]] = {}

        def read(end: int) -> tuple[_Parsed, bool]:
            part = text[start:end]
            known[part] = self._known.get(part) or parse(part)
            return known[part]

        while start < len(text):
            end = self._end(text, start, start)
            region, unclosed = read(end)
            while unclosed and end < len(text):
                # Doubled each time, as repeated extension would otherwise take quadratic time.
                end = self._end(text, start, 2 * end - start)
                region, unclosed = read(end)
            yield region
            start = end
        self._known = known

    def _end(self, text: str, start: int, least: int) -> int:
        least, most = max(start + _LEAST, least), max(start + _MOST, least)
        match = self._heading.search(text, least, most) or _PARAGRAPH.search(text, most)
        return match.end() if match else len(text)
