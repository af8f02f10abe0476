"""What the evaluations share on the command line: progress, and files written with care."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...model.problems import InputError

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


class Bars:
    """Progress bars with the time that is left; `stack` ends what the run has begun."""

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


def check_writable(path: Path | None) -> None:
    """Raise `InputError` before the work begins if its result could not be written."""
    if path is None:
        return
    place = path if path.exists() else path.absolute().parent
    if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
        raise InputError(f"{path}: cannot be written")


def check_report(path: Path | None) -> None:
    """Raise `InputError` before the work begins if there could be no report of it."""
    if path is None or path.suffix.lower() == ".md":
        return
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: a report is .html or .md")
    from ...evaluation.page import require_plots

    require_plots()


def write_json(path: Path, written: Mapping[str, Any]) -> None:
    """Write figures; what was there before stays until all is written."""
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    if path.exists() and not path.is_file():  # such as /dev/stdout
        path.write_text(text, "utf-8")
        return
    # An interruption in the middle must not cost the rows written before.
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, "utf-8")
    part.replace(path)
