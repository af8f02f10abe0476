"""Postings of the stems and stem pairs of a paper's sentences, scored by BM25.

BM25 is Robertson's with Lucene's idf, which is never negative (Kamphuis et al. 2020, section 2):

    idf(t) = ln(1 + (S - df + 0.5) / (df + 0.5)),   k1 = 1.2, b = 0.75

with a sentence as a document. Scores are divided by the sum of the idf of the citance's terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .sentence_vocabulary import SentenceWords, is_telling

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Term = TypeVar("Term", bound=Hashable)

_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """N postings of T terms in S sentences.

    `numbers` has the number of each term. `rows`, `columns` and `counts` (N) are sentence, term
    and frequency; `idf` (T) is that of the terms, `idf_of_others` that of a term in no sentence.
    `bm25` (N) is the score of a posting.
    """

    numbers: Mapping[Hashable, int]
    rows: Indices
    columns: Indices
    counts: Floats
    idf: Floats
    idf_of_others: float
    bm25: Floats
    sentences: int

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Hashable]]) -> Postings:
        """Count the terms of sentences."""
        numbers: dict[Hashable, int] = {}
        listed = [numbers.setdefault(term, len(numbers)) for terms in sentences for term in terms]
        owners = np.repeat(np.arange(len(sentences)), [len(terms) for terms in sentences])
        size = max(1, len(numbers))
        cells, found = np.unique(owners * size + np.array(listed, np.intp), return_counts=True)
        rows, columns, counts = cells // size, cells % size, found.astype(np.float64)
        frequencies = np.bincount(columns, minlength=len(numbers))
        idf = np.log1p((len(sentences) - frequencies + 0.5) / (frequencies + 0.5))
        lengths = np.array([len(terms) for terms in sentences])
        relative = lengths / max(1.0, float(lengths.mean()) if len(lengths) else 1.0)
        saturated = counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * relative[rows]))
        return cls(
            numbers=numbers,
            rows=rows,
            columns=columns,
            counts=counts,
            idf=idf,
            idf_of_others=float(np.log1p((len(sentences) + 0.5) / 0.5)),
            bm25=idf[columns] * saturated,
            sentences=len(sentences),
        )

    def query(self, terms: Counter[Term]) -> tuple[Floats, float]:
        """Return how often a citance has each term (T), and the sum of the idf of all of them."""
        known = {self.numbers[term]: terms[term] for term in terms if term in self.numbers}
        counts = np.zeros(len(self.idf))
        counts[list(known)] = list(known.values())
        others = terms.total() - sum(known.values())
        return counts, float(counts @ self.idf) + others * self.idf_of_others

    def total(self, of_postings: Floats | npt.NDArray[np.bool_]) -> Floats:
        """Return the sum over the postings of each sentence (S)."""
        summed = np.bincount(self.rows, of_postings, minlength=self.sentences)
        return summed.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTerms:
    """The stems and stem pairs of a paper; `stem_of` (V) is the stem of each word, -1 for none."""

    stems: Postings
    pairs: Postings
    stem_of: Indices

    @classmethod
    def of(cls, words: SentenceWords, stem: Callable[[str], str]) -> SentenceTerms:
        """Read the words of a paper."""
        stems = [stem(word.lower()) if is_telling(word) else None for word in words.vocabulary]
        listed = words.listed(stems)
        sentences = [[each for each in own if each is not None] for own in listed]
        postings = Postings.of(sentences)
        return cls(
            postings,
            Postings.of([list(pairwise(own)) for own in sentences]),
            np.array([postings.numbers.get(each, -1) for each in stems], np.intp),
        )


def stems_of(words: Sequence[str], stem: Callable[[str], str]) -> list[str]:
    """Return the stems of the words of a citance that count, in order."""
    return [stem(word.lower()) for word in words if is_telling(word)]
