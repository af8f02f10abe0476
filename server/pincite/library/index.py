"""The persistent index: texts of papers, kept by the content of their files.

One SQLite file in the user's cache folder (``PINCITE_CACHE_DIR`` names another). It holds
nothing that cannot be made again, so whatever is wrong with it, it is set aside: a damaged
index is started anew, an unwritable one is done without.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from ..model.papers import ReferencePaper, Sentence
from ..model.problems import NoTextError

#: Raised when a reader of papers changes what it returns.
_READER_VERSION = 1


def default_index_path() -> Path:
    """Return where the index is kept."""
    folder = os.environ.get("PINCITE_CACHE_DIR")
    base = Path(folder) if folder else user_cache_path("pincite", appauthor=False)
    return base / "index.sqlite"


def content_hash(data: bytes) -> str:
    """Return the name under which the text of a file with this content is kept."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


class PaperIndex:
    """Texts of papers by content hash; safe to share between threads."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or default_index_path()
        self._lock = threading.Lock()
        self._connection = self._open()

    def get(self, digest: str, suffix: str) -> ReferencePaper | None:
        """Return the text kept for a file of this content and kind, if there is one."""
        row = self._execute(
            "SELECT paper FROM papers WHERE digest = ? AND suffix = ? AND version = ?",
            (digest, suffix, _READER_VERSION),
        )
        if row is None:
            return None
        try:
            kept = json.loads(zlib.decompress(row[0]))
            sentences = tuple(Sentence(*sentence) for sentence in kept.pop("sentences"))
            return ReferencePaper(sentences=sentences, **kept)
        except (ValueError, TypeError, KeyError, zlib.error):
            return None

    def unreadable(self, digest: str, suffix: str) -> NoTextError | None:
        """Return why a file of this content has no text, if that is known."""
        row = self._execute(
            "SELECT reason FROM unreadable WHERE digest = ? AND suffix = ? AND version = ?",
            (digest, suffix, _READER_VERSION),
        )
        return None if row is None else NoTextError(str(row[0]))

    def put_unreadable(self, digest: str, suffix: str, error: NoTextError) -> None:
        """Keep why a file has no text, so that it is not searched for it again."""
        self._execute(
            "INSERT OR REPLACE INTO unreadable VALUES (?, ?, ?, ?)",
            (digest, suffix, _READER_VERSION, str(error)),
        )

    def put(self, digest: str, suffix: str, paper: ReferencePaper) -> None:
        """Keep the text of a file."""
        kept = asdict(paper)
        kept["source"] = None
        kept["sentences"] = [list(sentence.values()) for sentence in kept["sentences"]]
        data = zlib.compress(json.dumps(kept, ensure_ascii=False).encode(), 6)
        self._execute(
            "INSERT OR REPLACE INTO papers VALUES (?, ?, ?, ?)",
            (digest, suffix, _READER_VERSION, data),
        )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _execute(self, statement: str, values: tuple[object, ...]) -> tuple[Any] | None:
        with self._lock:
            if self._connection is None:
                return None
            try:
                with self._connection:
                    row: tuple[Any] | None = self._connection.execute(statement, values).fetchone()
                return row
            except sqlite3.Error:
                self._connection.close()
                self._connection = None
                return None

    def _open(self) -> sqlite3.Connection | None:
        for attempt in range(2):
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                connection = sqlite3.connect(self._path, timeout=2.0, check_same_thread=False)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS papers (digest TEXT, suffix TEXT, version INTEGER,"
                    " paper BLOB, PRIMARY KEY (digest, suffix))"
                )
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS unreadable (digest TEXT, suffix TEXT,"
                    " version INTEGER, reason TEXT, PRIMARY KEY (digest, suffix))"
                )
                connection.execute("SELECT digest FROM papers LIMIT 1").fetchone()
                return connection
            except sqlite3.DatabaseError as error:
                if attempt or isinstance(error, sqlite3.OperationalError):
                    return None
                self._path.unlink(missing_ok=True)
            except OSError:
                return None
        return None
