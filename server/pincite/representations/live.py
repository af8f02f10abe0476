"""What several segments have of an index: entries that were replaced are in a segment, not live.

A segment is counted once and never changes. An index takes its entries from one segment or from
several: from a large one those that are as they were, from small ones those that changed since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .columns import Columns, LiveColumns
from .entry_terms import Ids
from .lists import Positions, ranges

Numbers = npt.NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """Which entries of segments an index has, in its order.

    `chosen` has the place of each among all entries of all segments, one segment after the other;
    None for those of one segment, all of them and in order. `numbers` has the number of entries of
    each segment.
    """

    numbers: Sequence[int]
    chosen: Positions | None = None

    def updated(self, unchanged: Ids) -> Live:
        """Return the entries of a later index, those that changed in one more segment.

        `unchanged` has the place in this index of each entry of the later one, -1 for each that
        changed: these are the entries of the new segment, in this order.
        """
        changed = unchanged < 0
        known = unchanged if self.chosen is None else self.chosen[unchanged]
        added = sum(self.numbers) - 1 + np.cumsum(changed)
        chosen = np.where(changed, added, known).astype(np.intp)
        return Live((*self.numbers, int(changed.sum())), chosen)

    def __len__(self) -> int:
        return sum(self.numbers) if self.chosen is None else len(self.chosen)

    def of(self, values: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
        """Return the values of the entries, of those of all entries of each segment."""
        return values[0] if self.chosen is None else np.concatenate(values)[self.chosen]

    def gone(self) -> list[npt.NDArray[np.bool_]]:
        """Return for each segment a mask of the entries that are not live."""
        gone = np.full(sum(self.numbers), self.chosen is not None)
        if self.chosen is not None:
            gone[self.chosen] = False
        return np.split(gone, np.cumsum(self.numbers)[:-1])

    def places(self) -> list[Ids]:
        """Return for each segment the places of its entries in the index, -1 for none."""
        places = np.full(sum(self.numbers), -1, np.int32)
        chosen = slice(None) if self.chosen is None else self.chosen
        places[chosen] = np.arange(len(self), dtype=np.int32)
        return np.split(places, np.cumsum(self.numbers)[:-1])

    def rows(self, sizes: Sequence[Numbers]) -> LiveRows:
        """Return the rows of the entries, of which those of each segment have so many."""
        own = self.of(sizes)
        first = np.cumsum(own) - own
        owner = np.repeat(np.arange(len(own), dtype=np.int32), own)
        numbers = [int(each.sum()) for each in sizes]
        if self.chosen is None:
            return LiveRows(first, owner, Live(numbers))
        all_sizes = np.concatenate(sizes)
        begins = (np.cumsum(all_sizes) - all_sizes)[self.chosen]
        return LiveRows(first, owner, Live(numbers, ranges(begins, own)))


@dataclass(frozen=True, slots=True, eq=False)
class LiveRows:
    """The rows of the entries of an index: those of entry i start at ``first[i]``.

    `owner` has the entry of each row, `live` says which rows of the segments these are.
    """

    first: Numbers
    owner: Ids
    live: Live

    def columns(self, segments: Sequence[Columns]) -> Columns | LiveColumns:
        """Return the counts of the rows, of those of all rows of each segment."""
        if self.live.chosen is None:
            return segments[0]
        return LiveColumns(tuple(zip(segments, self.live.places(), strict=True)))
