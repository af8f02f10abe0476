"""Document highlight: the other places of a key in the same document."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ..documents import Lines
from ..keys import key_at_cursor, keys_in_document
from ..language_server import PinciteServer
from ..session import Project


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/documentHighlight``."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(
        ls: PinciteServer, params: types.DocumentHighlightParams
    ) -> list[types.DocumentHighlight] | None:
        return await ls.answer_at(highlight, params)


def highlight(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> list[types.DocumentHighlight] | None:
    """Return the places of the key at a position; the one in its entry is marked as a write."""
    if not project.does("document_highlight", path):
        return None
    key = key_at_cursor(project, path, lines, position)
    document = keys_in_document(project, path, lines.text) if key else None
    if key is None or document is None:
        return None
    read, written = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(
            lines.range(place.span.start, place.span.end), written if place.defines else read
        )
        for place in sorted(document.places((key.key,)))
    ]
