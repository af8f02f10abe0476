"""The disk as it was when somebody first looked: requests wait for no file system.

Changes since are noticed when they are reported (`forget`) or by looking again (`changed_files`
and `changed_folders`, in a thread that nobody waits for).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..parsing.disk import Disk, Listed, Status, list_folder, look_at


class SeenDisk(Disk):
    """Remembers what it saw; may be looked at from any thread.

    Two threads that look at the same file for the first time may both ask the file system.
    """

    def __init__(self) -> None:
        super().__init__()
        self._statuses: dict[str, Status | None] = {}
        self._folders: dict[str, tuple[Status | None, Listed]] = {}

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

    def forget(self, changed: Iterable[Path]) -> None:
        """Look again at files and at all folders that hold them."""
        changed = tuple(changed)
        super().forget(changed)
        for path in changed:
            self._statuses.pop(os.fspath(path), None)
            for folder in (path, *path.parents):
                self._folders.pop(os.fspath(folder), None)

    def changed_files(self) -> set[Path]:
        """Look again at all files that were seen; return those that have changed."""
        changed: set[Path] = set()
        for name, seen in tuple(self._statuses.items()):
            now = look_at(name)
            # What is in a folder that was seen is looked at apart.
            if now != seen and not (now and seen and now.is_folder and seen.is_folder):
                changed.add(Path(name))
        return changed

    def changed_folders(self) -> set[Path]:
        """Look again at all folders that were listed; return the files that came or went in them.

        These are drafts and bibliographies: that LaTeX made a folder of .aux files changes nothing.
        """
        changed: set[Path] = set()
        known = tuple(self._folders.items())
        for folder, (seen, listed) in known:
            if (now := look_at(folder)) != seen:
                newer = list_folder(folder) if now is not None else Listed((), ())
                self._folders[folder] = now, newer
                names = {*listed.files} ^ {*newer.files}
                changed.update(Path(folder, name) for name in names)
                for name in {*newer.folders} - {*listed.folders}:
                    disk, top = Disk(), Path(folder, name)
                    changed.update((*disk.tex_files(top), *disk.bib_files(top)))
        return changed
