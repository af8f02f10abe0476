r"""Asymmetric partial sentence matching (Ricci et al. 2022, section 2).

    sim(S_q, S_c) = \sum_{w_q} W(w_q) \max_{w_c} \sigma(\cos(w_q, w_c))        (equation 1)
    W(w) = \alpha / (\alpha + p(w))                                            (equation 2)
    \sigma(x) = x^d, negative cosines count as 0                               (equation 3)

Where we differ from the paper: scores are divided by a constant for each citance and paper, which
makes them fractions and keeps the order; a word without a vector matches itself exactly,
regardless of case. The paper's other variants are in `pincite_evaluation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..cancellation import check as check_cancelled
from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from .coverage import MARKED_FROM, best_first, covered, product, scaled
from .sentence_vocabulary import Marks, Reading, SentenceWords, is_telling
from .vectors import WordVectors

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class FittedPaper:
    """A paper's words, ready for matching.

    `vocabulary` has its V words as the model sees them and `lowered` the columns of each word in
    lower case. `vectors` (V×D) have length 1, or 0 where the model has none; `weights` (V) are
    those of the words, `sums` (S) of the sentences.
    """

    words: SentenceWords
    vocabulary: Sequence[str]
    lowered: Mapping[str, Sequence[int]]
    vectors: Floats
    weights: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AsymmetricMatcher:
    """Matches by how well a sentence's words cover the words of the citance.

    The defaults are **Asymm (d=4)** of the paper's Table 1: `d` is the power of equation 3
    (infinite: only the same words match), `alpha` that of equation 2, `k` the number of sentences.
    """

    vectors: WordVectors
    d: float = 4.0
    alpha: float = 1e-4
    k: int = 2

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"k={self.k}: expected 1 sentence or more")

    @property
    def reading(self) -> Reading:
        """Which words of a sentence count."""
        return Reading()

    def fit(self, paper: ReferencePaper) -> FittedPaper:
        """Look up the words of every sentence of `paper`."""
        words = SentenceWords.of(paper, self.reading)
        vocabulary = self._in_model(words.vocabulary)
        lowered: dict[str, list[int]] = {}
        for column, word in enumerate(vocabulary):
            lowered.setdefault(word.lower(), []).append(column)
        weights = self._weights(vocabulary)
        return FittedPaper(
            words=words,
            vocabulary=vocabulary,
            lowered=lowered,
            vectors=self.vectors.unit(self.vectors.rows(vocabulary)),
            weights=weights,
            sums=np.add.reduceat(weights[words.columns], words.starts),
        )

    def match(
        self, citance: str, fitted: FittedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences with a positive score."""
        counts = Counter(self._in_model(self.reading.words(citance)))
        if not counts or not fitted.words.positions:
            return []
        cosines = self.cosines(list(counts), fitted)
        check_cancelled()
        chosen = self._chosen(counts, cosines, fitted, self.k if number is None else number)
        return fitted.words.supporting(chosen, marked(list(counts), cosines, fitted))

    def _chosen(
        self, counts: Counter[str], cosines: Floats, fitted: FittedPaper, number: int
    ) -> list[tuple[int, float]]:
        """Return index and score of the best sentences."""
        weights, reached = self._reached(counts, cosines, fitted)
        return best_first(weights @ reached, number)

    def _reached(
        self, counts: Counter[str], similarities: Floats, fitted: FittedPaper
    ) -> tuple[npt.NDArray[np.float64], Floats]:
        """Return the weights of the citance's words (n), and how each sentence covers these."""
        weights = self.repeated_weights(counts)
        weights /= weights.sum() or 1.0
        of_words = similarities.take(fitted.words.columns, axis=1)
        return weights, covered(of_words, fitted.words.starts, self.d)

    def cosines(self, query: Sequence[str], fitted: FittedPaper) -> Floats:
        """Return the cosine of each query word (n) with each word of the paper (n×V)."""
        rows = self.vectors.rows(query)
        cosines = product(self.vectors.unit(rows), fitted.vectors.T)
        for row, word in enumerate(query):
            for column in fitted.lowered.get(word.lower(), ()):
                # Without a vector, a word still matches itself in another case.
                if rows[row] < 0 or fitted.vocabulary[column] == word:
                    cosines[row, column] = 1.0
        return cosines

    def covering(self, similarities: Floats, fitted: FittedPaper) -> npt.NDArray[np.float64]:
        """Return sim(S_c, S_q) of each sentence (S), from those of the words (n×V)."""
        gains = fitted.weights * scaled(similarities.max(axis=0, initial=0.0), self.d)
        return np.add.reduceat(gains[fitted.words.columns], fitted.words.starts)

    def repeated_weights(self, counts: Counter[str]) -> npt.NDArray[np.float64]:
        """Return the weight of each word (n) times its occurrences in a citance."""
        repeated = np.fromiter(counts.values(), np.float64, len(counts))
        return self._weights(list(counts)) * repeated

    def _in_model(self, words: Sequence[str]) -> Sequence[str]:
        """Return the words as the model sees them."""
        return words

    def _weights(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.asarray(self.alpha / (self.alpha + self.vectors.probability(words)), np.float64)


def marked(query: Sequence[str], cosines: Floats, fitted: FittedPaper) -> Marks:
    """Return which of a paper's N words match a content word of a query, by their cosines (n×V)."""
    telling = np.array([is_telling(word) for word in query], np.bool_)
    return np.asarray((cosines[telling] >= MARKED_FROM).any(axis=0))[fitted.words.columns]
