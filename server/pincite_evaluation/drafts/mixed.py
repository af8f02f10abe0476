"""The ranker `mixed` of the product, after Duma and Klein (2014, Table 1), on a draft's entries.

There are no inlink contexts from other drafts or papers, so only the entries' own words count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pincite.contexts.windows import words_after, words_before
from pincite.model.contexts import CitationContext
from pincite.ranking.tfidf import TfIdfRanker
from pincite.representations.mixed import mixed
from pincite.settings import RankingSettings, Window
from pincite.text.stop_words import function_words

from .projects import Project, Situation

_SETTINGS = RankingSettings()


class MixedRanker:
    """TF-IDF and cosine with the words around the place; in writing, those left of it."""

    def __init__(
        self, project: Project, _model: object = None, *, left_out: frozenset[str] | None = None
    ) -> None:
        """Fit the ranker to a project's candidates, ignoring words that are `left_out`.

        These are by default the function words of the project's language.
        """
        words = function_words(project.language) if left_out is None else left_out
        self._ranker = TfIdfRanker(mixed(_SETTINGS), words)
        self._ranker.fit(project.candidates)

    def scores(self, project: Project, place: int, situation: Situation) -> npt.NDArray[np.float64]:
        """Return the cosine of each candidate."""
        return self._ranker.rank(context(project, place, situation, _SETTINGS.window)).scores


def context(project: Project, place: int, situation: Situation, window: Window) -> CitationContext:
    """Return the words around a place that a ranker may know in a situation, up to a window."""
    seen = project.seen(place, situation)
    left = words_before(seen.before, len(seen.before), window.left)
    return CitationContext(left, words_after(seen.after, 0, window.right))
