"""Hover on a citation key: what the cited work says in support of this very sentence."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ..documents import Lines
from ..from_proto import key_at
from ..language_server import PinciteServer
from ..session import Session
from ..to_proto import evidence_markup


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/hover``."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovers(ls: PinciteServer, params: types.HoverParams) -> types.Hover | None:
        return await ls.answer_at(hover, params)


def hover(
    session: Session, path: Path, lines: Lines, position: types.Position
) -> types.Hover | None:
    """Return the supporting sentences for the key under the cursor; None elsewhere.

    `lines` is the document as it was when the client asked: the position is one of that text.
    """
    opened = session.open_draft(path, lines.text)
    if opened is None:
        return None
    found = key_at(opened.file, lines.offset(position))
    if found is None:
        return None
    citation, key, start, end = found
    entry = opened.bibliography.find(key)
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if candidate is None:
        return None
    context = opened.recommender.context(opened.file, citation.span.start)
    supporting = opened.recommender.supporting(context, candidate.key)
    contents = evidence_markup(
        candidate,
        supporting,
        markdown=session.shows_markdown.hover,
        base_folders=session.settings.library.base_folders,
        note="" if opened.complete else "Papers are still being read.",
    )
    return types.Hover(contents, lines.range(start, end))
