"""Features of a paper's sentences for a citance: numeric evidence that a sentence supports it.

Sources: word vectors (`asymmetric`, both directions, and the mean vectors of `symmetric`), BM25 of
stems and stem pairs, rare terms, numbers, names of methods and data sets, the neighbouring
sentences, what others say where they cite the paper, section, position and form, content and kind
of text (`sentence_content`); and the cosine of a transformer's vectors, if there is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..model.encoders import SentenceEncoder
from ..model.papers import ReferencePaper, Sentence
from ..text.markers import without_markers
from ..text.tokens import words
from .asymmetric import AsymmetricMatcher, FittedPaper, marked
from .coverage import covered, scaled, unit
from .sentence_content import NUMBER, FittedContent, by_citance, by_meaning, by_rarity
from .sentence_kinds import can_supports, form
from .sentence_terms import SentenceTerms, stems_of
from .sentence_vocabulary import Marks, SentenceWords, is_telling

Floats = npt.NDArray[np.float64]

#: Names of methods, data sets and measures: inner capitals, or letters and digits.
_NAME = re.compile(r"\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*")
#: Features that are also given relative to the best sentence, and by the sentence's rank.
_RELATIVE = (
    *("covered", "covered_flat", "covering", "mean", "bm25", "cosine", "encoded"),
    *("idf_covered", "mean_idf", "flat_idf", "covered_idf", "window", "central"),
)
#: Where more than this cite a paper, a word must be in the citances of two of them.
_FEW_CITANCES = 3
#: Features that are also given for the neighbouring sentences.
_OF_NEIGHBOURS = ("covered", "bm25", "encoded", "idf_covered", "flat_idf")
_NEIGHBOURHOOD = np.array([0.25, 0.5, 1.0, 0.5, 0.25])


@dataclass(frozen=True, slots=True, eq=False)
class FittedSentences:
    """A paper's S sentences, prepared for all evidence.

    `means` (S×D) are the mean vectors of their content words, of length 1. `eligible` (S) are
    those that may be shown, `form` (S×F) the features of their form and position. `cited_as` (T)
    is, for each of the paper's stems, the share of other papers' citances with it; `citances` is
    the number of these. `encoded` (S×D) are the sentences' vectors of length 1, None without an
    encoder. `foreign` papers are in another language than the citances.
    """

    paper: FittedPaper
    terms: SentenceTerms
    stem: Callable[[str], str]
    means: npt.NDArray[np.float32]
    eligible: npt.NDArray[np.bool_]
    form: dict[str, Floats]
    content: FittedContent
    title: frozenset[str]
    cited_as: Floats
    citances: int = 0
    encoded: npt.NDArray[np.float32] | None = None
    foreign: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Features of S sentences (S×F), and `marks` of their words that match one of the citance.

    `eligible` (S) are the sentences that may be shown: prose that shares something with the
    citance.
    """

    values: Floats
    marks: Marks
    eligible: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SentenceFeatures:
    """Computes the features of sentences; with an `encoder`, the cosine of its vectors too."""

    words: AsymmetricMatcher
    encoder: SentenceEncoder | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        paper = ReferencePaper("", "abstract", (Sentence("nothing"),))
        named, _ = self._named("nothing", self.fit(paper, str))
        return tuple(named)

    def fit(self, paper: ReferencePaper, stem: Callable[[str], str]) -> FittedSentences:
        """Read a paper's sentences."""
        fitted = self.words.fit(paper)
        read = fitted.words
        # Vectors as trained: those of content words are longer and count for more.
        of_words = self._of_content(fitted.vocabulary)
        terms = SentenceTerms.of(read, stem)
        of_form = form(paper, read.positions)
        return FittedSentences(
            fitted,
            terms,
            stem,
            unit(np.add.reduceat(of_words[read.columns], read.starts)),
            can_supports(paper, read.positions),
            of_form,
            FittedContent.of(fitted, terms, self.words.vectors, of_form["own"]),
            frozenset(stems_of(words(paper.title), stem)),
            np.zeros(len(terms.stems.numbers)),
            encoded=self._encoded(read.texts()),
        )

    def cited_by(self, fitted: FittedSentences, citances: Sequence[str]) -> FittedSentences:
        """Add other papers' citances of this paper."""
        having = np.zeros_like(fitted.cited_as)
        for citance in citances:
            stems = stems_of(self.words.reading.words(citance), fitted.stem)
            having += fitted.terms.stems.query(Counter(set(stems)))[0]
        if len(citances) > _FEW_CITANCES:
            having[having < 2.0] = 0.0
        shares = having / max(1, len(citances))
        return replace(fitted, cited_as=shares, citances=len(citances))

    def of(self, citance: str, fitted: FittedSentences) -> Evidence:
        """Return the features of all sentences of a paper, in the order of `names`."""
        named, marks = self._named(citance, fitted)
        shares = np.logical_or.reduceat(marks, fitted.paper.words.starts)
        return Evidence(np.column_stack(list(named.values())), marks, fitted.eligible & shares)

    def _of_content(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vector of each content word (n×D), 0 for other words."""
        vectors = self.words.vectors
        telling = np.array([is_telling(word) for word in words], np.float32)
        return vectors.vectors(vectors.rows(words)) * telling[:, None]

    def _by_vectors(
        self, counts: Counter[str], fitted: FittedSentences
    ) -> tuple[dict[str, Floats], Marks]:
        """Return the features of words and their vectors, and the words that match."""
        paper, query = fitted.paper, list(counts)
        cosines = self.words.cosines(query, paper)
        weights = self.words.repeated_weights(counts)
        weights /= max(float(weights.sum()), 1e-9)
        best = covered(cosines.take(paper.words.columns, axis=1), paper.words.starts, 1.0)
        sums = self.words.covering(cosines, paper)
        mean = np.fromiter(counts.values(), np.float32, len(counts)) @ self._of_content(query)
        stems, _ = fitted.terms.stems.query(Counter(stems_of(query, fitted.stem)))
        shared = np.append(stems > 0, False)[fitted.terms.stem_of][paper.words.columns]
        of_query = [fitted.stem(word.lower()) for word in query]
        by_idf = by_meaning(
            *(counts, of_query, best, fitted.terms.stems, fitted.content),
            *(self.words.vectors, self.words.d),
        )
        return by_idf | {
            "covered": weights @ scaled(best, self.words.d),
            "covered_flat": weights @ best,
            "covering": sums / max(float(paper.sums.max()), 1e-9),
            "covering_share": sums / np.maximum(paper.sums, 1e-9),
            "mean": (fitted.means @ unit(mean[None])[0]).astype(np.float64),
        }, marked(query, cosines, paper) | shared

    def _encoded(self, texts: Sequence[str]) -> npt.NDArray[np.float32] | None:
        if self.encoder is None:
            return None
        return unit(self.encoder.sentences([without_markers(text) for text in texts]))

    def _named(self, citance: str, fitted: FittedSentences) -> tuple[dict[str, Floats], Marks]:
        read = self.words.reading.words(citance)
        counts = Counter(read)
        number = len(fitted.paper.words.starts)
        found, marks = self._by_vectors(counts, fitted)
        stems = stems_of(read, fitted.stem)
        found |= _by_terms(stems, fitted)
        found |= _by_kinds(counts, fitted.paper.words)
        found |= by_rarity(stems, fitted.terms.stems)
        names = len({word for word in counts if _NAME.fullmatch(word)})
        found |= by_citance(citance, read, names, fitted.content)
        found |= fitted.content.form
        asked = self._encoded([citance])
        if asked is not None and fitted.encoded is not None:
            found["encoded"] = (fitted.encoded @ asked[0]).astype(np.float64)
        for name in (each for each in _OF_NEIGHBOURS if each in found):
            padded = np.concatenate([[0.0], found[name], [0.0]])
            found[f"{name}_before"], found[f"{name}_after"] = padded[:-2], padded[2:]
            around = np.convolve(found[name], _NEIGHBOURHOOD, "full")
            found[f"{name}_around"] = around[2 : number + 2]
        for name in (each for each in _RELATIVE if each in found):
            # The cosine of mean vectors may be negative for every sentence.
            scores = np.maximum(found[name], 0.0)
            found[f"{name}_relative"] = scores / max(float(scores.max(initial=0.0)), 1e-9)
            order = np.argsort(-scores, kind="stable")
            ranks = np.empty(number)
            ranks[order] = np.arange(number)
            found[f"{name}_rank"] = np.log1p(ranks)
        found |= _by_others(fitted)
        found |= fitted.form
        found["sentences"] = np.full(number, np.log1p(number))
        found["citance"] = np.full(number, np.log1p(len(stems)))
        title = fitted.title
        shared = len(title.intersection(stems)) / max(1, len(title))
        found["citance_has_title"] = np.full(number, shared)
        found["is_abstract"] = np.full(number, float(fitted.paper.words.paper.basis == "abstract"))
        return found, marks


def _by_terms(stems: Sequence[str], fitted: FittedSentences) -> dict[str, Floats]:
    postings, pairs = fitted.terms.stems, fitted.terms.pairs
    counts, total = postings.query(Counter(stems))
    _, total_of_distinct = postings.query(Counter(set(stems)))
    in_title, _ = postings.query(Counter(fitted.title))
    asked_pairs, total_of_pairs = pairs.query(Counter(pairwise(stems)))
    asked = (counts > 0)[postings.columns]
    idf = postings.idf[postings.columns]
    weights = counts * postings.idf
    own_weights = postings.counts * idf
    lengths = np.sqrt(postings.total(own_weights**2))
    rarest = np.zeros(postings.sentences)
    np.maximum.at(rarest, postings.rows[asked], idf[asked])
    return {
        "bm25": postings.total(counts[postings.columns] * postings.bm25) / max(total, 1e-9),
        "cosine": postings.total(weights[postings.columns] * own_weights)
        / np.maximum(lengths * np.sqrt((weights**2).sum()), 1e-9),
        "terms": np.log1p(postings.total(asked)),
        "terms_covered": postings.total(asked * idf) / max(total_of_distinct, 1e-9),
        "terms_share": postings.total(asked * own_weights)
        / np.maximum(postings.total(own_weights), 1e-9),
        "rarest": rarest / max(postings.idf_of_others, 1e-9),
        "pairs": pairs.total((asked_pairs > 0)[pairs.columns] * pairs.idf[pairs.columns])
        / max(total_of_pairs, 1e-9),
        "in_title": postings.total(in_title[postings.columns]) / max(1, len(fitted.title)),
    }


def _by_others(fitted: FittedSentences) -> dict[str, Floats]:
    """Return how much each sentence covers the citances of other papers."""
    postings, shares = fitted.terms.stems, fitted.cited_as
    scores = postings.total(shares[postings.columns] * postings.bm25)
    scores /= max(float(shares @ postings.idf), 1e-9)
    return {
        "others": scores,
        "others_relative": scores / max(float(scores.max(initial=0.0)), 1e-9),
        "others_known": np.full(len(scores), np.log1p(fitted.citances)),
    }


def _by_kinds(counts: Counter[str], words: SentenceWords) -> dict[str, Floats]:
    """Return how many distinct numbers and names of the citance each sentence has."""
    found: dict[str, Floats] = {}
    for name, pattern in (("numbers", NUMBER), ("names", _NAME)):
        asked = [word in counts and bool(pattern.fullmatch(word)) for word in words.vocabulary]
        shared = np.array(asked, np.bool_)[words.columns]
        distinct = np.unique(np.stack([words.owners[shared], words.columns[shared]]), axis=1)
        found[name] = np.log1p(np.bincount(distinct[0], minlength=len(words.starts)))
    return found
