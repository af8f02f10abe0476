"""Counts by term: a query reads the columns of its few terms from a large matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]
Number = TypeVar("Number", bound=np.generic)


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
