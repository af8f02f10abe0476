"""The probability that a draft cites a work of its author's library.

A library has works of many subjects, and whatever resembles the text best leads the list of its
own works, however little that is. So the probability that the ranker gives such a work is
calibrated once more (Platt 1999), with what distinguishes works of the draft's subject: how many
words of its title stand in titles of the draft's bibliography, and whether this has works by one of
its authors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_NEARLY: Final = 1e-9


@dataclass(frozen=True, slots=True)
class LibraryPrior:
    """``sigmoid(slope · logit(p) + title · share + author · is_known + shift)``."""

    slope: float
    title: float
    author: float
    shift: float

    def probability(self, ranked: float, share: float, is_known: bool) -> float:
        """Return the probability of a work of which the ranker says that it is `ranked`.

        `share` is that of the words of its title which titles of the bibliography have; `is_known`
        says whether the bibliography has works by one of its authors.
        """
        if ranked <= 0.0:
            return 0.0
        odds = self.slope * logit(ranked) + self.title * share + self.author * is_known
        return 1.0 / (1.0 + math.exp(-odds - self.shift))


def logit(probability: float) -> float:
    """Return the log odds of a probability."""
    kept = min(max(probability, _NEARLY), 1.0 - _NEARLY)
    return math.log(kept / (1.0 - kept))


#: Fitted by `python -m benchmarks.library_rows --fit`, on drafts that the ranker had not seen.
PRIOR: Final = LibraryPrior(slope=1.26, title=1.77, author=0.38, shift=-1.28)
