"""Train the model of `fused` on all sentences that people chose, marked or judged.

Three kinds of labels: annotated papers (CL-SciSumm) and sources of marked sentences label which
sentences of the whole paper a citance reflects, judged pairs whether a reader would call a sentence
support, a half for "partly". Base rates differ, so the logit of an item's share of marked sentences
is given in training, as the initial score of the trees and as one more feature, which is dropped
afterwards, of the regressions.

The expert *near* learns from annotated papers, which are of computational linguistics, and *far*
from marked sentences of other fields; both from judged pairs, and a little from what the other
learns from. The gate learns to distinguish the two kinds by how familiar a paper's words are.

Support is a regression of judged pairs alone. Then, on works held out from these: the claim learns
from citations that people found accurate or not, and from works that are not cited; and the
probabilities of sentences from judged pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.matching.sentence_model import (
    GATED_BY,
    Calibration,
    Expert,
    SentenceModel,
    ranked,
    summary,
)
from pincite.model.problems import InputError
from pincite.trees import TreeModel

from .processes import imported
from .ranker_training import boosted, require_trainer
from .training import FOLDS

#: The weight of a sentence: of an annotated paper, which occurs alone and with citances of others;
#: of a marked full text; of a marked abstract, which has a tenth of the sentences; of a judged
#: pair; of a work that is not cited.
_ANNOTATED, _FULL_TEXT, _ABSTRACT, _JUDGED, _NOT_CITED = 0.5, 1.0, 3.0, 1.0, 1.0
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
#: The number of folds of works, for fitting probabilities on held-out ones.
_CALIBRATION_FOLDS: Final = 2
#: The inverse strength of the ℓ2 penalty on the mean loss of claims, whose features are many, and
#: the weight of a work that is not cited beside a claim.
_PENALTY_OF_CLAIMS, _CLAIM_ON_OTHER = 1.5, 0.3
#: Of the abstract of a work that is not cited, so many first sentences count so much for the
#: probabilities: an abstract often lacks what is cited. A full text has it nearly always.
_SHOWN_OF_OTHERS: Final = 3
_IN_OTHER_ABSTRACT: Final = 0.2
#: Of the regression and of the trees, both logits, their mean.
_HALF: Final = 0.5

Floats = npt.NDArray[np.float64]
#: What people did: chose sentences of a paper for a task, marked what is cited, or graded pairs.
Kind = Literal["annotated", "marked", "judged"]


@dataclass(frozen=True, eq=False)
class Sample:
    """The sentences (n) of a paper for a citance: features (n×F), targets (n), and their origin.

    A target is NaN where nobody answered. `eligible` (n) are the sentences that may be shown.
    `accurate` is whether the citation is, None if nobody was asked.
    """

    work: str
    values: Floats
    right: Floats
    kind: Kind
    full_text: bool
    eligible: npt.NDArray[np.bool_]
    cited: bool = True
    accurate: bool | None = None


class _Unseen(NamedTuple):
    """A sample whose work was held out: relevance (n), the sentences (n) by it, support (n)."""

    sample: Sample
    relevance: Floats
    order: npt.NDArray[np.intp]
    support: Floats

    @property
    def summary(self) -> Floats:
        return summary(self.sample.values, self.order)


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
    meta = {
        "annotated": len({one.work for one in own if one.kind == "annotated"}),
        "marked": len({one.work for one in own if one.kind == "marked"}),
        "judged": sum(int(np.isfinite(sample.right).sum()) for sample in judged),
        "claims": sum(sample.accurate is not None for sample in own),
    }
    model = replace(model, meta=meta)
    asked = [
        one for one in own if one.kind == "judged" or one.accurate is not None or not one.cited
    ]
    if not asked:
        return model
    parts = []
    for fold in dealt((sample.work for sample in asked), seed, _CALIBRATION_FOLDS):
        # A single work cannot be held out.
        of_fold = [sample for sample in own if sample.work not in fold] or own
        trained = replace(_experts(of_fold, names, seed), support=_support(of_fold, seed))
        parts.append([_unseen(sample, trained) for sample in asked if sample.work in fold])
    claim = _claim([[one for one in part if one.sample.kind == "marked"] for part in parts])
    of_judged = [one for part in parts for one in part if one.sample.kind == "judged"]
    return replace(
        model,
        claim=claim,
        support=_support(own, seed),
        full_text=_calibrated([one for one in of_judged if one.sample.full_text], claim),
        abstract=_calibrated([one for one in of_judged if not one.sample.full_text], claim),
    )


def dealt(works: Iterable[str], seed: int = 0, number: int = FOLDS) -> list[frozenset[str]]:
    """Distribute works at random over sets of about equal size, none of them empty."""
    names = sorted(set(works))
    order = np.random.default_rng(seed).permutation(len(names))
    parts = np.array_split(order, min(number, len(names)))
    return [frozenset(names[number] for number in part) for part in parts]


def _experts(samples: Sequence[Sample], names: tuple[str, ...], seed: int) -> SentenceModel:
    if not any((sample.right > 0).any() for sample in samples):
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


def _support(samples: Sequence[Sample], seed: int) -> Expert | None:
    judged = [sample for sample in samples if sample.kind == "judged" and sample.cited]
    return _regression(_rows(judged, seed)) if judged else None


def _rows(samples: Sequence[Sample], seed: int, less: Kind | None = None) -> _Rows:
    """Return the rows of samples; those of the kind `less` count little."""
    rows: list[_Rows] = []
    for number, sample in enumerate(samples):
        known = np.isfinite(sample.right)
        if not known.any():
            continue
        values, right = sample.values[known], sample.right[known]
        share = _OF_OTHER_EXPERT if sample.kind == less else 1
        counts = np.full(len(right), _weight(sample) * share)
        base = 0.0
        if sample.kind != "judged":
            rate = min(_MAX_RATE, float(right.mean()))
            base = float(np.log(rate / (1 - rate))) if rate else 0.0
            used, factors = _thinned(values[:, 0], right, np.random.default_rng([seed, number]))
            values, right, counts = values[used], right[used], counts[used] * factors
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
    used = np.concatenate([np.flatnonzero(right > 0), hard, drawn])
    factors = np.ones(len(used))
    factors[-_RANDOM:] = len(rest) / _RANDOM
    return used, factors


def _regression(rows: _Rows) -> Expert:
    """Fit a logistic regression of the standardised features and of the base rate."""
    values, right, counts, bases = rows
    mean, scale = _standards(values, counts)
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
    return _expert(fitted.coef_[0][:-1], fitted, mean, scale)


def _expert(weights: Floats, fitted: Any, mean: Floats, scale: Floats) -> Expert:  # noqa: ANN401
    """Return a regression of standardised features as one of the features themselves."""
    own = weights / scale
    return Expert(own, float(fitted.intercept_[0]) - float(own @ mean))


def _standards(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the mean and scale of features; those of constant ones are 0 and 1."""
    mean = np.average(values, axis=0, weights=counts)
    scale = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=counts))
    return np.where(scale > 1e-12, mean, 0.0), np.where(scale > 1e-12, scale, 1.0)


