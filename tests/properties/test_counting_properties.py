"""Counting by arrays, against counting by hand."""

from collections import Counter
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pincite.representations import counting
from pincite.representations.counting import CountedRows, joined_squares, squares

WIDTH = 5
#: Negative terms are none.
ROWS = st.lists(st.lists(st.integers(-1, WIDTH - 1), max_size=8), min_size=1, max_size=6)
#: For each owner its row outside, and those inside.
OWNERS = st.lists(
    st.tuples(st.lists(st.integers(0, WIDTH - 1), max_size=6), ROWS), min_size=1, max_size=5
)
WEIGHTS = st.lists(st.floats(0.1, 9.0), min_size=WIDTH, max_size=WIDTH).map(np.asarray)
AT_ONCE = st.sampled_from([1, 4, 1 << 20])


def counted(rows, at_once):
    growing = CountedRows()
    with mock.patch.object(counting, "_COUNTED_AT_ONCE", at_once):
        for row in rows:
            growing.extend([row])
        return growing.columns(WIDTH)


def dense(found, rows):
    matrix = np.zeros((rows, WIDTH), dtype=np.int64)
    for term in range(WIDTH):
        own = found.postings(np.asarray([term]))
        assert own.rows.tolist() == sorted(set(own.rows.tolist()))
        matrix[own.rows, term] = own.counts
    return matrix


def by_hand(rows):
    counts = map(Counter, rows)
    return np.asarray([[own[term] for term in range(WIDTH)] for own in counts])


@given(ROWS, AT_ONCE)
def test_counts_are_those_of_a_counter(rows, at_once):
    found = counted(rows, at_once)
    assert dense(found, len(rows)).tolist() == by_hand(rows).tolist()


@given(ROWS, WEIGHTS, AT_ONCE)
def test_squares_are_those_of_the_rows(rows, weights, at_once):
    found = counted(rows, at_once)
    with mock.patch.object(counting, "_COUNTED_AT_ONCE", at_once):
        np.testing.assert_allclose(
            squares(found, weights, len(rows)), (by_hand(rows) ** 2 * weights).sum(axis=1)
        )


@given(OWNERS, WEIGHTS, AT_ONCE)
def test_squares_of_joined_rows_are_those_of_rows_joined_by_hand(owners, weights, at_once):
    outside = [own for own, _ in owners]
    inside = [row for _, rows in owners for row in rows]
    owner = np.repeat(np.arange(len(owners)), [len(rows) for _, rows in owners])
    both = by_hand(inside) + by_hand(outside)[owner]
    columns = counted(inside, at_once), counted(outside, at_once)
    with mock.patch.object(counting, "_COUNTED_AT_ONCE", at_once):
        np.testing.assert_allclose(
            joined_squares(*columns, owner, weights, len(owners)), (both**2 * weights).sum(axis=1)
        )
