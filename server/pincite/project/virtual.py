"""Documents that are not files, but in file systems of editors and their extensions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from ..model.problems import InputError
from ..parsing.disk import Disk, Listed
from ..parsing.encoding import Decoded
from ..parsing.paths import Status, is_virtual

#: More may be wanted once these are read.
_MAX_WANTED = 100


class VirtualDisk(Disk):
    """The disk, with the texts and the folders that an editor has read for us so far.

    Unread files do not exist yet. If one is below the folder `top`, `want` is called with its path
    and whether it is a folder; once it has been read, there is a new disk.
    """

    def __init__(
        self,
        disk: Disk,
        top: Path,
        texts: Mapping[Path, str],
        folders: Mapping[Path, Listed | None],
        want: Callable[[Path, bool], None],
    ) -> None:
        super().__init__()
        self._disk, self._top, self._want = disk, top, want
        self._known, self._listed = texts, folders
        #: By whether they are folders.
        self._wanted: dict[bool, set[Path]] = {False: set(), True: set()}

    @cached_property
    def _names(self) -> Mapping[str, list[str]]:
        """The names of the known texts, by folder."""
        names: dict[str, list[str]] = {}
        for path in filter(is_virtual, self._known):
            names.setdefault(os.fspath(path.parent), []).append(path.name)
        return names

    def status(self, path: Path | str) -> Status | None:
        """Return the state of a file; None if it does not exist, or has not been read yet."""
        path = Path(path)
        if not is_virtual(path):
            return self._disk.status(path)
        text = self._known.get(path)
        if text is None:
            self._look_for(path)
            return None
        return Status(True, False, hash(text), len(text))

    def decoded(self, path: Path) -> Decoded:
        """Return a file's text."""
        if not is_virtual(path):
            return self._disk.decoded(path)
        if self.status(path) is None:
            raise InputError(f"{path.name} does not exist, or has not been read yet")
        return Decoded(self._known[path], "utf-8")

    def listed(self, folder: str) -> Listed:
        """Return what is known of a folder's content: open documents, and the rest once listed."""
        if not is_virtual(folder):
            return self._disk.listed(folder)
        found = self._folder(Path(folder)) or Listed((), ())
        return Listed(found.folders, tuple(sorted({*found.files, *self._names.get(folder, ())})))

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a file is one; of the editor's, JSON and YAML are not read to find out."""
        return not is_virtual(path) and self._disk.begins_as_bibliography(path)

    def _look_for(self, path: Path) -> None:
        """Ask for a file that its folder lists."""
        folder = self._folder(path.parent)
        if folder is not None and path.name in folder.files:
            self._ask_for(path, is_folder=False)

    def _folder(self, folder: Path) -> Listed | None:
        if folder not in self._listed:
            self._ask_for(folder, is_folder=True)
        return self._listed.get(folder)

    def _ask_for(self, path: Path, *, is_folder: bool) -> None:
        wanted = self._wanted[is_folder]
        if len(wanted) < _MAX_WANTED and path not in wanted and path.is_relative_to(self._top):
            wanted.add(path)
            self._want(path, is_folder)
