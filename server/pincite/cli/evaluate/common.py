"""Shared command-line code of the evaluations: progress, and output files written atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, Protocol, TextIO, TypeVar

import typer

from ...model.problems import InputError, Problem
from ..output import echo

if TYPE_CHECKING:
    from ...evaluation.progress import Steps
    from ...evaluation.records import Records

CorpusArgument = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS", help="The data folder of an unmodified scisumm-corpus checkout."
    ),
]
TopOption = Annotated[
    int | None,
    typer.Option(
        "--top", min=1, metavar="K", help="Sentences per citance (default: the system's own K)."
    ),
]
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
    typer.Option(
        "--jobs", min=1, max=256, metavar="N", help="Worker processes (default: all CPUs)."
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Address of a Dask cluster to compute on."),
]

#: A corpus may have hundreds of problems; the first show what kinds there are.
_PROBLEMS_SHOWN = 20


@contextmanager
def progress() -> Iterator[Steps]:
    """Show the steps of a run on a terminal's stderr, each with its remaining time."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeftColumn())
    shown = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

    def begin(step: str) -> Callable[[int, int], None]:
        task = shown.add_task(step, total=None)
        return lambda done, total: shown.update(task, completed=done, total=total)

    with shown:
        yield begin


def report_problems(problems: Sequence[Problem]) -> None:
    """Print the first problems to stderr, starting with those that lose whole files."""
    from ..inputs import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more problems", err=True)


def check_workers(jobs: int | None, scheduler: str | None) -> None:
    """Raise `InputError` where both are given."""
    if jobs is not None and scheduler is not None:
        raise InputError("--jobs and --scheduler cannot be combined")


class Result(Protocol):
    """The interface of every evaluation's result."""

    @property
    def records(self) -> Records:
        """Return a record for each citation."""
        ...

    def json(self) -> dict[str, Any]:
        """Return the figures."""
        ...


_Result = TypeVar("_Result", bound=Result)


class Outputs(Generic[_Result]):
    """The output files of a command: figures and records as they arrive, finally the report."""

    def __init__(
        self,
        json_output: Path | None,
        report: Path | None,
        records: Path | None,
        as_json: Callable[[_Result], Mapping[str, Any]] = lambda result: result.json(),
    ) -> None:
        """Raise `InputError` before the work begins if its results could not be written."""
        check_outputs(json_output, report, records)
        self._json, self._records, self._report = json_output, records, report
        self._as_json = as_json
        self._parts = 0
        #: The result so far, None before its first row.
        self.latest: _Result | None = None

    @property
    def has_report(self) -> bool:
        """Whether a report is to be written."""
        return self._report is not None

    def update(self, result: _Result, *, is_final: bool = False) -> None:
        """Write a result that may be incomplete; each record is written once."""
        self.latest = result
        if self._json is not None:
            write_json(self._json, self._as_json(result), is_final=is_final)
        if self._records is not None:
            for part in result.records.parts[self._parts :]:
                write_records(self._records, part(), append=self._parts > 0)
                self._parts += 1

    def finish(
        self, result: _Result, html: Callable[[_Result], str], markdown: Callable[[_Result], str]
    ) -> None:
        """Write the whole result, and the report."""
        self.update(result, is_final=True)
        if self._report is not None:
            is_markdown = self._report.suffix.lower() == ".md"
            text = markdown(result) if is_markdown else html(result)
            with writing(self._report) as file:
                file.write(text)


def check_outputs(json_output: Path | None, report: Path | None, records: Path | None) -> None:
    """Raise `InputError` before the work begins if its results could not be written."""
    if report is not None:
        _require_report(report)
    files: set[Path] = set()
    for path in filter(None, (json_output, report, records)):
        place = path if path.exists() else path.absolute().parent
        if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
            raise InputError(f"{path}: cannot be written")
        if path.resolve() in files:
            raise InputError(f"{path}: two outputs cannot share a file")
        if path.is_file() or not path.exists():
            files.add(path.resolve())


def _require_report(path: Path) -> None:
    from ...evaluation.report.figures import require_plots
    from ...evaluation.report.rendering import require_templates

    if path.suffix.lower() not in (".html", ".htm", ".md"):
        raise InputError(f"{path}: a report must end in .html or .md")
    if path.suffix.lower() != ".md":
        require_plots()
    require_templates()


@contextmanager
def writing(path: Path, mode: Literal["w", "a"] = "w") -> Iterator[TextIO]:
    """Open a text file; raise `InputError` when it cannot be written completely."""
    try:
        # The name of a folder may contain bytes that are not UTF-8.
        with path.open(mode, encoding="utf-8", errors="replace") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def write_json(path: Path, written: Mapping[str, Any], *, is_final: bool = True) -> None:
    """Write figures and replace the file atomically.

    Figures that are not final go to regular files only: a pipe cannot be rewritten.
    """
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    if path.exists() and not path.is_file():  # such as /dev/stdout
        if is_final:
            with writing(path) as file:
                file.write(text)
        return
    # An interruption must not lose the rows written before.
    part = path.with_name(f"{path.name}.part")
    try:
        with writing(part) as file:
            file.write(text)
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def write_records(path: Path, records: Iterable[Mapping[str, Any]], *, append: bool) -> None:
    """Write a JSON line for each record; `append` keeps the existing ones."""
    with writing(path, "a" if append else "w") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
