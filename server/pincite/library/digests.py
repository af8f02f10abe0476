"""The digests of files' contents, stored so that an unchanged file is not read again."""

from __future__ import annotations

import errno
import os
import stat
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..parsing.papers import kind
from ..parsing.paths import leads_to_system, normal
from .database import Database

#: A file that changed this recently may change again within one tick of the file system's clock.
SETTLED_NS: Final = 2 * 10**9
#: Kinds of papers that consist of several files.
_LATEX: Final = frozenset({".tex", ".ltx"})
#: Prefix of a LaTeX paper's path, whose digest covers all its files; no path begins like that.
FOLDER_MARK: Final = b"\0"
_BLOCK: Final = 1 << 20


class Digests:
    """The digests in the table ``files``, by path, time and size."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def digest(self, path: Path) -> str:
        """Return the digest of a paper's files, for LaTeX all that it reads; raise `OSError`."""
        if kind(path) not in _LATEX:
            return self.file_digest(path)
        path.stat()
        from ..parsing.papers.latex import latex_sources

        folder = path if path.is_dir() else normal(path).parent
        content = blake2b(digest_size=20)
        for source in latex_sources(path):
            name = source.relative_to(folder) if source.is_relative_to(folder) else source
            content.update(os.fsencode(name.as_posix()) + b"\0")
            content.update(self.file_digest(source).encode())
        digest, this = content.hexdigest(), (FOLDER_MARK + os.fsencode(path.absolute()), 0, 0)
        if self._known(*this) != digest:
            self._store(*this, digest)
        return digest

    def file_digest(self, path: Path) -> str:
        """Return the digest of one file's content; raise `OSError` if it cannot be read."""
        if leads_to_system(path):
            raise OSError(errno.EACCES, "this is a system file, and system files are not read")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "this is not a file")
        # SQLite's times end in the year 2262.
        changed = status.st_mtime_ns & 0x7FFF_FFFF_FFFF_FFFF
        this = os.fsencode(path.absolute()), changed, status.st_size
        if (known := self._known(*this)) is not None:
            return known
        content = blake2b(digest_size=20)
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                content.update(block)
        if time.time_ns() - status.st_mtime_ns > SETTLED_NS:
            self._store(*this, content.hexdigest())
        return content.hexdigest()

    def _known(self, *this: object) -> str | None:
        query = "SELECT digest FROM files WHERE path = ? AND changed = ? AND size = ?"
        row = self._database.run(lambda db: db.execute(query, this).fetchone())
        return row[0] if row is not None and isinstance(row[0], str) else None

    def _store(self, *row: object) -> None:
        statement = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"
        self._database.run(lambda db: db.execute(statement, row))
