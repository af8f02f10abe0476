"""Features of a paper's sentences for a citance: numeric evidence that a sentence supports it.

Sources: word vectors (`asymmetric`, both directions, and the mean vectors of `symmetric`), BM25 of
stems and stem pairs, rare terms, numbers, names of methods and data sets, the neighbouring
sentences, what others say where they cite the paper, section, position and form; and the cosine of
a transformer's vectors, if there is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper, Sentence
from ..text.markers import without_markers
from ..text.tokens import composed, words
from .asymmetric import AsymmetricMatcher, FittedPaper, marked
from .coverage import covered, scaled, unit
from .sentence_kinds import can_supports, form
from .sentence_terms import SentenceTerms, stems_of
from .sentence_vocabulary import Marks, is_telling

Floats = npt.NDArray[np.float64]

#: Names of methods, data sets and measures: inner capitals, or letters and digits.
_NAME = re.compile(r"\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*")
_NUMBER = re.compile(r"\d+")
#: Features that are also given relative to the best sentence, and by the sentence's rank.
_RELATIVE = ("covered", "covered_flat", "covering", "mean", "bm25", "cosine", "encoded")
#: Where more than this cite a paper, a word must be in the citances of two of them.
_FEW_CITANCES = 3
#: Features that are also given for the neighbouring sentences.
_OF_NEIGHBOURS = ("covered", "bm25", "encoded")
_NEIGHBOURHOOD = np.array([0.25, 0.5, 1.0, 0.5, 0.25])


class SentenceEncoder(Protocol):
    """Maps texts to vectors by meaning, such as a transformer."""

    def sentences(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each of n texts (n×D)."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedSentences:
    """A paper's S sentences, prepared for all evidence.

    `means` (S×D) are the mean vectors of their content words, of length 1; `kinds` (V) says
    which words of the vocabulary are numbers (1) or names (2). `eligible` (S) are those that may
    be shown, `form` (S×F) the features of their form and position. `cited_as` (T) is, for each of
    the paper's stems, the share of other papers' citances with it; `citances` is the number of
    these. `encoded` (S×D) are the sentences' vectors of length 1, None without an encoder.
    """

    paper: FittedPaper
    terms: SentenceTerms
    stem: Callable[[str], str]
    means: npt.NDArray[np.float32]
    kinds: npt.NDArray[np.int8]
    eligible: npt.NDArray[np.bool_]
    form: dict[str, Floats]
    title: frozenset[str]
    cited_as: Floats
    citances: int = 0
    encoded: npt.NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Features of S sentences (S×F).

    `marks` says which of their words match one of the citance, `shares` (S) which have any.
    """

    values: Floats
    shares: npt.NDArray[np.bool_]
    marks: Marks


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
        telling = np.array([is_telling(word) for word in fitted.known], np.float32)
        kinds = np.array([_kind(word) for word in read.vocabulary], np.int8)
        # Vectors as trained: those of content words are longer and count for more.
        vectors = self.words.vectors
        of_words = vectors.vectors(vectors.rows(list(fitted.known))) * telling[:, None]
        means = unit(np.add.reduceat(of_words[fitted.columns], read.starts))
        terms = SentenceTerms.of(read, stem)
        return FittedSentences(
            fitted,
            terms,
            stem,
            means,
            kinds,
            can_supports(paper, read.positions),
            form(paper, read.positions),
            frozenset(stems_of(words(paper.title), stem)),
            np.zeros(len(terms.stems.numbers)),
            encoded=self._encoded([paper.sentences[at].text for at in read.positions]),
        )

    def cited_by(self, fitted: FittedSentences, citances: Sequence[str]) -> FittedSentences:
        """Add other papers' citances of this paper."""
        postings = fitted.terms.stems
        having = np.zeros(len(postings.numbers))
        for citance in citances:
            read = self.words.reading.words(citance)
            having[_numbers(stems_of(read, fitted.stem), fitted)] += 1.0
        if len(citances) > _FEW_CITANCES:
            having[having < 2.0] = 0.0
        said = having / max(1, len(citances))
        return replace(fitted, cited_as=said, citances=len(citances))

    def of(self, citance: str, fitted: FittedSentences) -> Evidence:
        """Return the features of all sentences of a paper, in the order of `names`."""
        named, marks = self._named(citance, fitted)
        shares = np.logical_or.reduceat(marks, fitted.paper.words.starts)
        return Evidence(np.column_stack(list(named.values())), shares, marks)

    def _encoded(self, texts: Sequence[str]) -> npt.NDArray[np.float32] | None:
        if self.encoder is None:
            return None
        return unit(self.encoder.sentences([without_markers(text) for text in texts]))

    def _named(self, citance: str, fitted: FittedSentences) -> tuple[dict[str, Floats], Marks]:
        read = self.words.reading.words(citance)
        counts = Counter(read)
        number = len(fitted.paper.words.starts)
        found, marks = _by_vectors(self.words, counts, fitted)
        stems = stems_of(read, fitted.stem)
        found |= _by_terms(stems, fitted)
        found |= _by_kinds(counts, fitted)
        shared_stems = np.isin(fitted.terms.stem_of, _numbers(stems, fitted)) & (
            fitted.terms.stem_of >= 0
        )
        marks |= shared_stems[fitted.paper.words.columns]
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


