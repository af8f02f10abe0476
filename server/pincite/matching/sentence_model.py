"""The model of `fused`: a weight for each feature, and calibrated probabilities.

A sentence's *relevance* is a sum of weighted features, a logit. It orders the sentences of a paper.
The probability that a reader would call a sentence support is a logistic function of it (Platt
1999), one for full texts and one for abstracts. `pincite train matcher` makes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from ..whole_files import write_model

Floats = npt.NDArray[np.float64]

_DATA: Final = Path(__file__).parent.parent / "data"
_PACKAGED: Final = "sentence-model.json"
_PACKAGED_ENCODED: Final = "sentence-model-encoder.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability of a relevance r: 1 / (1 + exp(-(slope · r + intercept)))."""

    slope: float = 1.0
    intercept: float = 0.0

    def probabilities(self, relevance: Floats) -> Floats:
        """Return the probabilities of n relevances."""
        logits = np.clip(self.slope * relevance + self.intercept, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-logits)), np.float64)


class _File(msgspec.Struct):
    format: Literal["pincite-sentences-1"]
    weights: dict[str, float]
    bias: float
    full_text: Calibration
    abstract: Calibration
    meta: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class SentenceModel:
    """Weights (F) of the features with these `names`, a bias, and a calibration for each basis."""

    names: tuple[str, ...]
    weights: Floats
    bias: float
    full_text: Calibration = Calibration()
    abstract: Calibration = Calibration()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def relevance(self, values: Floats) -> Floats:
        """Return the relevance of sentences, given their features (S×F)."""
        return values @ self.weights + self.bias

    def calibration(self, basis: str) -> Calibration:
        """Return the calibration for texts of this basis."""
        return self.abstract if basis == "abstract" else self.full_text

    @classmethod
    def load(cls, path: Path) -> SentenceModel:
        """Read a model; raises `InputError` for a file that is not a model."""
        try:
            read = msgspec.json.decode(path.read_bytes(), type=_File)
        except OSError as error:
            raise InputError(f"cannot read sentence model {path}: {error.strerror}") from error
        except ValueError as error:
            raise InputError(f"{path} is not a sentence model, or is damaged: {error}") from error
        weights = np.array(list(read.weights.values()))
        names = tuple(read.weights)
        return cls(names, weights, read.bias, read.full_text, read.abstract, read.meta)

    @staticmethod
    @cache
    def packaged(*, encoded: bool = False) -> SentenceModel:
        """Return the packaged model, cached; `encoded` selects the one with an encoder."""
        return SentenceModel.load(_DATA / (_PACKAGED_ENCODED if encoded else _PACKAGED))

    def save(self, path: Path) -> None:
        """Write the model and replace `path` atomically; raises `InputError` on failure."""
        weights = dict(zip(self.names, self.weights.round(6).tolist(), strict=True))
        bias = round(self.bias, 6)
        written = _File(
            "pincite-sentences-1", weights, bias, self.full_text, self.abstract, dict(self.meta)
        )
        with suppress(OSError):  # which writing reports
            path.parent.mkdir(parents=True, exist_ok=True)
        write_model(path, [msgspec.json.format(msgspec.json.encode(written), indent=1), b"\n"])
