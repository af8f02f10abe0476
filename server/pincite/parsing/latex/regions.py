r"""A LaTeX file in regions that are parsed independently, and cached by their text.

A region begins at a heading or after a blank line. If something begins in one region and ends in
another (braces, a conditional, a listing), these and all regions between are merged. Nothing else
in the LaTeX syntax that Pincite parses extends across a heading or a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final

from .arguments import MAX_ARGUMENT, MAX_OPTION, loose_delimiters
from .commands import HIDING, Hiding
from .hidden import VisibleText, hide
from .layout import SECTION_LEVELS, SKIPPED_ENVIRONMENTS, TABLES

#: A region ends at the first heading after this many characters, or else...
_MIN_REGION: Final = 2_500
#: ... at the first blank line after this many.
_MAX_REGION: Final = 5_000
#: The number of regions that are cached: those of a file of 3 MB.
CACHED_REGIONS: Final = 1_024
#: Without a lookahead, as an expression that begins with characters is much faster.
_HEADING_AT = rf"(\n[ \t]*)\\(?:{'|'.join(SECTION_LEVELS)})(?![A-Za-z@])"
_HEADING = re.compile(_HEADING_AT)
_BOUNDARY = re.compile(rf"{_HEADING_AT}|\n[ \t]*\n\s*")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}\r\n]*)\}")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}")

#: What may begin in one region and end in a later one, and the most characters between; arguments
#: that end further away are not parsed.
_REACH: Mapping[str, float] = {
    "{": MAX_ARGUMENT,
    "[": MAX_OPTION,
    "conditional": inf,
    "table": inf,
}


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    r"""A part of a file with its hidden parts blanked out.

    `openings` are the offsets of the last of each kind that begins but does not end in the region,
    `closings` of the first that ends but does not begin in it. `unclosed` environments hide all
    text up to their end. `body` is the offset after ``\begin{document}``, 0 without.
    """

    text: str
    hidden: VisibleText
    openings: Mapping[str, int]
    closings: Mapping[str, int]
    unclosed: Sequence[str]
    body: int


def split(text: str, hiding: Hiding = HIDING) -> list[Region]:
    """Return the regions of a text in order; an empty text is one."""
    regions: list[Region] = []
    start = 0
    # Of the same length.
    lines = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    while start < len(text) or not regions:
        regions.append(_closed(text, lines, start, hiding))
        start += len(regions[-1].text)
        while (first := _first_tied(regions)) is not None:
            merged = "".join(region.text for region in regions[first:])
            regions[first:] = [_region(merged, hiding)]
    return regions


@lru_cache(CACHED_REGIONS)
def _region(text: str, hiding: Hiding) -> Region:
    hidden = hide(text, hiding)
    openings, closings = loose_delimiters(hidden.text)
    unclosed = dict.fromkeys(hidden.unclosed)
    tables: list[int] = []
    for match in _ENVIRONMENT.finditer(hidden.text):
        begins, name = match[1] == "begin", match[2]
        if name.rstrip("*") in SKIPPED_ENVIRONMENTS:
            if begins:
                unclosed[name] = None
            else:
                unclosed.pop(name, None)
        elif name.rstrip("*") in TABLES:
            if begins:
                tables.append(match.start())
            elif tables:
                tables.pop()
            else:
                closings.setdefault("table", match.start())
    if tables:
        openings["table"] = tables[-1]
    if hidden.open_conditional is not None:
        openings["conditional"] = hidden.open_conditional
    if hidden.closed_conditional is not None:
        closings["conditional"] = hidden.closed_conditional
    document = _DOCUMENT.search(hidden.text)
    return Region(text, hidden, openings, closings, [*unclosed], document.end() if document else 0)


def _closed(text: str, lines: str, start: int, hiding: Hiding) -> Region:
    """Return the region at `start`, long enough to contain the ends of what it hides."""
    end = _end(lines, start, start)
    region = _region(text[start:end], hiding)
    while end < len(text):
        if region.hidden.ends_document:
            return _region(text[start:], hiding)
        found = (text.find(f"\\end{{{name}}}", end) for name in region.unclosed)
        needed = max(found, default=-1)
        if needed < 0:
            break
        # Doubled each time, as repeated extension would otherwise take quadratic time.
        end = _end(lines, start, max(needed, 2 * end - start))
        region = _region(text[start:end], hiding)
    return region


def _end(lines: str, start: int, least: int) -> int:
    """Return the end of a region that starts at `start` and extends at least to `least`."""
    least, most = max(start + _MIN_REGION, least), max(start + _MAX_REGION, least)
    match = _HEADING.search(lines, least, most) or _BOUNDARY.search(lines, most)
    return len(lines) if match is None else match.end(0 if match[1] is None else 1)


def _first_tied(regions: Sequence[Region]) -> int | None:
    """Return the number of the first region in which something begins that ends in the last."""
    tied: list[int] = []
    for kind, between in regions[-1].closings.items():
        for number in range(len(regions) - 2, -1, -1):
            between += len(regions[number].text)
            opening = regions[number].openings.get(kind)
            if opening is not None and between - opening <= _REACH[kind]:
                tied.append(number)
            if opening is not None or between > _REACH[kind] + len(regions[number].text):
                break
    return min(tied, default=None)
