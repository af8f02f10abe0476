"""What all tables share: the keys of rows, their versions, the day of the last use."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from typing import Any, Final

from ... import __version__
from ...parsing.papers import BY_SUFFIX
from ..database import Database

#: Increase this when a step that all readers share changes: sentences, citation markers, contexts,
#: the format in which they are stored.
_SHARED_VERSION: Final = 2
#: The kind of citing drafts.
DRAFT: Final = "draft"
#: The kind of bibliographies that lend texts to others.
LENDER: Final = "bib"
#: The versions of the readers of these two; those of papers are in `FORMATS`.
_VERSIONS: Final = {DRAFT: 4, LENDER: 3}
_DAY: Final = 24 * 60 * 60

#: A file that changed this recently may change again within one tick of the file system's clock.
SETTLED_NS: Final = 2 * 10**9
#: Digest of a paper's files, and its kind (`pincite.parsing.papers.kind`).
Name = tuple[str, str]


class Table:
    """Some rows of the index's database."""

    _database: Database

    def _write(self, statement: str, *values: object) -> None:
        self._database.run(lambda db: db.execute(statement, values))

    def _used_row(
        self, table: str, columns: str, where: str, key: Sequence[object]
    ) -> Sequence[Any] | None:
        """Return columns of the row of a key, and record that it was used today."""
        today = current_day()

        def find(db: sqlite3.Connection) -> Sequence[Any] | None:
            query = f"SELECT {columns}, used FROM {table} {where}"
            row: Sequence[Any] | None = db.execute(query, key).fetchone()
            if row is not None and is_before(row[-1], today):
                db.execute(f"UPDATE {table} SET used = ? {where}", (today, *key))
            return row

        return self._database.run(find)


def fetch(query: str, values: Sequence[object], db: sqlite3.Connection) -> list[Any]:
    """Return all rows of a query."""
    return db.execute(query, values).fetchall()


def this_row(digest: str, suffix: str) -> tuple[str, str, str]:
    """Return the key of a row: the digest of the content, its kind, and the reader's version."""
    return digest, suffix, reader_version(suffix)


def tried_row(digest: str, suffix: str) -> tuple[str, str, str]:
    """Return the key of a failure, with Pincite's version: the next one may read the file."""
    return digest, suffix, f"{reader_version(suffix)} {__version__}"


def reader_version(suffix: str) -> str:
    """Return the version of the reader of files of a kind."""
    paper = BY_SUFFIX.get(suffix)
    version = _VERSIONS.get(suffix, 1) if paper is None else paper.version
    return f"{_SHARED_VERSION}.{version}"


def is_before(used: object, day: int) -> bool:
    """Return whether a row was last used before a day; damage may have changed the type of `used`.

    Then it is as if it was: the day is written again.
    """
    return not isinstance(used, int) or used < day


def current_day() -> int:
    """Return the number of the current day, for the eviction of unused rows."""
    return int(time.time() // _DAY)
