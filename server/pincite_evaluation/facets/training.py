"""The discourse facet of a citation: which aspect of the cited paper a citance refers to.

One-vs-rest perceptrons on TF-IDF of the uni- and bigrams in the citance and in the supporting
sentences (Aumiller et al. 2020, section 3.2), trained and calibrated here. Differences: the stop
list is ours, not NLTK's, and citation markers are removed first. To lemmatise without a dictionary
of the whole language, a model keeps the inflected forms of its own vocabulary.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pincite import __version__
from pincite.model.problems import InputError
from pincite.text.markers import without_markers
from pincite.text.tokens import composed, stop_words, terms, words
from pincite.whole_files import write_model

from ..baselines.model_folder import Fold, ModelFolder
from ..baselines.systems import System
from ..cited_text.choices import choose
from ..corpora.scisumm import read_scisumm
from ..processes import Progress, Steps, ignored, imported, silent
from ..training import FOLDS, folds_by_paper
from .scoring import FACETS, Facet, Marks, Sample, marks, samples

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.float64] | npt.NDArray[np.float32]

#: Name of a model in its folder.
FILE: Final = "facets.npz"
FORMAT: Final = "pincite-facets-1"
_ARRAYS: Final = ("idf", "weights", "biases", "thresholds")
#: With a larger share of unknown words, the text is from another field or language.
_MIN_KNOWN: Final = 0.5


def lemmas_of(text: str, lemmas: Mapping[str, str]) -> list[str]:
    """Return the lemmas of a text in order; `lemmas` are given by lower-case form."""
    forms = (composed(word).lower() for word in words(without_markers(text)))
    return terms(lemmas.get(form, form) for form in forms)


def features(texts: Iterable[str], lemmas: Mapping[str, str]) -> list[str]:
    """Return the lemmas and the bigrams of lemmas in some texts; no bigram spans two texts."""
    found: list[str] = []
    for text in texts:
        unigrams = lemmas_of(text, lemmas)
        found += unigrams
        found += map(" ".join, pairwise(unigrams))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class FacetClassifier:
    """A perceptron for each of the F facets of `FACETS`, on V features; immutable.

    `columns` maps the features to their indices, `idf` (V) weighs them; a citation's decisions are
    `weights` (F×V) times its normalised TF-IDF vector, plus `biases` (F). A decision is confident
    from `thresholds` (F) on, which are infinite for facets that are never confident. `lemmas` has
    the inflected forms of the vocabulary and of stop words.
    """

    columns: Mapping[str, int]
    lemmas: Mapping[str, str]
    idf: Numbers
    weights: Numbers
    biases: Numbers
    thresholds: Numbers
    metadata: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> FacetClassifier:
        """Read a classifier; raise `InputError` if it cannot be read or is damaged."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                metadata = json.loads(stored["metadata"].tobytes())
                if metadata.get("format") != FORMAT:
                    raise ValueError(f"format is {metadata.get('format')!r}")
                names, forms, lemmas = (
                    stored[name].tobytes().decode().split("\n") if len(stored[name]) else []
                    for name in ("features", "forms", "lemmas")
                )
                arrays = {name: stored[name] for name in _ARRAYS}
            of_facets, of_features = (len(FACETS),), (len(names),)
            shapes = (of_features, of_facets + of_features, of_facets, of_facets)
            for (name, array), shape in zip(arrays.items(), shapes, strict=True):
                if array.shape != shape or array.dtype.kind != "f" or np.isnan(array).any():
                    raise ValueError(name)
            columns = {name: column for column, name in enumerate(names)}
            return cls(columns, dict(zip(forms, lemmas, strict=True)), **arrays, metadata=metadata)
        except OSError as error:
            raise InputError(f"cannot read facets {path}: {error.strerror or error}") from error
        except Exception as error:  # a foreign file may fail in many ways
            raise InputError(f"{path} is not a facet classifier, or is damaged: {error}") from error

    def save(self, path: Path) -> None:
        """Write the classifier deterministically; raise `InputError` if that fails."""
        texts = {
            "metadata": json.dumps({**self.metadata, "format": FORMAT}, sort_keys=True),
            "features": "\n".join(self.columns),
            "forms": "\n".join(self.lemmas),
            "lemmas": "\n".join(self.lemmas.values()),
        }
        stored: dict[str, Any] = {
            name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()
        }
        stored |= {name: getattr(self, name) for name in _ARRAYS}
        written = BytesIO()
        np.savez_compressed(written, **stored)
        write_model(path, [written.getvalue()])

    def decisions(self, citance: str, sentences: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return each perceptron's decision (F): positive if the citance has the facet."""
        counts = Counter(features((citance, *sentences), self.lemmas))
        known = {self.columns[name]: n for name, n in counts.items() if name in self.columns}
        index = np.fromiter(known, np.intp, len(known))
        tfidf = np.fromiter(known.values(), np.float64, len(known)) * self.idf[index]
        length = np.linalg.norm(tfidf)
        decided: npt.NDArray[np.float64] = self.weights[:, index] @ tfidf / (length or 1.0)
        return decided + self.biases

    def facets(self, citance: str, sentences: Sequence[str]) -> tuple[Facet, ...]:
        """Return the facets with a positive decision, else the one with the highest."""
        return decided(self.decisions(citance, sentences))

    def confident(self, citance: str, sentences: Sequence[str]) -> tuple[Facet, ...]:
        """Return the confident facets, often none, the highest decision first."""
        found = [name for text in (citance, *sentences) for name in lemmas_of(text, self.lemmas)]
        if sum(name in self.columns for name in found) < _MIN_KNOWN * max(1, len(found)):
            return ()
        decisions = self.decisions(citance, sentences)
        order = np.argsort(-decisions, kind="stable").tolist()
        return tuple(FACETS[row] for row in order if decisions[row] >= self.thresholds[row])


def decided(decisions: Numbers) -> tuple[Facet, ...]:
    """Return the facets with decisions (F) above 0, else the one with the highest."""
    chosen = np.flatnonzero(decisions > 0.0).tolist() or [int(np.argmax(decisions))]
    return tuple(FACETS[row] for row in chosen)


KIND: Final = "facets"
#: The number of partitions into folds for finding the thresholds.
_PARTITIONS: Final = 10
#: The precision of confident answers, and the least number of answers to establish it.
PRECISION: Final = 0.8
_MIN_ANSWERS: Final = 20


def fit(given: Sequence[Sample], seed: int = 0) -> FacetClassifier:
    """Train a classifier on some samples; it is never confident until it is calibrated."""
    require_trainer()
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Perceptron

    bags = list(map(_bag, given))
    if not any(bags):
        raise InputError("no sample to train facets on")
    vectorizer = TfidfVectorizer(analyzer=lambda bag: bag)
    matrix = vectorizer.fit_transform(bags)
    weights = np.zeros((len(FACETS), matrix.shape[1]), np.float32)
    biases = np.zeros(len(FACETS), np.float32)
    for row, wanted in enumerate(truth(given).T):
        if wanted.all() or not wanted.any():
            biases[row] = 1.0 if wanted.all() else -1.0
            continue
        perceptron = Perceptron(random_state=seed).fit(matrix, wanted)
        weights[row], biases[row] = perceptron.coef_[0], perceptron.intercept_[0]
    names: list[str] = vectorizer.get_feature_names_out().tolist()
    columns = {name: column for column, name in enumerate(names)}
    return FacetClassifier(
        columns,
        _needed_forms(columns),
        vectorizer.idf_.astype(np.float32),
        weights,
        biases,
        np.full(len(FACETS), np.inf, np.float32),
        {"samples": str(len(given)), "seed": str(seed), "made by": f"Pincite {__version__}"},
    )


def truth(given: Sequence[Sample]) -> Marks:
    """Return which facets (F) each of n samples has (n×F)."""
    return marks(each.facets for each in given)


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """A classifier for each fold, and one trained on all, calibrated on n samples `selected`.

    `margins` (R×n×F) are those of the samples by the classifiers of R partitions, each not trained
    on the sample's paper; `folds` is the first partition. `limits` (n×F) are the least margins of
    confident answers, found without the fold of the sample. A margin is a decision divided by the
    norm of the weights, so that margins of different classifiers are comparable.
    """

    folds: tuple[Fold, ...]
    of_folds: tuple[FacetClassifier, ...]
    of_all: FacetClassifier
    selected: tuple[Sample, ...]
    margins: Floats
    limits: Floats

    def of(self, paper: str) -> FacetClassifier:
        """Return the classifier that was not trained on a paper."""
        for fold, classifier in zip(self.folds, self.of_folds, strict=True):
            if paper in fold.held_out:
                return classifier
        return self.of_all


def cross_validate(
    gold: Sequence[Sample], selected: Sequence[Sample], seed: int = 0, progress: Progress = ignored
) -> CrossValidated:
    """Train on `gold` sentences without each fold, and on all; calibrate on `selected` ones."""
    papers = sorted({each.paper for each in gold})
    if len(papers) < 2:
        raise InputError("facets are cross-validated by reference paper: at least 2 are needed")
    partitions = [folds_by_paper(papers, FOLDS, seed + n) for n in range(_PARTITIONS)]
    folds = [(place, fold) for place, partition in enumerate(partitions) for fold in partition]
    fits = len(folds) + 1
    classifiers = []
    margins = np.zeros((_PARTITIONS, len(selected), len(FACETS)))
    for done, (place, fold) in enumerate(folds, start=1):
        classifier = fit([each for each in gold if each.paper not in fold.held_out], seed)
        classifiers.append(classifier)
        for n, each in enumerate(selected):
            if each.paper in fold.held_out:
                decisions = classifier.decisions(each.citance, each.sentences)
                margins[place, n] = decisions / _lengths(classifier)
        progress(done, fits)
    of_all = fit(gold, seed)
    progress(fits, fits)
    right = truth(selected)
    limits = np.zeros(right.shape)
    calibrated = []
    for fold, classifier in zip(partitions[0], classifiers, strict=False):
        inside = np.asarray([each.paper in fold.held_out for each in selected], np.bool_)
        found = _limits(margins[:, ~inside], right[~inside])
        limits[inside] = found
        calibrated.append(_calibrated(classifier, found))
    return CrossValidated(
        partitions[0],
        tuple(calibrated),
        _calibrated(of_all, _limits(margins, right)),
        tuple(selected),
        margins,
        limits,
    )


def limit(margins: Floats, right: Marks) -> float:
    """Return the lowest margin above which answers reach `PRECISION`; infinite if there is none."""
    order = np.argsort(-margins, axis=None, kind="stable")
    margin, answers = margins.ravel()[order], np.arange(1, margins.size + 1)
    precise = np.cumsum(right.ravel()[order]) / answers >= PRECISION
    # Samples with equal margins are all answers, or none is.
    last = np.append(margin[1:] < margin[:-1], True)[: margin.size]
    reached = np.flatnonzero(
        precise & last & (answers >= _MIN_ANSWERS * len(margins)) & (margin > 0.0)
    )
    return float(margin[reached[-1]]) if len(reached) else np.inf


def train_folder(
    corpus: Path, folder: Path, system: System, seed: int = 0, jobs: int = 1, steps: Steps = silent
) -> CrossValidated:
    """Train on the annotated papers of `corpus` and write a `ModelFolder` with ``facets.npz``."""
    require_trainer()
    read = read_scisumm(corpus, "train", steps("Reading papers"))
    progress = steps(f"Sentences by {system.name}")
    choices = choose(read.papers, system, jobs=jobs, progress=progress)
    trained = cross_validate(samples(read), samples(read, choices), seed, steps("Training"))
    parts = {fold.name: one for fold, one in zip(trained.folds, trained.of_folds, strict=True)}
    for name, classifier in {**parts, "all": trained.of_all}.items():
        try:
            (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make {folder / name}: {error.strerror}") from error
        classifier.save(folder / name / FILE)
    ModelFolder(
        folder, KIND, settings={"seed": seed, "system": system.name}, folds=trained.folds
    ).write()
    return trained


def require_trainer() -> None:
    """Raise `InputError` without scikit-learn or simplemma."""
    needs = "training facets needs scikit-learn and simplemma: pip install 'pincite[facets]'"
    imported(needs, "simplemma", "sklearn")


def _limits(margins: Floats, right: Marks) -> Floats:
    """Return the limit of each facet (F); `margins` are R×n×F, `right` n×F."""
    repeated = np.broadcast_to(right, margins.shape)
    return np.asarray(list(map(limit, np.moveaxis(margins, -1, 0), np.moveaxis(repeated, -1, 0))))


def _calibrated(classifier: FacetClassifier, limits: Floats) -> FacetClassifier:
    return replace(classifier, thresholds=(limits * _lengths(classifier)).astype(np.float32))


def _lengths(classifier: FacetClassifier) -> Floats:
    lengths: Floats = np.linalg.norm(classifier.weights.astype(np.float64), axis=1)
    return np.where(lengths > 0.0, lengths, 1.0)


@lru_cache(maxsize=4096)
def _bag(sample: Sample) -> list[str]:
    return features((sample.citance, *sample.sentences), _english_lemmas())


@cache
def _english_lemmas() -> Mapping[str, str]:
    """Return the lemmas of English by inflected form, both in lower case."""
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    listed = DefaultDictionaryFactory().get_dictionary("en")
    lemmas = ((form, lemma.lower()) for form, lemma in sorted(listed.items()))
    return {form: lemma for form, lemma in lemmas if form.isalnum() and form.islower()}


def _needed_forms(columns: Collection[str]) -> dict[str, str]:
    """Return the lemmas that affect the features of any text."""
    known = {*columns, *stop_words()}
    return {
        form: lemma
        for form, lemma in _english_lemmas().items()
        if form != lemma and (lemma in known or form in known or len(lemma) < 2)
    }
