"""The result of an evaluation, the same for all tasks: rows of figures, findings, records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from pincite.model.problems import Problem

from .measures import Interval

#: One citation in one row of the result, as in a line of ``--records``.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one run by name, as in the JSON; fractions where nothing else is natural."""

    name: str
    figures: Mapping[str, Any]
    changed: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, figure: str) -> Any:  # noqa: ANN401 - as in JSON
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
        claim: str, first: object, second: object, difference: float, ci95: Interval, undecided: str
    ) -> Finding:
        """Return a finding that holds or not, or is `undecided` where the interval contains 0."""
        verdict = "holds" if ci95[0] > 0.0 else undecided
        if ci95[1] < 0.0:
            verdict = "the reverse holds"
        return Finding(claim, first, second, difference, ci95, verdict)


class Curve(NamedTuple):
    """A curve of a figure: values (fractions) of one system by a parameter, such as d, K or λ."""

    system: str
    points: tuple[tuple[float, float], ...]

    def json(self) -> dict[str, Any]:
        """Return the curve as commands write it."""
        return {"system": self.system, "points": [list(point) for point in self.points]}


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a result, in the order of its rows; each iteration generates them again."""

    parts: tuple[Callable[[], Iterator[Record]], ...] = ()

    def __iter__(self) -> Iterator[Record]:
        for part in self.parts:
            yield from part()


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an evaluation returns; each task adds what only its report needs.

    `facts` are the figures of the whole run, before and after the rows in the JSON. `settings` are
    those of the run by name, for the report; `problems` the defects of its input.
    """

    facts: Mapping[str, Any]
    rows: tuple[Row, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] | None = None
    problems: tuple[Problem, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    records: Records = field(default=Records(), repr=False, compare=False)

    def json(self) -> dict[str, Any]:
        """Return the result as the command writes it."""
        written = {**self.facts, "rows": [dict(row.figures) for row in self.rows], **self.more}
        if self.findings is not None:
            written["findings"] = [asdict(finding) for finding in self.findings]
        return written


Scheme = Literal["official", "citance", "union"]
# Published figures, for comparison with ours; ``published.json`` has them and their sources.

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
    for one in PUBLISHED:
        is_same = (one.split, one.scheme, one.k, one.part) == (split, scheme, row["k"], "")
        if is_same and any(ours.is_of(row) for ours in one.ours):
            return one
    return None
