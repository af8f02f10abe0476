"""``pincite evaluate resolution``: Table 1 of Duma and Klein on a collection of papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pincite.model.problems import InputError

from .common import (
    JobsOption,
    JsonOption,
    Outputs,
    RecordsOption,
    ReportOption,
    SchedulerOption,
    check_workers,
    progress,
    report_problems,
)

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from ...resolution.results import ResolutionResult, Row


class Ranker(str, Enum):
    """What ranks the candidates: Table 1 of Duma and Klein (two names), or the learned ranker."""

    table_1 = "table-1"
    mixed = "mixed"
    learned = "learned"

    @property
    def named(self) -> Literal["table-1", "learned"]:
        """The name by which evaluations know it."""
        return "learned" if self is Ranker.learned else "table-1"


class Inlinks(str, Enum):
    """Which papers provide inlink contexts."""

    exclude_test = "exclude-test"
    leave_one_out = "leave-one-out"


def resolution(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="Papers in the S2ORC JSON schema, articles in JATS or TEI, or LaTeX projects.",
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
            help="Only test papers that list at least N papers of the collection.",
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
        typer.Option("--model", metavar="FILE", help="A model for --ranker learned (no folds)."),
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
    from ...resolution.findings import findings
    from ...resolution.report import html, markdown
    from ...resolution.representations import TABLE_1, WINDOWS
    from ...resolution.run import evaluate

    check_workers(jobs, scheduler)
    outputs: Outputs[ResolutionResult] = Outputs(json_output, report, records, findings)
    try:
        with progress() as bars:
            result = evaluate(
                corpus,
                test_papers=test_papers,
                min_references=min_references,
                rankers=tuple({each.named for each in ranker or (Ranker.table_1,)}),
                representations=representation or TABLE_1,
                windows=window or WINDOWS,
                model=model,
                inlinks=inlinks.value,
                jobs=jobs,
                scheduler=scheduler,
                progress=bars,
                on_problems=report_problems,
                on_rows=outputs.update,
            )
    except (InputError, KeyboardInterrupt):
        if outputs.latest is not None:
            _show(outputs.latest)
        raise
    outputs.finish(result, lambda found: html(found, found.settings), markdown)
    _show(result)


def _show(result: ResolutionResult) -> None:
    """Print accuracies, a line for each representation, and whether the paper's claims hold."""
    from pincite.cli.output import console

    from ...resolution.findings import findings

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
