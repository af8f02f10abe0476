"""Build the lines of a PDF page in reading order: segments on one baseline within a column.

A gutter that few segments cross divides columns. All lengths are in points, with the origin at the
lower left of the page with its text upright; if it is read from right to left, at the lower right.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from operator import itemgetter
from statistics import median

import numpy as np
import regex

from .characters import RAISABLE, RAISED
from .legibility import WORD
from .right_to_left import LEFT_TO_RIGHT, RIGHT_TO_LEFT, logical
from .segments import PageSegments, Segment

CAPTION = re.compile(
    r"(?:Figure|Fig\.|FIG\.|FIGURE|Table|TABLE|Tab\.|Algorithm|Listing|Abbildung|Tabelle|Tableau)"
    r"\s*(?:\d+|[A-Z]\.?\d+|[IVX]+)\s*(?:[:.|–—-]|\s[A-Z(]|\Z)"
)
_CELL_GAP = 1.2
#: The least gap, in ems, between a caption and the text beside it.
_BESIDE_GAP = 0.8
_SPACE_GAP = 0.12
#: The lines above and below one that show in which direction it is read.
_BESIDE = 2
_MAX_DEPTH = 3
_DROP_CAP = 1.6
#: So many large capitals, and captions, of a page are looked at.
_MAX_ON_PAGE = 40
#: How many lines may cross the gutter of a page with few lines: its running head and number.
_MAX_HEADS = 2
_MIN_TEXT = 20
#: The least share of all widths that text beside notes takes, and the most size of their type.
_TEXT, _NOTE = 0.55, 0.94
#: How far above the text its heading may be, in heights of its type.
_TO_HEADING = 3.0
#: A heading such as "a b s t r a c t".
_SPACED = regex.compile(r"(?:\p{L} ){4,}\p{L}")
#: The heading of a list of dates and keywords on one line with the heading of the abstract.
_BESIDE_ABSTRACT = re.compile(r"\AARTICLE ?INFO ?(?=ABSTRACT\Z)")
_MIN_COLUMN_LINES = 3
_MAX_PLACES = 2000
#: How far after its number a reference or an item of a list starts, in ems.
_HANG = 2.5
#: Lines of one paragraph are closer than this, in heights of type.
_LEADING = 1.5
_HANGING = re.compile(r"\[?\d{1,3}[.\]]?")


@dataclass(slots=True, eq=False)
class Line:
    """A line of text with its place on the page; `left` and `right` bound its column.

    `depth` ranges from 0 (top of the page) to 1; `cells` counts the parts between wide gaps. A line
    of a paper is `strong` if it is set bolder or larger than the text.
    """

    page: int
    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    monospaced: bool
    cells: int
    left: float
    right: float
    column: int
    depth: float
    number: int = 0
    before: Line | None = None
    strong: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """The page and the column."""
        return self.page, self.column

    def is_below(self, above: Line, reach: float) -> bool:
        """Return whether the line is in the same column as another one, and not far below it."""
        return self.place == above.place and 0 < above.y - self.y < reach

    @property
    def is_short(self) -> bool:
        """Whether the line ends well before its column does."""
        return self.x1 < self.right - 0.12 * (self.right - self.left)

    @property
    def is_indented(self) -> bool:
        """Whether the line starts to the right of its column's left edge."""
        return self.x0 > self.left + 0.7 * self.size


def lines_of(pages: Sequence[PageSegments]) -> list[list[Line]]:
    """Return the lines of each page in reading order."""
    gutters = [gutter for page in pages if (gutter := _gutter(page.segments)) is not None]
    # Where other pages have columns, so has one with few lines in its last column.
    usual = gutters if 3 * len(gutters) >= len(pages) else ()
    return [_page_lines(page, number, usual) for number, page in enumerate(pages, 1)]


def _page_lines(page: PageSegments, number: int, gutters: Sequence[float]) -> list[Line]:
    mirrored = _direction(page.segments) < 0
    segments = page.segments
    if mirrored:
        segments = [replace(s, x0=page.width - s.x1, x1=page.width - s.x0) for s in segments]
        gutters = [page.width - gutter for gutter in gutters]
    text, notes = _without_notes(_with_drop_caps(segments))
    columns = [*_columns_of(text, gutters=gutters), *notes]
    return [
        line
        for column, members in enumerate(columns)
        for line in _column_lines(members, number, column, page.height, mirrored)
    ]


