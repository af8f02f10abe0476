"""Find references to a key: every place that cites or names its entry."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from lsprotocol import types

from ..documents import Lines
from ..keys import key_at_cursor, keys_in_document, keys_in_drafts
from ..language_server import PinciteServer
from ..session import Project
from ..to_proto import Locations


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/references``."""

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def refers(
        ls: PinciteServer, params: types.ReferenceParams
    ) -> list[types.Location] | None:
        declared = params.context.include_declaration
        return await ls.answer_at(partial(references, include_declaration=declared), params)


def references(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    *,
    include_declaration: bool = False,
) -> list[types.Location] | None:
    """Return where the entry of the key at a position is cited, or named by another entry.

    A request in a draft searches it, one in a bibliography all drafts that use it.
    `include_declaration` adds the key of the entry itself.
    """
    if not project.does("references", path):
        return None
    key = key_at_cursor(project, path, lines, position)
    if key is None:
        return None
    drafts = keys_in_drafts(project, project.drafts_with(path, every=True), path, lines.text)
    if not drafts and (alone := keys_in_document(project, path, lines.text)) is not None:
        drafts = (alone,)
    places = {place for draft in drafts for place in draft.places(draft.names_of(key.key))}
    wanted = (place for place in sorted(places) if include_declaration or not place.defines)
    locations = Locations(project, {path: lines})
    return [
        location
        for place in wanted
        if (location := locations.of(place.path, place.span)) is not None
    ]
