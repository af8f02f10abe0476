"""Bootstrap intervals over papers.

Percentile intervals (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13) of
ratios of sums. Whole papers are drawn with replacement, since the citations of a paper are not
independent. Differences use the same samples on both sides.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SAMPLES = 2_000
_SEED = 0


def bootstrap_interval(correct: Floats, outcomes: Floats) -> tuple[float, float]:
    """Return the 95 % interval of ``sum(correct) / sum(outcomes)``, papers drawn with replacement.

    Both arrays have one value for each paper.
    """
    return _interval(_shares(correct, outcomes))


def bootstrap_f1(right: Floats, chosen: Floats) -> tuple[float, float]:
    """Return the 95 % interval of a micro F1.

    For each paper, `right` counts the right answers, `chosen` the returned answers plus the wanted
    ones.
    """
    return bootstrap_interval(2.0 * right, chosen)


def bootstrap_f1_difference(
    first: tuple[Floats, Floats], second: tuple[Floats, Floats]
) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two micro F1 over the same papers.

    Both are given as `bootstrap_f1` takes them.
    """
    ahead, behind = (_shares(2.0 * right, chosen) for right, chosen in (first, second))
    return _interval(ahead - behind)


def _shares(correct: Floats, outcomes: Floats) -> Floats:
    """Return ``sum(correct) / sum(outcomes)`` of each sample of papers; nan without outcomes."""
    papers = len(outcomes)
    if not papers:
        return np.full(_SAMPLES, np.nan)
    drawn = np.random.default_rng(_SEED).multinomial(papers, np.full(papers, 1 / papers), _SAMPLES)
    totals = drawn @ outcomes
    shares: Floats = np.divide(
        drawn @ correct, totals, out=np.full(_SAMPLES, np.nan), where=totals > 0
    )
    return shares


def _interval(shares: Floats) -> tuple[float, float]:
    """Return the middle 95 % of samples; zeros where all are nan."""
    known = shares[~np.isnan(shares)]
    if not len(known):
        return 0.0, 0.0
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
