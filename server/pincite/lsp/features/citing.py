"""Edits that cite: insert a citation, pin its page, add an entry of the author's library.

Edits of files are made only where the editor saves a file with all its letters. A file that is not
open is edited by the editor, which reads it as UTF-8 whatever it is: letters in another encoding
would be lost as soon as it is saved. All functions raise `InputError` with why there is no edit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types

from ...edits.citations import (
    cited_at_end,
    conventions,
    filled,
    key_replaced,
    pin,
    sentence_at,
    with_key,
)
from ...edits.entries import copy_entry, read_files
from ...edits.letters import are_in_unicode, require_letters
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...parsing.encoding import GUESSED, UNICODE
from ...parsing.markups import Conventions
from ..session import Document, Project, ReadDraft
from .keys import place_at, places_around

_LINE_END: Final = re.compile(r"\r\n?|\n")
_LETTERS: Final = re.compile(r"[^\x00-\x7f]+")
#: What an editor shows for bytes that it cannot decode.
_LOST: Final = "\ufffd"


def citing_edit(
    here: Document, offset: int, key: str, replaces: str | None = None
) -> types.WorkspaceEdit:
    """Return one edit that cites a key at a place; there, it may take the place of another.

    A placeholder is filled, a citation is extended, and elsewhere a citation is added at the end of
    the sentence. An entry of the library is added to the draft's bibliography.
    """
    read, ways = _read(here)
    if (read.bibliography.find(key) or here.project.global_library.candidate(key)) is None:
        raise InputError(f"No bibliography of the draft has the key {key}.")
    file, place, why_not = (
        read.file,
        place_at(read.file, offset),
        "A citation cannot be inserted here.",
    )
    replaced = [each for each in place.keys if each.key == replaces]
    edits: Sequence[TextEdit] = ()
    if replaced and key not in {each.key for each in place.keys}:
        edits = [key_replaced(here.path, file.text, replaced[0].span, key)]
    elif place.citation is not None:
        edits = with_key(file, place.citation, key, ways, offset)
        why_not = f"{key} is cited here already, or the citation is not closed."
    elif place.placeholder is not None:
        edits = filled(file, place.placeholder, key, ways, offset)
    elif (sentence := sentence_at(file, offset)) is not None:
        edits = cited_at_end(file, sentence, key, ways)
    if not edits:
        raise InputError(why_not)
    added = addition(here.project, here.path, key)
    return workspace_edit(here.project, edits if added is None else (*edits, added))


def pinning_edit(here: Document, offset: int, key: str, page: str) -> types.WorkspaceEdit:
    """Return the edit that adds a page to the postnote of a key."""
    read, ways = _read(here)
    entry = read.bibliography.find(key)
    found = [
        (place.citation, each)
        for place in places_around(read.file, offset)
        if place.citation is not None
        for each in place.keys
        if each.key == key or (entry and read.bibliography.find(each.key) == entry)
    ]
    if not found:
        raise InputError(f"There is no citation of {key} here.")
    # If several keys mean the entry, take the one under the cursor.
    citation, named = min(found, key=lambda each: not each[1].span.covers(offset))
    if edits := pin(read.file, citation, named, page, ways):
        return workspace_edit(here.project, edits)
    raise InputError(f"Page {page} is already there, or {key} cannot take a page here.")


def _read(here: Document) -> tuple[ReadDraft, Conventions]:
    """Return the draft of a document, and how its drafts cite: others may have the preamble."""
    if (read := here.read()) is None:
        raise InputError("The document is not a draft that Pincite can read.")
    drafts = here.project.drafts_with(here.path, larger=False)
    return read, conventions(*(each.draft for each in drafts))


def addition(project: Project, path: Path, key: str) -> TextEdit | None:
    """Return the edit that adds an entry of the library to a draft's bibliography, if needed."""
    read = project.read_draft(path)
    if read is None or read.bibliography.find(key) is not None:
        return None
    paths = [source.path for source, _ in read.bibliography.files if source.text is None]
    texts = ((path, text) for path in paths if (text := project.text(path)) is not None)
    own = read_files(texts, read.draft.program)
    named = {source.path for source in read.draft.bibliographies}
    writable = [file for file in own if file.path in named and os.access(file.path, os.W_OK)]
    target = next((file for file in writable if file.all_entries), next(iter(writable), None))
    if target is None:
        name = read.draft.root.name
        raise InputError(f"{name} names no bibliography, so add what you cite by hand.")
    encoding = editable_in(project, target.path)
    if target.text.isascii() and not are_in_unicode(file.text for file in read.draft.files):
        encoding = "ascii"
    try:
        return copy_entry(key, project.global_library.files(), own, target, encoding)
    except InputError as error:
        raise InputError(f"Not added to {target.path.name}: {error}.") from None


def adding_edit(
    project: Project, path: Path, key: str
) -> tuple[TextEdit, types.WorkspaceEdit] | None:
    """Return the `addition` of an entry, also as an edit of the protocol."""
    added = addition(project, path, key)
    return None if added is None else (added, workspace_edit(project, [added]))


def workspace_edit(project: Project, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
    """Return edits of files as the protocol's, if all may be edited and have all letters."""
    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    documents: list[types.TextDocumentEdit] = []
    for path, own in by_path.items():
        if (lines := project.lines(path)) is None:
            raise InputError(f"{path.name} cannot be read.")
        encoding = editable_in(project, path)
        try:
            require_letters("".join(edit.text for edit in own), encoding)
        except InputError as error:
            raise InputError(f"{path.name} was not changed: {error}.") from None
        uri, version = project.buffers.uri(path), project.buffers.version(path)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
        changes = [types.TextEdit(lines.range(edit.span), edit.text) for edit in own]
        documents.append(types.TextDocumentEdit(identifier, changes))
    if project.client.versioned_edits:
        return types.WorkspaceEdit(document_changes=documents)
    return types.WorkspaceEdit(changes={each.text_document.uri: each.edits for each in documents})  # type: ignore[misc]


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
