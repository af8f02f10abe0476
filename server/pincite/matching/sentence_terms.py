"""Postings of the stems and stem pairs of a paper's sentences, scored by BM25.

BM25 is Robertson's with Lucene's idf, which is never negative (Kamphuis et al. 2020, section 2):

    idf(t) = ln(1 + (S - df + 0.5) / (df + 0.5)),   k1 = 1.2, b = 0.75

with a sentence as a document. Scores are divided by the sum of the idf of the citance's terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
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

    `rows`, `columns` and `counts` (N) are sentence, term and frequency; `idf` (T) is that of the
    terms, `idf_of_others` that of a term in no sentence. `bm25` (N) is the score of a posting.
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
    def of(
        cls,
        numbers: Mapping[Hashable, int],
        rows: Indices,
        columns: Indices,
        sentences: int,
    ) -> Postings:
        """Count the occurrences of terms, each given with its sentence and its number."""
        terms = max(1, len(numbers))
        pairs, counts = np.unique(rows * terms + columns, return_counts=True)
        owners, found = pairs // terms, pairs % terms
        frequencies = np.bincount(found, minlength=len(numbers))
        idf = np.log1p((sentences - frequencies + 0.5) / (frequencies + 0.5))
        lengths = np.bincount(rows, minlength=sentences).astype(np.float64)
        relative = lengths / max(1.0, float(lengths.mean()) if sentences else 1.0)
        saturated = counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * relative[owners]))
        return cls(
            numbers=numbers,
            rows=owners,
            columns=found,
            counts=counts.astype(np.float64),
            idf=idf,
            idf_of_others=float(np.log1p((sentences + 0.5) / 0.5)),
            bm25=idf[found] * saturated,
            sentences=sentences,
        )

    def query(self, terms: Counter[Term]) -> tuple[Floats, float]:
        """Return how often a citance has each term (T), and the sum of the idf of all of them."""
        counts = np.zeros(len(self.idf))
        others = 0
        for term, count in terms.items():
            column = self.numbers.get(term)
            if column is None:
                others += count
            else:
                counts[column] = count
        return counts, float(counts @ self.idf) + others * self.idf_of_others

    def total(self, of_pairs: Floats) -> Floats:
        """Return the sum over the postings of each sentence (S)."""
        summed = np.bincount(self.rows, of_pairs, minlength=self.sentences)
        return summed.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTerms:
    """The stems and stem pairs of a paper; `stem_of` (V) is -1 for words that do not count."""

    stems: Postings
    pairs: Postings
    stem_of: Indices

    @classmethod
    def of(cls, words: SentenceWords, stem: Callable[[str], str]) -> SentenceTerms:
        """Read the words of a paper."""
        numbers: dict[Hashable, int] = {}
        stem_of = np.array(
            [
                numbers.setdefault(stem(word.lower()), len(numbers)) if is_telling(word) else -1
                for word in words.vocabulary
            ],
            np.intp,
        )
        sentences = len(words.starts)
        owners = np.repeat(np.arange(sentences), np.diff(words.starts, append=len(words.columns)))
        found = stem_of[words.columns]
        kept = found >= 0
        rows, columns = owners[kept], found[kept]
        together = rows[1:] == rows[:-1]
        codes = columns[:-1][together] * max(1, len(numbers)) + columns[1:][together]
        distinct, pair_of = np.unique(codes, return_inverse=True)
        names = list(numbers)
        pairs: dict[Hashable, int] = {
            (names[code // len(numbers)], names[code % len(numbers)]): number
            for number, code in enumerate(distinct.tolist())
        }
        return cls(
            Postings.of(numbers, rows, columns, sentences),
            Postings.of(pairs, rows[:-1][together], pair_of.reshape(-1), sentences),
            stem_of,
        )


def stems_of(words: Sequence[str], stem: Callable[[str], str]) -> list[str]:
    """Return the stems of the words of a citance that count, in order."""
    return [stem(word.lower()) for word in words if is_telling(word)]
