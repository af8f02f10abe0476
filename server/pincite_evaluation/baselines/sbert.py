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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pincite.matching.coverage import product
from pincite.matching.sentence_vocabulary import SentenceWords
from pincite.matching.top_sentences import best_first
from pincite.model.papers import ReferencePaper
from pincite.model.problems import check_parameters
from pincite.model.results import SupportingSentence
from pincite.text.tokens import stop_words

from .encoders import Encoder, Floats
from .tfidf import READING

NGram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Content:
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

    def ngrams(self, n: int) -> dict[NGram, None]:
        """Return the distinct n-grams of the words, in order."""
        return dict.fromkeys(zip(*(self.words[start:] for start in range(n)), strict=False))


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPaper:
    """A paper's S sentences that have words, preprocessed, and their vectors (S×D)."""

    words: SentenceWords
    contents: tuple[Content, ...]
    vectors: Floats
    components: Floats
    shares: Floats

    def denoised(self, vectors: Floats) -> Floats:
        """Return vectors (n×D) with the common components removed."""
        projections = product(vectors, self.components.T) * self.shares
        rest: Floats = vectors - product(projections, self.components)
        return rest


@dataclass(frozen=True, slots=True)
class SbertMatcher:
    """Matches by the cosine of sentence vectors, with `wce` and `denoise` as in CitRet.

    `n` is the length of the shared n-grams, `m` the number of common components, `k` that of
    sentences. Raises `InputError` for numbers out of range.
    """

    encoder: Encoder
    k: int = 3
    n: int = 2
    m: int = 3
    wce: bool = False
    denoise: bool = False

    def __post_init__(self) -> None:
        check_parameters(
            self,
            k=(self.k >= 1, "1 sentence or more"),
            n=(self.n >= 1, "1 word or more"),
            m=(self.m >= 1, "1 component or more"),
        )

    def fit(self, paper: ReferencePaper) -> EncodedPaper:
        """Encode the sentences of `paper`."""
        words = SentenceWords.of(paper, READING)
        contents = tuple(map(Content.of, words.texts()))
        filled = [index for index, content in enumerate(contents) if content.words]
        vectors = np.zeros((len(contents), self.encoder.dimensions), np.float32)
        vectors[filled] = self.encoder.sentences([contents[index].text for index in filled])
        components, shares = common_components(vectors, self.m)
        return EncodedPaper(words, contents, vectors, components, shares)

    def match(
        self, citance: str, fitted: EncodedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences, those with a positive cosine only."""
        wanted = self.k if number is None else number
        return supporting(citance, fitted, best_first(self.cosines(citance, fitted), wanted))

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
        cosines: Floats = np.divide(
            products, lengths, out=np.zeros_like(products), where=lengths > 0.0
        )
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


def supporting(
    citance: str, fitted: EncodedPaper, chosen: list[tuple[int, float]]
) -> list[SupportingSentence]:
    """Return the chosen sentences; the content words of the citance are marked in them."""
    return fitted.words.supporting(chosen, fitted.words.telling(READING.words(citance)))


def common_components(vectors: Floats, m: int) -> tuple[Floats, Floats]:
    """Return the first m right singular vectors (m×D) of vectors (n×D), and the λ of each (m)."""
    if not vectors.size:
        return np.zeros((0, vectors.shape[1]), np.float32), np.zeros(0, np.float32)
    _, values, components = np.linalg.svd(vectors, full_matrices=False)
    variances = np.square(values[:m])
    return components[:m], variances / (variances.sum() or 1.0)
