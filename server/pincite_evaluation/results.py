"""The result of an evaluation: runs compared with judgements, rows of figures, findings, records.

*Judgements* are the right answers to each citation, a *run* those of a system. Systems that choose
have a run of sets; of those that rank everything, only the ranks of right answers are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from math import comb
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from pincite.model.problems import Problem

Floats: TypeAlias = npt.NDArray[np.float64]
Query: TypeAlias = tuple[str, str]
#: The right answers to each query.
Judgements: TypeAlias = Mapping[Query, Collection[str]]
#: The answers of a system to each query.
Run: TypeAlias = Mapping[Query, Collection[str]]
#: The 1-based ranks that a system gives to right answers.
Ranks: TypeAlias = npt.NDArray[np.int32]
Item = TypeVar("Item")
Group = TypeVar("Group")


def grouped(items: Iterable[Item], group_of: Callable[[Item], Group]) -> dict[Group, list[Item]]:
    """Return the items of each group, groups and items in the order given."""
    found: dict[Group, list[Item]] = {}
    for item in items:
        found.setdefault(group_of(item), []).append(item)
    return found


def found_at(ranks: Ranks, k: int) -> float:
    """Return the share of right answers among the first k; 0 if there are none."""
    return float(np.mean(ranks <= k)) if len(ranks) else 0.0


def mean_reciprocal_rank(ranks: Ranks) -> float:
    """Return the mean of 1 / rank; 0 if there are no ranks."""
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

    @staticmethod
    def of(precision: float, recall: float) -> Measure:
        """Return both with their harmonic mean, 0 if both are."""
        both = precision + recall
        return Measure(precision, recall, 2 * precision * recall / both if both else 0.0)


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
        given, wanted = self.tp + self.fp, self.tp + self.fn
        return Measure.of(self.tp / max(1, given), self.tp / max(1, wanted))


def overlap(run: Run, judgements: Judgements) -> Counts:
    """Return the counts over all queries; an answer listed twice counts twice."""
    tp = sum(one in run.get(query, ()) for query, right in judgements.items() for one in right)
    fp = sum(one not in judgements.get(query, ()) for query, given in run.items() for one in given)
    return Counts(tp, fp, sum(map(len, judgements.values())) - tp)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sums of the counts, zeros if there are none."""
    return sum(counts, Counts())


def f1_parts(counts: Sequence[Counts]) -> tuple[Floats, Floats]:
    """Return the numerators and denominators whose sums have the micro F1 as their ratio."""
    right = np.asarray([2 * each.tp for each in counts], np.float64)
    return right, right + np.asarray([each.fp + each.fn for each in counts], np.float64)


class Bin(NamedTuple):
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


# Bootstrap intervals of ratios of sums over papers, by percentiles (Efron and Tibshirani 1993,
# chapter 13). Whole papers are drawn, since the citations of a paper are not independent.
# `scipy.stats.bootstrap` is slower and draws other samples, which changes published figures.
Interval = tuple[float, float]

_SAMPLES = 2_000


def interval(parts: Floats, wholes: Floats) -> Interval:
    """Return the 95 % interval of ``sum(parts) / sum(wholes)``; both are by paper."""
    return _middle(_ratios(parts, wholes))


