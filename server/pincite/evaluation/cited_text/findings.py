"""The orderings of Table 3 of Ricci et al. (2022), checked on a corpus.

Each is checked by the bootstrap interval of the difference of two F1 by citances over the same
reference papers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..metrics import bootstrap_f1_difference
from .results import CitedTextResult

Floats = npt.NDArray[np.float64]

#: The claim, the row that should be ahead, and the row that should be behind. What needs other
#: vectors is compared with `asymmetric-trained`, whose vectors come from the same text.
CLAIMS = (
    (
        "inverse-frequency weights beat uniform weights without stop words",
        "asymmetric",
        "asymmetric-uniform-nostop",
    ),
    (
        "uniform weights without stop words beat uniform weights",
        "asymmetric-uniform-nostop",
        "asymmetric-uniform",
    ),
    (
        "citation markers removed beat markers kept",
        "asymmetric-trained",
        "asymmetric-markers",
    ),
    ("cosine beats dot product", "asymmetric", "asymmetric-dot"),
    ("the top K beat greedy selection", "asymmetric", "asymmetric-greedy"),
    ("d = 4 is at least as good as d = 1", "asymmetric", "asymmetric-d1"),
    ("d = 1 beats the symmetric matcher", "asymmetric-d1", "symmetric"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim on two rows, by name; `difference` is of F1 by citances, the claimed winner first.

    `ci95` is its bootstrap interval.
    """

    claim: str
    first: str
    second: str
    difference: float
    ci95: tuple[float, float]

    @property
    def verdict(self) -> str:
        """Say whether the claim holds here, and that this is not significant where it is not."""
        if self.ci95[0] > 0.0:
            return "holds"
        if self.ci95[1] < 0.0:
            return "the reverse holds"
        return (
            "holds, not significantly"
            if self.difference >= 0.0
            else "does not hold, not significantly"
        )

    def json(self) -> dict[str, Any]:
        """Return the finding as the command writes it."""
        return {
            "claim": self.claim,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "ci95": list(self.ci95),
            "verdict": self.verdict,
        }


def findings(result: CitedTextResult) -> Iterator[Finding]:
    """Yield the claims whose two rows are both in the result, with parameters as in the paper."""
    places = {row.name: place for place, row in enumerate(result.rows)}
    for claim, ahead, behind in CLAIMS:
        if ahead not in places or behind not in places:
            continue
        first, second = places[ahead], places[behind]
        interval = bootstrap_f1_difference(_counts(result, first), _counts(result, second))
        yield Finding(
            claim,
            ahead,
            behind,
            result.rows[first].citance.f1 - result.rows[second].citance.f1,
            interval,
        )


def _counts(result: CitedTextResult, row: int) -> tuple[Floats, Floats]:
    """Return for each paper what a row has right, and what it returned and is wanted together."""
    papers = result.per_paper
    right = np.asarray([paper.right[row] for paper in papers], dtype=np.float64)
    chosen = np.asarray([paper.returned[row] + paper.wanted for paper in papers], dtype=np.float64)
    return right, chosen
