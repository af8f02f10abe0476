"""The table of what drafts say about the works that they cite, with the stamps of their files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from ...model.papers import CitingPaper
from ...parsing.paths import Stamp
from ..paper_codec import dump_citing, load_citing
from .rows import DRAFT, Table, current_day, reader_version

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
        this = os.fsencode(root.absolute()), reader_version(DRAFT)
        row = self._used_row("drafts", "stamps, citing", "WHERE root = ? AND version = ?", this)
        if row is None:
            return None
        with suppress(ValueError, TypeError):
            stamps = {
                Path(path): None if stamp is None else (int(stamp[0]), int(stamp[1]))
                for path, stamp in json.loads(row[0])
            }
            return stamps, load_citing(row[1])
        return None
