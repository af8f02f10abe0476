"""The disk of a workspace, and the same as it was when somebody first looked.

Requests wait for no file system. Changes since are noticed when they are reported (`forget`) or by
looking again (`changed_files` and `changed_folders`, in a thread that nobody waits for).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..parsing.disk import Disk, Listed, Status, list_folder, look_at
from ..parsing.encoding import read_head


class WorkspaceDisk(Disk):
    """Files and folders in their current state, with what begins as a bibliography."""

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file begins with an entry of CSL or Hayagriva."""
        from ..parsing.bibliographies.sight import HEAD, begins_as_bibliography

        return begins_as_bibliography(path, read_head(path, HEAD))


class UnwalkedError(Exception):
    """A folder must be walked first, in a thread for which nobody waits."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder


#: Folders that are empty to this thread, which must walk no other; None where it may.
_passed_over: ContextVar[frozenset[Path] | None] = ContextVar("passed_over", default=None)


@contextmanager
def walking_nothing(passed_over: frozenset[Path]) -> Iterator[None]:
    """Raise `UnwalkedError` instead of walking a folder; those passed over are empty."""
    token = _passed_over.set(passed_over)
    try:
        yield
    finally:
        _passed_over.reset(token)


class SeenDisk(WorkspaceDisk):
    """Remembers what it saw; may be looked at from any thread.

    Two threads that look at the same file for the first time may both ask the file system.
    """

    def __init__(self) -> None:
        super().__init__()
        self._state = object()
        #: The folders below which all are known.
        self._walked: set[str] = set()
        self._statuses: dict[str, Status | None] = {}
        self._folders: dict[str, tuple[Status | None, Listed]] = {}
        #: Files that may be bibliographies, and whether they are. What is none is not watched.
        self._looked_into: dict[Path, tuple[Status | None, bool]] = {}

    @property
    def state(self) -> object:
        """The same object until a change is noticed."""
        return self._state

    def status(self, path: Path | str) -> Status | None:
        """Return the state of a file or folder as it was seen."""
        name = os.fspath(path)
        if name not in self._statuses:
            self._statuses[name] = look_at(name)
        return self._statuses.get(name)

    def listed(self, folder: str) -> Listed:
        """Return what is in a folder as it was seen."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = look_at(folder), list_folder(folder)
        return known[1]

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file was a bibliography when it was looked into."""
        known = self._looked_into.get(path)
        if known is None:
            known = self._looked_into[path] = look_at(path), super().begins_as_bibliography(path)
        return known[1]

    def walk(self, top: Path) -> None:
        """List a folder and all below it, as far as they are not known."""
        for _ in self._walk(top):
            pass

    def _walk(self, top: Path) -> Iterator[tuple[str, Listed]]:
        name, passed_over = os.fspath(top), _passed_over.get()
        if name not in self._walked and passed_over is not None:
            if top not in passed_over:
                raise UnwalkedError(top)
            return
        yield from super()._walk(top)
        self._walked.add(name)

    def forget(self, changed: Iterable[Path]) -> None:
        """Look again at files and at all folders that hold them."""
        changed = tuple(changed)
        self._state = object()
        super().forget(changed)
        for path in changed:
            self._statuses.pop(os.fspath(path), None)
            self._looked_into.pop(path, None)
            for folder in (path, *path.parents):
                self._folders.pop(os.fspath(folder), None)

    def changed_files(self) -> set[Path]:
        """Look again at all files that were seen; return those that have changed.

        Of files that may be bibliographies, those count that are, or were.
        """
        changed: set[Path] = set()
        for path, (seen, was_one) in tuple(self._looked_into.items()):
            if (now := look_at(path)) != seen:
                is_one = super().begins_as_bibliography(path)
                self._looked_into[path] = now, is_one
                if was_one or is_one:
                    changed.add(path)
        for name, seen in tuple(self._statuses.items()):
            now = look_at(name)
            # What is in a folder that was seen is looked at apart.
            if now != seen and not (now and seen and now.is_folder and seen.is_folder):
                changed.add(Path(name))
        return changed

    def changed_folders(self) -> set[Path]:
        """Look again at all folders that were listed; return the files that came or went in them.

        These are drafts and bibliographies: that LaTeX made a folder of .aux files changes nothing,
        nor does JSON that is something else.
        """
        changed: set[Path] = set()
        known = tuple(self._folders.items())
        for folder, (seen, listed) in known:
            if (now := look_at(folder)) != seen:
                newer = list_folder(folder) if now is not None else Listed((), ())
                self._folders[folder] = now, newer
                names = {*listed.files} ^ {*newer.files}
                changed.update(filter(self._counts, (Path(folder, name) for name in names)))
                for name in {*newer.folders} - {*listed.folders}:
                    disk, top = WorkspaceDisk(), Path(folder, name)
                    changed.update((*disk.draft_files(top), *disk.bib_files(top)))
        return changed

    def _counts(self, path: Path) -> bool:
        """Return whether a file that came or went is or was one that is read."""
        if path.suffix.lower() != ".json":
            return True
        _, was_one = self._looked_into.pop(path, (None, False))
        return was_one or super().begins_as_bibliography(path)
