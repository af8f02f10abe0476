"""Duma and Klein's Table 1: every representation and query window, over all test papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from pincite.ranking.base import rounded
from pincite.ranking.tfidf import best_first
from pincite.settings import Window

from ..intervals import interval
from ..measures import Floats, Ranks, chance, found_at, mean_reciprocal_rank
from ..processes import HERE, Workers
from ..progress import Progress, ignored
from ..results import Record, Row
from .counts import CountedCollection, CountedPaper, fitted_space
from .protocol import PaperUnderTest
from .representations import NamedRepresentation
from .results import PaperOutcome
from .sparse_counts import cosines

RECALL_AT = (3, 5, 10)
#: The figures that identify a row.
_NAMES = ("representation", "window", "situation", "knows")

#: Those of a row among the rows of its representation.
Label = Mapping[str, str | None]


def ranks_of(
    case: tuple[NamedRepresentation, CountedPaper], collection: CountedCollection
) -> Ranks:
    """Return the rank of every cited paper of every group among a test paper's candidates.

    Windows are in the order of the paper's queries, outcomes in the order of its groups.
    """
    representation, paper = case
    space = fitted_space(paper, representation, collection)
    groups = np.repeat(np.arange(len(paper.cited)), [len(cited) for cited in paper.cited])
    cited = np.asarray([position for group in paper.cited for position in group], dtype=np.intp)
    found = np.empty((len(paper.queries), len(cited)), dtype=np.int32)
    for number, queries in enumerate(paper.queries.values()):
        order = best_first(rounded(cosines(space, queries)))
        ranks = np.argsort(order, axis=0)
        found[number] = ranks[cited, groups] + 1
    return found


@dataclass(frozen=True, slots=True)
class PapersUnderTest:
    """The test papers in a fixed order, from whose ranks all figures are computed."""

    papers: tuple[PaperUnderTest, ...]
    windows: tuple[Window, ...]

    def finished(
        self,
        representation: str,
        ranks: Sequence[Ranks],
        labels: Iterable[Label],
    ) -> FinishedRows:
        """Return a row for each line of every paper's `ranks`.

        `labels` say what the rows are of.
        """
        correct = self.correct(ranks)
        outcomes = np.asarray([paper.outcomes for paper in self.papers], dtype=np.float64)
        found = zip(labels, np.concatenate(ranks, axis=1), correct.T, strict=True)
        rows = tuple(_row(representation, *line, outcomes) for line in found)
        return FinishedRows(representation, rows, tuple(ranks), correct)

    def correct(self, ranks: Sequence[Ranks]) -> npt.NDArray[np.int64]:
        """Return the number of right outcomes of each paper (papers × rows of their ranks).

        A group of n is right as a whole when any of its references is among the first n.
        """
        return np.asarray(
            [
                self.resolved(paper, found).sum(axis=1)
                for paper, found in zip(self.papers, ranks, strict=True)
            ],
            dtype=np.int64,
        )

    @staticmethod
    def resolved(paper: PaperUnderTest, ranks: Ranks) -> npt.NDArray[np.bool_]:
        """Return for each outcome of a paper whether its group is resolved, shaped as `ranks`."""
        sizes = np.asarray([len(group.cited) for group in paper.groups])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        best = np.minimum.reduceat(ranks, starts, axis=1)
        return np.repeat(best <= sizes, sizes, axis=1)

    def chances(self) -> list[float]:
        """Return for each paper the expected number of outcomes that are right by chance."""
        return [
            sum(len(g.cited) * chance(len(g.cited), len(paper.candidates)) for g in paper.groups)
            for paper in self.papers
        ]

    def per_paper(self, correct: npt.NDArray[np.int64]) -> tuple[PaperOutcome, ...]:
        """Return the outcome of each paper; `correct` has a column for each row of the table."""
        return tuple(
            PaperOutcome(
                paper.id,
                paper.title,
                len(paper.candidates),
                paper.outcomes,
                guessed,
                tuple(row.tolist()),
            )
            for paper, guessed, row in zip(self.papers, self.chances(), correct, strict=True)
        )


def _row(
    representation: str,
    label: Label,
    ranks: Ranks,
    correct: npt.NDArray[np.int64],
    outcomes: Floats,
) -> Row:
    """Return a row from the ranks of all outcomes, and the right ones and all of each paper."""
    name = f"{representation}, window ({label['window']})"
    if "situation" in label:
        name = f"{representation} ({label['situation']}, {label['knows']})"
    figures = {
        "representation": representation,
        **label,
        "accuracy": float(correct.sum() / max(1.0, float(outcomes.sum()))),
        "ci95": list(interval(correct.astype(np.float64), outcomes)),
        "mrr": mean_reciprocal_rank(ranks),
        **{f"recall@{k}": found_at(ranks, k) for k in RECALL_AT},
    }
    return Row(name, figures)


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


def finished_rows(
    collection: CountedCollection,
    counted: Sequence[CountedPaper],
    tests: PapersUnderTest,
    representations: Sequence[NamedRepresentation],
    workers: Workers = HERE,
    progress: Progress = ignored,
) -> Iterator[FinishedRows]:
    """Run each representation over all test papers; yield its rows when they are finished."""
    labels = [{"window": f"{window.left},{window.right}"} for window in tests.windows]
    cases = [(representation, paper) for representation in representations for paper in counted]
    ranks = workers.map(ranks_of, cases, collection, progress=progress)
    for representation in representations:
        of_papers = list(islice(ranks, len(counted)))
        yield tests.finished(representation.name, of_papers, labels)


def records(tests: PapersUnderTest, finished: FinishedRows) -> Iterator[Record]:
    """Yield the outcome of every citation: one for each reference of each group and row."""
    has_window = finished.rows[0]["window"] is not None
    windows = tests.windows if has_window else [None] * len(finished.rows)
    for paper, ranks in zip(tests.papers, finished.ranks, strict=True):
        resolved = PapersUnderTest.resolved(paper, ranks)
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
