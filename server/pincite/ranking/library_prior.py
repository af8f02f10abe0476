"""The probability that a draft cites a work of its author's library.

A library has works of many subjects, and whatever resembles the text best leads the list of its
own works, however little that is. So the probability that the ranker gives such a work is
calibrated once more (Platt 1999), with what distinguishes works of the draft's subject: how many
words of its title stand in titles of the draft's bibliography, and whether this has works by one of
its authors.
"""

from __future__ import annotations

import math
from typing import Final

_NEARLY: Final = 1e-9
#: Fitted by `python -m benchmarks.library_rows --fit`, on drafts that the ranker had not seen.
_SLOPE, _TITLE, _AUTHOR, _SHIFT = 1.26, 1.77, 0.38, -1.28


def probability_in_library(ranked: float, share: float, is_known: bool) -> float:
    """Return ``sigmoid(slope · logit(ranked) + title · share + author · is_known + shift)``.

    `ranked` is the ranker's probability, `share` that of the words of the title which titles of the
    bibliography have; `is_known` is whether the bibliography has works by one of the authors.
    """
    if ranked <= 0.0:
        return 0.0
    odds = _SLOPE * logit(ranked) + _TITLE * share + _AUTHOR * is_known
    return 1.0 / (1.0 + math.exp(-odds - _SHIFT))


def logit(probability: float) -> float:
    """Return the log odds of a probability."""
    kept = min(max(probability, _NEARLY), 1.0 - _NEARLY)
    return math.log(kept / (1.0 - kept))
