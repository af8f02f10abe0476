"""Duma and Klein's Table 1: every representation and query window, over all test papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from pincite.ranking.base import rounded
from pincite.ranking.tfidf import best_first
from pincite.settings import Window

from ..measures import Ranks, chance, found_at, interval, mean_reciprocal_rank
from ..processes import HERE, Workers
from ..progress import Progress, ignored
from ..results import Finding, Record, Result, Row
from .counts import CountedPaper, Inside, cosines
from .protocol import PaperUnderTest
from .representations import NamedRepresentation


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """The outcome of one test paper.

    `outcomes` counts its resolvable citations by the grouping rule, `chance` is the expected number
    of them that are right by chance, and `correct` the number right in each row.
    """

    id: str
    title: str
    candidates: int
    outcomes: int
    chance: float
    correct: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ResolutionResult(Result):
    """The whole table. A row of Table 1 has a `window`."""

    per_paper: tuple[PaperOutcome, ...]

    @property
    def table_1(self) -> tuple[Row, ...]:
        """The rows of Table 1."""
        return tuple(row for row in self.rows if not is_learned(row))

    @property
    def learned(self) -> tuple[Row, ...]:
        """The rows of the learned ranker."""
        return tuple(filter(is_learned, self.rows))


def is_learned(row: Row) -> bool:
    """Return whether a row is of the learned ranker, not of Table 1."""
    return "situation" in row.figures


_INTERNAL, _EXTERNAL, _MIXED = r"(?!inlink-|mixed-)", "inlink-", "mixed-"
#: The names of the claimed winners begin so, and then those of the losers.
_CLAIMS = (
    ("passages beat full text", "passage-", "full-text"),
    ("external beats internal", _EXTERNAL, _INTERNAL),
    ("mixed beats internal", _MIXED, _INTERNAL),
    ("mixed beats external", _MIXED, _EXTERNAL),
)


def findings(rows: Sequence[Row], papers: Sequence[PaperOutcome]) -> Iterator[Finding]:
    """Yield the claims of which both kinds are among the rows; the claimed winner is the first."""
    outcomes = np.asarray([paper.outcomes for paper in papers], dtype=np.float64)
    correct = np.asarray([paper.correct for paper in papers], dtype=np.float64)
    table_1 = [(number, row) for number, row in enumerate(rows) if not is_learned(row)]
    for claim, *kinds in _CLAIMS:
        both = [
            [(at, row) for at, row in table_1 if re.match(kind, row["representation"])]
            for kind in kinds
        ]
        if all(both):
            (first, winner), (second, loser) = (
                max(kind, key=lambda one: float(one[1]["accuracy"])) for kind in both
            )
            yield Finding.of(
                claim,
                (winner["representation"], winner["window"]),
                (loser["representation"], loser["window"]),
                winner["accuracy"] - loser["accuracy"],
                interval(correct[:, first] - correct[:, second], outcomes),
                "not decided",
            )


RECALL_AT = (3, 5, 10)
#: The figures that identify a row.
_NAMES = ("representation", "window", "situation", "knows")


@dataclass(frozen=True, slots=True)
class FinishedRows:
    """The results of one representation over all test papers.

    `ranks` has an array for each test paper, with a line for each of the `rows`; `correct` has a
    column for each.
    """

    representation: str
    rows: tuple[Row, ...]
    ranks: tuple[Ranks, ...]
    correct: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PapersUnderTest:
    """The test papers in a fixed order, from whose ranks all figures are computed."""

    papers: tuple[PaperUnderTest, ...]
    windows: tuple[Window, ...]

    def finished(
        self,
        representation: str,
        ranks: Sequence[Ranks],
        labels: Iterable[Mapping[str, str | None]],
    ) -> FinishedRows:
        """Return a row for each line of every paper's `ranks`; `labels` are figures to name it."""
        resolved = map(_resolved, self.papers, ranks)
        correct = np.asarray([own.sum(axis=1) for own in resolved], dtype=np.int64)
        outcomes = np.asarray([paper.outcomes for paper in self.papers], dtype=np.float64)
        rows = []
        for label, own, right in zip(labels, np.concatenate(ranks, axis=1), correct.T, strict=True):
            of = f", window ({label['window']})"
            if "situation" in label:
                of = f" ({label['situation']}, {label['knows']})"
            figures = {
                "representation": representation,
                **label,
                "accuracy": float(right.sum() / max(1.0, float(outcomes.sum()))),
                "ci95": list(interval(right.astype(np.float64), outcomes)),
                "mrr": mean_reciprocal_rank(own),
                **{f"recall@{k}": found_at(own, k) for k in RECALL_AT},
            }
            rows.append(Row(representation + of, figures))
        return FinishedRows(representation, tuple(rows), tuple(ranks), correct)

    def per_paper(self, correct: npt.NDArray[np.int64]) -> tuple[PaperOutcome, ...]:
        """Return the outcome of each paper; `correct` has a column for each row of the table."""
        found = []
        for paper, row in zip(self.papers, correct, strict=True):
            own = [(len(group.cited), len(paper.candidates)) for group in paper.groups]
            by_chance = sum(references * chance(references, all_) for references, all_ in own)
            right = tuple(row.tolist())
            sizes = len(paper.candidates), paper.outcomes
            found.append(PaperOutcome(paper.id, paper.title, *sizes, by_chance, right))
        return tuple(found)


