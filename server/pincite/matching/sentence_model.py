"""The model of `fused`: relevance from features, by two experts, and calibrated probabilities.

People who mark what a citance reflects follow other conventions in computational linguistics than
in medicine, so one sum cannot serve both. There are two experts (Jacobs et al. 1991): *near* sums
weighted features; *far* does so with other weights and adds boosted trees. A gate, a logistic
function of how `familiar` the words of the paper are, sets how much each counts.

Relevance, a logit, orders the sentences of a paper. Whether the paper supports the citance at all
is another question: `claim`, a weighted sum of the mean features of its four best sentences, is the
logit of the probability that the citation is accurate. `support`, a third sum, is what readers call
support, whichever sentence they would mark. The probability that a reader would call a sentence
support is a logistic function (Platt 1999) of these two, its relevance and its rank, one for full
texts and one for abstracts. `pincite train matcher` makes the file.
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
#: The number of best sentences from which the accuracy of a citation is judged.
_BEST: Final = 4
#: Significant digits of the values in the file.
_DIGITS: Final = 7


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability of a value v, 1 / (1 + exp(-(slope · v + intercept))).

    That of a sentence depends as well on the logarithm of its rank, with the weight `rank`, on the
    logit `claim` that the citation is accurate, and on the logit `support` that a reader would call
    the sentence support; `usual_claim` and `usual_support` are the mean ones of cited works.
    """

    slope: float = 1.0
    intercept: float = 0.0
    rank: float = 0.0
    claim: float = 0.0
    usual_claim: float = 0.0
    support: float = 0.0
    usual_support: float = 0.0

    def probabilities(
        self,
        values: Floats,
        ranks: Floats | int = 1,
        claim: float = 0.0,
        support: Floats | float = 0.0,
    ) -> Floats:
        """Return the probabilities of n values; `ranks` (n) begin with 1."""
        logits = self.slope * values + self.rank * np.log(ranks) + self.claim * claim
        return np.asarray(logistic(logits + self.support * support + self.intercept), np.float64)


def logistic(logits: Floats) -> Floats:
    """Return the probabilities of logits."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """The judgement of the model on a paper, for a citance.

    `relevance` (S) orders its sentences, `probabilities` (S) are those to be support; `accurate` is
    the probability that the citation is accurate, None if the model does not know.
    """

    relevance: Floats
    probabilities: Floats
    accurate: float | None = None


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
    format: Literal["pincite-sentences-3"]
    near: _ExpertInFile
    full_text: Calibration
    abstract: Calibration
    claim: _ExpertInFile | None = None
    support: _ExpertInFile | None = None
    far: _ExpertInFile | None = None
    gate: Calibration | None = None
    meta: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class SentenceModel:
    """Experts on the features with these `names`, a gate, and a calibration for each basis.

    The gate is the share of the expert `near`, by the paper's familiarity; without `far`, it is 1.
    `claim` gives the logit that a citation is accurate, from the mean features of the best
    sentences, `support` that of a reader calling a sentence support, from its features.
    """

    names: tuple[str, ...]
    near: Expert
    far: Expert | None = None
    gate: Calibration = Calibration()
    full_text: Calibration = Calibration()
    abstract: Calibration = Calibration()
    claim: Expert | None = None
    support: Expert | None = None
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

    def assess(
        self,
        values: Floats,
        eligible: npt.NDArray[np.bool_],
        basis: str,
        *,
        judges_claim: bool = True,
    ) -> Assessment:
        """Assess a paper by its features (S×F); sentences `eligible` (S) may be shown.

        Without `judges_claim`, the paper counts as one that is usually cited.
        """
        relevance = self.relevance(values)
        order = ranked(relevance, eligible)
        ranks = np.empty(len(order))
        ranks[order] = np.arange(1, len(order) + 1)
        calibration = self.calibration(basis)
        claim, support = calibration.usual_claim, calibration.usual_support
        accurate = None
        if judges_claim and self.claim is not None:
            claim = float(self.claim.relevance(summary(values, order)[None])[0])
            accurate = float(logistic(np.array(claim)))
        called = (
            support if self.support is None or not judges_claim else self.support.relevance(values)
        )
        found = calibration.probabilities(relevance, ranks, claim, called)
        return Assessment(relevance, found, accurate)

    @classmethod
    def load(cls, path: Path) -> SentenceModel:
        """Read a model; raises `InputError` for a file that is not a model."""
        try:
            read = msgspec.json.decode(path.read_bytes(), type=_File)
            names = tuple(read.near.weights)
            others = [one for one in (read.far, read.claim, read.support) if one is not None]
            if any(tuple(one.weights) != names for one in others):
                raise ValueError("the experts know different features")
            if read.far is not None and GATED_BY not in names:
                raise ValueError(f"{GATED_BY!r} is not among the features")
            far = None if read.far is None else _expert(read.far)
            claim = None if read.claim is None else _expert(read.claim)
            support = None if read.support is None else _expert(read.support)
            near, gate = _expert(read.near), read.gate or Calibration()
        except OSError as error:
            raise InputError(f"cannot read sentence model {path}: {error.strerror}") from error
        except (ValueError, LookupError, OverflowError) as error:
            raise InputError(f"{path} is not a sentence model, or is damaged: {error}") from error
        calibrations = read.full_text, read.abstract
        return cls(names, near, far, gate, *calibrations, claim, support, read.meta)

    @staticmethod
    @cache
    def packaged(*, encoded: bool = False) -> SentenceModel:
        """Return the packaged model, cached; `encoded` selects the one with an encoder."""
        return SentenceModel.load(_DATA / (_PACKAGED_ENCODED if encoded else _PACKAGED))

    def save(self, path: Path) -> None:
        """Write the model and replace `path` atomically; raises `InputError` on failure."""
        far = None if self.far is None else _in_file(self.far, self.names)
        written = _File(
            "pincite-sentences-3",
            _in_file(self.near, self.names),
            self.full_text,
            self.abstract,
            None if self.claim is None else _in_file(self.claim, self.names),
            None if self.support is None else _in_file(self.support, self.names),
            far,
            None if far is None else self.gate,
            dict(self.meta),
        )
        with suppress(OSError):  # which writing reports
            path.parent.mkdir(parents=True, exist_ok=True)
        write_model(path, [msgspec.json.encode(written), b"\n"])


def ranked(relevance: Floats, eligible: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the sentences by relevance, those that are not eligible last."""
    return np.argsort(np.where(eligible, -relevance, np.inf), kind="stable")


def summary(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    """Return the mean features (F) of the best sentences."""
    return np.asarray(values[order[:_BEST]].mean(axis=0), np.float64)


def _expert(read: _ExpertInFile) -> Expert:
    names = tuple(read.weights)
    trees = None if read.trees is None else TreeModel.of_arrays(names, read.trees, {})
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
