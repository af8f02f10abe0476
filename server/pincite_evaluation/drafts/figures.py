"""From ranks to figures: for each project, and as means over projects with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..measures.bootstrap import bootstrap_interval
from .projects import Situation
from .results import (
    ALL,
    PART_TOP,
    TOP,
    Figures,
    PartFigures,
    ProjectFigures,
    ProjectOutcome,
    Ranks,
    Row,
)


def project_figures(outcome: ProjectOutcome) -> ProjectFigures:
    """Return the figures of a project that has items."""
    is_first = np.asarray([item.is_first for item in outcome.items], dtype=np.bool_)
    return ProjectFigures(
        outcome, {key: _figures(ranks, is_first) for key, ranks in outcome.ranks.items()}
    )


def _figures(ranks: Ranks, is_first: npt.NDArray[np.bool_]) -> Figures:
    return Figures(
        items=len(ranks),
        top={k: float(np.mean(ranks <= k)) for k in TOP},
        mrr=float(np.mean(1.0 / ranks)),
        first=_part(ranks[is_first]),
        repeat=_part(ranks[~is_first]),
    )


def _part(ranks: Ranks) -> PartFigures:
    top = {k: float(np.mean(ranks <= k)) if len(ranks) else None for k in PART_TOP}
    return PartFigures(len(ranks), top)


def rows(projects: Sequence[ProjectFigures]) -> Iterator[Row]:
    """Yield the means over the projects of each group and of all, with equal weights.

    Rows are ordered by situation, then ranker, then group, `ALL` last.
    """
    groups: dict[str, list[ProjectFigures]] = {}
    for project in projects:
        groups.setdefault(project.outcome.source.group, []).append(project)
    keys = list(projects[0].figures) if projects else []
    for situation in dict.fromkeys(situation for _, situation in keys):
        for ranker in dict.fromkeys(ranker for ranker, _ in keys):
            for group, members in (*groups.items(), (ALL, list(projects))):
                yield _row(ranker, situation, group, members)


def _row(ranker: str, situation: Situation, group: str, projects: Sequence[ProjectFigures]) -> Row:
    own = [project.figures[ranker, situation] for project in projects]
    top1 = np.asarray([figures.top[1] for figures in own])
    means = Figures(
        items=sum(figures.items for figures in own),
        top={k: _mean([figures.top[k] for figures in own]) for k in TOP},
        mrr=_mean([figures.mrr for figures in own]),
        first=_mean_part([figures.first for figures in own]),
        repeat=_mean_part([figures.repeat for figures in own]),
    )
    # A mean is the sum over projects divided by their number.
    interval = bootstrap_interval(top1, np.ones(len(top1)))
    return Row(ranker, situation, group, len(own), means, interval)


def _mean_part(parts: Sequence[PartFigures]) -> PartFigures:
    """Return the means over the projects that have such items."""
    known: Mapping[int, list[float]] = {
        k: [value for part in parts if (value := part.top[k]) is not None] for k in PART_TOP
    }
    top = {k: _mean(values) if values else None for k, values in known.items()}
    return PartFigures(sum(part.items for part in parts), top)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
