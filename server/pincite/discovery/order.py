"""The order, at a place in the draft, of works that the author does not have.

One list has the bibliography and its neighbours, and one model ranks it: the learned ranker. What
it cannot know is added to its log odds: with how many of the author's works a neighbour is
connected, and of those that the paragraph cites; how old it is, and how often it is cited.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: What the logarithms of these facts add to the log odds of a work. They maximize the likelihood of
#: what papers that are not test papers cite (`pincite evaluate discover --fit`).
WEIGHTS: Final = (3.0, 0.3, -0.3, 0.5)
#: About how often all cite a work for each time that the papers do on which this was fitted, and
#: the most that is counted: there, hardly any work was cited more often.
CITED_BY_ALL: Final = 30.0
_MOST_CITED: Final = 60.0
_SMALLEST: Final = 1e-9


def facts(connected: Floats, here: Floats, age: Floats, cited: Floats) -> Floats:
    """Return the facts about works (n x 4): numbers, of which those that are unknown are NaN.

    With how many of the author's works each is `connected`, with how many of those cited `here`,
    its `age` in years, and how often it is `cited`. What is unknown is as usual among the others.
    """
    columns = connected, here, age, np.minimum(cited, _MOST_CITED)
    found = np.log1p(np.maximum(np.column_stack(columns), 0.0))
    known = np.isfinite(found)
    usual = np.where(known, found, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray(np.where(known, found, usual), np.float64)


def scores(probabilities: npt.ArrayLike, known: Floats, weights: npt.ArrayLike = WEIGHTS) -> Floats:
    """Return scores of neighbours, given their `facts`."""
    shares = np.clip(np.asarray(probabilities, np.float64), _SMALLEST, 1.0 - _SMALLEST)
    logits = np.log(shares) - np.log1p(-shares)
    return np.asarray(logits + known @ np.asarray(weights, np.float64))