def _trees(rows: _Rows, names: tuple[str, ...], seed: int) -> TreeModel:
    require_trainer("matcher")
    values, parameters = rows.values.astype(np.float32), {**PARAMETERS, "seed": seed}
    weights, bases = rows.counts, rows.bases
    booster = boosted(parameters, values, rows.right, ROUNDS, weight=weights, init_score=bases)
    return TreeModel.of_lightgbm(booster, names)


def _gate(samples: Sequence[Sample], column: int) -> Calibration:
    """Fit the probability that a paper is like the annotated ones; both kinds count the same."""
    of_papers = [one for one in samples if one.kind != "judged" and one.cited]
    works = {(one.work, one.kind): one.values[0, column] for one in of_papers}
    near = np.array([kind == "annotated" for _, kind in works])
    fitted = regression()(C=_PENALTY_OF_GATE, class_weight="balanced")
    fitted.fit(np.array(list(works.values()))[:, None], near)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def _unseen(sample: Sample, model: SentenceModel) -> _Unseen:
    relevance = model.relevance(sample.values)
    order = ranked(relevance, sample.eligible)
    support = relevance if model.support is None else model.support.relevance(sample.values)
    return _Unseen(sample, relevance, order, support)


def _claim(parts: Sequence[Sequence[_Unseen]]) -> Expert | None:
    """Fit the logit that a citation is accurate, calibrated on parts that it has not seen."""
    every = [one for part in parts for one in part]
    if len({one.sample.accurate for one in every if one.sample.accurate is not None}) < 2:
        return None
    logits, accurate = [], []
    for part in parts:
        asked = [one for one in part if one.sample.accurate is not None]
        trained = _claim_regression([one for other in parts if other is not part for one in other])
        if asked and trained is not None:
            logits.append(trained.relevance(np.array([one.summary for one in asked])))
            accurate += [one.sample.accurate for one in asked]
    whole = _claim_regression(every)
    if whole is None or len(set(accurate)) < 2:
        return whole
    scale = regression()(C=1e3).fit(np.concatenate(logits)[:, None], accurate)
    slope, intercept = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    return Expert(whole.weights * slope, whole.bias * slope + intercept)


