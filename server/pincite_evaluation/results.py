"""The result of an evaluation, the same for all tasks: rows of figures, findings, records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from pincite.model.problems import Problem

from .measures import Interval

#: One citation in one row of the result, as in a line of ``--records``.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one run by name, as in the JSON; fractions where nothing else is natural.

    `name` is how tables name the row, `changed` the parameters that were set by hand.
    """

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

    def json(self) -> dict[str, Any]:
        """Return the finding as commands write it."""
        return asdict(self)


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
            written["findings"] = [finding.json() for finding in self.findings]
        return written
