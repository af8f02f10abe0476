"""``pincite evaluate drafts``: recover every citation of whole drafts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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


def drafts(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Main files in LaTeX, Markdown or Typst, articles in JATS or TEI (.xml), "
            'JSON files with projects: {"name": "main file, relative to the JSON file"}, '
            "folders of any of these (with a drafts.json, only what it names).",
        ),
    ],
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            "--ranker",
            metavar="NAME",
            help="learned, mixed, alphabetical, most-cited, most-recent, bm25 (repeatable; "
            "default: all).",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            metavar="N",
            help="Cross-validate trainable rankers with N folds of projects.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE", help="A trained model for trainable rankers."),
    ] = None,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Whole drafts: recover every citation from what its author knew at that place."""
    from ...drafts.report import html, markdown, text
    from ...drafts.run import evaluate

    check_workers(jobs, scheduler)
    if folds is not None and model is not None:
        raise InputError("--folds and --model cannot be combined")
    with Outputs(text, json_output, report, records) as outputs, progress() as bars:
        result = evaluate(
            paths,
            ranker or (),
            folds=folds,
            model=model,
            jobs=jobs,
            scheduler=scheduler,
            progress=bars,
        )
        report_problems(result.problems)
        outputs.finish(result, html=html, markdown=markdown)
