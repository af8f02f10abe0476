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
    return ProjectOutcome(
        source,
        tuple(_item(project, place) for place in range(len(project.places))),
        _all_ranks(project, kinds, models) if project.places else {},
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


def _all_ranks(
    project: Project, kinds: Sequence[RankerKind], models: Sequence[Model]
) -> dict[tuple[str, Situation], Ranks]:
    found: dict[tuple[str, Situation], Ranks] = {}
    for kind, model in zip(kinds, models, strict=True):
        ranker = kind.prepare(project, model)
        for situation in SITUATIONS:
            found[kind.name, situation] = ranks(project, ranker, situation)
    return found


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
    scores = rounded(scores)
    others = np.ones(len(scores), dtype=np.bool_)
    others[list(cited)] = False
    best = len(scores)
    for true in cited:
        is_tie = scores == scores[true]
        ahead = (scores > scores[true]) | (is_tie & (tie_order < tie_order[true]))
        ahead |= is_tie & (tie_order == tie_order[true]) & others
        best = min(best, 1 + int(np.count_nonzero(ahead)))
    return best
