"""Walk over the files that a main file includes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from ....model.drafts import Include
from ....model.problems import InputError, Problem
from ....model.spans import TextSpan
from ...bibliography_files import line_at
from ...disk import Disk
from ...paths import expanded
from ..commands import CommandTable, learn_commands
from ..named_files import NamedFiles
from .scan import Scan

MOST_FILES = 5_000


class Walk:
    """A walk over the files that a main file includes, each once, in reading order."""

    def __init__(
        self,
        scan: Callable[[Path], Scan],
        main: Path,
        disk: Disk,
        texts: dict[str, str] | None = None,
    ) -> None:
        self._scan = scan
        self.main = main
        self.disk = disk
        #: Whether the main file does not include the requested file.
        self.outside = False
        #: Whether the main file names another main file, which is missing.
        self.is_part = False
        self.scans: dict[Path, Scan] = {}
        self.children: dict[Path, list[Path]] = {}
        self.inclusions: dict[Path, list[tuple[int, Path]]] = {}
        self.import_folders: dict[Path, Path] = {}
        self.problems: list[Problem] = []
        self.texts = texts if texts is not None else {}
        self._disk_state = disk.state

    def visit(
        self,
        path: Path,
        import_folder: Path | None = None,
        named: tuple[Path, str, int] | None = None,
    ) -> None:
        """Read `path` and recursively what it includes; unreadable files become problems.

        `named` is the file that names it, with its text and the offset there.
        """
        # Not by recursive calls: a chain of files may be deeper than Python's stack.
        reading = [self._read(path, import_folder, named)]
        while reading:
            if (inner := next(reading[-1], None)) is None:
                reading.pop()
            else:
                reading.append(self._read(*inner))

    def _read(
        self, path: Path, import_folder: Path | None, named: tuple[Path, str, int] | None
    ) -> Iterator[tuple[Path, Path | None, tuple[Path, str, int]]]:
        """Read a file; yield the arguments of `visit` for each file that it includes."""
        if path in self.scans or len(self.scans) >= MOST_FILES:
            return
        try:
            scan = self._scan(path)
        except InputError as error:
            place, line = None, None
            if named is not None:
                place, line = named[0], line_at(*named[1:])
            self.problems.append(Problem(place, line, str(error)))
            return
        self.scans[path] = scan
        self.children[path] = []
        if import_folder is not None:
            self.import_folders[path] = import_folder
        self.texts.update(scan.texts)
        for include in self.named(scan).includes:
            if include.kind == "root":
                continue
            found = self._find(include, path)
            if found is not None:
                target, folder = found
                yield target, folder, (path, scan.text, include.span.start)
                if target not in self.scans:
                    continue  # it cannot be read, which is reported
                self.children[path].append(target)
                if include.kind == "text":
                    self.inclusions.setdefault(path, []).append((include.span.start, target))
            elif include.kind == "text" and _should_exist(include.name):
                line = line_at(scan.text, include.span.start)
                message = f"the file “{include.name}” that is read here does not exist"
                self.problems.append(Problem(path, line, message))

    def after_edits(self) -> Walk | None:
        """Return this walk after edits; None where these may have changed what files name.

        To walk over all files of a draft takes as long as to parse an edited one.
        """
        if self.disk.state != self._disk_state:
            return None
        edited: dict[Path, Scan] = {}
        for path, known in self.scans.items():
            try:
                scan = self._scan(path)
            except InputError:
                return None
            if scan is known:
                continue
            # Where a file includes others is also known by its offset.
            if self.children[path] or not scan.differs_only_in_text(known):
                return None
            edited[path] = scan
        if any(problem.path in edited for problem in self.problems):
            return None
        walk = self._copy("named_files")
        walk.scans = self.scans | edited
        return walk

    @property
    def document(self) -> TextSpan | None:
        """The first command of the main file that only main files have."""
        main = self.scans.get(self.main)
        return None if main is None else main.document

    @property
    def lists_works(self) -> bool:
        """Whether the draft prints a list of works by hand."""
        return any(scan.named.bib_items for scan in self.scans.values())

    @cached_property
    def table(self) -> CommandTable:
        """The commands that the draft's files define, available once all are read."""
        return learn_commands(each for scan in self.scans.values() for each in scan.definitions)

    def named(self, scan: Scan) -> NamedFiles:
        """Return what a file names; macros in names are resolved as far as they are known."""
        texts = self._texts_in(scan)
        if not scan.named.unresolved or not texts:
            return scan.named
        return scan.named_with(CommandTable(texts=texts))

    @cached_property
    def named_files(self) -> dict[Path, NamedFiles]:
        """What each file names, with the macros of the whole draft, once all are read."""
        own = self.table.bibliographies
        return {
            path: scan.named_with(replace(self.table, texts=self._texts_in(scan)))
            if scan.named.unresolved or own
            else scan.named
            for path, scan in self.scans.items()
        }

    @property
    def has_all_text(self) -> bool:
        """Whether all text files that are named were read."""
        named = self.named_files.items()
        texts = (each for path, each in named if _is_text(path))
        return not self.problems and not any(each.unresolved for each in texts)

    @property
    def names_all(self) -> bool:
        """Whether all text is known, and also what the draft's own packages name."""
        return self.has_all_text and not any(e.unresolved for e in self.named_files.values())

    def _texts_in(self, scan: Scan) -> dict[str, str]:
        return {**self.texts, "jobname": self.main.stem} if scan.names_job else self.texts

    def _find(self, include: Include, includer: Path) -> tuple[Path, Path | None] | None:
        # Fast, as all files of a draft are looked up with every letter typed.
        folders = [_folder_of(self.main), _folder_of(includer)]
        if (current := self.import_folders.get(includer)) is not None:
            folders.insert(0, current)
        if include.folder:
            folders = [folder / include.folder for folder in folders]
        for folder in folders:
            for path in _paths(folder, include.name, include.kind):
                if self.disk.is_file(path):
                    return _path(path), folder if include.folder else current
        return None

    def reached_from(self, path: Path) -> list[Path]:
        """Return the text files that `path` includes, itself first, in reading order."""
        reached: dict[Path, None] = {}
        stack = [path] if path in self.scans else []
        while stack:
            current = stack.pop()
            if current in reached:
                continue
            reached[current] = None
            stack.extend(reversed(self.children.get(current, [])))
        return [p for p in reached if p == path or _is_text(p)]

    def with_outside(self, other: Walk) -> Walk:
        """Return this walk with that over files which the main file does not include."""
        walk = self._copy("named_files", "table")
        walk.outside = True
        walk.texts = other.texts
        walk.scans = self.scans | other.scans
        walk.children = self.children | other.children
        walk.inclusions = self.inclusions | other.inclusions
        walk.import_folders = self.import_folders | other.import_folders
        walk.problems = self.problems + other.problems
        return walk

    def _copy(self, *outdated: str) -> Walk:
        """Return a copy without cached properties that are outdated in it."""
        walk = copy(self)
        for name in outdated:
            vars(walk).pop(name, None)
        return walk


