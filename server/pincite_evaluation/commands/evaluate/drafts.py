"""``pincite evaluate drafts``: recover every citation of whole drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    table,
)

if TYPE_CHECKING:
    from ...drafts.results import DraftsResult, Row


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
    from ...drafts.report import html, markdown
    from ...drafts.run import evaluate

    check_workers(jobs, scheduler)
    if folds is not None and model is not None:
        raise InputError("--folds and --model cannot be combined")
    outputs: Outputs[DraftsResult] = Outputs(json_output, report, records)
    with progress() as bars:
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
    outputs.finish(result, html, markdown)
    _show(result)


def _show(result: DraftsResult) -> None:
    """Print means over all projects for each situation, then by group for "writing"."""
    from pincite.cli.output import console, counted

    from ...drafts.results import ALL, TOP, short_names

    screen = console()
    columns = ("top-1", *(f"top-{k}" for k in TOP[1:]), "MRR", "first", "repeat")
    for situation in dict.fromkeys(row.situation for row in result.rows):
        rows = table((situation,), columns, no_wrap=True)
        for row in result.rows:
            if (row.situation, row.group) == (situation, ALL):
                rows.add_row(row.ranker, *_cells(row))
        screen.print(rows)
        screen.print()
    headline = result.rows[0].situation
    if groups := short_names(result.groups()):
        rows = table((f"{headline}, by group", ""), columns[:2], no_wrap=True)
        for group, name in groups.items():
            own = [r for r in result.rows if (r.situation, r.group) == (headline, group)]
            for shown, row in zip((name, *[""] * len(own)), own, strict=False):
                rows.add_row(shown, row.ranker, *_cells(row)[:2])
        screen.print(rows)
        screen.print()
    items = sum(len(project.outcome.items) for project in result.projects)
    screen.print(
        f"{counted(items, 'citation')} of {counted(len(result.projects), 'project')}"
        + (f", {len(result.skipped)} left out" if result.skipped else "")
        + (f"; {result.folds} folds" if result.folds else "")
    )
    screen.print(
        "Means over projects (95 % intervals). first, repeat: top-1 of entries that were not, and "
        "were, cited before"
    )


def _cells(row: Row) -> list[str]:
    from ...drafts.results import TOP
    from ...report.words import fraction

    figures, (low, high) = row.figures, row.top1_ci95
    others = (*(figures.top[k] for k in TOP[1:]), figures.mrr)
    parts = (figures.first.top[1], figures.repeat.top[1])
    return [f"{figures.top[1]:.3f} ({low:.3f}-{high:.3f})", *map(fraction, (*others, *parts))]
