"""``pincite evaluate resolution``: Table 1 of Duma and Klein on a collection of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...model.problems import InputError
from .common import (
    JobsOption,
    JsonOption,
    RecordsOption,
    ReportOption,
    SchedulerOption,
    check_outputs,
    progress,
    report_problems,
    write_json,
    write_records,
    writing,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from rich.table import Table as RichTable

    from ...evaluation.collection import Collection
    from ...evaluation.resolution.papers_under_test import PaperUnderTest
    from ...evaluation.resolution.representations import NamedRepresentation
    from ...evaluation.resolution.results import ResolutionResult, Row
    from ...evaluation.resolution.table import FinishedRows, PapersUnderTest, Runner
    from ...model.papers import Candidate
    from ...ranking.learned import LearnedModel
    from .common import Bars


class Ranker(str, Enum):
    """What ranks the candidates: Table 1 of Duma and Klein by either name, or what has learnt."""

    table_1 = "table-1"
    mixed = "mixed"
    learned = "learned"


class Inlinks(str, Enum):
    """Which papers give inlink contexts."""

    exclude_test = "exclude-test"
    leave_one_out = "leave-one-out"


def resolution(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="Papers in the S2ORC JSON schema (a file or a folder), or LaTeX projects.",
        ),
    ],
    test_papers: Annotated[
        Path | None,
        typer.Option(
            "--test-papers",
            metavar="FILE",
            help="Ids of the test papers, one per line (default: all).",
        ),
    ] = None,
    min_references: Annotated[
        int,
        typer.Option(
            "--min-references",
            min=1,
            metavar="N",
            help="Test papers list at least N papers of the collection.",
        ),
    ] = 8,
    representation: Annotated[
        list[str] | None,
        typer.Option(
            "--representation",
            metavar="NAME",
            help="full-text, passage-350, inlink-20, mixed-inlink-20-passage-350, ... (repeatable; "
            "default: all of the paper's Table 1).",
        ),
    ] = None,
    window: Annotated[
        list[str] | None,
        typer.Option("--window", metavar="L,R", help="Words left and right (repeatable)."),
    ] = None,
    ranker: Annotated[
        list[Ranker] | None,
        typer.Option(
            "--ranker",
            help="table-1 (also mixed): the paper's Table 1 (default); learned: the learned "
            "ranker, trained on the collection in five folds, which takes minutes (repeatable).",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE", help="A model for --ranker learned, no folds."),
    ] = None,
    inlinks: Annotated[
        Inlinks,
        typer.Option(
            "--inlinks",
            help="Inlink contexts from all papers but the test papers, or all but the one under "
            "test (what a running editor sees).",
        ),
    ] = Inlinks.exclude_test,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Citation resolution (Duma and Klein 2014): Table 1 on a collection of papers."""
    from ...evaluation.collection import read_collection, read_test_papers
    from ...evaluation.resolution import papers_under_test as protocol
    from ...evaluation.resolution.representations import TABLE_1, WINDOWS, named
    from ...evaluation.resolution.representations import window as read_window
    from ...evaluation.resolution.table import PapersUnderTest
    from ...evaluation.resolution.table import records as records_of
    from ...settings import Window

    if jobs is not None and scheduler is not None:
        raise InputError("--jobs and --scheduler exclude each other")
    representations = [named(name) for name in dict.fromkeys(representation or TABLE_1)]
    windows = tuple(dict.fromkeys(map(read_window, window))) if window else WINDOWS
    learns = Ranker.learned in (ranker or ())
    in_table = not ranker or any(each is not Ranker.learned for each in ranker)
    loaded = _learned_model(model, learns)
    check_outputs(json_output, report, records)
    inlink_windows = [r.window for r in representations if r.window is not None]
    widest = Window(
        max(w.left for w in (*windows, *inlink_windows)),
        max(w.right for w in (*windows, *inlink_windows)),
    )
    with progress() as bar:
        collection = read_collection(corpus, bar("Reading papers"))
        listed = None if test_papers is None else read_test_papers(test_papers)
        ids, missing = protocol.chosen_papers(collection, listed, test_papers)
        report_problems((*collection.problems, *missing))
        tests = tuple(protocol.papers_under_test(collection, ids, widest, min_references))
        if not tests:
            raise InputError(
                f"{corpus}: no test paper lists {min_references} papers of the collection"
            )
        leave_one_out = inlinks is Inlinks.leave_one_out
        left_out = frozenset() if leave_one_out else frozenset(ids if listed else _ids(tests))
        table = PapersUnderTest(tests, windows)
        outcome = _Outcome(str(corpus), len(collection.papers), table)
        finished: Iterator[FinishedRows] = iter(())
        if in_table:
            candidates = protocol.candidates(collection, tests, left_out, widest)
            run = bar.stack.enter_context(_runner(jobs, scheduler))
            finished = _table_1(candidates, table, representations, leave_one_out, run, bar)
        if learns:
            finished = chain(finished, _learned(collection, left_out, table, loaded, bar))
        try:
            for number, rows in enumerate(finished):
                outcome.add(rows.rows, rows.correct)
                if json_output is not None:
                    write_json(json_output, _json(outcome.result()), is_final=False)
                if records is not None:
                    write_records(records, records_of(table, rows), append=number > 0)
        except (InputError, KeyboardInterrupt):
            _show(outcome.result())
            raise
    result = outcome.result()
    if json_output is not None:
        write_json(json_output, _json(result))
    if report is not None:
        chosen = {"Inlink contexts": inlinks.value, "Fewest references": str(min_references)}
        if learns:
            chosen["Learned ranker"] = "five folds of papers" if model is None else str(model)
        _write_report(report, result, chosen)
    _show(result)


