"""Read the works in Zotero's database: the tables of ``userdata.sql`` in Zotero's sources.

They are those of Zotero 5 and later, with annotations from 6 and citation keys from 8 on.

A running Zotero locks its database, so a private copy is read. There, SQLite resolves a transaction
that is not finished, or finished and only logged (as most are in Zotero 10).
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..cancellation import check, checked
from ..model.problems import InputError
from ..model.zotero import Highlight
from ..parsing.paths import Stamp, file_stamp, is_file, leads_to_system

#: Files that SQLite stores beside a database: a journal to roll back, or a log of changes.
_LOGS: Final = ("-journal", "-wal")
#: Better BibTeX's table of keys, which Zotero 8 replaced by a field.
_BETTER_BIBTEX: Final = "better-bibtex.sqlite"
#: How often a database is copied that changes meanwhile.
_MAX_ATTEMPTS: Final = 3
_MAX_WORKS: Final = 500_000
#: Longer texts are cut: the longest abstracts and notes have some ten thousand characters.
_MAX_TEXT: Final = 100_000
# A tuple is written as SQL writes a list.
_NOT_WORKS: Final = ("attachment", "note", "annotation")
#: Highlighted and underlined text (``Zotero.Annotations``); others are notes, images and ink.
_HIGHLIGHTS: Final = (1, 5)
#: Attachments that are files: imported ones, snapshots, linked ones.
_FILES: Final = (0, 1, 2)

#: What a damaged database raises: names that are not text, numbers that are not, and all that
#: SQLite notices itself.
_DAMAGE: Final = (sqlite3.DatabaseError, UnicodeError, TypeError, ValueError, OverflowError)


class Creator(NamedTuple):
    """A person or, without a first name and with `whole`, an institution; `role` as in Zotero."""

    role: str
    last: str
    first: str = ""
    whole: bool = False


class Attachment(NamedTuple):
    """A file of a work; `path` is as in the database, `key` that of the attachment."""

    key: str
    path: str


class Work(NamedTuple):
    """A work in Zotero, with names of types and fields as in Zotero. Notes are in HTML."""

    key: str
    item_type: str
    fields: Mapping[str, str]
    creators: tuple[Creator, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    notes: tuple[str, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    better_bibtex_key: str = ""
    added: str = ""
    group: str = ""


def stamps(database: Path) -> tuple[Stamp, ...]:
    """Return what changes whenever works change."""
    return (*_stamps(database), *_stamps(database.with_name(_BETTER_BIBTEX)))


def _stamps(database: Path) -> tuple[Stamp, ...]:
    return tuple(file_stamp(Path(f"{database}{ending}")) for ending in ("", *_LOGS))


class ChangedError(InputError):
    """The database changed whenever it was copied; it can be read later."""


def read_works(database: Path) -> Iterator[Work]:
    """Yield the works of the user's library, then of groups; `InputError` may come after some."""
    keys = _better_bibtex_keys(database.parent)
    try:
        with _opened(database) as main:
            for kind in ("user", "group"):
                yield from _works(main, keys, kind)
    except _DAMAGE as error:
        is_unknown = isinstance(error, sqlite3.OperationalError) and "no such" in str(error)
        what = "an unknown version of Zotero's database" if is_unknown else "cannot be read"
        raise InputError(f"{database}: {what} ({error})") from None


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database that its owner may be using."""
    if leads_to_system(path):
        raise InputError(f"{path}: this is a system file, and system files are not read")
    try:
        with tempfile.TemporaryDirectory(prefix="pincite-") as folder:
            _copy(path, Path(folder))
            with closing(_connected(Path(folder, path.name).as_uri())) as opened:
                yield opened
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _copy(path: Path, folder: Path) -> None:
    """Copy a database with its logs; raise `ChangedError` if it changes each time."""
    for _ in range(_MAX_ATTEMPTS):
        before = _stamps(path)
        # The logs last: what they undo or add belongs to an earlier state of the database.
        for each in (path, *(Path(f"{path}{ending}") for ending in _LOGS)):
            check()
            Path(folder, each.name).unlink(missing_ok=True)
            if each == path or is_file(each):
                shutil.copyfile(each, Path(folder, each.name))
        if _stamps(path) == before:
            return
    raise ChangedError(f"{path}: Zotero changed it while it was being read")


def _connected(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _better_bibtex_keys(folder: Path) -> dict[int, str]:
    """Return the keys that Better BibTeX gave to items; none if they cannot be read."""
    path = folder / _BETTER_BIBTEX
    if not is_file(path):
        return {}
    try:
        with _opened(path) as opened:
            rows = opened.execute("SELECT itemID, citationKey FROM citationkey")
            return {item: key for item, key in rows if isinstance(key, str)}
    except ChangedError:
        raise
    except (*_DAMAGE, InputError):
        # Keys are a convenience: without them, works get keys of ours.
        return {}


def _works(db: sqlite3.Connection, keys: Mapping[int, str], kind: str) -> Iterator[Work]:
    """Yield the works of a kind of libraries, one at a time, merging rows by item."""
    types = dict(db.execute("SELECT itemTypeID, typeName FROM itemTypes"))
    items = db.execute(
        f"""SELECT itemID, key, itemTypeID, dateAdded, groupID
        FROM items LEFT JOIN groups USING (libraryID)
        WHERE itemTypeID NOT IN (SELECT itemTypeID FROM itemTypes WHERE typeName IN {_NOT_WORKS})
        AND libraryID IN (SELECT libraryID FROM libraries WHERE type = ?)
        AND {_not_deleted("items.itemID")} ORDER BY itemID LIMIT {_MAX_WORKS}""",
        (kind,),
    )
    queries = [_FIELDS, _CREATORS, _ATTACHMENTS, _NOTES]
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'itemAnnotations'").fetchone():
        queries.append(_HIGHLIGHTED)
    merged = [_Rows(db.execute(query)) for query in queries]
    for item, key, item_type, added, group in checked(items, every=100):
        fields, creators, attachments, notes, *rest = (rows.of(item) for rows in merged)
        yield Work(
            key=str(key),
            item_type=str(types.get(item_type, "")),
            fields={str(name): str(value) for name, value in fields},
            creators=tuple(
                Creator(str(role), str(last or ""), str(first or ""), whole=mode == 1)
                for role, last, first, mode in creators
            ),
            attachments=tuple(Attachment(str(k), str(path)) for k, path in attachments),
            notes=tuple(str(note) for (note,) in notes),
            highlights=tuple(
                Highlight(str(text), str(comment or ""), str(label or ""), str(annotation))
                for highlights in rest
                for text, comment, label, annotation in highlights
            ),
            better_bibtex_key=keys.get(item, ""),
            added=str(added or ""),
            group=str(group or ""),
        )


class _Rows:
    """The rows of a query that is ordered by its first column, the item, without that column."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, item: int) -> list[tuple[Any, ...]]:
        """Return the rows of an item; items are asked for in order, each once."""
        found = []
        while (row := self._next) is not None and row[0] <= item:
            if row[0] == item:
                found.append(row[1:])
            self._next = next(self._rows, None)
        return found


