"""Edits of files as the protocol has them.

Edits of files are made only where the editor saves a file with all its letters. A file that is not
open is edited by the editor, which reads it as UTF-8 whatever it is: letters in another encoding
would be lost as soon as it is saved. All functions raise `InputError` with why there is no edit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lsprotocol import types

from ...edits.bibtex_entries import require_letters
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...parsing.encoding import GUESSED, UNICODE
from ...parsing.paths import is_virtual
from ..documents import Lines
from ..session import Project

_LINE_END: Final = re.compile(r"\r\n?|\n")
_LETTERS: Final = re.compile(r"[^\x00-\x7f]+")
#: What an editor shows for bytes that it cannot decode.
_LOST: Final = "\ufffd"


def workspace_edit(project: Project, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
    """Return edits of files as the protocol's, if all may be edited and have all letters.

    Files that do not exist are created, each before it is edited.
    """
    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    documents: list[types.TextDocumentEdit] = []
    created: list[types.CreateFile] = []
    for path, own in by_path.items():
        if (lines := project.lines(path)) is None:
            if os.path.lexists(path) or any(edit.span.end for edit in own):
                raise InputError(f"{path.name} cannot be read.")
            created.append(_created(project, path))
            lines = Lines("", project.buffers.encoding)
        encoding = editable_in(project, path)
        try:
            require_letters("".join(edit.text for edit in own), encoding)
        except InputError as error:
            raise InputError(f"{path.name} was not changed: {error}.") from None
        uri, version = project.buffers.uri(path), project.buffers.version(path)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        changes = [types.TextEdit(lines.range(edit.span), edit.text) for edit in own]
        if changes := [
            each for each in changes if each.new_text or each.range.start != each.range.end
        ]:
            documents.append(types.TextDocumentEdit(identifier, changes))
    if project.client.versioned_edits:
        return types.WorkspaceEdit(document_changes=[*created, *documents])
    return types.WorkspaceEdit(changes={each.text_document.uri: each.edits for each in documents})  # type: ignore[misc]


def require_unchanged(project: Project, texts: Iterable[tuple[Path, str]]) -> None:
    """Raise `InputError` if the author has typed into a file since the request."""
    newest = project.newest()
    for path, text in texts:
        if newest.text(path) != text:
            raise InputError(f"{path.name} has changed in the meantime. Please try again.")


def editable_in(project: Project, path: Path) -> str:
    """Return the encoding of the letters that may be written into a file, if it may be edited."""
    on_disk, opened = project.on_disk(path), project.buffers.documents.get(path)
    if on_disk is None:
        return "utf-8"
    encoding = on_disk.encoding
    is_known = encoding not in GUESSED
    name = f"{path.name} is in {encoding}" if is_known else f"{path.name} is not in UTF-8"
    if opened is None:
        if encoding in UNICODE:
            return encoding
        raise InputError(
            f"{name}, and an editor that opens it as UTF-8 would destroy its letters. It was not "
            "changed: open it in its encoding or save it as UTF-8, then try again."
        )
    text = opened.lines.text
    if text == on_disk.text or on_disk.text.isascii():
        return encoding
    ours, theirs = (
        {line for line in _LINE_END.split(each) if not line.isascii()}
        for each in (on_disk.text, text)
    )
    # A letter of the editor for each byte of ours.
    shown = {_LETTERS.sub(lambda found: _LOST * len(found[0]), line) for line in theirs - ours}
    is_read_otherwise = any(
        _LETTERS.sub(lambda found: _LOST * len(found[0].encode(encoding, "replace")), line) in shown
        for line in ours - theirs
    )
    if text.count(_LOST) > on_disk.text.count(_LOST) or (is_known and is_read_otherwise):
        raise InputError(
            f"{name}, and the editor has read it in another encoding. It was not changed: reopen "
            "it in its encoding or save it as UTF-8, then try again."
        )
    # Where our reading is a guess, theirs is as good; in which it will be saved is unknown.
    is_read_alike = not is_read_otherwise and not ours.isdisjoint(theirs)
    return encoding if is_read_alike or encoding == "utf-8" else "ascii"


def _created(project: Project, path: Path) -> types.CreateFile:
    """Return the operation that creates a file, which overwrites nothing."""
    if not (project.client.creates_files and project.buffers.has_folder(path.parent)):
        what = f"{path.name} does not exist, and your editor does not let a server create it"
        where = "beside the draft" if is_virtual(path) else f"in {path.parent}"
        raise InputError(f"{what}. Create it {where}, then try again.")
    options = types.CreateFileOptions(ignore_if_exists=True)
    return types.CreateFile(project.buffers.uri(path), options=options)
