"""From ranks to figures: for each project, and as means over projects with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from pincite.model.problems import Problem

from ..measures import Ranks, found_at, interval, mean_reciprocal_rank
from ..results import Result, Row
from .projects import ProjectSource, Situation

#: The group of all projects, whatever their PATHs.
ALL = "all"
TOP = (1, 3, 5, 10)
#: The values of k in the figures of first citations and repeats.
PART_TOP = (1, 5)
#: With more groups than this, tables only have the rows of `ALL`.
MAX_GROUPS = 8


@dataclass(frozen=True, slots=True)
class Item:
    """A citation to recover; `keys` are the true ones, `left` and `right` up to 20 words."""

    keys: tuple[str, ...]
    is_first: bool
    left: tuple[str, ...]
    right: tuple[str, ...]
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True)
class ProjectOutcome:
    """The outcome of a project; without items, or if unreadable, it has no ranks.

    `ranks` are those of the items in reading order, each at its best true key, by ranker and
    situation. `with_abstract` and `cited_share` are fractions of the entries.
    """

    source: ProjectSource
    items: tuple[Item, ...] = ()
    ranks: Mapping[tuple[str, Situation], Ranks] = field(default_factory=dict)
    entries: int = 0
    with_abstract: float = 0.0
    cited_share: float = 0.0
    language: str | None = None
    problems: tuple[Problem, ...] = ()

    @cached_property
    def figures(self) -> dict[tuple[str, Situation], dict[str, Any]]:
        """The shares of items with a true key among the first k, and their MRR."""
        is_first = np.asarray([item.is_first for item in self.items], dtype=np.bool_)
        return {
            key: {
                "items": len(ranks),
                **{f"top{k}": found_at(ranks, k) for k in TOP},
                "mrr": mean_reciprocal_rank(ranks),
                "first": _part(ranks[is_first]),
                "repeat": _part(ranks[~is_first]),
            }
            for key, ranks in self.ranks.items()
        }

    def json(self) -> dict[str, Any]:
        """Return the project as the command writes it."""
        return {
            "name": self.source.name,
            "group": self.source.group,
            "items": len(self.items),
            "entries": self.entries,
            "with_abstract": self.with_abstract,
            "cited_share": self.cited_share,
            "language": self.language,
            "rows": [
                {"ranker": ranker, "situation": situation, **figures}
                for (ranker, situation), figures in self.figures.items()
            ],
        }


@dataclass(frozen=True, kw_only=True)
class DraftsResult(Result):
    """The whole evaluation; `skipped` are the projects without an item, `folds` 0 for none."""

    projects: tuple[ProjectOutcome, ...]
    skipped: tuple[ProjectSource, ...] = ()
    folds: int = 0

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that tables show beside `ALL`: none if there is one, or too many."""
        groups = tuple(dict.fromkeys(row["group"] for row in self.rows if row["group"] != ALL))
        return groups if 1 < len(groups) <= MAX_GROUPS else ()

    @property
    def items(self) -> int:
        """The number of citations to recover."""
        return sum(len(project.items) for project in self.projects)


def _part(ranks: Ranks) -> dict[str, Any]:
    """Return the figures of first citations, or of repeats; None if there are none."""
    top = {f"top{k}": found_at(ranks, k) if len(ranks) else None for k in PART_TOP}
    return {"items": len(ranks), **top}


def rows(projects: Sequence[ProjectOutcome]) -> Iterator[Row]:
    """Yield the means over the projects of each group and of all, with equal weights."""
    groups: dict[str, list[ProjectOutcome]] = {}
    for project in projects:
        groups.setdefault(project.source.group, []).append(project)
    keys = list(projects[0].figures) if projects else []
    for situation in dict.fromkeys(situation for _, situation in keys):
        for ranker in dict.fromkeys(ranker for ranker, _ in keys):
            for group, members in (*groups.items(), (ALL, projects)):
                own = [project.figures[ranker, situation] for project in members]
                top1 = np.asarray([figures["top1"] for figures in own])
                yield Row(
                    ranker,
                    {
                        "ranker": ranker,
                        "situation": situation,
                        "group": group,
                        "projects": len(own),
                        **_means(own),
                        # A mean is the sum over projects divided by their number.
                        "top1_ci95": list(interval(top1, np.ones(len(top1)))),
                    },
                )


def _means(own: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the means over the projects that have a figure, and the sum of their items."""
    means: dict[str, Any] = {}
    for name, one in own[0].items():
        known = [figures[name] for figures in own if figures[name] is not None]
        if name == "items":
            means[name] = sum(known)
        elif isinstance(one, Mapping):
            means[name] = _means(known)
        else:
            means[name] = float(np.mean(known)) if known else None
    return means


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
