"""Edits that cite: insert a citation, pin its page, add an entry of the author's library.

All functions raise `InputError` with why there is no edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from lsprotocol import types
from msgspec import Meta

from ...edits.bibtex_entries import bibtex_entry
from ...edits.citations import (
    cited_at_end,
    conventions,
    filled,
    key_replaced,
    pin,
    sentence_at,
    with_key,
)
from ...edits.entries import copy_entry
from ...model.bibliographies import BibliographyFile
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...parsing.bibtex import parse_bibliography
from ...parsing.markups import Conventions
from ...project.adding import added, encoding_for, target_of
from ...project.around import suggested
from ..session import Document, Project, ReadDraft
from .keys import place_at, places_around
from .workspace_edits import Made, editable_in, workspace_edit


def citing_edit(
    here: Document,
    offset: int,
    key: str,
    replaces: str | None = None,
    entry: str | None = None,
) -> Made:
    """Return one edit that cites a key at a place; there, it may take the place of another.

    A placeholder is filled, a citation is extended, and elsewhere a citation is added at the end of
    the sentence. An entry of the library, or one that was discovered, is added to the draft's
    bibliography. So is a new `entry` in BibTeX, whose key is then cited.
    """
    read, ways = _read(here)
    new: Sequence[TextEdit] = ()
    if entry is not None:
        target = target_of(read, here.project.text)
        editable = editable_in(here.project, target.file.path)
        (key,), edit = added(target, [entry], encoding_for(read, target, editable))
        new = (edit, *target.naming)
    elif not (
        read.bibliography.find(key)
        or here.project.global_library.candidate(key)
        or _discovered(read, key)
    ):
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
    edits = (*edits, *(new or addition(here.project, here.path, key)))
    remark = None
    is_known = entry is not None or read.bibliography.find(key) is not None
    around = None if is_known else suggested(read)
    if around is not None and around.look_up_name(key) and around.record(key) is None:
        remark = (
            f"The entry {key} has only what a reference list gives: surnames, title and year. Look "
            "the work up by its title for the full record."
        )
    return Made(f"Cite {key}", workspace_edit(here.project, edits), remark=remark)


def pinning_edit(
    here: Document,
    offset: int,
    key: str,
    page: Annotated[int, Meta(ge=1)],
    page_label: str | None = None,
) -> Made:
    """Return the edit that adds a page, as it is printed if that is known, to the note of a key."""
    read, ways = _read(here)
    printed = page_label or str(page)
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
    if edits := pin(read.file, citation, named, printed, ways):
        return Made(f"Cite page {printed}", workspace_edit(here.project, edits))
    raise InputError(f"Page {printed} is already there, or {key} cannot take a page here.")


def _read(here: Document) -> tuple[ReadDraft, Conventions]:
    """Return the draft of a document, and how its drafts cite: others may have the preamble."""
    if (read := here.read()) is None:
        raise InputError("The document is not a draft that Pincite can read.")
    drafts = here.project.drafts_with(here.path, larger=False)
    return read, conventions(*(each.draft for each in drafts))


def addition(project: Project, path: Path, key: str) -> tuple[TextEdit, ...]:
    """Return the edit that adds an entry of the library to a draft's bibliography, if needed.

    For a draft without any file to add to, it makes the one that the draft names; or a new one,
    and further edits name it.
    """
    read = project.read_draft(path)
    if read is None or read.bibliography.find(key) is not None:
        return ()
    target = target_of(read, project.text)
    file = target.file
    encoding = encoding_for(read, target, editable_in(project, file.path))
    of_library = project.global_library.candidate(key)
    discovered = None if of_library is not None else _discovered(read, key)
    there = project.global_library.files() if discovered is None else [discovered]
    try:
        copied = copy_entry(key, there, target.files, file, encoding)
    except InputError as error:
        raise InputError(f"Not added to {file.path.name}: {error}.") from None
    return () if copied is None else (copied, *target.naming)


def _discovered(read: ReadDraft, key: str) -> BibliographyFile | None:
    """Return the entry of a work that was suggested although the author does not have it."""
    around = suggested(read)
    if around is None or (entry := around.entry(key)) is None:
        return None
    return parse_bibliography(bibtex_entry(entry, protects_capitals=True), Path("discovered.bib"))


def adding_edit(
    project: Project, path: Path, key: str
) -> tuple[TextEdit, types.WorkspaceEdit] | None:
    """Return the edit that adds an entry, and all of the `addition` as an edit of the protocol."""
    edits = addition(project, path, key)
    return (edits[0], workspace_edit(project, edits)) if edits else None
