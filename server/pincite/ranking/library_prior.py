"""The probability that a draft cites a work of its author's library.

A library has works of many subjects, and whatever resembles the text best leads the list of its
own works, however little that is. So the probability that the ranker gives such a work is
calibrated once more (Platt 1999), with what distinguishes works of the draft's subject: in how many
titles of the draft's bibliography the words of its title stand, how many of them the paragraph has,
and whether the bibliography has works by one of its authors.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

_NEARLY: Final = 1e-9
#: Fitted by `python -m benchmarks.library_rows --fit`, on drafts that the ranker had not seen.
_SLOPE, _TITLES, _SHARED, _AUTHOR, _SHIFT = 1.21, 1.19, 0.12, 0.40, -1.79


class Familiar(NamedTuple):
    """What a draft and its bibliography have in common with a work.

    `titles` is the root of the mean of ``log(1 + n)`` over the words of its title, where n titles
    of the bibliography have the word; `shared` is the number of these words in the paragraph;
    `is_known` is whether the bibliography has works by one of the authors.
    """

    titles: float = 0.0
    shared: int = 0
    is_known: bool = False


def probability_in_library(ranked: float, familiar: Familiar) -> float:
    """Return the sigmoid of the weighted sum of ``logit(ranked)`` and what is `familiar`.

    `ranked` is the ranker's probability.
    """
    if ranked <= 0.0:
        return 0.0
    titles, shared, is_known = familiar
    odds = _SLOPE * logit(ranked) + _TITLES * titles + _SHARED * shared + _AUTHOR * is_known
    return 1.0 / (1.0 + math.exp(-odds - _SHIFT))


def logit(probability: float) -> float:
    """Return the log odds of a probability."""
    bounded = min(max(probability, _NEARLY), 1.0 - _NEARLY)
    return math.log(bounded / (1.0 - bounded))