def interval_of_difference(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Interval:
    """Return the 95 % interval of the difference of two ratios over the same papers."""
    return _middle(_ratios(*first) - _ratios(*second))


def _ratios(parts: Floats, wholes: Floats) -> Floats:
    papers, unknown = len(wholes), np.full(_SAMPLES, np.nan)
    if not papers:
        return unknown
    drawn = np.random.default_rng(0).multinomial(papers, np.full(papers, 1 / papers), _SAMPLES)
    totals = drawn @ wholes
    ratios: Floats = np.divide(drawn @ parts, totals, out=unknown, where=totals > 0)
    return ratios


def _middle(ratios: Floats) -> Interval:
    known = ratios[~np.isnan(ratios)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (0.0, 0.0)
    return float(low), float(high)


#: One citation in one row of the result, as in a line of ``--records``.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one run by name, as in the JSON; fractions where nothing else is natural."""

    name: str
    figures: Mapping[str, Any]
    changed: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, figure: str) -> Any:  # noqa: ANN401
        return self.figures[figure]


@dataclass(frozen=True, slots=True)
class Finding:
    """Two rows compared: `difference` is what the first is ahead, `ci95` its bootstrap interval."""

    claim: str
    first: Any
    second: Any
    difference: float
    ci95: Interval
    verdict: str

    @staticmethod
    def of(
        claim: str,
        first: object,
        second: object,
        difference: float,
        ci95: Interval,
        undecided: str = "",
    ) -> Finding:
        """Return a finding that holds or not, or is `undecided` where the interval contains 0."""
        likely = f"{'holds' if difference >= 0.0 else 'does not hold'}, not significantly"
        verdict = "the reverse holds" if ci95[1] < 0.0 else undecided or likely
        verdict = "holds" if ci95[0] > 0.0 else verdict
        return Finding(claim, first, second, difference, ci95, verdict)

    def text(self, write: Callable[[float], str]) -> str:
        """Return the finding in a line for a terminal, with differences as `write` formats them."""
        sides = (
            one if isinstance(one, str) else " ".join(one) for one in (self.first, self.second)
        )
        gain, low, high = map(write, (self.difference, *self.ci95))
        return f"{self.claim}: {self.verdict} ({' against '.join(sides)}: {gain}, {low} to {high})"


class Curve(NamedTuple):
    """A curve of a figure: values (fractions) of one system by a parameter, such as d, K or λ."""

    system: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an evaluation returns; each task adds what only its report needs.

    `facts` come before the rows in the JSON, `more` after; `settings` are listed in the report.
    """

    facts: Mapping[str, Any]
    rows: tuple[Row, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] | None = None
    problems: tuple[Problem, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[Callable[[], Iterator[Record]], ...] = field(default=(), repr=False, compare=False)

    @property
    def records(self) -> Iterator[Record]:
        """The records, in the order of the rows; each call generates them again."""
        return chain.from_iterable(part() for part in self.parts)

    def json(self) -> dict[str, Any]:
        """Return the figures as ``--json`` has them, without the records."""
        written = {**self.facts, "rows": [dict(row.figures) for row in self.rows], **self.more}
        if self.findings is not None:
            written["findings"] = [asdict(finding) for finding in self.findings]
        return written


# Published figures, for comparison with ours; ``published.json`` has them and their sources.

Scheme = Literal["official", "citance", "union"]
#: The source of figures that no paper gives.
SCORED_BY_US = "scored by us"


class Ours(NamedTuple):
    """A system of ours, with the parameters that correspond to a published row."""

    system: str
    changed: dict[str, Any]

    def is_of(self, row: Row) -> bool:
        """Return whether a row has this system and these parameters, with any K."""
        changed = {name: value for name, value in row.changed.items() if name not in ("k", "model")}
        return self.system == row["system"] and self.changed == changed


class Published(msgspec.Struct, frozen=True):
    """Cited text identification: figures of one system on one split, None if not given."""

    name: str
    source: str
    split: str
    scheme: Scheme
    f1: float
    k: int | None = None
    precision: float | None = None
    recall: float | None = None
    rouge_s: float | None = None
    ours: tuple[Ours, ...] = ()
    part: str = ""


class PublishedLength(msgspec.Struct, frozen=True):
    """The mean length, in tokens, of the sentences that a system chose on the training set."""

    name: str
    tokens: float
    k: int
    ours: tuple[Ours, ...]


_READ = msgspec.json.decode(Path(__file__).with_name("published.json").read_bytes())
PUBLISHED = msgspec.convert(_READ["cited_text"], tuple[Published, ...])
LENGTHS = msgspec.convert(_READ["lengths"], tuple[PublishedLength, ...])
#: Ricci et al.: the claim, the row that should be ahead, and the row that should be behind. Rows
#: with their own vectors are compared with `asymmetric-trained`, trained on the same text.
CLAIMS: Sequence[tuple[str, str, str]] = _READ["claims"]
#: CitRet's steps, compared among rows with the same weights.
STEPS: Sequence[tuple[str, str, str]] = _READ["steps"]
#: Facets of a fifth of the training set (Aumiller et al. 2020, Table 3), as a row of ours.
FACETS_OF_A_FIFTH = Row("UniHD, Table 3 (random fifth)", _READ["facets_of_a_fifth"])
#: The official F1 of facets on the test set; `sentences` is that of Task 1A.
FACETS_OFFICIAL: Sequence[Mapping[str, Any]] = _READ["facets_official"]
#: Sizes of the collection of Duma and Klein (2014).
RESOLUTION: Mapping[str, int] = _READ["resolution"]
#: Their accuracy by representation and window, as rows of resolution name them.
ACCURACY: Mapping[tuple[str, str], float] = {
    (representation, window): accuracy
    for representation, by_window in _READ["resolution_accuracy"].items()
    for window, accuracy in by_window.items()
}


def published(row: Row, split: str, scheme: Scheme) -> Published | None:
    """Return the published figures for a row's system, parameters and K, None if there are none."""
    wanted = split, scheme, row["k"], ""
    same = (one for one in PUBLISHED if (one.split, one.scheme, one.k, one.part) == wanted)
    return next((one for one in same if any(ours.is_of(row) for ours in one.ours)), None)
