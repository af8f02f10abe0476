"""Very many lists of numbers, and counts by term, in few arrays.

A query reads the columns of its few terms from a large matrix of counts.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]
Positions = npt.NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Lists of numbers: list i is the range from ``starts[i]`` to ``starts[i + 1]`` of `values`.

    The numbers are int32.
    """

    starts: npt.NDArray[np.int64]
    values: Rows

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Lists:
        """Return lists of Python integers in the order given."""
        values = np.array(array("i", chain.from_iterable(lists)), np.int32)
        return cls.of_sizes(list(map(len, lists)), values)

    @classmethod
    def of_sizes(cls, sizes: npt.ArrayLike, values: Rows) -> Lists:
        """Return lists of the given sizes, whose numbers are `values`."""
        return cls(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), values)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> Rows:
        return self.values[self.starts[number] : self.starts[number + 1]]

    def inverted(self, number: int) -> Lists:
        """Return for each value below `number` the lists that contain it, in rising order."""
        owner = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        order = np.argsort(self.values, kind="stable")
        sizes = np.bincount(self.values, minlength=number)
        return Lists.of_sizes(sizes, owner[order])

    def sizes_of(self, numbers: Positions | Rows) -> npt.NDArray[np.int64]:
        """Return the lengths of some lists."""
        return np.asarray(self.starts[numbers + 1] - self.starts[numbers])

    def of_several(self, numbers: Positions | Rows) -> tuple[Rows, Positions]:
        """Return the values of some lists, and for each the index of its list in `numbers`."""
        sizes = self.sizes_of(numbers)
        return self.values[ranges(self.starts[numbers], sizes)], np.repeat(
            np.arange(len(numbers)), sizes
        )


def ranges(starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Positions:
    """Return the indices of ranges with the given starts and sizes, one after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The rows and counts of some terms, in lists: list i has ``sizes[i]`` of the term i.

    In each list, rows are in rising order. Terms are numbered in the order of the request.
    """

    rows: Rows
    counts: Counts
    sizes: npt.NDArray[np.int64]

    @property
    def terms(self) -> npt.NDArray[np.intp]:
        """The term of each posting."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sums(self, weights: Floats, rows: int) -> Floats:
        """Return for each of `rows` rows the sum of its counts times the weights of their terms."""
        shares = np.repeat(weights, self.sizes)
        shares *= self.counts
        return np.bincount(self.rows, shares, minlength=rows).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix of counts, stored by column.

    Column i is the range from ``starts[i]`` to ``starts[i + 1]``: `rows` in rising order and their
    `counts`, in the smallest unsigned type that holds them all.
    """

    starts: npt.NDArray[np.int64]
    rows: Rows
    counts: Counts

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def terms(self) -> npt.NDArray[np.int32]:
        """The term of each posting."""
        sizes = np.diff(self.starts)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def postings(self, columns: npt.NDArray[np.integer[Any]]) -> Postings:
        """Return the postings of some columns, one after the other."""
        starts, ends = self.starts[columns], self.starts[columns + 1]
        return Postings(
            _joined(self.rows, starts, ends),
            _joined(self.counts, starts, ends),
            ends - starts,
        )

    def postings_in(self, columns: npt.NDArray[np.integer[Any]], slots: Rows) -> Postings:
        """Return the postings of some columns in the rows that have a slot, numbered by slots.

        `slots` has a number for each row; it is negative for all other rows.
        """
        starts, ends = self.starts[columns], self.starts[columns + 1]
        before = np.zeros(len(starts) + 1, np.int64)
        np.cumsum(ends - starts, out=before[1:])
        rows = _joined(self.rows, starts, ends)
        chosen = (slots >= 0).take(rows).nonzero()[0]
        sizes = np.diff(np.searchsorted(chosen, before))
        counts = self.counts[chosen + np.repeat(starts - before[:-1], sizes)]
        return Postings(slots[rows[chosen]], counts, sizes)


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
