"""The files of a draft, as its main file includes them, in Markdown and Typst.

Also the bibliographies that a draft in any markup names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..model.drafts import BibliographySource, DraftFile, Include
from ..model.markups import markup_of
from ..model.problems import InputError, MissingBibliography, Problem
from ..model.spans import TextSpan, line_starts
from .markup import FindFile

_MOST_FILES: Final = 5_000


@dataclass(slots=True)
class Walk:
    """The files of a draft, in reading order, with what each includes.

    `read` returns a parsed file, `find` the existing file that another one includes by a name.
    """

    main: Path
    read: Callable[[Path], DraftFile]
    find: Callable[[str, Path], Path | None]
    files: dict[Path, DraftFile] = field(default_factory=dict)
    inclusions: dict[Path, list[tuple[int, Path]]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def visit(self, first: Path, wanted: Path) -> None:
        """Read a file and what it includes in the same markup.

        Raises `InputError` if the `wanted` file cannot be read; others are problems.
        """
        waiting: list[tuple[Path, tuple[Path, Include] | None]] = [(first, None)]
        while waiting and len(self.files) < _MOST_FILES:
            current, named = waiting.pop()
            if current in self.files:
                continue
            try:
                file = self.read(current)
            except InputError as error:
                if current == wanted:
                    raise
                line = self._line(*named) if named else None
                self.problems.append(Problem(named[0] if named else None, line, str(error)))
                continue
            self.files[current] = file
            inner: list[tuple[Path, tuple[Path, Include]]] = []
            for include in file.includes:
                target = self.find(include.name, current)
                if target is None:
                    message = f"the file “{include.name}” that is read here does not exist"
                    self.problems.append(Problem(current, self._line(current, include), message))
                elif markup_of(target) == markup_of(current):
                    self.inclusions.setdefault(current, []).append((include.span.start, target))
                    inner.append((target, (current, include)))
            waiting += reversed(inner)

    def reached_from(self, path: Path) -> list[Path]:
        """Return the files that one includes, itself first."""
        reached: dict[Path, None] = {}
        waiting = [path]
        while waiting:
            current = waiting.pop()
            if current not in reached and current in self.files:
                reached[current] = None
                waiting += [each for _, each in reversed(self.inclusions.get(current, []))]
        return list(reached)

    def _line(self, path: Path, include: Include) -> int:
        return self.files[path].line_column(include.span.start)[0]


def line_at(text: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return bisect_right(_line_starts(text), offset)


#: Cached, as a draft may lack many files.
_line_starts = lru_cache(maxsize=4)(line_starts)


@dataclass(frozen=True, slots=True)
class NamedBibliography:
    """A bibliography as a draft names it, at a place of a file, and what it is.

    `text` is that of the file. One that is `remote` is on the network, a `distributed` one is part
    of TeX distributions.
    """

    path: Path
    text: str
    name: str
    span: TextSpan
    sources: tuple[BibliographySource, ...]
    remote: bool = False
    distributed: bool = False

    def missing(self) -> MissingBibliography:
        """Return what is said where there is none."""
        what = "is on the network and is not read" if self.remote else "does not exist"
        return MissingBibliography(
            self.path,
            line_at(self.text, self.span.start),
            f"the bibliography “{self.name}” {what}",
            name=self.name,
            span=self.span,
            remote=self.remote,
            distributed=self.distributed,
        )


def bibliographies_of(
    named: Iterable[NamedBibliography], elsewhere: FindFile
) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
    """Return the bibliographies that a draft names, each once, in order, and those missing.

    What is not where it should be is looked for `elsewhere`.
    """
    sources: dict[BibliographySource, None] = {}
    missing: list[MissingBibliography] = []
    for each in named:
        found = each.sources
        if not found and not each.remote and (other := elsewhere(each.name)) is not None:
            found = (BibliographySource(other),)
        sources.update(dict.fromkeys(found))
        if not found:
            missing.append(each.missing())
    return tuple(sources), missing
