"""Very many lists of numbers in two arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from .entry_terms import Ids

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Lists of numbers: list i is the range from ``starts[i]`` to ``starts[i + 1]`` of `values`.

    The numbers are int32.
    """

    starts: npt.NDArray[np.int64]
    values: Ids

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Lists:
        """Return lists of Python integers in the order given."""
        values = np.array(array("i", chain.from_iterable(lists)), np.int32)
        return cls.of_sizes(list(map(len, lists)), values)

    @classmethod
    def of_sizes(cls, sizes: npt.ArrayLike, values: Ids) -> Lists:
        """Return lists of the given sizes, whose numbers are `values`."""
        return cls(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), values)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> Ids:
        return self.values[self.starts[number] : self.starts[number + 1]]

    def inverted(self, number: int) -> Lists:
        """Return for each value below `number` the lists that contain it, in rising order."""
        owner = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        order = np.argsort(self.values, kind="stable")
        sizes = np.bincount(self.values, minlength=number)
        return Lists.of_sizes(sizes, owner[order])

    def sizes_of(self, numbers: Positions | Ids) -> npt.NDArray[np.int64]:
        """Return the lengths of some lists."""
        return np.asarray(self.starts[numbers + 1] - self.starts[numbers])

    def of_several(self, numbers: Positions | Ids) -> tuple[Ids, Positions]:
        """Return the values of some lists, and for each the index of its list in `numbers`."""
        sizes = self.sizes_of(numbers)
        return self.values[ranges(self.starts[numbers], sizes)], np.repeat(
            np.arange(len(numbers)), sizes
        )


def ranges(starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Positions:
    """Return the indices of ranges with the given starts and sizes, one after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
