"""Measure what more projects to learn from gain: a learning curve over whole projects.

    python -m benchmarks.ranking_curve DRAFTS.json [--projects N,N] [--draws NUMBER] [--folds N]

DRAFTS.json names projects, as for `pincite evaluate drafts`. They are dealt in folds; those of each
are ranked by trees that were grown on so many of the others, drawn at random, several times. Prints
top-1, top-5 and top-10 where an author writes (text to the left, citations before the place), as
means over projects and draws.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.ranking.features import Features
from pincite.ranking.learned import LearnedModel
from pincite_evaluation.drafts import projects as reading
from pincite_evaluation.drafts.projects import Project, ProjectEvidence
from pincite_evaluation.drafts.run import best_rank, folds_of
from pincite_evaluation.ranker_training import Lists, train

from .shared import Given, measurement, numbers, table

_TOPS = (1, 5, 10)


class _Measured(NamedTuple):
    """A project with the features at its places, which are the same for every model."""

    project: Project
    features: list[Features]
    lists: Lists


def _measured(project: Project) -> _Measured:
    print(f"reading {project.name}", file=sys.stderr)
    evidence = ProjectEvidence(project)
    features = [evidence.at(place, "writing") for place in range(len(project.places))]
    return _Measured(project, features, reading.lists_of(project))


def _models(
    measured: Sequence[_Measured], folds: Sequence[int], held: int, number: int, draws: int
) -> list[LearnedModel]:
    """Return models of so many projects outside a fold; one where there is no choice."""
    others = [each.lists for each, own in zip(measured, folds, strict=True) if own != held]
    random = np.random.default_rng([held, number])
    models = []
    for draw in range(draws if number < len(others) else 1):
        print(f"{number} projects, fold {held + 1}, draw {draw + 1}", file=sys.stderr)
        drawn = np.sort(random.permutation(len(others))[:number])
        models.append(train([others[at] for at in drawn.tolist()]))
    return models


def _figures(measured: _Measured, model: LearnedModel) -> npt.NDArray[np.float64]:
    project, ranks = measured.project, []
    for place, features in zip(project.places, measured.features, strict=True):
        scores = np.full(len(project.keys), -1e6)
        scores[features.positions] = model.scores(features)
        ranks.append(best_rank(scores, place.cited, project.tie_order))
    return np.asarray([np.mean(np.asarray(ranks) <= top) for top in _TOPS])


@measurement("drafts", projects="1,2,4,8", draws=3, folds=5)
def main(given: Given) -> None:
    sources = reading.project_sources([given.drafts])[0]
    folds = folds_of(sources, given.folds)
    measured = [_measured(reading.read_project(source)) for source in sources]
    print(f"{len(measured)} projects in {given.folds} folds, {given.draws} draws\n")

    def means(number: int) -> npt.NDArray[np.float64]:
        found = [
            _figures(each, model)
            for fold in range(given.folds)
            for model in _models(measured, folds, fold, number, given.draws)
            for each, own in zip(measured, folds, strict=True)
            if own == fold
        ]
        return np.mean(found, axis=0)

    rows = ((n, *(f"{mean:.3f}" for mean in means(n))) for n in numbers(given.projects))
    table(("projects to learn from", *(f"top-{top}" for top in _TOPS)), rows)
