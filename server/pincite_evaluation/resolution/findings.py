"""The findings of Duma and Klein (2014, section 5), checked on a collection.

They found that passages beat full text, that external representations beat internal ones, and
that mixed ones beat both. Each is checked between the best rows of the two kinds, by the interval
of their difference over the same test papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..intervals import interval
from ..results import Finding, Row
from .representations import NamedRepresentation, named
from .results import PaperOutcome, is_learned

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


def findings(rows: Sequence[Row], papers: Sequence[PaperOutcome]) -> Iterator[Finding]:
    """Yield the claims of which both kinds are among the rows; the claimed winner is the first.

    Rows are named by representation and window.
    """
    outcomes = np.asarray([paper.outcomes for paper in papers], dtype=np.float64)
    correct = np.asarray([paper.correct for paper in papers], dtype=np.float64)
    for claim, is_first, is_second in _CLAIMS:
        first, second = _best(rows, is_first), _best(rows, is_second)
        if first is None or second is None:
            continue
        winner, loser = ((rows[at]["representation"], rows[at]["window"]) for at in (first, second))
        ahead = rows[first]["accuracy"] - rows[second]["accuracy"]
        ci95 = interval(correct[:, first] - correct[:, second], outcomes)
        yield Finding.of(claim, winner, loser, ahead, ci95, "not decided")


def _best(rows: Sequence[Row], kind: _Kind) -> int | None:
    """Return the index of the best row of a kind."""
    of_kind = [
        number
        for number, row in enumerate(rows)
        if not is_learned(row) and kind(named(row["representation"]))
    ]
    return max(of_kind, key=lambda number: float(rows[number]["accuracy"]), default=None)
