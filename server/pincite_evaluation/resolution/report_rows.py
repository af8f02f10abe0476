"""Arrange the rows of a result for a report: as in Table 1, and by number of candidates."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from typing import Any

from ..report.tables import is_known
from ..results import Row
from .results import PaperOutcome

#: The groups of Table 1, and what their representations are made of.
GROUPS = {"Internal": "contents", "External": "inlink contexts", "Mixed": "both"}
#: The numbers of candidates at which a bin starts.
_BINS = (1, 5, 8, 9, 10, 12, 15, 20, 30)
_LABELS = ("1–4", "5–7", "8", "9", "10–11", "12–14", "15–19", "20–29", "30+")


class Table1:
    """The rows of a result, at least one, in the layout of Table 1, and the best of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Arrange the rows."""
        kinds = {"mixed": "Mixed", "inlink": "External"}
        by_group: dict[str, list[Row]] = {group: [] for group in GROUPS}
        for row in rows:
            by_group[kinds.get(row["representation"].split("-")[0], "Internal")].append(row)
        found = {group: own for group, own in by_group.items() if own}
        self.rows = {(row["representation"], row["window"]): row for row in rows}
        self.windows = tuple(dict.fromkeys(row["window"] for row in rows))
        self.groups = {
            group: tuple(dict.fromkeys(row["representation"] for row in own))
            for group, own in found.items()
        }
        self.best = max(rows, key=merit)
        self.best_of_groups = {group: max(own, key=merit) for group, own in found.items()}


def merit(row: Row) -> tuple[float, float]:
    """Return the sort key of rows: accuracy, then mean reciprocal rank."""
    return (row["accuracy"], row["mrr"]) if is_known(row["accuracy"]) else (-1.0, -1.0)


def by_candidates(papers: Iterable[PaperOutcome], row: int) -> list[dict[str, Any]]:
    """Return the outcomes of a row by number of candidates, without empty bins."""
    binned: dict[str, list[PaperOutcome]] = {label: [] for label in _LABELS}
    for paper in papers:
        if paper.outcomes:
            binned[_LABELS[max(bisect(_BINS, paper.candidates) - 1, 0)]].append(paper)
    found = []
    for label, own in binned.items():
        if own:
            outcomes = sum(paper.outcomes for paper in own)
            right = sum(paper.correct[row] for paper in own)
            found.append(
                {
                    "candidates": label,
                    "papers": len(own),
                    "outcomes": outcomes,
                    "right": right,
                    "accuracy": right / outcomes,
                    "chance": sum(paper.chance for paper in own) / outcomes,
                }
            )
    return found
