r"""A LaTeX file in regions that are parsed independently, so that an edit affects only its region.

A region begins at a heading or after a blank line. If something begins in one region and ends in
another (braces, a conditional, a listing), these and all regions between are merged. Nothing else
in the LaTeX syntax that Pincite parses extends across a heading or a blank line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Final, Generic, Protocol, TypeVar

from ...model.runs import shared_ends
from .arguments import LONGEST_ARGUMENT, LONGEST_OPTION
from .layout import SECTION_LEVELS
from .loose_ends import LooseEnds

#: A region ends at the first heading after this many characters, or else...
_LEAST: Final = 2_500
#: ... at the first blank line after this many.
_MOST: Final = 5_000
_NO_LOOSE_ENDS: Final = LooseEnds()
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
        self._earlier = Regions[_R]()
        self._parts: Sequence[str] = ()

    def read(
        self,
        text: str,
        parts: Sequence[str] = (),
        cut: Callable[[int, int], str] | None = None,
    ) -> Regions[_R]:
        """Return the regions of a text in order; an empty text is one.

        `parts` may have the text in parts; those that an edit leaves as they are have to be the
        same objects as those of the text that was read before. `cut` returns the text between two
        offsets, where it is known already.
        """
        earlier = self._earlier
        if len(parts) > 1 and self._parts:
            front, behind = _same_parts(parts, self._parts)
        else:
            front, behind = _same_regions(text, earlier.all)
        # What follows is as before from here on; the offsets there differ by `moved`.
        rest, moved = len(text) - behind, len(text) - earlier.length

        def parsed(start: int, end: int) -> _R:
            part = text[start:end]
            for at in (start, start - moved):
                for region in earlier.known_at(at):
                    if region.text == part:
                        return region
            return self._parse(part if cut is None else cut(start, end))

        found = Regions[_R]()
        found.reuse(earlier, 0, earlier.unedited(front), 0)
        while found.length < len(text) or not found.all:
            start = found.length
            number = earlier.number_at(start - moved) if start >= rest else None
            # What was merged may be merged with more than before.
            if number is not None and found.reuse(
                earlier, number, earlier.first_merged(number), moved
            ):
                continue
            known = earlier.known_at(start - moved) if start >= rest else ()
            found.add(next(iter(known), None) or _closed(text, start, parsed))
            while (first := found.first_tied(len(found.all) - 1)) is not None:
                found.merge(first, parsed)
        found.front, found.behind = shared_ends(found.all, earlier.all)
        self._earlier, self._parts = found, parts
        return found


class Regions(Generic[_R]):
    """The regions of a text, in order, and the offsets at which they start.

    The first `front` and the last `behind` of them are those of the text that was read before.
    """

    def __init__(self) -> None:
        self.all: list[_R] = []
        self.starts: list[int] = []
        self.length = 0
        self.front = self.behind = 0
        #: The numbers of those with loose ends, as few have.
        self._loose: list[int] = []
        #: By offset, the regions that were merged into longer ones, as they were before.
        self._merged: dict[int, _R] = {}

    def number_at(self, start: int) -> int | None:
        """Return the number of the region that starts at an offset, if there is one."""
        number = bisect_left(self.starts, start)
        starts_there = number < len(self.starts) and self.starts[number] == start
        return number if starts_there else None

    def known_at(self, start: int) -> Iterator[_R]:
        """Yield the regions at an offset: before it was merged, and as it is."""
        if start in self._merged:
            yield self._merged[start]
        if (number := self.number_at(start)) is not None:
            yield self.all[number]

    def first_merged(self, number: int) -> int:
        """Return the number of the first merged region from a number on, or of all regions."""
        merged = (start for start in self._merged if start >= self.starts[number])
        first = min(merged, default=self.length)
        return bisect_left(self.starts, first)

    def unedited(self, front: int) -> int:
        """Return how many regions are unchanged, whatever follows the `front` characters."""
        # The end of a region depends on the beginning of the next one.
        number = max(bisect_right(self.starts, front) - 2, 0)
        # Where something is not closed yet, it may be now.
        loose = self._loose[: bisect_right(self._loose, number)]
        unclosed = (each for each in loose if self.all[each].ends.unclosed)
        return max(next(unclosed, number + 1) - 1, 0)

    def add(self, region: _R) -> None:
        """Add the region that follows."""
        self._append(region, self.length)
        self.length += len(region.text)

    def reuse(self, earlier: Regions[_R], first: int, end: int, moved: int) -> bool:
        """Add regions of an earlier text, up to the first that must be merged with one before it.

        Return whether any was added. Their offsets differ by `moved`.
        """
        begin = len(self.all)
        self.all += earlier.all[first:end]
        self.starts += [start + moved for start in earlier.starts[first:end]]
        loose = earlier._loose[
            bisect_left(earlier._loose, first) : bisect_left(earlier._loose, end)
        ]
        for number in loose:
            self._loose.append(number - first + begin)
            if self.first_tied(self._loose[-1]) is not None:
                self._drop(self._loose[-1])
                break
        if len(self.all) == begin:
            return False
        self.length = self.starts[-1] + len(self.all[-1].text)
        for start, region in earlier._merged.items():
            if self.starts[begin] <= start + moved < self.length:
                self._merged[start + moved] = region
        return True

    def merge(self, first: int, parsed: Callable[[int, int], _R]) -> None:
        """Make one region of those from `first` on."""
        start = self.starts[first]
        for each, region in zip(self.starts[first:], self.all[first:], strict=True):
            self._merged.setdefault(each, region)
        self._drop(first)
        self._append(parsed(start, self.length), start)

    def first_tied(self, number: int) -> int | None:
        """Return the number of the first region in which something begins that ends in this one."""
        tied: list[int] = []
        before = self._loose[: bisect_left(self._loose, number)]
        for kind, closing in self.all[number].ends.closings.items():
            for index in reversed(before):
                opening = self.all[index].ends.openings.get(kind)
                if opening is not None:
                    between = self.starts[number] + closing - self.starts[index] - opening
                    if between <= _LONGEST[kind]:
                        tied.append(index)
                    break
        return min(tied, default=None)

    def _append(self, region: _R, start: int) -> None:
        if region.ends != _NO_LOOSE_ENDS:
            self._loose.append(len(self.all))
        self.all.append(region)
        self.starts.append(start)

    def _drop(self, first: int) -> None:
        del self.all[first:], self.starts[first:]
        del self._loose[bisect_left(self._loose, first) :]


def _same_parts(parts: Sequence[str], earlier: Sequence[str]) -> tuple[int, int]:
    """Return how many characters at the beginning and at the end are of the same objects."""
    front, behind = shared_ends(parts, earlier)
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
