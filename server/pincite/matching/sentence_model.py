"""The model of `fused`: relevance from features, by two experts, and calibrated probabilities.

People who mark what a citance reflects follow other conventions in computational linguistics than
in medicine, so one sum cannot serve both. There are two experts (Jacobs et al. 1991): *near* sums
weighted features; *far* does so with other weights and adds boosted trees. A gate, a logistic
function of how `familiar` the words of the paper are, says how much each counts.

Relevance, a logit, orders the sentences of a paper. The probability that a reader would call a
sentence support is a logistic function of it (Platt 1999), one for full texts and one for
abstracts. `pincite train matcher` makes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from ..trees import TreeModel
from ..whole_files import write_model

Floats = npt.NDArray[np.float64]

#: The feature by which the gate decides.
GATED_BY: Final = "familiar"
_DATA: Final = Path(__file__).parent.parent / "data"
_PACKAGED: Final = "sentence-model.json"
_PACKAGED_ENCODED: Final = "sentence-model-encoder.json"
#: Significant digits of the values in the file.
_DIGITS: Final = 7


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability of a relevance r: 1 / (1 + exp(-(slope · r + intercept)))."""

    slope: float = 1.0
    intercept: float = 0.0

    def probabilities(self, relevance: Floats) -> Floats:
        """Return the probabilities of n relevances."""
        logits = np.clip(self.slope * relevance + self.intercept, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-logits)), np.float64)


@dataclass(frozen=True, eq=False)
class Expert:
    """Weights (F) of features, a bias, and perhaps trees over the same features."""

    weights: Floats
    bias: float = 0.0
    trees: TreeModel | None = None

    def relevance(self, values: Floats) -> Floats:
        """Return the relevance of sentences, given their features (S×F)."""
        found = values @ self.weights + self.bias
        return (
            found if self.trees is None else found + self.trees.predict(values.astype(np.float32))
        )


class _ExpertInFile(msgspec.Struct):
    weights: dict[str, float]
    bias: float
    trees: dict[str, list[float]] | None = None


class _File(msgspec.Struct):
    format: Literal["pincite-sentences-2"]
    near: _ExpertInFile
    full_text: Calibration
    abstract: Calibration
    far: _ExpertInFile | None = None
    gate: Calibration | None = None
    meta: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class SentenceModel:
    """Experts on the features with these `names`, a gate, and a calibration for each basis.

    The gate is the share of the expert `near`, by the paper's familiarity; without `far`, it is 1.
    """

    names: tuple[str, ...]
    near: Expert
    far: Expert | None = None
    gate: Calibration = Calibration()
    full_text: Calibration = Calibration()
    abstract: Calibration = Calibration()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def relevance(self, values: Floats) -> Floats:
        """Return the relevance of sentences, given their features (S×F)."""
        found = self.near.relevance(values)
        if self.far is None:
            return found
        share = self.gate.probabilities(values[:, self.names.index(GATED_BY)])
        return np.asarray(share * found + (1.0 - share) * self.far.relevance(values))

    def calibration(self, basis: str) -> Calibration:
        """Return the calibration for texts of this basis."""
        return self.abstract if basis == "abstract" else self.full_text

    @classmethod
    def load(cls, path: Path) -> SentenceModel:
        """Read a model; raises `InputError` for a file that is not a model."""
        try:
            read = msgspec.json.decode(path.read_bytes(), type=_File)
            names = tuple(read.near.weights)
            if read.far is not None and tuple(read.far.weights) != names:
                raise ValueError("the experts know different features")
            if read.far is not None and GATED_BY not in names:
                raise ValueError(f"{GATED_BY!r} is not among the features")
            far = None if read.far is None else _expert(read.far)
            near, gate = _expert(read.near), read.gate or Calibration()
        except OSError as error:
            raise InputError(f"cannot read sentence model {path}: {error.strerror}") from error
        except (ValueError, LookupError, OverflowError) as error:
            raise InputError(f"{path} is not a sentence model, or is damaged: {error}") from error
        return cls(names, near, far, gate, read.full_text, read.abstract, read.meta)

    @staticmethod
    @cache
    def packaged(*, encoded: bool = False) -> SentenceModel:
        """Return the packaged model, cached; `encoded` selects the one with an encoder."""
        return SentenceModel.load(_DATA / (_PACKAGED_ENCODED if encoded else _PACKAGED))

    def save(self, path: Path) -> None:
        """Write the model and replace `path` atomically; raises `InputError` on failure."""
        far = None if self.far is None else _in_file(self.far, self.names)
        written = _File(
            "pincite-sentences-2",
            _in_file(self.near, self.names),
            self.full_text,
            self.abstract,
            far,
            None if far is None else self.gate,
            dict(self.meta),
        )
        with suppress(OSError):  # which writing reports
            path.parent.mkdir(parents=True, exist_ok=True)
        write_model(path, [msgspec.json.encode(written), b"\n"])


def _expert(read: _ExpertInFile) -> Expert:
    names = tuple(read.weights)
    trees = None if read.trees is None else TreeModel.of_lists(names, read.trees)
    return Expert(np.array(list(read.weights.values())), read.bias, trees)


def _in_file(expert: Expert, names: Sequence[str]) -> _ExpertInFile:
    weights = dict(zip(names, expert.weights.round(6).tolist(), strict=True))
    trees = expert.trees
    lists = None if trees is None else {n: _listed(a) for n, a in trees.arrays.items()}
    return _ExpertInFile(weights, round(expert.bias, 6), lists)


def _listed(array: npt.NDArray[Any]) -> list[float]:
    """Return values as JSON has them: thresholds exactly, sums of leaves to some digits."""
    if array.dtype == np.float64:
        return [float(f"{value:.{_DIGITS}g}") for value in array.tolist()]
    return [int(value) if array.dtype != np.float32 else float(value) for value in array.tolist()]
