"""What readers of collections share: the files, and a paper with its location."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pincite.model.papers import NO_BREAK_SPACE, Reference, ReferencePaper


class FoundPaper(NamedTuple):
    """A paper, under the id by which the others of its collection cite it.

    `links` has the id of the paper that each reference refers to, empty if not given. The paper
    begins in the 1-based `line` of the file `path`, or `path` is the folder of its sources.
    """

    id: str
    paper: ReferencePaper
    links: tuple[str, ...]
    path: Path
    line: int | None


def files_below(folder: Path, is_wanted: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield the non-hidden files in a folder and below that are wanted."""
    return (
        file
        for file in folder.rglob("*")
        if is_wanted(file)
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    )


def fields_of(work: Reference | ReferencePaper) -> dict[str, str]:
    """Return the fields by which a bibliography would describe a work; some may be empty."""
    return {
        "title": work.title,
        # A name is treated as one word.
        "author": " and ".join(name.replace(" ", NO_BREAK_SPACE) for name in work.surnames),
        "year": work.year,
        "doi": work.doi,
        "eprint": work.arxiv,
    }
