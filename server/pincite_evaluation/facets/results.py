"""The results of an evaluation of discourse facets; scores are fractions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from pincite.model.problems import Problem

from ..cited_text.overlap import Counts
from ..cited_text.results import Curve, Measure
from ..records import Records
from .classifier import FACETS, Facet

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Official:
    """Task 1B as the organisers' script counts it, micro and macro over gold files.

    `ci95` is of the micro F1, by bootstrap over reference papers.
    """

    counts: Counts
    micro: Measure
    macro: Measure
    ci95: Interval

    def json(self) -> dict[str, Any]:
        """Return the score as the command writes it."""
        return {
            "micro": {**self.micro.json(), "ci95": list(self.ci95)},
            "macro": self.macro.json(),
            "counts": asdict(self.counts),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one answering method; `facets` and `samples` are in the order of `FACETS`.

    `accuracy` is the share of citances with exactly the gold facets; micro and macro are over
    facets. Intervals are bootstrapped over reference papers. `confusion` has a row for each gold
    facet and a column for each first answer. `official` is None for answers that are no submission.
    """

    name: str
    accuracy: float
    accuracy_ci95: Interval
    micro: Measure
    micro_ci95: Interval
    macro: Measure
    facets: tuple[Measure, ...]
    samples: tuple[int, ...]
    confusion: tuple[tuple[int, ...], ...]
    official: Official | None = None

    def json(self) -> dict[str, Any]:
        """Return the row as the command writes it."""
        named = zip(FACETS, self.facets, self.samples, strict=True)
        return {
            "answers": self.name,
            "accuracy": {"value": self.accuracy, "ci95": list(self.accuracy_ci95)},
            "micro": {**self.micro.json(), "ci95": list(self.micro_ci95)},
            "macro": self.macro.json(),
            "facets": {facet: {**m.json(), "samples": n} for facet, m, n in named},
            "confusion": [list(line) for line in self.confusion],
            "official": None if self.official is None else self.official.json(),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """The lead of the first answering method over the second, with a bootstrap interval."""

    measure: str
    first: str
    second: str
    difference: float
    ci95: Interval

    @property
    def verdict(self) -> str:
        """Return which of the two is significantly better on these papers, if any."""
        if self.ci95[0] > 0.0:
            return f"{self.first} is better"
        if self.ci95[1] < 0.0:
            return f"{self.second} is better"
        return "cannot be told apart"

    def json(self) -> dict[str, Any]:
        """Return the difference as the command writes it."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class Confident:
    """The confident answers of one facet: how many, and how many of them are right.

    Both are means over partitions of the papers in cross-validation. Annotators gave the facet to
    `citances` of the `of` judged ones.
    """

    facet: Facet
    answers: float
    right: float
    citances: int
    of: int

    @property
    def precision(self) -> float | None:
        """The share of right answers; None without any answer."""
        return self.right / self.answers if self.answers else None

    def json(self) -> dict[str, Any]:
        """Return the figures as the command writes them."""
        return {
            "facet": self.facet,
            "answers": self.answers,
            "right": self.right,
            "precision": self.precision,
            "citances": self.citances,
            "of": self.of,
        }


@dataclass(frozen=True, slots=True)
class FacetsResult:
    """The whole evaluation; `by_k` has the official F1 (micro) of answers by K sentences."""

    corpus: str
    split: str
    system: str
    k: int
    seed: int
    papers: int
    samples: int
    sentences: Measure
    rows: tuple[Row, ...]
    differences: tuple[Difference, ...] = ()
    confident: tuple[Confident, ...] = ()
    by_k: tuple[Curve, ...] = ()
    problems: tuple[Problem, ...] = ()
    records: Records = field(default=Records(), repr=False, compare=False)

    def row(self, name: str) -> Row:
        """Return the row with a name; raises `KeyError` if there is none."""
        return {row.name: row for row in self.rows}[name]

    def json(self) -> dict[str, Any]:
        """Return the result as the command writes it."""
        return {
            "corpus": self.corpus,
            "split": self.split,
            "system": self.system,
            "k": self.k,
            "seed": self.seed,
            "papers": self.papers,
            "samples": self.samples,
            "sentences": self.sentences.json(),
            "facets": list(FACETS),
            "rows": [row.json() for row in self.rows],
            "differences": [one.json() for one in self.differences],
            "confident": [one.json() for one in self.confident],
            "official_f1_by_k": [curve.json() for curve in self.by_k],
        }
