"""Counts of bags as SciPy's sparse matrices, for taking rows and for many queries at once."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from pincite.representations.columns import Columns, Floats
from pincite.representations.tfidf import TfIdfSpace

from ..baselines.sparse import csc_matrix, csr_matrix, vstack

#: Words that are counted together: enough to be fast, few enough to save memory.
_COUNTED_AT_ONCE = 1 << 20


class TermCounts:
    """Counts of terms, one row per bag; the vocabulary grows with them and may be shared."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        #: The rows not yet counted: a column for each of their words, and where rows begin.
        self._columns = array("i")
        self._starts = array("l", [0])
        self._counted: list[csr_matrix] = []

    def add_columns(self, columns: npt.NDArray[np.int32]) -> None:
        """Add the row of a bag, given by the columns of its terms; negative ones are ignored."""
        self._columns.frombytes(columns.astype(np.int32, copy=False).tobytes())
        self._starts.append(len(self._columns))
        if len(self._columns) >= _COUNTED_AT_ONCE:
            self._count()

    def matrix(self) -> csr_matrix:
        """Return the rows so far, sorted and as wide as the current vocabulary (at least 1)."""
        self._count()
        width = max(1, len(self._vocabulary))
        for part in self._counted:
            part.resize(part.shape[0], width)
        if len(self._counted) != 1:
            none = csr_matrix((0, width), dtype=np.float32)
            self._counted = [vstack(self._counted, "csr") if self._counted else none]
        self._counted[0].sort_indices()
        return self._counted[0]

    def _count(self) -> None:
        """Count the pending rows together, because there may be very many short ones."""
        if len(self._starts) == 1:
            return
        columns = np.frombuffer(self._columns, dtype=np.intc)
        known = columns >= 0
        before = np.concatenate([[0], np.cumsum(known)])
        columns = columns[known]
        rows = csr_matrix(
            (np.ones(len(columns), np.float32), columns, before[np.frombuffer(self._starts, "l")]),
            shape=(len(self._starts) - 1, max(1, len(self._vocabulary))),
        )
        rows.sum_duplicates()
        self._counted.append(rows)
        self._columns, self._starts = array("i"), array("l", [0])


def columns_of(rows: csr_matrix) -> Columns:
    """Return counts by term, in the smallest type that holds them."""
    columns = rows.tocsc()
    columns.sort_indices()
    smallest = np.min_scalar_type(int(columns.data.max(initial=0)))
    return Columns(
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int32),
        columns.data.astype(smallest),
    )


def cosines(space: TfIdfSpace, queries: csr_matrix) -> Floats:
    """Return the cosine of every candidate's best bag with each of many queries.

    `queries` has a row of counts for each; the shape returned is candidates by queries.
    """
    weights = queries.data * space.idf[queries.indices]
    row = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
    norms = np.sqrt(np.bincount(row, weights * weights, minlength=queries.shape[0]))
    norms[norms == 0.0] = 1.0
    weights *= space.idf[queries.indices] / norms[row]
    shape = queries.shape[0], len(space.idf)
    vectors = csr_matrix((weights, queries.indices, queries.indptr), shape).T

    def products(counts: Columns, rows: int) -> Floats:
        shape = rows, len(space.idf)
        matrix = csc_matrix((counts.counts, counts.rows, counts.starts), shape)
        return np.asarray((matrix @ vectors).toarray(), dtype=np.float64)

    (counted,) = space.segments
    inside = products(counted.inside, len(space.norms))
    outside = products(counted.outside, len(space.first_bag))
    found = (inside + outside[space.owner]) / space.norms[:, None]
    return np.asarray(np.maximum.reduceat(found, space.first_bag, axis=0), dtype=np.float64)
