r"""Asymmetric matching with contextual word vectors (Ricci et al. 2022: **Asymm SciBERT**).

The arithmetic is that of `AsymmetricMatcher`; a word is a WordPiece, its vector that of the
transformer's last layer, and p(w) the frequency of the piece.

What the paper leaves open: the transformer reads a sentence's pieces up to the truncation, and its
special tokens do not count as words. Where we differ: the encoder is any available one, theirs is
SciBERT; they count pieces in ACL ARC, we in the vocabulary of the word vectors, splitting each word
into pieces and using its number of occurrences. That leaves out words that were too rare for the
vocabulary, and punctuation, which therefore has no weight here; nor have unknown pieces, which
would all match each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.matching.coverage import MARKED_FROM, covered, product, unit
from pincite.matching.sentence_vocabulary import Indices, Marks, Reading, SentenceWords, is_telling
from pincite.matching.top_sentences import best_first
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.problems import check_parameters
from pincite.model.results import SupportingSentence
from pincite.text.markers import without_markers

from .encoders import Encoder, Floats, Pieces

#: Marks are made on words: all of a sentence, even beyond the truncation.
_READING = Reading(truncation=None)

Spans = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class FittedPieces:
    """The pieces of a paper's words."""

    words: SentenceWords
    vectors: Floats
    spans: Spans
    sentences: tuple[int, ...]
    starts: Indices

    def marks(self, matched: Marks) -> Marks:
        """Return which content words are matched completely, given which of the N pieces are."""
        marks = np.zeros(len(self.words.columns), np.bool_)
        until = np.concatenate([[0], np.cumsum(matched)])
        ends = [*self.starts[1:], len(matched)]
        for index, start, end in zip(self.sentences, self.starts, ends, strict=True):
            # Words and pieces are both in text order, so a word's pieces are contiguous.
            place, spans = self.words.places(index), self.spans[start:end]
            own = self.words.spans[place]
            first = start + np.searchsorted(spans[:, 1], own[:, 0], side="right")
            last = start + np.searchsorted(spans[:, 0], own[:, 1], side="left")
            marks[place] = (until[last] - until[first] == last - first) & (last > first)
        return marks & self.words.telling(self.words.vocabulary)


@dataclass(frozen=True, slots=True)
class ContextualMatcher:
    """Matches by how well a sentence's contextual pieces cover those of the citance.

    The fields are as in `AsymmetricMatcher`; `truncation` counts pieces, and `vectors` only provide
    frequencies. Raises `InputError` for numbers out of range.
    """

    encoder: Encoder
    vectors: WordVectors
    d: float = 4.0
    alpha: float = 1e-4
    k: int = 2
    truncation: int | None = 100
    weights: Literal["inverse-frequency", "uniform"] = "inverse-frequency"

    def __post_init__(self) -> None:
        check_parameters(
            self,
            d=(self.d > 0.0, "a number above 0"),
            alpha=(0.0 < self.alpha < np.inf, "a number above 0"),
            k=(self.k >= 1, "1 sentence or more"),
            truncation=(self.truncation is None or self.truncation >= 1, "1 or more, or none"),
        )

    def fit(self, paper: ReferencePaper) -> FittedPieces:
        """Encode the sentences of `paper`."""
        words = SentenceWords.of(paper, _READING)
        read = self.encoder.pieces(
            [without_markers(each) for each in words.texts()], self.truncation
        )
        own = [
            _of_words(pieces, words.spans[words.places(index)], self.encoder.unknown)[0]
            for index, pieces in enumerate(read)
        ]
        sizes = [len(pieces.ids) for pieces in own]
        filled = [index for index, size in enumerate(sizes) if size]
        nothing = np.zeros((0, self.encoder.dimensions), np.float32)
        return FittedPieces(
            words=words,
            vectors=unit(np.concatenate([nothing, *(pieces.vectors for pieces in own)])),
            spans=np.concatenate([np.zeros((0, 2), np.int32), *(pieces.spans for pieces in own)]),
            sentences=tuple(filled),
            starts=np.cumsum([0, *sizes], dtype=np.intp)[filled],
        )

    def match(
        self, citance: str, fitted: FittedPieces, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences that share anything with the citance."""
        placed = list(_READING.placed(citance))
        spans = np.asarray([span for _, *span in placed], np.int32).reshape(-1, 2)
        text = without_markers(citance) if placed else ""
        pieces = self.encoder.pieces([text], self.truncation)[0]
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
    mass: dict[int, float] = {}
    probabilities = vectors.probability(vectors.words).tolist()
    for ids, p in zip(encoder.ids(vectors.words), probabilities, strict=True):
        for number in ids:
            mass[number] = mass.get(number, 0.0) + p
    total = sum(mass.values()) or 1.0
    return {number: p / total for number, p in mass.items()}


def _of_words(pieces: Pieces, words: Spans, unknown: int | None) -> tuple[Pieces, Indices]:
    """Return the known pieces that belong to words (W×2), and the first word of each."""
    owners = np.searchsorted(words[:, 1], pieces.spans[:, 0], side="right")
    inside = np.append(words[:, 0], np.iinfo(np.int32).max)[owners] < pieces.spans[:, 1]
    kept = inside & (pieces.ids != (-1 if unknown is None else unknown))
    return Pieces(pieces.ids[kept], pieces.spans[kept], pieces.vectors[kept]), owners[kept]
