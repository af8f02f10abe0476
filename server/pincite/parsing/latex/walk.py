"""Walk over the files that a main file includes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from ...model.drafts import Include
from ...model.problems import InputError, Problem
from ...model.spans import TextSpan
from ..bibliography_files import line_at
from ..disk import Disk
from ..paths import expanded
from .commands import CommandTable, learn_commands
from .named_files import NamedFiles
from .options import stored_in
from .scan import Scan

MAX_FILES = 5_000
#: The files may be read so often, as they define commands for those that name others.
_MAX_PASSES = 10
#: In so many folders above that of the main file LaTeX may run.
_MAX_ABOVE = 2
#: So many macros in names may be options of packages.
_MAX_STORED = 50
_NO_TEXT = frozenset({".sty", ".cls", ".clo", ".def", ".cfg", ".bbl", ".ltx.def"})
#: Files of TeX distributions that drafts read by ``\input``.
_DISTRIBUTED = frozenset(
    "glyphtounicode glyphtounicode-cmr xy amssym epsf psfig pstricks texdraw".split()
)
#: A file to read, the folder that ``\import`` gives it, and the file and offset that name it.
_ToRead = tuple[Path, Path | None, tuple[Path, int] | None]


class Walk:
    """A walk over the files that a main file includes, each once, in reading order.

    `outside` is another file with what it includes, which the main file does not (yet).
    """

    def __init__(
        self, scan: Callable[[Path], Scan], main: Path, disk: Disk, outside: Path | None = None
    ) -> None:
        self._scan, self.main, self.disk = scan, main, disk
        #: Whether the main file names another main file, which is missing.
        self.is_part = False
        # LaTeX may run in a folder above: its file names are then relative to that one.
        self.above = main.parent.parents[:_MAX_ABOVE]
        self._disk_state = disk.state
        #: The commands that the draft's files define.
        self.table = CommandTable()
        for _ in range(_MAX_PASSES):
            self.scans: dict[Path, Scan] = {}
            self._named: dict[Path, NamedFiles] = {}
            #: What each file includes, and where; packages without a place.
            self.children: dict[Path, list[tuple[int | None, Path]]] = {}
            self.import_folders: dict[Path, Path] = {}
            self.problems: list[Problem] = []
            for first in (main,) if outside is None else (main, outside):
                # Not by recursive calls: a chain of files may be deeper than Python's stack.
                reading = [self._read(first, None, None)]
                while reading:
                    if (inner := next(reading[-1], None)) is None:
                        reading.pop()
                    else:
                        reading.append(self._read(*inner))
            known, scans = self.table, self.scans.values()
            self.table = learn_commands(tuple(d for scan in scans for d in scan.definitions))
            is_open = self.table.naming or any(scan.named.unresolved for scan in scans)
            same = known.texts == self.table.texts and known.naming == self.table.naming
            if not is_open or same:
                break

    def _read(
        self, path: Path, import_folder: Path | None, named: tuple[Path, int] | None
    ) -> Iterator[_ToRead]:
        """Read a file and yield the files that it includes; unreadable ones become problems."""
        if path in self.scans or len(self.scans) >= MAX_FILES:
            return
        try:
            scan = self._scan(path)
        except InputError as error:
            line = named and line_at(self.scans[named[0]].text, named[1])
            self.problems.append(Problem(named and named[0], line, str(error)))
            return
        self.scans[path] = scan
        children = self.children[path] = []
        folders = [self.main.parent, path.parent, *self.above]
        if import_folder is not None:
            self.import_folders[path] = import_folder
            folders.insert(0, import_folder)
        self._named[path] = scan.named
        if self.table.naming or scan.named.unresolved:
            self._named[path] = self._named_in(scan, {})
        for include in self._named[path].includes:
            if include.kind == "root":
                continue
            place = include.span.start
            if (found := self._find(include, folders)) is not None:
                target, folder = found
                yield target, folder if include.folder else import_folder, (path, place)
                if target in self.scans:  # else it cannot be read, which is reported
                    children.append((place if include.kind == "text" else None, target))
            elif is_text(path) and _should_exist(include):
                line = line_at(scan.text, place)
                message = f"the file “{include.name}” that is read here does not exist"
                self.problems.append(Problem(path, line, message))

    def _named_in(self, scan: Scan, options: dict[str, str]) -> NamedFiles:
        """Return what a file names, with its own macros before those of others."""
        texts = {**self.table.texts, **scan.texts, "jobname": self.main.stem, **options}
        return scan.named_with(replace(self.table, texts=texts))

    def is_current(self) -> bool:
        """Return whether the files are still as they were, and where they were."""
        try:
            same = all(self._scan(path) is scan for path, scan in self.scans.items())
        except InputError:
            return False
        return same and self.disk.state == self._disk_state

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
    def named_files(self) -> dict[Path, NamedFiles]:
        """What each file names, with the macros of the whole draft."""
        # The macros in which a package stores what the author sets.
        options = {macro: value for macro, (_, value) in self._stored.items() if value}
        stored = {
            path: self._named_in(scan, options)
            for path, scan in self.scans.items()
            if not scan.macros_in_names.isdisjoint(options)
        }
        return self._named | stored

    @property
    def stored_options(self) -> set[str]:
        """The options with which the draft's own packages make up names of files."""
        return {option for option, _ in self._stored.values()}

    @cached_property
    def _stored(self) -> dict[str, tuple[str, str]]:
        """By macro, the option or command with which the author sets it, and its value."""
        macros = {macro for scan in self.scans.values() for macro in scan.macros_in_names}
        if not macros:
            return {}
        packages = [scan for path, scan in self.scans.items() if not is_text(path)]
        others = [scan for path, scan in self.scans.items() if is_text(path)]
        # What the author sets counts, before what a package sets.
        given = {each.name: each.value for scan in packages + others for each in scan.named.options}
        found: dict[str, tuple[str, str]] = {}
        for macro in sorted(macros)[:_MAX_STORED]:
            stores = (stored_in(macro, scan.visible) for scan in packages + others)
            if (option := next(filter(None, stores), None)) is None:
                continue
            name, default = option
            value = given.get(name)
            if name.startswith("\\"):
                given_to = re.compile(rf"{re.escape(name)}\s*\{{([^{{}}#\\]{{1,500}})\}}")
                uses = (given_to.search(scan.visible) for scan in others + packages)
                value = next((use[1].strip() for use in uses if use), None)
            found[macro] = name, value or self.table.texts.get(macro, default)
        return found

    @property
    def has_all_text(self) -> bool:
        """Whether all text files that are named were read."""
        named = self.named_files.items()
        return not self.problems and not any(e.unresolved for path, e in named if is_text(path))

    @property
    def names_all(self) -> bool:
        """Whether all text is known, and also what the draft's own packages name."""
        return self.has_all_text and not any(e.unresolved for e in self.named_files.values())

    def _find(self, include: Include, folders: Iterable[Path]) -> tuple[Path, Path] | None:
        """Return the file that a name means, and in which folder it is."""
        for folder in folders:
            folder = folder / include.folder if include.folder else folder
            for path in _paths(folder, include.name, include.kind):
                if self.disk.is_file(path):
                    return path, folder
        return None

    def reached_from(self, path: Path) -> list[Path]:
        """Return the text files that `path` includes, itself first, in reading order."""
        reached: dict[Path, None] = {}
        stack = [path] if path in self.scans else []
        while stack:
            current = stack.pop()
            if current not in reached:
                reached[current] = None
                stack += [child for _, child in reversed(self.children.get(current, []))]
        return [each for each in reached if each == path or is_text(each)]


def _should_exist(include: Include) -> bool:
    """Return whether to report a missing file: a part of the text, not a picture or output."""
    path = Path(include.name)
    is_part = bool(path.name) and path.suffix.lower() in ("", ".tex", ".ltx")
    is_needed = include.kind == "text" and not include.optional
    return is_part and is_needed and path.with_suffix("").as_posix() not in _DISTRIBUTED


@lru_cache(maxsize=MAX_FILES)
def _paths(folder: Path, name: str, kind: str) -> tuple[Path, ...]:
    """Return the files in a folder that a name in LaTeX may mean.

    Cached, as all files of a draft are looked up with every letter typed.
    """
    name = expanded(name)
    if kind == "package":
        suffixes: Sequence[str] = (".sty", ".cls")
    else:
        suffixes = (".tex", "") if Path(name).suffix else (".tex", ".ltx", "")
    return tuple(Path(os.path.normpath(folder / f"{name}{each}")) for each in suffixes)


@lru_cache(maxsize=MAX_FILES)
def is_text(path: Path) -> bool:
    """Return whether a file may be a part of the text, not a package or a class."""
    return path.suffix.lower() not in _NO_TEXT
