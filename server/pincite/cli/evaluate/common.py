"""What the evaluations share on the command line: progress, and files replaced when complete."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import typer

from ...model.problems import InputError, Problem

if TYPE_CHECKING:
    from rich.progress import Progress

JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="OUT", help="Write the figures as JSON.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", metavar="OUT", help="Write a report: .html, or .md for a README."),
]
RecordsOption = Annotated[
    Path | None,
    typer.Option("--records", metavar="OUT", help="Write a JSON line for every citation."),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="Processes that compute (default: all CPUs)."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Address of a Dask cluster to compute on."),
]

#: A corpus may have hundreds of problems; the first tell what kinds there are.
_PROBLEMS_SHOWN = 20


class Bars:
    """Progress bars with the time that is left; `stack` closes what the run has opened."""

    def __init__(self, progress: Progress, stack: ExitStack) -> None:
        self._progress = progress
        self.stack = stack

    def __call__(self, label: str) -> Callable[[int, int], None]:
        """Return what shows the progress of a step."""
        task = self._progress.add_task(label, total=None)
        return lambda done, total: self._progress.update(task, completed=done, total=total)


@contextmanager
def progress() -> Iterator[Bars]:
    """Show the progress of a run on a terminal's stderr; say nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeftColumn())
    shown = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with shown, ExitStack() as stack:
        yield Bars(shown, stack)


def report_problems(problems: Sequence[Problem]) -> None:
    """Print the first problems to stderr, those that cost whole files before others."""
    from ..inputs import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        typer.echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more such lines", err=True)


def check_outputs(json_output: Path | None, report: Path | None, records: Path | None) -> None:
    """Raise `InputError` before the work begins if its results could not be written."""
    if report is not None and report.suffix.lower() in (".html", ".htm"):
        from ...evaluation.page import require_plots

        require_plots()
    elif report is not None and report.suffix.lower() != ".md":
        raise InputError(f"{report}: a report is .html or .md")
    files: set[Path] = set()
    for path in filter(None, (json_output, report, records)):
        place = path if path.exists() else path.absolute().parent
        if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
            raise InputError(f"{path}: cannot be written")
        if path.resolve() in files:
            raise InputError(f"{path}: two results cannot be in one file")
        if path.is_file() or not path.exists():
            files.add(path.resolve())


@contextmanager
def writing(path: Path, mode: Literal["w", "a"] = "w") -> Iterator[TextIO]:
    """Open a text file; raise `InputError` when it cannot be written, or not to its end."""
    try:
        # The name of a folder may hold bytes that are no UTF-8.
        with path.open(mode, encoding="utf-8", errors="replace") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def write_json(path: Path, written: Mapping[str, Any], *, is_final: bool = True) -> None:
    """Write figures; the file is replaced once all is written.

    Figures that are not final go to files only: a pipe could not take them back.
    """
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    if path.exists() and not path.is_file():  # such as /dev/stdout
        if is_final:
            with writing(path) as file:
                file.write(text)
        return
    # An interruption in the middle must not cost the rows written before.
    part = path.with_name(f"{path.name}.part")
    try:
        with writing(part) as file:
            file.write(text)
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def write_records(path: Path, records: Iterable[Mapping[str, Any]], *, append: bool) -> None:
    """Write a JSON line for each record, after those that are there with `append`."""
    with writing(path, "a" if append else "w") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
