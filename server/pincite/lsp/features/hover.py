"""Hover on a citation key: what the cited work says in support of this very citance."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ..documents import Lines
from ..evidence import evidence_markup, remark_on
from ..from_proto import place_at
from ..language_server import PinciteServer
from ..session import Snapshot


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/hover``."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovers(ls: PinciteServer, params: types.HoverParams) -> types.Hover | None:
        return await ls.answer_at(hover, params)


def hover(
    snapshot: Snapshot, path: Path, lines: Lines, position: types.Position
) -> types.Hover | None:
    r"""Return the supporting sentences for the key under the cursor; None where there is nothing.

    `lines` is the document as it was when the client asked: the position is one of that text.
    The title is left to the servers and extensions beside us, which show it with the other fields.
    ``\nocite`` supports nothing.
    """
    opened = snapshot.open_draft(path)
    if opened is None:
        return None
    offset = lines.offset(position)
    place = place_at(opened.file, offset)
    key = place.key_at(offset)
    entry = opened.bibliography.find(key.key) if key else None
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if key is None or candidate is None:
        return None
    context = opened.recommender.context(opened.draft, opened.file, place.span.start)
    supporting = opened.recommender.supporting(context, candidate.key)
    contents = evidence_markup(
        candidate,
        supporting,
        markdown=snapshot.shows_markdown.hover,
        titled=False,
        remark=remark_on(opened, candidate, supporting),
        opens_pdf=snapshot.opens_pdf,
    )
    return types.Hover(contents, lines.range(key.span.start, key.span.end))
