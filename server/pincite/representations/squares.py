"""The lengths of a segment's rows under another IDF, without reading all of its counts again.

When n entries become m, and a term is in df of them and then in df', its weight goes from
``w = ln((1 + n) / (1 + df)) + 1`` to ``w + s + d``: the shift ``s = ln((1 + m) / (1 + n))`` is the
same for all terms, and d is 0 where df' = df. So the squared length of a row with the counts c is
``Σc²w² + 2s Σc²w + s² Σc²``, and only postings of terms whose df changed have to be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

import numpy as np

from .columns import Floats
from .segments import Segment

#: Less than any change of an IDF, more than the error of computing one.
_SMALLEST_CHANGE: Final = 1e-10


class SquaredLengths:
    """The squared lengths of a segment's rows under the IDF of one index, and of others."""

    def __init__(self, segment: Segment, idf: Floats, entries: int) -> None:
        """Take a segment and the IDF of terms over the entries of an index, which has so many."""
        self._segment = segment
        self._idf = idf[: segment.width]
        self._entries = entries

    @cached_property
    def _moments(self) -> tuple[Mapping[str, Floats], ...]:
        """The sums of c², c²w and c²w² of each row of each field."""
        weights = np.ones(len(self._idf)), self._idf, self._idf**2
        return tuple(map(self._segment.squares, weights))

    def under(self, idf: Floats, entries: int) -> Mapping[str, Floats]:
        """Return what `Segment.squares` does for an IDF over so many entries.

        Rows of entries that are not among these may come out as anything.
        """
        shift = float(np.log((1.0 + entries) / (1.0 + self._entries)))
        now, shifted = idf[: len(self._idf)], self._idf + shift
        changed = np.flatnonzero(np.abs(now - shifted) > _SMALLEST_CHANGE)
        rest = self._segment.of_terms(changed).squares(now**2 - shifted**2)
        zeroth, first, second = self._moments
        return {
            name: np.maximum(
                second[name] + shift * (2.0 * first[name] + shift * zeroth[name]) + rest[name], 0.0
            )
            for name in rest
        }
