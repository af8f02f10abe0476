"""What every ranker does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..model.contexts import CitationContext
from ..model.papers import Candidate
from ..model.results import RankedEntry


class Ranker(Protocol):
    """Ranks candidates for a citation context.

    `fit` is slow and done once for a set of candidates; `rank` is pure: it returns every
    candidate once, best first, ties broken by key. The matched words are filled in for the first
    `explained` entries (all where it is None).
    """

    def fit(self, candidates: Sequence[Candidate]) -> None:
        """Prepare for ranking these candidates."""

    def rank(self, context: CitationContext, explained: int | None = None) -> list[RankedEntry]:
        """Return all candidates, best first."""
        ...

    def explain(
        self, context: CitationContext, entries: Sequence[RankedEntry]
    ) -> list[RankedEntry]:
        """Return ranked entries with their matched words filled in."""
        ...
