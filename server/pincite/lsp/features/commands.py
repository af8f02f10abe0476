"""Commands that clients may execute (``workspace/executeCommand``).

Each takes one object. Invalid arguments are answered with an error: unlike an author who types,
whoever executes a command expects an effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ...model.problems import InputError
from .. import wire
from ..additions import addition
from ..from_proto import place_at, places_around
from ..language_server import PinciteServer, RefusedError
from ..to_proto import workspace_edit
from .requests import recommended, shown_evidence, status

if TYPE_CHECKING:
    from ...model.edits import TextEdit
    from ...parsing.markup import Conventions
    from ..documents import Lines
    from ..session import Project

RECOMMEND = "pincite.recommend"
EVIDENCE = "pincite.evidence"
REINDEX = "pincite.reindex"
INSERT_CITATION = "pincite.insertCitation"
PIN_CITATION = "pincite.pinCitation"

_LOOK_AGAIN_SECONDS = 0.2
_NO_DRAFT = "The document is not a draft that Pincite can read."
Arguments = TypeVar("Arguments")


def register(server: PinciteServer) -> None:
    """Answer ``workspace/executeCommand``."""

    # The handlers take any arguments; `_read` validates them.
    @server.command(RECOMMEND)
    async def recommends(ls: PinciteServer, *given: Any) -> Any:  # noqa: ANN401 - JSON
        asked = _read(wire.RecommendArguments, given)
        document = types.TextDocumentIdentifier(asked.uri)
        return await recommended(
            ls,
            wire.RecommendationsParams(document, asked.position, asked.limit, asked.supporting),
        )

    @server.command(EVIDENCE)
    async def shows_evidence(ls: PinciteServer, *given: Any) -> Any:  # noqa: ANN401 - JSON
        asked = _read(wire.EvidenceArguments, given)
        document = types.TextDocumentIdentifier(asked.uri)
        return await shown_evidence(ls, wire.EvidenceParams(document, asked.position, asked.key))

    @server.command(REINDEX)
    async def reindexes(ls: PinciteServer, *given: Any) -> Any:  # noqa: ANN401 - JSON
        uri = _read(wire.ReindexArguments, given or ({},)).uri
        path = None if uri is None else ls.session.documents.now.path(uri)
        if not await ls.answer(reindex, path) and uri is not None:
            raise JsonRpcInvalidParams(f"{uri} is not a draft")
        # Papers are read in the background, with progress shown to the author.
        while (known := await ls.answer(status, path)) is not None and known.state == "reading":
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        return wire.written(known)

    @server.command(INSERT_CITATION)
    async def inserts(ls: PinciteServer, *given: Any) -> bool:  # noqa: ANN401 - JSON
        asked = _read(wire.InsertCitationArguments, given)
        work = partial(citing_edit, key=asked.key, replaces=asked.replaces)
        return await _edit(ls, work, asked.uri, asked.position, f"Cite {asked.key}")

    @server.command(PIN_CITATION)
    async def pins(ls: PinciteServer, *given: Any) -> bool:  # noqa: ANN401 - JSON
        asked = _read(wire.PinCitationArguments, given)
        page = asked.page_label or str(asked.page)
        work = partial(pinning_edit, key=asked.key, page=page)
        return await _edit(ls, work, asked.uri, asked.position, f"Cite page {page}")


def _read(kind: type[Arguments], given: Sequence[object]) -> Arguments:
    if len(given) != 1:
        raise JsonRpcInvalidParams(f"Invalid params: one argument is expected, not {len(given)}")
    return wire.read(kind, given[0])


async def _edit(
    ls: PinciteServer,
    work: Callable[..., types.WorkspaceEdit | str],
    uri: str,
    position: types.Position,
    label: str,
) -> bool:
    """Ask the client to apply an edit; return whether it did. `label` names it in undo history."""
    documents = ls.session.documents.now
    if (lines := documents.lines(uri)) is None:
        raise JsonRpcInvalidParams(f"{uri} is not open")
    if not ls.session.client.applies_edits:
        raise RefusedError("The editor does not accept edits from a server.")
    await ls.look_at_files()
    edit = await ls.answer(work, documents.path(uri), lines, position)
    if isinstance(edit, str):
        raise RefusedError(edit)
    now = ls.session.documents.now.lines(uri)
    if edit is None or now is None or now.text != lines.text:
        raise RefusedError("The text has changed in the meantime; nothing was done.")
    answer = await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    return answer.applied


def citing_edit(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    *,
    key: str,
    replaces: str | None = None,
) -> types.WorkspaceEdit | str:
    """Return one edit that cites a key at a place, or why there is none.

    The edit also adds an entry of the library to the draft's bibliography.
    """
    edit = _as_one(project, inserted(project, path, lines, position, key, replaces))
    added = None if isinstance(edit, str) else addition(project, path, key)
    if isinstance(edit, str) or added is None:
        return edit
    return added.message if added.edit is None else _joined(edit, added.edit)


def pinning_edit(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    *,
    key: str,
    page: str,
) -> types.WorkspaceEdit | str:
    """Return the edit that adds a page to the postnote of a key, or why there is none."""
    return _as_one(project, pinned(project, path, lines, position, key, page))


def _as_one(project: Project, edits: Sequence[TextEdit] | str) -> types.WorkspaceEdit | str:
    """Return edits of a draft as one, or why there is none."""
    if isinstance(edits, str):
        return edits
    try:
        return workspace_edit(project, edits) or _NO_DRAFT
    except InputError as error:
        return str(error)


def _joined(one: types.WorkspaceEdit, other: types.WorkspaceEdit) -> types.WorkspaceEdit:
    """Return one edit for edits of different files."""
    if one.document_changes is not None:
        both = (*one.document_changes, *(other.document_changes or ()))
        return types.WorkspaceEdit(document_changes=both)
    return types.WorkspaceEdit(changes={**(one.changes or {}), **(other.changes or {})})


def inserted(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    key: str,
    replaces: str | None = None,
) -> Sequence[TextEdit] | str:
    """Return the edits that cite a key at a place, or why there are none.

    A placeholder is filled, a citation is extended by the key, and elsewhere a citation is added at
    the end of the sentence. A key of the citation that it `replaces` makes room for it.
    """
    from ...edits.citations import cited_at_end, filled, key_replaced, sentence_at, with_key

    read = project.read_draft(path)
    if read is None:
        return _NO_DRAFT
    if (read.bibliography.find(key) or project.global_library.candidate(key)) is None:
        return f"No bibliography of the draft has the key {key}."
    file, offset, ways = read.file, lines.offset(position), _ways(project, path, lines)
    place = place_at(file, offset)
    replaced = [each for each in place.keys if each.key == replaces]
    if replaced and key not in {each.key for each in place.keys}:
        return [key_replaced(path, file.text, replaced[0].span, key)]
    if place.citation is not None:
        edits = with_key(file, place.citation, key, ways, offset)
        return edits or f"{key} is cited here already, or the citation is not closed."
    if place.placeholder is not None:
        return filled(file, place.placeholder, key, ways, offset)
    sentence = sentence_at(file, offset)
    edits = cited_at_end(file, sentence, key, ways) if sentence is not None else ()
    return edits or "A citation cannot be inserted here."


def pinned(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    key: str,
    page: str,
) -> Sequence[TextEdit] | str:
    """Return the edits that add a page to the postnote of a key, or why there are none."""
    from ...edits.citations import pin

    read = project.read_draft(path)
    if read is None:
        return _NO_DRAFT
    offset = lines.offset(position)
    entry = read.bibliography.find(key)
    found = [
        (place.citation, each)
        for place in places_around(read.file, offset)
        if place.citation is not None
        for each in place.keys
        if each.key == key or (entry and read.bibliography.find(each.key) == entry)
    ]
    if not found:
        return f"There is no citation of {key} here."
    # If several keys mean the entry, take the one under the cursor.
    citation, named = min(found, key=lambda each: not each[1].span.covers(offset))
    edits = pin(read.file, citation, named, page, _ways(project, path, lines))
    return edits or f"Page {page} is already there, or {key} cannot take a page here."


def _ways(project: Project, path: Path, lines: Lines) -> Conventions:
    """Return the citation conventions of a document's drafts; other files may have the preamble."""
    from ...edits.citations import conventions

    drafts = project.drafts_with(path, larger=False)
    return conventions(*(read.draft for read in drafts))


def reindex(project: Project, path: Path | None = None) -> int:
    """Read the papers of one or all open drafts again; return the number of drafts."""
    paths = [path] if path is not None else tuple(project.documents.texts)
    read = filter(None, map(project.read_draft, paths))
    drafts = {draft.draft.root: draft for draft in read}
    for draft in drafts.values():
        project.read_again(draft)
    return len(drafts)
