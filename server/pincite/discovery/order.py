"""The order, at a place in the draft, of works that the author does not have.

One list has the bibliography and its neighbours, and one model ranks it: the learned ranker. What
it cannot know is added to its log odds: with how many of the author's works a neighbour is
connected.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

#: What the logarithm of the number of connections adds to the log odds of a work. It maximizes the
#: likelihood of what papers that are not test papers cite (`pincite evaluate discover --fit`).
CONNECTIONS: Final = 3.3
_SMALLEST: Final = 1e-9

Floats = npt.NDArray[np.float64]


def scores(
    probabilities: npt.ArrayLike, connections: npt.ArrayLike, weight: float = CONNECTIONS
) -> Floats:
    """Return scores of neighbours, given with how many works each is connected."""
    shares = np.clip(np.asarray(probabilities, np.float64), _SMALLEST, 1.0 - _SMALLEST)
    logits = np.log(shares) - np.log1p(-shares)
    return np.asarray(logits + weight * np.log1p(np.asarray(connections, np.float64)))
