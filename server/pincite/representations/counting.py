"""Count the terms of rows, and order the counts by term.

Rows are counted in batches, at 5 bytes for each count, and converted to columns batch by batch:
with full texts there are tens of millions of postings.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from .columns import Columns, Counts, Floats, Rows

#: Terms that are counted together: many enough for speed, few enough for memory.
_COUNTED_AT_ONCE = 1 << 20


class CountedRows:
    """Collects rows of terms; a term is the number of its column, negative ones are skipped."""

    def __init__(self) -> None:
        #: The terms of the rows not yet counted, how many each row has, and the rows before them.
        self._terms = array("i")
        self._lengths = array("i")
        self._counted = 0
        self._parts: deque[tuple[npt.NDArray[np.int64], Rows, Counts]] = deque()

    def extend(self, rows: Sequence[Sequence[int]]) -> None:
        """Add the next rows."""
        self._terms.extend(chain.from_iterable(rows))
        self._lengths.extend(map(len, rows))
        if len(self._terms) >= _COUNTED_AT_ONCE:
            self._count()

    def columns(self, width: int) -> Columns:
        """Return the counts of terms below `width`, and release the rows."""
        self._count()
        sizes = np.zeros(width, dtype=np.int64)
        for own, _, _ in self._parts:
            sizes[: len(own)] += own
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.empty(int(starts[-1]), dtype=np.int32)
        counts: Counts = np.empty(
            len(rows), dtype=np.result_type(np.uint8, *(each.dtype for _, _, each in self._parts))
        )
        free = starts[:-1].copy()
        while self._parts:
            own, part_rows, part_counts = self._parts.popleft()
            before = np.cumsum(own) - own
            places = np.repeat(free[: len(own)] - before, own) + np.arange(len(part_rows))
            rows[places], counts[places] = part_rows, part_counts
            free[: len(own)] += own
        return Columns(starts, rows, counts)

    def _count(self) -> None:
        """Count the rows collected so far, together: there may be very many short ones."""
        lengths = np.array(self._lengths, dtype=np.intc)
        number = len(lengths)
        pairs = np.array(self._terms, dtype=np.int64)
        known = pairs >= 0
        pairs *= number
        pairs += np.repeat(np.arange(number), lengths)
        pairs = pairs[known]
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(first, append=len(pairs))
        terms_found, rows = np.divmod(pairs[first], max(1, number))
        self._parts.append(
            (
                np.bincount(terms_found),
                (rows + self._counted).astype(np.int32),
                counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
            )
        )
        self._terms, self._lengths = array("i"), array("i")
        self._counted += number


def squares(columns: Columns, weights: Floats, rows: int) -> Floats:
    """Return for each row the sum of its squared counts times the weights of their terms."""
    total, terms = np.zeros(rows), columns.terms
    for some in _slices(columns):
        shares = weights[terms[some]] * np.square(columns.counts[some], dtype=np.float64)
        total += np.bincount(columns.rows[some], shares, minlength=rows)
    return total


def joined_squares(
    inside: Columns, outside: Columns, owner: npt.NDArray[np.int32], weights: Floats, owners: int
) -> Floats:
    """Return what `squares` does for rows inside, each joined with the row outside of its owner.

    `owner` has the row outside of each row inside, in ascending order. The sums of both are never
    materialised: an entry has many passages, and may be cited by many papers.
    """
    if not len(outside):
        return squares(inside, weights, len(owner))
    total = squares(outside, weights, owners)[owner]
    others = outside.terms.astype(np.int64) * owners + outside.rows
    terms = inside.terms
    for some in _slices(inside):
        term, row, count = terms[some], inside.rows[some], inside.counts[some].astype(np.float64)
        cell = term.astype(np.int64) * owners + owner[row]
        at = np.searchsorted(others, cell).clip(max=len(others) - 1)
        other = np.where(others[at] == cell, outside.counts[at], 0)
        # (own + other)² without other², which is counted above.
        shares = weights[term] * count * (count + 2.0 * other)
        total += np.bincount(row, shares, minlength=len(owner))
    return total


def _slices(columns: Columns) -> Iterator[slice]:
    """Yield ranges of postings: all together would take much memory."""
    return (
        slice(start, start + _COUNTED_AT_ONCE) for start in range(0, len(columns), _COUNTED_AT_ONCE)
    )
