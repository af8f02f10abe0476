"""The ranker of Duma and Klein (2014): cosine of TF-IDF vectors, any representation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.basis import Basis, TextBasis
from ..model.contexts import CitationContext
from ..model.papers import Candidate, Candidates
from ..model.results import RankedEntry
from ..representations.mixed import Representation
from ..representations.tfidf import TfIdfSpace
from .base import Ranking, no_ranking

_MOST_MATCHED = 12


class TfIdfRanker:
    """Ranks by the cosine of the context with a candidate's best bag.

    Where we differ from the paper: ties break by key, so that the order of a bibliography is
    never evidence.
    """

    def __init__(self, representation: Representation) -> None:
        self.representation = representation
        self._candidates = Candidates.of(())
        self._space: TfIdfSpace | None = None
        self._keys: tuple[str, ...] = ()
        self._by_key: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        #: What the ranking of each candidate rests on.
        self.bases: tuple[tuple[Basis, ...], ...] = ()

    def fit(self, candidates: Candidates) -> None:
        """Fit the vector space on the candidates' own bags; each is looked at once."""
        bases: list[tuple[Basis, ...]] = []

        def noted(candidate: Candidate) -> Candidate:
            bases.append(basis_of(candidate))
            return candidate

        bags = self.representation.bags(map(noted, candidates.values()))
        self._space = TfIdfSpace.of_bags(bags, len(candidates)) if candidates else None
        self._candidates, self._keys, self.bases = candidates, tuple(candidates), tuple(bases)
        by_key = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        self._by_key = np.asarray(by_key, dtype=np.intp)

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates by falling cosine with the words of `context`."""
        space = self._space
        if space is None:
            return no_ranking()
        check()
        scores = space.score(space.query(context.words))
        cosines = rounded(scores.cosine)

        def entry(position: int) -> RankedEntry:
            internal, external, bag = scores.parts(position)
            candidate = self._candidates[self._keys[position]]
            score = float(cosines[position])
            return RankedEntry(candidate, score, internal, external, self.bases[position], (), bag)

        return Ranking(self._keys, cosines, self._by_key, entry)

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the words of the context that each entry's best bag shares."""
        if self._space is None:
            return list(entries)
        check()
        query = self._space.query(context.words)
        matched = self._space.matched(query, [entry.bag for entry in entries], _MOST_MATCHED)
        return [
            replace(entry, matched=tuple(terms)) if terms else entry
            for entry, terms in zip(entries, matched, strict=True)
        ]


def rounded(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Keep ties that are ties on paper from being broken by floating point noise."""
    return np.round(cosines, 12)


def best_first(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the order of candidates by falling (rounded) cosine; they come ordered by key.

    Further dimensions, for more than one query, are ordered each for itself.
    """
    return np.argsort(-cosines, axis=0, kind="stable")


def basis_of(candidate: Candidate) -> tuple[Basis, ...]:
    """Return what a candidate's ranking rests on."""
    return _basis(candidate.paper.basis, bool(candidate.inlink_contexts))


@cache
def _basis(text: TextBasis, has_inlinks: bool) -> tuple[Basis, ...]:
    # The same few objects for all candidates.
    return (text, "inlink contexts") if has_inlinks else (text,)
