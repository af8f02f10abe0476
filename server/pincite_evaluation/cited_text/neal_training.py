"""NEAL trained on annotated papers, by folds (Nomoto 2016, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pincite.model.problems import InputError

from ..baselines import neal_learning
from ..baselines.model_folder import Fold
from ..baselines.neal import NealModel
from ..baselines.neal_learning import Instances, NealRecipe, TrainingPaper, learn
from ..baselines.tfidf import READING
from ..corpora.annotations import AnnotatedPaper
from ..training import Part, Trainer
from .overlap import Scorer

KIND = "neal"


class NealTrainer(Trainer):
    """Trains the layers of NEAL; steps are epochs."""

    kind = KIND
    code = (neal_learning,)

    def __init__(self, recipe: NealRecipe | None = None) -> None:
        """Train by a recipe, by default that of the paper."""
        self.recipe = recipe or NealRecipe()

    def parts(self, papers: Sequence[AnnotatedPaper], folds: Sequence[Fold]) -> list[Part]:
        """Return a model for each fold."""
        words = {paper.id: training_paper(paper) for paper in papers}

        def part(fold: Fold) -> Part:
            own = [read for name, read in words.items() if name not in fold.held_out]
            instances = Instances.of(own, self.recipe)
            origin = instances.digest(self.recipe)

            def train(folder: Path, progress: Callable[[int], None]) -> None:
                learn(instances, self.recipe, lambda done, _: progress(done)).save(folder)

            return Part(self.recipe.epochs, lambda folder: _origin(folder) == origin, train)

        return [part(fold) for fold in folds]


def training_paper(paper: AnnotatedPaper) -> TrainingPaper:
    """Return the words of a paper; targets are what any annotator of a citance chose."""
    citances = [READING.words(citance.text) for citance in paper.citances]
    return TrainingPaper(
        [READING.words(sentence.text) for sentence in paper.paper.sentences],
        list(zip(citances, Scorer(paper).cited, strict=True)),
    )


def _origin(folder: Path) -> str | None:
    """Return the origin of the model in a folder, None if there is no model."""
    try:
        return NealModel.load(folder).origin
    except InputError:
        return None
