"""Remove line numbers from the segments of a PDF: `lineno`, Word, rulers of review copies.

They stand in a strip of their own that hardly any text crosses, on both sides or one, increase by
one step from the top, and number most lines of most pages. A list, a table or a reference list has
its numbers in the column of the text, or numbers few of the paper's lines.
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


class _Column(NamedTuple):
    """Numbers with the same left or right edge from the top; `step` is 0 for a single one."""

    page: PageSegments
    edge: str
    numbers: Sequence[Segment]
    step: int

    @property
    def place(self) -> int:
        return round(float(getattr(self.numbers[0], self.edge)) / _ALIGNED)


def remove_line_numbers(pages: Sequence[PageSegments]) -> None:
    """Remove the line numbers of a document from its segments, and join the parts of these."""
    for column in _line_numbers(pages):
        numbers = set(column.numbers)
        column.page.segments = [s for s in column.page.segments if s not in numbers]
    for page in pages:
        whole: list[Segment] = []
        for before, segment in zip([None, *page.segments], page.segments, strict=False):
            if before is None or segment.after is not before:
                whole.append(segment)
                continue
            first = whole[-1]
            if segment.x1 - segment.x0 > first.x1 - first.x0:
                first.y, first.size = segment.y, segment.size
            first.text = f"{first.text} {segment.text}"
            first.x0, first.x1 = min(first.x0, segment.x0), max(first.x1, segment.x1)
            first.bold &= segment.bold
            first.monospaced &= segment.monospaced
        page.segments = whole


def _line_numbers(pages: Sequence[PageSegments]) -> list[_Column]:
    columns: list[_Column] = []
    certain: list[_Column] = []
    for page in pages:
        found = [column for edge in ("x0", "x1") for column in _columns(page, edge)]
        columns += found
        # A page with many columns of numbers is a table.
        if sum(column.step > 0 for column in found) <= _MAX_COLUMNS:
            certain += filter(_numbers_most, found)
    with_text = sum(len({round(s.y) for s in page.segments}) > _MIN_NUMBERS for page in pages)
    numbered = len({id(column.page) for column in certain})
    share = _OF_SEVERAL if numbered >= _SEVERAL else _PAGES
    count = sum(len(column.numbers) for column in certain)
    if count <= _MIN_NUMBERS or numbered <= share * with_text:
        return []
    strips = {(column.edge, column.place + near) for column in certain for near in (-1, 0, 1)}
    return [
        column
        for column in columns
        if (column.edge, column.place) in strips and _beside(column) is not None
    ]


def _columns(page: PageSegments, edge: str) -> Iterator[_Column]:
    values = {
        segment: int("".join(str(unicodedata.digit(char)) for char in segment.text))
        for segment in page.segments
        if len(segment.text) <= 5 and segment.text.isdigit()  # raised or not, of any script
    }
    aligned: list[list[Segment]] = []
    for number in sorted(values, key=lambda number: float(getattr(number, edge))):
        if not aligned or getattr(number, edge) - getattr(aligned[-1][0], edge) > _ALIGNED:
            aligned.append([])
        aligned[-1].append(number)
    for numbers in aligned:
        numbers.sort(key=lambda number: -number.y)
        steps = [values[below] - values[above] for above, below in pairwise(numbers)]
        step, times = Counter(steps).most_common(1)[0] if steps else (0, 0)
        if step > 0 and times >= _STEADY * len(steps):
            near = zip([0, *steps], [*steps, 0], numbers, strict=True)
            yield _Column(page, edge, [number for *both, number in near if step in both], step)
        elif not steps:
            yield _Column(page, edge, numbers, 0)


def _numbers_most(column: _Column) -> bool:
    """Return whether most lines beside a column of numbers have one, or every fifth has."""
    if not column.step or (texts := _beside(column)) is None:
        return False
    reach = _REACH * column.page.width
    lines = (
        _rows([y for _, x1, y in texts if -reach < x1 <= 1]),
        _rows([y for x0, _, y in texts if -1 <= x0 < reach]),
    )
    least = _NUMBERED * min(filter(None, lines), default=0)
    return 0 < least <= column.step * len(column.numbers)


def _beside(column: _Column) -> list[tuple[float, float, float]] | None:
    """Return the other text of a page by its place; None if the column's strip has text.

    A place is the left end from the right edge of the strip, the right end from its left edge, and
    the baseline.
    """
    numbers = set(column.numbers)
    left, right = min(n.x0 for n in numbers), max(n.x1 for n in numbers)
    texts = [(s.x0 - right, s.x1 - left, s.y) for s in column.page.segments if s not in numbers]
    crossing = sum(x0 < 0 < x1 for x0, x1, _ in texts)
    return texts if crossing <= _CROSSED * len(numbers) else None


def _rows(baselines: list[float]) -> int:
    """Return the number of lines on some baselines, indices aside; 0 for a single one."""
    return sum(above - below > _MIN_LEADING for below, above in pairwise(sorted(baselines)))
