"""Access to the disk for reading drafts."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from ..cancellation import check
from .encoding import Decoded, decoded, read_bytes
from .markups import ALL_DRAFT_SUFFIXES, MARKUPS, Markup
from .paths import Status, is_of_system, is_pattern, status, without_braces

_BIBLIOGRAPHIES: Final = (".bib",)
#: What may be a bibliography, by its content. YAML has the settings of projects and books, too.
_PERHAPS: Final = (".json", ".yml", ".yaml")
_NOTEBOOKS: Final = (".ipynb",)
_LISTED: Final = (*ALL_DRAFT_SUFFIXES, *_BIBLIOGRAPHIES, *_PERHAPS, *_NOTEBOOKS)
SKIPPED_FOLDERS: Final = frozenset(
    ("node_modules", "__pycache__", "venv", "_minted", "svg-inkscape")
)
#: Limit, as a folder may be a whole home folder.
_MAX_DRAFT_FILES: Final = 3_000
_MAX_FOLDERS: Final = 10_000
#: A folder with more JSON files than this has data.
_MAX_JSON: Final = 100
#: How many files that may be bibliographies are looked into below a folder.
_MAX_LOOKED_INTO: Final = 1_000
#: Longer texts are read again each time: a .bib of 26 MB has 53 MB in memory, and is seldom wanted
#: as a whole.
_MAX_CACHED: Final = 2_000_000
#: Limit, as a pattern may match very many files.
_MAX_MATCHES: Final = 1_000


class Listed(NamedTuple):
    """The subfolders of a folder, and its files of drafts and what may be bibliographies."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


