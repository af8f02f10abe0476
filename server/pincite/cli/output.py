"""Results as JSON and as text for a terminal."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..text.controls import with_controls_escaped, with_controls_shown

if TYPE_CHECKING:
    from .. import Evidence, Place, Problem, Project

#: Columns of a terminal in which text is readable.
WIDTH = 80


def print_json(value: Any) -> None:  # noqa: ANN401 - whatever JSON can say
    """Print one JSON value on stdout as UTF-8, and nothing else."""
    if sys.stdout is None:  # closed by the calling process
        return
    text = with_controls_escaped(json.dumps(value, ensure_ascii=False, indent=2))
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def echo(text: str, *, err: bool = False) -> None:
    """Print a line with control characters made visible; they must not reach the terminal."""
    typer.echo(with_controls_shown(text), err=err)


def console() -> Console:
    """Return a console for results; it wraps lines only on a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, as in ``1 citation``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def languages_line(differ: tuple[str, str]) -> str:
    """Say that draft and work are in different languages."""
    return f"languages differ: draft {differ[0]}, work {differ[1]}"


def relative(project: Project, path: Path) -> str:
    """Return a file's path relative to the draft's folder."""
    return Path(os.path.relpath(path, project.path.parent)).as_posix()


def shown_place(project: Project, place: Place) -> str:
    """Return a place as ``file:line:column``."""
    return f"{relative(project, place.file)}:{place.line}:{place.column}"


def place_json(project: Project, place: Place) -> dict[str, Any]:
    """Return a place as JSON."""
    path = relative(project, place.file)
    return {"file": path, "line": place.line, "column": place.column}


def report(problems: Sequence[Problem]) -> None:
    """Print problems to stderr, each once, with file and line."""
    from ..api.nouns import problem_text

    for text in dict.fromkeys(map(problem_text, problems)):
        echo(f"pincite: {text}", err=True)


def report_problems(project: Project) -> int:
    """Print all problems; return the exit status: 2 if a paper is broken."""
    report(project.problems_of("draft", "entries", "bibliographies", "setup"))
    of_papers = project.problems_of("papers")
    report(of_papers)
    return 2 if any(problem.broken for problem in of_papers) else 0


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress on stderr if it is a terminal."""
    from rich.progress import Progress

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def read_papers(project: Project) -> None:
    """Read the papers of a draft, showing progress."""
    with progress_bar("Reading papers") as progress:
        project.read_papers(progress)


def show(screen: Console, text: str | Text, indent: int, style: str = "") -> None:
    """Print a line of results; on a terminal, wrapped lines keep the indent and `style`."""
    text = Text(text) if isinstance(text, str) else text.copy()
    # The replacement has the same length, so the spans of styles stay valid.
    text.plain = with_controls_shown(text.plain)
    if not screen.is_terminal:
        screen.print(Text(" " * indent).append_text(Text.assemble(text)))
        return
    text.style = text.style or style
    screen.print(Padding(text, (0, 0, 0, indent), expand=False))


def wrapped(screen: Console, text: str, indent: int) -> None:
    """Print a text in lines that are readable on a terminal, also where stdout is none.

    Keys, options and paths are not broken.
    """
    width = WIDTH - indent
    for line in textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False):
        show(screen, line, indent)


def first_of(items: Sequence[str], most: int) -> Sequence[str]:
    """Return the first items, and how many more there are."""
    if len(items) <= most + 1:
        return items
    return (*items[:most], f"and {len(items) - most:,} more (--format json lists all)")


def support_json(evidence: Sequence[Evidence], differ: tuple[str, str] | None) -> dict[str, Any]:
    """Return the supporting sentences of a work in the JSON form of docs/json.md.

    The languages of draft and work are added where they differ.
    """
    found: dict[str, Any] = {"supporting": [_evidence_json(each) for each in evidence]}
    if differ is not None:
        found["languages"] = {"draft": differ[0], "entry": differ[1]}
    return found


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    return {
        "text": evidence.text,
        "page": evidence.page,
        "page_label": evidence.page_label,
        "section": evidence.section,
        "score": round(evidence.score, 6),
        "strength": evidence.strength,
        "probability": evidence.probability,
        "matched": [list(pair) for pair in evidence.matched],
        "highlighted": evidence.highlighted,
        "comment": evidence.comment,
    }


def marked(text: str, spans: Sequence[tuple[int, int]], *, styled: bool) -> Text:
    """Return `text` with the spans in bold, or between asterisks if not `styled`."""
    result, last = Text(), 0
    for start, end in spans:
        result.append(text[last:start])
        word = text[start:end]
        result.append(word if styled else f"*{word}*", style="bold" if styled else "")
        last = end
    result.append(text[last:])
    return result


def support_line(evidence: Evidence, *, styled: bool) -> Text:
    """Return a line for a supporting sentence: strength, marked sentence, location."""
    line = Text.assemble((f"{evidence.strength or '':7}  ", "dim" if styled else ""))
    line.append_text(Text("“"))
    line.append_text(marked(evidence.text, evidence.matched, styled=styled))
    line.append_text(Text("”"))
    if evidence.location:
        line.append(f"  ({evidence.location})", style="cyan" if styled else "")
    return line
