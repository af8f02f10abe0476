"""Zotero libraries for tests: the tables of its published schema that are read, in our words.

``resource/schema/userdata.sql`` of Zotero's sources (version 107), with ``itemAnnotations`` of Zotero
6 and the field ``citationKey`` of Zotero 8. Numbers of types and fields differ between databases.
"""

import itertools
import sqlite3
from contextlib import closing

SCHEMA = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT UNIQUE);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT UNIQUE);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, libraryID INT NOT NULL,
    key TEXT NOT NULL, dateAdded TIMESTAMP, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT,
    PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex), UNIQUE (itemID, orderIndex));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
    contentType TEXT, path TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL,
    type INTEGER NOT NULL, text TEXT, comment TEXT, color TEXT, pageLabel TEXT,
    sortIndex TEXT NOT NULL, position TEXT NOT NULL DEFAULT '{}');
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE);
CREATE TABLE groupItems (itemID INTEGER PRIMARY KEY, createdByUserID INT);
CREATE TABLE settings (setting TEXT, key TEXT, value, PRIMARY KEY (setting, key));
INSERT INTO settings VALUES ('account', 'userID', '475425');
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT 0 NOT NULL);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
INSERT INTO groups VALUES (77, 2);
"""
USER, GROUP, FEED = 1, 2, 3
#: The number of the user's account.
ME = 475425
IMPORTED, LINKED, ADDRESS = 0, 2, 3
HIGHLIGHT, NOTE, UNDERLINE = 1, 2, 5


class ZoteroLibrary:
    """A data folder of Zotero; the keys of its items are counted: ``AAAAAAA1``."""

    def __init__(self, folder, schema=SCHEMA):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / "zotero.sqlite"
        self.opened = sqlite3.connect(self.path)
        self.opened.executescript(schema)
        self._numbers = itertools.count(1)

    def close(self):
        """Save everything."""
        self.opened.commit()
        self.opened.close()

    def work(self, item_type="journalArticle", *, by=(), library=USER, **fields):
        """Add a work `by` (last, first) or (institution,) or (last, first, role); return its number."""
        item = self._item(item_type, library)
        for name, value in fields.items():
            self._execute("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", value)
            self._execute(
                "INSERT INTO itemData SELECT ?, ?, valueID FROM itemDataValues WHERE value = ?",
                *(item, self._number("fields", "fieldName", name), value),
            )
        for order, (last, *rest) in enumerate(by):
            first, role = (*rest, "", "author")[:2] if len(rest) < 2 else rest
            creator = self._execute(
                "INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)",
                *(first, last, int(not first)),
            )
            role = self._number("creatorTypes", "creatorType", role or "author")
            self._execute(
                "INSERT INTO itemCreators VALUES (?, ?, ?, ?)", item, creator, role, order
            )
        return item

    def file(self, work, path, mode=IMPORTED):
        """Add an attachment; return its number."""
        item = self._item("attachment", self._library(work))
        self._execute(
            "INSERT INTO itemAttachments VALUES (?, ?, ?, 'application/pdf', ?)",
            *(item, work, mode, path),
        )
        return item

    def stored(self, work, name, text):
        """Add an attachment with its file in the storage; return its number."""
        item = self.file(work, f"storage:{name}")
        place = self.folder / "storage" / self.key(item) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        return item

    def note(self, work, html):
        """Add a note."""
        item = self._item("note", self._library(work))
        return self._execute("INSERT INTO itemNotes VALUES (?, ?, ?, '')", item, work, html)

    def highlight(self, file, text, comment=None, page="", order="00000", kind=HIGHLIGHT):
        """Add an annotation to a file; return its number."""
        item = self._item("annotation", self._library(file))
        self._execute(
            "INSERT INTO itemAnnotations VALUES (?, ?, ?, ?, ?, '#ffd400', ?, ?, '{}')",
            *(item, file, kind, text, comment, page, f"{order}|000000|00000"),
        )
        return item

    def made_by(self, item, user):
        """Say who made an item of a group."""
        self._execute("INSERT INTO groupItems VALUES (?, ?)", item, user)

    def added(self, item, time):
        """Note when an item was added."""
        self._execute("UPDATE items SET dateAdded = ? WHERE itemID = ?", time, item)

    def delete(self, item):
        """Move an item to the trash."""
        self._execute("INSERT INTO deletedItems (itemID) VALUES (?)", item)

    def better_bibtex(self, keys):
        """Write Better BibTeX's database with keys by number."""
        with closing(sqlite3.connect(self.folder / "better-bibtex.sqlite")) as opened, opened:
            opened.execute(
                "CREATE TABLE citationkey (itemID INTEGER PRIMARY KEY, itemKey TEXT,"
                " libraryID INT, citationKey TEXT, pinned INT)"
            )
            opened.executemany("INSERT INTO citationkey VALUES (?, '', 1, ?, 0)", [*keys.items()])

    def key(self, item):
        """Return Zotero's key of an item."""
        (key,) = self.opened.execute("SELECT key FROM items WHERE itemID = ?", (item,)).fetchone()
        return key

    def _item(self, item_type, library):
        key = f"A{next(self._numbers):07}"
        number = self._number("itemTypes", "typeName", item_type)
        return self._execute(
            "INSERT INTO items (itemTypeID, libraryID, key) VALUES (?, ?, ?)", number, library, key
        )

    def _library(self, item):
        rows = self.opened.execute("SELECT libraryID FROM items WHERE itemID = ?", (item,))
        return rows.fetchone()[0]

    def _number(self, table, column, name):
        self._execute(
            f"INSERT INTO {table} ({column}) SELECT ?1 WHERE NOT EXISTS"
            f" (SELECT 1 FROM {table} WHERE {column} = ?1)",
            name,
        )
        rows = self.opened.execute(f"SELECT * FROM {table} WHERE {column} = ?", (name,))
        return rows.fetchone()[0]

    def _execute(self, statement, *values):
        return self.opened.execute(statement, values).lastrowid
