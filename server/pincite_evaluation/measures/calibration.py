"""Calibration of probabilities: the expected calibration error and the reliability curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of similar probability: their mean, and the observed frequency."""

    number: int
    predicted: float
    observed: float


def reliability(predicted: Sequence[float], came_true: Sequence[bool], bins: int = 8) -> list[Bin]:
    """Return bins with equal numbers of predictions (Nguyen and O'Connor 2015), lowest first."""
    values, true = np.asarray(predicted, np.float64), np.asarray(came_true, np.float64)
    order = np.argsort(values, kind="stable")
    return [
        Bin(len(part), float(values[part].mean()), float(true[part].mean()))
        for part in np.array_split(order, bins)
        if len(part)
    ]


def calibration_error(curve: Sequence[Bin]) -> float:
    """Return the expected calibration error (Naeini et al. 2015): the mean distance in the bins."""
    total = sum(each.number for each in curve)
    return sum(each.number * abs(each.predicted - each.observed) for each in curve) / max(1, total)
