"""Ricci et al. (2022): asymmetric partial sentence matching in all variants, and symmetric.

With contextual word vectors (**Asymm SciBERT**), the arithmetic is that of `AsymmetricMatcher`; a
word is a WordPiece, its vector that of the transformer's last layer, and p(w) the frequency of the
piece. What the paper leaves open: the transformer reads a sentence's pieces up to the truncation,
and its special tokens do not count as words. Where we differ: the encoder is any available one,
theirs is SciBERT; they count pieces in ACL ARC, we in the vocabulary of the word vectors, splitting
each word into pieces and using its number of occurrences. That leaves out words that were too rare
for the vocabulary, and punctuation, which therefore has no weight here; nor have unknown pieces,
which would all match each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.matching import asymmetric
from pincite.matching.asymmetric import FittedPaper
from pincite.matching.coverage import MARKED_FROM, Floats, best_first, covered, product, unit
from pincite.matching.sentence_vocabulary import Indices, Marks, Reading, SentenceWords, is_telling
from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.text.markers import Markers, without_markers

from .encoders import Encoder, Pieces

Doubles = npt.NDArray[np.float64]
Weights = Literal["inverse-frequency", "uniform", "uniform-nostop"]

_OnWords: TypeAlias = "AsymmetricMatcher | SymmetricMatcher"


def _reading(matcher: _OnWords) -> Reading:
    """Return which words of a text are compared, and in what form."""
    return Reading(matcher.markers, matcher.truncation, matcher.cased)


def _known(matcher: _OnWords, words: Sequence[str]) -> Sequence[str]:
    return [word if not matcher.unk or word in matcher.vectors else UNKNOWN for word in words]


def weights_of(matcher: _OnWords, words: Sequence[str]) -> Doubles:
    """Return W(w) of each word (n): α / (α + p(w)) (equation 2), or 1, or 0 for stop words."""
    if matcher.weights == "inverse-frequency":
        p = matcher.vectors.probability(words)
        return np.asarray(matcher.alpha / (matcher.alpha + p), np.float64)
    stopped = paper_stop_words() if matcher.weights == "uniform-nostop" else frozenset()
    return np.array([float(word.lower() not in stopped) for word in words])


@cache
def paper_stop_words() -> frozenset[str]:
    """Return the words of the stop list of Ricci et al. (2022, appendix E), lower case."""
    listed = resources.files("pincite_evaluation.baselines").joinpath("ricci_stop_words.txt")
    lines = listed.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _check_unknown(matcher: _OnWords) -> None:
    if matcher.unk and UNKNOWN not in matcher.vectors:
        raise InputError(
            f"the word vectors have no {UNKNOWN} for rare words:"
            " train some with `pincite vectors train --unknown`"
        )


@dataclass(frozen=True, slots=True)
class AsymmetricMatcher(asymmetric.AsymmetricMatcher):
    """The editor's matcher with the choices of the paper as fields.

    * `truncation` is the number of words read, None for all.
    * `similarity` "dot" does not normalise the vectors: products are divided by the largest; a word
      without a vector gets the mean squared length as its product with itself.
    * `direction` "reverse" is sim(S_c, S_q), a sum over the words of the sentence (appendix C.3),
      as a share of the weights of the paper's heaviest sentence.
    * `optimisation` "greedy" takes the sentences that together cover the citance best; a score is
      the gain of a sentence. `unk` maps words unknown to the model to its "[UNK]" (appendix C.1).
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
        _check_unknown(self)

    reading = property(_reading)
    _in_model = _known
    _weights = weights_of

    def _chosen(
        self, counts: Counter[str], cosines: Floats, fitted: FittedPaper, number: int
    ) -> list[tuple[int, float]]:
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
        if self.optimisation == "greedy":
            return _greedily(weights, reached, number)
        return best_first(weights @ reached, number)

    def _lengths(self, words: Sequence[str]) -> Floats:
        rows = self.vectors.rows(words)
        lengths = np.linalg.norm(self.vectors.vectors(rows), axis=1)
        return np.where(rows < 0, _typical_length(self.vectors), lengths).astype(np.float32)


@lru_cache(maxsize=4)
def _typical_length(vectors: WordVectors) -> float:
    """Return the square root of the mean squared length of a model's vectors, 1 without any."""
    squares = np.square(vectors.vectors(np.arange(len(vectors)))).sum(dtype=np.float64)
    return float(squares / len(vectors)) ** 0.5 if squares else 1.0


def _greedily(weights: Doubles, covered: Floats, number: int) -> list[tuple[int, float]]:
    """Return the sentences that together cover a citance best, with their gains (appendix C.1)."""
    chosen: list[tuple[int, float]] = []
    reached = np.zeros((len(covered), 1), covered.dtype)
    while len(chosen) < number and (
        added := best_first(weights @ np.maximum(covered - reached, 0.0), 1)
    ):
        chosen += added
        reached = np.maximum(reached, covered[:, [added[0][0]]])
    return chosen


