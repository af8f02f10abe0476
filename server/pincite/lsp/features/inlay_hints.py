"""Inlay hints: author and year after citation keys; off by default."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ..documents import Lines
from ..language_server import PinciteServer
from ..session import Project


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/inlayHint``."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(
        ls: PinciteServer, params: types.InlayHintParams
    ) -> list[types.InlayHint] | None:
        return await ls.answer_about(inlay_hints, params.text_document.uri, params.range)


def inlay_hints(
    project: Project, path: Path, lines: Lines, asked: types.Range
) -> list[types.InlayHint] | None:
    """Return hints with authors and year after the citation keys in a range of a document."""
    if not project.does("inlay_hints", path):
        return None
    read = project.read_draft(path)
    if read is None:
        return None
    start, end = lines.offset(asked.start), lines.offset(asked.end)
    hints = []
    for citation in read.file.citations:
        if citation.span.end < start or citation.span.start > end:
            continue
        for key in citation.keys:
            entry = read.bibliography.find(key.key) if start <= key.span.end <= end else None
            if entry is not None and entry.author_year:
                place = lines.position(key.span.end)
                title = entry.title or None
                hints.append(
                    types.InlayHint(place, entry.author_year, tooltip=title, padding_left=True)
                )
    return hints
