"""Rankers of the entries of a draft's bibliography, by name.

To add a ranker, add a line to `_KINDS`. A trainable one has a `learning`, which trains a model on
whole projects or loads the packaged one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError

from . import baselines
from .learned import LearnedLearning, LearnedRanker
from .mixed import MixedRanker
from .projects import Project, Situation

#: The trained model of a ranker; it can be pickled. None for rankers without training.
Model: TypeAlias = Any


class DraftRanker(Protocol):
    """Ranks the candidates of the project that it was prepared for."""

    def scores(self, project: Project, place: int, situation: Situation) -> npt.NDArray[np.float64]:
        """Return one score for each candidate of the project, higher is better.

        `place` is an index into ``project.places``; what may be known there is
        ``project.seen(place, situation)``. No score is nan.
        """
        ...


@dataclass(frozen=True, slots=True)
class RankerKind:
    """A ranker by name.

    `prepare` makes the ranker for the candidates of one project, given the trained model; it is
    called once for each project. It is a module-level function, so that it can be pickled.
    """

    name: str
    prepare: Callable[[Project, Model], DraftRanker]
    learning: LearnedLearning | None = None


_KINDS = {
    kind.name: kind
    for kind in (
        RankerKind("learned", LearnedRanker, LearnedLearning()),
        RankerKind("mixed", MixedRanker),
        RankerKind("alphabetical", baselines.Alphabetical),
        RankerKind("most-cited", baselines.MostCited),
        RankerKind("most-recent", baselines.MostRecent),
        RankerKind("bm25", baselines.Bm25Ranker),
    )
}


def chosen(names: Sequence[str] = ()) -> tuple[RankerKind, ...]:
    """Return rankers by name, by default all; raises `InputError` for unknown names."""
    for name in names:
        if name not in _KINDS:
            raise InputError(f"no ranker {name!r}; there are {', '.join(_KINDS)}")
    return tuple(_KINDS[name] for name in dict.fromkeys(names or _KINDS))
