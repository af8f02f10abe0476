"""python -m website.commands: every command's `--help`, as it is printed, in Markdown."""

import sys
from collections.abc import Iterator

from typer.main import get_command
from typer.testing import CliRunner

from pincite import extensions
from pincite.cli.app import app


def pages() -> Iterator[str]:
    """Yield a section for each command: its name, and the help that it prints."""
    for name in extensions.COMMANDS:
        app.add_typer(extensions.load("commands", name, f"pincite {name}"), name=name)
    for words in _commands(get_command(app)):
        name = " ".join(("pincite", *words))
        printed = CliRunner().invoke(app, [*words, "--help"], prog_name="pincite").output
        yield f"### `{name}`\n\n```text\n$ {name} --help\n{printed.strip()}\n```\n"


def _commands(command: object, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command; a group is its commands."""
    below = getattr(command, "commands", None)
    if below is None:
        yield words
    for name in below or ():
        yield from _commands(below[name], *words, name)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write("\n".join(pages()))
