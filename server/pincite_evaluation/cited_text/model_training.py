"""Train `neal` (Nomoto 2016, section 2) and the model of `fused` on annotated papers, by folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pincite.matching import sentence_features, sentence_kinds, sentence_model, sentence_terms
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite.text.stemming import stemmer

from .. import matcher_training
from ..baselines import neal_learning
from ..baselines.encoders import open_encoder
from ..baselines.model_folder import Fold
from ..baselines.neal import NealModel
from ..baselines.neal_learning import Instances, NealRecipe, TrainingPaper, learn
from ..baselines.systems import SENTENCE_MODEL
from ..baselines.tfidf import READING
from ..corpora.annotations import AnnotatedPaper
from ..matcher_training import Sample, train
from ..processes import Progress, ignored
from ..training import Part, Trainer
from .overlap import Scorer

NEAL = "neal"
#: The kinds of models of `fused`: without a transformer, and with one.
FUSED, ENCODED = "fused", "fused-encoder"


class NealTrainer(Trainer):
    """Trains the layers of NEAL; steps are epochs."""

    kind = NEAL
    code = (neal_learning,)

    def __init__(self, recipe: NealRecipe | None = None) -> None:
        self.recipe = recipe or NealRecipe()

    def parts(self, papers: Sequence[AnnotatedPaper], folds: Sequence[Fold]) -> list[Part]:
        """Return a model for each fold."""
        words = {paper.id: training_paper(paper) for paper in papers}

        def part(fold: Fold) -> Part:
            own = [read for name, read in words.items() if name not in fold.held_out]
            instances = Instances.of(own, self.recipe)
            origin = instances.digest(self.recipe)

            def is_trained(folder: Path) -> bool:
                with suppress(InputError):
                    return NealModel.load(folder).origin == origin
                return False

            def train(folder: Path, progress: Callable[[int], None]) -> None:
                learn(instances, self.recipe, lambda done, _: progress(done)).save(folder)

            return Part(self.recipe.epochs, is_trained, train)

        return [part(fold) for fold in folds]


def training_paper(paper: AnnotatedPaper) -> TrainingPaper:
    """Return the words of a paper; targets are what any annotator of a citance chose."""
    citances = [READING.words(citance.text) for citance in paper.citances]
    return TrainingPaper(
        [READING.words(sentence.text) for sentence in paper.paper.sentences],
        list(zip(citances, Scorer(paper).cited, strict=True)),
    )


def samples_of_papers(
    papers: Sequence[AnnotatedPaper],
    features: SentenceFeatures,
    progress: Progress = ignored,
    *,
    seed: int = 0,
) -> list[Sample]:
    """Return samples of each citance for which any annotator chose a sentence."""
    random = np.random.default_rng(seed)
    found: list[Sample] = []
    for number, paper in enumerate(papers, start=1):
        fitted = features.fit(paper.paper, stemmer("en"))
        rows = fitted.paper.words.positions
        for citance, chosen in zip(paper.citances, Scorer(paper).cited, strict=True):
            if chosen and features.words.reading.words(citance.text):
                right = np.isin(rows, list(chosen)).astype(np.float64)
                others = paper.citances_of_others(citance)
                order = random.permutation(len(others))[: random.integers(len(others) + 1)]
                for known in ((), tuple(others[number] for number in order)):
                    values = features.of(citance.text, features.cited_by(fitted, known)).values
                    found.append(Sample(paper.id, values, right, judged=False, full_text=True))
        progress(number, len(papers))
    return found


@dataclass(frozen=True, slots=True)
class FusedRecipe:
    """The seed of the folds; other parameters are constants of `matcher_training`."""

    seed: int = 0


class FusedTrainer(Trainer):
    """Trains the model of `fused` or of `fused-encoder`, by its `kind`; a step is a model."""

    code = (matcher_training, sentence_features, sentence_kinds, sentence_model, sentence_terms)

    def __init__(self, kind: str = FUSED) -> None:
        encoder = open_encoder() if kind == ENCODED else None
        vectors = WordVectors.packaged()
        self.features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
        self.kind, self.base = kind, encoder.name if encoder else ""
        self.recipe = FusedRecipe()
        self.identity = f"{vectors.tokens} {len(vectors)} {self.base}"

    def parts(self, papers: Sequence[AnnotatedPaper], folds: Sequence[Fold]) -> list[Part]:
        """Return a model for each fold."""
        samples = samples_of_papers(papers, self.features)

        def part(fold: Fold) -> Part:
            def save(folder: Path, _progress: object) -> None:
                model = train(samples, self.features.names, held_out=fold.held_out)
                model.save(folder / SENTENCE_MODEL)

            return Part(1, lambda folder: (folder / SENTENCE_MODEL).is_file(), save)

        return [part(fold) for fold in folds]
