"""Remove line numbers from the segments of a PDF: `lineno`, Word, rulers of review copies.

They stand in a column of their own that hardly any text crosses, on both sides or one, increase
by one step from the top, and number most lines of most pages. A list, a table or a reference list
has its numbers in the column of the text, or numbers few of the paper's lines.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .segments import PageSegments, Segment

#: Numbers in one column are aligned, at the left or at the right, within so many points.
_ALIGNED = 2.0
_MIN_NUMBERS, _MAX_COLUMNS = 3, 40
#: The share of differences between numbers that are the step; of the lines of a page that are
#: numbered; of the numbers that text may cross, as a title over two columns does.
_STEADY, _NUMBERED, _CROSSED = 0.6, 0.5, 0.25
#: The share of pages with line numbers, for few pages and for several.
_PAGES, _OF_SEVERAL, _SEVERAL = 0.5, 0.3, 3
#: How far a column of text extends from its line numbers, in widths of the page.
_REACH = 0.35
#: Baselines nearer than this, in points, belong to one line.
_MIN_LEADING = 5.0
#: A number that is nearer to text than this, in ems, is a word of it: "1985 was".
_SPACE = 0.3


class _Number(NamedTuple):
    """A number with its edges, at the start of a segment, at its end, or all of it.

    `length` is that of its digits, negative at the end, and 0 if it is all; the rest of the segment
    starts, or ends, at `rest`.
    """

    value: int
    edges: tuple[float, float]
    segment: Segment
    length: int = 0
    rest: float = 0.0


def remove_line_numbers(pages: Sequence[PageSegments]) -> None:
    """Remove the line numbers of a document from its segments."""
    columns = [(page, side, column) for page in pages for side, column in _columns(page.segments)]
    per_page = Counter(id(page) for page, _, column in columns if len(column) > 1)
    certain = [
        (page, side, column)
        for page, side, column in columns
        # A page with many columns of numbers is a table.
        if len(column) > 1 and per_page[id(page)] <= _MAX_COLUMNS and _numbers_most(page, column)
    ]
    with_text = sum(len({round(s.y) for s in page.segments}) > _MIN_NUMBERS for page in pages)
    numbered = len({id(page) for page, _, _ in certain})
    least = _OF_SEVERAL if numbered >= _SEVERAL else _PAGES
    if (
        sum(len(column) for _, _, column in certain) <= _MIN_NUMBERS
        or numbered <= least * with_text
    ):
        return
    places = {(side, round(column[0].edges[side] / _ALIGNED)) for _, side, column in certain}
    near = {(side, place + beside) for side, place in places for beside in (-1, 0, 1)}
    step = _step([number.value for number in certain[0][2]])
    following = {1, step, *(column[-1].value + step for _, _, column in columns)}
    for page, side, column in columns:
        is_near = (side, round(column[0].edges[side] / _ALIGNED)) in near
        goes_on = len(column) >= _MIN_NUMBERS or column[0].value in following
        if is_near and goes_on and not _is_crossed(page, column):
            _remove(page, column)


def _columns(segments: Sequence[Segment]) -> Iterator[tuple[int, list[_Number]]]:
    """Yield the numbers, from the top, that have the same left (0) or right edge (1)."""
    numbers = [number for segment in segments for number in _numbers(segment)]
    for side in (0, 1):
        numbers.sort(key=lambda number: number.edges[side])
        aligned: list[list[_Number]] = []
        for number in numbers:
            if not aligned or number.edges[side] - aligned[-1][0].edges[side] > _ALIGNED:
                aligned.append([])
            aligned[-1].append(number)
        for column in aligned:
            column.sort(key=lambda number: -number.segment.y)
            values = [number.value for number in column]
            if len(column) > 1:
                step = _step(values) or None
                is_step = [after - before == step for before, after in pairwise(values)]
                near = zip([False, *is_step], [*is_step, False], column, strict=True)
                column = [number for before, behind, number in near if before or behind]
            if column:
                yield side, column


def _numbers(segment: Segment) -> Iterator[_Number]:
    """Yield the numbers at the ends of a segment; a space before text is no distance from it."""
    text = segment.text
    if len(text) <= 5 and (value := _value(text)) is not None:
        yield _Number(value, (segment.x0, segment.x1), segment)
        return
    space = _SPACE * segment.size
    if segment.head:
        length, end, rest = segment.head
        if rest - end > space and (value := _value(text[:length])) is not None:
            yield _Number(value, (segment.x0, end), segment, length, rest)
    if segment.tail:
        length, start, rest = segment.tail
        if start - rest > space and (value := _value(text[-length:])) is not None:
            yield _Number(value, (start, segment.x1), segment, -length, rest)


def _value(text: str) -> int | None:
    """Return a number in digits of any script, raised or not."""
    digits = [unicodedata.digit(char, -1) for char in text]
    return None if -1 in digits else int("".join(map(str, digits)))


def _step(values: Sequence[int]) -> int:
    """Return the most frequent difference between neighbours, 0 if it is not usual."""
    steps = Counter(after - before for before, after in pairwise(values))
    step, times = steps.most_common(1)[0] if steps else (0, 0)
    return step if step > 0 and times >= _STEADY * (len(values) - 1) else 0


def _beside(page: PageSegments, column: Sequence[_Number]) -> list[tuple[float, float, float]]:
    """Return every text but the numbers of a column, by its place relative to their strip.

    These are the left end from the right edge of the strip, the right end from its left edge, and
    the baseline.
    """
    left, right = min(n.edges[0] for n in column), max(n.edges[1] for n in column)
    by_segment = {id(number.segment): number for number in column}
    found = []
    for segment in page.segments:
        number = by_segment.get(id(segment))
        if number and (segment.head if number.length > 0 else number.length and segment.tail):
            x0 = number.rest if number.length > 0 else segment.x0
            x1 = segment.x1 if number.length > 0 else number.rest
            found.append((x0 - right, x1 - left, segment.y))
        elif number is None:
            found.append((segment.x0 - right, segment.x1 - left, segment.y))
    return found


def _is_crossed(page: PageSegments, column: Sequence[_Number]) -> bool:
    """Return whether text stands in the strip of a column of numbers, anywhere on the page."""
    crossing = sum(x0 < 0 < x1 for x0, x1, _ in _beside(page, column))
    return crossing > _CROSSED * len(column)


def _numbers_most(page: PageSegments, column: Sequence[_Number]) -> bool:
    """Return whether most lines beside a column of numbers have one, or every fifth has."""
    if _is_crossed(page, column):
        return False
    reach = _REACH * page.width
    texts = _beside(page, column)
    lines = (
        _rows([y for _, x1, y in texts if -reach < x1 <= 1]),
        _rows([y for x0, _, y in texts if -1 <= x0 < reach]),
    )
    step = _step([number.value for number in column])
    return 0 < _NUMBERED * min(filter(None, lines), default=0) <= step * len(column)


def _rows(baselines: list[float]) -> int:
    """Return the number of lines on some baselines, indices aside; 0 for a single one."""
    return sum(above - below > _MIN_LEADING for below, above in pairwise(sorted(baselines)))


def _remove(page: PageSegments, column: Sequence[_Number]) -> None:
    for _, _, segment, length, rest in column:
        if length > 0 and segment.head:
            segment.text, segment.x0, segment.head = segment.text[length:].lstrip(), rest, None
        elif length < 0 and segment.tail:
            segment.text, segment.x1, segment.tail = segment.text[:length].rstrip(), rest, None
    whole = {id(number.segment) for number in column if not number.length}
    page.segments = [segment for segment in page.segments if id(segment) not in whole]
