"""The disk of a workspace, a cached view of it as it was first seen, and that of an editor.

Changes since are noticed when a client reports them (`forget`) or by looking again
(`changed_files` and `changed_folders`, in the background).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from ..cancellation import is_late
from ..model.problems import InputError
from ..parsing.disk import Disk, Listed, list_folder
from ..parsing.encoding import Decoded, read_head
from ..parsing.paths import Status, is_virtual, status

#: How many files of an editor are wanted at a time; more may be once these are read.
_MAX_WANTED: Final = 100


class WorkspaceDisk(Disk):
    """Files and folders in their current state, with what begins as a bibliography."""

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file begins with an entry of CSL or Hayagriva."""
        from ..parsing.bibliographies.item_file import HEAD, begins_as_bibliography

        return begins_as_bibliography(path, read_head(path, HEAD))


class CachedDisk(WorkspaceDisk):
    """Remembers what it saw; may be used from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._state = object()
        #: The folders below which everything is known, and those whose walk was `late`.
        self._walked: set[str] = set()
        self.unwalked: set[Path] = set()
        self._statuses: dict[str, Status | None] = {}
        self._folders: dict[str, tuple[Status | None, Listed]] = {}
        #: Files that may be bibliographies, and whether they are. Others are not watched.
        self._looked_into: dict[Path, tuple[Status | None, bool]] = {}

    @property
    def state(self) -> object:
        """The same object until a change is noticed."""
        return self._state

    def status(self, path: Path | str) -> Status | None:
        """Return the state of a file or folder as it was seen."""
        name = os.fspath(path)
        if name not in self._statuses:
            self._statuses[name] = status(name)
        return self._statuses.get(name)

    def listed(self, folder: str) -> Listed:
        """Return what is in a folder as it was seen."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = status(folder), list_folder(folder)
        return known[1]

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file was a bibliography when it was looked into."""
        known = self._looked_into.get(path)
        if known is None:
            known = self._looked_into[path] = status(path), super().begins_as_bibliography(path)
        return known[1]

    def walk_unwalked(self) -> bool:
        """List the folders whose walk was late; return whether there were any."""
        late = tuple(self.unwalked)
        self.unwalked.difference_update(late)
        for top in late:
            for _ in self._walk(top):
                pass
        return bool(late)

    def _walk(self, top: Path) -> Iterator[tuple[str, Listed]]:
        """Yield a folder and all below it; nothing if listing them for the first time is late."""
        name = os.fspath(top)
        if name not in self._walked:
            for _ in super()._walk(top):
                if is_late():
                    self.unwalked.add(top)
                    return
            self._walked.add(name)
        yield from super()._walk(top)

    def forget(self, changed: Iterable[Path]) -> None:
        """Look again at files and at all folders that hold them."""
        changed = tuple(changed)
        super().forget(changed)
        for path in changed:
            self._looked_into.pop(path, None)
            for name in map(os.fspath, (path, *path.parents)):
                self._statuses.pop(name, None)
                self._folders.pop(name, None)
        # Last: a project of the new state must not read what was seen before.
        self._state = object()

    def changed_files(self) -> set[Path]:
        """Look again at all files that were seen; return those that have changed."""
        changed: set[Path] = set()
        for path, (seen, was_one) in tuple(self._looked_into.items()):
            if (now := status(path)) != seen:
                is_one = super().begins_as_bibliography(path)
                self._looked_into[path] = now, is_one
                if was_one or is_one:
                    changed.add(path)
        for name, seen in tuple(self._statuses.items()):
            now = status(name)
            # The contents of folders are checked separately.
            if now != seen and not (now and seen and now.is_folder and seen.is_folder):
                changed.add(Path(name))
        return changed

    def changed_folders(self) -> set[Path]:
        """Look again at all folders; return the drafts and bibliographies that came or went."""
        changed: set[Path] = set()
        for folder, (seen, listed) in tuple(self._folders.items()):
            if (now := status(folder)) == seen:
                continue
            newer = list_folder(folder) if now is not None else Listed((), ())
            self._folders[folder] = now, newer
            for path in (Path(folder, name) for name in {*listed.files} ^ {*newer.files}):
                was_one = path.suffix.lower() != ".json"
                if not was_one:
                    _, was_one = self._looked_into.pop(path, (None, False))
                if was_one or super().begins_as_bibliography(path):
                    changed.add(path)
            for name in {*newer.folders} - {*listed.folders}:
                disk, top = WorkspaceDisk(), Path(folder, name)
                changed.update((*disk.draft_files(top), *disk.bib_files(top)))
        return changed


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
