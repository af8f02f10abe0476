"""All tables in one database."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from ...model.problems import Problem
from ..database import Database
from . import drafts, files, links, papers
from .rows import DRAFT, Name, current_day, reader_version, tried_row

#: Raised when the tables change; an index with other tables is not opened.
_SCHEMA_VERSION: Final = 6
_SCHEMA: Final = (*files.SCHEMA, *papers.SCHEMA, *drafts.SCHEMA, *links.SCHEMA)
_TABLES: Final = ("papers", "unreadable", "drafts", "links")


def default_index_path() -> Path:
    """Return where the index is kept."""
    folder = os.environ.get("PINCITE_CACHE")
    base = Path(folder) if folder else user_cache_path("pincite", appauthor=False)
    return base / "index.sqlite"


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index holds. `path` is None where it is only in memory, `size` is in bytes."""

    path: Path | None
    size: int
    papers: int
    sentences: int
    contexts: int
    unreadable: int
    citing_drafts: int


class PaperIndex(papers.PapersTable, drafts.DraftsTable, links.LinksTable, files.FilesTable):
    """Papers and citing drafts that were read before; may be used by any thread.

    Whatever is wrong with the file, the index works: at worst in memory only. `problems` says
    what was wrong. `suffix` is everywhere what `pincite.parsing.papers.kind` returns.
    """

    def __init__(self, path: Path | None = None, *, on_disk: bool = True) -> None:
        super().__init__()
        file = (path or default_index_path()) if on_disk else None
        self._database = Database(file, _SCHEMA, _SCHEMA_VERSION)

    @classmethod
    def in_memory(cls) -> PaperIndex:
        """Return an index that is gone with the process."""
        return cls(on_disk=False)

    @property
    def path(self) -> Path | None:
        """The file; None where everything is in memory."""
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
                "SELECT suffix, version, count(*), sum(sentence_count), sum(context_count)"
                " FROM papers GROUP BY suffix, version"
            ).fetchall()
            unreadable = db.execute(
                "SELECT suffix, version, count(*) FROM unreadable GROUP BY suffix, version"
            ).fetchall()
            drafts = db.execute(
                "SELECT count(*), sum(context_count) FROM drafts"
                " WHERE version = ? AND context_count > 0",
                (reader_version(DRAFT),),
            ).fetchone()
            counts = [tuple(row[2:]) for row in papers if row[1] == reader_version(row[0])]
            counts.append((0, 0, drafts[1] or 0))
            return counts, sum(n for s, v, n in unreadable if v == tried_row("", s)[2]), drafts[0]

        counts, unreadable, drafts = self._database.run(count)
        papers, sentences, contexts = (sum(column) for column in zip(*counts, strict=True))
        return IndexStatus(
            self.path, self._database.size(), papers, sentences, contexts, unreadable, drafts
        )

    def clear(self) -> None:
        """Delete everything, and free the space on the disk."""

        def empty(db: sqlite3.Connection) -> None:
            for table in ("files", "contexts", *_TABLES):
                db.execute(f"DELETE FROM {table}")

        self._database.run(empty)
        with self._loading:
            self._loaded.clear()
        self._database.remove_set_aside()
        self._database.shrink()

    def forget(self, files: Mapping[Path, Name]) -> None:
        """Forget what was read of some files, so that they are read again."""
        names, paths = set(files.values()), [(os.fsencode(path.absolute()),) for path in files]

        def forget(db: sqlite3.Connection) -> None:
            for table in ("papers", "contexts", "unreadable", "links"):
                db.executemany(f"DELETE FROM {table} WHERE digest = ? AND suffix = ?", names)
            db.executemany("DELETE FROM files WHERE path = ?", paths)

        self._database.run(forget)
        with self._loading:
            for name in names:
                self._loaded.pop(name, None)

    def forget_unused(self, days: int = 365) -> int:
        """Forget what was not used for some days; return the number of papers and drafts."""
        limit = current_day() - days

        def forget(db: sqlite3.Connection) -> int:
            forgotten = sum(
                db.execute(f"DELETE FROM {table} WHERE used < ?", (limit,)).rowcount
                for table in _TABLES
            )
            if forgotten:
                db.execute(
                    "DELETE FROM files WHERE digest NOT IN"
                    " (SELECT digest FROM papers UNION SELECT digest FROM unreadable)"
                )
                db.execute(
                    "DELETE FROM contexts WHERE (digest, suffix, version) NOT IN"
                    " (SELECT digest, suffix, version FROM papers)"
                )
            return forgotten

        forgotten = self._database.run(forget)
        if forgotten:
            self._database.shrink()
        return forgotten
