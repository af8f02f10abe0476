"""The ranker `mixed` of the product, after Duma and Klein (2014, Table 1), on a draft's entries.

There are no inlink contexts from other drafts or papers, so only the entries' own words count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...contexts.windows import words_after, words_before
from ...model.contexts import CitationContext
from ...ranking.tfidf import TfIdfRanker
from ...representations.mixed import mixed
from ...settings import RankingSettings, Window
from ...text.stop_words import function_words
from .projects import Project, Situation

_SETTINGS = RankingSettings()


class MixedRanker:
    """TF-IDF and cosine with the words around the place; in writing, those left of it."""

    def __init__(self, ranker: TfIdfRanker) -> None:
        self._ranker = ranker

    @classmethod
    def prepared(cls, project: Project, _model: object = None) -> MixedRanker:
        """Fit the ranker to a project's candidates."""
        return cls.without(project, function_words(project.language))

    @classmethod
    def without(cls, project: Project, left_out: frozenset[str]) -> MixedRanker:
        """Fit the ranker, ignoring words that are `left_out`."""
        ranker = TfIdfRanker(mixed(_SETTINGS), left_out)
        ranker.fit(project.candidates)
        return cls(ranker)

    def scores(self, project: Project, place: int, situation: Situation) -> npt.NDArray[np.float64]:
        """Return the cosine of each candidate."""
        return self._ranker.rank(context(project, place, situation, _SETTINGS.window)).scores


def context(project: Project, place: int, situation: Situation, window: Window) -> CitationContext:
    """Return the words around a place that a ranker may know in a situation, up to a window."""
    seen = project.seen(place, situation)
    left = words_before(seen.before, len(seen.before), window.left)
    return CitationContext(left, words_after(seen.after, 0, window.right))