def _resolved(paper: PaperUnderTest, ranks: Ranks) -> npt.NDArray[np.bool_]:
    """Return for each outcome of a paper whether its group is resolved, shaped as `ranks`."""
    sizes = np.asarray([len(group.cited) for group in paper.groups])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    best = np.minimum.reduceat(ranks, starts, axis=1)
    return np.repeat(best <= sizes, sizes, axis=1)


def ranks_of(case: tuple[NamedRepresentation, CountedPaper], inside: Inside) -> Ranks:
    """Return the rank of every cited paper of every group among a test paper's candidates."""
    representation, paper = case
    groups = np.repeat(np.arange(len(paper.cited)), [len(cited) for cited in paper.cited])
    cited = np.asarray([position for group in paper.cited for position in group], dtype=np.intp)
    orders = map(best_first, map(rounded, cosines(inside, paper, representation)))
    ranks = [np.argsort(order, axis=0)[cited, groups] + 1 for order in orders]
    return np.asarray(ranks, dtype=np.int32)


def finished_rows(
    inside: Inside,
    counted: Sequence[CountedPaper],
    tests: PapersUnderTest,
    representations: Sequence[NamedRepresentation],
    workers: Workers = HERE,
    progress: Progress = ignored,
) -> Iterator[FinishedRows]:
    """Run each representation over all test papers; yield its rows when they are finished."""
    labels = [{"window": f"{window.left},{window.right}"} for window in tests.windows]
    cases = [(representation, paper) for representation in representations for paper in counted]
    ranks = workers.map(ranks_of, cases, inside, progress=progress)
    for representation in representations:
        yield tests.finished(representation.name, list(islice(ranks, len(counted))), labels)


def records(tests: PapersUnderTest, finished: FinishedRows) -> Iterator[Record]:
    """Yield the outcome of every citation: one for each reference of each group and row."""
    has_window = finished.rows[0]["window"] is not None
    windows = tests.windows if has_window else [None] * len(finished.rows)
    for paper, ranks in zip(tests.papers, finished.ranks, strict=True):
        resolved = _resolved(paper, ranks)
        cited = [(number, key) for number, group in enumerate(paper.groups) for key in group.cited]
        for column, (number, key) in enumerate(cited):
            group = paper.groups[number]
            for at, (row, window) in enumerate(zip(finished.rows, windows, strict=True)):
                words = (*group.left, *group.right) if window is None else group.words(window)
                yield {
                    **{name: row[name] for name in _NAMES if name in row.figures},
                    "paper": paper.id,
                    "group": number,
                    "cited": key,
                    "references": len(group.cited),
                    "candidates": len(paper.candidates),
                    "rank": int(ranks[at, column]),
                    "resolved": bool(resolved[at, column]),
                    "context": " ".join(words),
                }
