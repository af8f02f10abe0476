"""The model of `fused`: a weight for each feature, and calibrated probabilities.

A sentence's *relevance* is a sum of weighted features, a logit. It orders the sentences of a paper.
The probability that a reader would call a sentence support is a logistic function of it (Platt
1999), one for full texts and one for abstracts. `pincite train matcher` makes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from ..whole_files import write_model

Floats = npt.NDArray[np.float64]

FORMAT: Final = "pincite-sentences-1"
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
            read = json.loads(path.read_text("utf-8"))
            if read["format"] != FORMAT:
                raise ValueError(f"format is {read['format']!r}")
            names = tuple(str(name) for name in read["weights"])
            weights = np.array([float(weight) for weight in read["weights"].values()])
            bias = float(read["bias"])
            if not np.isfinite([*weights, bias]).all():
                raise ValueError("a weight is not a finite number")
            full_text, abstract = Calibration(**read["full_text"]), Calibration(**read["abstract"])
            return cls(names, weights, bias, full_text, abstract, dict(read.get("meta", {})))
        except OSError as error:
            raise InputError(f"cannot read sentence model {path}: {error.strerror}") from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not a sentence model, or is damaged: {error}") from error

    @staticmethod
    @cache
    def packaged(*, encoded: bool = False) -> SentenceModel:
        """Return the packaged model, cached; `encoded` selects the one with an encoder."""
        return SentenceModel.load(_DATA / (_PACKAGED_ENCODED if encoded else _PACKAGED))

    def save(self, path: Path) -> None:
        """Write the model and replace `path` atomically; raises `InputError` on failure."""
        written = {
            "format": FORMAT,
            "weights": _rounded(dict(zip(self.names, self.weights.tolist(), strict=True))),
            "bias": round(self.bias, 6),
            "full_text": _rounded(asdict(self.full_text)),
            "abstract": _rounded(asdict(self.abstract)),
            "meta": dict(self.meta),
        }
        with suppress(OSError):  # which writing reports
            path.parent.mkdir(parents=True, exist_ok=True)
        write_model(path, [json.dumps(written, indent=1).encode(), b"\n"])


def _rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: round(number, 6) for name, number in numbers.items()}
