"""Large bibliographies, as they were read."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any, Final

from ..bibliographies import PackedBibliography
from .files import FilesTable
from .rows import current_day

SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS bibliographies ("
    " path BLOB PRIMARY KEY, digest TEXT, version TEXT, used INTEGER, keys TEXT, numbers BLOB,"
    " others TEXT)",
)


class BibliographiesTable(FilesTable):
    """Bibliographies by path, each with the digest of the file that it was read from."""

    def keeps(self, path: Path, version: str) -> bool:
        """Tell whether `bibliography` would return one."""
        this = (os.fsencode(path.absolute()), version)
        query = "SELECT digest FROM bibliographies WHERE path = ? AND version = ?"
        row = self._database.run(lambda db: db.execute(query, this).fetchone())
        return row is not None and row[0] == self.file_digest(path)

    def bibliography(self, path: Path, version: str) -> PackedBibliography | None:
        """Return what is kept of the bibliography at `path`, if it is what stands there now.

        `version` says how it is read. Raises `OSError` where the file cannot be read.
        """
        this, today = (os.fsencode(path.absolute()), version), current_day()

        def find(db: sqlite3.Connection) -> tuple[Any, ...] | None:
            where = "WHERE path = ? AND version = ?"
            query = f"SELECT digest, used, keys, numbers, others FROM bibliographies {where}"
            row: tuple[Any, ...] | None = db.execute(query, this).fetchone()
            if row is not None and row[1] < today:
                db.execute(f"UPDATE bibliographies SET used = {today} {where}", this)
            return row

        row = self._database.run(find)
        if row is None or row[0] != self.file_digest(path):
            return None
        return PackedBibliography(*row[2:])

    def put_bibliography(
        self, path: Path, digest: str, version: str, packed: PackedBibliography
    ) -> None:
        """Keep what was read from a bibliography; what it was before goes."""
        self._write(
            "INSERT OR REPLACE INTO bibliographies VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(os.fsencode(path.absolute()), digest, version, current_day()),
            *packed,
        )
