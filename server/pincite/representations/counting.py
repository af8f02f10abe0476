"""Count the terms of rows, and order the counts by term.

Rows are counted in batches, at 5 bytes for each count, and converted to columns batch by batch:
with full texts there are tens of millions of postings.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..text.tokens import terms
from .columns import Columns, Counts, Floats, Rows
from .entry_terms import Numbering

#: Terms that are counted together: many enough for speed, few enough for memory.
_COUNTED_AT_ONCE = 1 << 20
Positions = npt.NDArray[np.intp]


class ColumnOfWord(dict[str, int]):
    """The column of each word as written, -1 for words that no bag counts; cached."""

    def __init__(self, vocabulary: Numbering) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> int:
        counted = terms((word,))
        column = self._vocabulary[counted[0]] if counted else -1
        self[word] = column
        return column


class CountedRows:
    """Collects rows of terms; a term is the number of its column, negative ones are skipped."""

    def __init__(self) -> None:
        #: The terms of the rows not yet counted, and how many each row has; of all rows `lengths`.
        self._terms = array("i")
        self._lengths = array("i")
        self._counted = 0
        self._parts: deque[tuple[npt.NDArray[np.int64], Rows, Counts]] = deque()

    def add(self, row: Iterable[int]) -> None:
        """Add the next row."""
        before = len(self._terms)
        self._terms.extend(row)
        self._lengths.append(len(self._terms) - before)
        if len(self._terms) >= _COUNTED_AT_ONCE:
            self._count()

    def extend(self, rows: Sequence[Sequence[int]]) -> None:
        """Add the next rows, much faster than one by one."""
        self._terms.extend(chain.from_iterable(rows))
        self._lengths.extend(map(len, rows))
        if len(self._terms) >= _COUNTED_AT_ONCE:
            self._count()

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """The number of terms of each row, negative ones included."""
        return np.array(self._lengths, dtype=np.int32)

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
        if not len(self._terms):
            self._counted = len(self._lengths)
            return
        lengths = np.array(self._lengths[self._counted :], dtype=np.intc)
        number = len(lengths)
        pairs = np.array(self._terms, dtype=np.int64)
        known = pairs >= 0
        pairs *= number
        pairs += np.repeat(np.arange(number), lengths)
        pairs = pairs[known]
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(first, append=len(pairs))
        terms_found, rows = np.divmod(pairs[first], number)
        self._parts.append(
            (
                np.bincount(terms_found),
                (rows + self._counted).astype(np.int32),
                counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
            )
        )
        self._terms, self._counted = array("i"), len(self._lengths)


def squares(columns: Columns, weights: Floats, rows: int) -> Floats:
    """Return for each row the sum of its squared counts times the weights of their terms."""
    total = np.zeros(rows)
    for block in columns.blocks():
        found = columns.block(block)
        total += found.squared().sums(weights[block], rows)
    return total


class Joined:
    """Rows inside, each joined with the one row outside of its owner.

    `owner` has the row outside of each row inside, in ascending order. The sums are never
    materialised: only the overlap of both sides is computed.
    """

    def __init__(
        self, inside: Columns, outside: Columns, owner: npt.NDArray[Any], owners: int
    ) -> None:
        self._inside, self._outside = inside, outside
        self._owner = owner
        self._sizes = np.bincount(owner, minlength=owners)

    def rows_with(self) -> npt.NDArray[np.int64]:
        """Return in how many joined rows each term is."""
        number = np.diff(self._inside.starts)
        for block in self._outside.blocks():
            found = self._outside.block(block)
            rows = np.bincount(
                found.terms, self._sizes[found.rows], minlength=block.stop - block.start
            )
            number[block] += rows.astype(np.int64)
            terms_found, _, _, _ = self._overlap(block)
            number[block] -= np.bincount(terms_found, minlength=block.stop - block.start)
        return number

    def owners_with(self) -> npt.NDArray[np.int64]:
        """Return of how many owners some row, inside or outside, has each term."""
        number = np.diff(self._outside.starts)
        for block in self._inside.blocks():
            found, which = self._inside.block(block), self._outside.block(block)
            owners = len(self._sizes)
            own = found.terms * owners + self._owner[found.rows]
            own = own[np.flatnonzero(np.diff(own, prepend=-1))]
            others = which.terms * owners + which.rows
            if len(others):
                own = own[others[np.searchsorted(others, own).clip(max=len(others) - 1)] != own]
            number[block] += np.bincount(own // owners, minlength=block.stop - block.start)
        return number

    def squares(self, weights: Floats, inside: Floats, outside: Floats) -> Floats:
        """Return for each joined row the sum of its squared counts times the terms' weights.

        `inside` and `outside` are what `squares` returns of the two sides.
        """
        if not len(self._outside):
            return inside
        total: Floats = inside + outside[self._owner]
        for block in self._outside.blocks():
            terms_found, rows, own, others = self._overlap(block)
            both = 2.0 * own * others * weights[block][terms_found]
            total += np.bincount(rows, both, minlength=len(total))
        return total

    def _overlap(self, block: slice) -> tuple[Positions, Rows, Floats, Floats]:
        """Return what rows have on both sides: place of the term, row inside, and both counts."""
        found, which = self._inside.block(block), self._outside.block(block)
        # Most owners have nothing outside.
        is_joined = np.zeros(len(self._sizes), dtype=np.bool_)
        is_joined[which.rows] = True
        kept = np.flatnonzero(is_joined[self._owner[found.rows]])
        terms_found, rows = found.terms[kept], found.rows[kept]
        own = terms_found * len(self._sizes) + self._owner[rows]
        others = which.terms * len(self._sizes) + which.rows
        places = np.searchsorted(others, own).clip(max=max(0, len(others) - 1))
        both = np.flatnonzero(others[places] == own) if len(others) else np.empty(0, np.intp)
        return (
            terms_found[both],
            rows[both],
            found.counts[kept][both].astype(np.float64),
            which.counts[places[both]].astype(np.float64),
        )
