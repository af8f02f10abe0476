"""Ricci et al. (2022): asymmetric partial sentence matching in all variants, and symmetric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.matching import asymmetric
from pincite.matching.asymmetric import FittedPaper
from pincite.matching.coverage import Floats, unit
from pincite.matching.sentence_vocabulary import Reading, SentenceWords
from pincite.matching.top_sentences import best_first
from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.text.markers import Markers


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


Weights = Literal["inverse-frequency", "uniform", "uniform-nostop"]


def weights_of(
    words: Sequence[str], vectors: WordVectors, rule: Weights, alpha: float
) -> npt.NDArray[np.float64]:
    r"""Return W(w) of each word (n).

    By inverse frequency, the weight is \alpha / (\alpha + p(w)) (equation 2), otherwise 1; without
    stop words, theirs is 0.
    """
    if rule == "inverse-frequency":
        return np.asarray(alpha / (alpha + vectors.probability(words)), np.float64)
    if rule == "uniform":
        return np.ones(len(words))
    stopped = paper_stop_words()
    return np.array([float(word.lower() not in stopped) for word in words])


@cache
def paper_stop_words() -> frozenset[str]:
    """Return the words of the stop list of Ricci et al. (2022, appendix E), lower case."""
    listed = resources.files("pincite_evaluation.baselines").joinpath("ricci_stop_words.txt")
    lines = listed.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def in_model(words: Iterable[str], vectors: WordVectors, unk: bool) -> list[str]:
    """Return the words as the model sees them: with `unk`, all unknown ones become `UNKNOWN`."""
    return [word if not unk or word in vectors else UNKNOWN for word in words]


def check(vectors: WordVectors, alpha: float, k: int, unk: bool) -> None:
    """Raise `InputError` if these parameters are out of range, or the vectors lack `UNKNOWN`."""
    if not 0.0 < alpha < np.inf:
        raise InputError(f"alpha={alpha}: expected a number above 0")
    if k < 1:
        raise InputError(f"k={k}: expected 1 sentence or more")
    if unk and UNKNOWN not in vectors:
        raise InputError(
            f"the word vectors have no {UNKNOWN} for rare words:"
            " train some with `pincite vectors train --unknown`"
        )


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
