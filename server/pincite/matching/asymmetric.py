r"""Asymmetric partial sentence matching (Ricci et al. 2022, section 2).

    sim(S_q, S_c) = \sum_{w_q} W(w_q) \max_{w_c} \sigma(\cos(w_q, w_c))        (equation 1)
    W(w) = \alpha / (\alpha + p(w))                                            (equation 2)
    \sigma(x) = x^d, negative cosines count as 0                               (equation 3)

Where we differ from the paper: scores are divided by a constant for each citance and paper, which
makes them fractions and keeps the order; a word without a vector matches itself exactly,
regardless of case, unless `unk` merges all such words into one, as the paper does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..cancellation import check as check_cancelled
from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..text.markers import Markers
from .coverage import MARKED_FROM, covered, product, scaled
from .sentence_vocabulary import Marks, Reading, SentenceWords, is_telling
from .top_sentences import best_first, greedily
from .vectors import WordVectors
from .word_weights import Weights, check, in_model, weights_of

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

    The fields are the choices of Table 1 and appendix C, the defaults **Asymm (d=4)**:

    * `d` is the power of equation 3 (infinite: only the same words match), `alpha` that of
      equation 2, `k` the number of sentences.
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

    vectors: WordVectors
    d: float = 4.0
    alpha: float = 1e-4
    k: int = 2
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

    def fit(self, paper: ReferencePaper) -> FittedPaper:
        """Look up the words of every sentence of `paper`."""
        words = SentenceWords.of(paper, self.reading)
        vocabulary = in_model(words.vocabulary, self.vectors, self.unk)
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
        """Return the best `number` (K) sentences with a positive score.

        Content words whose cosine is 0.71 or more are marked in them.
        """
        counts = Counter(in_model(self.reading.words(citance), self.vectors, self.unk))
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
        similarities = cosines
        if self.similarity == "dot":
            lengths = self._lengths(list(counts))[:, None]
            similarities = cosines * lengths * self._lengths(fitted.vocabulary)
            similarities /= max(float(similarities.max()), np.finfo(np.float32).tiny)
        if self.direction == "reverse":
            heaviest = fitted.sums.max()
            sums = self.covering(similarities, fitted)
            return best_first(sums / heaviest, number) if heaviest else []
        weights = self.repeated_weights(counts)
        if not weights.any():
            return []
        weights /= weights.sum()
        of_words = similarities.take(fitted.words.columns, axis=1)
        reached = covered(of_words, fitted.words.starts, self.d)
        if self.optimisation == "greedy":
            return greedily(weights, reached, number)
        return best_first(weights @ reached, number)

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

    def _weights(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        return weights_of(words, self.vectors, self.weights, self.alpha)

    def _lengths(self, words: Sequence[str]) -> Floats:
        """Return the length of the vector of each word (n)."""
        rows = self.vectors.rows(words)
        lengths = np.linalg.norm(self.vectors.vectors(rows), axis=1)
        return np.where(rows < 0, _typical_length(self.vectors), lengths).astype(np.float32)


def marked(query: Sequence[str], cosines: Floats, fitted: FittedPaper) -> Marks:
    """Return which of a paper's N words match a content word of a query, by their cosines (n×V)."""
    telling = np.array([is_telling(word) for word in query], np.bool_)
    return np.asarray((cosines[telling] >= MARKED_FROM).any(axis=0))[fitted.words.columns]


@lru_cache(maxsize=4)
def _typical_length(vectors: WordVectors) -> float:
    """Return the square root of the mean squared length of a model's vectors, 1 without any."""
    squares = np.square(vectors.vectors(np.arange(len(vectors)))).sum(dtype=np.float64)
    return float(squares / len(vectors)) ** 0.5 if squares else 1.0
