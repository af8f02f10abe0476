"""Counts by term: of a large matrix, a query looks at the columns of its few terms."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]


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

    def column(self, column: int) -> tuple[Rows, Counts]:
        """Return the rows and counts of a column."""
        start, end = self.starts[column], self.starts[column + 1]
        return self.rows[start:end], self.counts[start:end]

    def sums(self, columns: Sequence[int], weights: Floats, rows: int) -> Floats:
        """Return for each of all `rows` the sum of its counts in some columns times weights."""
        chosen = [self.column(column) for column in columns]
        sparse = sys.modules.get("scipy.sparse")
        if (csc_matrix := getattr(sparse, "csc_matrix", None)) is None or not chosen:
            # The first list cannot wait for SciPy, which takes longer to import than this does.
            sums = np.zeros(rows)
            for (found, counts), weight in zip(chosen, weights.tolist(), strict=True):
                sums[found] += counts * weight  # no row comes twice in a column
            return sums
        ends = np.cumsum([0, *(len(found) for found, _ in chosen)], dtype=np.int64)
        parts = [np.concatenate(part) for part in zip(*chosen, strict=True)]
        matrix = csc_matrix((parts[1], parts[0], ends), (rows, len(chosen)))
        return np.asarray(matrix @ weights, dtype=np.float64)

    def counts_in(self, rows: Rows, column: int) -> Floats:
        """Return the counts that some rows have in a column."""
        kept, counts = self.column(column)
        if not len(kept):
            return np.zeros(len(rows))
        # Both of one type, or what is looked through would be converted first.
        places = np.minimum(kept.searchsorted(rows), len(kept) - 1)
        return np.where(kept[places] == rows, counts[places], 0).astype(np.float64)
