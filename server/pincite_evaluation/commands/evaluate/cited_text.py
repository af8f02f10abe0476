"""``pincite evaluate cited-text``: CL-SciSumm Task 1A, each system in each scoring scheme."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .common import (
    CorpusArgument,
    JobsOption,
    JsonOption,
    Outputs,
    RecordsOption,
    ReportOption,
    TopOption,
    progress,
    report_problems,
)


class SplitName(str, Enum):
    """Parts of the corpus."""

    train = "train"
    scisummnet = "scisummnet"
    test = "test"


def cited_text(
    corpus: CorpusArgument,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="asymmetric, symmetric, bm25-2field, ... (repeatable; default: all).",
        ),
    ] = None,
    split: Annotated[
        SplitName,
        typer.Option("--split", help="The annotated papers, ScisummNet's, or the test set."),
    ] = SplitName.train,
    top: TopOption = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PARAM=VALUE",
            help="Change a parameter of the systems that have it: d=2, truncation=none, "
            "cased=false, min_count=50, ... (repeatable).",
        ),
    ] = None,
    models: Annotated[
        list[Path] | None,
        typer.Option(
            "--model",
            metavar="DIR",
            help="A model made by pincite train; adds a row for each system that takes it "
            "(repeatable).",
        ),
    ] = None,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
) -> None:
    """Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes."""
    from ...cited_text.report import html, markdown, text
    from ...cited_text.run import evaluate

    with Outputs(text, json_output, report, records, width=160) as outputs, progress() as bars:
        result = evaluate(
            corpus,
            system or (),
            split=split.value,
            top=top,
            parameters=parameters or (),
            models=models or (),
            curves=report is not None,
            jobs=jobs,
            progress=bars,
            on_problems=report_problems,
            on_row=outputs.update,
        )
        outputs.finish(result, html=html, markdown=markdown)
