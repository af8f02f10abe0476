"""Counts of bags as SciPy's sparse matrices, for taking rows and for many queries at once."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from pincite.representations.columns import Columns, Floats
from pincite.representations.tfidf import TfIdfSpace

from ..baselines.sparse import csc_matrix, csr_matrix


class TermCounts:
    """Counts of terms, one row per bag; the vocabulary grows with them and may be shared."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        # Arrays of Python, as there may be very many short rows.
        self._columns, self._counts, self._starts = array("i"), array("f"), array("q", [0])

    def add_columns(self, columns: npt.NDArray[np.int32]) -> None:
        """Add the row of a bag, given by the columns of its terms; negative ones are ignored."""
        distinct, counts = np.unique(columns[columns >= 0], return_counts=True)
        self._columns.frombytes(distinct.astype(np.int32).tobytes())
        self._counts.frombytes(counts.astype(np.float32).tobytes())
        self._starts.append(len(self._columns))

    def matrix(self) -> csr_matrix:
        """Return the rows so far, as wide as the current vocabulary (at least 1)."""
        return csr_matrix(
            (np.array(self._counts), np.array(self._columns), np.array(self._starts)),
            shape=(len(self._starts) - 1, max(1, len(self._vocabulary))),
        )


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

    inside = products(space.inside, len(space.norms))
    outside = products(space.outside, len(space.first_bag))
    found = (inside + outside[space.owner]) / space.norms[:, None]
    return np.asarray(np.maximum.reduceat(found, space.first_bag, axis=0), dtype=np.float64)
