"""Evaluate citation resolution: the rows of Duma and Klein's Table 1, and of the learned ranker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate, Candidates
from pincite.model.problems import InputError, Problem
from pincite.ranking.learned import LearnedModel
from pincite.ranking.tfidf import TfIdfRanker
from pincite.settings import Window

from .. import results
from ..collection import read_collection
from ..processes import HERE, Workers, ignored, open_workers
from ..ranker_training import require_trainer
from ..results import Finding, Ranks, Result, Row, interval
from . import protocol
from .protocol import NamedRepresentation, PaperUnderTest, named, window

#: What ranks the candidates: the TF-IDF of Duma and Klein, by two names, or boosted trees over
#: evidence.
Ranker = Literal["table-1", "mixed", "learned"]
#: Which papers provide inlink contexts: all but the test papers, or all but the one under test.
Inlinks = Literal["exclude-test", "leave-one-out"]
RECALL_AT: Final = (3, 5, 10)


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """The outcome of one test paper; `correct` has a number for each row."""

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
        return tuple(row for row in self.rows if row["window"])

    @property
    def learned(self) -> tuple[Row, ...]:
        """The rows of the learned ranker, which have no window."""
        return tuple(row for row in self.rows if not row["window"])


def evaluate(
    corpus: Path,
    *,
    test_papers: Path | None = None,
    min_references: int = protocol.MIN_REFERENCES,
    rankers: Sequence[Ranker] = ("table-1",),
    representations: Sequence[str] = protocol.TABLE_1,
    windows: Sequence[str] | Sequence[Window] = protocol.WINDOWS,
    model: Path | None = None,
    inlinks: Inlinks = "exclude-test",
    jobs: int | None = 1,
    scheduler: str | None = None,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
    on_rows: Callable[[ResolutionResult], None] = ignored,
) -> ResolutionResult:
    """Resolve the citations of test papers (Duma and Klein 2014, sections 3 to 5).

    The options are those of the command. Table 1 is computed in `jobs` processes (None: one for
    each CPU) or on the Dask cluster at `scheduler`, with the same figures. `on_problems` is called
    with the defects of the collection as soon as it is read, `on_rows` with the result so far
    whenever a representation has finished. Raises `InputError` for unknown names, if no paper can
    be tested, and for missing dependencies.
    """
    for name in rankers:
        if name not in get_args(Ranker):
            raise InputError(f"unknown ranker {name!r}; choose from {', '.join(get_args(Ranker))}")
    rows = [named(name) for name in dict.fromkeys(representations)]
    columns = list(dict.fromkeys(window(one) if isinstance(one, str) else one for one in windows))
    learns = "learned" in rankers
    if model is not None and not learns:
        raise InputError(f"{model}: --model requires --ranker learned")
    loaded = None if model is None else LearnedModel.load(model)
    if learns and loaded is None:
        require_trainer()
    read = [*columns, *(row.window for row in rows if row.window is not None)]
    widest = Window(max(one.left for one in read), max(one.right for one in read))
    collection = read_collection(corpus)
    ids, missing = protocol.chosen_papers(collection, test_papers)
    problems = (*collection.problems, *missing)
    on_problems(problems)
    tests = tuple(protocol.papers_under_test(collection, ids, widest, min_references))
    if not tests:
        raise InputError(f"{corpus}: no test paper lists {min_references} papers of the collection")
    left_out = frozenset[str]()
    if inlinks == "exclude-test":
        left_out = frozenset(ids if test_papers else (test.id for test in tests))
    settings = {"Inlink contexts": inlinks, "Fewest references": str(min_references)}
    if learns:
        settings["Learned ranker"] = "five folds of papers" if model is None else str(model)
    done: list[FinishedRows] = []

    def result() -> ResolutionResult:
        per_paper = tuple(
            outcome_of(paper, [one.correct[at] for one in done]) for at, paper in enumerate(tests)
        )
        outcomes = sum(paper.outcomes for paper in tests)
        found = tuple(row for one in done for row in one.rows)
        return ResolutionResult(
            facts={
                "corpus": str(corpus),
                "papers": len(collection.papers),
                "test_papers": len(tests),
                "resolvable_citations": outcomes,
                "chance": sum(paper.chance for paper in per_paper) / max(1, outcomes),
            },
            rows=found,
            per_paper=per_paper,
            findings=tuple(findings(found, per_paper)),
            problems=problems,
            settings=settings,
            parts=tuple(partial(records, tests, one) for one in done),
        )

    def finish(workers: Workers) -> Iterator[FinishedRows]:
        if "table-1" in rankers or "mixed" in rankers:
            known = protocol.candidates(collection, tests, left_out, widest)
            yield from table_1_rows(tests, known, rows, columns, workers)
        if learns:
            evidence = protocol.CollectionEvidence(collection, left_out)
            names = [test.id for test in tests]
            yield learned_rows(tests, protocol.learned_ranks(evidence, names, loaded))

    with open_workers(jobs, scheduler) as workers:
        for rows_of_one in finish(workers):
            done.append(rows_of_one)
            on_rows(result())
    return result()


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
    table_1 = [(at, row) for at, row in enumerate(rows) if row["window"]]
    for claim, *kinds in _CLAIMS:
        of_kinds = [
            [one for one in table_1 if re.match(k, one[1]["representation"])] for k in kinds
        ]
        if all(of_kinds):
            (first, winner), (second, loser) = (
                max(own, key=lambda one: float(one[1]["accuracy"])) for own in of_kinds
            )
            yield Finding.of(
                claim,
                (winner["representation"], winner["window"]),
                (loser["representation"], loser["window"]),
                winner["accuracy"] - loser["accuracy"],
                interval(correct[:, first] - correct[:, second], outcomes),
                "not decided",
            )


class FinishedRows(NamedTuple):
    """Rows over all test papers; `ranks` has a line for each row, for each paper."""

    rows: tuple[Row, ...]
    ranks: tuple[Ranks, ...]
    correct: npt.NDArray[np.int64]


def finished(
    papers: Sequence[PaperUnderTest],
    representation: str,
    ranks: Sequence[Ranks],
    labels: Iterable[Mapping[str, str | None]],
) -> FinishedRows:
    """Return a row for each line of every paper's `ranks`; `labels` are figures to name it."""
    resolved = map(_resolved, papers, ranks)
    correct = np.asarray([own.sum(axis=1) for own in resolved], dtype=np.int64)
    outcomes = np.asarray([paper.outcomes for paper in papers], dtype=np.float64)
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
            "mrr": results.mean_reciprocal_rank(own),
            **{f"recall@{k}": results.found_at(own, k) for k in RECALL_AT},
        }
        rows.append(Row(representation + of, figures))
    return FinishedRows(tuple(rows), tuple(ranks), correct)


