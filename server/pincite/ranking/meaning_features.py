"""Features of meaning: how near the sentence at the place is to what each entry is about.

Words in common are all that the other features see. Here a sentence encoder compares the sentence,
as far as it is known, with title and abstract: the asymmetric search for which such encoders are
trained (Reimers and Gurevych 2019), as evidence among the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..model.encoders import TextVectors
from ..model.papers import Candidate
from .at_place import AtPlace, Floats

#: The cosine, how far it is below the best of the list, and its rank.
MEANING: Final = ("meaning.cos", "meaning.below", "meaning.rank")
#: Fewer words hardly show what the author is about to state; more are beyond the sentence.
_MIN_WORDS: Final = 8
_MAX_WORDS: Final = 60
#: An encoder reads some hundred words, and the first sentences of an abstract name the subject.
_MAX_ABSTRACT: Final = 80
#: While a key is typed, the sentence stays.
_CACHED_SENTENCES: Final = 8


def described(candidate: Candidate) -> str:
    """Return the text that is encoded for an entry, "" if nothing is known about it."""
    abstract = candidate.paper.abstract.split()[:_MAX_ABSTRACT]
    return ". ".join(filter(None, (candidate.title, " ".join(abstract))))


class Meanings:
    """The vectors of a list of entries, and the encoder of sentences; thread-safe."""

    def __init__(self, vectors: TextVectors, texts: Sequence[str]) -> None:
        """Take what is encoded so far of the texts of N entries (`described`)."""
        self._entries = _unit(vectors.known(texts))
        self._is_known = self._entries.any(axis=1)
        self._encoded = lru_cache(_CACHED_SENTENCES)(
            lambda text: _unit(vectors.sentences([text]))[0]
        )

    def cosines(self, at: AtPlace) -> Floats:
        """Return the cosine of each entry with the sentence at a place; NaN if it is not known."""
        text = _sentence(at)
        if not text or not self._is_known.any():
            return np.full(len(self._entries), np.nan)
        cosines = (self._entries @ self._encoded(text)).astype(np.float64)
        return np.where(self._is_known, cosines, np.nan)


def add_meaning(at: AtPlace, cosines: Floats) -> None:
    """Add the features of the selected entries, given the cosines of all."""
    own = cosines[at.positions]
    known = np.sort(own[~np.isnan(own)])
    better = len(known) - np.searchsorted(known, own, side="right")
    rank = np.where(np.isnan(own), np.nan, np.log1p(better))
    best = known[-1] if len(known) else np.nan
    at.add_all(MEANING, np.stack([own, own - best, rank]))


def _sentence(at: AtPlace) -> str:
    left = at.left[-_MAX_WORDS:]
    number = max(at.around.sentence_left, _MIN_WORDS)
    return " ".join((*left[-number:], *at.right[: at.around.sentence_right]))


def _unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0), np.float32)
