"""The table of links: which entry of a bibliography a paper is, and which entries it cites."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from .rows import Name, Table, current_day, fetch, reader_version

SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS links ("
    " bibliography BLOB, path BLOB, entries TEXT, digest TEXT, suffix TEXT, version TEXT,"
    " used INTEGER, own_key TEXT, cited TEXT, context_count INTEGER,"
    " PRIMARY KEY (bibliography, path)) WITHOUT ROWID",
)
#: Increase this when the way papers are linked to entries changes.
_LINKS_VERSION: Final = 1


class LinkedPaper(NamedTuple):
    """Which entry of a bibliography a paper is, and which entries it cites.

    `name` is the paper's name in the index, `own_key` the key of its own entry. `cited` are the
    indices of those of its references that are entries, with their keys; `context_count` is how
    often it cites these.
    """

    name: Name
    own_key: str | None
    cited: tuple[tuple[int, str], ...]
    context_count: int


class LinksTable(Table):
    """Links by bibliography and path."""

    def links(self, bibliography: str, entries: str) -> dict[Path, LinkedPaper]:
        """Return the links of papers and drafts by path, as `put_links` stored them.

        `bibliography` identifies the bibliography, and `entries` is a digest of its entries.
        """
        query = (
            "SELECT path, digest, suffix, version, own_key, cited, context_count FROM links"
            " WHERE bibliography = ? AND entries = ?"
        )
        known: dict[Path, LinkedPaper] = {}
        name = os.fsencode(bibliography)
        rows = self._database.run(partial(fetch, query, (name, entries)))
        for raw_path, digest, suffix, version, own_key, cited, count in rows:
            if version == _links_version(suffix):
                with suppress(ValueError, TypeError):
                    # Interned, as the same few thousand keys occur again and again.
                    found = tuple((int(each), sys.intern(key)) for each, key in json.loads(cited))
                    linked = LinkedPaper((digest, suffix), own_key, found, count)
                    known[Path(os.fsdecode(raw_path))] = linked
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
            marks = ", ".join("?" * 10)
            db.executemany(f"INSERT OR REPLACE INTO links VALUES ({marks})", rows)

        self._database.run(put)


def _links_version(suffix: str) -> str:
    return f"{reader_version(suffix)}.{_LINKS_VERSION}"
