"""Arrange the rows of a result for a report: as in Table 1, and by number of candidates."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .results import ResolutionResult, Row

#: The groups of Table 1, and what their representations are made of.
GROUPS = {"Internal": "contents", "External": "inlink contexts", "Mixed": "both"}
_BIN_STARTS = (1, 5, 8, 9, 10, 12, 15, 20, 30)


@dataclass(frozen=True, slots=True)
class Table1:
    """The rows of a result in the layout of Table 1, and the best of them."""

    windows: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    rows: Mapping[tuple[str, str], Row]
    best: Row
    best_of_groups: Mapping[str, Row]

    @staticmethod
    def of(rows: Sequence[Row]) -> Table1:
        """Arrange at least one row."""
        by_group: dict[str, list[Row]] = {group: [] for group in GROUPS}
        for row in rows:
            by_group[_group(row.representation)].append(row)
        found = {group: members for group, members in by_group.items() if members}
        return Table1(
            tuple(dict.fromkeys(row.window or "" for row in rows)),
            {
                group: tuple(dict.fromkeys(row.representation for row in members))
                for group, members in found.items()
            },
            {(row.representation, row.window or ""): row for row in rows},
            max(rows, key=merit),
            {group: max(members, key=merit) for group, members in found.items()},
        )


def _group(representation: str) -> str:
    if representation.startswith("mixed-"):
        return "Mixed"
    return "External" if representation.startswith("inlink-") else "Internal"


def merit(row: Row) -> tuple[float, float]:
    """Return the sort key of rows: accuracy, then mean reciprocal rank."""
    return (-1.0, -1.0) if math.isnan(row.accuracy) else (row.accuracy, row.mrr)


@dataclass(slots=True)
class CandidatesBin:
    """Test papers with similar numbers of candidates; `right` and `guessed` count outcomes."""

    label: str
    papers: int = 0
    outcomes: int = 0
    right: int = 0
    guessed: float = 0.0

    @property
    def accuracy(self) -> float:
        """The share of right outcomes."""
        return self.right / self.outcomes

    @property
    def chance(self) -> float:
        """The share of outcomes that are right by chance."""
        return self.guessed / self.outcomes


def by_candidates(result: ResolutionResult, row: Row) -> list[CandidatesBin]:
    """Return the outcomes of a row by number of candidates, without empty bins."""
    column = result.rows.index(row)
    labels = [
        f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(_BIN_STARTS)
    ]
    bins = [CandidatesBin(label) for label in (*labels, f"{_BIN_STARTS[-1]}+")]
    for paper in result.per_paper:
        group = bins[max(bisect(_BIN_STARTS, paper.candidates) - 1, 0)]
        group.papers += 1
        group.outcomes += paper.outcomes
        group.right += paper.correct[column]
        group.guessed += paper.chance
    return [group for group in bins if group.outcomes]
