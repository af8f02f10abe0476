"""The terms of a draft as numbers, independent of what is known of its bibliography."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Lock

from ..cancellation import holding
from ..contexts.surroundings import SurroundedText
from ..model.citing_text import CitingText
from ..representations.entry_terms import TermIds
from .draft_citations import CitingPlaces
from .draft_terms import DraftTerms


class DraftNumbers:
    """The terms of a draft and of its citing places; unedited parts are cached.

    Safe to use from several threads. Rankers of several states of one bibliography share it.
    """

    def __init__(self, ids: TermIds) -> None:
        self.ids = ids
        # Held while a draft is read, so that a second request waits instead of reading it again.
        self._lock = Lock()
        self._terms: DraftTerms | None = None
        self._places: tuple[CitingText | None, Sequence[CitingPlaces]] = (None, ())

    def terms(self, text: SurroundedText) -> DraftTerms:
        """Return how rare terms are in a text."""
        with holding(self._lock):
            known = self._terms
            if known is None or known.text is not text:
                self._terms = known = DraftTerms(text, self.ids, known)
            return known

    def places(self, text: CitingText) -> Sequence[CitingPlaces]:
        """Return the places of the citations of each part of a text."""
        with holding(self._lock):
            found = text.carried_over(*self._places, partial(_places_in, text, self.ids))
            self._places = text, found
            return found


def _places_in(text: CitingText, ids: TermIds, number: int) -> CitingPlaces:
    part = text.parts[number]
    return CitingPlaces.of(part, [start for start, _ in part.places], ids)