class Disk:
    """Files and folders in their current state."""

    def __init__(self) -> None:
        self._texts: dict[Path, tuple[Status | None, Decoded]] = {}

    @property
    def state(self) -> object:
        """The same object only while nothing can have changed: here, a new one each time."""
        return object()

    def status(self, path: Path | str) -> Status | None:
        """Return the state of a file or folder; None if it is missing or inaccessible."""
        return status(path)

    def is_file(self, path: Path | str) -> bool:
        """Return whether a file exists."""
        found = self.status(path)
        return found is not None and found.is_file

    def is_folder(self, path: Path | str) -> bool:
        """Return whether a folder exists."""
        found = self.status(path)
        return found is not None and found.is_folder

    def read(self, path: Path) -> str:
        """Return a file's text; raise `InputError` if it is missing, unreadable or binary."""
        return self.decoded(path).text

    def decoded(self, path: Path) -> Decoded:
        """Return a file's text with its encoding as `read` does."""
        now, known = self.status(path), self._texts.get(path)
        if known is not None and known[0] == now and now is not None:
            return known[1]
        # The state is taken before the text, so a change in between is noticed later.
        found = decoded(read_bytes(path))
        if len(found.text) <= _MAX_CACHED:
            self._texts[path] = now, found
        else:
            self._texts.pop(path, None)
        return found

    def listed(self, folder: str) -> Listed:
        """Return the content of a folder without hidden names; empty if it cannot be listed."""
        return list_folder(folder)

    def forget(self, changed: Iterable[Path]) -> None:
        """Read files again, even if time and size have not changed."""
        for path in changed:
            self._texts.pop(path, None)

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file is a bibliography: here, none is."""
        return False

    # Below a folder, in a fixed order

    def draft_files(self, top: Path, markups: Iterable[Markup] = MARKUPS) -> Iterator[Path]:
        """Yield the files of drafts below a folder, one markup after the other."""
        for markup in markups:
            yield from islice(self._files(top, markup.suffixes), _MAX_DRAFT_FILES)

    def notebooks(self, top: Path) -> Iterator[Path]:
        """Yield the Jupyter notebooks below a folder."""
        return islice(self._files(top, _NOTEBOOKS), _MAX_DRAFT_FILES)

    def bib_files(self, top: Path) -> Iterator[Path]:
        """Yield the bibliographies below a folder: `.bib`, then other forms."""
        yield from self._files(top, _BIBLIOGRAPHIES)
        perhaps = islice(self._files(top, _PERHAPS), _MAX_LOOKED_INTO)
        yield from filter(self.begins_as_bibliography, perhaps)

    def files_named(self, top: Path, name: str) -> Iterator[Path]:
        """Yield the files below a folder with a name, of those that `Listed` has, in any case."""
        name = name.lower()
        return (path for path in self._files(top, (name,)) if path.name.lower() == name)

    def folders(self, top: Path) -> Iterator[Path]:
        """Yield a folder and all below it."""
        return (Path(folder) for folder, _ in self._walk(top))

    def matching(self, folder: Path, pattern: str, within: Collection[Path]) -> list[Path]:
        """Return the bibliographies that match a pattern, at most a thousand.

        It may lead to other folders (``../*.bib``), but only the folders `within` are searched.
        """
        found: set[Path] = set()
        for each in without_braces(pattern):
            parts = Path(each).parts
            fixed = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts) - 1)
            base = Path(os.path.normpath(folder.joinpath(*parts[:fixed])))
            rest = parts[fixed:]
            is_within = any(base.is_relative_to(top) and not _is_root(top) for top in within)
            if rest and ".." not in rest and is_within:
                found.update(islice(self._fitting(base, rest), _MAX_MATCHES - len(found)))
        return sorted(found)

    def _fitting(self, base: Path, pattern: Sequence[str]) -> Iterator[Path]:
        waiting, walked = [(os.fspath(base), tuple(pattern))], 0
        while waiting and walked < _MAX_FOLDERS:
            check()
            folder, (part, *rest) = waiting.pop()
            walked += 1
            listed = self.listed(folder)
            below: list[tuple[str, tuple[str, ...]]] = []
            if part == "**" and rest:
                waiting.append((folder, tuple(rest)))
                below = [(name, (part, *rest)) for name in listed.folders]
            elif rest:
                below = [(name, tuple(rest)) for name in listed.folders if fnmatchcase(name, part)]
            else:
                for name in listed.files:
                    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - no path is made
                    # Only the pattern ``*.json`` asks for JSON.
                    is_perhaps = suffix in _PERHAPS and part.lower().endswith(suffix)
                    if fnmatchcase(name, part) and (
                        suffix in _BIBLIOGRAPHIES
                        or (is_perhaps and self.begins_as_bibliography(Path(folder, name)))
                    ):
                        yield Path(folder, name)
            waiting += [(os.path.join(folder, name), parts) for name, parts in below]  # noqa: PTH118

    def _files(self, top: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
        for folder, found in self._walk(top):
            for name in found.files:
                if name.lower().endswith(suffixes):
                    yield Path(folder, name)

    def _walk(self, top: Path) -> Iterator[tuple[str, Listed]]:
        waiting, walked = [os.fspath(top)], 0
        while waiting and walked < _MAX_FOLDERS:
            check()
            folder = waiting.pop()
            walked += 1
            found = self.listed(folder)
            yield folder, found
            if walked == 1 and _is_root(folder):
                break
            waiting += [os.path.join(folder, each) for each in reversed(found.folders)]  # noqa: PTH118


def _is_root(folder: Path | str) -> bool:
    """Return whether a folder is the root of a file system, or a link to it: not a project."""
    real = os.path.realpath(folder)
    return os.path.dirname(real) == real  # noqa: PTH120


def list_folder(folder: str) -> Listed:
    """Return the content of a folder without hidden names; empty if it cannot be listed."""
    folders: list[str] = []
    files: list[str] = []
    if is_of_system(folder):
        return Listed((), ())
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if entry.is_dir():
                    if name not in SKIPPED_FOLDERS and not entry.is_symlink():
                        folders.append(name)
                elif name.lower().endswith(_LISTED):
                    files.append(name)
    except (OSError, ValueError):  # no folder can have such a name
        pass
    data = {name for name in files if name.lower().endswith(".json")}
    if len(data) > _MAX_JSON:
        files = [name for name in files if name not in data]
    return Listed(tuple(sorted(folders)), tuple(sorted(files)))
