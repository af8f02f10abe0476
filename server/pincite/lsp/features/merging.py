"""Merge the duplicates of a draft's bibliographies: an edit that the author looks at first."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ...model.problems import InputError
from ...model.programs import BIBER
from ...project.merging import EntryPlace, WholeDraft, drafts_sharing, merge_plan
from .. import wire
from ..session import Document
from .keys import shown_path
from .navigation import refuse_files_of_others
from .workspace_edits import editable_in, workspace_edit

#: Of a value that differs, so many characters are sent.
_MAX_VALUE = 500


def merging(here: Document, aliases: bool = False) -> wire.Json | None:
    """Return how the duplicates of a draft are merged, in all drafts that share its entries.

    Raises `InputError` if the files have changed since the request.
    """
    project, read = here.project, here.read()
    if read is None:
        return None
    workspace, root = read.workspace, read.draft.root
    drafts = {each.draft.root: each for each in drafts_sharing(workspace, workspace.draft(root))}
    for source, _ in read.bibliography.files:
        for other in project.drafts_with(source.path):
            drafts.setdefault(other.draft.root, WholeDraft(other.draft, other.bibliography))

    def encoding_of(path: Path) -> str:
        refuse_files_of_others(here, (path,))
        return editable_in(project, path)

    plan = merge_plan(tuple(drafts.values()), encoding_of, aliases=aliases)
    edit = workspace_edit(project, plan.edits) if plan.edits else None
    newest = project.newest()
    for path in plan.by_path:
        if newest.text(path) != plan.texts[path]:
            raise InputError(f"{path.name} has changed in the meantime. Please try again.")

    def place(entry: EntryPlace) -> wire.Json:
        at = types.Position(entry.line - 1, 0)
        location = types.Location(project.buffers.uri(entry.path), types.Range(at, at))
        file = shown_path(project, entry.path)
        return wire.answer(entry, "key line", file=file, entry=location)

    return wire.answer(
        draft=root.name,
        merges=[
            wire.answer(kept=place(each.kept), gone=[place(gone) for gone in each.gone])
            for each in plan.merges
        ],
        unmerged=[
            wire.answer(
                entries=[place(entry) for entry in each.entries],
                why=each.why,
                fields=[
                    wire.answer(field=f, values=[value[:_MAX_VALUE] for value in values])
                    for f, *values in each.values
                ],
            )
            for each in plan.unmerged
        ],
        by_biber=read.draft.program == BIBER,
        files=[shown_path(project, path) for path in plan.by_path],
        diff="".join(f"{line}\n" for line in plan.diff(lambda path: shown_path(project, path))),
        edit=edit,
    )
