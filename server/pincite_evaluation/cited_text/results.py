"""The results of cited text identification, for JSON and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pincite.model.problems import Problem

from ..records import Records


class Measure(NamedTuple):
    """Precision, recall and F1, as fractions."""

    precision: float
    recall: float
    f1: float

    def json(self) -> dict[str, Any]:
        """Return the measure as the command writes it."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one system with its parameters; all scores are fractions.

    `ci95` is a bootstrap interval of the F1 by citances over reference papers; `rouge_s` is
    ROUGE-S* as the organisers computed it, `rouge_s_repaired` with WordNet's irregular forms and
    decoded entities (`rouge`); `mean_length` is the mean number of words of the chosen sentences,
    `seconds` the time of matching, in its process. `changed` are those of `params` that were set by
    hand, so that the row differs from its system's defaults. `base` names the transformer, if any.
    """

    system: str
    params: Mapping[str, Any]
    k: int
    official: Measure
    citance: Measure
    ci95: tuple[float, float]
    union: Measure
    rouge_s: float
    rouge_s_repaired: float
    sentences_per_citance: float
    mean_length: float
    seconds: float
    changed: Mapping[str, Any] = field(default_factory=dict)
    base: str = ""

    @property
    def name(self) -> str:
        """The system, its base and the parameters that were set by hand: ``asymmetric (d=2)``."""
        written = [self.base] if self.base else []
        written += [f"{name}={value}" for name, value in self.changed.items()]
        return f"{self.system} ({', '.join(written)})" if written else self.system

    def json(self) -> dict[str, Any]:
        """Return the row as the command writes it."""
        return {
            "system": self.system,
            "params": dict(self.params),
            **({"base": self.base} if self.base else {}),
            "k": self.k,
            "official": self.official.json(),
            "citance": {**self.citance.json(), "ci95": list(self.ci95)},
            "union": self.union.json(),
            "rouge_s": self.rouge_s,
            "rouge_s_repaired": self.rouge_s_repaired,
            "sentences_per_citance": self.sentences_per_citance,
            "mean_length": self.mean_length,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class Human:
    """Agreement between annotators, and the best score of any single answer (oracle).

    Both are given by the official scheme and by citances; `annotators` is the largest number for a
    paper.
    """

    annotators: int
    agreement_official: Measure
    agreement_citance: Measure
    oracle_official: Measure
    oracle_citance: Measure

    def json(self) -> dict[str, Any]:
        """Return the figures as the command writes them."""
        return {
            "annotators": self.annotators,
            "agreement": {
                "official": self.agreement_official.json(),
                "citance": self.agreement_citance.json(),
            },
            "oracle": {
                "official": self.oracle_official.json(),
                "citance": self.oracle_citance.json(),
            },
        }


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of a figure: values (fractions) of one system by a parameter, such as d, K or λ."""

    system: str
    points: tuple[tuple[float, float], ...]

    def json(self) -> dict[str, Any]:
        """Return the curve as the command writes it."""
        return {"system": self.system, "points": [list(point) for point in self.points]}


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """Counts of right, returned and wanted sentences of a reference paper, for each row."""

    id: str
    title: str
    citances: int
    sentences: int
    right: tuple[int, ...]
    returned: tuple[int, ...]
    wanted: int


@dataclass(frozen=True, slots=True)
class CitedTextResult:
    """The whole table; `per_paper` has an item in `right` and `returned` for each row.

    `f1_by_d` are the curves of Figure 3 of Ricci et al. (2022), by citances, `recall_by_k` those
    of Figure 4, `f1_by_mix` is that of NEAL by λ; all are empty unless requested. `human` is None
    if papers have one annotator. `problems` has the defects of the corpus and the systems left out.
    """

    corpus: str
    split: str
    papers: int
    citances: int
    rows: tuple[Row, ...]
    per_paper: tuple[PaperCounts, ...] = ()
    human: Human | None = None
    f1_by_d: tuple[Curve, ...] = field(default=())
    recall_by_k: tuple[Curve, ...] = field(default=())
    f1_by_mix: tuple[Curve, ...] = field(default=())
    problems: tuple[Problem, ...] = ()
    records: Records = field(default=Records(), repr=False, compare=False)

    def json(self) -> dict[str, Any]:
        """Return the result as the command writes it."""
        written: dict[str, Any] = {
            "corpus": self.corpus,
            "split": self.split,
            "papers": self.papers,
            "citances": self.citances,
            "rows": [row.json() for row in self.rows],
        }
        if self.human is not None:
            written["human"] = self.human.json()
        for name in ("f1_by_d", "recall_by_k", "f1_by_mix"):
            if curves := getattr(self, name):
                written[name] = [curve.json() for curve in curves]
        return written
