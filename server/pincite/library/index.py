"""The persistent index: a cache of what was read from papers and drafts, by file content.

It is one SQLite file in the user's cache folder (``PINCITE_CACHE`` names another) that several
threads and processes share. The key of a row is a digest of the file's content, its suffix, and the
version of the reader, so an unchanged file is never read twice, even if it is moved.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec.json import Decoder
from platformdirs import user_cache_path

from .. import __version__
from ..model.papers import CitingPaper, InlinkContext, Lazy, ReferencePaper, Sentence
from ..model.problems import InputError, NotAPaperError, NoTextError, Problem, ProtectedError
from ..parsing.papers import kind, read_paper
from ..parsing.paths import Stamp, expanded, leads_to_system, normal
from .database import Database
from .stored import (
    CITED,
    CITING,
    CONTEXTS,
    DRAFT,
    HEAD,
    SENTENCES,
    CitedWorks,
    IndexStatus,
    LinkedPaper,
    Name,
    PackedPaper,
    packed,
    reader_version,
    unpacked,
)

logger = logging.getLogger(__name__)

#: Increase this when the way papers are linked to entries changes.
_LINKS_VERSION: Final = 1
#: Increase this when the tables change; an index with other tables is not opened.
_SCHEMA_VERSION: Final = 8
_NAMED: Final = "digest TEXT, suffix TEXT, version TEXT"
# Columns that are read in bulk come first: SQLite then does not read the rest of the row.
_TABLES: Final = {
    # A file that cannot be used has a reason and no text.
    "papers": f"{_NAMED}, used INTEGER, sentence_count INTEGER, context_count INTEGER, head BLOB,"
    " cited BLOB, sentences BLOB, kind TEXT, reason TEXT, PRIMARY KEY (digest, suffix, version))",
    "drafts": "root BLOB PRIMARY KEY, version TEXT, used INTEGER, context_count INTEGER,"
    " stamps BLOB, citing BLOB)",
    "links": f"bibliography BLOB, path BLOB, entries TEXT, {_NAMED}, used INTEGER, own_key TEXT,"
    " cited TEXT, context_count INTEGER, PRIMARY KEY (bibliography, path)) WITHOUT ROWID",
    # The contexts of each reference of a paper: read only for a single entry.
    "contexts": f"{_NAMED}, reference INTEGER, contexts BLOB,"
    " PRIMARY KEY (digest, suffix, version, reference))",
    # Vectors of texts by meaning (float16), by the name of the encoder and the text's digest.
    "vectors": "encoder TEXT, digest TEXT, used INTEGER, vector BLOB,"
    " PRIMARY KEY (encoder, digest)) WITHOUT ROWID",
    # The digests of files, which save reading unchanged files again.
    "files": "path BLOB PRIMARY KEY, changed INTEGER, size INTEGER, digest TEXT) WITHOUT ROWID",
}
#: A file that changed this recently may change again within one tick of the file system's clock.
SETTLED_NS: Final = 2 * 10**9
#: Kinds of papers that consist of several files.
_LATEX: Final = frozenset({".tex", ".ltx"})
#: Prefix of a LaTeX paper's path, whose digest covers all its files; no path begins like that.
_FOLDER_MARK: Final = b"\0"
_BLOCK: Final = 1 << 20
_THIS: Final = "WHERE digest = ? AND suffix = ? AND version = ?"
_STORE_DIGEST: Final = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"
_KINDS: Final = {
    kind.__name__: kind for kind in (InputError, NoTextError, NotAPaperError, ProtectedError)
}
#: Papers whose sentences are cached in memory.
_LOADED_PAPERS: Final = 8
#: Names in one query; SQLite allows 999 values in all its versions.
_CHUNK: Final = 900
_DAY: Final = 24 * 60 * 60
#: Days after which unused rows are evicted, and text of missing files.
_UNUSED_DAYS: Final = 365
_GONE_DAYS: Final = 30
#: Share that stays of an index that is too large, so that it is not too large again tomorrow.
_SHARE_LEFT: Final = 0.8

_T = TypeVar("_T")


def default_index_path() -> Path:
    """Return the path of the user's index."""
    folder = os.environ.get("PINCITE_CACHE")
    base = Path(expanded(folder)) if folder else user_cache_path("pincite", appauthor=False)
    return base / "index.sqlite"


