"""Counts by term, against the same matrix written out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pincite.representations.columns import Columns

SHAPES = st.tuples(st.integers(1, 30), st.integers(1, 8))
MATRICES = SHAPES.flatmap(lambda shape: arrays.arrays(np.uint8, shape, elements=st.integers(0, 3)))


def columns_of(matrix):
    rows, columns = np.nonzero(matrix.T)[::-1]
    starts = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
    return Columns(starts, rows.astype(np.int32), matrix[rows, columns])


@given(MATRICES, st.data())
def test_sums_of_postings_are_products_with_the_matrix(matrix, data):
    columns, (rows, width) = columns_of(matrix), matrix.shape
    chosen = data.draw(st.lists(st.integers(0, width - 1), max_size=width, unique=True))
    weights = np.asarray([data.draw(st.floats(0.01, 10.0)) for _ in chosen])
    found = columns.postings(np.asarray(chosen, dtype=np.intp))
    np.testing.assert_allclose(found.sums(weights, rows), matrix[:, chosen] @ weights, rtol=1e-12)


@given(MATRICES, st.data())
def test_postings_among_some_rows_are_those_of_the_matrix(matrix, data):
    columns, (rows, width) = columns_of(matrix), matrix.shape
    asked = data.draw(st.lists(st.integers(0, rows - 1), max_size=9, unique=True))
    chosen = data.draw(st.lists(st.integers(0, width - 1), max_size=width, unique=True))
    slots = np.full(rows, -1)
    slots[asked] = np.arange(len(asked))
    found = columns.postings_in(np.asarray(chosen, dtype=np.intp), slots)
    counts = np.zeros((len(asked), len(chosen)), dtype=np.uint8)
    counts[found.rows, found.terms] = found.counts
    assert counts.tolist() == matrix[np.ix_(asked, chosen)].tolist()
