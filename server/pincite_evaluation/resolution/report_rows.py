"""Arrange the rows of a result for a report: as in Table 1, and by number of candidates."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..report.tables import is_known
from ..results import Row
from .results import PaperOutcome

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
            by_group[_group(row["representation"])].append(row)
        found = {group: members for group, members in by_group.items() if members}
        return Table1(
            tuple(dict.fromkeys(row["window"] for row in rows)),
            {
                group: tuple(dict.fromkeys(row["representation"] for row in members))
                for group, members in found.items()
            },
            {(row["representation"], row["window"]): row for row in rows},
            max(rows, key=merit),
            {group: max(members, key=merit) for group, members in found.items()},
        )


def _group(representation: str) -> str:
    if representation.startswith("mixed-"):
        return "Mixed"
    return "External" if representation.startswith("inlink-") else "Internal"


def merit(row: Row) -> tuple[float, float]:
    """Return the sort key of rows: accuracy, then mean reciprocal rank."""
    return (row["accuracy"], row["mrr"]) if is_known(row["accuracy"]) else (-1.0, -1.0)


class CandidatesBin(NamedTuple):
    """Test papers with similar numbers of candidates; `right` and `guessed` count outcomes."""

    label: str
    papers: int
    outcomes: int
    right: int
    guessed: float

    @property
    def accuracy(self) -> float:
        """The share of right outcomes."""
        return self.right / self.outcomes

    @property
    def chance(self) -> float:
        """The share of outcomes that are right by chance."""
        return self.guessed / self.outcomes


def by_candidates(papers: Iterable[PaperOutcome], row: int) -> list[CandidatesBin]:
    """Return the outcomes of a row by number of candidates, without empty bins."""
    binned: dict[int, list[PaperOutcome]] = {}
    for paper in papers:
        if paper.outcomes:
            at = max(bisect(_BIN_STARTS, paper.candidates) - 1, 0)
            binned.setdefault(at, []).append(paper)
    labels = [
        f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(_BIN_STARTS)
    ]
    labels.append(f"{_BIN_STARTS[-1]}+")
    return [
        CandidatesBin(
            labels[at],
            len(own),
            sum(paper.outcomes for paper in own),
            sum(paper.correct[row] for paper in own),
            sum(paper.chance for paper in own),
        )
        for at, own in sorted(binned.items())
    ]
