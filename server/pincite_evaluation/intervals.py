"""Bootstrap intervals of ratios of sums over papers or drafts.

Percentile intervals (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13).
Whole papers are drawn with replacement, since the citations of a paper are not independent.
`scipy.stats.bootstrap` has the same intervals of other random samples, which would change the last
digit of published figures; drawing how often each paper occurs is also many times as fast.
"""

from __future__ import annotations

import numpy as np

from .measures import Floats

Interval = tuple[float, float]

_SAMPLES = 2_000
_SEED = 0


def interval(parts: Floats, wholes: Floats) -> Interval:
    """Return the 95 % interval of ``sum(parts) / sum(wholes)``; both are by paper."""
    return _middle(_ratios(parts, wholes))


def interval_of_difference(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Interval:
    """Return the 95 % interval of the difference of two ratios over the same papers.

    Both are given by parts and wholes, as to `interval`, and use the same samples.
    """
    return _middle(_ratios(*first) - _ratios(*second))


def _ratios(parts: Floats, wholes: Floats) -> Floats:
    """Return the ratio in each sample of papers; nan where the whole is 0."""
    papers = len(wholes)
    if not papers:
        return np.full(_SAMPLES, np.nan)
    drawn = np.random.default_rng(_SEED).multinomial(papers, np.full(papers, 1 / papers), _SAMPLES)
    totals = drawn @ wholes
    ratios: Floats = np.divide(
        drawn @ parts, totals, out=np.full(_SAMPLES, np.nan), where=totals > 0
    )
    return ratios


def _middle(ratios: Floats) -> Interval:
    """Return the middle 95 % of samples; zeros where all are nan."""
    known = ratios[~np.isnan(ratios)]
    if not len(known):
        return 0.0, 0.0
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
