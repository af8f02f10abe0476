"""What all rankers share: candidates counted once in an index, and the ranking of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import repeat
from operator import le
from typing import Any, Final, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.basis import Basis, TextBasis
from ..model.contexts import CitationContext
from ..model.papers import Candidate, Candidates
from ..model.results import RankedEntry

_AT_ONCE = 256
#: More than the entries that an author is usually shown.
_MOST_SHOWN = 64
#: Where this share of neighbouring keys is in order, the .bib is sorted by key.
_IN_ORDER = 0.9
Scores = npt.NDArray[np.float64]


Index = TypeVar("Index")


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of candidates by position; `by_key` are their positions in the order of keys."""

    listed: tuple[str, ...]
    by_key: npt.NDArray[np.intp]

    @classmethod
    def of(cls, keys: Iterable[str]) -> Keys:
        """Take keys by position."""
        listed = tuple(keys)
        by_key = np.asarray(sorted(range(len(listed)), key=listed.__getitem__), dtype=np.intp)
        return cls(listed, by_key)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each candidate by its key."""
        return dict(zip(self.listed, range(len(self.listed)), strict=True))

    @cached_property
    def in_order(self) -> bool:
        """Whether the candidates are in the order of keys, up or down, or nearly."""
        lowered = list(map(str.lower, self.listed))
        share = sum(map(le, lowered, lowered[1:])) / max(1, len(lowered) - 1)
        return bool(share >= _IN_ORDER or share <= 1.0 - _IN_ORDER)

    def updated(
        self, keys: Iterable[str], changed: Collection[str]
    ) -> tuple[Keys, npt.NDArray[np.int32]]:
        """Return later keys, and of each candidate the position here, -1 for new and changed ones.

        Sorting all keys of a large bibliography takes longer than typing a letter.
        """
        listed = tuple(keys)
        if listed == self.listed:
            now, unchanged = self, np.arange(len(listed), dtype=np.int32)
        else:
            earlier = map(self.positions.get, listed, repeat(-1))
            unchanged = np.fromiter(earlier, np.int32, len(listed))
            now = Keys(listed, self._order_of(listed, unchanged))
        unchanged[[now.positions[key] for key in changed if key in now.positions]] = -1
        return now, unchanged

    def _order_of(
        self, listed: tuple[str, ...], earlier: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.intp]:
        """Return the positions of later keys in their order, most of which are in it here."""
        is_known = earlier >= 0
        position = np.full(len(self.listed), -1, np.intp)
        position[earlier[is_known]] = np.flatnonzero(is_known)
        order = position[self.by_key]
        order = order[order >= 0]
        added = sorted(np.flatnonzero(~is_known).tolist(), key=listed.__getitem__)
        places = [bisect_left(order, listed[at], key=listed.__getitem__) for at in added]
        return np.insert(order, places, added)


NO_KEYS: Final = Keys.of(())


class Ranking(Sequence[RankedEntry]):
    """All candidates, best first; an entry is created when it is accessed.

    Of tens of thousands of candidates, an author sees thirty.
    """

    def __init__(self, keys: Keys, scores: Scores, make: Callable[[int], RankedEntry]) -> None:
        """Order candidates by falling score.

        `make` returns the entry of the candidate at a position.
        """
        self._keys = keys.listed
        self._by_key = keys.by_key
        self.scores = scores
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
        """Return the entry with a key, whatever its rank."""
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
        if "order" not in self.__dict__:
            # Sorting the few that an author is shown is much faster than sorting all.
            found = np.flatnonzero(self.scores > 0.0)
            if len(found) > _MOST_SHOWN:
                scores = self.scores[found]
                found = found[scores >= np.partition(scores, -_MOST_SHOWN)[-_MOST_SHOWN]]
            by_key = np.asarray(sorted(found.tolist(), key=self._keys.__getitem__), np.intp)
            yield from self.entries(self._best_first(by_key))
            shown = len(by_key)
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


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Generic[Index]):
    """The result of fitting a ranker: an index of all candidates, in the order of `keys`.

    `bases` says what the ranking of each is based on.
    """

    index: Index
    keys: Keys
    bases: tuple[tuple[Basis, ...], ...]


class Ranker(ABC, Generic[Index]):
    """Ranks candidates for a citation context.

    `fit` is slow and done once for a set of candidates. `update` fits to candidates most of which
    an earlier ranker knows, `take` reuses what was `fitted` to the same ones before, and
    `fit_titles` does not read them. `rank` is pure: it returns every candidate once, best first,
    ties broken by key. `explain` adds the matched words and the reasons to some.
    """

    def __init__(self) -> None:
        #: None where there are no candidates.
        self.fitted: Fitted[Index] | None = None
        self._candidates = Candidates.of(())

    @property
    def keys(self) -> Keys:
        """The keys of the candidates."""
        return NO_KEYS if self.fitted is None else self.fitted.keys

    @property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        return () if self.fitted is None else self.fitted.bases

    def fit(self, candidates: Candidates) -> None:
        """Count the words of the candidates; each is read once."""
        if not candidates:
            self.fitted = None
            return
        noted = _Noted(candidates.each())
        index = self._counted(noted, len(candidates))
        self.take(Fitted(index, Keys.of(candidates), tuple(noted.bases)), candidates)

    def update(self, earlier: Any, candidates: Candidates, changed: Collection[str]) -> None:  # noqa: ANN401 - a ranker of the same kind
        """Count the words of candidates most of which an earlier ranker of this kind knows.

        `changed` are the keys of those that changed since.
        """
        known = earlier.fitted
        is_alike = type(earlier) is type(self) and self._continues(earlier)
        if known is None or not candidates or not is_alike:
            self.fit(candidates)
            return
        keys, unchanged = known.keys.updated(candidates, changed)
        at = np.flatnonzero(unchanged < 0).tolist()
        noted = _Noted(candidates[keys.listed[position]] for position in at)
        index = self._updated(earlier, unchanged, noted)
        bases = list(map((*known.bases, ()).__getitem__, unchanged.tolist()))
        for position, own in zip(at, noted.bases, strict=True):
            bases[position] = own
        self._take(Fitted(index, keys, tuple(bases)), candidates, earlier)

    def fit_titles(self, candidates: Candidates, titles: Iterable[str]) -> None:
        """Prepare for ranking these candidates by nothing but their `titles`, which is fast."""
        bases: tuple[tuple[Basis, ...], ...] = (("title",),) * len(candidates)
        index = self._titled(candidates, titles)
        self.take(Fitted(index, Keys.of(candidates), bases), candidates)

    def take(self, fitted: Fitted[Index], candidates: Candidates) -> None:
        """Rank with what was fitted before, on the same candidates."""
        self._take(fitted, candidates, None)

    def _take(self, fitted: Fitted[Index], candidates: Candidates, earlier: Any) -> None:  # noqa: ANN401 - as in `update`
        self.fitted, self._candidates = fitted, candidates
        self._begin(fitted, earlier)

    def rank(self, context: CitationContext, beside: Ranker[Any] | None = None) -> Ranking:
        """Return all candidates, best first.

        With another ranker `beside` it, scores are those in one list with its candidates; the order
        stays.
        """
        fitted, candidates = self.fitted, self._candidates
        if fitted is None:
            return Ranking(NO_KEYS, np.empty(0), ().__getitem__)
        check()
        scores, parts = self._scored(fitted.index, context, beside)

        def entry(position: int) -> RankedEntry:
            inside, outside, bag = parts(position)
            candidate, basis = candidates[fitted.keys.listed[position]], fitted.bases[position]
            return RankedEntry(candidate, float(scores[position]), inside, outside, basis, (), bag)

        return Ranking(fitted.keys, scores, entry)

    @abstractmethod
    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words and reasons filled in."""

    @abstractmethod
    def _counted(self, candidates: Iterable[Candidate], number: int) -> Index:
        """Return the index of so many candidates."""

    @abstractmethod
    def _updated(
        self,
        earlier: Any,  # noqa: ANN401 - as in `update`
        unchanged: npt.NDArray[np.int32],
        changed: Iterable[Candidate],
    ) -> Index:
        """Return the index of candidates most of which are unchanged.

        `unchanged` has the position of each in the index of an earlier ranker, -1 for those that
        `changed`, which come in this order.
        """

    @abstractmethod
    def _titled(self, candidates: Candidates, titles: Iterable[str]) -> Index:
        """Return the index of candidates of which only the titles are known."""

    @abstractmethod
    def _scored(
        self, index: Index, context: CitationContext, beside: Ranker[Any] | None
    ) -> tuple[Scores, Callable[[int], tuple[float, float, int]]]:
        """Return the rounded score of each candidate, and a function of its position.

        The latter returns the internal and the external part of the cosine, and the best bag.
        """

    @abstractmethod
    def _begin(self, fitted: Fitted[Index], earlier: Any) -> None:  # noqa: ANN401 - as in `update`
        """Forget what was cached for other candidates; with an `earlier` ranker, go on from it."""

    def _continues(self, earlier: Any) -> bool:  # noqa: ANN401 - as in `update`
        """Return whether the index of an earlier ranker can be updated."""
        del earlier
        return True


class _Noted:
    """Candidates, each read once, with what the ranking of each is based on."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._candidates = candidates
        self.bases: list[tuple[Basis, ...]] = []

    def __iter__(self) -> Iterator[Candidate]:
        for candidate in self._candidates:
            check()
            self.bases.append(basis_of(candidate))
            yield candidate


def basis_of(candidate: Candidate) -> tuple[Basis, ...]:
    """Return what a candidate's ranking is based on."""
    return _basis(candidate.paper.basis, bool(candidate.inlink_contexts))


@cache
def _basis(text: TextBasis, has_inlinks: bool) -> tuple[Basis, ...]:
    # The same few objects for all candidates.
    return (text, "inlink contexts") if has_inlinks else (text,)


def rounded(scores: Scores) -> Scores:
    """Round, so that rounding errors do not break ties."""
    return np.round(scores, 12)
