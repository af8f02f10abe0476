"""``pincite index``: read a library into the index and count what is known about its entries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

import pincite

from . import output
from .options import LIBRARY, Options, option, shared_options

_LABELS = {
    "entries": "Entries",
    "full_text": "  with full text",
    "abstract_only": "  with abstract only",
    "title_only": "  with title only",
    "papers": "Papers read",
    "sentences": "Sentences of entries",
    "inlink_contexts": "Inlink contexts",
    "entries_with_inlink_contexts": "  entries that have some",
}


@shared_options(*LIBRARY)
def index(
    targets: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DRAFT|FOLDER|FILE.bib]...",
            help="Drafts, folders or bibliographies to index (default: the current folder).",
        ),
    ] = None,
    contexts: Annotated[
        Path | None,
        option("--contexts FILE", "Write the inlink contexts as JSON lines."),
    ] = None,
    jobs: Annotated[
        int | None,
        option("--jobs N", "Reading processes (default: all CPUs).", min=1, max=256),
    ] = None,
    status: Annotated[
        bool, option("--status", "Show what the index holds and where it is.")
    ] = False,
    clear: Annotated[bool, option("--clear", "Empty the index.")] = False,
    *,
    options: Options,
    as_json: bool,
) -> int:
    """Read the papers of a library ahead of time; count entries with full text or abstract."""
    from ..api import indexing

    if status and clear:
        raise pincite.PinciteError("--status and --clear cannot be combined")
    if (status or clear) and (targets or contexts):
        raise pincite.PinciteError(
            "--status and --clear apply to the whole index: name no draft or folder"
        )
    if status:
        _show_status(as_json)
        return 0
    if clear:
        # It is a cache: everything in it can be rebuilt.
        output.log(f"emptied {indexing.clear_index()}")
        return 0
    if contexts is not None:
        indexing.check_contexts_path(contexts)
    with output.progress_bar("Reading papers") as progress:
        indexed = pincite.index(targets or (), **options, jobs=jobs, progress=progress)
    if contexts is not None:
        indexed.write_contexts(contexts)
    if as_json:
        problems = [
            {"path": each.path and str(each.path), **output.picked(each, "line", "message")}
            for each in indexed.problems
        ]
        output.print_json({**indexed.counts, "problems": problems})
    else:
        _show(indexed)
    return 2 if any(problem.broken for problem in indexed.problems) else 0


def _show(indexed: pincite.Indexed) -> None:
    from ..api.nouns import problem_text

    _show_rows({label: indexed.counts[name] for name, label in _LABELS.items()})
    if indexed.problems:
        output.echo(f"\n{output.counted(len(indexed.problems), 'problem')}:")
        for problem in indexed.problems:
            output.show(problem_text(problem), 2)


def _show_status(as_json: bool) -> None:
    from ..api.indexing import index_status

    held, problems = index_status()
    output.report(problems)
    if as_json:
        output.print_json({**held, "path": held["path"] and str(held["path"])})
        return
    _show_rows({name.replace("_", " "): value for name, value in held.items()})


def _show_rows(rows: Mapping[str, Path | int | None]) -> None:
    """Print names with numbers, and paths complete, however long they are."""
    numbers = (f"{value:,}" for value in rows.values() if isinstance(value, int))
    digits, letters = max(map(len, numbers)), max(map(len, rows))
    for name, value in rows.items():
        shown = f"{value:>{digits},}" if isinstance(value, int) else str(value)
        output.show(f"{name:<{letters}}  {shown}")
