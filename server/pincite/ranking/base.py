"""What all rankers share: candidates counted once in an index, and the ranking of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import le
from typing import Any, Final, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.contexts import CitationContext
from ..model.papers import Basis, Candidate, Candidates
from ..model.results import RankedEntry

_AT_ONCE = 256
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


NO_KEYS: Final = Keys.of(())


class Ranking(Sequence[RankedEntry]):
    """All candidates, best first; an entry is created when it is accessed.

    Of tens of thousands of candidates, an author sees thirty.
    """

    def __init__(self, keys: Keys, scores: Scores, make: Callable[[int], RankedEntry]) -> None:
        """Order candidates by falling score.

        `make` returns the entry of the candidate at a position, as `at` then does.
        """
        self._keys = keys
        self.scores = scores
        self.at = make

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates, best first; ties by key."""
        return self._best_first(self._keys.by_key)

    def of(self, key: str) -> RankedEntry | None:
        """Return the entry with a key, whatever its rank."""
        position = self._keys.positions.get(key)
        return None if position is None else self.at(position)

    def rank_of(self, key: str) -> int | None:
        """Return the place of a key in the ranking, from 1."""
        position = self._keys.positions.get(key)
        return None if position is None else int(np.flatnonzero(self.order == position)[0]) + 1

    def among(self, mask: npt.NDArray[np.bool_]) -> Iterator[RankedEntry]:
        """Yield the entries of the candidates in a mask, best first."""
        by_key = self._keys.by_key
        return self.entries(self._best_first(by_key[mask[by_key]]))

    def entries(self, positions: npt.NDArray[np.intp]) -> Iterator[RankedEntry]:
        """Yield the entries of the candidates at some positions."""
        for start in range(0, len(positions), _AT_ONCE):
            check()
            yield from map(self.at, positions[start : start + _AT_ONCE].tolist())

    def __len__(self) -> int:
        return len(self._keys.listed)

    @overload
    def __getitem__(self, rank: int) -> RankedEntry: ...

    @overload
    def __getitem__(self, rank: slice) -> list[RankedEntry]: ...

    def __getitem__(self, rank: int | slice) -> RankedEntry | list[RankedEntry]:
        if isinstance(rank, slice):
            return list(self.entries(self.order[rank]))
        return self.at(int(self.order[rank]))

    def __iter__(self) -> Iterator[RankedEntry]:
        yield from self.entries(self.order)

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


