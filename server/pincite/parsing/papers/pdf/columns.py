"""Separate the columns of a PDF page: a gutter that few segments cross divides them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .segments import Segment

_MAX_DEPTH = 3
_MIN_COLUMN_LINES = 3
_MAX_PLACES = 2000
#: How far after its number a reference or an item of a list starts, in ems.
_HANG = 2.5
_HANGING = re.compile(r"\[?\d{1,3}[.\]]?")


def columns_of(segments: list[Segment], depth: int = 0) -> list[list[Segment]]:
    """Return groups of segments in reading order, each group within one column.

    Segments that cross the gutter cut the page into bands; in a band the left column comes first.
    """
    gutter = _gutter(segments) if depth < _MAX_DEPTH else None
    if gutter is None:
        return _lower_columns(segments, depth)
    spanning, rest = _across(segments, gutter)
    # Bands from the top: keys ascend as y falls.
    spanning.sort(key=lambda segment: -segment.y)
    cuts = [-segment.y for segment in spanning]
    bands: defaultdict[int, tuple[list[Segment], list[Segment]]] = defaultdict(lambda: ([], []))
    for segment in rest:
        is_right = (segment.x0 + segment.x1) / 2 > gutter
        bands[bisect_left(cuts, -segment.y)][is_right].append(segment)
    groups: list[list[Segment]] = []
    taken = 0
    for band in sorted(bands):
        groups.append(spanning[taken:band])
        taken = band
        for side in bands[band]:
            groups += columns_of(side, depth + 1)
    return [group for group in (*groups, spanning[taken:]) if group]


def _lower_columns(segments: list[Segment], depth: int) -> list[list[Segment]]:
    """Separate columns below the last full line, such as those of a reference list."""
    if not segments:
        return []
    width = max(s.x1 for s in segments) - min(s.x0 for s in segments)
    floor = min((s.y - 2 for s in segments if s.x1 - s.x0 > 0.7 * width), default=-np.inf)
    below = [segment for segment in segments if segment.y < floor]
    if depth or _gutter(below) is None:
        return [segments]
    return [[segment for segment in segments if segment.y >= floor], *columns_of(below, depth)]


def _gutter(segments: Sequence[Segment]) -> float | None:
    """Return the position of a vertical line between columns that few segments cross."""
    if len(segments) < 2 * _MIN_COLUMN_LINES:
        return None
    x0 = np.array(_starts_with_labels(segments))
    x1 = np.array([segment.x1 for segment in segments])
    left, width = float(x0.min()), float(x1.max() - x0.min())
    if width < 150:
        return None
    # A damaged file may claim any width; the number of places stays bounded.
    count = min(_MAX_PLACES, int(0.6 * width) + 1)
    places = np.linspace(left + 0.2 * width, left + 0.8 * width, count)
    wide = x1 - x0 > 0.2 * width
    crossing = np.searchsorted(np.sort(x0), places - 1) - np.searchsorted(np.sort(x1), places + 1)
    before = np.searchsorted(np.sort(x1[wide]), places, side="right")
    behind = wide.sum() - np.searchsorted(np.sort(x0[wide]), places)
    columns = np.minimum(before, behind)
    possible = (columns >= _MIN_COLUMN_LINES) & (crossing <= 2 * columns)
    if not possible.any():
        return None
    good = np.flatnonzero(possible & (crossing <= crossing[possible].min()))
    widest = max(np.split(good, np.flatnonzero(np.diff(good) > 1) + 1), key=len)
    return float(places[widest[len(widest) // 2]])


def _starts_with_labels(segments: Sequence[Segment]) -> list[float]:
    """Return where each segment starts, including a hanging number before it.

    Otherwise the space after the numbers of a list in the second column would be the gutter.
    """
    starts = [segment.x0 for segment in segments]
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for at, segment in enumerate(segments):
        rows[round(segment.y)].append(at)
    for row in rows.values():
        for at, following in pairwise(sorted(row, key=starts.__getitem__)):
            number, text = segments[at], segments[following]
            if text.x0 - number.x1 < _HANG * text.size and _HANGING.fullmatch(number.text):
                starts[following] = number.x0
    return starts


def _across(segments: list[Segment], gutter: float) -> tuple[list[Segment], list[Segment]]:
    """Split the segments into those on a line that crosses the gutter and the others."""
    over = [s for s in segments if s.x0 < gutter - 6 and s.x1 > gutter + 6]
    heights = sorted((segment.y, segment.size) for segment in over)
    spanning: list[Segment] = []
    rest: list[Segment] = []
    for segment in segments:
        at = bisect_left(heights, (segment.y, 0.0))
        is_near = any(
            abs(y - segment.y) < 0.45 * max(size, segment.size)
            for y, size in heights[max(0, at - 1) : at + 1]
        )
        (spanning if is_near else rest).append(segment)
    # The short last line of a paragraph that crosses the gutter belongs to the lines above it: it
    # is right below one, starts where that starts, and has nothing beside it.
    beside = sorted(segment.y for segment in rest if segment.x0 > gutter)
    columns: list[Segment] = []
    last_lines: list[Segment] = []
    for segment in rest:
        at = bisect_left(beside, segment.y - 0.5 * segment.size)
        is_alone = at == len(beside) or beside[at] > segment.y + 0.5 * segment.size
        is_last = (
            segment.x1 <= gutter
            and is_alone
            and any(
                abs(above.x0 - segment.x0) < 2
                and 0.9 * segment.size < above.y - segment.y < 1.35 * segment.size
                and abs(above.size - segment.size) < 0.5
                for above in spanning
            )
        )
        (last_lines if is_last else columns).append(segment)
    return spanning + last_lines, columns
