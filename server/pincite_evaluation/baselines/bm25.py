"""UniHD's search in several text fields (Aumiller et al. 2020, section 3.1.1), and plain BM25.

A paper is a collection, each of its sentences a document, the citance a query of all its terms.
A field's score is BM25 as Lucene 8 has it (Kamphuis et al. 2020, section 2; `LuceneBM25`):

    Σ_t ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 · (1 - b + b · length / mean length))

over the clauses of the citance, times 1.5 in the first 30 % of the paper. As in Lucene, N counts
the sentences that have terms; a sentence's length is its number of positions (`Analysis`), stored
in one byte and so rounded down from 41 words on, while the mean length counts all terms; and there
is no factor k1 + 1, which does not affect the order.

A clause consists of the terms that begin at one position of the citance: Solr 8.5 treats a word and
the shingles that begin with it as synonyms (``synonymQueryStyle="as_same_term"``), adds their
occurrences, and uses the largest df. The boost applies to "query results", so it comes after the
best sentences of a field are selected and affects only the order.

What the paper leaves open: its synonyms and its rules for mathematics (ours are our own), and the
order of the sentences that a majority of fields returned: by the sum of the scores with which they
were returned. On the eight papers of its Table 2, the vote of two fields has P .137 and R .232
with 2.4 sentences per citance, theirs P .128 and R .217, which implies as many; with "terms" and
the boost first, our earlier reading of the paper, P .135 and R .251. Scores are divided by an upper
bound, which makes them fractions and keeps the order.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pincite.matching.sentence_vocabulary import is_telling
from pincite.matching.top_sentences import best_first, supporting
from pincite.model.papers import ReferencePaper
from pincite.model.problems import check_parameters
from pincite.model.results import SupportingSentence
from pincite.text.markers import without_markers

from .fields import FIELD_1, FIELD_2, Analysis, Field, Word, math_spans

Floats = npt.NDArray[np.float64]
#: Terms of a citance that are scored as one.
Clause = tuple[str, ...]

#: Lengths up to this are stored exactly, longer ones with four bits (Lucene's `SmallFloat`).
_EXACT_LENGTHS = 24
_KEPT_BITS = 4


@dataclass(frozen=True, slots=True, eq=False)
class FittedField:
    """The index of one field of S sentences.

    `postings` has the sentences with each term, and how often; `saturation` (S) is
    k1 · (1 - b + b · length / mean length). `filled` is the number of sentences with terms, `words`
    are those of each sentence.
    """

    postings: Mapping[str, Counter[int]]
    saturation: Floats
    filled: int
    words: Sequence[tuple[Word, ...]]

    def scores(self, clauses: Mapping[Clause, int]) -> tuple[Floats, float]:
        """Return the score of each sentence (S), and the sum of the idf of the clauses."""
        scores = np.zeros(len(self.words))
        total = 0.0
        for terms, count in clauses.items():
            found = [self.postings[term] for term in terms if term in self.postings]
            frequency = max(map(len, found), default=0)
            weight = count * math.log1p((self.filled - frequency + 0.5) / (frequency + 0.5))
            total += weight
            for row, number in sum(found, Counter[int]()).items():
                scores[row] += weight * number / (number + self.saturation[row])
        return scores, total


@dataclass(frozen=True, slots=True, eq=False)
class IndexedPaper:
    """A paper, its index in each field, and the boost of each sentence (S)."""

    paper: ReferencePaper
    fields: tuple[FittedField, ...]
    boosts: Floats


@dataclass(frozen=True, slots=True)
class Bm25Matcher:
    """Matches by BM25 in one text field or several.

    * By "vote", the submitted form, each field returns its best `k` sentences; the supporting
      sentences are all that more than half of the fields returned.
    * By "sum", the form that feeds the paper's re-ranker, each field returns its best `candidates`
      (more if more are requested), scores are added, and the best `k` overall are returned.
    * `clauses` are "places", as in Solr, or "terms", one clause per term.
    * `k1` and `b` are Lucene's defaults. Scores are multiplied by `boost` in the first share
      `boosted` of a paper's sentences, after a field's best are selected or, with `boost_first`,
      before. `mask_math` turns formulas into single words.

    Raises `InputError` for numbers out of range.
    """

    fields: tuple[Field, ...] = (FIELD_1, FIELD_2)
    combination: Literal["vote", "sum"] = "vote"
    k: int = 4
    candidates: int = 10
    k1: float = 1.2
    b: float = 0.75
    boost: float = 1.5
    boosted: float = 0.3
    mask_math: bool = True
    clauses: Literal["places", "terms"] = "places"
    boost_first: bool = False

    def __post_init__(self) -> None:
        check_parameters(
            self,
            fields=(len(self.fields) > 0, "1 field or more"),
            k=(self.k >= 1, "1 sentence or more"),
            candidates=(self.candidates >= 1, "1 sentence or more"),
            k1=(0.0 <= self.k1 < np.inf, "a number from 0"),
            b=(0.0 <= self.b <= 1.0, "a number from 0 to 1"),
            boost=(0.0 < self.boost < np.inf, "a number above 0"),
            boosted=(0.0 <= self.boosted <= 1.0, "a number from 0 to 1"),
        )

    def fit(self, paper: ReferencePaper) -> IndexedPaper:
        """Index the sentences of `paper` in every field."""
        analysed = [self._analysed(sentence.text) for sentence in paper.sentences]
        places = np.arange(len(analysed)) / max(1, len(analysed))
        boosts = np.where(places < self.boosted, self.boost, 1.0)
        return IndexedPaper(
            paper,
            tuple(
                self._index([analyses[field] for analyses in analysed])
                for field in range(len(self.fields))
            ),
            boosts,
        )

    def match(
        self, citance: str, fitted: IndexedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return the sentences that the fields agree on, or the best of them all."""
        wanted = self.k if number is None else number
        depth = self.k if self.combination == "vote" else max(self.candidates, wanted)
        analysed = self._analysed(citance)
        asked = [set(analysis.terms()) for analysis in analysed]
        first, then = (fitted.boosts, 1.0) if self.boost_first else (1.0, fitted.boosts)
        returned = np.zeros((len(self.fields), len(fitted.paper.sentences)))
        most = 0.0
        for row, index, analysis in zip(returned, fitted.fields, analysed, strict=True):
            clauses = ((term,) for term in analysis.terms())
            scores, idf = index.scores(
                Counter(analysis.places if self.clauses == "places" else clauses)
            )
            most += idf * max(1.0, self.boost)
            for position, score in best_first(scores * first, depth):
                row[position] = score
        returned *= then
        if not most:
            return []
        totals = returned.sum(axis=0) / most
        if self.combination == "vote":
            totals[2 * np.count_nonzero(returned, axis=0) <= len(self.fields)] = 0.0
            wanted = len(totals) if number is None else number
        found = []
        for position, score in best_first(totals, wanted):
            text = fitted.paper.sentences[position].text
            spans = {
                (word.start, word.end)
                for row, index, terms in zip(returned, fitted.fields, asked, strict=True)
                if row[position]
                for word in index.words[position]
                if word.term in terms and is_telling(text[word.start : word.end])
            }
            found.append(supporting(fitted.paper, position, score, spans))
        return found

    def _analysed(self, sentence: str) -> list[Analysis]:
        text = without_markers(sentence)
        masked = math_spans(text) if self.mask_math else ()
        return [field.analyse(text, masked) for field in self.fields]

    def _index(self, sentences: Sequence[Analysis]) -> FittedField:
        postings: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for row, analysis in enumerate(sentences):
            for term in analysis.terms():
                postings[term][row] += 1
        filled = sum(1 for analysis in sentences if analysis.places)
        terms = sum(each.total() for each in postings.values())
        lengths = stored_lengths(len(analysis.places) for analysis in sentences)
        relative = lengths * filled / max(1, terms)
        return FittedField(
            postings=postings,
            saturation=self.k1 * (1.0 - self.b + self.b * relative),
            filled=filled,
            words=[analysis.words for analysis in sentences],
        )


def stored_lengths(lengths: Iterable[int]) -> Floats:
    """Return lengths rounded as Lucene's one-byte norms store them."""
    exact = np.fromiter(lengths, np.int64)
    above = np.maximum(exact - _EXACT_LENGTHS, 0)
    _, bits = np.frexp(above.astype(np.float64))
    dropped = np.maximum(bits - _KEPT_BITS, 0)
    return np.asarray(exact - above + (above >> dropped << dropped), np.float64)
