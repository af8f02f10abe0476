r"""Fixtures that read as LaTeX, with the cursor in its place.

    %! main.tex
    As shown by \citet{|}.
    %! refs.bib
    @book{knuth, title = {The Art}}

A line ``%! name`` starts a file (without one, the text is ``main.tex``), a single ``|`` is the
cursor and ``||`` a bar. The text is dedented; a first line that is empty is left out.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from pincite.model.drafts import DraftFile
from pincite.parsing.drafts import DraftReader

_FILE = re.compile(r"^%! (\S+\.\w+)[ \t]*\n", re.M)
_BAR = re.compile(r"\|\|?")


@dataclass(frozen=True)
class Fixture:
    files: dict[str, str]
    #: File name and code-point offset of the cursor.
    cursor: tuple[str, int] | None = None

    @property
    def text(self) -> str:
        """The text of the first file."""
        return next(iter(self.files.values()))


def parse_fixture(text: str) -> Fixture:
    text = textwrap.dedent(text.removeprefix("\n"))
    pieces = _FILE.split(text)
    named = dict(zip(pieces[1::2], pieces[2::2], strict=True)) or {"main.tex": pieces[0]}
    cursors: list[tuple[str, int]] = []
    files = {name: _without_cursor(name, source, cursors) for name, source in named.items()}
    if len(cursors) > 1:
        raise ValueError("a fixture has one cursor; write a bar as ||")
    return Fixture(files, cursors[0] if cursors else None)


def _without_cursor(name: str, source: str, cursors: list[tuple[str, int]]) -> str:
    parts: list[str] = []
    last = 0
    for match in _BAR.finditer(source):
        parts.append(source[last : match.start()])
        if match.group() == "||":
            parts.append("|")
        else:
            cursors.append((name, sum(map(len, parts))))
        last = match.end()
    return "".join(parts) + source[last:]


def write_project(folder: Path, fixture: Fixture | str) -> Path:
    """Write the files of a fixture under `folder`; return the path of the first one."""
    if isinstance(fixture, str):
        fixture = parse_fixture(fixture)
    for name, text in fixture.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # What is there already stays: a server may be reading it.
        if not path.is_file() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
    return folder / next(iter(fixture.files))


def parse_latex(text: str) -> DraftFile:
    """Return the parsed main file of a draft in LaTeX that has no other."""
    return DraftReader(lambda _: text).read(Path("main.tex").absolute()).files[0]
