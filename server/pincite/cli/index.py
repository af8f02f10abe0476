"""``pincite index``: read a library into the index and count what is known about its entries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

import pincite

from ..api.indexing import check_contexts_path, clear_index, index_status
from ..api.nouns import problem_text
from .options import Options
from .output import console, counted, echo, print_json, progress_bar, report, show

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


def run(
    targets: Sequence[Path],
    contexts: Path | None,
    jobs: int | None,
    options: Options,
    as_json: bool,
) -> int:
    """Index the targets and return the exit status: 2 if a paper is broken."""
    if contexts is not None:
        check_contexts_path(contexts)
    with progress_bar("Reading papers") as progress:
        indexed = pincite.index(targets, **options, jobs=jobs, progress=progress)
    if contexts is not None:
        indexed.write_contexts(contexts)
    if as_json:
        problems = [
            {
                "path": None if problem.path is None else str(problem.path),
                "line": problem.line,
                "message": problem.message,
            }
            for problem in indexed.problems
        ]
        print_json({**indexed.counts, "problems": problems})
    else:
        _print(indexed)
    return 2 if any(problem.broken for problem in indexed.problems) else 0


def _print(indexed: pincite.Indexed) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    counts = indexed.counts
    for name, label in _LABELS.items():
        table.add_row(label, f"{counts[name]:,}")
    screen = console()
    screen.print(table)
    if indexed.problems:
        screen.print(f"\n{counted(len(indexed.problems), 'problem')}:")
        for problem in indexed.problems:
            show(screen, problem_text(problem), 2)


def show_status(as_json: bool) -> int:
    """Print what the index holds."""
    held, problems = index_status()
    report(problems)
    if as_json:
        path = held["path"]
        print_json({**held, "path": None if path is None else str(path)})
        return 0
    numbers = (f"{value:,}" for value in held.values() if isinstance(value, int))
    digits, letters = max(map(len, numbers)), max(map(len, held))
    screen = console()
    for name, value in held.items():
        shown = f"{value:>{digits},}" if isinstance(value, int) else str(value)
        # A path is shown complete, however long it is and whatever characters it has.
        show(screen, f"{name.replace('_', ' '):<{letters}}  {shown}", 0)
    return 0


def empty() -> int:
    """Empty the index, which is a cache: everything in it can be rebuilt."""
    echo(f"pincite: emptied {clear_index()}", err=True)
    return 0
