"""Train the model of `fused` on all sentences that people chose, marked or judged.

Three kinds of labels: annotated papers (CL-SciSumm) and sources of marked sentences say which
sentences of the whole paper a citance reflects, judged pairs whether a reader would call a sentence
support, a half for "partly". Base rates differ, so the logit of an item's share of marked sentences
is given in training, as the initial score of the trees and as one more feature, which is dropped
afterwards, of the regressions.

The expert *near* learns from annotated papers, which are of computational linguistics, and *far*
from marked sentences of other fields; both from judged pairs, and a little from what the other
learns from. The gate learns to tell the two kinds apart by how familiar a paper's words are.
Probabilities are fitted on judged pairs of held-out works.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.matching.sentence_model import GATED_BY, Calibration, Expert, SentenceModel
from pincite.model.problems import InputError
from pincite.trees import TreeModel

from .processes import imported
from .training import FOLDS

#: The weight of a sentence: of an annotated paper, which occurs alone and with citances of others;
#: of a marked full text; of a marked abstract, which has a tenth of the sentences; of a judged
#: pair; of a work that is not cited.
_ANNOTATED, _FULL_TEXT, _ABSTRACT, _JUDGED, _NOT_CITED = 0.5, 1.0, 3.0, 5.0, 5.0
#: What of the weights is left of the kind of labels that is the other expert's.
_OF_OTHER_EXPERT: Final = 0.03
#: The inverse strength of the ℓ2 penalty on standardised features, and on the gate's slope.
_PENALTY, _PENALTY_OF_GATE = 0.01, 0.6
#: The sentences of an item that are not marked: as many of those that cover the citance best as of
#: all others, which then count for more.
_HARD = _RANDOM = 30
#: The base rate of items of which nearly all sentences are marked.
_MAX_RATE: Final = 0.9
ROUNDS: Final = 150
PARAMETERS: Final[dict[str, Any]] = {
    "objective": "cross_entropy",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 80,
    "feature_fraction": 0.3,
    "lambda_l2": 20.0,
    "max_bin": 63,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
#: The number of folds of judged works, for calibrating on held-out ones.
_CALIBRATION_FOLDS: Final = 2
#: Of the regression and of the trees, both logits, their mean.
_HALF: Final = 0.5

Floats = npt.NDArray[np.float64]
#: What people did: chose sentences of a paper for a task, marked what is cited, or graded pairs.
Kind = Literal["annotated", "marked", "judged"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Training sentences (n): features (n×F), targets (n), and their origin."""

    work: str
    values: Floats
    right: Floats
    kind: Kind
    full_text: bool
    cited: bool = True


class _Rows(NamedTuple):
    """Sentences of samples (n): features (n×F), targets, weights and base rates, as logits."""

    values: Floats
    right: Floats
    counts: Floats
    bases: Floats


def train(
    samples: Sequence[Sample],
    names: tuple[str, ...],
    *,
    seed: int = 0,
    held_out: Collection[str] = (),
) -> SentenceModel:
    """Train a model on the samples except those of works `held_out`; features have `names` (F).

    Raises `InputError` if there is nothing to train on, or scikit-learn, or LightGBM for marked
    sentences, is missing.
    """
    own = [sample for sample in samples if sample.work not in held_out]
    model = _experts(own, names, seed)
    judged = [sample for sample in own if sample.kind == "judged" and sample.cited]
    works = {kind: {one.work for one in own if one.kind == kind} for kind in _KINDS}
    model = replace(
        model,
        meta={
            "annotated": len(works["annotated"]),
            "marked": len(works["marked"]),
            "judged": sum(len(sample.right) for sample in judged),
        },
    )
    if not judged:
        return model
    unseen = []
    for fold in dealt((sample.work for sample in judged), seed, _CALIBRATION_FOLDS):
        # A single work cannot be held out.
        of_fold = [sample for sample in own if sample.work not in fold] or own
        trained = _experts(of_fold, names, seed)
        of_works = [sample for sample in judged if sample.work in fold]
        unseen += [(sample, trained.relevance(sample.values)) for sample in of_works]
    return replace(
        model,
        full_text=_calibrated([each for each in unseen if each[0].full_text]),
        abstract=_calibrated([each for each in unseen if not each[0].full_text]),
    )


_KINDS: Final[tuple[Kind, ...]] = ("annotated", "marked", "judged")


def dealt(works: Iterable[str], seed: int = 0, number: int = FOLDS) -> list[frozenset[str]]:
    """Distribute works at random over sets of about equal size, none of them empty."""
    names = sorted(set(works))
    order = np.random.default_rng(seed).permutation(len(names))
    parts = np.array_split(order, min(number, len(names)))
    return [frozenset(names[number] for number in part) for part in parts if len(part)]


def _experts(samples: Sequence[Sample], names: tuple[str, ...], seed: int) -> SentenceModel:
    if not any(sample.right.any() for sample in samples):
        raise InputError("nothing to train on: neither chosen sentences nor judged pairs")
    kinds = {sample.kind for sample in samples}
    if "marked" not in kinds:
        return SentenceModel(names, _regression(_rows(samples, seed)))
    far = _rows(samples, seed, less="annotated")
    summed, trees = _regression(far), _trees(far, names, seed)
    halved = replace(trees, leaf=trees.leaf * _HALF, expected=trees.expected * _HALF)
    of_far = Expert(summed.weights * _HALF, summed.bias * _HALF, halved)
    if "annotated" not in kinds:
        return SentenceModel(names, of_far)
    near = _regression(_rows(samples, seed, less="marked"))
    return SentenceModel(names, near, of_far, _gate(samples, names.index(GATED_BY)))


