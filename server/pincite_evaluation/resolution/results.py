"""The result of citation resolution: its rows are those of Table 1 and of the learned ranker."""

from __future__ import annotations

from dataclasses import dataclass

from ..results import Result, Row


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


@dataclass(frozen=True, kw_only=True)
class ResolutionResult(Result):
    """The whole table. A row of Table 1 has a `window`.

    A row of the learned ranker has a `situation` and what it `knows` of candidates instead, as
    `evidence` names them.
    """

    per_paper: tuple[PaperOutcome, ...]

    @property
    def table_1(self) -> tuple[Row, ...]:
        """The rows of Table 1."""
        return tuple(row for row in self.rows if not is_learned(row))

    @property
    def learned(self) -> tuple[Row, ...]:
        """The rows of the learned ranker."""
        return tuple(filter(is_learned, self.rows))


def is_learned(row: Row) -> bool:
    """Return whether a row is of the learned ranker, not of Table 1."""
    return "situation" in row.figures
