"""The ranker of Duma and Klein (2014): cosine of TF-IDF vectors, any representation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..cancellation import check, checked
from ..model.contexts import CitationContext
from ..model.papers import Candidate
from ..model.results import Basis, RankedEntry
from ..representations.mixed import Representation
from ..representations.tfidf import TfIdfSpace

_MOST_MATCHED = 12
_CHECKED_EVERY = 1024


class TfIdfRanker:
    """Ranks by the cosine of the context with a candidate's best bag.

    Where we differ from the paper: ties break by key, so that the order of a bibliography is
    never evidence.
    """

    def __init__(self, representation: Representation) -> None:
        self.representation = representation
        self._candidates: tuple[Candidate, ...] = ()
        self._space: TfIdfSpace | None = None
        self._by_key: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._bases: list[tuple[Basis, ...]] = []

    def fit(self, candidates: Sequence[Candidate]) -> None:
        """Fit the vector space on the candidates' own bags."""
        self._candidates = tuple(candidates)
        bags = self.representation.bags(self._candidates)
        self._space = TfIdfSpace(bags, len(self._candidates)) if self._candidates else None
        keys = [candidate.key for candidate in self._candidates]
        self._by_key = np.asarray(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
        self._bases = [basis_of(candidate) for candidate in self._candidates]

    def rank(self, context: CitationContext, explained: int | None = None) -> list[RankedEntry]:
        """Return all candidates by falling cosine with the words of `context`."""
        if self._space is None:
            return []
        check()
        scores = self._space.score(self._space.query(context.words))
        cosines = rounded(scores.cosine)
        order = self._by_key[best_first(cosines[self._by_key])]
        ranked = [
            RankedEntry(self._candidates[i], score, internal, external, self._bases[i], (), bag)
            for i, score, internal, external, bag in zip(
                checked(order.tolist(), _CHECKED_EVERY),
                cosines[order].tolist(),
                scores.internal[order].tolist(),
                scores.external[order].tolist(),
                scores.bag[order].tolist(),
                strict=True,
            )
        ]
        explained = len(ranked) if explained is None else explained
        return self.explain(context, ranked[:explained]) + ranked[explained:]

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the words of the context that each entry's best bag shares."""
        if self._space is None:
            return list(entries)
        vector = self._space.query(context.words)
        return [
            replace(entry, matched=tuple(self._space.matched(vector, entry.bag, _MOST_MATCHED)))
            if entry.score > 0.0
            else entry
            for entry in checked(entries)
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
    if candidate.inlink_contexts:
        return (candidate.paper.basis, "inlink contexts")
    return (candidate.paper.basis,)
