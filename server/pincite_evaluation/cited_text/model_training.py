"""Train `neal` (Nomoto 2016) and the model of `fused` by folds, and word vectors of the corpus.

Ricci et al. (2022) train vectors on 86 M words of the ACL Anthology; we on CL-SciSumm's training
papers and the papers citing them, 7 M words. So a row of their Table 3 that changes the text
(citation markers, case, rare words) must be compared with one trained on the same text, not with
the packaged vectors. Trained vectors are cached in the user's cache folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import make_dataclass
from pathlib import Path

import joblib
import numpy as np
import regex

from pincite.library.index import default_index_path
from pincite.matching import (
    sentence_content,
    sentence_features,
    sentence_kinds,
    sentence_model,
    sentence_terms,
)
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import FORMAT, WordVectors
from pincite.model.problems import InputError
from pincite.parsing import encoding
from pincite.text import markers, tokens
from pincite.text.stemming import stemmer

from .. import sentence_training, vector_training
from ..baselines import neal
from ..baselines.encoders import open_encoder
from ..baselines.neal import READING
from ..baselines.systems import SENTENCE_MODEL
from ..corpora.scisumm import AnnotatedPaper
from ..processes import Workers, tracked
from ..sentence_training import Sample, train
from ..training import Fold, Part, Trainer, digest
from ..vector_training import VectorRecipe, require_gensim
from .overlap import Scorer

NEAL = "neal"
#: The kinds of models of `fused`: without a transformer, and with one.
FUSED, ENCODED = "fused", "fused-encoder"
#: Other folders contain the same papers again, for other tasks. No test set is read.
_TRAINING_PAPERS = Path("Training-Set-2019", "Task1")
_PAPER_FOLDERS = frozenset({"Reference_XML", "Citance_XML"})


def neal_trainer(recipe: neal.NealRecipe | None = None) -> Trainer:
    """Return what trains the layers of NEAL; steps are epochs."""
    used = recipe or neal.NealRecipe()

    def prepare(papers: Sequence[AnnotatedPaper]) -> Callable[[Fold], Part]:
        words = {}
        for paper in papers:
            citances = [READING.words(citance.text) for citance in paper.citances]
            sentences = [READING.words(sentence.text) for sentence in paper.paper.sentences]
            targets = zip(citances, Scorer(paper).cited, strict=True)
            words[paper.id] = neal.TrainingPaper(sentences, list(targets))

        def part(fold: Fold) -> Part:
            own = [read for name, read in words.items() if name not in fold.held_out]
            instances = neal.Instances.of(own, used)

            def train(folder: Path, progress: Callable[[int], None]) -> None:
                neal.learn(instances, used, progress).save(folder)

            return Part(used.epochs, instances.digest(used), train)

        return part

    return Trainer(NEAL, used, prepare, code=(neal,))


def samples_of_papers(
    papers: Sequence[AnnotatedPaper],
    features: SentenceFeatures,
    *,
    seed: int = 0,
) -> list[Sample]:
    """Return samples of each citance for which any annotator chose a sentence."""
    random = np.random.default_rng(seed)
    found: list[Sample] = []
    for paper in tracked(papers, "Annotated papers", len(papers)):
        fitted = features.fit(paper.paper, stemmer("en"))
        rows = fitted.paper.words.positions
        for citance, chosen in zip(paper.citances, Scorer(paper).cited, strict=True):
            if chosen and features.words.reading.words(citance.text):
                right = np.isin(rows, list(chosen)).astype(np.float64)
                others = paper.citances_of_others(citance)
                order = random.permutation(len(others))[: random.integers(len(others) + 1)]
                for known in ((), tuple(others[number] for number in order)):
                    read = features.of(citance.text, features.cited_by(fitted, known))
                    found.append(Sample.of(paper.id, read, right, "annotated", full_text=True))
    return found


#: The seed of the folds; other parameters are constants.
FusedRecipe = make_dataclass("FusedRecipe", [("seed", int, 0)], frozen=True)


def fused_trainer(
    kind: str = FUSED, more: Callable[[SentenceFeatures], Sequence[Sample]] = lambda _: ()
) -> Trainer:
    """Return what trains the model of `fused` or of `fused-encoder`; a step is a model.

    `more` makes the samples that no fold holds out.
    """
    encoder = open_encoder() if kind == ENCODED else None
    vectors = WordVectors.packaged()
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)

    def prepare(papers: Sequence[AnnotatedPaper]) -> Callable[[Fold], Part]:
        samples = [*samples_of_papers(papers, features), *more(features)]

        def part(fold: Fold) -> Part:
            own = [sample for sample in samples if sample.work not in fold.held_out]

            def save(folder: Path, _progress: object) -> None:
                train(own, features.names).save(folder / SENTENCE_MODEL)

            return Part(1, str(joblib.hash(own)), save)

        return part

    base = encoder.name if encoder else ""
    identity = f"{vectors.tokens} {len(vectors)} {base}"
    modules = sentence_content, sentence_features, sentence_kinds, sentence_model, sentence_terms
    code = sys.modules[__name__], *modules, sentence_training
    return Trainer(kind, FusedRecipe(), prepare, base, code, identity)


def train_vectors(
    corpus: Path, recipes: Sequence[VectorRecipe], jobs: int = 1
) -> dict[VectorRecipe, Path]:
    """Return the model file of each recipe, trained on Training-Set-2019 (Task 1)."""
    if not recipes:
        return {}
    # The XML of the training papers, the first of those with the same name.
    papers: dict[str, Path] = {}
    for file in sorted((corpus / _TRAINING_PAPERS).rglob("*.xml")):
        if file.parent.name in _PAPER_FOLDERS and file.is_file():
            papers.setdefault(file.name, file)
    if not papers:
        raise InputError(f"{corpus / _TRAINING_PAPERS}: no papers to train word vectors on")
    files, folder = list(papers.values()), default_index_path().parent / "vectors"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        contents = (part for file in files for part in (file.name.encode(), file.read_bytes()))
        versions = f"{FORMAT} {regex.__version__} {require_gensim().__version__}".encode()
        text = digest((encoding, markers, tokens, vector_training), versions, *contents)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        # Fail before minutes of training, not after them.
        raise InputError(f"{folder}: cannot be written")
    paths = {
        recipe: folder / f"{digest((), text.encode(), repr(recipe).encode())}.safetensors"
        for recipe in recipes
    }
    missing = []
    for recipe, path in paths.items():
        try:
            WordVectors.load(path)
        except InputError:  # there is none, or it is damaged
            missing.append(recipe)
    if missing:
        kinds = sorted({recipe.markers for recipe in missing})
        steps = tracked(kinds, "Reading the text of word vectors", len(kinds))
        texts = {kind: list(vector_training.sentences(files, markers=kind)) for kind in steps}
        tasks = [(texts[recipe.markers], recipe, paths[recipe]) for recipe in missing]
        list(Workers(jobs).map(_train, tasks, name="Training word vectors"))
    return paths


def _train(task: tuple[list[list[str]], VectorRecipe, Path]) -> None:
    sentences, recipe, path = task
    vector_training.save(path, *vector_training.train(sentences, recipe))
