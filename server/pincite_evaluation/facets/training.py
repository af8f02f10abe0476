"""The discourse facet of a citation: which aspect of the cited paper a citance refers to.

One-vs-rest perceptrons on TF-IDF of uni- and bigrams (Aumiller et al. 2020, section 3.2), but with
our stop list, not NLTK's, and without citation markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError, Problem
from pincite.text.markers import without_markers
from pincite.text.tokens import composed, terms, words

from ..cited_text.overlap import judged_rows
from ..cited_text.run import Choices
from ..corpora.scisumm import AnnotatedCorpus, Key, citance_key, numbers, without_tags
from ..processes import imported, tracked
from ..results import Floats
from ..training import FOLDS, Fold, folds_by_paper

Facet = Literal["Aim", "Hypothesis", "Implication", "Method", "Results"]
FACETS: Final[tuple[Facet, ...]] = get_args(Facet)
Marks = npt.NDArray[np.bool_]

#: Gold files of the test set write ``Result_Citation``, training files ``Results_Citation``.
_NAMES: Final[Mapping[str, Facet]] = {facet.lower(): facet for facet in FACETS} | {
    "result": "Results"
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A citance as one annotator judged it; `paper` is the id of its reference paper."""

    paper: str
    citing: str
    citance: str
    sentences: tuple[str, ...]
    facets: tuple[Facet, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The citance and the sentences."""
        return (self.citance, *self.sentences)


def facets_in(field: str | None) -> tuple[Facet, ...]:
    """Return the facets named in an annotator's field, in the order of `FACETS`."""
    named = {_NAMES.get(word) for word in re.findall(r"[a-z]+", (field or "").lower())}
    return tuple(facet for facet in FACETS if facet in named)


def samples(
    corpus: AnnotatedCorpus, choices: Sequence[Choices] | None = None
) -> tuple[Sample, ...]:
    """Return a sample for every citance to which an annotator gave sentences and a facet."""
    found: list[Sample] = []
    for number, paper in enumerate(corpus.papers):
        texts = dict(zip(paper.sids, (each.text for each in paper.paper.sentences), strict=True))
        chosen: dict[Key, tuple[str, ...]] = {}
        if choices is not None:
            keys = (citance_key(one.citing, one.written) for one in paper.citances)
            chosen = dict(zip(keys, choices[number].texts(paper), strict=True))
        for key, row in (item for file in paper.gold for item in judged_rows(file).items()):
            if facets := facets_in(row.facet):
                sentences = chosen.get(key, ())
                if choices is None:
                    wanted = numbers(row.reference_offset)
                    sentences = tuple(text for sid, text in texts.items() if sid in wanted)
                citance = without_tags(row.citation_text)
                found.append(Sample(paper.id, key[0], citance, sentences, facets))
    return tuple(found)


def unknown_facets(corpus: AnnotatedCorpus) -> Iterator[Problem]:
    """Yield a problem for each row with sentences but no known facet, which is not a sample."""
    for paper, file in ((each, file) for each in corpus.papers for file in each.gold):
        for row in judged_rows(file).values():
            if not facets_in(row.facet):
                what = f"citance {row.number}: {row.facet!r} is not a known facet"
                yield Problem(paper.paper.source, None, f"{file.name}, {what}")


def marks(named: Iterable[Sequence[Facet]]) -> Marks:
    """Return which facets (F) are named for each of n samples (n×F)."""
    found = [[facet in each for facet in FACETS] for each in named]
    return np.asarray(found, np.bool_).reshape(-1, len(FACETS))


def truth(given: Sequence[Sample]) -> Marks:
    """Return the annotators' facets of n samples (n×F)."""
    return marks(each.facets for each in given)


@lru_cache(maxsize=4096)
def features(texts: tuple[str, ...]) -> list[str]:
    """Return the lemmas and the bigrams of lemmas in some texts; no bigram spans two texts."""
    found: list[str] = []
    for text in texts:
        forms = (composed(word).lower() for word in words(without_markers(text)))
        unigrams = terms(_english_lemmas().get(form, form) for form in forms)
        found += [*unigrams, *map(" ".join, pairwise(unigrams))]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class FacetClassifier:
    """A perceptron for each of the F facets of `FACETS`, on V features; immutable.

    Decisions are `weights` (F×V) times the vector of `tfidf`, a `TfidfVectorizer`, plus `biases`.
    """

    tfidf: Any
    weights: Floats
    biases: Floats

    def decisions(self, texts: tuple[str, ...]) -> Floats:
        """Return each perceptron's decision (F): positive if a citance and sentences have it."""
        (found,) = self.tfidf.transform([features(texts)]) @ self.weights.T
        return np.asarray(found + self.biases, np.float64)

    def facets(self, texts: tuple[str, ...]) -> tuple[Facet, ...]:
        """Return at least one facet, in the order of `FACETS`."""
        return decided(self.decisions(texts))


def decided(decisions: Floats) -> tuple[Facet, ...]:
    """Return the facets with decisions (F) above 0, else the one with the highest."""
    chosen = np.flatnonzero(decisions > 0.0).tolist() or [int(np.argmax(decisions))]
    return tuple(FACETS[row] for row in chosen)


def fit(given: Sequence[Sample], seed: int = 0) -> FacetClassifier:
    """Train a classifier on some samples; raises `InputError` if they have no words."""
    require_trainer()
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Perceptron

    bags = [features(each.texts) for each in given]
    if not any(bags):
        raise InputError("no sample to train facets on")
    vectorizer = TfidfVectorizer(analyzer=lambda bag: bag)
    matrix = vectorizer.fit_transform(bags)
    weights, biases = np.zeros((len(FACETS), matrix.shape[1])), np.zeros(len(FACETS))
    for row, wanted in enumerate(truth(given).T):
        if wanted.all() or not wanted.any():
            biases[row] = 1.0 if wanted.all() else -1.0
            continue
        perceptron = Perceptron(random_state=seed).fit(matrix, wanted)
        weights[row], biases[row] = perceptron.coef_[0], perceptron.intercept_[0]
    return FacetClassifier(vectorizer, weights, biases)


@cache
def _english_lemmas() -> Mapping[str, str]:
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    listed = DefaultDictionaryFactory().get_dictionary("en")
    lemmas = ((form, lemma.lower()) for form, lemma in sorted(listed.items()))
    return {form: lemma for form, lemma in lemmas if form.isalnum() and form.islower()}


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """The classifier of each paper, which was not trained on it, and one trained on all."""

    folds: tuple[Fold, ...]
    of_papers: Mapping[str, FacetClassifier]
    of_all: FacetClassifier

    def of(self, paper: str) -> FacetClassifier:
        """Return the classifier that was not trained on a paper."""
        return self.of_papers.get(paper, self.of_all)


def cross_validate(gold: Sequence[Sample], seed: int = 0) -> CrossValidated:
    """Train on gold sentences without each fold, and on all; `InputError` for one paper."""
    papers = sorted({each.paper for each in gold})
    if len(papers) < 2:
        raise InputError("facets are cross-validated by reference paper: at least 2 are needed")
    folds = folds_by_paper(papers, FOLDS, seed)
    of_papers: dict[str, FacetClassifier] = {}
    for fold in tracked(folds, "Training", len(folds)):
        trained = fit([each for each in gold if each.paper not in fold.held_out], seed)
        of_papers |= dict.fromkeys(fold.held_out, trained)
    return CrossValidated(folds, of_papers, fit(gold, seed))


def require_trainer() -> None:
    """Raise `InputError` without scikit-learn or simplemma."""
    needs = "training facets needs scikit-learn and simplemma: pip install 'pincite[facets]'"
    imported(needs, "simplemma", "sklearn")
