r"""Sentence-BERT and the two steps that CitRet adds to it (Pandey et al. 2022, section 3.1).

* Weighted contextual embeddings (WCE, section 3.1.2): the n-grams that a citance and a sentence
  share are appended to both before encoding, so that they have more weight in the means.
* Denoising (section 3.1.3): the common components of the paper's sentences are removed from every
  vector v,

      v - \sum_{i \le m} \lambda_i proj_{pc_i} v,  \lambda_i = \sigma_i^2 / \sum_{j\le m} \sigma_j^2

  with the right singular vectors pc_i and singular values \sigma_i of the matrix of its sentences.

What the paper leaves open: a shared n-gram is appended once, in the order of the citance; the stop
words are ours. Where we differ: citation markers are removed, as for every matcher here; the
common components are those of the reference paper's sentences only, because a single citance is
all that is known of a citing paper, and would be its own only component; they are computed without
appended n-grams, which depend on the citance, and so only once per paper.

CitRet adds Word Mover's Distance:

    score = cosine of `SbertMatcher` with both its steps + 1 / (1 + WMD)      (section 3, figure 1)

Word Mover's Distance (Kusner et al. 2015; appendix A.2) is the least cost of moving the words of
one sentence, each with its share, to those of the other: as in gensim's `wmdistance`, over the
Euclidean distances of vectors of length 1, words without a vector left out, solved by POT.

What it leaves open: how a distance becomes a similarity; 1 / (1 + distance) is what gensim's
`WmdSimilarity` returns. Where we differ: our word vectors are the packaged ones, theirs Google's of
news; the sum is halved, which makes scores fractions and keeps the order.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.cancellation import checked
from pincite.matching.coverage import best_first, product
from pincite.matching.sentence_vocabulary import SentenceWords
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper
from pincite.model.results import SupportingSentence
from pincite.text.tokens import stop_words

from .encoders import Encoder, Floats, needed
from .neal import READING


class Content(NamedTuple):
    """A preprocessed sentence: its words in lower case without stop words."""

    words: tuple[str, ...]
    text: str

    @staticmethod
    def of(sentence: str) -> Content:
        """Preprocess a sentence or citance; citation markers are removed."""
        words: list[str] = []
        text: list[str] = []
        reached = 0
        for word, start, end in READING.placed(sentence):
            if word not in stop_words():
                words.append(word)
                # Character pairs overlap: append only the new part of the second.
                text.append(word[reached - start :] if start < reached else f" {word}")
                reached = end
        return Content(tuple(words), "".join(text).strip())

    def ngrams(self, n: int) -> dict[tuple[str, ...], None]:
        """Return the distinct n-grams of its words, in order."""
        return dict.fromkeys(zip(*(self.words[start:] for start in range(n)), strict=False))


class EncodedPaper(NamedTuple):
    """A paper's S sentences that have words, preprocessed, and their vectors (S×D)."""

    words: SentenceWords
    contents: tuple[Content, ...]
    vectors: Floats
    components: Floats
    shares: Floats

    def denoised(self, vectors: Floats) -> Floats:
        """Return vectors (S×D) without the common components of the paper's sentences."""
        projections = product(vectors, self.components.T) * self.shares
        rest: Floats = vectors - product(projections, self.components)
        return rest

    def supporting(self, citance: str, chosen: list[tuple[int, float]]) -> list[SupportingSentence]:
        """Return the chosen sentences; the content words of the citance are marked in them."""
        return self.words.supporting(chosen, self.words.telling(READING.words(citance)))