class Ranker(ABC, Generic[Index]):
    """Ranks candidates for a citation context.

    `fit` is slow and done once for a set of candidates; `fit_titles` does not read them. `rank` is
    pure: it returns every candidate once, best first, ties broken by key. `explain` adds the
    matched words and the reasons to some.
    """

    def __init__(self) -> None:
        #: The index of all candidates in the order of `keys`, None where there are none.
        self.index: Index | None = None
        self.keys = NO_KEYS
        #: What the ranking of each candidate rests on.
        self.bases: tuple[tuple[Basis, ...], ...] = ()
        #: What a ranker by meaning encodes of each candidate; nothing if only titles are known.
        self.described: tuple[str, ...] = ()
        self._candidates = Candidates.of(())

    def fit(self, candidates: Candidates) -> None:
        """Count the words of the candidates; each is read once."""
        bases: list[tuple[Basis, ...]] = []

        def read() -> Iterator[Candidate]:
            for candidate in candidates.values():
                check()
                bases.append(basis_of(candidate))
                yield candidate

        index = self._counted(read()) if candidates else None
        self._begin(candidates, index, tuple(bases))

    def fit_titles(self, candidates: Candidates, titles: Iterable[str]) -> None:
        """Prepare for ranking these candidates by nothing but their `titles`, which is fast."""
        bases: tuple[tuple[Basis, ...], ...] = (("title",),) * len(candidates)
        self._begin(candidates, self._titled(candidates, titles), bases)

    def _begin(
        self, candidates: Candidates, index: Index | None, bases: tuple[tuple[Basis, ...], ...]
    ) -> None:
        """Rank these candidates from now on."""
        self.index, self.bases, self._candidates = index, bases, candidates
        self.keys = Keys.of(candidates)

    def rank(self, context: CitationContext, beside: Ranker[Any] | None = None) -> Ranking:
        """Return all candidates, best first.

        With another ranker `beside` it, scores are those in one list with its candidates; the order
        stays.
        """
        candidates, keys, bases = self._candidates, self.keys, self.bases
        if self.index is None:
            return Ranking(NO_KEYS, np.empty(0), ().__getitem__)
        check()
        scores, parts = self._scored(self.index, context, beside)

        def entry(position: int) -> RankedEntry:
            inside, outside, bag = parts(position)
            candidate, basis = candidates[keys.listed[position]], bases[position]
            return RankedEntry(candidate, float(scores[position]), inside, outside, basis, (), bag)

        return Ranking(keys, scores, entry)

    def of_library(
        self, context: CitationContext, entries: Iterable[RankedEntry]
    ) -> list[RankedEntry]:
        """Return entries of the author's library as they fit beside these candidates."""
        del context
        return list(entries)

    @abstractmethod
    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words and reasons filled in."""

    @abstractmethod
    def _counted(self, candidates: Iterable[Candidate]) -> Index:
        """Return the index of candidates."""

    @abstractmethod
    def _titled(self, candidates: Candidates, titles: Iterable[str]) -> Index:
        """Return the index of candidates known by title only."""

    @abstractmethod
    def _scored(
        self, index: Index, context: CitationContext, beside: Ranker[Any] | None
    ) -> tuple[Scores, Callable[[int], tuple[float, float, int]]]:
        """Return the rounded score of each candidate, and a function of its position.

        The latter returns the internal and the external part of the cosine, and the best bag.
        """


class PatchedRanker:
    """Ranks the `changed` candidates with a small ranker of their own beside the earlier one.

    Candidates that are gone are left out.
    """

    def __init__(
        self,
        earlier: Ranker[Any],
        added: Ranker[Any],
        candidates: Candidates,
        changed: Collection[str],
    ) -> None:
        """Fit `added` to the candidates that `earlier` does not know as they are now."""
        self.earlier, self._added = earlier, added
        self.described = earlier.described
        self._changed = frozenset(changed)
        added.fit(Candidates.of(candidates[key] for key in candidates if key in self._changed))
        self.keys = Keys.of(candidates)
        self._is_new = np.asarray([key in self._changed for key in self.keys.listed], np.bool_)
        known, new = earlier.keys.positions, added.keys.positions
        #: The position of each candidate in the ranker that knows it.
        self._position = np.asarray(
            [new[key] if key in self._changed else known[key] for key in self.keys.listed], np.intp
        )

    @cached_property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        pairs = zip(self._is_new.tolist(), self._position.tolist(), strict=True)
        bases = self.earlier.bases, self._added.bases
        return tuple(bases[is_new][position] for is_new, position in pairs)

    def rank(self, context: CitationContext, beside: Ranker[Any] | None = None) -> Ranking:
        """Return all candidates, best first, as `Ranker.rank` does."""
        has_new = bool(self._is_new.any())
        known = self.earlier.rank(context, beside or (self._added if has_new else None))
        new = self._added.rank(context, self.earlier)
        scores = np.zeros(len(self.keys.listed))
        scores[~self._is_new] = known.scores[self._position[~self._is_new]]
        scores[self._is_new] = new.scores[self._position[self._is_new]]

        def entry(position: int) -> RankedEntry:
            ranking = new if self._is_new[position] else known
            return ranking.at(int(self._position[position]))

        return Ranking(self.keys, scores, entry)

    def of_library(
        self, context: CitationContext, entries: Iterable[RankedEntry]
    ) -> list[RankedEntry]:
        """Return entries of the author's library as `Ranker.of_library` does."""
        return self.earlier.of_library(context, entries)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words and reasons filled in."""
        new = [entry for entry in entries if entry.key in self._changed]
        known = [entry for entry in entries if entry.key not in self._changed]
        explained = {
            entry.key: entry
            for entry in (*self._added.explain(context, new), *self.earlier.explain(context, known))
        }
        return [explained[entry.key] for entry in entries]


def basis_of(candidate: Candidate) -> tuple[Basis, ...]:
    """Return what a candidate's ranking is based on."""
    text = candidate.paper.basis
    return (text, "inlink contexts") if candidate.inlink_contexts else (text,)


def rounded(scores: Scores) -> Scores:
    """Round, so that rounding errors do not break ties."""
    return np.round(scores, 12)
