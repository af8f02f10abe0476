"""What an evaluation on whole drafts found, for JSON and reports. All figures are fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.problems import Problem
from ..records import Records
from .projects import ProjectSource, Situation

#: Everything together, whatever the PATHs.
ALL = "all"
TOP = (1, 3, 5, 10)
#: With more groups than these, tables have the rows of `ALL` only.
MOST_GROUPS = 8
#: How deep the figures of first citations and repeats go.
PART_TOP = (1, 5)

#: 1-based ranks of a project's items in reading order, each at its best true key.
Ranks = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Item:
    """A citation to be found again; `keys` are the true ones, `left` and `right` up to 20 words."""

    keys: tuple[str, ...]
    is_first: bool
    left: tuple[str, ...]
    right: tuple[str, ...]
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """What came out for a project; without items, or unread, it has no ranks.

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
    """The figures of first citations, or of repeats; None where there are no such items."""

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
    """Means over the projects of a group, `ALL` for everything; `top1_ci95` is bootstrapped."""

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
        """Return the groups that tables show beside `ALL`: none where one or very many are."""
        groups = tuple(dict.fromkeys(row.group for row in self.rows if row.group != ALL))
        return groups if 1 < len(groups) <= MOST_GROUPS else ()


def short_names(groups: Sequence[str]) -> dict[str, str]:
    """Return groups by what tells their PATHs apart: the parts that not all of them share."""
    parts = {group: Path(group).parts for group in groups}
    if len(parts) < 2:
        return {group: own[-1] for group, own in parts.items()}
    before = _shared(list(parts.values()))
    behind = _shared([own[before:][::-1] for own in parts.values()])
    return {
        group: "/".join(own[before : len(own) - behind]) or group for group, own in parts.items()
    }


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """Return how many parts in front are the same in all paths."""
    columns = zip(*paths, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
