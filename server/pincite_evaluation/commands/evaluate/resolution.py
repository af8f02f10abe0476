"""``pincite evaluate resolution``: Table 1 of Duma and Klein on a collection of papers."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import typer

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
    from ...resolution.report import html, markdown, text
    from ...resolution.representations import TABLE_1, WINDOWS
    from ...resolution.run import evaluate

    check_workers(jobs, scheduler)
    with Outputs(text, json_output, report, records) as outputs, progress() as bars:
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
        outputs.finish(result, html=html, markdown=markdown)
