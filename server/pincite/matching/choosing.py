"""From scores to the sentences that are shown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]

#: Digits that scores are told apart by: equal ones must not differ by the order of additions.
_DIGITS = 12


def best_first(scores: Floats, number: int) -> list[tuple[int, float]]:
    """Return index and score of the best `number` sentences that score more than nothing.

    Equal ones come in the order of the paper.
    """
    rounded = np.round(np.asarray(scores, np.float64), _DIGITS)
    order = np.argsort(-rounded, kind="stable")[: max(0, number)]
    return [(index, float(rounded[index])) for index in order.tolist() if rounded[index] > 0.0]


def greedily(weights: Floats, covered: Floats, number: int) -> list[tuple[int, float]]:
    """Return the sentences that together cover a citance best, each with what it adds.

    `covered` (n×S) is how far each sentence covers each word, `weights` (n) what a word counts.
    The next sentence is the one with which the chosen ones cover most (Kobayashi et al. 2015; Ricci
    et al. 2022, appendix C.1); what it adds cannot be more than what the one before added. It ends
    with fewer than `number` sentences where no other adds anything.
    """
    chosen: list[tuple[int, float]] = []
    reached = np.zeros((len(covered), 1), covered.dtype)
    while len(chosen) < number:
        gains = weights @ np.maximum(covered - reached, 0.0)
        added = best_first(gains, 1)
        if not added:
            break
        chosen += added
        reached = np.maximum(reached, covered[:, [added[0][0]]])
    return chosen
