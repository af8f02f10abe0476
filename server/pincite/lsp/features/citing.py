"""Edits that cite: insert a citation, pin its page, and add an entry of the author's library."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from ...edits.letters import are_in_unicode
from ...model.bibliographies import BibliographyFile
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...parsing.markups import Conventions
from ..documents import Lines
from ..session import Project, ReadDraft
from .edits import editable_in, joined, workspace_edit
from .places import place_at, places_around

_NO_DRAFT = "The document is not a draft that Pincite can read."


def citing_edit(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
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
    return added.message if added.edit is None else joined(edit, added.edit)


def pinning_edit(
    project: Project, path: Path, lines: Lines, position: types.Position, key: str, page: str
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
    read = project.read_draft(path)
    if read is None:
        return _NO_DRAFT
    if (read.bibliography.find(key) or project.global_library.candidate(key)) is None:
        return f"No bibliography of the draft has the key {key}."
    file, offset, ways = read.file, lines.offset(position), _ways(project, path)
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
    project: Project, path: Path, lines: Lines, position: types.Position, key: str, page: str
) -> Sequence[TextEdit] | str:
    """Return the edits that add a page to the postnote of a key, or why there are none."""
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
    edits = pin(read.file, citation, named, page, _ways(project, path))
    return edits or f"Page {page} is already there, or {key} cannot take a page here."


def _ways(project: Project, path: Path) -> Conventions:
    """Return the citation conventions of a document's drafts; other files may have the preamble."""
    return conventions(*(read.draft for read in project.drafts_with(path, larger=False)))


@dataclass(frozen=True, slots=True)
class Addition:
    """The edit that adds an entry of the library, or a `message` that explains why there is none.

    With an edit, `message` indicates what it has done; `path` and `text` are what it puts where.
    """

    label: str = ""
    edit: types.WorkspaceEdit | None = None
    message: str = ""
    path: Path = Path()
    text: str = ""


def addition(project: Project, path: Path, key: str) -> Addition | None:
    """Return how to add an entry of the library to a draft's bibliography, None if not needed."""
    read = project.read_draft(path)
    if read is None or read.bibliography.find(key) is not None:
        return None
    own = _files(project, read)
    target = _target(own, {source.path for source in read.draft.bibliographies})
    if target is None:
        name = read.draft.root.name
        return Addition(message=f"{name} names no bibliography, so add what you cite by hand.")
    name = target.path.name
    try:
        encoding = editable_in(project, target.path)
        if target.text.isascii() and not are_in_unicode(file.text for file in read.draft.files):
            encoding = "ascii"
        try:
            edit = copy_entry(key, project.global_library.files(), own, target, encoding)
        except InputError as error:
            return Addition(message=f"Not added to {name}: {error}.")
        changed = workspace_edit(project, [edit]) if edit is not None else None
    except InputError as error:
        return Addition(message=str(error))
    if edit is None or changed is None:
        return None
    label, message = f"Add {key} to {name}", f"Added {key} to {name}."
    return Addition(label, changed, message, edit.path, edit.text)


def _files(project: Project, read: ReadDraft) -> list[BibliographyFile]:
    """Return the .bib files of a draft with their current text."""
    paths = [source.path for source, _ in read.bibliography.files if source.text is None]
    texts = ((path, text) for path in paths if (text := project.text(path)) is not None)
    return read_files(texts, read.draft.program)


def _target(files: Sequence[BibliographyFile], named: Collection[Path]) -> BibliographyFile | None:
    """Return the first writable file that the draft names.

    A file with macros only is a last resort.
    """
    writable = [file for file in files if file.path in named and os.access(file.path, os.W_OK)]
    return next((file for file in writable if file.all_entries), next(iter(writable), None))


def reindex(project: Project, path: Path | None = None) -> int:
    """Read the papers of one or all open drafts again; return the number of drafts."""
    paths = [path] if path is not None else tuple(project.documents.texts)
    read = filter(None, map(project.read_draft, paths))
    drafts = {draft.draft.root: draft for draft in read}
    for draft in drafts.values():
        project.read_again(draft)
    return len(drafts)
