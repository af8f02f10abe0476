"""The tables of papers, what they say about their references, and files that cannot be used."""

from __future__ import annotations

import logging
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar, overload

from ...model.papers import CitingPaper, InlinkContext, ReferencePaper, Sentence
from ...model.problems import InputError, NotAPaperError, NoTextError, ProtectedError
from ..paper_codec import (
    CitedWorks,
    dump_cited,
    dump_contexts,
    dump_head,
    dump_sentences,
    load_cited,
    load_contexts,
    load_head,
    load_sentences,
)
from .rows import (
    Name,
    Table,
    current_day,
    fetch,
    is_before,
    reader_version,
    this_row,
    tried_row,
)

logger = logging.getLogger(__name__)

# Columns that are read in bulk come first: SQLite then does not read the rest of the row.
SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS papers ("
    " digest TEXT, suffix TEXT, version TEXT, used INTEGER, sentence_count INTEGER,"
    " context_count INTEGER, head BLOB, cited BLOB, sentences BLOB,"
    " PRIMARY KEY (digest, suffix, version))",
    # What a paper says about each of its references: read only for a single entry.
    "CREATE TABLE IF NOT EXISTS contexts ("
    " digest TEXT, suffix TEXT, version TEXT, reference INTEGER, said BLOB,"
    " PRIMARY KEY (digest, suffix, version, reference))",
    "CREATE TABLE IF NOT EXISTS unreadable ("
    " digest TEXT, suffix TEXT, version TEXT, used INTEGER, kind TEXT, reason TEXT,"
    " PRIMARY KEY (digest, suffix, version))",
)
_THIS = "WHERE digest = ? AND suffix = ? AND version = ?"
_KINDS: Final = {
    kind.__name__: kind for kind in (InputError, NoTextError, NotAPaperError, ProtectedError)
}
#: Papers whose sentences are held in memory.
_LOADED_PAPERS: Final = 8
#: Names in one query; SQLite allows 999 values in all its versions.
_CHUNK: Final = 900

_Reload = Callable[[], Sequence[Sentence]]
_T = TypeVar("_T")


class PackedPaper(NamedTuple):
    """A paper as stored in the index; `contexts` is what it says about each of its references."""

    sentence_count: int
    context_count: int
    head: bytes
    cited: bytes
    sentences: bytes
    contexts: Mapping[int, bytes]


def pack(paper: ReferencePaper, citing: CitingPaper) -> PackedPaper:
    """Return a paper, and what it says about others, in the format of the index."""
    return PackedPaper(
        len(paper.sentences),
        len(citing.contexts),
        dump_head(paper),
        dump_cited(citing),
        dump_sentences(paper.sentences),
        dump_contexts(citing),
    )


class KeptSentences(Sequence[Sentence]):
    """The sentences of one paper, loaded from the index on access."""

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
            # Positions computed earlier must stay valid.
            return (Sentence(""),) * self._length
        return sentences


