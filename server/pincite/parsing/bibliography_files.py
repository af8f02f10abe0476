"""The bibliographies that a draft names: their files, and the problems where there are none."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..model.drafts import BibliographySource
from ..model.problems import MissingBibliography
from ..model.spans import TextSpan, line_starts
from .disk import Disk
from .drafts import FindFile
from .paths import expanded, is_pattern


def bibliography_files(
    name: str, folders: Iterable[Path], within: Collection[Path], disk: Disk
) -> Iterator[Path]:
    """Yield the file with a name, with or without suffix, from the first of `folders` that has it.

    For a pattern, those are all matching files; they are searched only `within` some folders.
    """
    name = expanded(name)
    for folder in folders:
        for file in (name if name.lower().endswith(".bib") else f"{name}.bib", name):
            path = Path(os.path.normpath(folder / file))
            if disk.is_file(path):
                yield path
                return
            fits = is_pattern(file) and not Path(file).is_absolute()
            if fits and (matches := disk.matching(folder, file, within)):
                yield from matches
                return


class NamedBibliography(NamedTuple):
    """A bibliography as the `text` of a file names it; a `distributed` one is part of TeX."""

    path: Path
    text: str
    name: str
    span: TextSpan
    sources: tuple[BibliographySource, ...]
    remote: bool = False
    distributed: bool = False


def bibliographies_of(
    named: Iterable[NamedBibliography], elsewhere: FindFile
) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
    """Return the bibliographies that a draft names, each once, in order, and those missing."""
    sources: dict[BibliographySource, None] = {}
    missing: list[MissingBibliography] = []
    for each in named:
        found = each.sources
        if not found and not each.remote and (other := elsewhere(each.name)) is not None:
            found = (BibliographySource(other),)
        sources.update(dict.fromkeys(found))
        if not found:
            what = "is on the network and is not read" if each.remote else "does not exist"
            missing.append(
                MissingBibliography(
                    each.path,
                    line_at(each.text, each.span.start),
                    f"the bibliography “{each.name}” {what}",
                    name=each.name,
                    span=each.span,
                    remote=each.remote,
                    distributed=each.distributed,
                )
            )
    return tuple(sources), missing


def line_at(text: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return bisect_right(_line_starts(text), offset)


_line_starts = lru_cache(maxsize=4)(line_starts)  # a draft may lack many files
