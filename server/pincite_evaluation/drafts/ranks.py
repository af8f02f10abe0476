"""Compute the ranks of a project's cited entries, for every ranker and situation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError, Problem
from pincite.ranking.base import rounded
from pincite.settings import Window

from ..measures import Ranks
from .projects import SITUATIONS, Project, ProjectSource, Situation, read_project
from .rankers import Model, Ranker, RankerKind, context
from .results import Item, ProjectOutcome

#: The number of words that records show.
_SHOWN = Window(20, 20)


def outcome_of(
    source: ProjectSource, kinds: Sequence[RankerKind], models: Sequence[Model]
) -> ProjectOutcome:
    """Read a project and rank at each of its places; `models` has one for each ranker."""
    try:
        project = read_project(source)
    except InputError as error:
        message = str(error).removeprefix(f"{source.main}: ")
        return ProjectOutcome(source, problems=(Problem(source.main, None, message, broken=True),))
    problems = project.problems
    if not project.places:
        reason = "it cites nothing that its bibliography has, and is left out"
        problems += (Problem(source.main, None, reason),)
    found: dict[tuple[str, Situation], Ranks] = {}
    for kind, model in zip(kinds, models, strict=True) if project.places else ():
        ranker = kind.prepare(project, model)
        found |= {(kind.name, one): ranks(project, ranker, one) for one in SITUATIONS}
    return ProjectOutcome(
        source,
        tuple(_item(project, place) for place in range(len(project.places))),
        found,
        len(project.keys),
        project.with_abstract,
        project.cited_share,
        project.language,
        problems,
    )


def _item(project: Project, place: int) -> Item:
    at = project.places[place]
    shown = context(project, place, "revising", _SHOWN)
    keys = tuple(project.keys[position] for position in at.cited)
    return Item(keys, at.is_first, shown.left, shown.right, at.file, at.line)


def ranks(project: Project, ranker: Ranker, situation: Situation) -> Ranks:
    """Return the rank of the best true key at each place of a project."""
    found = (
        best_rank(ranker(place, situation), at.cited, project.tie_order)
        for place, at in enumerate(project.places)
    )
    return np.fromiter(found, np.int32, len(project.places))


def best_rank(
    scores: npt.NDArray[np.float64], cited: Sequence[int], tie_order: npt.NDArray[np.intp]
) -> int:
    """Return the 1-based rank of the best of the `cited` candidates by falling score.

    Ties are broken by `tie_order`. If that is equal too, the entries are duplicates that only a key
    could distinguish, and the other one comes first. Raises `ValueError` unless there is one score
    for each candidate.
    """
    if scores.shape != tie_order.shape or np.isnan(scores).any():
        raise ValueError("a ranker gives one number for each candidate")
    is_cited = np.isin(np.arange(len(scores)), cited)
    order = np.lexsort((is_cited, tie_order, -rounded(scores)))
    return 1 + int(np.argmax(is_cited[order]))
