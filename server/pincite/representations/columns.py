"""Counts by term: of a large matrix, a query looks at the columns of its few terms."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A sparse matrix of counts, column after column; the arrays may lie in a file.

    Column i is what stands from ``starts[i]`` to ``starts[i + 1]``: `rows` in rising order and
    their `counts`, in the smallest unsigned type that holds them all.
    """

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.unsignedinteger[Any]]
    #: What rows and counts lie in, where that is on the disk.
    files: tuple[mmap.mmap, ...] = ()

    def let_go(self) -> None:
        """Let go of what was looked at in files; the system has it for who looks again."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            for file in self.files:
                file.madvise(mmap.MADV_DONTNEED)

    def column(self, column: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """Return the rows and counts of a column."""
        start, end = self.starts[column], self.starts[column + 1]
        return self.rows[start:end], self.counts[start:end].astype(np.float64)

    def counts_in(self, rows: npt.NDArray[np.int32], column: int) -> Floats:
        """Return the counts that some rows have in a column."""
        start, end = self.starts[column], self.starts[column + 1]
        kept, counts = self.rows[start:end], self.counts[start:end]
        if not len(kept):
            return np.zeros(len(rows))
        # Both of one type, or what is looked through would be converted first.
        places = np.minimum(kept.searchsorted(rows), len(kept) - 1)
        return np.where(kept[places] == rows, counts[places], 0).astype(np.float64)
