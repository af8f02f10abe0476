"""Add an entry of the author's library to the bibliography of a draft."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsprotocol import types

    from ..model.bibliographies import BibliographyFile
    from .session import Project, ReadDraft


@dataclass(frozen=True, slots=True)
class Addition:
    """The edit that adds an entry of the library, or a `message` that says why there is none.

    With an edit, `message` says what it has done; `path` and `text` are what it puts where.
    """

    label: str = ""
    edit: types.WorkspaceEdit | None = None
    message: str = ""
    path: Path = Path()
    text: str = ""


def addition(project: Project, path: Path, key: str) -> Addition | None:
    """Return how to add an entry of the library to a draft's bibliography, None if not needed."""
    from ..edits.entries import copy_entry
    from ..edits.letters import are_in_unicode
    from ..model.problems import InputError
    from .editable import editable_in
    from .to_proto import workspace_edit

    read = project.read_draft(path)
    if read is None or read.bibliography.find(key) is not None:
        return None
    own = _files(project, read)
    target = _target(own, {source.path for source in read.draft.bibliographies})
    if target is None:
        name = read.draft.root.name
        return Addition(message=f"{name} names no bibliography, so add what you cite by hand.")
    try:
        encoding = editable_in(project, target.path)
    except InputError as error:
        return Addition(message=str(error))
    if target.text.isascii() and not are_in_unicode(file.text for file in read.draft.files):
        encoding = "ascii"
    try:
        edit = copy_entry(key, project.global_library.files(), own, target, encoding)
    except InputError as error:
        return Addition(message=f"Not added to {target.path.name}: {error}.")
    try:
        changed = workspace_edit(project, [edit]) if edit is not None else None
    except InputError as error:
        return Addition(message=str(error))
    if edit is None or changed is None:
        return None
    name = target.path.name
    return Addition(
        f"Add {key} to {name}", changed, f"Added {key} to {name}.", edit.path, edit.text
    )


def _files(project: Project, read: ReadDraft) -> list[BibliographyFile]:
    """Return the .bib files of a draft with their current text."""
    from ..edits.entries import read_files

    paths = (source.path for source, _ in read.bibliography.files if source.text is None)
    lines = ((path, project.lines(path)) for path in paths)
    texts = ((path, known.text) for path, known in lines if known is not None)
    return read_files(texts, read.draft.program)


def _target(files: Sequence[BibliographyFile], named: Collection[Path]) -> BibliographyFile | None:
    """Return the first writable file that the draft names.

    A file with macros only is a last resort.
    """
    writable = [file for file in files if file.path in named and os.access(file.path, os.W_OK)]
    return next((file for file in writable if file.all_entries), next(iter(writable), None))