@dataclass(frozen=True, slots=True)
class SbertMatcher:
    """Matches by the cosine of sentence vectors, with n-grams of `n` words, and `m` components."""

    encoder: Encoder
    k: int = 3
    n: int = 2
    m: int = 3
    wce: bool = False
    denoise: bool = False

    def fit(self, paper: ReferencePaper) -> EncodedPaper:
        """Encode the sentences of `paper` and find their common components."""
        words = SentenceWords.of(paper, READING)
        contents = tuple(map(Content.of, words.texts()))
        filled = [index for index, content in enumerate(contents) if content.words]
        vectors = np.zeros((len(contents), self.encoder.dimensions), np.float32)
        vectors[filled] = self.encoder.sentences([contents[index].text for index in filled])
        # The λ of each component is its share of the variance of the first m.
        _, values, components = np.linalg.svd(vectors, full_matrices=False)
        variances = np.square(values[: self.m])
        shares = variances / (variances.sum() or 1.0)
        return EncodedPaper(words, contents, vectors, components[: self.m], shares)

    def match(
        self, citance: str, fitted: EncodedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by falling cosine."""
        found = best_first(self.cosines(citance, fitted), self.k if number is None else number)
        return fitted.supporting(citance, found)

    def cosines(self, citance: str, fitted: EncodedPaper) -> Floats:
        """Return the cosine of the citance with each sentence (S)."""
        content = Content.of(citance)
        if not content.words:
            return np.zeros(len(fitted.vectors), np.float32)
        query, sentences = self._vectors(content, fitted)
        if self.denoise:
            query, sentences = fitted.denoised(query), fitted.denoised(sentences)
        lengths = np.linalg.norm(query, axis=1) * np.linalg.norm(sentences, axis=1)
        products = np.einsum("ij,ij->i", np.broadcast_to(query, sentences.shape), sentences)
        zeros = np.zeros_like(products)
        cosines: Floats = np.divide(products, lengths, out=zeros, where=lengths > 0.0)
        return np.minimum(cosines, 1.0)

    def _vectors(self, citance: Content, fitted: EncodedPaper) -> tuple[Floats, Floats]:
        """Return the vectors to compare: of the citance, once or per sentence, and of sentences."""
        query = self.encoder.sentences([citance.text])
        if not self.wce:
            return query, fitted.vectors
        queries = np.repeat(query, len(fitted.vectors), axis=0)
        sentences = fitted.vectors.copy()
        ours = citance.ngrams(self.n)
        rows: list[int] = []
        texts: list[str] = []
        for row, content in enumerate(fitted.contents):
            theirs = content.ngrams(self.n)
            if shared := [word for ngram in ours if ngram in theirs for word in ngram]:
                rows.append(row)
                texts += (" ".join((text, *shared)) for text in (citance.text, content.text))
        pairs = self.encoder.sentences(texts)
        queries[rows], sentences[rows] = pairs[::2], pairs[1::2]
        return queries, sentences


Doubles = npt.NDArray[np.float64]


class Cloud(NamedTuple):
    """The distinct words of a sentence that have a vector, with their shares (n, sum 1)."""

    vectors: Doubles
    shares: Doubles

    @classmethod
    def of(cls, words: Sequence[str], vectors: WordVectors) -> Cloud:
        """Return the distribution of some words; repeated ones have a larger share."""
        counts = Counter(word for word in words if word in vectors)
        shares = np.fromiter(counts.values(), np.float64, len(counts))
        units = vectors.unit(vectors.rows(list(counts))).astype(np.float64)
        return cls(units, shares / max(1.0, shares.sum()))

    def similarity(self, other: Cloud) -> float:
        """Return 1 / (1 + WMD), 0 if there are no words."""
        if not len(self.shares) or not len(other.shares):
            return 0.0
        costs = np.linalg.norm(self.vectors[:, None] - other.vectors[None], axis=2)
        return 1.0 / (1.0 + moved(self.shares, other.shares, costs))


#: A paper, and the words of each of its sentences.
FittedPaper: TypeAlias = tuple[EncodedPaper, list[Cloud]]


@dataclass(frozen=True, slots=True)
class CitRetMatcher:
    """Matches by the mean of `SbertMatcher`'s cosine, with both steps, and 1 / (1 + WMD)."""

    encoder: Encoder
    vectors: WordVectors
    k: int = 3
    n: int = 2
    m: int = 3

    def __post_init__(self) -> None:
        _solver()

    @property
    def sbert(self) -> SbertMatcher:
        """The matcher of the first summand, with n-grams and denoising."""
        return SbertMatcher(self.encoder, self.k, self.n, self.m, wce=True, denoise=True)

    def fit(self, paper: ReferencePaper) -> FittedPaper:
        """Encode the sentences of `paper`, and look up the vectors of their words."""
        encoded = self.sbert.fit(paper)
        return encoded, [Cloud.of(content.words, self.vectors) for content in encoded.contents]

    def match(
        self, citance: str, fitted: FittedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by falling score."""
        encoded, clouds = fitted
        cloud = Cloud.of(Content.of(citance).words, self.vectors)
        similar = [cloud.similarity(other) for other in checked(clouds)]
        scores = (self.sbert.cosines(citance, encoded) + np.asarray(similar)) / 2
        chosen = best_first(scores, self.k if number is None else number)
        return encoded.supporting(citance, chosen)


def moved(ours: Doubles, theirs: Doubles, costs: Doubles) -> float:
    """Return the Word Mover's Distance for shares (n, m) of words and their distances (n×m)."""
    return max(0.0, float(_solver()(ours, theirs, np.ascontiguousarray(costs))))


@cache
def _solver() -> Callable[[Doubles, Doubles, Doubles], float]:
    # Otherwise POT imports every installed tensor library to detect which one is used.
    for library in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{library}", "1")
    solve: Callable[[Doubles, Doubles, Doubles], float] = needed("ot").emd2
    return solve
