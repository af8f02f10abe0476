"""NEAL trained on annotated papers, by folds (Nomoto 2016, section 2)."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np

from pincite.library.index import default_index_path
from pincite.model.problems import InputError

from ..baselines import neal_learning
from ..baselines.model_folder import Fold, ModelFolder
from ..baselines.neal import NealModel
from ..baselines.neal_learning import Instances, NealRecipe, TrainingPaper, learn
from ..baselines.tfidf import READING
from ..corpora.annotations import AnnotatedPaper
from ..folds import FOLDS, folds_to_train
from ..progress import Progress, ignored
from .overlap import Scorer

KIND = "neal"

_ALL = "all"


def train_neal(
    papers: Sequence[AnnotatedPaper],
    folder: Path,
    recipe: NealRecipe | None = None,
    *,
    folds: int = FOLDS,
    more: Sequence[AnnotatedPaper] = (),
    progress: Progress = ignored,
) -> ModelFolder:
    """Train a model for each of the `folds`, which it holds out, and one on all papers.

    `more` are papers, such as those of ScisummNet, that every model is trained on; those with the
    id of one of `papers` are left out. Folds are drawn with the recipe's seed. Each finished model
    is saved in `folder`: a later call with the same papers and recipe trains only the others.
    `progress` counts epochs. Raises `InputError` without enough papers, or if models cannot be
    written.
    """
    recipe = recipe or NealRecipe()
    drawn = folds_to_train([paper.id for paper in papers], folds, recipe.seed)
    known = {paper.id for paper in papers}
    more = [paper for paper in more if paper.id not in known]
    words = [(paper.id, training_paper(paper)) for paper in (*papers, *more)]
    model = ModelFolder(
        folder,
        KIND,
        settings={**asdict(recipe), "papers": len(papers), "sample": len(more)},
        folds=drawn,
    )
    steps = (len(drawn) + 1) * recipe.epochs
    for number, fold in enumerate((*drawn, Fold(_ALL, frozenset()))):
        before = number * recipe.epochs
        instances = Instances.of((own for id_, own in words if id_ not in fold.held_out), recipe)
        if _origin(folder / fold.name) != instances.digest(recipe):
            model.unfinish()
            learn(instances, recipe, partial(_counted, progress, before, steps)).save(
                folder / fold.name
            )
        progress(before + recipe.epochs, steps)
    model.write()
    return model


def kept_neal(
    papers: Sequence[AnnotatedPaper],
    recipe: NealRecipe | None = None,
    *,
    folds: int = FOLDS,
    progress: Progress = ignored,
) -> ModelFolder:
    """Return the model trained on these papers, cached in the user's cache folder.

    The cache key covers everything that it depends on: papers, recipe, and the training code.
    """
    recipe = recipe or NealRecipe()
    digest = blake2b(f"{folds} {[paper.id for paper in papers]}".encode(), digest_size=20)
    digest.update(inspect.getsource(neal_learning).encode())
    digest.update(Instances.of(map(training_paper, papers), recipe).digest(recipe).encode())
    folder = default_index_path().parent / KIND / digest.hexdigest()
    return train_neal(papers, folder, recipe, folds=folds, progress=progress)


def sampled(papers: Sequence[AnnotatedPaper], number: int, seed: int = 0) -> list[AnnotatedPaper]:
    """Return `number` of the papers, drawn with `seed`, in order; all if there are fewer."""
    drawn = np.random.default_rng(seed).permutation(len(papers))[: max(0, number)]
    return [papers[position] for position in sorted(drawn.tolist())]


def training_paper(paper: AnnotatedPaper) -> TrainingPaper:
    """Return the words of a paper; targets are what any annotator of a citance chose."""
    citances = [READING.words(citance.text) for citance in paper.citances]
    return TrainingPaper(
        [READING.words(sentence.text) for sentence in paper.paper.sentences],
        list(zip(citances, Scorer(paper).cited, strict=True)),
    )


def _counted(progress: Progress, before: int, steps: int, done: int, _total: int) -> None:
    progress(before + done, steps)


def _origin(folder: Path) -> str | None:
    """Return the origin of the model in a folder, None if there is no model."""
    try:
        return NealModel.load(folder).origin
    except InputError:
        return None
