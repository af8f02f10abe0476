"""Remove line numbers from the segments of a PDF: `lineno`, Word, rulers of review copies.

They stand in a column of their own that hardly any text crosses, on both sides or one, increase
by one step from the top, and number most lines of most pages. A list, a table or a reference list
has its numbers in the column of the text, or numbers few of the paper's lines.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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


@dataclass(slots=True)
class _Number:
    value: int
    edges: tuple[float, float]
    segment: Segment
    #: Which part of the segment it is: "all", "head" or "tail".
    part: str


def remove_line_numbers(pages: Sequence[PageSegments]) -> None:
    """Remove the line numbers of a document from its segments."""
    columns = [
        (page, side, column)
        for page in pages
        for side, aligned in _columns(page.segments)
        if (column := _in_steps(aligned))
    ]
    longer = [found for found in columns if len(found[2]) > 1]
    per_page = Counter(id(page) for page, _, _ in longer)
    certain = [
        (page, side, column)
        for page, side, column in longer
        # A page with many columns of numbers is a table.
        if per_page[id(page)] <= _MAX_COLUMNS and _numbers_most(page, column)
    ]
    with_text = sum(len({round(s.y) for s in page.segments}) > _MIN_NUMBERS for page in pages)
    numbered = len({id(page) for page, _, _ in certain})
    least = _OF_SEVERAL if numbered >= _SEVERAL else _PAGES
    if (
        sum(len(column) for _, _, column in certain) <= _MIN_NUMBERS
        or numbered <= least * with_text
    ):
        return
    near = {
        (side, _grid(column[0].edges[side]) + beside)
        for _, side, column in certain
        for beside in (-1, 0, 1)
    }
    step = _step([number.value for number in certain[0][2]])
    following = {1, step, *(column[-1].value + step for _, _, column in columns)}
    for page, side, column in columns:
        is_near = (side, _grid(column[0].edges[side])) in near
        goes_on = len(column) >= _MIN_NUMBERS or column[0].value in following
        if is_near and goes_on and not _is_crossed(page, column):
            page.segments = _without(page, column)


def _grid(place: float) -> int:
    return round(place / _ALIGNED)


def _columns(segments: Sequence[Segment]) -> Iterator[tuple[int, list[_Number]]]:
    """Yield numbers with the same left edge (side 0) or right edge (1), each from the top."""
    numbers = [number for segment in segments for number in _numbers(segment)]
    for side in (0, 1):
        numbers.sort(key=lambda number: number.edges[side])
        column: list[_Number] = []
        for number in numbers:
            if column and number.edges[side] - column[0].edges[side] > _ALIGNED:
                yield side, sorted(column, key=lambda found: -found.segment.y)
                column = []
            column.append(number)
        if column:
            yield side, sorted(column, key=lambda found: -found.segment.y)


def _numbers(segment: Segment) -> Iterator[_Number]:
    """Yield the numbers at the ends of a segment; a space before text is no distance from it."""
    if len(segment.text) <= 5 and (value := _value(segment.text)) is not None:
        yield _Number(value, (segment.x0, segment.x1), segment, "all")
        return
    space = _SPACE * segment.size
    head, tail = segment.head, segment.tail
    if (
        head
        and head[2] - head[1] > space
        and (value := _value(segment.text[: head[0]])) is not None
    ):
        yield _Number(value, (segment.x0, head[1]), segment, "head")
    if (
        tail
        and tail[1] - tail[2] > space
        and (value := _value(segment.text[-tail[0] :])) is not None
    ):
        yield _Number(value, (tail[1], segment.x1), segment, "tail")


def _value(text: str) -> int | None:
    """Return a number in digits of any script, raised or not."""
    digits = [unicodedata.digit(char, -1) for char in text]
    return None if -1 in digits else int("".join(map(str, digits)))


def _step(values: Sequence[int]) -> int:
    """Return the most frequent difference between neighbours, 0 if it is not usual."""
    steps = Counter(after - before for before, after in pairwise(values))
    step, times = steps.most_common(1)[0] if steps else (0, 0)
    return step if step > 0 and times >= _STEADY * (len(values) - 1) else 0


def _in_steps(column: list[_Number]) -> list[_Number]:
    """Return the numbers of a column that follow each other in equal steps."""
    if len(column) < 2:
        return column
    values = [number.value for number in column]
    step = _step(values)
    return [
        number
        for at, number in enumerate(column)
        if step and step in (*(b - a for a, b in pairwise(values[max(0, at - 1) : at + 2])),)
    ]


def _texts(page: PageSegments, column: Sequence[_Number]) -> Iterator[tuple[float, float, float]]:
    """Yield left end, right end and baseline of every text but the numbers of a column."""
    parts = {id(number.segment): number.part for number in column}
    for segment in page.segments:
        part = parts.get(id(segment))
        if part == "head" and segment.head:
            yield segment.head[2], segment.x1, segment.y
        elif part == "tail" and segment.tail:
            yield segment.x0, segment.tail[2], segment.y
        elif part is None:
            yield segment.x0, segment.x1, segment.y


def _strip(column: Sequence[_Number]) -> tuple[float, float]:
    return min(number.edges[0] for number in column), max(number.edges[1] for number in column)


def _is_crossed(page: PageSegments, column: Sequence[_Number]) -> bool:
    """Return whether text stands in the strip of a column of numbers, anywhere on the page."""
    left, right = _strip(column)
    crossing = sum(x0 < right and x1 > left for x0, x1, _ in _texts(page, column))
    return crossing > _CROSSED * len(column)


def _numbers_most(page: PageSegments, column: Sequence[_Number]) -> bool:
    """Return whether most lines beside a column of numbers have one, or every fifth has."""
    if _is_crossed(page, column):
        return False
    left, right = _strip(column)
    reach = _REACH * page.width
    texts = list(_texts(page, column))
    lines = (
        _rows([y for _, x1, y in texts if left - reach < x1 <= left + 1]),
        _rows([y for x0, _, y in texts if right - 1 <= x0 < right + reach]),
    )
    step = _step([number.value for number in column])
    return 0 < _NUMBERED * min(filter(None, lines), default=0) <= step * len(column)


def _rows(baselines: list[float]) -> int:
    """Return the number of lines on some baselines, indices aside; 0 for a single one."""
    baselines.sort()
    return sum(above - below > _MIN_LEADING for below, above in pairwise(baselines))


def _without(page: PageSegments, column: Sequence[_Number]) -> list[Segment]:
    """Return the segments of a page without the numbers of a column."""
    for number in column:
        segment = number.segment
        if number.part == "head" and segment.head:
            length, _, segment.x0 = segment.head
            segment.text, segment.head = segment.text[length:].lstrip(), None
        elif number.part == "tail" and segment.tail:
            length, _, segment.x1 = segment.tail
            segment.text, segment.tail = segment.text[:-length].rstrip(), None
    whole = {id(number.segment) for number in column if number.part == "all"}
    return [segment for segment in page.segments if id(segment) not in whole]