class PapersTable(Table):
    """Papers by the digest of their content, with their contexts, and files that failed."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[Name, tuple[Sentence, ...]] = OrderedDict()
        self._loading = Lock()

    def holds(self, digest: str, suffix: str) -> bool:
        """Return whether a file of this content was read before, with or without success."""
        tables = {"papers": this_row(digest, suffix), "unreadable": tried_row(digest, suffix)}
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
        this = this_row(digest, suffix)
        *paper, contexts = packed
        said = [(*this, reference, data) for reference, data in contexts.items()]

        def put(db: sqlite3.Connection) -> None:
            _delete_paper(this, db)
            row = (*this, current_day(), *paper)
            db.execute("INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            db.executemany("INSERT INTO contexts VALUES (?, ?, ?, ?, ?)", said)

        self._database.run(put)
        with self._loading:
            self._loaded.pop((digest, suffix), None)

    def paper(
        self, digest: str, suffix: str, reload: _Reload | None = None
    ) -> ReferencePaper | None:
        """Return the paper in a file of this content, without its references and markers.

        Its sentences are loaded from the index on access. `reload` provides them if the index has
        lost them in the meantime.
        """
        name = (digest, suffix)
        return self.heads([name], reload).get(name)

    def heads(
        self, names: Iterable[Name], reload: _Reload | None = None
    ) -> dict[Name, ReferencePaper]:
        """Return the papers of many files as `paper` does; those not in the index are left out."""
        rows = self._loaded_rows("head, sentence_count", load_head, names)
        found: dict[Name, ReferencePaper] = {}
        for name, head, (count,) in rows:
            load = partial(self._sentences, name, reload)
            found[name] = replace(head, sentences=KeptSentences(count, load))
        return found

    def cited_works(self, names: Iterable[Name]) -> Iterator[tuple[Name, CitedWorks]]:
        """Yield the works that papers cite, in any order."""
        for name, cited, _ in self._loaded_rows("cited", load_cited, names):
            yield name, cited

    def contexts(
        self, digest: str, suffix: str, references: Iterable[int]
    ) -> list[tuple[int, InlinkContext]]:
        """Return what a paper says about some of its references, with the places, in order.

        Contexts that the index has lost in the meantime are left out.
        """
        this = this_row(digest, suffix)
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
        row = self._used_row("unreadable", "kind, reason", _THIS, tried_row(digest, suffix))
        return None if row is None else _KINDS.get(row[0], InputError)(str(row[1]))

    def put_unreadable(self, digest: str, suffix: str, error: InputError) -> None:
        """Store why a file of this content cannot be used, so that it is not read again."""
        known = next(known for known in type(error).__mro__ if known.__name__ in _KINDS)
        self._write(
            "INSERT OR REPLACE INTO unreadable VALUES (?, ?, ?, ?, ?, ?)",
            *tried_row(digest, suffix),
            current_day(),
            known.__name__,
            # The message may quote text from the file that is not valid Unicode.
            str(error).encode("utf-8", "replace").decode(),
        )

    def _loaded_rows(
        self, columns: str, load: Callable[[bytes], _T], names: Iterable[Name]
    ) -> Iterator[tuple[Name, _T, tuple[Any, ...]]]:
        """Yield the result of `load` for the first column, and the other columns, which are counts.

        It is recorded that these papers were used today. A paper whose row is damaged is forgotten,
        so that its file is read again.
        """
        wanted = set(names)
        digests = sorted({digest for digest, _ in wanted})
        today = current_day()
        for start in range(0, len(digests), _CHUNK):
            chunk = digests[start : start + _CHUNK]
            among = f"WHERE digest IN ({','.join('?' * len(chunk))})"
            query = f"SELECT digest, suffix, version, used, {columns} FROM papers {among}"
            rows = self._database.run(partial(fetch, query, chunk))
            if any(is_before(used, today) for _, _, _, used, *_ in rows):
                self._write(f"UPDATE papers SET used = {today} {among}", *chunk)
            for digest, suffix, version, _, data, *counts in rows:
                if (digest, suffix) not in wanted or version != reader_version(suffix):
                    continue
                try:
                    loaded = load(data)
                    if not all(isinstance(count, int) and count >= 0 for count in counts):
                        raise ValueError("no counts")
                except ValueError:
                    self._forget_paper((digest, suffix))
                    continue
                yield (digest, suffix), loaded, tuple(counts)

    def _forget_paper(self, name: Name) -> None:
        """Forget a paper that cannot be loaded, so that its file is read again."""
        self._database.run(partial(_delete_paper, this_row(*name)))

    def _sentences(self, name: Name, reload: _Reload | None) -> tuple[Sentence, ...] | None:
        """Return the sentences of a paper; those of the last few papers are cached in memory."""
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


def _delete_paper(this: tuple[str, str, str], db: sqlite3.Connection) -> None:
    for table in ("papers", "contexts"):
        db.execute(f"DELETE FROM {table} {_THIS}", this)
