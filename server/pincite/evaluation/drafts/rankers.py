"""What ranks the entries of a draft's bibliography at a place, by name.

A further ranker needs a line in `_KINDS`. One that learns has a `Learning`, which trains a model on
whole projects and knows the packaged one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ...model.problems import InputError
from . import baselines
from .learned import LearnedLearning, LearnedRanker
from .mixed import MixedRanker
from .projects import Project, Situation

#: What a ranker has learnt; it can be pickled. None for rankers that do not learn.
Model: TypeAlias = Any


class DraftRanker(Protocol):
    """Ranks the candidates of the project that it was prepared for."""

    def scores(self, project: Project, place: int, situation: Situation) -> npt.NDArray[np.float64]:
        """Return one score for each candidate of the project, higher is better.

        `place` is an index into ``project.places``; what may be known there is
        ``project.seen(place, situation)``. No score is nan.
        """
        ...


class Learning(Protocol):
    """How a ranker that learns comes by its model."""

    def train(self, projects: Sequence[Project]) -> Model:
        """Return a model trained on whole projects, none of which is without places.

        The same objects come again for other folds, so what is made of one may be kept.
        """
        ...

    def load(self, path: Path | None) -> Model:
        """Return the model in a file, or the packaged one; raises `InputError` without it."""
        ...


@dataclass(frozen=True, slots=True)
class RankerKind:
    """A ranker by name.

    `prepare` makes what ranks the candidates of one project, with the model that was learnt; it is
    called once for each project. It is a function of a module, so that other processes have it.
    """

    name: str
    prepare: Callable[[Project, Model], DraftRanker]
    learning: Learning | None = None


_KINDS = {
    kind.name: kind
    for kind in (
        RankerKind("learned", LearnedRanker.prepared, LearnedLearning()),
        RankerKind("mixed", MixedRanker.prepared),
        RankerKind("alphabetical", baselines.Alphabetical.prepared),
        RankerKind("most-cited", baselines.MostCited.prepared),
        RankerKind("most-recent", baselines.MostRecent.prepared),
        RankerKind("bm25", baselines.Bm25Ranker.prepared),
    )
}
#: All that there are to be; what `_KINDS` lacks is not available.
NAMES = ("learned", "mixed", "alphabetical", "most-cited", "most-recent", "bm25")


def available() -> tuple[RankerKind, ...]:
    """Return the rankers that can be had."""
    return tuple(_KINDS[name] for name in NAMES if name in _KINDS)


def chosen(names: Sequence[str]) -> tuple[RankerKind, ...]:
    """Return rankers by name, all where none is named; raises `InputError` for other names."""
    for name in names:
        if name not in NAMES:
            raise InputError(f"no ranker {name!r}; there are {', '.join(NAMES)}")
        if name not in _KINDS:
            raise InputError(f"the ranker {name!r} is not available")
    return tuple(_KINDS[name] for name in dict.fromkeys(names)) or available()
