"""Figures of citation resolution: chance, and intervals by bootstrap over papers."""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

_SAMPLES = 2_000


def chance(references: int, candidates: int) -> float:
    """Return the probability that a random order of the candidates resolves a group.

    A group of n references is resolved when any of them is among the first n.
    """
    if references <= 0:
        return 0.0
    return 1.0 - comb(candidates - references, references) / comb(candidates, references)


def bootstrap_difference(
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    outcomes: npt.NDArray[np.float64],
    seed: int = 0,
) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two accuracies over the same papers."""
    return bootstrap_interval(first - second, outcomes, seed)


def bootstrap_interval(
    correct: npt.NDArray[np.float64], outcomes: npt.NDArray[np.float64], seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of ``sum(correct) / sum(outcomes)``, papers drawn with replacement.

    Both arrays have one value for each paper.
    """
    if outcomes.sum() == 0:
        return 0.0, 0.0
    papers = len(outcomes)
    drawn = np.random.default_rng(seed).multinomial(papers, np.full(papers, 1 / papers), _SAMPLES)
    totals = drawn @ outcomes
    shares = (drawn @ correct)[totals > 0] / totals[totals > 0]
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)