def _claim_regression(unseen: Sequence[_Unseen]) -> Expert | None:
    """Fit a regression of mean features; a work that is not cited makes no claim accurate."""
    accurate = np.array([bool(one.sample.accurate) for one in unseen])
    if len(set(accurate.tolist())) < 2:
        return None
    counts = np.array([1.0 if one.sample.cited else _CLAIM_ON_OTHER for one in unseen])
    values = np.array([one.summary for one in unseen])
    mean, scale = _standards(values, counts)
    fitted = regression()(C=_PENALTY_OF_CLAIMS / counts.sum(), max_iter=1000)
    fitted.fit((values - mean) / scale, accurate, sample_weight=counts)
    return _expert(fitted.coef_[0], fitted, mean, scale)


def _calibrated(unseen: Sequence[_Unseen], claim: Expert | None) -> Calibration:
    """Fit the probability that a reader sees support; "partly" counts as support."""
    rows: list[tuple[Floats, npt.NDArray[np.bool_], Floats]] = []
    # The logit of each citation to be accurate.
    claims = [float(claim.relevance(one.summary[None])[0]) if claim else 0.0 for one in unseen]
    for (sample, relevance, order, support), claimed in zip(unseen, claims, strict=True):
        if sample.full_text and not sample.cited:
            continue
        ranks = np.empty(len(order))
        ranks[order] = np.arange(1, len(order) + 1)
        claimed_each = np.repeat(claimed, len(order))
        given = np.column_stack([relevance, np.log(ranks), claimed_each, support])
        used = np.isfinite(sample.right) if sample.cited else ranks <= _SHOWN_OF_OTHERS
        supports = sample.right[used] >= 0.5  # in a work that is not cited, nothing does
        count = 1.0 if sample.cited else _IN_OTHER_ABSTRACT
        rows.append((given[used], supports, np.full(len(supports), count)))
    if not rows:
        return Calibration()
    given, supports, counts = map(np.concatenate, zip(*rows, strict=True))
    if supports.min() == supports.max():
        return Calibration(0.0, 3.0 if supports.all() else -3.0)
    fitted = regression()(C=1e3).fit(given, supports, sample_weight=counts)
    if fitted.coef_[0, 1] > 0:  # later sentences would come first
        given[:, 1] = 0.0
        fitted.fit(given, supports, sample_weight=counts)
    slope, rank, of_claim, of_support = fitted.coef_[0].tolist()
    cited = [
        (claimed, one) for claimed, one in zip(claims, unseen, strict=True) if one.sample.cited
    ]
    usual_claim = float(np.mean([claimed for claimed, _ in cited])) if cited else 0.0
    judged = [one.support[np.isfinite(one.sample.right)] for _, one in cited]
    usual_support = float(np.concatenate(judged).mean()) if judged else 0.0
    usual = of_claim, usual_claim, of_support, usual_support
    return Calibration(slope, float(fitted.intercept_[0]), rank, *usual)


def regression() -> Any:  # noqa: ANN401
    """Return its class of models; raises `InputError` without scikit-learn."""
    needs = 'scikit-learn is not installed: pip install "pincite[matcher]"'
    return imported(needs, "sklearn.linear_model")[0].LogisticRegression
