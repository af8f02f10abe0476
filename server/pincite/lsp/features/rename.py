"""Rename a key in all drafts that share it and in their bibliographies."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..documents import Lines
from ..keys import key_at_cursor, keys_in_document, keys_in_drafts
from ..language_server import PinciteServer, RefusedError
from ..session import Project
from ..to_proto import workspace_edit

if TYPE_CHECKING:
    from ...edits.keys import KeysOfDraft
    from ...model.edits import TextEdit


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/prepareRename`` and ``textDocument/rename``."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepares(
        ls: PinciteServer, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        return await ls.answer_at(prepare_rename, params)

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def renames(ls: PinciteServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri, documents = params.text_document.uri, ls.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        work = partial(rename, new_name=params.new_name)
        await ls.look_at_files()
        return await ls.answer(work, documents.path(uri), lines, params.position)


def prepare_rename(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.PrepareRenamePlaceholder | None:
    """Return the key at a position with its range; None where there is no key to rename."""
    if not project.does("rename", path):
        return None
    key = key_at_cursor(project, path, lines, position)
    if key is None:
        return None
    return types.PrepareRenamePlaceholder(lines.range(key.span.start, key.span.end), key.key)


def rename(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    *,
    new_name: str,
) -> types.WorkspaceEdit | None:
    """Return the edit that renames the key at a position, in all files that name it.

    These are the files of the draft, its bibliographies, and every other draft of the workspace
    that uses one of them. Raises `RefusedError` if some file cannot be changed or the new name is
    not a valid key.
    """
    from ...edits.keys import renamed
    from ...model.problems import InputError

    if not project.does("rename", path):
        return None
    key = key_at_cursor(project, path, lines, position)
    if key is None:
        return None
    drafts = _drafts_naming(project, path, lines, key.key)
    try:
        edits = renamed(drafts, key.key, new_name.strip())
        _refuse_files_of_others(project, path, {edit.path for edit in edits})
        answer = workspace_edit(project, edits)
    except InputError as error:
        raise RefusedError(str(error)) from None
    _refuse_changed_texts(project, drafts, edits)
    return answer


def _drafts_naming(project: Project, path: Path, lines: Lines, key: str) -> list[KeysOfDraft]:
    """Return the drafts of a document, and those that share a file with the key with them.

    Renaming in a file affects all its drafts, which may share other files in turn.
    """
    found: dict[Path, KeysOfDraft] = {}
    asked = {path}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        drafts = project.drafts_with(file, every=True)
        reads = [read for read in drafts if read.file.path not in found]
        known = keys_in_drafts(project, reads, path, lines.text)
        for read, keys in zip(reads, known, strict=True):
            found[read.file.path] = keys
            naming = {place.path for place in keys.places((key,))}
            waiting += sorted(naming - asked)
            asked |= naming
    looked_at = {file.path for keys in found.values() for file in keys.files}
    looked_at |= {each.path for keys in found.values() for each in keys.bibliographies}
    alone = None if path in looked_at else keys_in_document(project, path, lines.text)
    return [*found.values(), *((alone,) if alone else ())]


def _refuse_files_of_others(project: Project, path: Path, files: Iterable[Path]) -> None:
    """Refuse to change files that other projects may use, or that cannot be written."""
    folders = project.folders
    if not any(path.is_relative_to(folder) for folder in folders):
        # Without a workspace folder, the draft takes its place.
        read = project.read_draft(path)
        folders = (*folders, path.parent, *((read.draft.root.parent,) if read else ()))
    for file in sorted(files):
        folder = next((folder for folder in folders if file.is_relative_to(folder)), None)
        if folder is None:
            raise RefusedError(
                f"The key is also in {file}, outside of the workspace: other drafts may use it."
            )
        linked = Path(os.path.realpath(file))
        if linked != Path(os.path.realpath(folder), file.relative_to(folder)):
            raise RefusedError(
                f"The key is also in {linked}, to which {file.name} is a link: other drafts may "
                "use it."
            )
        if file.exists() and not os.access(file, os.W_OK):
            raise RefusedError(f"The key is also in {file}, which cannot be written.")


def _refuse_changed_texts(
    project: Project, drafts: Iterable[KeysOfDraft], edits: Iterable[TextEdit]
) -> None:
    """Refuse to edit texts that the author has changed since the request."""
    edited, newest = {edit.path for edit in edits}, project.newest()
    for draft in drafts:
        texts = [(file.path, file.text) for file in draft.files]
        texts += [(each.path, each.text) for each in draft.bibliographies if not each.start]
        for path, text in texts:
            if path in edited and ((now := newest.lines(path)) is None or now.text != text):
                raise RefusedError(f"{path.name} has changed meanwhile. Please try again.")
