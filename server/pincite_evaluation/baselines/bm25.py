"""UniHD's search in several text fields and its re-ranker (Aumiller et al. 2020), and plain BM25.

Section 3.1.1: a paper is a collection, each of its sentences a document, the citance a query of all
its terms. A field's score is BM25 as Lucene 8 has it (Kamphuis et al. 2020, section 2;
`LuceneBM25`), without a factor k1 + 1:

    Σ_t ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 · (1 - b + b · length / mean length))

over the clauses of the citance, times 1.5 in the first 30 % of the paper. N counts the sentences
that have terms; a length is a number of positions (`Analysis`), stored in one byte and so rounded
down from 41 words on, while the mean length counts all terms.

A clause has the terms that begin at one position of the citance: Solr 8.5 treats them as synonyms
(``synonymQueryStyle="as_same_term"``), adds their occurrences, and uses the largest df. The boost
applies to "query results", so it comes after the best sentences of a field are selected.

What the paper leaves open: its synonyms and rules for mathematics, and the order of the sentences
that a majority of fields returned: by the sum of their scores. On the eight papers of its Table 2,
the vote of two fields has P .137 and R .232 with 2.4 sentences per citance, theirs P .128 and R
.217, which implies as many; with "terms" and the boost first, our earlier reading, P .135 and R
.251. Scores are divided by an upper bound, which makes them fractions and keeps the order.

The re-ranker (section 3.1.2) is a cross-encoder over BM25's best, scores added: candidates are
ordered by the logistic function of its one logit (Nogueira and Cho 2019), regardless of BM25's
score. Where we differ: citation markers are removed, as for every matcher here; a citance is
truncated to three quarters of the model's input, so that there is always room for the sentence.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.cancellation import checked
from pincite.matching.coverage import best_first
from pincite.matching.sentence_vocabulary import is_telling, supporting
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.text.markers import without_markers

from ..processes import first_line
from .encoders import Ids, Tokenizer, needed, open_onnx, open_tokenizer
from .fields import FIELD_1, FIELD_2, Analysis, Field, Word, math_spans

Floats = npt.NDArray[np.float64]
#: Terms of a citance that are scored as one.
Clause = tuple[str, ...]


class FittedField(NamedTuple):
    """The index of a field; `saturation` is k1 · (1 - b + b · length / mean length) (S)."""

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


class IndexedPaper(NamedTuple):
    """A paper, its index in each field, and the boost of each sentence (S)."""

    paper: ReferencePaper
    fields: tuple[FittedField, ...]
    boosts: Floats


@dataclass(frozen=True, slots=True)
class Bm25Matcher:
    """Matches by BM25 in one text field or several.

    By "vote", the submitted form, each field returns its best `k` sentences; the supporting ones
    are all that more than half of the fields returned. By "sum", the form that feeds the re-ranker,
    each field returns its best `candidates` or more, and scores are added. Scores are multiplied by
    `boost` in the first share `boosted` of a paper, after a field's best are selected or before.
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

    def fit(self, paper: ReferencePaper) -> IndexedPaper:
        """Index the sentences of `paper` in each field."""
        analysed = [self._analysed(sentence.text) for sentence in paper.sentences]
        places = np.arange(len(analysed)) / max(1, len(analysed))
        boosts = np.where(places < self.boosted, self.boost, 1.0)
        by_field = ([each[field] for each in analysed] for field in range(len(self.fields)))
        return IndexedPaper(paper, tuple(map(self._index, by_field)), boosts)

    def match(
        self, citance: str, fitted: IndexedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return sentences, best first; without `number`, `combination` decides how many."""
        wanted = self.k if number is None else number
        depth = self.k if self.combination == "vote" else max(self.candidates, wanted)
        analysed = self._analysed(citance)
        asked = [set(analysis.terms()) for analysis in analysed]
        first, then = (fitted.boosts, 1.0) if self.boost_first else (1.0, fitted.boosts)
        returned = np.zeros((len(self.fields), len(fitted.paper.sentences)))
        most = 0.0
        for row, index, analysis in zip(returned, fitted.fields, analysed, strict=True):
            terms = ((term,) for term in analysis.terms())
            scores, idf = index.scores(
                Counter(analysis.places if self.clauses == "places" else terms)
            )
            most += idf * max(1.0, self.boost)
            for position, score in best_first(scores * first, depth):
                row[position] = score
        if not most:
            return []
        returned *= then
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
        saturation = self.k1 * (1.0 - self.b + self.b * relative)
        return FittedField(postings, saturation, filled, [each.words for each in sentences])


def stored_lengths(lengths: Iterable[int]) -> Floats:
    """Return lengths as Lucene's `SmallFloat` stores them: up to 24, and beyond with four bits."""
    exact = np.fromiter(lengths, np.int64)
    above = np.maximum(exact - 24, 0)
    dropped = np.maximum(np.frexp(above.astype(np.float64))[1] - 4, 0)
    return np.asarray(exact - above + (above >> dropped << dropped), np.float64)


#: The logits of B texts (B), from ids, attention mask, and segment ids of the pieces (B×L).
Forward = Callable[[Ids, Ids, Ids], npt.ArrayLike]

#: How many pieces BERT reads.
MAX_PIECES = 512


@dataclass(frozen=True, slots=True, eq=False)
class CrossEncoder:
    """A trained transformer that reads a citance and a sentence, `longest` pieces in all."""

    tokenizer: Tokenizer
    forward: Forward
    longest: int = MAX_PIECES

    @staticmethod
    def load(folder: Path) -> CrossEncoder:
        """Open a model in ONNX with its tokeniser; raises `InputError` if either is unusable."""
        for module in ("onnxruntime", "tokenizers"):
            needed(module)
        for name in ("model.onnx", "tokenizer.json"):
            if not (path := folder / name).is_file():
                raise InputError(f"{path}: no such file; `pincite train reranker` makes it")
        try:
            opened = CrossEncoder(
                open_tokenizer(folder / "tokenizer.json"), open_onnx(folder / "model.onnx")
            )
            opened.probabilities("", [""])
        except Exception as error:  # both libraries have exceptions of their own
            raise InputError(f"{folder}: not a usable re-ranker ({first_line(error)})") from error
        return opened

    def probabilities(self, citance: str, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return, for each of n sentences (n), the probability that the citance refers to it."""
        logits = np.zeros(len(sentences))
        pairs = [(citance, sentence) for sentence in sentences]
        read = pieces_of_pairs(self.tokenizer, self.longest, pairs)
        # One by one, so that no result depends on the rest of a batch.
        for row, (own, types) in enumerate(checked(read)):
            ids = np.asarray([own], np.int64)
            found = self.forward(ids, np.ones_like(ids), np.asarray([types], np.int64))
            (logits[row],) = np.asarray(found, np.float32).reshape(len(ids))
        return np.asarray(np.exp(-np.logaddexp(0.0, -logits)), np.float64)


def pieces_of_pairs(
    tokenizer: Tokenizer, longest: int, pairs: Sequence[tuple[str, str]]
) -> list[tuple[list[int], list[int]]]:
    """Return the pieces of pairs of texts, special tokens included, and their segment ids."""
    room = longest - tokenizer.num_special_tokens_to_add(True)
    texts = map(list, zip(*pairs, strict=True))
    read = [tokenizer.encode_batch(each, add_special_tokens=False) for each in texts]
    found = []
    for first, second in zip(*read, strict=True):
        first.truncate(max(room - len(second.ids), 3 * room // 4))
        second.truncate(room - len(first.ids))
        joined = tokenizer.post_process(first, second)
        found.append((joined.ids, joined.type_ids))
    return found


@dataclass(frozen=True, slots=True)
class RerankerMatcher:
    """Re-ranks the best `candidates` sentences of BM25 and returns the best `k`."""

    model: CrossEncoder
    fields: tuple[Field, ...] = (FIELD_1, FIELD_2)
    k: int = 4
    candidates: int = 10

    @property
    def bm25(self) -> Bm25Matcher:
        """The matcher that finds the candidates."""
        return Bm25Matcher(self.fields, "sum", k=self.k, candidates=self.candidates)

    def fit(self, paper: ReferencePaper) -> IndexedPaper:
        """Index the sentences of `paper` for BM25."""
        return self.bm25.fit(paper)

    def match(
        self, citance: str, fitted: IndexedPaper, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return `number` sentences, by default `k`, by falling probability."""
        wanted = self.k if number is None else number
        found = self.bm25.match(citance, fitted, max(self.candidates, wanted))
        # In the order of the paper, which ties keep.
        found.sort(key=lambda each: each.position)
        texts = [without_markers(each.text) for each in found]
        best = best_first(self.model.probabilities(without_markers(citance), texts), wanted)
        return [replace(found[index], score=min(score, 1.0)) for index, score in best]
