"""What every ranker does, and what it gives back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.basis import Basis
from ..model.contexts import CitationContext
from ..model.papers import Candidates
from ..model.results import RankedEntry

_AT_ONCE = 256
Scores = npt.NDArray[np.float64]


class Ranking(Sequence[RankedEntry]):
    """All candidates, best first; an entry is made when it is looked at.

    Of tens of thousands of candidates, an author sees thirty.
    """

    def __init__(
        self,
        keys: Sequence[str],
        scores: Scores,
        by_key: npt.NDArray[np.intp],
        make: Callable[[int], RankedEntry],
    ) -> None:
        """Order candidates by falling score; `by_key` are their positions in the order of keys.

        `make` returns the entry of the candidate at a position.
        """
        self._keys = keys
        self.scores = scores
        self._by_key = by_key
        self._make = make

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates, best first; ties by key."""
        return self._best_first(self._by_key)

    def _position(self, key: str) -> int | None:
        at = bisect_left(self._by_key, key, key=self._keys.__getitem__)
        position = int(self._by_key[at]) if at < len(self) else None
        return None if position is None or self._keys[position] != key else position

    def of(self, key: str) -> RankedEntry | None:
        """Return the entry with a key, wherever it stands."""
        position = self._position(key)
        return None if position is None else self._make(position)

    def rank_of(self, key: str) -> int | None:
        """Return the place of a key in the ranking, from 1."""
        position = self._position(key)
        return None if position is None else int(np.flatnonzero(self.order == position)[0]) + 1

    def among(self, mask: npt.NDArray[np.bool_]) -> Iterator[RankedEntry]:
        """Yield the entries of the candidates in a mask, best first."""
        return self.entries(self._among(mask))

    def at(self, position: int) -> RankedEntry:
        """Return the entry of the candidate at a position, as in `order`."""
        return self._make(position)

    def entries(self, positions: npt.NDArray[np.intp]) -> Iterator[RankedEntry]:
        """Yield the entries of the candidates at some positions."""
        for start in range(0, len(positions), _AT_ONCE):
            check()
            yield from map(self._make, positions[start : start + _AT_ONCE].tolist())

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, rank: int) -> RankedEntry: ...

    @overload
    def __getitem__(self, rank: slice) -> list[RankedEntry]: ...

    def __getitem__(self, rank: int | slice) -> RankedEntry | list[RankedEntry]:
        if isinstance(rank, slice):
            return list(self.entries(self.order[rank]))
        return self._make(int(self.order[rank]))

    def __iter__(self) -> Iterator[RankedEntry]:
        shown = 0
        found = np.flatnonzero(self.scores > 0.0)
        if len(found) > _AT_ONCE and "order" not in self.__dict__:
            # To find the few that are mostly looked at is much faster than to sort all.
            least = np.partition(self.scores[found], -_AT_ONCE)[-_AT_ONCE]
            best = self._among(self.scores >= least)
            yield from self.entries(best)
            shown = len(best)
        yield from self.entries(self.order[shown:])

    def _among(self, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        return self._best_first(self._by_key[mask[self._by_key]])

    def _best_first(self, by_key: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return positions of candidates, given in the order of keys, best first."""
        scores = self.scores[by_key]
        # Most have nothing of a context in them, and are in order already.
        is_found = scores > 0.0
        if not is_found.any():
            return by_key
        found, others = np.flatnonzero(is_found), np.flatnonzero(~is_found)
        best_first = found[np.argsort(-scores[found], kind="stable")]
        order: npt.NDArray[np.intp] = by_key[np.concatenate([best_first, others])]
        return order


def no_ranking() -> Ranking:
    """Return the ranking of no candidates."""
    return Ranking((), np.empty(0), np.empty(0, dtype=np.intp), ().__getitem__)


class Ranker(Protocol):
    """Ranks candidates for a citation context.

    `fit` is slow and done once for a set of candidates, `take` goes on with what was `fitted` to
    the same ones before. `rank` is pure: it returns every candidate once, best first, ties broken
    by key. `explain` fills in the matched words and the reasons of some.
    """

    fitted: Any

    @property
    def by_key(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates in the order of keys."""
        ...

    @property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        ...

    def fit(self, candidates: Candidates) -> None:
        """Prepare for ranking these candidates."""

    def take(self, fitted: Any, candidates: Candidates) -> None:  # noqa: ANN401 - each its own
        """Rank with what was fitted before, on the same candidates."""

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates, best first."""
        ...

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words and reasons filled in."""
        ...