def _rows(samples: Sequence[Sample], seed: int, less: Kind | None = None) -> _Rows:
    """Return the rows of samples; those of the kind `less` count little."""
    rows: list[_Rows] = []
    for number, sample in enumerate(samples):
        values, right = sample.values, sample.right
        counts = np.full(
            len(right), _weight(sample) * (_OF_OTHER_EXPERT if sample.kind == less else 1)
        )
        base = 0.0
        if sample.kind != "judged":
            rate = min(_MAX_RATE, float(right.mean()))
            base = float(np.log(rate / (1 - rate))) if rate else 0.0
            kept, factors = _thinned(values[:, 0], right, np.random.default_rng([seed, number]))
            values, right, counts = values[kept], right[kept], counts[kept] * factors
        rows.append(_Rows(values, right, counts, np.full(len(right), base)))
    return _Rows(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))


def _weight(sample: Sample) -> float:
    if sample.kind == "judged":
        return _JUDGED if sample.cited else _NOT_CITED
    if sample.kind == "annotated":
        return _ANNOTATED
    return _FULL_TEXT if sample.full_text else _ABSTRACT


def _thinned(
    scores: Floats, right: Floats, random: np.random.Generator
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return which sentences of an item are trained on, and how many each of them stands for."""
    others = np.flatnonzero(right == 0)
    if len(others) <= _HARD + _RANDOM:
        return np.arange(len(right)), np.ones(len(right))
    others = others[np.argsort(-scores[others], kind="stable")]
    hard, rest = others[:_HARD], others[_HARD:]
    drawn = random.choice(rest, _RANDOM, replace=False)
    kept = np.concatenate([np.flatnonzero(right > 0), hard, drawn])
    factors = np.ones(len(kept))
    factors[-_RANDOM:] = len(rest) / _RANDOM
    return kept, factors


def _regression(rows: _Rows) -> Expert:
    """Fit a logistic regression of the standardised features and of the base rate."""
    values, right, counts, bases = rows
    mean = np.average(values, axis=0, weights=counts)
    scale = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=counts))
    # Constant features are not scaled.
    mean, scale = np.where(scale > 1e-12, mean, 0.0), np.where(scale > 1e-12, scale, 1.0)
    # Ten times, so that the penalty hardly holds its weight.
    given = np.column_stack([(values - mean) / scale, 10.0 * bases])
    # With far more sentences than features, Newton's method needs few passes.
    fitted = regression()(C=_PENALTY, solver="newton-cholesky")
    # A half-right sentence is a right one and a wrong one, each of half the weight.
    chosen, others = right > 0, right < 1
    fitted.fit(
        np.concatenate([given[chosen], given[others]]),
        np.repeat([1, 0], [chosen.sum(), others.sum()]),
        sample_weight=np.concatenate([(counts * right)[chosen], (counts * (1 - right))[others]]),
    )
    weights = fitted.coef_[0][:-1] / scale
    return Expert(weights, float(fitted.intercept_[0]) - float(weights @ mean))


def _trees(rows: _Rows, names: tuple[str, ...], seed: int) -> TreeModel:
    lightgbm = require_trainer()
    data = lightgbm.Dataset(
        rows.values.astype(np.float32),
        rows.right,
        weight=rows.counts,
        init_score=rows.bases,
        feature_name=[f"f{number}" for number in range(len(names))],
        params={"max_bin": PARAMETERS["max_bin"], "verbose": -1},
    )
    booster = lightgbm.train({**PARAMETERS, "seed": seed}, data, ROUNDS)
    return TreeModel.of_lightgbm(booster, names)


def _gate(samples: Sequence[Sample], column: int) -> Calibration:
    """Fit the probability that a paper is like the annotated ones; both kinds count the same."""
    works = {(one.work, one.kind): one.values[0, column] for one in samples if one.kind != "judged"}
    near = np.array([kind == "annotated" for _, kind in works])
    fitted = regression()(C=_PENALTY_OF_GATE, class_weight="balanced")
    fitted.fit(np.array(list(works.values()))[:, None], near)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def _calibrated(unseen: Sequence[tuple[Sample, Floats]]) -> Calibration:
    """Fit the probability that a reader sees support; "partly" counts as support."""
    if not unseen:
        return Calibration()
    relevance = np.concatenate([found for _, found in unseen])
    supports = (np.concatenate([sample.right for sample, _ in unseen]) >= 0.5).astype(int)
    if supports.min() == supports.max():
        return Calibration(0.0, 3.0 if supports.all() else -3.0)
    fitted = regression()(C=1e3).fit(relevance[:, None], supports)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def regression() -> Any:  # noqa: ANN401
    """Return its class of models; raises `InputError` without scikit-learn."""
    needs = 'scikit-learn is not installed: pip install "pincite[matcher]"'
    return imported(needs, "sklearn.linear_model")[0].LogisticRegression


def require_trainer() -> Any:  # noqa: ANN401
    """Return LightGBM; raises `InputError` where it is missing."""
    needs = (
        "training on marked sentences needs LightGBM: install it with pip install "
        "'pincite[matcher]' (and the system library libgomp1, if it is missing): {}"
    )
    return imported(needs, "lightgbm")[0]
