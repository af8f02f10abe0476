"""The results of an evaluation on whole drafts, for JSON and reports; figures are fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pincite.model.problems import Problem

from ..records import Records
from .projects import ProjectSource, Situation

#: The group of all projects, whatever their PATHs.
ALL = "all"
TOP = (1, 3, 5, 10)
#: With more groups than this, tables only have the rows of `ALL`.
MOST_GROUPS = 8
#: The values of k in the figures of first citations and repeats.
PART_TOP = (1, 5)

#: 1-based ranks of a project's items in reading order, each at its best true key.
Ranks = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Item:
    """A citation to recover; `keys` are the true ones, `left` and `right` up to 20 words."""

    keys: tuple[str, ...]
    is_first: bool
    left: tuple[str, ...]
    right: tuple[str, ...]
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """The outcome of a project; without items, or if unreadable, it has no ranks.

    `with_abstract` and `cited_share` are fractions of its entries.
    """

    source: ProjectSource
    items: tuple[Item, ...] = ()
    ranks: Mapping[tuple[str, Situation], Ranks] = field(default_factory=dict)
    entries: int = 0
    with_abstract: float = 0.0
    cited_share: float = 0.0
    language: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class PartFigures:
    """The figures of first citations, or of repeats; None if there are no such items."""

    items: int
    top: Mapping[int, float | None]

    def json(self) -> dict[str, Any]:
        """Return the figures as the command writes them."""
        return {"items": self.items, **{f"top{k}": value for k, value in self.top.items()}}


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a ranker in a situation, of a project or as means over projects.

    `top` maps k to the share of items with a true key among the first k.
    """

    items: int
    top: Mapping[int, float]
    mrr: float
    first: PartFigures
    repeat: PartFigures

    def json(self) -> dict[str, Any]:
        """Return the figures as the command writes them."""
        return {
            "items": self.items,
            **{f"top{k}": value for k, value in self.top.items()},
            "mrr": self.mrr,
            "first": self.first.json(),
            "repeat": self.repeat.json(),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the projects of a group, `ALL` for all; `top1_ci95` is bootstrapped."""

    ranker: str
    situation: Situation
    group: str
    projects: int
    figures: Figures
    top1_ci95: tuple[float, float]

    def json(self) -> dict[str, Any]:
        """Return the row as the command writes it."""
        return {
            "ranker": self.ranker,
            "situation": self.situation,
            "group": self.group,
            "projects": self.projects,
            **self.figures.json(),
            "top1_ci95": list(self.top1_ci95),
        }


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """A project's description, and its figures by ranker and situation."""

    outcome: ProjectOutcome
    figures: Mapping[tuple[str, Situation], Figures]

    def json(self) -> dict[str, Any]:
        """Return the project as the command writes it."""
        outcome = self.outcome
        return {
            "name": outcome.source.name,
            "group": outcome.source.group,
            "items": len(outcome.items),
            "entries": outcome.entries,
            "with_abstract": outcome.with_abstract,
            "cited_share": outcome.cited_share,
            "language": outcome.language,
            "rows": [
                {"ranker": ranker, "situation": situation, **figures.json()}
                for (ranker, situation), figures in self.figures.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class DraftsResult:
    """The whole evaluation; `skipped` are the projects without an item, `folds` 0 for none."""

    rows: tuple[Row, ...]
    projects: tuple[ProjectFigures, ...]
    skipped: tuple[ProjectSource, ...] = ()
    problems: tuple[Problem, ...] = ()
    folds: int = 0
    records: Records = field(default=Records(), repr=False, compare=False)

    def json(self) -> dict[str, Any]:
        """Return the result as the command writes it."""
        return {
            "rows": [row.json() for row in self.rows],
            "projects": [project.json() for project in self.projects],
        }

    def groups(self) -> tuple[str, ...]:
        """Return the groups that tables show beside `ALL`: none if there is one, or too many."""
        groups = tuple(dict.fromkeys(row.group for row in self.rows if row.group != ALL))
        return groups if 1 < len(groups) <= MOST_GROUPS else ()


def short_names(groups: Sequence[str]) -> dict[str, str]:
    """Return short names of groups: their PATHs without the parts that all share."""
    parts = {group: Path(group).parts for group in groups}
    if len(parts) < 2:
        return {group: own[-1] for group, own in parts.items()}
    before = _shared(list(parts.values()))
    behind = _shared([own[before:][::-1] for own in parts.values()])
    return {
        group: "/".join(own[before : len(own) - behind]) or group for group, own in parts.items()
    }


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """Return the length of the common prefix of all paths, in parts."""
    columns = zip(*paths, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
