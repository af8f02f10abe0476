"""Counts by term, against the same matrix written out."""

import sys

import numpy as np
import pytest
import scipy.sparse
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
def test_sums_are_the_same_with_scipy_and_without(matrix, data):
    columns, (rows, width) = columns_of(matrix), matrix.shape
    chosen = data.draw(st.lists(st.integers(0, width - 1), max_size=width, unique=True))
    weights = np.asarray([data.draw(st.floats(0.01, 10.0)) for _ in chosen])
    assert scipy.sparse.csc_matrix is not None
    with_scipy = columns.sums(chosen, weights, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "scipy.sparse")
        without = columns.sums(chosen, weights, rows)
    np.testing.assert_allclose(with_scipy, without, rtol=1e-15)
    np.testing.assert_allclose(with_scipy, matrix[:, chosen] @ weights, rtol=1e-12)


@given(MATRICES, st.data())
def test_counts_of_some_rows_are_those_of_the_matrix(matrix, data):
    columns, (rows, width) = columns_of(matrix), matrix.shape
    asked = np.asarray(data.draw(st.lists(st.integers(0, rows - 1), max_size=9)), dtype=np.int32)
    column = data.draw(st.integers(0, width - 1))
    assert columns.counts_in(asked, column).tolist() == matrix[asked, column].tolist()
