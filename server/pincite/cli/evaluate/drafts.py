"""``pincite evaluate drafts``: every citation of whole drafts, as their authors meet them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    from ...evaluation.drafts.results import DraftsResult, Figures, Row
    from ...evaluation.drafts.run import Runner

#: A file has room for all columns.
_WIDTH = 200


def drafts(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Main files in LaTeX, articles in JATS (.xml), or JSON files that name projects: "
            '{"name": "main file, relative to the JSON file"}.',
        ),
    ],
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            "--ranker",
            metavar="NAME",
            help="learned, mixed, alphabetical, most-cited, most-recent, bm25 (repeatable; "
            "default: all that are available).",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            metavar="N",
            help="Hold projects out in N parts and train what learns on the others.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE", help="A model for what learns."),
    ] = None,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
) -> None:
    """Whole drafts: every citation is to be found again, from what its author had then."""
    from ...evaluation.drafts.rankers import chosen
    from ...evaluation.drafts.run import evaluate
    from ...evaluation.drafts.run import records as records_of

    if jobs is not None and scheduler is not None:
        raise InputError("--jobs and --scheduler exclude each other")
    if folds is not None and model is not None:
        raise InputError("--folds and --model exclude each other")
    rankers = chosen(ranker or ())
    check_outputs(json_output, report, records)
    with progress() as bar, _runner(jobs, scheduler) as run:
        result = evaluate(paths, rankers, folds=folds, model=model, run=run, progress=bar)
    report_problems(result.problems)
    if json_output is not None:
        write_json(json_output, result.json())
    if records is not None:
        write_records(records, records_of(result), append=False)
    if report is not None:
        _write_report(report, result)
    _show(result)


@contextmanager
def _runner(jobs: int | None, scheduler: str | None) -> Iterator[Runner]:
    from ...evaluation.drafts.run import run_here, run_in_processes, run_on_cluster
    from ...library.indexing import available_processors

    if scheduler is not None:
        with run_on_cluster(scheduler) as run:
            yield run
        return
    jobs = jobs or available_processors()
    yield run_here if jobs == 1 else run_in_processes(jobs)


def _write_report(path: Path, result: DraftsResult) -> None:
    from ...evaluation.drafts.report import html, markdown

    text = markdown(result) if path.suffix.lower() == ".md" else html(result)
    with writing(path) as file:
        file.write(text)


def _show(result: DraftsResult) -> None:
    """Print a table of each situation, a line for each ranker, with top-1 of each group behind."""
    from rich.table import Table

    from ...evaluation.drafts.results import ALL, TOP, short_names
    from ..output import console, counted

    screen = console()
    if not screen.is_terminal:
        screen.width = _WIDTH
    groups = list(dict.fromkeys(row.group for row in result.rows if row.group != ALL))
    names = short_names(groups)
    apart = groups if len(groups) > 1 else []
    found = {(row.situation, row.ranker, row.group): row for row in result.rows}
    for situation in dict.fromkeys(row.situation for row in result.rows):
        table = Table(box=None, pad_edge=False)
        table.add_column(situation, no_wrap=True)
        columns = ("top-1", *(f"top-{k}" for k in TOP[1:]), "MRR", "first", "repeat")
        for column in (*columns, *(names[group] for group in apart)):
            table.add_column(column, justify="right")
        for ranker in dict.fromkeys(row.ranker for row in result.rows):
            row = found[situation, ranker, ALL]
            own = (_top1(found[situation, ranker, group]) for group in apart)
            table.add_row(ranker, _top1(row), *_others(row.figures), *own)
        screen.print(table)
        screen.print()
    projects = len(result.projects)
    items = sum(len(project.outcome.items) for project in result.projects)
    left_out = f", {len(result.skipped)} left out" if result.skipped else ""
    screen.print(
        f"{counted(items, 'citation')} of {counted(projects, 'project')}{left_out}; means over "
        "projects, (95 % intervals); first and repeat: top-1 of first citations of an entry and of "
        "others" + (f"; models of {result.folds} folds" if result.folds else "")
    )


def _top1(row: Row) -> str:
    low, high = row.top1_ci95
    return f"{row.figures.top[1]:.3f} ({low:.3f}-{high:.3f})"


def _others(figures: Figures) -> list[str]:
    from ...evaluation.drafts.results import TOP
    from ...evaluation.page import fraction

    parts = (figures.first.top[1], figures.repeat.top[1])
    return [fraction(value) for value in (*(figures.top[k] for k in TOP[1:]), figures.mrr, *parts)]
