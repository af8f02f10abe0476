"""Edits of files for the client, only where the editor saves a file with all its letters.

An edit of a file that is not open is made by the editor, which reads it as UTF-8 whatever it is:
letters in another encoding would be lost as soon as it is saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lsprotocol import types

from ...edits.letters import require_letters
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...parsing.encoding import GUESSED, UNICODE
from ..session import Project

_LINE_END: Final = re.compile(r"\r\n?|\n")
_LETTERS: Final = re.compile(r"[^\x00-\x7f]+")
#: What an editor shows for bytes that it cannot decode.
_LOST: Final = "\ufffd"


def workspace_edit(project: Project, edits: Iterable[TextEdit]) -> types.WorkspaceEdit | None:
    """Return edits of files as the protocol's; None if one of the files cannot be read.

    Raises `InputError` if one of them must not be edited, or lacks a letter of an edit.
    """
    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    documents: list[types.TextDocumentEdit] = []
    for path, own in by_path.items():
        if (lines := project.lines(path)) is None:
            return None
        encoding = editable_in(project, path)
        try:
            require_letters("".join(edit.text for edit in own), encoding)
        except InputError as error:
            raise InputError(f"{path.name} was not changed: {error}.") from None
        uri, version = project.documents.uri(path), project.documents.version(path)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        changes = [types.TextEdit(lines.range(e.span.start, e.span.end), e.text) for e in own]
        documents.append(types.TextDocumentEdit(identifier, changes))
    if project.client.versioned_edits:
        return types.WorkspaceEdit(document_changes=documents)
    return types.WorkspaceEdit(changes={each.text_document.uri: each.edits for each in documents})  # type: ignore[misc]


def joined(one: types.WorkspaceEdit, other: types.WorkspaceEdit) -> types.WorkspaceEdit:
    """Return one edit for edits of different files."""
    if one.document_changes is not None:
        both = (*one.document_changes, *(other.document_changes or ()))
        return types.WorkspaceEdit(document_changes=both)
    return types.WorkspaceEdit(changes={**(one.changes or {}), **(other.changes or {})})


def editable_in(project: Project, path: Path) -> str:
    """Return the encoding of the letters that may be written into a file.

    Raises `InputError` if the file must not be edited: if it is not open and not in UTF-8, or open
    and read in another encoding than its own.
    """
    on_disk, opened = project.on_disk(path), project.documents.documents.get(path)
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
    ours, theirs = _beyond_ascii(on_disk.text), _beyond_ascii(text)
    # A letter of the editor for each byte of ours.
    shown = {_LETTERS.sub(lambda found: _LOST * len(found[0]), line) for line in theirs - ours}

    def in_bytes(letters: re.Match[str]) -> str:
        return _LOST * len(letters[0].encode(encoding, "replace"))

    is_read_otherwise = any(_LETTERS.sub(in_bytes, line) in shown for line in ours - theirs)
    if text.count(_LOST) > on_disk.text.count(_LOST) or (is_known and is_read_otherwise):
        raise InputError(
            f"{name}, and the editor has read it in another encoding. It was not changed: reopen "
            "it in its encoding or save it as UTF-8, then try again."
        )
    # Where our reading is a guess, theirs is as good; in which it will be saved is unknown.
    is_read_alike = not is_read_otherwise and not ours.isdisjoint(theirs)
    return encoding if is_read_alike or encoding == "utf-8" else "ascii"


def _beyond_ascii(text: str) -> set[str]:
    """Return the lines of a text that have other letters than those of ASCII."""
    return {line for line in _LINE_END.split(text) if not line.isascii()}
