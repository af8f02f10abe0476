"""Shared command-line code of the evaluations: options, progress, and files written atomically."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer

from pincite.cli.output import console, echo
from pincite.model.problems import InputError, Problem
from pincite.whole_files import replacing_text, require_writable, writing

if TYPE_CHECKING:
    from ..processes import Steps
    from ..results import Result

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
    from pincite.cli.output import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more problems", err=True)


class _Shared:
    """The options of several evaluations, in the order of ``--help``."""

    json_output: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the figures as JSON.")
    ] = None
    report: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a report: .html, or .md for a README.")
    ] = None
    records: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a JSON line for every citation.")
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=256, metavar="N", help="Worker processes (default: all CPUs)."),
    ] = None
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of a Dask cluster to compute on.")
    ] = None


class Run(NamedTuple):
    """How an evaluation is run: `options` of its function, and what to call with part results."""

    options: dict[str, Any]
    update: Callable[[Any], None]
    is_reported: bool


_FILES = ("json_output", "report", "records")
REPORTED = (*_FILES, "jobs")
_Command = Callable[..., object]


def evaluation(
    task: str, *shared: str, width: int | None = None
) -> Callable[[_Command], Callable[..., None]]:
    """Give a command the `shared` options: it gets a `run` and returns a result."""
    kinds = get_type_hints(_Shared, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=None, annotation=kinds[name]) for name in shared
    ]

    def with_options(command: _Command) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = [*(one for one in signature.parameters.values() if one.name != "run"), *added]

        @wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 - of any option
            if given.get("jobs") is not None and given.get("scheduler") is not None:
                raise InputError("--jobs and --scheduler cannot be combined")
            report = import_module(f"pincite_evaluation.{task}.report")
            files = [given.pop(name, None) for name in _FILES]
            options = {name: given.pop(name) for name in shared if name not in _FILES}
            outputs = Outputs(*files)
            try:
                with progress() as bars:
                    options["progress"] = bars
                    is_reported = outputs.report is not None
                    result: Any = command(**given, run=Run(options, outputs.update, is_reported))
                    outputs.update(result, is_final=True)
                    if outputs.report is not None:
                        is_text = outputs.report.suffix.lower() == ".md"
                        text = report.markdown(result) if is_text else report.html(result)
                        with writing(outputs.report) as file:
                            file.write(text)
            finally:
                # Also of an interrupted run; a file has room for more columns than a terminal.
                screen = console()
                if width is not None and not screen.is_terminal:
                    screen.width = width
                for part in report.text(outputs.latest) if outputs.latest is not None else ():
                    screen.print(part)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return with_options


class Outputs:
    """The files of a command: figures and records are written as they arrive."""

    def __init__(self, json_output: Path | None, report: Path | None, records: Path | None) -> None:
        check_outputs(json_output, report, records)
        self.json, self.records, self.report = json_output, records, report
        self.latest: Result | None = None
        self._parts = 0

    def update(self, result: Result, *, is_final: bool = False) -> None:
        """Write a result that may be incomplete; each record is written once.

        Figures replace those before as a whole, so that an interruption loses none. Figures that
        are not final go to regular files only: a pipe cannot be rewritten.
        """
        self.latest = result
        if (path := self.json) is not None and (is_final or path.is_file() or not path.exists()):
            with replacing_text(path) as file:
                file.write(json.dumps(result.json(), indent=2, ensure_ascii=False) + "\n")
        if self.records is not None:
            for part in result.records.parts[self._parts :]:
                with writing(self.records, "a" if self._parts else "w") as file:
                    file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in part())
                self._parts += 1


def check_outputs(json_output: Path | None, report: Path | None, records: Path | None) -> None:
    """Raise `InputError` before the work begins if its results could not be written."""
    if report is not None:
        from ..report.page import require_plots, require_templates

        kind = report.suffix.lower()
        if kind not in (".html", ".htm", ".md"):
            raise InputError(f"{report}: a report must end in .html or .md")
        if kind != ".md":
            require_plots()
        require_templates()
    files: set[Path] = set()
    for path in filter(None, (json_output, report, records)):
        require_writable(path)
        if path.resolve() in files:
            raise InputError(f"{path}: two outputs cannot share a file")
        if path.is_file() or not path.exists():
            files.add(path.resolve())


def require_model_file(path: Path, load: Callable[[Path], object], what: str) -> None:
    """Raise `InputError` if writing would fail, or overwrite something that does not load."""
    require_writable(path)
    if path.exists() and not path.is_file():  # writing would replace even a device
        raise InputError(f"{path}: cannot be written")
    if path.is_file() and path.stat().st_size:
        try:
            load(path)
        except InputError:
            raise InputError(f"{path}: exists and is not {what}") from None
