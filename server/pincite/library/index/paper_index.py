"""The index: all tables in one database."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from ...model.problems import Problem
from ...parsing.paths import expanded
from ..database import Database
from . import drafts, files, links, papers
from .rows import DRAFT, Name, current_day, reader_version, tried_row

#: Increase this when the tables change; an index with other tables is not opened.
_SCHEMA_VERSION: Final = 6
_SCHEMA: Final = (*files.SCHEMA, *papers.SCHEMA, *drafts.SCHEMA, *links.SCHEMA)
_TABLES: Final = ("papers", "unreadable", "drafts", "links")
#: Days after which unused rows are evicted, and text of missing files.
_UNUSED_DAYS: Final = 365
_GONE_DAYS: Final = 30
#: Share to keep of an index that is too large, so that it is not too large again tomorrow.
_SHARE_KEPT: Final = 0.8


def default_index_path() -> Path:
    """Return the path of the user's index."""
    folder = os.environ.get("PINCITE_CACHE")
    base = Path(expanded(folder)) if folder else user_cache_path("pincite", appauthor=False)
    return base / "index.sqlite"


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index holds. `path` is None if it is in memory only, `size` is in bytes."""

    path: Path | None
    size: int
    papers: int
    sentences: int
    contexts: int
    unreadable: int
    citing_drafts: int


class PaperIndex(papers.PapersTable, drafts.DraftsTable, links.LinksTable, files.FilesTable):
    """Cached papers and citing drafts; may be used by any thread.

    The index works whatever is wrong with its file, at worst in memory only. `problems` says what
    was wrong. In all methods, `suffix` is what `pincite.parsing.papers.kind` returns.
    """

    def __init__(self, path: Path | None = None, *, on_disk: bool = True) -> None:
        super().__init__()
        file = (path or default_index_path()) if on_disk else None
        self._database = Database(file, _SCHEMA, _SCHEMA_VERSION)

    @classmethod
    def in_memory(cls) -> PaperIndex:
        """Return an index that is lost when the process ends."""
        return cls(on_disk=False)

    @property
    def path(self) -> Path | None:
        """The file; None if everything is in memory."""
        return self._database.path

    @property
    def problems(self) -> Sequence[Problem]:
        """What was wrong with the file so far."""
        return self._database.problems

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def status(self) -> IndexStatus:
        """Return what the index holds for the readers of this version."""

        def count(db: sqlite3.Connection) -> tuple[list[tuple[int, int, int]], int, int]:
            papers = db.execute(
                "SELECT suffix, version, count(*), total(sentence_count), total(context_count)"
                " FROM papers GROUP BY suffix, version"
            ).fetchall()
            unreadable = db.execute(
                "SELECT suffix, version, count(*) FROM unreadable GROUP BY suffix, version"
            ).fetchall()
            drafts = db.execute(
                "SELECT count(*), total(context_count) FROM drafts"
                " WHERE version = ? AND context_count > 0",
                (reader_version(DRAFT),),
            ).fetchone()
            counts = [tuple(row[2:]) for row in papers if row[1] == reader_version(row[0])]
            counts.append((0, 0, drafts[1]))
            return counts, sum(n for s, v, n in unreadable if v == tried_row("", s)[2]), drafts[0]

        counts, unreadable, drafts = self._database.run(count)
        papers, sentences, contexts = (int(sum(column)) for column in zip(*counts, strict=True))
        return IndexStatus(
            self.path, self._database.size(), papers, sentences, contexts, unreadable, drafts
        )

    def clear(self) -> None:
        """Delete everything, and free the disk space."""

        def empty(db: sqlite3.Connection) -> None:
            for table in ("files", "contexts", *_TABLES):
                db.execute(f"DELETE FROM {table}")

        self._database.run(empty)
        with self._loading:
            self._loaded.clear()
        self._database.remove_set_aside()
        self._database.shrink(always=True)

    def forget(self, files: Mapping[Path, Name]) -> None:
        """Forget what was read from some files, so that they are read again."""
        names, paths = set(files.values()), [(os.fsencode(path.absolute()),) for path in files]

        def forget(db: sqlite3.Connection) -> None:
            for table in ("papers", "contexts", "unreadable", "links"):
                db.executemany(f"DELETE FROM {table} WHERE digest = ? AND suffix = ?", names)
            db.executemany("DELETE FROM files WHERE path = ?", paths)

        self._database.run(forget)
        with self._loading:
            for name in names:
                self._loaded.pop(name, None)

    def evict(self, most_bytes: int | None = None) -> int:
        """Evict what nobody needs; return the number of papers and drafts.

        Evicted are texts whose file has changed, if not used today, or is gone, if not used for a
        month; everything not used for a year; and, if the index is larger than `most_bytes`, the
        least recently used papers.
        """
        today = current_day()
        paths = self._database.run(lambda db: db.execute("SELECT path FROM files").fetchall())
        gone = [key for (key,) in paths if not os.path.lexists(files.path_of_key(key))]

        def forget(db: sqlite3.Connection) -> int:
            db.executemany(
                "DELETE FROM files WHERE path = ? AND NOT EXISTS (SELECT 1 FROM papers"
                " WHERE papers.digest = files.digest AND used >= ?)",
                [(key, today - _GONE_DAYS) for key in gone],
            )
            superseded = "digest NOT IN (SELECT digest FROM files)"
            forgotten = _delete(db, ("papers", "unreadable"), f"used < ? AND {superseded}", today)
            return forgotten + _delete(db, _TABLES, "used < ?", today - _UNUSED_DAYS)

        forgotten = self._database.run(forget)
        if most_bytes is not None and self._database.size() > most_bytes:
            forgotten += self._database.run(lambda db: _delete_oldest(db, most_bytes))
        if forgotten:
            self._database.run(_delete_without_papers)
            self._database.shrink()
        return forgotten


def _delete(db: sqlite3.Connection, tables: Sequence[str], condition: str, day: int) -> int:
    return sum(
        db.execute(f"DELETE FROM {table} WHERE {condition}", (day,)).rowcount for table in tables
    )


def _delete_oldest(db: sqlite3.Connection, most_bytes: int) -> int:
    """Delete the least recently used papers until the rest is below a limit."""
    rows = db.execute(
        "SELECT digest, suffix, version, coalesce(length(head) + length(cited) + length(sentences)"
        " + (SELECT coalesce(sum(length(said)), 0) FROM contexts WHERE contexts.digest ="
        " papers.digest AND contexts.suffix = papers.suffix), 0) FROM papers ORDER BY used DESC"
    ).fetchall()
    kept, deleted = 0, []
    for *name, size in rows:
        kept += size
        if kept > _SHARE_KEPT * most_bytes:
            deleted.append(name)
    db.executemany("DELETE FROM papers WHERE digest = ? AND suffix = ? AND version = ?", deleted)
    return len(deleted)


def _delete_without_papers(db: sqlite3.Connection) -> None:
    db.execute(
        "DELETE FROM files WHERE digest NOT IN"
        " (SELECT digest FROM papers UNION SELECT digest FROM unreadable)"
    )
    db.execute(
        "DELETE FROM contexts WHERE (digest, suffix, version) NOT IN"
        " (SELECT digest, suffix, version FROM papers)"
    )