_NO_TEXT = frozenset({".sty", ".cls", ".clo", ".def", ".cfg", ".bbl", ".ltx.def"})


#: Files of TeX distributions that drafts read by ``\input``.
_DISTRIBUTED = frozenset(
    "glyphtounicode glyphtounicode-cmr xy amssym epsf psfig pstricks texdraw".split()
)


def _should_exist(name: str) -> bool:
    """Return whether to report a missing file: a part of the text, not a picture or output."""
    path = Path(name)
    is_text = bool(path.name) and path.suffix.lower() in ("", ".tex", ".ltx")
    return is_text and path.with_suffix("").as_posix() not in _DISTRIBUTED


@lru_cache(maxsize=MOST_FILES)
def _paths(folder: Path, name: str, kind: str) -> tuple[str, ...]:
    """Return the files in a folder that a name in LaTeX may mean."""
    name = expanded(name)
    if kind == "package":
        suffixes: Sequence[str] = (".sty", ".cls")
    else:
        suffixes = (".tex", "") if Path(name).suffix else (".tex", ".ltx", "")
    return tuple(os.path.normpath(folder / f"{name}{suffix}") for suffix in suffixes)


@lru_cache(maxsize=MOST_FILES)
def _folder_of(path: Path) -> Path:
    return path.parent


@lru_cache(maxsize=MOST_FILES)
def _is_text(path: Path) -> bool:
    return path.suffix.lower() not in _NO_TEXT


_path = lru_cache(maxsize=MOST_FILES)(Path)
