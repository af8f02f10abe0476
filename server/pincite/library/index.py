"""The persistent index: what was read from papers and drafts, kept by the content of their files.

It is one SQLite file in the user's cache folder (``PINCITE_CACHE`` names another) that several
threads and processes share. Rows are named by a digest of the file's content, its suffix, and the
version of the reader, so a file that did not change is never read twice, wherever it lies.
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
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar, overload

from platformdirs import user_cache_path

from .. import __version__
from ..model.papers import CitingPaper, InlinkContext, ReferencePaper, Sentence
from ..model.problems import InputError, NotAPaperError, NoTextError, Problem
from ..parsing.papers import kind
from .bibliographies import PackedBibliography
from .database import Database
from .serialised import (
    CitedWorks,
    dump_cited,
    dump_citing,
    dump_contexts,
    dump_paper,
    dump_sentences,
    load_cited,
    load_citing,
    load_contexts,
    load_paper,
    load_sentences,
)

logger = logging.getLogger(__name__)

#: Raised for one suffix when its reader returns something else than before, or reads what it could
#: not, so that files of other formats need not be read again; "draft" stands for citing drafts.
#: What is not here has version 1.
READER_VERSIONS: Final[Mapping[str, int]] = {}
#: Raised when what all readers go through does: sentences, citation markers, contexts, the form
#: in which they are kept.
_SHARED_VERSION: Final = 1
#: Raised when the tables change; an index with other tables is not opened.
_SCHEMA_VERSION: Final = 5

# What is read in bulk comes first in a row: SQLite then leaves the rest of it on the disk.
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS files ("
    " path BLOB PRIMARY KEY, changed INTEGER, size INTEGER, digest TEXT) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS papers ("
    " digest TEXT, suffix TEXT, version TEXT, used INTEGER, sentence_count INTEGER,"
    " context_count INTEGER, head BLOB, cited BLOB, sentences BLOB,"
    " PRIMARY KEY (digest, suffix, version))",
    # What a paper says of each of its references: looked up where one entry is looked at.
    "CREATE TABLE IF NOT EXISTS contexts ("
    " digest TEXT, suffix TEXT, version TEXT, reference INTEGER, said BLOB,"
    " PRIMARY KEY (digest, suffix, version, reference))",
    "CREATE TABLE IF NOT EXISTS unreadable ("
    " digest TEXT, suffix TEXT, version TEXT, used INTEGER, kind TEXT, reason TEXT,"
    " PRIMARY KEY (digest, suffix, version))",
    "CREATE TABLE IF NOT EXISTS drafts ("
    " root BLOB PRIMARY KEY, version TEXT, used INTEGER, context_count INTEGER, stamps BLOB,"
    " citing BLOB)",
    "CREATE TABLE IF NOT EXISTS links ("
    " bibliography BLOB, path BLOB, entries TEXT, digest TEXT, suffix TEXT, version TEXT,"
    " used INTEGER, own_key TEXT, cited TEXT, context_count INTEGER,"
    " PRIMARY KEY (bibliography, path)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS bibliographies ("
    " path BLOB PRIMARY KEY, digest TEXT, version TEXT, used INTEGER, keys TEXT, numbers BLOB,"
    " others TEXT)",
)
_TABLES: Final = ("papers", "unreadable", "drafts", "links", "bibliographies")
#: Raised when papers are linked to entries in another way.
_LINKS_VERSION: Final = 1
#: The kind of what drafts say.
DRAFT: Final = "draft"
#: The kind of bibliographies that lend texts to others.
LENDER: Final = "bib"
_THIS = "WHERE digest = ? AND suffix = ? AND version = ?"

_KINDS: Final = {kind.__name__: kind for kind in (InputError, NoTextError, NotAPaperError)}
#: Papers whose sentences are held in memory.
_LOADED_PAPERS: Final = 8
#: Names in one query; SQLite allows 999 values in all its versions.
_CHUNK: Final = 900
#: Kinds of papers that are made of several files.
_LATEX: Final = frozenset({".tex", ".ltx"})
_BLOCK: Final = 1 << 20
#: A file changed so short a time ago may change again without a new time stamp.
_SETTLED_NS: Final = 2 * 10**9
_DAY: Final = 24 * 60 * 60

#: Digest of what a paper is made of, and its kind (`pincite.parsing.papers.kind`).
Name = tuple[str, str]
#: Time of change in nanoseconds and size in bytes of a file; None where there is none.
Stamp = tuple[int, int] | None
_Reload = Callable[[], Sequence[Sentence]]
_T = TypeVar("_T")


def default_index_path() -> Path:
    """Return where the index is kept."""
    folder = os.environ.get("PINCITE_CACHE")
    base = Path(folder) if folder else user_cache_path("pincite", appauthor=False)
    return base / "index.sqlite"


class LinkedPaper(NamedTuple):
    """What a paper is, and which entries it cites, in terms of one bibliography.

    `name` is what was read, `own_key` the key of its own entry. `cited` are the indices of those
    of its references that are entries, with their keys; `context_count` is how often it cites
    these.
    """

    name: Name
    own_key: str | None
    cited: tuple[tuple[int, str], ...]
    context_count: int


class PackedPaper(NamedTuple):
    """A paper as the index keeps it; `contexts` are what it says of each of its references."""

    sentence_count: int
    context_count: int
    head: bytes
    cited: bytes
    sentences: bytes
    contexts: Mapping[int, bytes]


def pack(paper: ReferencePaper, citing: CitingPaper) -> PackedPaper:
    """Return a paper, and what it says of others, in the form that the index keeps."""
    return PackedPaper(
        len(paper.sentences),
        len(citing.contexts),
        dump_paper(replace(paper, sentences=(), references=(), markers=())),
        dump_cited(citing),
        dump_sentences(paper.sentences),
        dump_contexts(citing),
    )


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


class KeptSentences(Sequence[Sentence]):
    """The sentences of one paper, read from the index when they are looked at."""

    __slots__ = ("_length", "_load")

    def __init__(self, length: int, load: Callable[[], tuple[Sentence, ...] | None]) -> None:
        self._length = length
        self._load = load

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | Sequence[Sentence]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self._all())

    def _all(self) -> tuple[Sentence, ...]:
        sentences = self._load()
        if sentences is None or len(sentences) != self._length:
            logger.warning("the sentences of a paper are no longer in the index")
            # Positions that were taken before must stay valid.
            return (Sentence(""),) * self._length
        return sentences


class PaperIndex:
    """Papers and citing drafts that were read before; may be used by any thread.

    Whatever is wrong with the file, the index works: at worst in memory only. `problems` says
    what was wrong. `suffix` is everywhere what `pincite.parsing.papers.kind` returns.
    """

    def __init__(self, path: Path | None = None, *, on_disk: bool = True) -> None:
        file = (path or default_index_path()) if on_disk else None
        self._database = Database(file, _SCHEMA, _SCHEMA_VERSION)
        self._loaded: OrderedDict[Name, tuple[Sentence, ...]] = OrderedDict()
        self._loading = Lock()

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

    # Names

    def digest(self, path: Path) -> str:
        """Return the name of what a paper is made of; raise `OSError` where it cannot be read.

        Of a file that did not change since, only the time stamp is looked at. A LaTeX file, and a
        folder of them, is all files that it reads.
        """
        if kind(path) not in _LATEX:
            return self._file_digest(path)
        path.stat()
        from ..parsing.papers.latex import latex_sources

        folder = path if path.is_dir() else path.parent
        content = _new_digest()
        for source in latex_sources(path):
            name = source.relative_to(folder) if source.is_relative_to(folder) else source
            content.update(os.fsencode(name.as_posix()) + b"\0")
            content.update(self._file_digest(source).encode())
        return content.hexdigest()

    def _file_digest(self, path: Path) -> str:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "this is not a file")
        key, stamp = os.fsencode(path.absolute()), (_fitting(status.st_mtime_ns), status.st_size)
        row = self._database.run(
            lambda db: db.execute(
                "SELECT digest FROM files WHERE path = ? AND changed = ? AND size = ?",
                (key, *stamp),
            ).fetchone()
        )
        if row is not None:
            return str(row[0])
        content = _new_digest()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                content.update(block)
        digest = content.hexdigest()
        if time.time_ns() - status.st_mtime_ns > _SETTLED_NS:
            self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", key, *stamp, digest)
        return digest

    # Papers

    def holds(self, digest: str, suffix: str) -> bool:
        """Tell whether a file of this content was read before, with or without success."""
        tables = {"papers": _this(digest, suffix), "unreadable": _tried(digest, suffix)}
        return self._database.run(
            lambda db: any(
                db.execute(f"SELECT 1 FROM {table} {_THIS}", this).fetchone()
                for table, this in tables.items()
            )
        )

    def put(self, digest: str, suffix: str, paper: ReferencePaper, citing: CitingPaper) -> None:
        """Keep what was read from a file of this content."""
        self.put_packed(digest, suffix, pack(paper, citing))

    def put_packed(self, digest: str, suffix: str, packed: PackedPaper) -> None:
        """Keep what was read from a file of this content."""
        this = _this(digest, suffix)
        *paper, contexts = packed
        said = [(*this, reference, data) for reference, data in contexts.items()]

        def put(db: sqlite3.Connection) -> None:
            _delete_paper(this, db)
            row = (*this, _today(), *paper)
            db.execute("INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            db.executemany("INSERT INTO contexts VALUES (?, ?, ?, ?, ?)", said)

        self._database.run(put)
        with self._loading:
            self._loaded.pop((digest, suffix), None)

    def paper(
        self, digest: str, suffix: str, reload: _Reload | None = None
    ) -> ReferencePaper | None:
        """Return the paper in a file of this content, without its references and markers.

        Its sentences stay in the index until they are looked at. `reload` gives them where the
        index has lost them in the meantime.
        """
        name = (digest, suffix)
        heads = self.heads([name])
        if name not in heads or reload is None:
            return heads.get(name)
        count = len(heads[name].sentences)
        return replace(heads[name], sentences=self._lazily(name, count, reload))

    def heads(self, names: Iterable[Name]) -> dict[Name, ReferencePaper]:
        """Return the papers of many files as `paper` does; those not held are left out."""
        rows = self._loaded_rows("head, sentence_count", load_paper, names)
        return {
            name: replace(head, sentences=self._lazily(name, count))
            for name, head, (count,) in rows
        }

    def cited_works(self, names: Iterable[Name]) -> Iterator[tuple[Name, CitedWorks]]:
        """Yield which works many papers cite, in any order."""
        for name, cited, _ in self._loaded_rows("cited", load_cited, names):
            yield name, cited

    def contexts(
        self, digest: str, suffix: str, references: Iterable[int]
    ) -> list[tuple[int, InlinkContext]]:
        """Return what a paper says of some of its references, in its order, with the places there.

        What the index has lost in the meantime is left out.
        """
        this = _this(digest, suffix)
        query = f"SELECT said FROM contexts {_THIS} AND reference = ?"
        rows = self._database.run(
            lambda db: [db.execute(query, (*this, each)).fetchone() for each in references]
        )
        try:
            said = chain.from_iterable(load_contexts(row[0]) for row in rows if row)
            return sorted(said, key=itemgetter(0))
        except ValueError:
            self._forget_paper((digest, suffix))
            return []

    def unreadable(self, digest: str, suffix: str) -> InputError | None:
        """Return why a file of this content cannot be used, if that is known."""
        this, today = _tried(digest, suffix), _today()

        def find(db: sqlite3.Connection) -> InputError | None:
            row = db.execute(f"SELECT kind, reason, used FROM unreadable {_THIS}", this).fetchone()
            if row is None:
                return None
            if row[2] < today:
                db.execute(f"UPDATE unreadable SET used = ? {_THIS}", (today, *this))
            return _KINDS.get(row[0], InputError)(row[1])

        return self._database.run(find)

    def put_unreadable(self, digest: str, suffix: str, error: InputError) -> None:
        """Keep why a file of this content cannot be used, so that it is not tried again."""
        known = next(known for known in type(error).__mro__ if known.__name__ in _KINDS)
        self._write(
            "INSERT OR REPLACE INTO unreadable VALUES (?, ?, ?, ?, ?, ?)",
            *_tried(digest, suffix),
            _today(),
            known.__name__,
            # What a reader quotes from a file may be no sound text.
            str(error).encode("utf-8", "replace").decode(),
        )

    # Drafts

    def put_citing_draft(
        self, root: Path, stamps: Mapping[Path, Stamp], citing: CitingPaper
    ) -> None:
        """Keep what a draft says of others, with the files it rests on as they were."""
        rows = [[str(path), stamp] for path, stamp in stamps.items()]
        self._write(
            "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?, ?, ?)",
            os.fsencode(root.absolute()),
            _version(DRAFT),
            _today(),
            len(citing.contexts),
            json.dumps(rows),
            dump_citing(citing),
        )

    def citing_draft(self, root: Path) -> tuple[dict[Path, Stamp], CitingPaper] | None:
        """Return what `put_citing_draft` kept of a draft."""
        this, today = (os.fsencode(root.absolute()), _version(DRAFT)), _today()

        def find(db: sqlite3.Connection) -> tuple[str, bytes] | None:
            where = "WHERE root = ? AND version = ?"
            row = db.execute(f"SELECT stamps, citing, used FROM drafts {where}", this).fetchone()
            if row is None:
                return None
            if row[2] < today:
                db.execute(f"UPDATE drafts SET used = ? {where}", (today, *this))
            return row[0], row[1]

        row = self._database.run(find)
        if row is None:
            return None
        with suppress(ValueError, TypeError):
            stamps = {
                Path(path): None if stamp is None else (int(stamp[0]), int(stamp[1]))
                for path, stamp in json.loads(row[0])
            }
            return stamps, load_citing(row[1])
        return None

    # Links

    def links(self, bibliography: str, entries: str) -> dict[Path, LinkedPaper]:
        """Return what is known of papers and drafts by their paths, as `put_links` kept it.

        `bibliography` says whose entries these are, and `entries` is a digest of them.
        """
        query = (
            "SELECT path, digest, suffix, version, own_key, cited, context_count FROM links"
            " WHERE bibliography = ? AND entries = ?"
        )
        known: dict[Path, LinkedPaper] = {}
        name = os.fsencode(bibliography)
        rows = self._database.run(partial(_fetch, query, (name, entries)))
        for raw_path, digest, suffix, version, own_key, cited, count in rows:
            if version == _links_version(suffix):
                with suppress(ValueError, TypeError):
                    # The same few thousand keys again and again.
                    found = tuple((int(each), sys.intern(key)) for each, key in json.loads(cited))
                    linked = LinkedPaper((digest, suffix), own_key, found, count)
                    known[Path(os.fsdecode(raw_path))] = linked
        return known

    def put_links(self, bibliography: str, entries: str, links: Mapping[Path, LinkedPaper]) -> None:
        """Keep what papers are and say in terms of a bibliography; what it was before goes."""
        today, name = _today(), os.fsencode(bibliography)
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
            marks = ", ".join("?" * 10)
            db.executemany(f"INSERT OR REPLACE INTO links VALUES ({marks})", rows)

        self._database.run(put)

    # Bibliographies

    def keeps(self, path: Path, version: str) -> bool:
        """Tell whether `bibliography` would return one."""
        this = (os.fsencode(path.absolute()), version)
        query = "SELECT digest FROM bibliographies WHERE path = ? AND version = ?"
        row = self._database.run(lambda db: db.execute(query, this).fetchone())
        return row is not None and row[0] == self._file_digest(path)

    def bibliography(self, path: Path, version: str) -> PackedBibliography | None:
        """Return what is kept of the bibliography at `path`, if it is what stands there now.

        `version` says how it is read. Raises `OSError` where the file cannot be read.
        """
        this, today = (os.fsencode(path.absolute()), version), _today()

        def find(db: sqlite3.Connection) -> tuple[Any, ...] | None:
            where = "WHERE path = ? AND version = ?"
            query = f"SELECT digest, used, keys, numbers, others FROM bibliographies {where}"
            row: tuple[Any, ...] | None = db.execute(query, this).fetchone()
            if row is not None and row[1] < today:
                db.execute(f"UPDATE bibliographies SET used = {today} {where}", this)
            return row

        row = self._database.run(find)
        if row is None or row[0] != self._file_digest(path):
            return None
        return PackedBibliography(*row[2:])

    def put_bibliography(
        self, path: Path, digest: str, version: str, packed: PackedBibliography
    ) -> None:
        """Keep what was read from a bibliography; what it was before goes."""
        self._write(
            "INSERT OR REPLACE INTO bibliographies VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(os.fsencode(path.absolute()), digest, version, _today()),
            *packed,
        )

    # The index as a whole

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
                (_version(DRAFT),),
            ).fetchone()
            counts = [tuple(row[2:]) for row in papers if row[1] == _version(row[0])]
            counts.append((0, 0, drafts[1] or 0))
            return counts, sum(n for s, v, n in unreadable if v == _tried("", s)[2]), drafts[0]

        counts, unreadable, drafts = self._database.run(count)
        papers, sentences, contexts = (sum(column) for column in zip(*counts, strict=True))
        return IndexStatus(
            self.path, self._database.size(), papers, sentences, contexts, unreadable, drafts
        )

    def clear(self) -> None:
        """Forget everything, and give the space on the disk back."""

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
        limit = _today() - days

        def forget(db: sqlite3.Connection) -> int:
            forgotten = sum(
                db.execute(f"DELETE FROM {table} WHERE used < ?", (limit,)).rowcount
                for table in _TABLES
            )
            if forgotten:
                db.execute(
                    "DELETE FROM files WHERE digest NOT IN"
                    " (SELECT digest FROM papers UNION SELECT digest FROM unreadable"
                    " UNION SELECT digest FROM bibliographies)"
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

    def _write(self, statement: str, *values: object) -> None:
        self._database.run(lambda db: db.execute(statement, values))

    def _rows(self, columns: str, names: Iterable[Name]) -> Iterator[tuple[Name, tuple[Any, ...]]]:
        """Yield columns of many papers, and note that these were used today."""
        wanted = set(names)
        digests = sorted({digest for digest, _ in wanted})
        today = _today()
        for start in range(0, len(digests), _CHUNK):
            chunk = digests[start : start + _CHUNK]
            among = f"WHERE digest IN ({','.join('?' * len(chunk))})"
            query = f"SELECT digest, suffix, version, used, {columns} FROM papers {among}"
            rows = self._database.run(partial(_fetch, query, chunk))
            if any(used < today for _, _, _, used, *_ in rows):
                self._write(f"UPDATE papers SET used = {today} {among}", *chunk)
            for digest, suffix, version, _, *values in rows:
                if (digest, suffix) in wanted and version == _version(suffix):
                    yield (digest, suffix), tuple(values)

    def _loaded_rows(
        self, columns: str, load: Callable[[bytes], _T], names: Iterable[Name]
    ) -> Iterator[tuple[Name, _T, tuple[Any, ...]]]:
        """Yield what `load` makes of the first of some columns, with the others as they are."""
        for name, (data, *others) in self._rows(columns, names):
            try:
                loaded = load(data)
            except ValueError:
                self._forget_paper(name)
                continue
            yield name, loaded, tuple(others)

    def _forget_paper(self, name: Name) -> None:
        """Forget a paper that cannot be read back: its file will be read again."""
        self._database.run(partial(_delete_paper, _this(*name)))

    def _lazily(self, name: Name, count: int, reload: _Reload | None = None) -> KeptSentences:
        return KeptSentences(count, partial(self._sentences, name, reload))

    def _sentences(self, name: Name, reload: _Reload | None) -> tuple[Sentence, ...] | None:
        """Return the sentences of a paper; the last few papers' are held in memory."""
        with self._loading:
            if name in self._loaded:
                self._loaded.move_to_end(name)
                return self._loaded[name]
        rows = self._loaded_rows("sentences", load_sentences, [name])
        sentences = next((sentences for _, sentences, _ in rows), None)
        if sentences is None and reload is not None:
            with suppress(InputError, OSError):
                sentences = tuple(reload())
        if sentences is not None:
            with self._loading:
                self._loaded[name] = sentences
                while len(self._loaded) > _LOADED_PAPERS:
                    self._loaded.popitem(last=False)
        return sentences