def current_day() -> int:
    """Return the number of the current day, for the eviction of unused rows."""
    return int(time.time() // _DAY)


class PaperIndex:
    """Cached papers and citing drafts, for any thread; in memory if the file has `problems`."""

    def __init__(self, path: Path | None = None, *, on_disk: bool = True) -> None:
        file = (path or default_index_path()) if on_disk else None
        schema = [f"CREATE TABLE IF NOT EXISTS {name} ({rest}" for name, rest in _TABLES.items()]
        self._database = Database(file, schema, _SCHEMA_VERSION)
        self._sentences = lru_cache(_LOADED_PAPERS)(self._load_sentences)
        self.close = self._database.close

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
        """Problems with the file so far."""
        return self._database.problems

    # Names of contents

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
        digest, this = content.hexdigest(), (_FOLDER_MARK + os.fsencode(path.absolute()), 0, 0)
        if self._known_digest(*this) != digest:
            self._rows(_STORE_DIGEST, *this, digest)
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
        if (known := self._known_digest(*this)) is not None:
            return known
        content = blake2b(digest_size=20)
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                content.update(block)
        if time.time_ns() - status.st_mtime_ns > SETTLED_NS:
            self._rows(_STORE_DIGEST, *this, content.hexdigest())
        return content.hexdigest()

    def _known_digest(self, *this: object) -> str | None:
        query = "SELECT digest FROM files WHERE path = ? AND changed = ? AND size = ?"
        found = [digest for (digest,) in self._rows(query, *this) if isinstance(digest, str)]
        return found[0] if found else None

    # Papers

    def holds(self, digest: str, suffix: str) -> bool:
        """Return whether a file of this content was read before, with or without success."""
        query = "SELECT 1 FROM papers WHERE digest = ? AND suffix = ? AND version IN (?, ?)"
        versions = reader_version(suffix), _failed_version(suffix)
        return bool(self._rows(query, digest, suffix, *versions))

    def put(self, digest: str, suffix: str, paper: PackedPaper) -> None:
        """Store what was read from a file of this content."""
        this = digest, suffix, reader_version(suffix)
        rows = [(*this, reference, data) for reference, data in paper.contexts.items()]

        def put(db: sqlite3.Connection) -> None:
            _delete_paper(this, db)
            _insert(db, "papers", [(*this, current_day(), *paper[:-1], None, None)])
            _insert(db, "contexts", rows)

        self._database.run(put)
        self._sentences.cache_clear()

    def paper(self, digest: str, suffix: str, path: Path | None = None) -> ReferencePaper | None:
        """Return the paper of this content; its sentences are loaded on access.

        They are read from `path` if another process has cleared the index in the meantime.
        """
        return self.heads([(digest, suffix)], path).get((digest, suffix))

    def heads(self, names: Iterable[Name], path: Path | None = None) -> dict[Name, ReferencePaper]:
        """Return the papers of many files as `paper` does; those not in the index are left out."""
        found: dict[Name, ReferencePaper] = {}
        for name, head, count in self._loaded_rows("head", HEAD, names):
            sentences = Lazy(partial(self._all_sentences, name, path, count), count)
            found[name] = replace(head, sentences=sentences)
        return found

    def cited_works(self, names: Iterable[Name]) -> Iterator[tuple[Name, CitedWorks]]:
        """Yield the works that papers cite, in any order."""
        for name, cited, _ in self._loaded_rows("cited", CITED, names):
            yield name, cited

    def contexts(
        self, digest: str, suffix: str, references: Iterable[int]
    ) -> list[tuple[int, InlinkContext]]:
        """Return the contexts in which a paper cites these references, with places, in order."""
        this = digest, suffix, reader_version(suffix)
        query = f"SELECT contexts FROM contexts {_THIS} AND reference = ?"
        rows = [row for each in references for row in self._rows(query, *this, each)]
        try:
            contexts = [placed for (data,) in rows for placed in unpacked(CONTEXTS, data)]
            return sorted(contexts, key=itemgetter(0))
        except ValueError:
            self._database.run(partial(_delete_paper, this))
            return []

    def unreadable(self, digest: str, suffix: str) -> InputError | None:
        """Return why a file of this content cannot be used, if that is known."""
        this = digest, suffix, _failed_version(suffix)
        row = self._used_row("papers", "kind, reason", _THIS, this)
        return None if row is None else _KINDS.get(row[0], InputError)(str(row[1]))

    def put_unreadable(self, digest: str, suffix: str, error: InputError) -> None:
        """Store why a file of this content cannot be used, so that it is not read again."""
        kind = next(known.__name__ for known in type(error).__mro__ if known.__name__ in _KINDS)
        # The message may quote text from the file that is not valid Unicode.
        reason = str(error).encode("utf-8", "replace").decode()
        text = (0, 0, None, None, None)
        row = (digest, suffix, _failed_version(suffix), current_day(), *text, kind, reason)
        self._database.run(lambda db: _insert(db, "papers", [row]))

    def _loaded_rows(
        self, column: str, decoder: Decoder[_T], names: Iterable[Name]
    ) -> Iterator[tuple[Name, _T, int]]:
        """Yield decoded columns and numbers of sentences; a paper with a damaged row is deleted."""
        wanted = set(names)
        digests = sorted({digest for digest, _ in wanted})
        today = current_day()
        for start in range(0, len(digests), _CHUNK):
            chunk = digests[start : start + _CHUNK]
            among = f"WHERE digest IN ({','.join('?' * len(chunk))})"
            query = f"SELECT {column}, digest, suffix, version, used, sentence_count FROM papers"
            rows = self._rows(f"{query} {among}", *chunk)
            if any(_is_before(used, today) for _, _, _, _, used, _ in rows):
                self._rows(f"UPDATE papers SET used = {today} {among}", *chunk)
            for data, digest, suffix, version, _, count in rows:
                if (digest, suffix) in wanted and version == reader_version(suffix):
                    try:
                        loaded = unpacked(decoder, data)
                        if not isinstance(count, int) or count < 0:
                            raise ValueError("no count")
                    except ValueError:
                        self._database.run(partial(_delete_paper, (digest, suffix, version)))
                        continue
                    yield (digest, suffix), loaded, count

    def _load_sentences(self, name: Name, path: Path | None) -> Sequence[Sentence]:
        for _, sentences, _ in self._loaded_rows("sentences", SENTENCES, [name]):
            return sentences
        with suppress(InputError, OSError):
            return () if path is None else tuple(read_paper(path).sentences)
        return ()

    def _all_sentences(self, name: Name, path: Path | None, count: int) -> Sequence[Sentence]:
        sentences = self._sentences(name, path)
        if len(sentences) != count:
            logger.warning("the index no longer has the sentences of a paper")
            # Positions computed earlier must stay valid.
            return (Sentence(""),) * count
        return sentences

    # Drafts that cite

    def put_citing_draft(
        self, root: Path, stamps: Mapping[Path, Stamp], citing: CitingPaper
    ) -> None:
        """Store the contexts of a draft, with the stamps of the files it was read from."""
        of_files = json.dumps([[str(path), stamp] for path, stamp in stamps.items()])
        row = (current_day(), len(citing.contexts), of_files, packed(citing))
        this = os.fsencode(root.absolute()), reader_version(DRAFT)
        self._database.run(lambda db: _insert(db, "drafts", [(*this, *row)]))

    def citing_draft(self, root: Path) -> tuple[dict[Path, Stamp], CitingPaper] | None:
        """Return what `put_citing_draft` stored for a draft."""
        this = os.fsencode(root.absolute()), reader_version(DRAFT)
        row = self._used_row("drafts", "stamps, citing", "WHERE root = ? AND version = ?", this)
        with suppress(ValueError, TypeError):
            if row is not None:
                stamps = {
                    Path(path): None if stamp is None else (int(stamp[0]), int(stamp[1]))
                    for path, stamp in json.loads(row[0])
                }
                return stamps, unpacked(CITING, row[1])
        return None

    # Links between papers and entries

    def links(self, bibliography: str, entries: str) -> dict[Path, LinkedPaper]:
        """Return the links of a bibliography, whose entries have this digest, by path."""
        known: dict[Path, LinkedPaper] = {}
        rows = self._rows(
            "SELECT path, digest, suffix, version, own_key, cited, context_count FROM links"
            " WHERE bibliography = ? AND entries = ?",
            *(os.fsencode(bibliography), entries),
        )
        for path, digest, suffix, version, own_key, cited, count in rows:
            if version == _links_version(suffix):
                with suppress(ValueError, TypeError):
                    # Interned, as the same few thousand keys occur again and again.
                    found = tuple((int(each), sys.intern(key)) for each, key in json.loads(cited))
                    linked = LinkedPaper((digest, suffix), own_key, found, count)
                    known[Path(os.fsdecode(path))] = linked
        return known

    def put_links(self, bibliography: str, entries: str, links: Mapping[Path, LinkedPaper]) -> None:
        """Replace the stored links of a bibliography."""
        today, name = current_day(), os.fsencode(bibliography)
        rows = [
            (
                *(name, os.fsencode(path), entries, *linked.name),
                *(_links_version(linked.name[1]), today, linked.own_key),
                *(json.dumps(linked.cited), linked.context_count),
            )
            for path, linked in links.items()
        ]

        def put(db: sqlite3.Connection) -> None:
            old = "DELETE FROM links WHERE bibliography = ? AND entries <> ?"
            db.execute(old, (name, entries))
            _insert(db, "links", rows)

        self._database.run(put)

    # Vectors of texts

    def vectors(self, encoder: str, digests: Sequence[str]) -> dict[str, bytes]:
        """Return the stored vectors of an encoder by the digests of their texts."""
        known: dict[str, bytes] = {}
        for start in range(0, len(digests), _CHUNK):
            some = digests[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            query = f"SELECT digest, vector FROM vectors WHERE encoder = ? AND digest IN ({marks})"
            known.update(self._rows(query, encoder, *some))
        return known

    def put_vectors(self, encoder: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors of an encoder by the digests of their texts."""
        rows = [(encoder, digest, current_day(), each) for digest, each in vectors.items()]
        self._database.run(lambda db: _insert(db, "vectors", rows))

    # All of it

    def status(self) -> IndexStatus:
        """Return what the index has for the readers of this version."""
        papers = sentences = contexts = unreadable = 0
        for suffix, version, count, of_sentences, of_contexts in self._rows(
            "SELECT suffix, version, count(*), total(sentence_count), total(context_count)"
            " FROM papers GROUP BY suffix, version"
        ):
            if version == reader_version(suffix):
                papers += count
                sentences += int(of_sentences)
                contexts += int(of_contexts)
            unreadable += count if version == _failed_version(suffix) else 0
        ((drafts, of_drafts),) = self._rows(
            "SELECT count(*), total(context_count) FROM drafts"
            " WHERE version = ? AND context_count > 0",
            reader_version(DRAFT),
        )
        counts = papers, sentences, contexts + int(of_drafts), unreadable, drafts
        return IndexStatus(self.path, self._database.size(), *counts)

    def clear(self) -> None:
        """Delete everything, and free the disk space."""

        def empty(db: sqlite3.Connection) -> None:
            for table in _TABLES:
                db.execute(f"DELETE FROM {table}")

        self._database.run(empty)
        self._sentences.cache_clear()
        self._database.shrink(fully=True)

    def forget(self, files: Mapping[Path, Name]) -> None:
        """Forget what was read from some files, so that they are read again."""
        names, paths = set(files.values()), [(os.fsencode(path.absolute()),) for path in files]

        def forget(db: sqlite3.Connection) -> None:
            for table in ("papers", "contexts", "links"):
                db.executemany(f"DELETE FROM {table} WHERE digest = ? AND suffix = ?", names)
            db.executemany("DELETE FROM files WHERE path = ?", paths)

        self._database.run(forget)
        self._sentences.cache_clear()

    def evict(self, max_bytes: int | None = None) -> int:
        """Evict unused rows; return the number of papers and drafts.

        Those are texts of a file that has changed, if not used today, or is gone, if not used for a
        month; what was not used for a year; and the oldest papers if it exceeds `max_bytes`.
        """
        today = current_day()
        paths = (path for (path,) in self._rows("SELECT path FROM files"))
        gone = [path for path in paths if not os.path.lexists(path.removeprefix(_FOLDER_MARK))]

        def forget(db: sqlite3.Connection) -> int:
            db.executemany(
                "DELETE FROM files WHERE path = ? AND NOT EXISTS (SELECT 1 FROM papers"
                " WHERE papers.digest = files.digest AND used >= ?)",
                [(key, today - _GONE_DAYS) for key in gone],
            )
            superseded = "used < ? AND digest NOT IN (SELECT digest FROM files)"
            count = db.execute(f"DELETE FROM papers WHERE {superseded}", (today,)).rowcount
            for table in ("papers", "drafts", "links", "vectors"):
                unused = f"DELETE FROM {table} WHERE used < ?"
                count += db.execute(unused, (today - _UNUSED_DAYS,)).rowcount
            return count

        forgotten = self._database.run(forget)
        if max_bytes is not None and self._database.size() > max_bytes:
            share = 1 - _SHARE_LEFT * max_bytes / self._database.size()
            ((papers,),) = self._rows("SELECT count(*) FROM papers")
            oldest = f"SELECT rowid FROM papers ORDER BY used LIMIT {round(share * papers)}"
            delete = f"DELETE FROM papers WHERE rowid IN ({oldest})"
            forgotten += self._database.run(lambda db: db.execute(delete).rowcount)
        if forgotten:
            name = "digest, suffix, version"
            self._rows("DELETE FROM files WHERE digest NOT IN (SELECT digest FROM papers)")
            self._rows(f"DELETE FROM contexts WHERE ({name}) NOT IN (SELECT {name} FROM papers)")
            self._database.shrink()
        return forgotten

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._database.run(lambda db: db.execute(query, values).fetchall())

    def _used_row(
        self, table: str, columns: str, where: str, key: Sequence[object]
    ) -> Sequence[Any] | None:
        """Return columns of the row of a key, and record that it was used today."""
        rows = self._rows(f"SELECT {columns}, used FROM {table} {where}", *key)
        if rows and _is_before(rows[0][-1], current_day()):
            self._rows(f"UPDATE {table} SET used = ? {where}", current_day(), *key)
        return rows[0] if rows else None


def _failed_version(suffix: str) -> str:
    """Return the version of a failure, with that of Pincite: the next one may read the file."""
    return f"{reader_version(suffix)} {__version__}"


def _links_version(suffix: str) -> str:
    return f"{reader_version(suffix)}.{_LINKS_VERSION}"


def _is_before(used: object, day: int) -> bool:
    """Return whether a row was last used before a day, or damage has changed the type of `used`."""
    return not isinstance(used, int) or used < day


def _insert(db: sqlite3.Connection, table: str, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)


def _delete_paper(this: tuple[str, str, str], db: sqlite3.Connection) -> None:
    for table in ("papers", "contexts"):
        db.execute(f"DELETE FROM {table} {_THIS}", this)
