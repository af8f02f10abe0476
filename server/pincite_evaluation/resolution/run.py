"""Evaluate citation resolution: from papers to the rows of Table 1 and of the learned ranker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal

import numpy as np

from pincite.model.problems import InputError, Problem
from pincite.ranking.learned import LearnedModel
from pincite.settings import Window

from ..collection import read_collection, read_test_papers
from ..processes import Steps, Workers, ignored, open_workers, silent
from ..ranker_training import require_trainer
from ..results import Records
from . import protocol
from .evidence import CollectionEvidence, learned_rows
from .protocol import TABLE_1, WINDOWS, named, window
from .table import (
    FinishedRows,
    PapersUnderTest,
    ResolutionResult,
    count,
    findings,
    finished_rows,
    records,
)

#: What ranks the candidates: the TF-IDF of Duma and Klein, or boosted trees over evidence.
Ranker = Literal["table-1", "learned"]
#: Which papers provide inlink contexts: all but the test papers, or all but the one under test.
Inlinks = Literal["exclude-test", "leave-one-out"]
RANKERS: Final[tuple[Ranker, ...]] = ("table-1", "learned")


def evaluate(
    corpus: Path,
    *,
    test_papers: Path | None = None,
    min_references: int = protocol.MIN_REFERENCES,
    rankers: Sequence[Ranker] = ("table-1",),
    representations: Sequence[str] = TABLE_1,
    windows: Sequence[str] | Sequence[Window] = WINDOWS,
    model: Path | None = None,
    inlinks: Inlinks = "exclude-test",
    jobs: int | None = 1,
    scheduler: str | None = None,
    progress: Steps = silent,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
    on_rows: Callable[[ResolutionResult], None] = ignored,
) -> ResolutionResult:
    """Resolve the citations of test papers (Duma and Klein 2014, sections 3 to 5).

    `corpus` is read as by `read_collection`. `test_papers` is a file with one id per line, by
    default all papers; those with fewer than `min_references` references in the collection are not
    tested. `representations` and `windows` are the rows and columns of Table 1, windows as
    ``"20,20"`` (words left, words right) or as `Window`. The learned ranker is trained in five
    folds of papers, or loaded from the file `model`. Table 1 is computed in `jobs` processes (None:
    one for each CPU) or on the Dask cluster at `scheduler`, with the same figures.

    `progress` is called for every step, `on_problems` with the defects of the collection as soon as
    it is read, and `on_rows` with the result so far whenever a representation has finished. Raises
    `InputError` for unknown names, if no paper can be tested, and for missing dependencies.
    """
    for name in rankers:
        if name not in RANKERS:
            raise InputError(f"no ranker {name!r}; there are {', '.join(RANKERS)}")
    rows = [named(name) for name in dict.fromkeys(representations)]
    columns = tuple(
        dict.fromkeys(one if isinstance(one, Window) else window(one) for one in windows)
    )
    learns = "learned" in rankers
    if model is not None and not learns:
        raise InputError(f"{model}: --model requires --ranker learned")
    loaded = None if model is None else LearnedModel.load(model)
    if learns and loaded is None:
        require_trainer()
    read = [*columns, *(row.window for row in rows if row.window is not None)]
    widest = Window(max(one.left for one in read), max(one.right for one in read))
    collection = read_collection(corpus, progress("Reading papers"))
    listed = None if test_papers is None else read_test_papers(test_papers)
    ids, missing = protocol.chosen_papers(collection, listed, test_papers)
    problems = (*collection.problems, *missing)
    on_problems(problems)
    tests = tuple(protocol.papers_under_test(collection, ids, widest, min_references))
    if not tests:
        raise InputError(f"{corpus}: no test paper lists {min_references} papers of the collection")
    left_out = frozenset[str]()
    if inlinks == "exclude-test":
        left_out = frozenset(ids if listed else (test.id for test in tests))
    table = PapersUnderTest(tests, columns)
    settings = {"Inlink contexts": inlinks, "Fewest references": str(min_references)}
    if learns:
        settings["Learned ranker"] = "five folds of papers" if model is None else str(model)
    done: list[FinishedRows] = []

    def result() -> ResolutionResult:
        outcomes = sum(paper.outcomes for paper in tests)
        none = np.zeros((len(tests), 0), dtype=np.int64)
        per_paper = table.per_paper(np.concatenate([none, *(one.correct for one in done)], axis=1))
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
            records=Records(tuple(partial(records, table, one) for one in done)),
        )

    def finished(workers: Workers) -> Iterator[FinishedRows]:
        if "table-1" in rankers:
            known = protocol.candidates(collection, tests, left_out, widest)
            inside, papers = count(known, tests, rows, columns, progress("Counting words"))
            report = progress("Resolving citations")
            yield from finished_rows(inside, papers, table, rows, workers, report)
        if learns:
            evidence = CollectionEvidence(collection, left_out)
            yield learned_rows(evidence, table, model=loaded, progress=progress)

    with open_workers(jobs, scheduler) as workers:
        for found in finished(workers):
            done.append(found)
            on_rows(result())
    return result()