def _learned_model(path: Path | None, learns: bool) -> LearnedModel | None:
    """Return the model in a file; raises `InputError` before the work begins if it cannot learn."""
    if path is not None and not learns:
        raise InputError(f"{path}: a model is for --ranker learned")
    if path is None:
        if learns:
            from ...evaluation.ranker_training import require_trainer

            require_trainer()
        return None
    from ...ranking.learned import LearnedModel

    return LearnedModel.load(path)


def _table_1(
    candidates: Mapping[str, Candidate],
    table: PapersUnderTest,
    representations: Sequence[NamedRepresentation],
    leave_one_out: bool,
    run: Runner,
    bar: Bars,
) -> Iterator[FinishedRows]:
    from ...evaluation.resolution.counts import count
    from ...evaluation.resolution.table import finished_rows

    counted, papers = count(
        candidates,
        table.papers,
        representations,
        table.windows,
        leave_one_out=leave_one_out,
        progress=bar("Counting words"),
    )
    yield from finished_rows(
        counted, papers, table, representations, run, bar("Resolving citations")
    )


def _learned(
    collection: Collection,
    left_out: frozenset[str],
    table: PapersUnderTest,
    model: LearnedModel | None,
    bar: Bars,
) -> Iterator[FinishedRows]:
    from ...evaluation.resolution.evidence import CollectionEvidence
    from ...evaluation.resolution.learned import learned_rows

    evidence = CollectionEvidence(collection, left_out)
    yield learned_rows(evidence, table, model=model, progress=bar)


class _Outcome:
    """The rows that are finished so far."""

    def __init__(self, corpus: str, papers: int, table: PapersUnderTest) -> None:
        self._corpus = corpus
        self._papers = papers
        self._table = table
        self._rows: list[Row] = []
        self._correct: list[npt.NDArray[np.int64]] = []

    def add(self, rows: Sequence[Row], correct: npt.NDArray[np.int64]) -> None:
        """Add the rows of a representation."""
        self._rows += rows
        self._correct.append(correct)

    def result(self) -> ResolutionResult:
        """Return the figures so far."""
        import numpy as np

        from ...evaluation.resolution.results import ResolutionResult

        papers = self._table.papers
        outcomes = sum(paper.outcomes for paper in papers)
        correct = np.concatenate(
            [np.zeros((len(papers), 0), dtype=np.int64), *self._correct], axis=1
        )
        return ResolutionResult(
            corpus=self._corpus,
            papers=self._papers,
            test_papers=len(papers),
            resolvable_citations=outcomes,
            chance=sum(self._table.chances()) / max(1, outcomes),
            rows=tuple(self._rows),
            per_paper=self._table.per_paper(correct),
        )


@contextmanager
def _runner(jobs: int | None, scheduler: str | None) -> Iterator[Runner]:
    if scheduler is not None:
        from ...evaluation.resolution.parallel import cluster

        with cluster(scheduler) as run:
            yield run
        return
    from ...library.indexing import available_processors

    jobs = jobs or available_processors()
    if jobs == 1:
        from ...evaluation.resolution.table import run_here

        yield run_here
    else:
        from ...evaluation.resolution.parallel import run_in_processes

        yield run_in_processes(jobs)


def _ids(tests: Sequence[PaperUnderTest]) -> list[str]:
    return [test.id for test in tests]


def _json(result: ResolutionResult) -> dict[str, Any]:
    from ...evaluation.resolution.findings import findings

    return {**result.json(), "findings": [finding.json() for finding in findings(result)]}


def _write_report(path: Path, result: ResolutionResult, options: Mapping[str, str]) -> None:
    from ...evaluation.resolution.report import html, markdown

    text = markdown(result) if path.suffix.lower() == ".md" else html(result, options)
    with writing(path) as file:
        file.write(text)


def _show(result: ResolutionResult) -> None:
    """Print accuracies, a line for each representation, and how the paper's claims hold."""
    from ...evaluation.resolution.findings import findings
    from ..output import console

    screen = console()
    if rows := result.table_1:
        windows = list(dict.fromkeys(row.window or "" for row in rows))
        screen.print(_accuracies("accuracy", windows, rows, lambda row: row.representation))
    if rows := result.learned:
        known = list(dict.fromkeys(row.knows or "" for row in rows))
        screen.print(_accuracies("learned", known, rows, lambda row: row.situation or ""))
    screen.print(
        f"{result.resolvable_citations:,} resolvable citations of {result.test_papers} test papers"
        f" among {result.papers:,}, chance {result.chance:.3f}"
    )
    for finding in findings(result):
        low, high = finding.ci95
        screen.print(
            f"{finding.claim}: {finding.verdict} ({' '.join(finding.first)} against "
            f"{' '.join(finding.second)}: {finding.difference:+.3f}, {low:+.3f} to {high:+.3f})"
        )


def _accuracies(
    head: str, columns: Sequence[str], rows: Sequence[Row], line: Callable[[Row], str]
) -> RichTable:
    """Return a table of accuracies with the best marked; rows of a line are in order."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(head)
    for column in columns:
        table.add_column(column, justify="right")
    best = max((row.accuracy for row in rows), default=0.0)
    by_line: dict[str, list[str]] = {}
    for row in rows:
        mark = "*" if row.accuracy == best else ""
        by_line.setdefault(line(row), []).append(f"{mark}{row.accuracy:.3f}")
    for name, cells in by_line.items():
        table.add_row(name, *cells)
    return table
