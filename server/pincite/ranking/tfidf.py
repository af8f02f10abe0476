"""The ranker of Duma and Klein (2014): cosine of TF-IDF vectors, any representation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cancellation import check
from ..model.contexts import CitationContext
from ..model.papers import Candidate, Candidates, ReferencePaper
from ..model.results import RankedEntry
from ..representations.bags import Representation
from ..representations.tfidf import Scores, TfIdfSpace
from ..text.tokens import composed, words
from .base import Ranker, rounded
from .reasons import cited_so, shared

_MAX_MATCHED = 12


class TfIdfRanker(Ranker[TfIdfSpace]):
    """Ranks by the cosine of the context with a candidate's best bag.

    Where we differ from the paper: ties break by key, so that the order of a bibliography is
    never evidence.
    """

    def __init__(
        self, representation: Representation, function_words: frozenset[str] = frozenset()
    ) -> None:
        """Store how candidates become bags, and the function words of the contexts' language.

        These are removed from queries, but not from candidates: the fitted space serves drafts in
        any language.
        """
        super().__init__()
        self.representation = representation
        self._function_words = function_words
        #: Explaining a ranking needs its scores again.
        self._latest: tuple[TfIdfSpace, CitationContext, Scores] | None = None

    def _counted(self, candidates: Iterable[Candidate]) -> TfIdfSpace:
        return TfIdfSpace.of_bags(map(self.representation.bags, candidates))

    def _titled(self, candidates: Candidates, titles: Iterable[str]) -> TfIdfSpace:
        papers = (ReferencePaper(title, "title") for title in titles)
        return self._counted(map(Candidate, candidates, papers))

    def _scored(
        self, index: TfIdfSpace, context: CitationContext, beside: Ranker[Any] | None
    ) -> tuple[npt.NDArray[np.float64], Callable[[int], tuple[float, float, int]]]:
        del beside  # A cosine does not depend on what else is in the list.
        scores = self._scores(index, context)
        return rounded(scores.cosine), scores.parts

    def _scores(self, space: TfIdfSpace, context: CitationContext) -> Scores:
        latest = self._latest
        if latest is None or latest[0] is not space or latest[1] is not context:
            left_out = self._function_words
            asked = [word for word in context.words if _term(word) not in left_out]
            self._latest = latest = (space, context, space.score(asked))
        return latest[2]

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Fill in the words of the context that each entry's best bag shares, and reasons.

        These name only words that precede the place in its paragraph.
        """
        if self.index is None:
            return list(entries)
        check()
        scores = self._scores(self.index, context)
        matched = scores.matched([entry.bag for entry in entries], _MAX_MATCHED)
        before = set(map(_term, words(context.before) or context.left))
        explained = []
        for entry, own in zip(entries, matched, strict=True):
            written = [term for term in own if term in before]
            is_by_others = entry.external > entry.internal
            others = cited_so(entry.candidate, written, _term) if is_by_others else ()
            reasons = (*others, *shared(written))
            explained.append(replace(entry, matched=tuple(own), reasons=reasons))
        return explained


def _term(word: str) -> str:
    return composed(word).lower()
