"""The findings of the papers, as orderings of rows, checked on a corpus.

Ricci et al. (2022), Table 3; the steps of CitRet (Pandey et al. 2022, Table 1); re-ranking after
BM25 (Aumiller et al. 2020, Table 2). Each is checked by the bootstrap interval of the difference
of two F1 by citances over the same reference papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..measures.bootstrap import Floats, bootstrap_f1_difference
from .results import CitedTextResult, Row

#: Ricci et al.: the claim, the row that should be ahead, and the row that should be behind. Rows
#: with their own vectors are compared with `asymmetric-trained`, trained on the same text.
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
#: CitRet's steps, compared among rows with the same weights.
STEPS = (
    ("bigrams of both appended help", "sbert-wce", "sbert"),
    ("common components removed help", "sbert-wce-d", "sbert-wce"),
    ("Word Mover's Distance helps", "citret", "sbert-wce-d"),
)
#: UniHD's, with every model that re-ranks.
RE_RANKING = ("BM25 alone beats re-ranking", "bm25-2field", "bm25-rerank")
FINE_TUNING = "fine-tuning helps"


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
        """Return whether the claim holds here, and whether this is significant."""
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
        return {**asdict(self), "verdict": self.verdict}


def findings(result: CitedTextResult) -> Iterator[Finding]:
    """Yield the claims whose two rows are both in the result with the paper's parameters."""
    for claim, first, second in _claims(result.rows):
        interval = bootstrap_f1_difference(_counts(result, first), _counts(result, second))
        ahead, behind = result.rows[first], result.rows[second]
        difference = ahead.citance.f1 - behind.citance.f1
        yield Finding(claim, ahead.name, behind.name, difference, interval)


def _claims(rows: Sequence[Row]) -> Iterator[tuple[str, int, int]]:
    """Yield claims with the indices of the rows that should be ahead and behind."""
    # A system with its default parameters, with a trained model or without.
    places = {
        (row.system, row.changed.get("model")): place
        for place, row in enumerate(rows)
        if row.changed.keys() <= {"model"}
    }
    models = list(dict.fromkeys(model for _, model in places))
    asked = [(claim, (ahead, None), (behind, None)) for claim, ahead, behind in CLAIMS]
    asked += [
        (claim, (ahead, model), (behind, model))
        for model in models
        for claim, ahead, behind in STEPS
    ]
    asked += [(FINE_TUNING, (system, model), (system, None)) for system, model in places if model]
    claim, alone, re_ranked = RE_RANKING
    asked += [(claim, (alone, None), (re_ranked, model)) for model in models]
    for claim, ahead, behind in asked:
        if ahead in places and behind in places:
            yield claim, places[ahead], places[behind]


def _counts(result: CitedTextResult, row: int) -> tuple[Floats, Floats]:
    """Return, by paper, a row's right sentences, and its returned plus the wanted sentences."""
    papers = result.per_paper
    right = np.asarray([paper.right[row] for paper in papers], dtype=np.float64)
    chosen = np.asarray([paper.returned[row] + paper.wanted for paper in papers], dtype=np.float64)
    return right, chosen
