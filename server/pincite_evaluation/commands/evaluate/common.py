"""Shared command-line code of the evaluations: progress, and output files written atomically."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Protocol, TypeVar

import typer

from pincite.cli.files import replacing, require_writable, writing
from pincite.cli.output import console, echo
from pincite.model.problems import InputError, Problem

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ...progress import Steps
    from ...records import Records

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

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeftColumn())
    shown = Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)

    def begin(step: str) -> Callable[[int, int], None]:
        task = shown.add_task(step, total=None)
        return lambda done, total: shown.update(task, completed=done, total=total)

    with shown:
        yield begin


def report_problems(problems: Sequence[Problem]) -> None:
    """Print the first problems to stderr, starting with those that lose whole files."""
    from pincite.cli.inputs import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more problems", err=True)


def percent(value: float) -> str:
    """Return a fraction in percent."""
    return f"{100 * value:.1f}"


def table(texts: Sequence[str], figures: Sequence[str], *, no_wrap: bool = False) -> Table:
    """Return a table with columns of text, and right-aligned ones of figures (`no_wrap`)."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False)
    for name in texts:
        made.add_column(name, no_wrap=True)
    for name in figures:
        made.add_column(name, justify="right", no_wrap=no_wrap)
    return made


def wide_console(columns: int) -> Console:
    """Return a console for a wide table; a file has room for so many columns."""
    screen = console()
    if not screen.is_terminal:
        screen.width = columns
    return screen


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


class _Finding(Protocol):
    """The interface of a claim that was checked."""

    def json(self) -> dict[str, Any]: ...


_Result = TypeVar("_Result", bound=Result)


class Outputs(Generic[_Result]):
    """The output files of a command: figures and records as they arrive, finally the report."""

    def __init__(
        self,
        json_output: Path | None,
        report: Path | None,
        records: Path | None,
        findings: Callable[[_Result], Iterable[_Finding]] | None = None,
    ) -> None:
        """Raise `InputError` before the work begins if its results could not be written.

        The JSON has the `findings` of the result as well.
        """
        check_outputs(json_output, report, records)
        self._json, self._records, self._report = json_output, records, report
        self._findings = findings
        self._parts = 0
        #: The result so far, None before its first row.
        self.latest: _Result | None = None

    def update(self, result: _Result, *, is_final: bool = False) -> None:
        """Write a result that may be incomplete; each record is written once."""
        self.latest = result
        if self._json is not None:
            written = result.json()
            if self._findings is not None:
                written["findings"] = [finding.json() for finding in self._findings(result)]
            write_json(self._json, written, is_final=is_final)
        if self._records is not None:
            for part in result.records.parts[self._parts :]:
                with writing(self._records, "a" if self._parts else "w") as file:
                    file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in part())
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
        require_writable(path)
        if path.resolve() in files:
            raise InputError(f"{path}: two outputs cannot share a file")
        if path.is_file() or not path.exists():
            files.add(path.resolve())


def _require_report(path: Path) -> None:
    from ...report.figures import require_plots
    from ...report.rendering import require_templates

    if path.suffix.lower() not in (".html", ".htm", ".md"):
        raise InputError(f"{path}: a report must end in .html or .md")
    if path.suffix.lower() != ".md":
        require_plots()
    require_templates()


def write_json(path: Path, written: Mapping[str, Any], *, is_final: bool = True) -> None:
    """Write figures, so that an interruption does not lose those written before.

    Figures that are not final go to regular files only: a pipe cannot be rewritten.
    """
    if is_final or path.is_file() or not path.exists():
        with replacing(path) as file:
            file.write(json.dumps(written, indent=2, ensure_ascii=False) + "\n")
