"""The results of citation resolution, for JSON and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pincite.model.problems import Problem

from ..records import Records


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one representation at one query window; all are fractions.

    `ci95` is a bootstrap interval of the accuracy over test papers; `recall` maps k to recall@k.
    A row of the learned ranker has no window, but a `situation` and what is known of candidates
    (`knows`), as `evidence` names them.
    """

    representation: str
    window: str | None
    accuracy: float
    ci95: tuple[float, float]
    mrr: float
    recall: Mapping[int, float]
    situation: str | None = None
    knows: str | None = None

    @property
    def is_learned(self) -> bool:
        """Whether it is a row of the learned ranker, not of Table 1."""
        return self.situation is not None

    @property
    def said(self) -> str:
        """A description of the row."""
        if self.is_learned:
            return f"{self.representation} ({self.situation}, {self.knows})"
        return f"{self.representation}, window ({self.window})"

    def names(self) -> dict[str, str | None]:
        """Return the fields that identify the row."""
        names = {"representation": self.representation, "window": self.window}
        if self.is_learned:
            names |= {"situation": self.situation, "knows": self.knows}
        return names

    def json(self) -> dict[str, Any]:
        """Return the row as the command writes it."""
        return {
            **self.names(),
            "accuracy": self.accuracy,
            "ci95": list(self.ci95),
            "mrr": self.mrr,
            **{f"recall@{k}": value for k, value in self.recall.items()},
        }


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """The outcome of one test paper.

    `outcomes` counts its resolvable citations by the grouping rule, `chance` is the expected number
    of them that are right by chance, and `correct` the number right in each row.
    """

    id: str
    title: str
    candidates: int
    outcomes: int
    chance: float
    correct: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResolutionResult:
    """The whole table; `papers` is the size of the collection.

    `problems` are its defects, `settings` the settings of the run by name, for a report.
    """

    corpus: str
    papers: int
    test_papers: int
    resolvable_citations: int
    chance: float
    rows: tuple[Row, ...]
    per_paper: tuple[PaperOutcome, ...]
    problems: tuple[Problem, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    records: Records = field(default=Records(), repr=False, compare=False)

    @property
    def table_1(self) -> tuple[Row, ...]:
        """The rows of Table 1."""
        return tuple(row for row in self.rows if not row.is_learned)

    @property
    def learned(self) -> tuple[Row, ...]:
        """The rows of the learned ranker."""
        return tuple(row for row in self.rows if row.is_learned)

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
