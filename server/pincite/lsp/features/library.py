"""``pincite/library``: the health of a draft's library, for a view of the client.

Papers are read in the background; the answer has what is known now.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from .. import wire
from ..documents import Lines
from ..keys import bib_items
from ..language_server import PinciteServer
from ..session import OpenDraft, Project
from ..to_proto import Locations

if TYPE_CHECKING:
    from ...checking.library_health import EntryHealth, LibraryProblem
    from ...model.papers import BibEntry


def register(server: PinciteServer) -> None:
    """Answer ``pincite/library``."""

    @server.feature(wire.LIBRARY)
    async def shows_library(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(wire.LibraryParams, params)
        uri, folders = asked.text_document.uri, tuple(map(Path, asked.base_folders))
        # Hovers do not wait behind it: all entries are looked at.
        return wire.written(await ls.answer_about(health, uri, folders))


def health(
    project: Project, path: Path, _lines: Lines, folders: tuple[Path, ...]
) -> wire.LibraryHealth | None:
    """Return what is known of all entries of a document's draft; None where there is no draft.

    `folders` are base folders besides those of the settings.
    """
    opened = project.open_draft(path)
    if opened is None:
        return None
    from ...checking.library_health import library_health

    found = library_health(
        opened.draft,
        opened.bibliography.files,
        opened.recommender.candidates,
        opened.workspace.library(opened.draft),
        project.text,
        bases=(*opened.workspace.settings.library.base_folders, *folders),
        lent=opened.workspace.lent_so_far(opened.draft),
        complete=opened.complete,
    )
    written = _Written(project, opened)
    return wire.LibraryHealth(
        draft=opened.draft.root.name,
        complete=opened.complete,
        entries=tuple(map(written.entry, found.entries)),
        counts=found.counts,
        others=tuple(map(written.problem, found.others)),
        fetched=found.fetched,
        common_folder=found.common_folder,
    )


class _Written:
    """What is said of the entries of a draft, for the protocol."""

    def __init__(self, project: Project, opened: OpenDraft) -> None:
        self._opened = opened
        self._locations = Locations(project)
        self._bib_items = bib_items(opened.draft)

    def entry(self, known: EntryHealth) -> wire.EntryHealth:
        candidate = self._opened.recommender.candidates[known.key]
        entry = candidate.entry
        return wire.EntryHealth(
            key=known.key,
            author_year=entry.author_year if entry else "",
            title=candidate.title,
            basis=known.basis,
            cited=known.cited,
            problems=tuple(map(self.problem, known.problems)),
            file=None if known.file is None else known.file.as_uri(),
            from_zotero=known.from_zotero,
            open_access=known.open_access or None,
            cited_by=known.cited_by,
            entry=self._of_entry(entry) if entry else None,
        )

    def problem(self, found: LibraryProblem) -> wire.LibraryProblem:
        location = None if found.place is None else self._locations.of(*found.place)
        return wire.LibraryProblem(
            found.kind, found.what, found.advice, found.file or None, location
        )

    def _of_entry(self, entry: BibEntry) -> types.Location | None:
        place = self._opened.bibliography.place(entry)
        if place is not None:
            return self._locations.of(entry.path, place.key_span)
        item = self._bib_items.get(entry.key)
        return None if item is None else self._locations.of(*item)
