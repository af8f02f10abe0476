"""Counts by term: of a large matrix, a query looks at the columns of its few terms."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]

#: Counts that are looked at together, where all are.
_BLOCK: Final = 1 << 20
_NO_ROWS: Final[Rows] = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The rows and counts of some terms, one term after the other; `sizes` has a number for each.

    Of each term, the rows rise.
    """

    rows: Rows
    counts: Counts
    sizes: npt.NDArray[np.int64]

    @property
    def terms(self) -> npt.NDArray[np.intp]:
        """The place of each posting's term."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def sums(self, weights: Floats, rows: int) -> Floats:
        """Return for each of all `rows` the sum of its counts times the weights of their terms."""
        shares = np.repeat(weights, self.sizes)
        shares *= self.counts
        return np.bincount(self.rows, shares, minlength=rows).astype(np.float64, copy=False)

    def squared(self) -> Postings:
        """Return the same with squares of the counts."""
        return Postings(self.rows, np.square(self.counts, dtype=np.uint64), self.sizes)

    def among(self, slots: npt.NDArray[np.integer[Any]]) -> Postings:
        """Return those of rows that have a slot, by these; `slots` is negative for all others."""
        own = slots[self.rows]
        kept = np.flatnonzero(own >= 0)
        before = np.cumsum(self.sizes)
        ends = np.searchsorted(kept, before)
        sizes = np.diff(ends, prepend=0)
        return Postings(own[kept].astype(np.int32), self.counts[kept], sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix of counts, column after column; the arrays may lie in a file.

    Column i is what stands from ``starts[i]`` to ``starts[i + 1]``: `rows` in rising order and
    their `counts`, in the smallest unsigned type that holds them all.
    """

    starts: npt.NDArray[np.int64]
    rows: Rows
    counts: Counts
    #: What rows and counts lie in, where that is on the disk.
    files: tuple[mmap.mmap, ...] = ()

    def let_go(self) -> None:
        """Let go of what was looked at in files; the system has it for who looks again."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            for file in self.files:
                file.madvise(mmap.MADV_DONTNEED)

    def blocks(self) -> Iterator[slice]:
        """Yield all columns, together so many as have a million counts or so."""
        first, width = 0, len(self.starts) - 1
        while first < width:
            most = int(self.starts[first]) + _BLOCK
            behind = int(np.searchsorted(self.starts, most, side="right")) - 1
            yield slice(first, max(first + 1, behind))
            first = max(first + 1, behind)

    def block(self, columns: slice) -> Postings:
        """Return what stands in neighbouring columns."""
        starts = self.starts[columns.start : columns.stop + 1]
        inside = slice(int(starts[0]), int(starts[-1]))
        return Postings(self.rows[inside], self.counts[inside], np.diff(starts))

    def postings(self, columns: npt.NDArray[np.integer[Any]]) -> Postings:
        """Return what stands in some columns, one after the other."""
        starts, ends = self.starts[columns], self.starts[columns + 1]
        # Slices, because all of a column is wanted: to gather it takes longer.
        slices = [slice(*ends) for ends in zip(starts.tolist(), ends.tolist(), strict=True)]
        return Postings(
            np.concatenate([_NO_ROWS, *(self.rows[each] for each in slices)]),
            np.concatenate([self.counts[:0], *(self.counts[each] for each in slices)]),
            ends - starts,
        )
