"""The learned ranker: boosted trees over separate evidence (`features`).

A list-wise model in the way of LambdaMART (Burges 2010): trees score each entry, and a softmax over
the list, stretched by two constants that were fitted on projects the trees had not seen (Platt
1999), makes of it the probability that the work is cited here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from .features import Features
from .trees import TreeModel

Floats = npt.NDArray[np.float64]

PACKAGED: Final = Path(__file__).with_name("learned.npz")
#: What the packaged model has of `Calibration`, in its `meta`.
_CALIBRATION: Final = "calibration"
_SMALLEST: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """From the scores of a list to probabilities: ``sigmoid(slope · logit(p) + shift)``.

    p is the softmax of the scores.
    """

    slope: float = 1.0
    shift: float = 0.0

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each entry of a list."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.slope * list_logits(scores) - self.shift)))


def list_logits(scores: Floats) -> Floats:
    """Return the log odds of a softmax over the scores of a list."""
    if not len(scores):
        return scores
    shares = np.exp(scores - scores.max())
    shares = np.clip(shares / shares.sum(), _SMALLEST, 1.0 - _SMALLEST)
    return np.asarray(np.log(shares) - np.log1p(-shares), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """Trees with what makes probabilities of their scores."""

    trees: TreeModel
    calibration: Calibration

    @classmethod
    def load(cls, path: Path = PACKAGED) -> LearnedModel:
        """Read a model made by ``pincite train ranker``; raises `InputError` as `TreeModel`."""
        trees = TreeModel.load(path)
        return cls(trees, Calibration(**trees.meta.get(_CALIBRATION, {})))

    def matrix(self, found: Features) -> npt.NDArray[np.float32]:
        """Return the features that the trees look at, in their order.

        Raises `InputError` for a model of other features.
        """
        at = {name: column for column, name in enumerate(found.names)}
        if unknown := [name for name in self.trees.features if name not in at]:
            reason = f"nothing is known of {unknown[0]}"
            raise InputError(f"the ranker's model was made for another version ({reason})")
        return found.values[:, [at[name] for name in self.trees.features]]

    def scores(self, found: Features) -> Floats:
        """Return the score of each entry that was looked at, higher is better."""
        return self.trees.predict(self.matrix(found))


@cache
def packaged() -> LearnedModel:
    """Return the packaged model, read once."""
    return LearnedModel.load()
