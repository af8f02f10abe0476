"""Counting the terms of bags, and putting the counts in order by term.

The rows are counted some at a time, in 5 bytes for each count, and become columns one part after
the other: with full texts there are tens of millions of counts.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, vstack

from ..text.tokens import terms
from .columns import Columns
from .mixed import Bag

#: Words that are counted together: enough to be fast, few enough for little memory.
_COUNTED_AT_ONCE = 1 << 20
#: Bags that are joined with their outer parts at once: one work may have very many of both.
_JOINED_AT_ONCE = 512


class ColumnOfWord(dict[str, int]):
    """The column of each word as written, looked up once: -1 for what a bag does not count."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self.vocabulary = vocabulary

    @property
    def width(self) -> int:
        """How many columns there are so far."""
        return len(self.vocabulary)

    def __missing__(self, word: str) -> int:
        vocabulary, counted = self.vocabulary, terms((word,))
        column = vocabulary.setdefault(counted[0], len(vocabulary)) if counted else -1
        self[word] = column
        return column


class TermCounts:
    """Counts of terms, a row for each bag; the vocabulary grows with them and may be shared."""

    def __init__(self, column_of: ColumnOfWord) -> None:
        self._column_of = column_of
        #: The rows not yet counted: a column for each of their words, and where rows begin.
        self._columns = array("i")
        self._starts = array("l", [0])
        self._counted: list[csr_matrix] = []

    def add(self, bag: Iterable[str]) -> None:
        """Add the row of a bag of words."""
        self._columns.extend(map(self._column_of.__getitem__, bag))
        self._end_row()

    def add_columns(self, columns: npt.NDArray[np.int32]) -> None:
        """Add the row of a bag that is given by the columns of its terms, others negative."""
        self._columns.frombytes(columns.astype(np.int32, copy=False).tobytes())
        self._end_row()

    def matrix(self) -> csr_matrix:
        """Return the rows so far, as wide as the vocabulary by now (at least 1)."""
        self._count()
        width = max(1, self._column_of.width)
        for part in self._counted:
            part.resize(part.shape[0], width)
        if len(self._counted) != 1:
            self._counted = [vstack(self._counted, "csr") if self._counted else _no_rows(width)]
        return self._counted[0]

    def _end_row(self) -> None:
        self._starts.append(len(self._columns))
        if len(self._columns) >= _COUNTED_AT_ONCE:
            self._count()

    def _count(self) -> None:
        """Count the waiting rows: together, because there may be very many short ones."""
        if len(self._starts) == 1:
            return
        columns = np.frombuffer(self._columns, dtype=np.intc)
        known = columns >= 0
        before = np.concatenate([[0], np.cumsum(known)])
        columns = columns[known]
        rows = csr_matrix(
            (np.ones(len(columns), np.float32), columns, before[np.frombuffer(self._starts, "l")]),
            shape=(len(self._starts) - 1, max(1, self._column_of.width)),
        )
        rows.sum_duplicates()
        self._counted.append(rows)
        self._columns, self._starts = array("i"), array("l", [0])


def _no_rows(width: int) -> csr_matrix:
    return csr_matrix((0, width), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class BagCounts:
    """The bags of some candidates that follow one another, counted.

    `inside` has a row for each bag, `outside` one for each candidate, whose bags all share it;
    `sizes` are the numbers of bags of the candidates.
    """

    inside: csr_matrix
    outside: csr_matrix
    sizes: npt.NDArray[np.intp]

    def joined(self) -> Iterator[csr_matrix]:
        """Yield the rows of the bags in order, the inner part and the outer part added up."""
        if not self.outside.nnz:
            yield self.inside
            return
        owner = np.repeat(np.arange(len(self.sizes)), self.sizes)
        inside, outside = self.inside.astype(np.float32), self.outside.astype(np.float32)
        for start in range(0, len(owner), _JOINED_AT_ONCE):
            these = slice(start, start + _JOINED_AT_ONCE)
            yield inside[these] + outside[owner[these]]


def counted(bags: Iterable[Bag], vocabulary: dict[str, int]) -> Iterator[BagCounts]:
    """Count bags that are grouped by candidate, all of a candidate together."""
    column_of = ColumnOfWord(vocabulary)
    inside, outside, sizes = TermCounts(column_of), TermCounts(column_of), array("l")
    words, candidate = 0, -1
    for bag in bags:
        if bag.candidate != candidate:
            if words >= _COUNTED_AT_ONCE:
                yield _small(inside, outside, sizes)
                inside, outside, sizes = TermCounts(column_of), TermCounts(column_of), array("l")
                words = 0
            candidate = bag.candidate
            outside.add(bag.external)
            sizes.append(0)
            words += len(bag.external)
        inside.add(bag.internal)
        sizes[-1] += 1
        words += len(bag.internal)
    if sizes:
        yield _small(inside, outside, sizes)


def _small(inside: TermCounts, outside: TermCounts, sizes: array[int]) -> BagCounts:
    return BagCounts(
        with_small_counts(inside.matrix()),
        with_small_counts(outside.matrix()),
        np.array(sizes, dtype=np.intp),
    )


def with_small_counts(rows: csr_matrix) -> csr_matrix:
    """Return rows with their counts in the smallest unsigned type that holds them all."""
    return rows.astype(np.min_scalar_type(int(rows.data.max(initial=0))))


def columns_of(parts: deque[csr_matrix], width: int) -> Columns:
    """Return the columns of rows that come in parts; a part that became columns is let go of."""
    total = np.zeros(width, dtype=np.int64)
    for part in parts:
        total += np.bincount(part.indices, minlength=width)
    starts = np.concatenate([[0], np.cumsum(total)])
    rows = np.empty(int(starts[-1]), dtype=np.int32)
    counts = np.empty(len(rows), dtype=np.result_type(np.uint8, *(part.dtype for part in parts)))
    free, first_row = starts[:-1].copy(), 0
    while parts:
        part = parts.popleft().tocsc()
        sizes = np.diff(part.indptr)
        behind = len(sizes)
        places = np.repeat(free[:behind] - part.indptr[:-1], sizes) + np.arange(part.nnz)
        rows[places] = part.indices + np.int32(first_row)
        counts[places] = part.data
        free[:behind] += sizes
        first_row += part.shape[0]
    return Columns(starts, rows, counts)
