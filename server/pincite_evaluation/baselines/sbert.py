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
from functools import lru_cache
from itertools import chain

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

#: As in `sentence_vocabulary`: matchers that differ in later steps share the encoding.
_PAPERS_KEPT = 64
_CITANCES_KEPT = 1024

NGram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """A preprocessed sentence: its words in lower case without stop words.

    `text` has them separated by spaces, or by nothing in scripts without spaces.
    """

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
    """A paper's S sentences that have words, preprocessed, and their vectors (S×D).

    The rows of `components` (m×D) have length 1, in order of decreasing `shares` (m), the λ.
    """

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
        """Encode the sentences of `paper`; the last few papers are cached."""
        words = SentenceWords.of(paper, READING)
        vectors = _encoded(self.encoder, words)
        components, shares = common_components(vectors, self.m)
        return EncodedPaper(words, _contents(words), vectors, components, shares)

    def match(
        self, citance: str, fitted: EncodedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the best `number` (K) sentences, those with a positive cosine only.

        Words of the citance that stand in them are marked, if they tell anything.
        """
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
        if not self.wce:
            return _alone(self.encoder, citance.text), fitted.vectors
        weighted = _weighted(self.encoder, fitted.words, citance, self.n)
        query = np.repeat(_alone(self.encoder, citance.text), len(fitted.vectors), axis=0)
        sentences = fitted.vectors.copy()
        for index, (of_citance, of_sentence) in weighted.items():
            query[index], sentences[index] = of_citance, of_sentence
        return query, sentences


def supporting(
    citance: str, fitted: EncodedPaper, chosen: list[tuple[int, float]]
) -> list[SupportingSentence]:
    """Return the chosen sentences; the content words of the citance are marked in them."""
    return fitted.words.supporting(chosen, fitted.words.telling(READING.words(citance)))


def common_components(vectors: Floats, m: int) -> tuple[Floats, Floats]:
    """Return the first m right singular vectors (m×D) of vectors (n×D), and the λ of each (m).

    There are fewer if n or D is less than m.
    """
    if not vectors.size:
        return np.zeros((0, vectors.shape[1]), np.float32), np.zeros(0, np.float32)
    _, values, components = np.linalg.svd(vectors, full_matrices=False)
    variances = np.square(values[:m])
    return components[:m], variances / (variances.sum() or 1.0)


@lru_cache(maxsize=_PAPERS_KEPT)
def _contents(words: SentenceWords) -> tuple[Content, ...]:
    sentences = words.paper.sentences
    return tuple(Content.of(sentences[position].text) for position in words.positions)


@lru_cache(maxsize=_PAPERS_KEPT)
def _encoded(encoder: Encoder, words: SentenceWords) -> Floats:
    contents = _contents(words)
    filled = [index for index, content in enumerate(contents) if content.words]
    vectors = np.zeros((len(contents), encoder.dimensions), np.float32)
    vectors[filled] = encoder.sentences([contents[index].text for index in filled])
    return vectors


@lru_cache(maxsize=_CITANCES_KEPT)
def _alone(encoder: Encoder, text: str) -> Floats:
    return encoder.sentences([text])


@lru_cache(maxsize=_CITANCES_KEPT)
def _weighted(
    encoder: Encoder, words: SentenceWords, citance: Content, n: int
) -> dict[int, tuple[Floats, Floats]]:
    """Return, for the sentences that share an n-gram with the citance, the vectors of both."""
    ours = citance.ngrams(n)
    appended: dict[int, str] = {}
    contents = _contents(words)
    for index, content in enumerate(contents):
        if shared := ours.keys() & content.ngrams(n).keys():
            appended[index] = " ".join(chain.from_iterable(each for each in ours if each in shared))
    pairs = [
        (f"{citance.text} {shared}", f"{contents[index].text} {shared}")
        for index, shared in appended.items()
    ]
    vectors = encoder.sentences(list(chain.from_iterable(pairs))).reshape(
        len(pairs), 2, encoder.dimensions
    )
    return {index: (pair[0], pair[1]) for index, pair in zip(appended, vectors, strict=True)}
