"""The result, and the findings of the papers as orderings of rows, checked on a corpus.

Ricci et al. (2022), Table 3; the steps of CitRet (Pandey et al. 2022, Table 1); re-ranking after
BM25 (Aumiller et al. 2020, Table 2). Each is checked by the bootstrap interval of the difference
of two F1 by citances over the same reference papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..measures import Floats, interval_of_difference
from ..published import CLAIMS, STEPS
from ..results import Curve, Finding, Result, Row

#: UniHD's, with every model that re-ranks.
RE_RANKING = ("BM25 alone beats re-ranking", "bm25-2field", "bm25-rerank")
FINE_TUNING = "fine-tuning helps"


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """Counts of right, returned and wanted sentences of a reference paper, for each row."""

    id: str
    title: str
    citances: int
    sentences: int
    right: tuple[int, ...]
    returned: tuple[int, ...]
    wanted: int


@dataclass(frozen=True, kw_only=True)
class CitedTextResult(Result):
    """The whole table; `per_paper` has an item in `right` and `returned` for each row."""

    per_paper: tuple[PaperCounts, ...] = ()
    curves: Mapping[str, tuple[Curve, ...]] = field(default_factory=dict)


def findings(rows: Sequence[Row], papers: Sequence[PaperCounts]) -> Iterator[Finding]:
    """Yield the claims whose two rows are both there with the paper's parameters."""
    for claim, first, second in _claims(rows):
        ci95 = interval_of_difference(_parts(papers, first), _parts(papers, second))
        ahead = rows[first]["citance"]["f1"] - rows[second]["citance"]["f1"]
        undecided = f"{'holds' if ahead >= 0.0 else 'does not hold'}, not significantly"
        yield Finding.of(claim, rows[first].name, rows[second].name, ahead, ci95, undecided)


def _claims(rows: Sequence[Row]) -> Iterator[tuple[str, int, int]]:
    """Yield claims with the indices of the rows that should be ahead and behind."""
    # A system with its default parameters, with a trained model or without.
    places = {
        (row["system"], row.changed.get("model")): place
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


def _parts(papers: Sequence[PaperCounts], row: int) -> tuple[Floats, Floats]:
    """Return the numerators and denominators of a row's F1, by paper."""
    right = np.asarray([2 * paper.right[row] for paper in papers], dtype=np.float64)
    chosen = np.asarray([paper.returned[row] + paper.wanted for paper in papers], dtype=np.float64)
    return right, chosen
