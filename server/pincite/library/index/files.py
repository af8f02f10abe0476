"""The table of file digests, which saves reading unchanged files again."""

from __future__ import annotations

import errno
import os
import stat
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ...parsing.papers import kind
from ...parsing.paths import leads_to_system
from .rows import SETTLED_NS, Table

SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS files ("
    " path BLOB PRIMARY KEY, changed INTEGER, size INTEGER, digest TEXT) WITHOUT ROWID",
)
#: Kinds of papers that consist of several files.
_LATEX: Final = frozenset({".tex", ".ltx"})
#: Prefix of a LaTeX paper's path, whose digest covers all its files; no path begins like that.
_FOLDER_MARK: Final = b"\0"
_NO_STAMP: Final = (0, 0)
_BLOCK: Final = 1 << 20


class FilesTable(Table):
    """The digests of files, by path, time and size."""

    def digest(self, path: Path) -> str:
        """Return the digest of a paper's files; raise `OSError` if one cannot be read.

        For an unchanged file, only the time stamp and size are read. The digest of a LaTeX file or
        folder covers all files that it reads.
        """
        if kind(path) not in _LATEX:
            return self.file_digest(path)
        path.stat()
        from ...parsing.papers.latex import latex_sources

        folder = path if path.is_dir() else path.parent
        content = _new_digest()
        for source in latex_sources(path):
            name = source.relative_to(folder) if source.is_relative_to(folder) else source
            content.update(os.fsencode(name.as_posix()) + b"\0")
            content.update(self.file_digest(source).encode())
        digest = content.hexdigest()
        key = _FOLDER_MARK + os.fsencode(path.absolute())
        if self._known(key, _NO_STAMP) != digest:
            self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", key, *_NO_STAMP, digest)
        return digest

    def file_digest(self, path: Path) -> str:
        """Return the digest of one file's content; raise `OSError` if it cannot be read."""
        if leads_to_system(path):
            raise OSError(errno.EACCES, "this belongs to the system and is not read")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "this is not a file")
        key, stamp = os.fsencode(path.absolute()), (_fitting(status.st_mtime_ns), status.st_size)
        if (known := self._known(key, stamp)) is not None:
            return known
        content = _new_digest()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                content.update(block)
        digest = content.hexdigest()
        if time.time_ns() - status.st_mtime_ns > SETTLED_NS:
            self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", key, *stamp, digest)
        return digest

    def _known(self, key: bytes, stamp: tuple[int, int]) -> str | None:
        query = "SELECT digest FROM files WHERE path = ? AND changed = ? AND size = ?"
        row = self._database.run(lambda db: db.execute(query, (key, *stamp)).fetchone())
        return row[0] if row is not None and isinstance(row[0], str) else None


def path_of_key(key: bytes) -> Path:
    """Return the file or folder that a row is about."""
    return Path(os.fsdecode(key.removeprefix(_FOLDER_MARK)))


def _fitting(nanoseconds: int) -> int:
    """Clamp a time to what SQLite can store, which ends in the year 2262."""
    return nanoseconds & 0x7FFF_FFFF_FFFF_FFFF


def _new_digest() -> blake2b:
    return blake2b(digest_size=20)
