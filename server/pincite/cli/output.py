"""Results as JSON and as text for a terminal."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..text.characters import with_controls_escaped, with_controls_shown

if TYPE_CHECKING:
    from .. import Changes, Evidence, Place, Problem, Project

#: How many DOIs, titles or keys are named of what would be sent.
MAX_NAMED: Final = 10
#: Columns of a terminal in which text is readable.
_WIDTH = 80


def print_json(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Print one JSON value on stdout as UTF-8, and nothing else."""
    text = with_controls_escaped(json.dumps(value, ensure_ascii=False, indent=2))
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def echo(text: str = "", *, err: bool = False) -> None:
    """Print a line with control characters made visible; they must not reach the terminal."""
    typer.echo(with_controls_shown(text), err=err)


def log(text: str) -> None:
    """Print a message of Pincite on stderr."""
    echo(f"pincite: {text}", err=True)


def console() -> Console:
    """Return a console for results; it wraps lines only on a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, as in ``1 citation``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def picked(value: object, *names: str) -> dict[str, Any]:
    """Return attributes of a value by their names, for JSON."""
    return {name: getattr(value, name) for name in names}


def relative(path: Path, folder: Path | None = None) -> str:
    """Return a path from a folder, the current one by default, with slashes."""
    from ..api import paths

    return paths.relative(path, folder)


def place_json(project: Project, place: Place) -> dict[str, Any]:
    """Return a place as JSON, its file relative to the draft's folder."""
    path = relative(place.file, project.path.parent)
    return {"file": path, "line": place.line, "column": place.column}


def shown_place(project: Project, place: Place) -> str:
    """Return a place as ``file:line:column``."""
    return ":".join(map(str, place_json(project, place).values()))


def report(problems: Sequence[Problem]) -> None:
    """Print problems to stderr, each once, with file and line."""
    from ..api.nouns import problem_text

    for text in dict.fromkeys(map(problem_text, problems)):
        log(text)


def report_problems(project: Project) -> int:
    """Print all problems; return the exit status: 2 if a paper is broken."""
    report(project.problems_of("draft", "entries", "bibliographies", "setup"))
    of_papers = project.problems_of("papers")
    report(of_papers)
    return 2 if any(problem.broken for problem in of_papers) else 0


def require_terminal(*, as_json: bool = False) -> None:
    """Raise `PinciteError` if the author cannot be asked."""
    from .. import PinciteError

    if as_json or not sys.stdin.isatty():
        raise PinciteError("nothing was sent: there is no terminal to ask on; confirm with --yes")


def may_send(*, agreed: bool, as_json: bool = False, err: bool = False) -> bool:
    """Return whether the author agrees to what was shown; raise `PinciteError` without a terminal.

    With `err`, the question is on stderr, as results are on stdout.
    """
    if agreed:
        return True
    require_terminal(as_json=as_json)
    if not (agrees := typer.confirm("Send this?", default=False, err=err)):
        echo("Nothing was sent.", err=err)
    return agrees


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress on stderr if it is a terminal."""
    from rich.progress import Progress

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def opened(draft: Path, options: Mapping[str, Any]) -> Project:
    """Open a draft, and report which one it is where only its folder was given."""
    import pincite

    project = pincite.open(draft, **options)
    if draft.is_dir():
        log(f"{draft}: the draft is {relative(project.path, draft)}")
    elif project.main != project.path:
        main = relative(project.main)
        log(f"{draft}: part of {main}, whose bibliographies and commands apply")
    return project


def show_changes(
    changes: Changes, draft: Path, *, write: bool, as_json: bool, **more: object
) -> None:
    """Print what would be changed as a diff, or write it if asked to; as JSON with `more`."""
    if write:
        changes.write()
    diff = changes.diff(relative)
    if as_json:
        print_json({"draft": str(draft), "written": write, **more, "diff": diff})
    elif not write:
        for line in diff.splitlines():
            echo(line)


def read_papers(project: Project) -> None:
    """Read the papers of a draft, showing progress."""
    with progress_bar("Reading papers") as progress:
        project.read_papers(progress)


def show(text: str | Text, indent: int = 0, style: str = "") -> None:
    """Print a line of results; on a terminal, wrapped lines have the indent and `style`, too."""
    screen = console()
    text = Text(text) if isinstance(text, str) else text.copy()
    # The replacement has the same length, so the spans of styles stay valid.
    text.plain = with_controls_shown(text.plain)
    if not screen.is_terminal:
        screen.print(Text(" " * indent).append_text(Text.assemble(text)))
        return
    text.style = text.style or style
    screen.print(Padding(text, (0, 0, 0, indent), expand=False))


def wrapped(text: str, indent: int) -> None:
    """Print a text in lines that are readable; keys, options and paths are not broken."""
    for line in lines_of(text, indent):
        show(line, indent)


def lines_of(text: str, indent: int) -> list[str]:
    """Return the lines of a text with an indent; a narrow terminal has shorter ones."""
    screen = console()
    width = min(_WIDTH, max(screen.width, 20)) if screen.is_terminal else _WIDTH
    return textwrap.wrap(text, width - indent, break_on_hyphens=False, break_long_words=False)


def first_of(items: Sequence[str], limit: int) -> Sequence[str]:
    """Return the first items, and how many more there are."""
    if len(items) <= limit + 1:
        return items
    return (*items[:limit], f"and {len(items) - limit:,} more (--format json lists all)")


def support_json(evidence: Sequence[Evidence], differ: tuple[str, str] | None) -> dict[str, Any]:
    """Return a work's supporting sentences, and languages that differ (docs/reference/json.md)."""
    sentences = [
        {
            **picked(each, "text", "page", "page_label", "section"),
            "score": round(each.score, 6),
            **picked(each, "strength", "probability", "matched"),
            **picked(each, "highlighted", "comment"),
        }
        for each in evidence
    ]
    languages = {} if differ is None else {"languages": {"draft": differ[0], "entry": differ[1]}}
    return {"supporting": sentences, **languages}


def show_languages(differ: tuple[str, str] | None, indent: int) -> None:
    """Print a note where draft and work are in different languages."""
    if differ is not None:
        show(f"languages differ: draft {differ[0]}, work {differ[1]}", indent)


def show_support(evidence: Sequence[Evidence], indent: int) -> None:
    """Print supporting sentences, each with strength, matched words and location."""
    styled = console().is_terminal
    for each in evidence:
        line, last = Text.assemble((f"{each.strength or '':7}  ", "dim" if styled else ""), "“"), 0
        for start, end in each.matched:
            line.append(each.text[last:start])
            word = each.text[start:end]
            line.append(word if styled else f"*{word}*", style="bold" if styled else "")
            last = end
        line.append(f"{each.text[last:]}”")
        if each.location:
            line.append(f"  ({each.location})", style="cyan" if styled else "")
        show(line, indent)