def _by_vectors(
    matcher: AsymmetricMatcher, counts: Counter[str], fitted: FittedSentences
) -> tuple[dict[str, Floats], Marks]:
    paper = fitted.paper
    query = list(counts)
    cosines = matcher.cosines(query, paper)
    weights = matcher.repeated_weights(counts)
    weights /= max(float(weights.sum()), 1e-9)
    best = covered(cosines.take(paper.distinct, axis=1), paper.words.distinct_starts, 1.0)
    sums = matcher.covering(cosines, paper)
    own = np.add.reduceat(paper.weights[paper.columns], paper.words.starts)
    telling = np.array([is_telling(word) for word in query], np.bool_)
    repeated = telling * np.fromiter(counts.values(), np.float32, len(counts))
    mean = repeated @ matcher.vectors.vectors(matcher.vectors.rows(query))
    return {
        "covered": weights @ scaled(best, matcher.d),
        "covered_flat": weights @ best,
        "covering": sums / max(paper.heaviest, 1e-9),
        "covering_share": sums / np.maximum(own, 1e-9),
        "mean": (fitted.means @ unit(mean[None])[0]).astype(np.float64),
    }, marked(query, cosines, paper)


def _by_terms(stems: Sequence[str], fitted: FittedSentences) -> dict[str, Floats]:
    postings = fitted.terms.stems
    counts, total = postings.query(Counter(stems))
    idf = postings.idf
    asked = (counts > 0)[postings.columns]
    idf_of = idf[postings.columns]
    weighted = counts * idf
    products = postings.total(weighted[postings.columns] * postings.counts * idf_of)
    lengths = np.sqrt(postings.total((postings.counts * idf_of) ** 2))
    own = postings.total(postings.counts * idf_of)
    rarest = np.zeros(postings.sentences)
    np.maximum.at(rarest, postings.rows[asked], idf_of[asked])
    of_pairs = fitted.terms.pairs
    pairs, total_of_pairs = of_pairs.query(Counter(pairwise(stems)))
    return {
        "bm25": postings.total(counts[postings.columns] * postings.bm25) / max(total, 1e-9),
        "cosine": products / np.maximum(lengths * np.sqrt((weighted**2).sum()), 1e-9),
        "terms": np.log1p(postings.total(asked.astype(np.float64))),
        "terms_covered": postings.total(asked * idf_of)
        / max(float(idf[counts > 0].sum()) + _unknown(stems, fitted), 1e-9),
        "terms_share": postings.total(asked * postings.counts * idf_of) / np.maximum(own, 1e-9),
        "rarest": rarest / max(postings.idf_of_others, 1e-9),
        "pairs": of_pairs.total((pairs > 0)[of_pairs.columns] * of_pairs.idf[of_pairs.columns])
        / max(total_of_pairs, 1e-9),
        "in_title": _in_title(fitted),
    }


def _by_others(fitted: FittedSentences) -> dict[str, Floats]:
    """Return how much each sentence covers what others say of the paper."""
    postings, said = fitted.terms.stems, fitted.cited_as
    scores = postings.total(said[postings.columns] * postings.bm25)
    scores /= max(float(said @ postings.idf), 1e-9)
    return {
        "others": scores,
        "others_relative": scores / max(float(scores.max(initial=0.0)), 1e-9),
        "others_known": np.full(len(scores), np.log1p(fitted.citances)),
    }


def _unknown(stems: Sequence[str], fitted: FittedSentences) -> float:
    """Return the idf of the citance's terms that no sentence has."""
    postings = fitted.terms.stems
    others = {stem for stem in stems if stem not in postings.numbers}
    return len(others) * postings.idf_of_others


def _numbers(stems: Sequence[str], fitted: FittedSentences) -> list[int]:
    known = fitted.terms.stems.numbers
    return [known[stem] for stem in set(stems) if stem in known]


def _in_title(fitted: FittedSentences) -> Floats:
    """Return how much each sentence covers the paper's title."""
    postings = fitted.terms.stems
    known = np.zeros(len(postings.idf), np.bool_)
    known[_numbers(tuple(fitted.title), fitted)] = True
    return postings.total(known[postings.columns].astype(np.float64)) / max(1, len(fitted.title))


def _by_kinds(counts: Counter[str], fitted: FittedSentences) -> dict[str, Floats]:
    """Return how many numbers and names of the citance each sentence has."""
    words_of = fitted.paper.words
    asked = np.array([word in counts for word in words_of.vocabulary], np.bool_)
    number = len(words_of.starts)
    ends = np.append(words_of.distinct_starts, len(words_of.distinct))
    owners = np.repeat(np.arange(number), np.diff(ends))
    found: dict[str, Floats] = {}
    for name, kind in (("numbers", 1), ("names", 2)):
        shared = (asked & (fitted.kinds == kind))[words_of.distinct]
        found[name] = np.log1p(np.bincount(owners[shared], minlength=number).astype(np.float64))
    return found


def _kind(word: str) -> int:
    if _NUMBER.fullmatch(word):
        return 1
    return 2 if _NAME.fullmatch(composed(word)) else 0
