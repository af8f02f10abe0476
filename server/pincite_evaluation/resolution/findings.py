"""The findings of Duma and Klein (2014, section 5), checked on a collection.

They found that passages beat full text, that external representations beat internal ones, and
that mixed ones beat both. Each is checked between the best rows of the two kinds, by the interval
of their difference over the same test papers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..intervals import interval
from ..results import Finding, Row
from .results import PaperOutcome, is_learned

_INTERNAL, _EXTERNAL, _MIXED = r"(?!inlink-|mixed-)", "inlink-", "mixed-"
#: The names of the claimed winners begin so, and then those of the losers.
_CLAIMS = (
    ("passages beat full text", "passage-", "full-text"),
    ("external beats internal", _EXTERNAL, _INTERNAL),
    ("mixed beats internal", _MIXED, _INTERNAL),
    ("mixed beats external", _MIXED, _EXTERNAL),
)


def findings(rows: Sequence[Row], papers: Sequence[PaperOutcome]) -> Iterator[Finding]:
    """Yield the claims of which both kinds are among the rows; the claimed winner is the first.

    Rows are named by representation and window.
    """
    outcomes = np.asarray([paper.outcomes for paper in papers], dtype=np.float64)
    correct = np.asarray([paper.correct for paper in papers], dtype=np.float64)
    table_1 = [(number, row) for number, row in enumerate(rows) if not is_learned(row)]
    for claim, *kinds in _CLAIMS:
        both = [
            [(at, row) for at, row in table_1 if re.match(kind, row["representation"])]
            for kind in kinds
        ]
        if all(both):
            (first, winner), (second, loser) = (
                max(kind, key=lambda one: float(one[1]["accuracy"])) for kind in both
            )
            yield Finding.of(
                claim,
                (winner["representation"], winner["window"]),
                (loser["representation"], loser["window"]),
                winner["accuracy"] - loser["accuracy"],
                interval(correct[:, first] - correct[:, second], outcomes),
                "not decided",
            )
