"""The symmetric baseline of Ricci et al. (2022, section 3.2): sentences as one vector each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pincite.matching.coverage import Floats, unit
from pincite.matching.sentence_vocabulary import Reading, SentenceWords
from pincite.matching.top_sentences import best_first
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.results import SupportingSentence
from pincite.text.markers import Markers

from .word_weights import Weights, check, in_model, weights_of


@dataclass(frozen=True, slots=True, eq=False)
class FittedSentences:
    """A paper's words, and a vector of length 1 for each of its S sentences (S×D)."""

    words: SentenceWords
    vectors: Floats


@dataclass(frozen=True, slots=True)
class SymmetricMatcher:
    """Matches by the cosine of the weighted averages of word vectors (**Symm**)."""

    vectors: WordVectors
    k: int = 2
    weights: Weights = "uniform-nostop"
    alpha: float = 1e-4
    truncation: int | None = 100
    cased: bool = True
    markers: Markers = "remove"
    unk: bool = False

    def __post_init__(self) -> None:
        check(self.vectors, self.alpha, self.k, self.unk)
        _ = self.reading

    @property
    def reading(self) -> Reading:
        """Which words of a sentence count."""
        return Reading(self.markers, self.truncation, self.cased)

    def fit(self, paper: ReferencePaper) -> FittedSentences:
        """Average the words of every sentence of `paper`."""
        words = SentenceWords.of(paper, self.reading)
        vectors = self._weighted(words.vocabulary)[words.columns]
        return FittedSentences(words, unit(np.add.reduceat(vectors, words.starts)))

    def match(
        self, citance: str, fitted: FittedSentences, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences, those with a positive cosine only."""
        words = self.reading.words(citance)
        average = unit(self._weighted(words).sum(axis=0, keepdims=True))[0]
        scores = np.minimum(fitted.vectors @ average, 1.0)
        found = best_first(scores, self.k if number is None else number)
        return fitted.words.supporting(found, fitted.words.telling(words))

    def _weighted(self, words: Sequence[str]) -> Floats:
        listed = in_model(words, self.vectors, self.unk)
        weights = weights_of(listed, self.vectors, self.weights, self.alpha)
        return self.vectors.vectors(self.vectors.rows(listed)) * weights[:, None].astype(np.float32)
