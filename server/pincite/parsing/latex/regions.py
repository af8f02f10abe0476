r"""A LaTeX file in regions that are parsed independently, so that an edit affects only its region.

A region begins at a heading or after a blank line. If something begins in one region and ends in
another (braces, a conditional, a listing), these and all regions between are merged. Nothing else
in the LaTeX syntax that Pincite parses extends across a heading or a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import Final, Generic, Protocol, TypeVar

from .arguments import LONGEST_ARGUMENT, LONGEST_OPTION
from .layout import SECTION_LEVELS
from .loose_ends import LooseEnds

#: A region ends at the first heading after this many characters, or else...
_LEAST: Final = 2_500
#: ... at the first blank line after this many.
_MOST: Final = 5_000
_HEADING_AT = rf"[\r\n][ \t]*(?=\\(?:{'|'.join(SECTION_LEVELS)})(?![A-Za-z@]))"
_HEADING = re.compile(_HEADING_AT)
_BOUNDARY = re.compile(rf"{_HEADING_AT}|(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))\s*")

#: What may begin in one region and end in a later one, and the most characters between; arguments
#: that end further away are not parsed.
_LONGEST: Mapping[str, float] = {
    "{": LONGEST_ARGUMENT,
    "[": LONGEST_OPTION,
    "conditional": inf,
    "table": inf,
}


class _Region(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def ends(self) -> LooseEnds: ...


_R = TypeVar("_R", bound=_Region)


class RegionReader(Generic[_R]):
    """Parses a text in regions, and reuses those that it shares with the previous text."""

    def __init__(self, parse: Callable[[str], _R]) -> None:
        """Parse each region with `parse`."""
        self._parse = parse
        self._latest: tuple[_R, ...] = ()
        #: Parsed regions by their text, including those that were merged into longer ones.
        self._known: dict[str, _R] = {}
        #: The region at each offset where one was looked for, before it was merged with others.
        self._closed: dict[int, _R] = {}
        self._parts: Sequence[str] = ()

    def read(self, text: str, parts: Sequence[str] = ()) -> tuple[_R, ...]:
        """Return the regions of a text in order; an empty text is one.

        `parts` may have the text in parts; those that an edit leaves as they are have to be the
        same objects as those of the text that was read before.
        """
        if len(parts) > 1 and self._parts:
            front, behind = _same_parts(parts, self._parts)
        else:
            front, behind = _same_regions(text, self._latest)
        regions = list(self._latest[: _unchanged(self._latest, front)])
        known = {region.text: region for region in regions}
        starts = [*accumulate((len(region.text) for region in regions), initial=0)]
        position = starts.pop()
        # What follows is as before from here on; the offsets there differ by `moved`.
        rest = len(text) - behind
        moved = len(text) - sum(len(region.text) for region in self._latest)
        closed = {start: region for start, region in self._closed.items() if start < position}

        # A draft's text is kept once, by both readers of a file.
        given = dict(zip(parts, parts, strict=True))

        def parsed(start: int, end: int) -> _R:
            part = text[start:end]
            part = given.get(part, part)
            known[part] = region = self._known.get(part) or self._parse(part)
            return region

        while position < len(text) or not regions:
            start = position
            again = self._closed.get(start - moved) if start >= rest else None
            region = _closed(text, start, parsed) if again is None else again
            known[region.text] = closed[start] = region
            position += len(region.text)
            while (first := _first_tied(starts, regions, start, region)) is not None:
                start = starts[first]
                del starts[first:], regions[first:]
                region = parsed(start, position)
            starts.append(start)
            regions.append(region)
        self._latest, self._known, self._closed = tuple(regions), known, closed
        self._parts = parts
        return self._latest


def _same_parts(parts: Sequence[str], earlier: Sequence[str]) -> tuple[int, int]:
    """Return how many characters at the beginning and at the end are of the same objects."""
    pairs = list(zip(parts, earlier, strict=False))
    front = next((n for n, (one, other) in enumerate(pairs) if one is not other), len(pairs))
    pairs = list(zip(reversed(parts[front:]), reversed(earlier[front:]), strict=False))
    behind = next((n for n, (one, other) in enumerate(pairs) if one is not other), len(pairs))
    return sum(map(len, parts[:front])), sum(map(len, parts[len(parts) - behind :]))


def _same_regions(text: str, regions: Sequence[_Region]) -> tuple[int, int]:
    """Return how many characters of whole regions of an earlier text begin and end this one."""
    front = behind = 0
    for region in regions:
        if not text.startswith(region.text, front):
            break
        front += len(region.text)
    for region in reversed(regions):
        begin = len(text) - behind - len(region.text)
        if begin < front or not text.startswith(region.text, begin):
            break
        behind += len(region.text)
    return front, behind


def _unchanged(regions: Sequence[_Region], front: int) -> int:
    """Return how many regions are unchanged, whatever follows the `front` characters."""
    number, end = 0, 0
    for region in regions:
        end += len(region.text)
        # Where something is not closed yet, it may be now.
        if end > front or region.ends.unclosed:
            break
        number += 1
    # The end of a region depends on the beginning of the next one.
    return max(0, number - 1)


def _closed(text: str, start: int, parsed: Callable[[int, int], _R]) -> _R:
    """Return the region at `start`, long enough to contain the ends of what it hides."""
    end = _end(text, start, start)
    region = parsed(start, end)
    while end < len(text):
        if region.ends.ends_document:
            return parsed(start, len(text))
        found = (text.find(f"\\end{{{name}}}", end) for name in region.ends.unclosed)
        needed = max(found, default=-1)
        if needed < 0:
            break
        # Doubled each time, as repeated extension would otherwise take quadratic time.
        end = _end(text, start, max(needed, 2 * end - start))
        region = parsed(start, end)
    return region


def _end(text: str, start: int, least: int) -> int:
    """Return the end of a region that starts at `start` and extends at least to `least`."""
    least, most = max(start + _LEAST, least), max(start + _MOST, least)
    match = _HEADING.search(text, least, most) or _BOUNDARY.search(text, most)
    return match.end() if match else len(text)


def _first_tied(
    starts: Sequence[int], regions: Sequence[_Region], start: int, region: _Region
) -> int | None:
    """Return the index of the first region in which something begins that ends in `region`."""
    tied: list[int] = []
    for kind, closing in region.ends.closings.items():
        for index in range(len(regions) - 1, -1, -1):
            opening = regions[index].ends.openings.get(kind)
            if opening is not None:
                if start + closing - starts[index] - opening <= _LONGEST[kind]:
                    tied.append(index)
                break
    return min(tied, default=None)
