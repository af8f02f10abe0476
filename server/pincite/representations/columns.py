"""Counts by term: a query reads the columns of its few terms from a large matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]
Number = TypeVar("Number", bound=np.generic)

#: The number of counts processed at a time when all are.
_BLOCK: Final = 1 << 20
_NO_ROWS: Final[Rows] = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The rows and counts of some terms, in lists: list i has ``sizes[i]`` of the term `asked[i]`.

    In each list, rows are in rising order. Terms are numbered in the order of the request; in a
    matrix of several segments, a term has a list for each.
    """

    rows: Rows
    counts: Counts
    sizes: npt.NDArray[np.int64]
    asked: npt.NDArray[np.intp]

    @property
    def terms(self) -> npt.NDArray[np.intp]:
        """The term of each posting."""
        return np.repeat(self.asked, self.sizes)

    def sums(self, weights: Floats, rows: int) -> Floats:
        """Return for each of `rows` rows the sum of its counts times the weights of their terms."""
        shares = np.repeat(weights[self.asked], self.sizes)
        shares *= self.counts
        return np.bincount(self.rows, shares, minlength=rows).astype(np.float64, copy=False)

    def squared(self) -> Postings:
        """Return the same with squares of the counts."""
        counts = np.square(self.counts, dtype=np.uint64)
        return Postings(self.rows, counts, self.sizes, self.asked)

    @classmethod
    def joined(cls, several: Sequence[Postings]) -> Postings:
        """Return the lists of one or several segments, one segment after the other."""
        return cls(
            np.concatenate([each.rows for each in several]),
            np.concatenate([each.counts for each in several]),
            np.concatenate([each.sizes for each in several]),
            np.concatenate([each.asked for each in several]),
        )


NO_POSTINGS: Final = Postings(
    _NO_ROWS, np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.intp)
)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix of counts, stored by column.

    Column i is the range from ``starts[i]`` to ``starts[i + 1]``: `rows` in rising order and their
    `counts`, in the smallest unsigned type that holds them all.
    """

    starts: npt.NDArray[np.int64]
    rows: Rows
    counts: Counts

    @classmethod
    def empty(cls, width: int) -> Columns:
        """Return empty columns."""
        counts: Counts = np.empty(0, dtype=np.uint8)
        return cls(np.zeros(width + 1, np.int64), _NO_ROWS, counts)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.starts) - 1

    def blocks(self) -> Iterator[slice]:
        """Yield all columns in ranges of about a million counts."""
        first = 0
        while first < self.width:
            most = int(self.starts[first]) + _BLOCK
            behind = int(np.searchsorted(self.starts, most, side="right")) - 1
            yield slice(first, max(first + 1, behind))
            first = max(first + 1, behind)

    def block(self, columns: slice) -> Postings:
        """Return the postings of neighbouring columns."""
        starts = self.starts[columns.start : columns.stop + 1]
        inside = slice(int(starts[0]), int(starts[-1]))
        sizes = np.diff(starts)
        return Postings(self.rows[inside], self.counts[inside], sizes, np.arange(len(sizes)))

    def only(self, wanted: npt.NDArray[np.bool_]) -> Columns:
        """Return the counts of some rows, which keep their numbers."""
        kept = np.flatnonzero(wanted[self.rows])
        starts = np.searchsorted(kept, self.starts)
        return Columns(starts.astype(np.int64), self.rows[kept], self.counts[kept])

    def of_terms(self, columns: npt.NDArray[np.integer[Any]]) -> Columns:
        """Return some columns, given in rising order; all others are empty."""
        found = self.postings(columns)
        sizes = np.zeros(self.width, np.int64)
        sizes[columns] = found.sizes
        return Columns(np.concatenate([[0], np.cumsum(sizes)]), found.rows, found.counts)

    def postings(self, columns: npt.NDArray[np.integer[Any]]) -> Postings:
        """Return the postings of some columns, one after the other."""
        starts, ends = self.starts[columns], self.starts[columns + 1]
        return Postings(
            _joined(self.rows, starts, ends),
            _joined(self.counts, starts, ends),
            ends - starts,
            np.arange(len(starts)),
        )

    def postings_in(self, columns: npt.NDArray[np.integer[Any]], slots: Rows) -> Postings:
        """Return the postings of some columns in the rows that have a slot, numbered by slots.

        `slots` has a number for each row; it is negative for all other rows.
        """
        starts, ends = self.starts[columns], self.starts[columns + 1]
        before = np.zeros(len(starts) + 1, np.int64)
        np.cumsum(ends - starts, out=before[1:])
        rows = _joined(self.rows, starts, ends)
        kept = (slots >= 0).take(rows).nonzero()[0]
        sizes = np.diff(np.searchsorted(kept, before))
        counts = self.counts[kept + np.repeat(starts - before[:-1], sizes)]
        return Postings(slots[rows[kept]], counts, sizes, np.arange(len(starts)))


@dataclass(frozen=True, slots=True, eq=False)
class LiveColumns:
    """The columns of several segments as one matrix, without rows that were replaced.

    Each segment comes with the places of its rows in the matrix, -1 for a row that is not live.
    """

    segments: tuple[tuple[Columns, Rows], ...]

    def __len__(self) -> int:
        """Return the number of postings in the segments, live or not."""
        return sum(len(columns) for columns, _ in self.segments)

    def postings(self, columns: npt.NDArray[np.integer[Any]]) -> Postings:
        """Return the postings of some columns, one segment after the other."""
        return self._found(columns, lambda places: places)

    def postings_in(self, columns: npt.NDArray[np.integer[Any]], slots: Rows) -> Postings:
        """Return the postings of some columns in some rows, as `Columns.postings_in` does."""
        return self._found(columns, lambda places: np.where(places < 0, -1, slots[places]))

    def _found(
        self, columns: npt.NDArray[np.integer[Any]], slots_of: Callable[[Rows], Rows]
    ) -> Postings:
        found = []
        for own, places in self.segments:
            known = np.flatnonzero(columns < own.width)
            live = own.postings_in(columns[known], slots_of(places))
            found.append(Postings(live.rows, live.counts, live.sizes, known))
        return Postings.joined(found)


def _joined(
    values: npt.NDArray[Number], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[Number]:
    """Return the values of some ranges, one after the other.

    By slices: the ranges are long, and gathering values one by one takes longer.
    """
    ranges = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.concatenate(
        [values[:0], *(values[start:end] for start, end in ranges if end > start)]
    )


def sums_of_cells(
    cells: npt.NDArray[np.integer[Any]], values: Floats, shape: tuple[int, int]
) -> Floats:
    """Return a matrix of the sums of the values in each cell; cells are numbered row by row."""
    sums = np.bincount(cells, values, minlength=shape[0] * shape[1])
    return np.asarray(sums.reshape(shape), np.float64)
