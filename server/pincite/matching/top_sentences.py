"""Top-ranked sentences: from scores to the sentences that are shown."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper
from ..model.results import SupportingSentence
from ..model.spans import TextSpan

Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]

#: Scores are compared rounded to these digits, so that the order of additions cannot break ties.
_DIGITS = 12


def best_first(scores: Floats, number: int) -> list[tuple[int, float]]:
    """Return index and score of the best `number` positive sentences; ties in the paper's order."""
    rounded = np.round(np.asarray(scores, np.float64), _DIGITS)
    order = np.argsort(-rounded, kind="stable")[: max(0, number)]
    return [(index, float(rounded[index])) for index in order.tolist() if rounded[index] > 0.0]


def supporting(
    paper: ReferencePaper, position: int, score: float, spans: Iterable[tuple[int, int]]
) -> SupportingSentence:
    """Return sentence `position` with its location; `spans` are marked, overlapping ones merged."""
    sentence = paper.sentences[position]
    marked: list[TextSpan] = []
    for start, end in sorted(spans):
        if marked and start < marked[-1].end:
            marked[-1] = TextSpan(marked[-1].start, max(end, marked[-1].end))
        else:
            marked.append(TextSpan(start, end))
    return SupportingSentence(
        text=sentence.text,
        score=score,
        matched=tuple(marked),
        page=sentence.page,
        page_label=sentence.page_label,
        section=sentence.section,
        position=position,
    )
