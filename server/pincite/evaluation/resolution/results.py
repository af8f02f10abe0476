"""What an evaluation of citation resolution found, for JSON and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one representation at one query window; all are fractions.

    `ci95` is a bootstrap interval of the accuracy over test papers; `recall` maps k to recall@k.
    """

    representation: str
    window: str
    accuracy: float
    ci95: tuple[float, float]
    mrr: float
    recall: Mapping[int, float]

    def json(self) -> dict[str, Any]:
        """Return the row as the command writes it."""
        return {
            "representation": self.representation,
            "window": self.window,
            "accuracy": self.accuracy,
            "ci95": list(self.ci95),
            "mrr": self.mrr,
            **{f"recall@{k}": value for k, value in self.recall.items()},
        }


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """What came out for one test paper.

    `outcomes` counts its resolvable citations by the grouping rule, `chance` is the number of
    them that guessing gets right on average, and `correct` the number right in each row.
    """

    id: str
    title: str
    candidates: int
    outcomes: int
    chance: float
    correct: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResolutionResult:
    """The whole table; `papers` is the size of the collection."""

    corpus: str
    papers: int
    test_papers: int
    resolvable_citations: int
    chance: float
    rows: tuple[Row, ...]
    per_paper: tuple[PaperOutcome, ...]

    def json(self) -> dict[str, Any]:
        """Return the result as the command writes it."""
        return {
            "corpus": self.corpus,
            "papers": self.papers,
            "test_papers": self.test_papers,
            "resolvable_citations": self.resolvable_citations,
            "chance": self.chance,
            "rows": [row.json() for row in self.rows],
        }
