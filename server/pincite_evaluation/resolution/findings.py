"""The findings of Duma and Klein (2014, section 5), checked on a collection.

They found that passages beat full text, that external representations beat internal ones, and
that mixed ones beat both. Each is checked between the best rows of the two kinds, by the interval
of their difference over the same test papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..measures.bootstrap import bootstrap_interval
from .representations import NamedRepresentation, named
from .results import ResolutionResult

_Kind = Callable[[NamedRepresentation], bool]


def _is_internal(one: NamedRepresentation) -> bool:
    return one.window is None


def _is_external(one: NamedRepresentation) -> bool:
    return one.internal is None


def _is_mixed(one: NamedRepresentation) -> bool:
    return one.window is not None and one.internal is not None


def _is_passages(one: NamedRepresentation) -> bool:
    return _is_internal(one) and one.name.startswith("passage-")


_CLAIMS: tuple[tuple[str, _Kind, _Kind], ...] = (
    ("passages beat full text", _is_passages, lambda one: one.name == "full-text"),
    ("external beats internal", _is_external, _is_internal),
    ("mixed beats internal", _is_mixed, _is_internal),
    ("mixed beats external", _is_mixed, _is_external),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim: the best rows of both kinds as (representation, window), and their difference.

    `difference` is of accuracies, the claimed winner first; `ci95` its bootstrap interval.
    """

    claim: str
    first: tuple[str, str]
    second: tuple[str, str]
    difference: float
    ci95: tuple[float, float]

    @property
    def verdict(self) -> str:
        """Return whether the claim holds here; undecided if the interval contains 0."""
        if self.ci95[0] > 0.0:
            return "holds"
        return "the reverse holds" if self.ci95[1] < 0.0 else "not decided"

    def json(self) -> dict[str, Any]:
        """Return the finding as the command writes it."""
        return {**asdict(self), "verdict": self.verdict}


def findings(result: ResolutionResult) -> Iterator[Finding]:
    """Yield the claims for which the result has both kinds of rows."""
    outcomes = np.asarray([paper.outcomes for paper in result.per_paper], dtype=np.float64)
    correct = np.asarray([paper.correct for paper in result.per_paper], dtype=np.float64)
    for claim, is_first, is_second in _CLAIMS:
        first, second = _best(result, is_first), _best(result, is_second)
        if first is None or second is None:
            continue
        rows = result.rows
        yield Finding(
            claim,
            (rows[first].representation, rows[first].window or ""),
            (rows[second].representation, rows[second].window or ""),
            rows[first].accuracy - rows[second].accuracy,
            bootstrap_interval(correct[:, first] - correct[:, second], outcomes),
        )


def _best(result: ResolutionResult, kind: _Kind) -> int | None:
    """Return the index of the best row of a kind."""
    rows = [
        number
        for number, row in enumerate(result.rows)
        if not row.is_learned and kind(named(row.representation))
    ]
    return max(rows, key=lambda number: result.rows[number].accuracy, default=None)