def _not_deleted(item: str) -> str:
    return f"{item} NOT IN (SELECT itemID FROM deletedItems)"


#: CROSS JOIN fixes the order of the loops for SQLite, for which it would sort all values.
_FIELDS: Final = f"""SELECT d.itemID, f.fieldName, substr(v.value, 1, {_MAX_TEXT})
    FROM itemData d CROSS JOIN fields f ON f.fieldID = d.fieldID
    CROSS JOIN itemDataValues v ON v.valueID = d.valueID ORDER BY d.itemID"""
_CREATORS: Final = """SELECT i.itemID, t.creatorType, c.lastName, c.firstName, c.fieldMode
    FROM itemCreators i CROSS JOIN creators c ON c.creatorID = i.creatorID
    CROSS JOIN creatorTypes t ON t.creatorTypeID = i.creatorTypeID
    ORDER BY i.itemID, i.orderIndex"""
_ATTACHMENTS: Final = f"""SELECT a.parentItemID, i.key, substr(a.path, 1, {_MAX_TEXT})
    FROM itemAttachments a CROSS JOIN items i ON i.itemID = a.itemID
    WHERE a.parentItemID IS NOT NULL AND a.path IS NOT NULL
    AND a.linkMode IN {_FILES} AND {_not_deleted("a.itemID")}
    ORDER BY a.parentItemID, a.itemID"""
_NOTES: Final = f"""SELECT parentItemID, substr(note, 1, {_MAX_TEXT}) FROM itemNotes
    WHERE parentItemID IS NOT NULL AND note IS NOT NULL AND {_not_deleted("itemNotes.itemID")}
    ORDER BY parentItemID, itemID"""
#: In a group, only what the user marked.
_HIGHLIGHTED: Final = f"""SELECT a.parentItemID, substr(h.text, 1, {_MAX_TEXT}),
    substr(h.comment, 1, {_MAX_TEXT}), h.pageLabel, i.key
    FROM itemAnnotations h CROSS JOIN itemAttachments a ON a.itemID = h.parentItemID
    CROSS JOIN items i ON i.itemID = h.itemID
    WHERE (i.libraryID IN (SELECT libraryID FROM libraries WHERE type = 'user')
        OR h.itemID IN (SELECT itemID FROM groupItems WHERE CAST(createdByUserID AS TEXT) = (
            SELECT CAST(value AS TEXT) FROM settings WHERE setting = 'account' AND key = 'userID')))
    AND a.parentItemID IS NOT NULL AND h.text <> '' AND h.type IN {_HIGHLIGHTS}
    AND {_not_deleted("h.itemID")} AND {_not_deleted("a.itemID")}
    ORDER BY a.parentItemID, a.itemID, h.sortIndex"""
