"""All variants of asymmetric partial sentence matching (Ricci et al. 2022, Table 1, appendix C)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.matching import asymmetric
from pincite.matching.asymmetric import FittedPaper, Floats
from pincite.matching.sentence_vocabulary import Reading
from pincite.matching.top_sentences import best_first
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite.text.markers import Markers

from .word_weights import Weights, check, in_model, weights_of


@dataclass(frozen=True, slots=True)
class AsymmetricMatcher(asymmetric.AsymmetricMatcher):
    """The editor's matcher with the choices of the paper as fields.

    * `truncation` is the number of words read of citance and sentence, None for all; `cased`
      and `markers` control preprocessing. For other values than the defaults, the vectors should
      be trained on text preprocessed the same way.
    * `weights` are W. Without stop words, they are 0 for the list of appendix E and 1 for others.
    * `similarity` "dot" does not normalise the vectors. A word without one gets the mean squared
      length as its product with itself, and products are divided by the largest between a word of
      the citance and one of the paper, so that scores are fractions.
    * `direction` "reverse" is sim(S_c, S_q), a sum over the words of the sentence (appendix C.3);
      scores are fractions of the sum of weights of the paper's heaviest sentence.
    * `optimisation` "greedy" takes the sentences that together cover the citance best (appendix
      C.1); a score is the gain of a sentence. In reverse, every sentence adds its own words, so
      the order is the same.
    * `unk` maps all words unknown to the model to its "[UNK]" (appendix C.1).

    Raises `InputError` for numbers out of range, or `unk` with vectors that have no such word.
    """

    truncation: int | None = 100
    cased: bool = True
    weights: Weights = "inverse-frequency"
    similarity: Literal["cosine", "dot"] = "cosine"
    direction: Literal["candidate-covers-query", "reverse"] = "candidate-covers-query"
    optimisation: Literal["top-k", "greedy"] = "top-k"
    markers: Markers = "remove"
    unk: bool = False

    def __post_init__(self) -> None:
        if not self.d > 0.0:
            raise InputError(f"d={self.d}: expected a number above 0")
        check(self.vectors, self.alpha, self.k, self.unk)
        _ = self.reading

    @property
    def reading(self) -> Reading:
        """Which words of a sentence count."""
        return Reading(self.markers, self.truncation, self.cased)

    def _chosen(
        self, counts: Counter[str], cosines: Floats, fitted: FittedPaper, number: int
    ) -> list[tuple[int, float]]:
        """Return index and score of the best sentences."""
        similarities = cosines
        if self.similarity == "dot":
            lengths = self._lengths(list(counts))[:, None]
            similarities = cosines * lengths * self._lengths(fitted.vocabulary)
            similarities /= max(float(similarities.max()), np.finfo(np.float32).tiny)
        if self.direction == "reverse":
            heaviest = fitted.sums.max()
            sums = self.covering(similarities, fitted)
            return best_first(sums / heaviest, number) if heaviest else []
        weights, reached = self._reached(counts, similarities, fitted)
        choose = _greedily if self.optimisation == "greedy" else _best
        return choose(weights, reached, number)

    def _in_model(self, words: Sequence[str]) -> Sequence[str]:
        return in_model(words, self.vectors, self.unk)

    def _weights(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        return weights_of(words, self.vectors, self.weights, self.alpha)

    def _lengths(self, words: Sequence[str]) -> Floats:
        """Return the length of the vector of each word (n)."""
        rows = self.vectors.rows(words)
        lengths = np.linalg.norm(self.vectors.vectors(rows), axis=1)
        return np.where(rows < 0, _typical_length(self.vectors), lengths).astype(np.float32)


@lru_cache(maxsize=4)
def _typical_length(vectors: WordVectors) -> float:
    """Return the square root of the mean squared length of a model's vectors, 1 without any."""
    squares = np.square(vectors.vectors(np.arange(len(vectors)))).sum(dtype=np.float64)
    return float(squares / len(vectors)) ** 0.5 if squares else 1.0


def _best(
    weights: npt.NDArray[np.float64], covered: Floats, number: int
) -> list[tuple[int, float]]:
    return best_first(weights @ covered, number)


def _greedily(
    weights: npt.NDArray[np.float64], covered: Floats, number: int
) -> list[tuple[int, float]]:
    """Return the sentences that together cover a citance best, each with its gain.

    `covered` (n×S) is how well each sentence covers each word, `weights` (n) are those of the
    words. The next sentence is the one that increases the coverage most (Kobayashi et al. 2015;
    Ricci et al. 2022, appendix C.1); gains never increase. Returns fewer than `number` sentences
    if no other adds anything.
    """
    chosen: list[tuple[int, float]] = []
    reached = np.zeros((len(covered), 1), covered.dtype)
    while len(chosen) < number:
        gains = weights @ np.maximum(covered - reached, 0.0)
        added = best_first(gains, 1)
        if not added:
            break
        chosen += added
        reached = np.maximum(reached, covered[:, [added[0][0]]])
    return chosen