def _fetch(query: str, values: Sequence[object], db: sqlite3.Connection) -> list[Any]:
    return db.execute(query, values).fetchall()


def _delete_paper(this: tuple[str, str, str], db: sqlite3.Connection) -> None:
    for table in ("papers", "contexts"):
        db.execute(f"DELETE FROM {table} {_THIS}", this)


def _this(digest: str, suffix: str) -> tuple[str, str, str]:
    return digest, suffix, _version(suffix)


def _tried(digest: str, suffix: str) -> tuple[str, str, str]:
    """Return what names a failure: the next release may be able to read the file."""
    return digest, suffix, f"{_version(suffix)} {__version__}"


def reader_version(suffix: str) -> str:
    """Return the version of what is read from files of a kind."""
    return _version(suffix)


def _version(suffix: str) -> str:
    return f"{_SHARED_VERSION}.{READER_VERSIONS.get(suffix, 1)}"


def _fitting(nanoseconds: int) -> int:
    """Return a time that SQLite can hold, which it cannot from the year 2262 on."""
    return nanoseconds & 0x7FFF_FFFF_FFFF_FFFF


def _links_version(suffix: str) -> str:
    return f"{_version(suffix)}.{_LINKS_VERSION}"


def _today() -> int:
    return int(time.time() // _DAY)


def _new_digest() -> blake2b:
    return blake2b(digest_size=20)
