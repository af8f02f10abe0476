"""The table of what drafts say about the works that they cite, with the stamps of their files."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ...model.papers import CitingPaper
from ..paper_codec import dump_citing, load_citing
from .rows import DRAFT, Stamp, Table, current_day, is_before, reader_version

SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS drafts ("
    " root BLOB PRIMARY KEY, version TEXT, used INTEGER, context_count INTEGER, stamps BLOB,"
    " citing BLOB)",
)


class DraftsTable(Table):
    """Citing drafts by their main files."""

    def put_citing_draft(
        self, root: Path, stamps: Mapping[Path, Stamp], citing: CitingPaper
    ) -> None:
        """Store what a draft says about others, with the stamps of the files it was read from."""
        rows = [[str(path), stamp] for path, stamp in stamps.items()]
        self._write(
            "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?, ?, ?)",
            os.fsencode(root.absolute()),
            reader_version(DRAFT),
            current_day(),
            len(citing.contexts),
            json.dumps(rows),
            dump_citing(citing),
        )

    def citing_draft(self, root: Path) -> tuple[dict[Path, Stamp], CitingPaper] | None:
        """Return what `put_citing_draft` stored for a draft."""
        this, today = (os.fsencode(root.absolute()), reader_version(DRAFT)), current_day()

        def find(db: sqlite3.Connection) -> tuple[Any, Any] | None:
            where = "WHERE root = ? AND version = ?"
            row = db.execute(f"SELECT stamps, citing, used FROM drafts {where}", this).fetchone()
            if row is None:
                return None
            if is_before(row[2], today):
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
