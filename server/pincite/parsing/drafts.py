"""Read drafts, each by the reader of its markup, and find the bibliographies that they name."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..model.drafts import BibliographySource, Draft
from ..model.problems import MissingBibliography
from ..model.spans import TextSpan, line_starts
from .disk import Disk
from .markups import Markup, MarkupReader, markup_of
from .paths import expanded, is_pattern, normal

#: Reads a file's text, for open documents from the editor; raises `InputError`.
ReadText = Callable[[Path], str]
#: Finds a file by its name in a draft, if it is not in the usual places.
FindFile = Callable[[str], Path | None]
#: Finds fallbacks for bibliographies that the draft with this main file lacks.
FindFallbacks = Callable[[Path], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class DraftInputs:
    """What the readers of all markup languages need; for the functions see `DraftReader`."""

    read_text: ReadText
    find_bibliography: FindFile = lambda _name: None
    find_fallbacks: FindFallbacks = lambda _main: ()
    disk: Disk = field(default_factory=Disk)
    workspace: Path | None = None


class DraftReader:
    """Reads drafts in all markup languages, each `of` them with a reader of its own."""

    def __init__(
        self,
        read: ReadText | None = None,
        find_bibliography: FindFile = lambda _name: None,
        find_fallbacks: FindFallbacks = lambda _main: (),
        disk: Disk | None = None,
        workspace: Path | None = None,
    ) -> None:
        """Read files with `read`, or else from `disk`, on which they are searched.

        `find_bibliography` searches for one that is missing, `find_fallbacks` for those of a main
        file that names none. Patterns may lead anywhere in the `workspace`.
        """
        disk = Disk() if disk is None else disk
        read = disk.read if read is None else read
        self._inputs = DraftInputs(read, find_bibliography, find_fallbacks, disk, workspace)
        #: Each is made, and its modules are imported, with its first draft.
        self._readers: dict[Markup, MarkupReader] = {}

    def of(self, path: Path) -> MarkupReader:
        """Return the reader of the markup of a file."""
        markup = markup_of(path)
        if markup not in self._readers:
            self._readers[markup] = markup.reader(self._inputs)
        return self._readers[markup]

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`, which may be in any form; see `MarkupReader.read`."""
        return self.of(path).read(normal(path), root and normal(root))


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
            what = "is on the network, so it is not read" if each.remote else "does not exist"
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
