"""Hover on a citation key: what the cited work says in support of this very sentence."""

from __future__ import annotations

from lsprotocol import types

from ..documents import path_of
from ..from_proto import key_at
from ..session import Session
from ..to_proto import evidence_markup


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Return the supporting sentences for the key under the cursor; None elsewhere."""
    path = path_of(params.text_document.uri)
    lines = session.documents.lines(path)
    opened = session.open_draft(path) if lines is not None else None
    if lines is None or opened is None or opened.file.text != lines.text:
        return None
    found = key_at(opened.file, lines.offset(params.position))
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
        note="" if opened.complete else "Papers are still being read.",
    )
    return types.Hover(contents, lines.range(start, end))
