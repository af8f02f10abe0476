"""Runs and judgements, and the measures that compare them.

Each citation is a *query*. *Judgements* say which answers to it are right: the entries that were
cited, or the sentences that an annotator chose. A *run* is what one system answers. Systems that
choose have a run of sets; of those that rank everything, only the ranks of right answers are left.
A measure of a run by judgements has a number, or `Counts`, for each query; figures are means of the
former or ratios of sums of the latter, and `interval` resamples what the queries belong to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Query: TypeAlias = tuple[str, str]
#: The right answers to each query.
Judgements: TypeAlias = Mapping[Query, Collection[str]]
#: The answers of a system to each query.
Run: TypeAlias = Mapping[Query, Collection[str]]
#: The 1-based ranks that a system gives to right answers.
Ranks: TypeAlias = npt.NDArray[np.int32]


def found_at(ranks: Ranks, k: int) -> float:
    """Return the share of ranks up to k; 0 without ranks."""
    return float(np.mean(ranks <= k)) if len(ranks) else 0.0


def mean_reciprocal_rank(ranks: Ranks) -> float:
    """Return the mean of 1/rank; 0 without ranks."""
    return float(np.mean(1.0 / ranks)) if len(ranks) else 0.0


def chance(references: int, candidates: int) -> float:
    """Return the exact probability that a random order of the candidates resolves a group."""
    if references <= 0:
        return 0.0
    return 1.0 - comb(candidates - references, references) / comb(candidates, references)


def ndcg(gains: Sequence[float], ideal: Sequence[float], depth: int) -> float:
    """Return the nDCG of gains in the order of a run; `ideal` are all gains, the highest first."""
    found, best = (
        float(sum(gain / np.log2(rank + 2) for rank, gain in enumerate(of[:depth])))
        for of in (gains, ideal)
    )
    return found / best if best else 1.0


class Measure(NamedTuple):
    """Precision, recall and F1, as fractions."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Right answers given (`tp`), wrong ones given (`fp`), and right ones not given."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def measure(self) -> Measure:
        """Precision, recall and F1; 0 if nothing is given or wanted."""
        tp = self.tp
        precision = tp / (tp + self.fp) if tp else 0.0
        recall = tp / (tp + self.fn) if tp else 0.0
        f1 = 2 * precision * recall / (precision + recall) if tp else 0.0
        return Measure(precision, recall, f1)


def overlap(run: Run, judgements: Judgements) -> Counts:
    """Return the counts over all queries; an answer listed twice counts twice."""
    tp = sum(one in run.get(query, ()) for query, right in judgements.items() for one in right)
    fp = sum(one not in judgements.get(query, ()) for query, given in run.items() for one in given)
    return Counts(tp, fp, sum(map(len, judgements.values())) - tp)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum of some counts."""
    return sum(counts, Counts())


def f1_parts(counts: Sequence[Counts]) -> tuple[Floats, Floats]:
    """Return the numerators and denominators whose sums have the micro F1 as their ratio."""
    right = np.asarray([2 * each.tp for each in counts], np.float64)
    return right, right + np.asarray([each.fp + each.fn for each in counts], np.float64)


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


# Bootstrap intervals of ratios of sums over papers or drafts: percentile intervals (Efron and
# Tibshirani 1993, chapter 13). Whole papers are drawn with replacement, since the citations of a
# paper are not independent. `scipy.stats.bootstrap` would draw other random samples, and so change
# the last digit of published figures; drawing how often each paper occurs is also many times as
# fast.
Interval = tuple[float, float]

_SAMPLES = 2_000
_SEED = 0


def interval(parts: Floats, wholes: Floats) -> Interval:
    """Return the 95 % interval of ``sum(parts) / sum(wholes)``; both are by paper."""
    return _middle(_ratios(parts, wholes))


def interval_of_difference(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Interval:
    """Return the 95 % interval of the difference of two ratios over the same papers."""
    return _middle(_ratios(*first) - _ratios(*second))


def _ratios(parts: Floats, wholes: Floats) -> Floats:
    papers = len(wholes)
    if not papers:
        return np.full(_SAMPLES, np.nan)
    drawn = np.random.default_rng(_SEED).multinomial(papers, np.full(papers, 1 / papers), _SAMPLES)
    totals = drawn @ wholes
    ratios: Floats = np.divide(
        drawn @ parts, totals, out=np.full(_SAMPLES, np.nan), where=totals > 0
    )
    return ratios


def _middle(ratios: Floats) -> Interval:
    known = ratios[~np.isnan(ratios)]
    if not len(known):
        return 0.0, 0.0
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
