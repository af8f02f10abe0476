"""Find what divides the source of a LaTeX paper: headings, front matter, abstract, files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...latex.arguments import argument_span, options_end
from .sources import TEXTS

_SECTIONS = (
    "part chapter section subsection subsubsection paragraph subparagraph addchap addpart addsec "
    "minisec"
).split()
#: Front matter (who wrote it, where, when, about what) and the titles of slides.
_FRONT_MATTER = (
    "title subtitle author date institute affil affiliation address email keywords subject "
    "dedication thanks frametitle framesubtitle titlerunning authorrunning icmltitle icmlauthor "
    "icmlaffiliation icmlcorrespondingauthor icmltitlerunning acmConference acmBooktitle acmDOI "
    "acmISBN ccsdesc orcid received"
).split()
_STRUCTURE = re.compile(
    r"\\(?:(?P<edge>begin|end)\s*\{(?P<environment>[A-Za-z]{1,40})\*?\}"
    rf"|(?P<command>{'|'.join([*_SECTIONS, *_FRONT_MATTER, 'abstract'])})(?![A-Za-z@])\*?"
    r"|[^A-Za-z])",
    re.DOTALL,
)
#: Prefixes of commands of which no argument is text.
_MANY_ARGUMENTS = ("acm", "icml")
ABSTRACT = re.compile(r"\\abstract(?![A-Za-z@])")
_ABSTRACTS = frozenset(("abstract", "Abstract", "onecolabstract", "sciabstract"))
_NO_TEXT = frozenset(
    "titlepage CCSXML keyword keywords IEEEkeywords frontpage acronym thenomenclature".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that divides a file's text; offsets of the source.

    The source from `start` to `end` is not text: the heading of a "section" (`argument` is its
    title), "front" matter, where the "abstract" begins and ends, where a "file" is included.
    """

    start: int
    end: int
    kind: Literal["section", "front", "abstract", "end of abstract", "file"]
    argument: tuple[int, int] = (0, 0)
    path: Path | None = None


def places(visible: str, inclusions: Iterable[tuple[int, Path]]) -> list[Place]:
    """Return the places that divide a file's text, in order.

    `visible` is its source with comments blanked out; `inclusions` are the files that it includes,
    with the offsets where they are included.
    """
    found = [
        Place(offset, offset, "file", path=read)
        for offset, read in inclusions
        if read.suffix.lower() in (*TEXTS, "", ".txt")
    ]
    left_out: dict[str, int] = {}
    for match in _STRUCTURE.finditer(visible):
        start, end = match.span()
        environment, is_begin = match["environment"], match["edge"] == "begin"
        if environment in _ABSTRACTS:
            found.append(Place(start, end, "abstract" if is_begin else "end of abstract"))
        elif environment in _NO_TEXT:
            if is_begin:
                left_out.setdefault(environment, start)
            elif environment in left_out:
                found.append(Place(left_out.pop(environment), start, "front"))
        elif match["command"] and (within := argument(visible, end)):
            found += _places_of(match["command"], start, within, visible)
    return sorted(found, key=lambda place: place.start)


def _places_of(command: str, start: int, within: tuple[int, int], visible: str) -> Iterator[Place]:
    """Yield the places of a command whose argument is `within`."""
    first, last = within
    if command == "abstract":
        yield Place(start, first, "abstract")
        yield Place(last, last + 1, "end of abstract")
    elif command in _SECTIONS:
        yield Place(start, last + 1, "section", within)
    else:
        while command.startswith(_MANY_ARGUMENTS) and (more := argument(visible, last + 1)):
            last = more[1]
        yield Place(start, last + 1, "front")


def argument(source: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the braces that follow a command and its options."""
    return argument_span(source, options_end(source, position))


def braced(source: str, command: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the arguments of a command."""
    for match in command.finditer(source):
        if (found := argument(source, match.end())) is not None:
            yield found
