"""Duma and Klein's Table 1: every representation and query window, over all test papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate
from pincite.ranking.base import rounded
from pincite.ranking.tfidf import best_first
from pincite.representations.internal import WorkTokens, words_of
from pincite.settings import Window
from pincite.text.tokens import terms

from ..baselines.sparse import csr_matrix
from ..measures import Floats, Ranks, chance, found_at, interval, mean_reciprocal_rank
from ..processes import HERE, Progress, Workers, ignored
from ..results import Finding, Record, Result, Row
from .protocol import NamedRepresentation, PaperUnderTest


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """The outcome of one test paper."""

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
    """The results of one representation over all test papers."""

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


#: The numbers of words in order; -1 for those that are not counted, such as stop words.
Numbers: TypeAlias = npt.NDArray[np.int32]
#: By the name of an internal representation: the counts of all bags, and the first of each paper.
Inside: TypeAlias = Mapping[str | None, tuple[csr_matrix, npt.NDArray[np.intp]]]


@dataclass(frozen=True, slots=True)
class CountedPaper:
    """The counts of a test paper.

    `queries` has a row for each group, for each query window. `outside` has a row for each
    candidate: the contexts in which other papers cite it, by inlink window. `candidates` are
    numbers of papers in `Inside`, and `cited` positions among them.
    """

    candidates: tuple[int, ...]
    cited: tuple[tuple[int, ...], ...]
    queries: tuple[csr_matrix, ...]
    outside: Mapping[Window | None, csr_matrix]


def count(
    papers: Mapping[str, Candidate],
    tests: Sequence[PaperUnderTest],
    representations: Sequence[NamedRepresentation],
    windows: Sequence[Window],
    progress: Progress = ignored,
) -> tuple[Inside, list[CountedPaper]]:
    """Count the bags of all candidates, given by id, and the contexts of all test papers."""
    columns: dict[str, int] = {}
    numbers: dict[str, int] = {}

    def numbered(words: Sequence[str]) -> Numbers:
        for word in {*words}.difference(numbers):
            term = terms((word,))
            numbers[word] = columns.setdefault(term[0], len(columns)) if term else -1
        return np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))

    inside = {one.internal: one.representation.internal for one in representations}
    bags: dict[str | None, list[list[Numbers]]] = {name: [] for name in inside}
    for number, candidate in enumerate(papers.values(), start=1):
        words = words_of(candidate)
        work = WorkTokens(numbered(words.everything), numbered(words.summary))
        for name, bags_of in inside.items():
            bags[name].append(bags_of(work))
        progress(number, len(papers))
    outside = {one.window: one.representation.external for one in representations}
    rows = []
    for test in tests:
        queries = [[numbered(group.words(one)) for group in test.groups] for one in windows]
        candidates = []
        for candidate in map(papers.__getitem__, test.candidates):
            contexts = (one for one in candidate.inlink_contexts if one.citing_paper != test.id)
            candidates.append(replace(candidate, inlink_contexts=tuple(contexts)))
        inlinks = {one: [numbered(of(each)) for each in candidates] for one, of in outside.items()}
        rows.append((queries, inlinks))
    width = max(1, len(columns))
    positions = {name: number for number, name in enumerate(papers)}
    counted = [
        CountedPaper(
            tuple(map(positions.__getitem__, test.candidates)),
            tuple(tuple(map(test.candidates.index, group.cited)) for group in test.groups),
            tuple(_counts(own, width) for own in queries),
            {window: _counts(own, width) for window, own in inlinks.items()},
        )
        for test, (queries, inlinks) in zip(tests, rows, strict=True)
    ]
    return {
        name: (_counts(list(chain(*own)), width), np.cumsum([0, *map(len, own)]))
        for name, own in bags.items()
    }, counted


def _counts(bags: Sequence[Numbers], width: int) -> csr_matrix:
    counted = [bag[bag >= 0] for bag in bags]
    starts = np.cumsum([0, *map(len, counted)])
    columns = np.concatenate([np.empty(0, np.int32), *counted])
    shape = len(bags), width
    found = csr_matrix((np.ones(len(columns), np.float32), columns, starts), shape)
    found.sum_duplicates()
    return found


def cosines(
    inside: Inside, paper: CountedPaper, representation: NamedRepresentation
) -> list[Floats]:
    """Return the cosines of the best bag of each candidate with each group, by query window.

    A bag's inner part is its own, its outer part that of its candidate; their vectors have the
    length 1, and idf(t) = ln((1 + n) / (1 + df(t))) + 1 over the n bags.
    """
    counts, starts = inside[representation.internal]
    ranges = [np.arange(starts[at], starts[at + 1]) for at in paper.candidates]
    sizes = [len(own) for own in ranges]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    bags = counts[np.concatenate(ranges)] + paper.outside[representation.window][owner]
    present = bags.getnnz(axis=0)
    idf = np.where(present > 0, np.log((1 + bags.shape[0]) / (1 + present)) + 1, 0.0)
    vectors = _weighted(bags, idf)
    first = np.cumsum([0, *sizes[:-1]])
    return [
        np.maximum.reduceat((vectors @ _weighted(queries, idf).T).toarray(), first, axis=0)
        for queries in paper.queries
    ]


def _weighted(counts: csr_matrix, idf: Floats) -> csr_matrix:
    """Return counts times idf, each row scaled to the length 1 unless it is 0."""
    weights = counts.data * idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, weights**2, minlength=counts.shape[0]))
    lengths[lengths == 0.0] = 1.0
    return csr_matrix((weights / lengths[rows], counts.indices, counts.indptr), counts.shape)
