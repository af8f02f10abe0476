"""The ranker of Duma and Klein (2014): cosine of TF-IDF vectors, any representation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.basis import Basis, TextBasis
from ..model.contexts import CitationContext
from ..model.papers import Candidate, Candidates, ReferencePaper
from ..model.results import RankedEntry
from ..representations.mixed import Representation
from ..representations.tfidf import Scores, TfIdfSpace
from ..text.tokens import composed
from .base import NO_KEYS, Keys, Ranker, Ranking, no_ranking

_MOST_MATCHED = 12


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What ranking candidates needs: the result of fitting a ranker.

    `bases` says what the ranking of each is based on.
    """

    space: TfIdfSpace
    keys: Keys
    bases: tuple[tuple[Basis, ...], ...]


class TfIdfRanker:
    """Ranks by the cosine of the context with a candidate's best bag.

    Where we differ from the paper: ties break by key, so that the order of a bibliography is
    never evidence.
    """

    def __init__(
        self, representation: Representation, function_words: frozenset[str] = frozenset()
    ) -> None:
        """Take how candidates become bags, and the function words of the contexts' language.

        These are removed from queries, but not from candidates: the fitted space serves drafts in
        any language.
        """
        self.representation = representation
        self._function_words = function_words
        #: None where there are no candidates.
        self.fitted: Fitted | None = None
        self._candidates = Candidates.of(())
        #: Explaining a ranking needs its scores again.
        self._latest: tuple[CitationContext, Scores] | None = None

    @property
    def keys(self) -> Keys:
        """The keys of the candidates."""
        return NO_KEYS if self.fitted is None else self.fitted.keys

    @property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        return () if self.fitted is None else self.fitted.bases

    def fit(self, candidates: Candidates) -> None:
        """Fit the vector space on the candidates' own bags; each is read once."""
        if not candidates:
            self.fitted = None
            return
        noted = Noted(candidates.each())
        space = TfIdfSpace.of_bags(self.representation.bags(noted), len(candidates))
        self.take(Fitted(space, Keys.of(candidates), tuple(noted.bases)), candidates)

    def update(
        self, earlier: TfIdfRanker, candidates: Candidates, changed: Collection[str]
    ) -> None:
        """Fit the vector space on candidates most of which an earlier ranker knows."""
        known = earlier.fitted
        if known is None or not candidates:
            self.fit(candidates)
            return
        keys, unchanged = known.keys.updated(candidates, changed)
        noted = Noted(candidates[keys.listed[at]] for at in np.flatnonzero(unchanged < 0))
        space = known.space.updated(unchanged, self.representation.bags(noted))
        bases = updated_bases(known.bases, unchanged, noted.bases)
        self.take(Fitted(space, keys, bases), candidates)

    def fit_titles(self, candidates: Candidates, titles: Iterable[str]) -> None:
        """Fit the vector space on the candidates' titles."""
        titled = zip(candidates, titles, strict=True)
        noted = Noted(Candidate(key, ReferencePaper(title, "title")) for key, title in titled)
        space = TfIdfSpace.of_bags(self.representation.bags(noted), len(candidates))
        self.take(Fitted(space, Keys.of(candidates), tuple(noted.bases)), candidates)

    def take(self, fitted: Fitted | None, candidates: Candidates) -> None:
        """Rank with what was fitted before, on the same candidates."""
        self.fitted, self._candidates, self._latest = fitted, candidates, None

    def rank(self, context: CitationContext, beside: Ranker | None = None) -> Ranking:
        """Return all candidates by falling cosine with the words of `context`."""
        del beside  # A cosine does not depend on what else is in the list.
        known, candidates = self.fitted, self._candidates
        if known is None:
            return no_ranking()
        check()
        scores = self._scores(known.space, context)
        cosines = rounded(scores.cosine)

        def entry(position: int) -> RankedEntry:
            internal, external, bag = scores.parts(position)
            candidate = candidates[known.keys.listed[position]]
            score = float(cosines[position])
            return RankedEntry(candidate, score, internal, external, known.bases[position], (), bag)

        return Ranking(known.keys, cosines, entry)

    def release_pages(self) -> None:
        """Release the pages of the index that queries have touched."""
        if self.fitted is not None:
            self.fitted.space.release_pages()

    def _scores(self, space: TfIdfSpace, context: CitationContext) -> Scores:
        latest = self._latest
        if latest is None or latest[0] is not context:
            left_out = self._function_words
            said = [word for word in context.words if composed(word).lower() not in left_out]
            self._latest = latest = (context, space.score(space.query(said)))
        return latest[1]

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the words of the context that each entry's best bag shares."""
        if self.fitted is None:
            return list(entries)
        check()
        space = self.fitted.space
        scores = self._scores(space, context)
        matched = scores.matched([entry.bag for entry in entries], _MOST_MATCHED)
        return [
            entry.explained(tuple(terms)) if terms else entry
            for entry, terms in zip(entries, matched, strict=True)
        ]


def rounded(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round, so that rounding errors do not break ties."""
    return np.round(cosines, 12)


def best_first(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the order of candidates by falling (rounded) cosine; candidates are ordered by key.

    Further dimensions, for more than one query, are ordered independently.
    """
    return np.argsort(-cosines, axis=0, kind="stable")


def basis_of(candidate: Candidate) -> tuple[Basis, ...]:
    """Return what a candidate's ranking is based on."""
    return _basis(candidate.paper.basis, bool(candidate.inlink_contexts))


class Noted:
    """Candidates, each read once, with what the ranking of each is based on."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._candidates = candidates
        self.bases: list[tuple[Basis, ...]] = []

    def __iter__(self) -> Iterator[Candidate]:
        for candidate in self._candidates:
            check()
            self.bases.append(basis_of(candidate))
            yield candidate


def updated_bases(
    earlier: Sequence[tuple[Basis, ...]],
    unchanged: npt.NDArray[np.int32],
    changed: Sequence[tuple[Basis, ...]],
) -> tuple[tuple[Basis, ...], ...]:
    """Return what the rankings of earlier and of `changed` candidates are based on, in order."""
    bases = list(map((*earlier, ()).__getitem__, unchanged.tolist()))
    for position, own in zip(np.flatnonzero(unchanged < 0).tolist(), changed, strict=True):
        bases[position] = own
    return tuple(bases)


@cache
def _basis(text: TextBasis, has_inlinks: bool) -> tuple[Basis, ...]:
    # The same few objects for all candidates.
    return (text, "inlink contexts") if has_inlinks else (text,)
