"""The terms of a draft as numbers, independent of what is known of its bibliography."""

from __future__ import annotations

from threading import Lock

from ..cancellation import holding
from ..contexts.surroundings import SurroundedText
from ..model.citing_text import CitingText, PartCache, TextPart
from ..representations.entry_terms import TermIds
from .draft_citations import CitingPlaces
from .draft_terms import DraftTerms, PartTerms


class DraftNumbers:
    """The terms of a draft and of its citing places, cached by parts.

    Safe to use from several threads. Rankers of several states of one bibliography share it.
    """

    def __init__(self, ids: TermIds) -> None:
        self.ids = ids
        # Held while a draft is read, so that a second request waits instead of reading it again.
        self._lock = Lock()
        self._part_terms = PartCache[PartTerms]()
        self._places = PartCache[CitingPlaces]()
        self._terms: DraftTerms | None = None

    def terms(self, text: SurroundedText) -> DraftTerms:
        """Return how rare terms are in a text."""
        with holding(self._lock):
            known = self._terms
            if known is None or known.text is not text:
                parts = self._part_terms.of(text.citing, lambda part: PartTerms.of(part, self.ids))
                self._terms = known = DraftTerms(text, parts)
            return known

    def places(self, text: CitingText) -> list[CitingPlaces]:
        """Return the places of the citations of each part of a text."""
        with holding(self._lock):
            return self._places.of(text, self._places_of)

    def _places_of(self, part: TextPart) -> CitingPlaces:
        return CitingPlaces.of(part, [start for start, _ in part.places], self.ids)