def _with_drop_caps(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments with each large capital before several lines joined to the first one."""
    left = [*segments]
    capitals = [each for each in segments if len(each.text) == 1 and each.text.isupper()]
    for capital in sorted(capitals, key=lambda each: -each.size)[:_MAX_ON_PAGE]:
        beside = [
            segment
            for segment in segments
            if _DROP_CAP * segment.size < capital.size
            and -1 < segment.x0 - capital.x1 < 1.5 * segment.size
            and 0.5 * segment.size < segment.y - capital.y < capital.size
        ]
        # A letter within a line is a symbol.
        is_within = any(
            -1 < capital.x0 - segment.x1 < 0.6 * capital.size
            and -segment.size < segment.y - capital.y < capital.size
            for segment in segments
        )
        if beside and not is_within:
            first = max(beside, key=lambda segment: segment.y)
            first.text, first.x0 = capital.text + first.text, capital.x0
            left.remove(capital)
    return left


def _without_notes(segments: list[Segment]) -> tuple[list[Segment], list[list[Segment]]]:
    """Return wide text without the notes beside it, and these if any: they are set smaller."""
    weights: Counter[float] = Counter()
    for segment in segments:
        weights[round(2 * segment.size) / 2] += len(segment.text)
    size = max(weights, key=weights.__getitem__, default=0.0)
    text = [segment for segment in segments if round(2 * segment.size) / 2 == size]
    left = sorted(segment.x0 for segment in text)[len(text) // 10 :][:1]
    right = sorted(segment.x1 for segment in text)[len(text) * 9 // 10 :][:1]
    for start, end in zip(left, right, strict=True):
        low, high = min(s.y for s in text), max(s.y for s in text) + _TO_HEADING * size
        notes = [s for s in segments if low <= s.y <= high and (s.x1 < start or s.x0 > end)]
        extent = max(s.x1 for s in segments) - min(s.x0 for s in segments)
        # The last column of a wide table has few words.
        words = sum(len(WORD.findall(segment.text)) for segment in notes)
        if (
            words > len(notes)
            and end - start > _TEXT * extent
            and median(segment.size for segment in notes) < _NOTE * size
        ):
            noted = set(notes)
            return [segment for segment in segments if segment not in noted], [notes]
    return segments, []


def _direction(segments: Iterable[Segment]) -> int:
    """Return by how many letters more a text is written from left to right, or fewer."""
    text = " ".join([segment.text for segment in segments])
    if text.isascii() or not (backward := len(RIGHT_TO_LEFT.findall(text))):
        return 0
    return len(LEFT_TO_RIGHT.findall(text)) - backward


def _column_lines(
    segments: list[Segment], number: int, column: int, height: float, mirrored: bool
) -> list[Line]:
    """Combine the segments of one column into lines, from the top."""
    baselines: list[float] = []
    members: list[list[Segment]] = []
    # The widest come first, so that indices and exponents join the line they belong to.
    for segment in sorted(segments, key=lambda item: item.x0 - item.x1):
        at = bisect_left(baselines, segment.y)
        beside = slice(max(0, at - 1), at + 1)
        near = [
            (away, parts)
            for y, parts in zip(baselines[beside], members[beside], strict=True)
            if (away := abs(y - segment.y)) < 0.5 * max(parts[0].size, segment.size)
        ]
        if near:
            min(near, key=itemgetter(0))[1].append(segment)
        else:
            baselines.insert(at, segment.y)
            members.insert(at, [segment])
    starts = sorted(parts[0].x0 for parts in members)
    ends = sorted(parts[0].x1 for parts in members)
    lines = []
    for at, (y, parts) in enumerate(zip(baselines, members, strict=True)):
        main = parts[0]
        text, cells = _joined(parts, main, mirrored)
        if not text.isascii() and RIGHT_TO_LEFT.search(text):
            around = chain(*members[max(0, at - _BESIDE) : at + _BESIDE + 1])
            backward = (mirrored and _direction(parts) < 0) or _direction(around) < 0
            text = logical(text, backward=backward)
        if _SPACED.fullmatch(text):
            text = text.replace(" ", "").upper()
        text = _BESIDE_ABSTRACT.sub("", text)
        lines.append(
            Line(
                page=number,
                text=text,
                x0=min(part.x0 for part in parts),
                x1=max(part.x1 for part in parts),
                y=y,
                size=main.size,
                bold=all(part.bold for part in parts),
                monospaced=all(part.monospaced for part in parts),
                cells=cells,
                left=starts[len(starts) // 10],
                right=ends[len(ends) * 9 // 10],
                column=column,
                depth=1 - y / height,
            )
        )
    return lines[::-1]


def _joined(parts: list[Segment], main: Segment, mirrored: bool) -> tuple[str, int]:
    """Return the text of the segments of a line, and the number of cells between wide gaps."""
    text, cells = "", 1
    parts = sorted(parts, key=lambda part: part.x0, reverse=mirrored)
    for before, part in pairwise([parts[0], *parts]):
        gap = before.x0 - part.x1 if mirrored else part.x0 - before.x1
        cells += gap > _CELL_GAP * main.size
        # A raised number, such as the mark of a footnote.
        if (
            part.size < 0.85 * main.size
            and part.y > main.y + 0.1 * main.size
            and RAISABLE.issuperset(part.text.replace(" ", ""))
            and any(map(str.isdigit, part.text))
        ):
            text += part.text.translate(RAISED)
        else:
            text += f" {part.text}" if gap > _SPACE_GAP * main.size else part.text
    return text, cells


def _columns_of(
    segments: list[Segment], depth: int = 0, gutters: Sequence[float] = ()
) -> list[list[Segment]]:
    """Return groups of segments in reading order, each group within one column.

    `gutters` are those of the document, for a page that does not show one by itself.
    """
    gutter = _gutter(segments) if depth < _MAX_DEPTH else None
    if gutter is None and gutters:
        gutter = _usual_gutter(segments, gutters)
    if gutter is None:
        return [
            each for group in _lower_columns(segments, depth) for each in _without_captions(group)
        ]
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
        across, notes = _without_notes(spanning[taken:band])
        groups += [*_without_captions(across), *notes]
        taken = band
        for side in bands[band]:
            groups += _columns_of(side, depth + 1)
    return [group for group in (*groups, spanning[taken:]) if group]


def _without_captions(segments: list[Segment]) -> list[list[Segment]]:
    """Return text without captions of two lines or more that stand beside it, and each of these."""
    groups = [segments]
    for start in [each for each in segments if CAPTION.match(each.text)][:_MAX_ON_PAGE]:
        caption = [start]
        for line in sorted(segments, key=lambda segment: -segment.y):
            is_below = 0.5 * line.size < caption[-1].y - line.y < _LEADING * line.size
            if is_below and abs(line.x0 - start.x0) < 2 and abs(line.size - start.size) < 0.5:
                caption.append(line)
        end = max(line.x1 for line in caption)
        beside = [s for s in segments if s is not start and abs(s.y - start.y) < 0.5 * s.size]
        gaps = [max(start.x0 - s.x1, s.x0 - end) / start.size for s in beside]
        is_text = any(len(s.text) > _MIN_TEXT for s in beside)
        if len(caption) > 1 and is_text and min(gaps) > _BESIDE_GAP and start in groups[0]:
            groups = [[s for s in groups[0] if s not in caption], *groups[1:], caption]
    return groups


def _usual_gutter(segments: Sequence[Segment], gutters: Sequence[float]) -> float | None:
    """Return one of the gutters if few segments cross it and text has text beside it."""

    def crossing(place: float) -> int:
        return sum(segment.x0 < place < segment.x1 for segment in segments)

    place = min(gutters, key=crossing)
    left = [s for s in segments if s.x1 < place]
    right = [s for s in segments if s.x0 > place and len(s.text) > _MIN_TEXT]
    beside = any(abs(one.y - other.y) < 0.3 * one.size for one in right for other in left)
    return place if beside and crossing(place) <= _MAX_HEADS else None


def _lower_columns(segments: list[Segment], depth: int) -> list[list[Segment]]:
    """Separate columns below the last full line, such as those of a reference list."""
    if not segments:
        return []
    width = max(s.x1 for s in segments) - min(s.x0 for s in segments)
    floor = min((s.y - 2 for s in segments if s.x1 - s.x0 > 0.7 * width), default=-np.inf)
    below = [segment for segment in segments if segment.y < floor]
    if depth or _gutter(below) is None:
        return [segments]
    return [[segment for segment in segments if segment.y >= floor], *_columns_of(below, depth)]


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
    """Return where each segment starts, or a hanging number before it: no gutter is between."""
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
        near = heights[max(0, at - 1) : at + 1]
        is_near = any(abs(y - segment.y) < 0.45 * max(size, segment.size) for y, size in near)
        # Between two lines of a paragraph that crosses the gutter there is no column.
        is_near |= len(near) > 1 and near[1][0] - near[0][0] < _LEADING * near[0][1]
        (spanning if is_near else rest).append(segment)
    # The short last line of a paragraph that crosses the gutter belongs to the lines above it, and
    # "Figure 2" to those below it: it is next to one, starts where that starts, and has nothing
    # beside it.
    beside = sorted(segment.y for segment in rest if segment.x0 > gutter)
    full = [*spanning]
    columns: list[Segment] = []
    for segment in rest:
        at = bisect_left(beside, segment.y - 0.5 * segment.size)
        is_short = (
            segment.x1 <= gutter
            and (at == len(beside) or beside[at] > segment.y + 0.5 * segment.size)
            and any(
                abs(near.x0 - segment.x0) < 2
                and 0.9 * segment.size < abs(near.y - segment.y) < 1.35 * segment.size
                and abs(near.size - segment.size) < 0.5
                for near in full
            )
        )
        (spanning if is_short else columns).append(segment)
    return spanning, columns