#: A paper's words, and a vector of length 1 for each of its S sentences (S×D).
FittedSentences: TypeAlias = tuple[SentenceWords, Floats]


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
        _check_unknown(self)

    reading = property(_reading)

    def fit(self, paper: ReferencePaper) -> FittedSentences:
        """Average the vectors of every sentence of `paper`."""
        words = SentenceWords.of(paper, self.reading)
        vectors = self._weighted(words.vocabulary)[words.columns]
        return words, unit(np.add.reduceat(vectors, words.starts))

    def match(
        self, citance: str, fitted: FittedSentences, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by falling cosine."""
        words, (own, vectors) = self.reading.words(citance), fitted
        average = unit(self._weighted(words).sum(axis=0, keepdims=True))[0]
        scores = np.minimum(vectors @ average, 1.0)
        found = best_first(scores, self.k if number is None else number)
        return own.supporting(found, own.telling(words))

    def _weighted(self, words: Sequence[str]) -> Floats:
        listed = _known(self, words)
        weights = weights_of(self, listed)
        return self.vectors.vectors(self.vectors.rows(listed)) * weights[:, None].astype(np.float32)


#: Marks are made on words: all of a sentence, even beyond the truncation.
_READING = Reading(truncation=None)

Spans = npt.NDArray[np.int32]


class _FittedPieces(NamedTuple):
    """The P pieces of a paper's words: their vectors (P×D), the word of each, and sentences."""

    words: SentenceWords
    vectors: Floats
    owners: Indices
    sentences: tuple[int, ...]
    starts: Indices

    def marks(self, matched: Marks) -> Marks:
        """Return which content words are matched completely, given which of the P pieces are."""
        number = len(self.words.columns)
        every, found = (
            np.bincount(owners, minlength=number) for owners in (self.owners, self.owners[matched])
        )
        whole: Marks = (every > 0) & (found == every)
        return whole & self.words.telling(self.words.vocabulary)


@dataclass(frozen=True, slots=True)
class ContextualMatcher:
    """As `AsymmetricMatcher`, over contextual pieces; `vectors` only provide frequencies."""

    encoder: Encoder
    vectors: WordVectors
    d: float = 4.0
    alpha: float = 1e-4
    k: int = 2
    truncation: int | None = 100
    weights: Literal["inverse-frequency", "uniform"] = "inverse-frequency"

    def fit(self, paper: ReferencePaper) -> _FittedPieces:
        """Encode every sentence of `paper`, which takes most of the time."""
        words = SentenceWords.of(paper, _READING)
        read = self.encoder.pieces(
            [without_markers(each) for each in words.texts()], self.truncation
        )
        vectors = [np.zeros((0, self.encoder.dimensions), np.float32)]
        owners = [np.zeros(0, np.intp)]
        for index, found in enumerate(read):
            spans = words.spans[words.places(index)]
            pieces, own = _of_words(found, spans, self.encoder.unknown)
            vectors.append(pieces.vectors)
            owners.append(words.starts[index] + own)
        sizes = list(map(len, owners[1:]))
        filled = [index for index, size in enumerate(sizes) if size]
        return _FittedPieces(
            words=words,
            vectors=unit(np.concatenate(vectors)),
            owners=np.concatenate(owners),
            sentences=tuple(filled),
            starts=np.cumsum([0, *sizes], dtype=np.intp)[filled],
        )

    def match(
        self, citance: str, fitted: _FittedPieces, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by the share of the citance they cover."""
        placed = list(_READING.placed(citance))
        spans = np.asarray([span for _, *span in placed], np.int32).reshape(-1, 2)
        text = without_markers(citance) if placed else ""
        (pieces,) = self.encoder.pieces([text], self.truncation)
        # The pieces (n) of the citance's words, and the word of each (n).
        read, owners = _of_words(pieces, spans, self.encoder.unknown)
        if not len(owners) or not fitted.sentences:
            return []
        cosines = product(unit(read.vectors), fitted.vectors.T)
        weights = np.ones(len(read.ids))
        if self.weights != "uniform":
            frequencies = piece_frequencies(self.encoder, self.vectors)
            p = np.array([frequencies.get(number, 0.0) for number in read.ids.tolist()])
            weights = self.alpha / (self.alpha + p)
        found = best_first(
            weights / weights.sum() @ covered(cosines, fitted.starts, self.d),
            self.k if number is None else number,
        )
        telling = np.array([is_telling(word) for word, *_ in placed])[owners]
        marks = fitted.marks((cosines[telling] >= MARKED_FROM).any(axis=0))
        chosen = [(fitted.sentences[index], score) for index, score in found]
        return fitted.words.supporting(chosen, marks)


@lru_cache(maxsize=4)
def piece_frequencies(encoder: Encoder, vectors: WordVectors) -> dict[int, float]:
    """Return p(w) of the encoder's pieces, by id, in the vocabulary of the word vectors."""
    mass: dict[int, float] = defaultdict(float)
    probabilities = vectors.probability(vectors.words).tolist()
    for ids, p in zip(encoder.ids(vectors.words), probabilities, strict=True):
        for number in ids:
            mass[number] += p
    total = sum(mass.values()) or 1.0
    return {number: p / total for number, p in mass.items()}


def _of_words(pieces: Pieces, words: Spans, unknown: int | None) -> tuple[Pieces, Indices]:
    """Return the known pieces that belong to words (W×2), and the first word of each."""
    owners = np.searchsorted(words[:, 1], pieces.spans[:, 0], side="right")
    inside = np.append(words[:, 0], np.iinfo(np.int32).max)[owners] < pieces.spans[:, 1]
    known = inside & (pieces.ids != (-1 if unknown is None else unknown))
    return Pieces(pieces.ids[known], pieces.spans[known], pieces.vectors[known]), owners[known]
