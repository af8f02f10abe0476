"""Training the model of `fused`: annotated papers and judged pairs → `SentenceModel`.

A logistic regression over the features of each sentence. It is trained on two kinds of labels: the
sentences that annotators of CL-SciSumm chose for a citance, among all sentences of the paper; and
the grades of judged pairs, a half for "partly". The base rates of the two differ, so an additional
feature, dropped after training, says which kind it is. Probabilities are fitted on judged pairs of
held-out works.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pincite.matching.sentence_model import Calibration, SentenceModel
from pincite.model.problems import InputError

from .processes import imported

FOLDS: Final = 5
#: The weight of a sentence of an annotated paper, which occurs alone and with citances of others.
_ANNOTATED_COUNTS: Final = 0.5
#: The weight of a judged pair, relative to both samples of a sentence together: with 1, 5 and 20,
#: F1 on annotated papers fell from 19.4 to 19.3 and 18.2, and judged pairs were separated better.
_JUDGED_COUNTS: Final = 5.0
#: The weight of a sentence of a work that is not cited.
_OTHERS_COUNT: Final = 5.0
#: The inverse strength of the ℓ2 penalty on standardised features.
_PENALTY: Final = 0.01

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Training sentences (n): features (n×F), targets (n), and their origin."""

    work: str
    values: Floats
    right: Floats
    judged: bool
    full_text: bool
    cited: bool = True


def train(
    samples: Sequence[Sample],
    names: tuple[str, ...],
    *,
    seed: int = 0,
    held_out: Collection[str] = (),
) -> SentenceModel:
    """Train a model on the samples except those of works `held_out`; features have `names` (F)."""
    own = [sample for sample in samples if sample.work not in held_out]
    model = _weighted(own, names)
    judged = [sample for sample in own if sample.judged and sample.cited]
    if not judged:
        return model
    unseen = []
    for fold in dealt((sample.work for sample in judged), seed):
        # A single work cannot be held out.
        of_fold = _weighted([sample for sample in own if sample.work not in fold] or own, names)
        of_works = [sample for sample in judged if sample.work in fold]
        unseen += [(sample, of_fold.relevance(sample.values)) for sample in of_works]
    return replace(
        model,
        full_text=_calibrated([each for each in unseen if each[0].full_text]),
        abstract=_calibrated([each for each in unseen if not each[0].full_text]),
        meta={
            "annotated": len({sample.work for sample in own if not sample.judged}),
            "judged": sum(len(sample.right) for sample in judged),
        },
    )


def dealt(works: Iterable[str], seed: int = 0) -> list[frozenset[str]]:
    """Assign each work to a fold at random."""
    names = sorted(set(works))
    order = np.random.default_rng(seed).permutation(len(names))
    parts = np.array_split(order, min(FOLDS, len(names)))
    return [frozenset(names[number] for number in part) for part in parts if len(part)]


def _weighted(samples: Sequence[Sample], names: tuple[str, ...]) -> SentenceModel:
    if not any(sample.right.any() for sample in samples):
        raise InputError("nothing to train on: neither annotated papers nor judged pairs")
    values = np.concatenate([sample.values for sample in samples])
    right = np.concatenate([sample.right for sample in samples])
    sizes = [len(sample.right) for sample in samples]
    judged = np.repeat([sample.judged for sample in samples], sizes)
    cited = np.repeat([sample.cited for sample in samples], sizes)
    reference = values[~judged] if not judged.all() else values
    mean, scale = reference.mean(axis=0), reference.std(axis=0)
    # Constant features, such as being an abstract, are not scaled.
    mean, scale = np.where(scale > 0, mean, 0.0), np.where(scale > 0, scale, 1.0)
    rows = np.column_stack([(values - mean) / scale, judged])
    counts = np.where(judged, np.where(cited, _JUDGED_COUNTS, _OTHERS_COUNT), _ANNOTATED_COUNTS)
    # With far more sentences than features, Newton's method needs few passes.
    regression = _regression()(C=_PENALTY, solver="newton-cholesky")
    regression.fit(
        np.concatenate([rows, rows]),
        np.concatenate([np.ones(len(rows)), np.zeros(len(rows))]),
        sample_weight=np.concatenate([counts * right, counts * (1 - right)]),
    )
    weights, of_judged = regression.coef_[0][:-1] / scale, float(regression.coef_[0][-1])
    bias = float(regression.intercept_[0]) - float(weights @ mean) + of_judged
    return SentenceModel(names, weights, bias)


def _calibrated(unseen: Sequence[tuple[Sample, Floats]]) -> Calibration:
    """Fit the probability that a reader sees support; "partly" counts as support."""
    if not unseen:
        return Calibration()
    relevance = np.concatenate([found for _, found in unseen])
    supports = (np.concatenate([sample.right for sample, _ in unseen]) >= 0.5).astype(int)
    if supports.min() == supports.max():
        return Calibration(0.0, 3.0 if supports.all() else -3.0)
    regression = _regression()(C=1e3).fit(relevance[:, None], supports)
    return Calibration(float(regression.coef_[0, 0]), float(regression.intercept_[0]))


def require_trainer() -> None:
    _regression()


def _regression() -> Any:  # noqa: ANN401 - scikit-learn has no types
    needs = 'scikit-learn is not installed: pip install "pincite[matcher]"'
    return imported(needs, "sklearn.linear_model")[0].LogisticRegression