def outcome_of(paper: PaperUnderTest, correct: Iterable[npt.NDArray[np.int64]]) -> PaperOutcome:
    """Return the outcome of a paper; `correct` are the numbers of right citations by row."""
    number, cited = len(paper.candidates), [len(group.cited) for group in paper.groups]
    by_chance = sum(own * results.chance(own, number) for own in cited)
    right = tuple(one for own in correct for one in own.tolist())
    return PaperOutcome(paper.id, paper.title, number, paper.outcomes, by_chance, right)


def _resolved(paper: PaperUnderTest, ranks: Ranks) -> npt.NDArray[np.bool_]:
    """Return for each outcome of a paper whether its group is resolved, shaped as `ranks`."""
    sizes = np.asarray([len(group.cited) for group in paper.groups])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    best = np.minimum.reduceat(ranks, starts, axis=1)
    return np.repeat(best <= sizes, sizes, axis=1)


def table_1_rows(
    papers: Sequence[PaperUnderTest],
    known: Mapping[str, Candidate],
    representations: Sequence[NamedRepresentation],
    windows: Sequence[Window],
    workers: Workers = HERE,
) -> Iterator[FinishedRows]:
    """Yield the rows of each representation, one for each window, as soon as they are known."""
    labels = [{"window": f"{one.left},{one.right}"} for one in windows]
    own = [(paper, tuple(_candidates(paper, known))) for paper in papers]
    cases = [(representation, *each) for representation in representations for each in own]
    ranks = workers.map(_ranks, cases, windows, name="Resolving citations")
    for representation in representations:
        yield finished(papers, representation.name, list(islice(ranks, len(papers))), labels)


def _candidates(paper: PaperUnderTest, known: Mapping[str, Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of a test paper, without the contexts in which it cites them."""
    for candidate in map(known.__getitem__, paper.candidates):
        contexts = (one for one in candidate.inlink_contexts if one.citing_paper != paper.id)
        yield replace(candidate, inlink_contexts=tuple(contexts))


def _ranks(
    case: tuple[NamedRepresentation, PaperUnderTest, Sequence[Candidate]],
    windows: Sequence[Window],
) -> Ranks:
    """Return the rank of every cited paper of every group, by query window."""
    representation, paper, candidates = case
    ranker = TfIdfRanker(representation.representation)
    ranker.fit(Candidates.of(candidates))
    ranks = []
    for one in windows:
        ranked = ((ranker.rank(group.context(one)), group.cited) for group in paper.groups)
        ranks.append([ranking.rank_of(key) for ranking, cited in ranked for key in cited])
    return np.asarray(ranks, dtype=np.int32)


def learned_rows(papers: Sequence[PaperUnderTest], ranks: Sequence[Ranks]) -> FinishedRows:
    """Return a row for each situation and each level of knowledge."""
    conditions = product(protocol.SITUATIONS, protocol.KNOWLEDGE)
    labels = ({"window": None, "situation": one, "knows": knows} for one, knows in conditions)
    return finished(papers, "learned", ranks, labels)


def records(papers: Sequence[PaperUnderTest], finished: FinishedRows) -> Iterator[results.Record]:
    """Yield a record for every reference of every group, in every row."""
    labels = ("representation", "window", "situation", "knows")
    names = [name for name in labels if name in finished.rows[0].figures]
    widths = [window(row["window"]) if row["window"] else None for row in finished.rows]
    for paper, ranks in zip(papers, finished.ranks, strict=True):
        resolved = _resolved(paper, ranks)
        cited = ((n, group, key) for n, group in enumerate(paper.groups) for key in group.cited)
        for column, (number, group, key) in enumerate(cited):
            for at, (row, width) in enumerate(zip(finished.rows, widths, strict=True)):
                words = group.context(width).words if width else (*group.left, *group.right)
                yield {
                    **{name: row[name] for name in names},
                    "paper": paper.id,
                    "group": number,
                    "cited": key,
                    "references": len(group.cited),
                    "candidates": len(paper.candidates),
                    "rank": int(ranks[at, column]),
                    "resolved": bool(resolved[at, column]),
                    "context": " ".join(words),
                }
