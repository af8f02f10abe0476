"""The ranker of Duma and Klein (2014): cosine of TF-IDF vectors, any representation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.basis import Basis, TextBasis
from ..model.contexts import CitationContext
from ..model.papers import Candidate, Candidates
from ..model.results import RankedEntry
from ..representations.mixed import Representation
from ..representations.tfidf import Scores, TfIdfSpace
from ..text.tokens import composed
from .base import Ranking, no_ranking

_MOST_MATCHED = 12


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What is known of candidates once a ranker is fitted: all that ranking them needs.

    `by_key` are their positions in the order of keys, `bases` what the ranking of each rests on.
    """

    space: TfIdfSpace
    keys: tuple[str, ...]
    by_key: npt.NDArray[np.intp]
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

        These are no part of a query, but candidates do not lose them: what was fitted serves drafts
        in any language.
        """
        self.representation = representation
        self._function_words = function_words
        #: None where there are no candidates.
        self.fitted: Fitted | None = None
        self._candidates = Candidates.of(())
        #: What was ranked is explained next.
        self._latest: tuple[CitationContext, Scores] | None = None

    @property
    def by_key(self) -> npt.NDArray[np.intp]:
        """The positions of the candidates in the order of keys."""
        return np.empty(0, dtype=np.intp) if self.fitted is None else self.fitted.by_key

    @property
    def bases(self) -> tuple[tuple[Basis, ...], ...]:
        """What the ranking of each candidate rests on."""
        return () if self.fitted is None else self.fitted.bases

    def fit(self, candidates: Candidates) -> None:
        """Fit the vector space on the candidates' own bags; each is looked at once."""
        bases: list[tuple[Basis, ...]] = []

        def noted(candidate: Candidate) -> Candidate:
            bases.append(basis_of(candidate))
            return candidate

        if not candidates:
            self.fitted = None
            return
        bags = self.representation.bags(map(noted, candidates.values()))
        space, keys = TfIdfSpace.of_bags(bags, len(candidates)), tuple(candidates)
        by_key = np.asarray(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
        self.take(Fitted(space, keys, by_key, tuple(bases)), candidates)

    def take(self, fitted: Fitted | None, candidates: Candidates) -> None:
        """Rank with what was fitted before, on the same candidates."""
        self.fitted, self._candidates, self._latest = fitted, candidates, None

    def rank(self, context: CitationContext) -> Ranking:
        """Return all candidates by falling cosine with the words of `context`."""
        known, candidates = self.fitted, self._candidates
        if known is None:
            return no_ranking()
        check()
        scores = self._scores(known.space, context)
        cosines = rounded(scores.cosine)

        def entry(position: int) -> RankedEntry:
            internal, external, bag = scores.parts(position)
            candidate = candidates[known.keys[position]]
            score = float(cosines[position])
            return RankedEntry(candidate, score, internal, external, known.bases[position], (), bag)

        return Ranking(known.keys, cosines, known.by_key, entry)

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
        # Explaining is the last thing done with a query. The columns of many queries would come to
        # be all of a large library.
        space.let_go()
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
