"""``pincite/library``: the health of a draft's library, for a view of the client.

Papers are read in the background; the answer has what is known now.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import wire
from ..documents import Lines
from ..language_server import PinciteServer
from ..session import Snapshot


def register(server: PinciteServer) -> None:
    """Answer ``pincite/library``."""

    @server.feature(wire.LIBRARY)
    async def shows_library(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(wire.LibraryParams, params)
        # Hovers do not wait behind it: all entries are looked at.
        return wire.written(await ls.answer_about(health, asked.text_document.uri))


def health(snapshot: Snapshot, path: Path, _lines: Lines) -> wire.LibraryHealth | None:
    """Return what is known of all entries of a document's draft; None where there is no draft."""
    opened = snapshot.open_draft(path)
    if opened is None:
        return None
    from ...checking.library_health import library_health

    found = library_health(
        opened.draft,
        opened.bibliography.files,
        opened.recommender.candidates,
        opened.workspace.library(opened.draft),
        snapshot.text,
        bases=opened.workspace.settings.library.base_folders,
        complete=opened.complete,
    )
    common = found.common_folder
    return wire.LibraryHealth(
        draft=opened.draft.root.name,
        complete=opened.complete,
        entries=tuple(
            wire.EntryHealth(
                entry.key,
                entry.basis,
                entry.cited,
                tuple(problem.message for problem in entry.problems),
                tuple(problem.kind for problem in entry.problems),
                None if entry.file is None else entry.file.as_uri(),
            )
            for entry in found.entries
        ),
        counts=wire.LibraryCounts(**asdict(found.counts)),
        others=tuple(problem.message for problem in found.others),
        common_folder=None if common is None else wire.CommonFolder(common.folder, common.shared),
    )
