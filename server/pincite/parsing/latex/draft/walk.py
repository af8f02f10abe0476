"""Walk over the files that a main file includes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from ....model.drafts import Include
from ....model.problems import InputError, Problem
from ....model.spans import TextSpan
from ...bibliography_files import line_at
from ...disk import Disk
from ...paths import expanded
from ..commands import CommandTable, Definition, learn_commands, own_file_commands
from ..named_files import NamedFiles
from ..options import given_by_command, stored_in
from .scan import Scan

MAX_FILES = 5_000
#: A file may be read again so often, as others that it includes define commands.
_MAX_REREADINGS = 50
#: In so many folders above that of the main file LaTeX may run.
_MAX_ABOVE = 2
#: So many macros in names may be options of packages.
_MAX_STORED = 50


class Walk:
    """A walk over the files that a main file includes, each once, in reading order."""

    def __init__(
        self,
        scan: Callable[[Path], Scan],
        main: Path,
        disk: Disk,
    ) -> None:
        self._scan = scan
        self.main = main
        self.disk = disk
        #: Whether the main file names another main file, which is missing.
        self.is_part = False
        self.scans: dict[Path, Scan] = {}
        self.children: dict[Path, list[Path]] = {}
        self.inclusions: dict[Path, list[tuple[int, Path]]] = {}
        self.import_folders: dict[Path, Path] = {}
        self.problems: list[Problem] = []
        #: The macros and the commands that name files, of all files read so far.
        self.texts: dict[str, str] = {}
        self.naming: dict[str, Definition] = {}
        # LaTeX may run in a folder above: its file names are then relative to that one.
        self.above = main.parent.parents[:_MAX_ABOVE]
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
        if path in self.scans or len(self.scans) >= MAX_FILES:
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
        for include in self._includes(scan):
            found = self._find(include, path)
            if found is not None:
                target, folder = found
                yield target, folder, (path, scan.text, include.span.start)
                if target not in self.scans:
                    continue  # it cannot be read, which is reported
                self.children[path].append(target)
                if include.kind == "text":
                    self.inclusions.setdefault(path, []).append((include.span.start, target))
            elif is_text(path) and _should_exist(include):
                line = line_at(scan.text, include.span.start)
                message = f"the file “{include.name}” that is read here does not exist"
                self.problems.append(Problem(path, line, message))

    def _includes(self, scan: Scan) -> Iterator[Include]:
        """Yield what a file includes, in order; each may define commands for those after it."""
        done: set[Include] = set()
        start, more = 0, _MAX_REREADINGS
        changed = True
        while changed:
            if scan.definitions:
                self.naming = own_file_commands(scan.definitions, self.naming)
            changed, known = False, (len(self.texts), len(self.naming))
            for include in self.named(scan).includes:
                if include.kind == "root" or include.span.start < start or include in done:
                    continue
                done.add(include)
                start = include.span.start
                yield include
                if more and known != (len(self.texts), len(self.naming)):
                    changed, more = True, more - 1
                    break

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
    def table(self) -> CommandTable:
        """The commands that the draft's files define, available once all are read."""
        return learn_commands(tuple(d for scan in self.scans.values() for d in scan.definitions))

    def named(self, scan: Scan) -> NamedFiles:
        """Return what a file names; macros in names are resolved as far as they are known."""
        if not self.naming and not scan.named.unresolved:
            return scan.named
        return scan.named_with(CommandTable(texts=self._texts_in(scan), naming=self.naming))

    @cached_property
    def named_files(self) -> dict[Path, NamedFiles]:
        """What each file names, with the macros of the whole draft, once all are read."""
        own = self.table.naming
        options = self.option_texts
        return {
            path: scan.named_with(replace(self.table, texts=self._texts_in(scan) | options))
            if scan.named.unresolved or own or not scan.macros_in_names.isdisjoint(options)
            else scan.named
            for path, scan in self.scans.items()
        }

    @property
    def option_texts(self) -> dict[str, str]:
        """The macros in names of files in which a package stores what the author sets."""
        return {macro: value for macro, (_, value) in self._stored.items() if value}

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
            if name.startswith("\\"):
                values = (given_by_command(name[1:], scan.visible) for scan in others + packages)
                value = next(filter(None, values), None)
            else:
                value = given.get(name)
            found[macro] = name, value or self.texts.get(macro, default)
        return found

    @property
    def has_all_text(self) -> bool:
        """Whether all text files that are named were read."""
        named = self.named_files.items()
        texts = (each for path, each in named if is_text(path))
        return not self.problems and not any(each.unresolved for each in texts)

    @property
    def names_all(self) -> bool:
        """Whether all text is known, and also what the draft's own packages name."""
        return self.has_all_text and not any(e.unresolved for e in self.named_files.values())

    def _texts_in(self, scan: Scan) -> dict[str, str]:
        job = {"jobname": self.main.stem} if scan.names_job else {}
        return {**self.texts, **scan.texts, **job}

    def _find(self, include: Include, includer: Path) -> tuple[Path, Path | None] | None:
        # Fast, as all files of a draft are looked up with every letter typed.
        folders = [_folder_of(self.main), _folder_of(includer)]
        if (current := self.import_folders.get(includer)) is not None:
            folders.insert(0, current)
        folders += self.above
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
        return [p for p in reached if p == path or is_text(p)]


_NO_TEXT = frozenset({".sty", ".cls", ".clo", ".def", ".cfg", ".bbl", ".ltx.def"})


#: Files of TeX distributions that drafts read by ``\input``.
_DISTRIBUTED = frozenset(
    "glyphtounicode glyphtounicode-cmr xy amssym epsf psfig pstricks texdraw".split()
)


def _should_exist(include: Include) -> bool:
    """Return whether to report a missing file: a part of the text, not a picture or output."""
    path = Path(include.name)
    is_part = bool(path.name) and path.suffix.lower() in ("", ".tex", ".ltx")
    is_needed = include.kind == "text" and not include.optional
    return is_part and is_needed and path.with_suffix("").as_posix() not in _DISTRIBUTED


@lru_cache(maxsize=MAX_FILES)
def _paths(folder: Path, name: str, kind: str) -> tuple[str, ...]:
    """Return the files in a folder that a name in LaTeX may mean."""
    name = expanded(name)
    if kind == "package":
        suffixes: Sequence[str] = (".sty", ".cls")
    else:
        suffixes = (".tex", "") if Path(name).suffix else (".tex", ".ltx", "")
    return tuple(os.path.normpath(folder / f"{name}{suffix}") for suffix in suffixes)


@lru_cache(maxsize=MAX_FILES)
def _folder_of(path: Path) -> Path:
    return path.parent


@lru_cache(maxsize=MAX_FILES)
def is_text(path: Path) -> bool:
    """Return whether a file may be a part of the text, not a package or a class."""
    return path.suffix.lower() not in _NO_TEXT


_path = lru_cache(maxsize=MAX_FILES)(Path)
