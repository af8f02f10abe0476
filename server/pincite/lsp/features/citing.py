"""Edits that cite: insert a citation, pin its page, add an entry of the library or new works.

All functions raise `InputError` with why there is no edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ...edits.bibtex_entries import bibtex_entry
from ...edits.citations import (
    cited_at,
    cited_at_end,
    conventions,
    filled,
    key_replaced,
    pin,
    sentence_at,
    with_key,
)
from ...edits.entries import copy_entry
from ...edits.keys import key_in_draft
from ...model.bibliographies import BibliographyFile
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.bibtex import parse_bibliography
from ...parsing.markups import Conventions, KeySlot, markup_of
from ...project.adding import MAX_ADDED, Target, added, encoding_for, target_of
from ...project.around import suggested
from ...project.project import is_bibliography
from .. import wire
from ..session import Document, Made, Project, ReadDraft
from .keys import place_at, places_around
from .workspace_edits import editable_in, workspace_edit


def citing_edit(
    here: Document,
    offset: int,
    key: str,
    replaces: str | None = None,
    entry: str | None = None,
) -> Made:
    """Return one edit that cites a key at a place; there, it may take the place of another.

    A placeholder is filled, a key that is begun is completed, a citation is extended, and elsewhere
    a citation is added at the end of the sentence; where its end is no plain text, at the place. An
    entry of the library, or one that was discovered, is added to the draft's bibliography. So is a
    new `entry` in BibTeX, whose key is then cited.
    """
    read, ways = _read(here)
    new: Sequence[TextEdit] = ()
    if entry is not None:
        (key,), new = _added(here.project, read, [entry])
    elif not (
        read.bibliography.find(key)
        or here.project.global_library.candidate(key)
        or _discovered(read, key)
    ):
        raise InputError(f"No bibliography of the draft has the key {key}.")
    file, place = read.file, place_at(read.file, offset)
    why_not = "A citation cannot be inserted here."
    replaced = [each for each in place.keys if each.key == replaces]
    edits: Sequence[TextEdit] = ()
    if replaced and key not in {each.key for each in place.keys}:
        edits = [key_replaced(here.path, file.text, replaced[0].span, key)]
    elif place.placeholder is None and (begun := _begun(read, offset, key)) is not None:
        edits = [begun]
    elif place.citation is not None:
        edits = with_key(file, place.citation, key, ways, offset)
        why_not = f"{key} is cited here already, or the citation is not closed."
    elif place.placeholder is not None:
        edits = filled(file, place.placeholder, key, ways, offset)
    elif (sentence := sentence_at(file, offset, min_words=0)) is not None:
        edits = cited_at_end(file, sentence, key, ways)
    else:
        edits = cited_at(file, offset, key, ways, read.with_text)
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


def _slot(read: ReadDraft, offset: int) -> KeySlot | None:
    """Return the place for a key at an offset, unless it is one of a label or a person."""
    file, syntax = read.file, markup_of(read.file.path).syntax
    slot = syntax.key_slot(file, offset, lambda each: read.bibliography.find(each) is not None)
    return slot if slot is not None and syntax.wants_citation(file, slot) else None


def _begun(read: ReadDraft, offset: int, key: str) -> TextEdit | None:
    """Return the edit that completes a key of which letters, or nothing, are typed at a place."""
    file, slot, found = read.file, _slot(read, offset), read.file.key_list_at(offset)
    if slot is None or key in slot.taken:
        return None
    if (typed := key_in_draft(file, (), offset)) is not None:
        is_begun = read.bibliography.find(typed.key) is None and key.startswith(typed.key)
    else:
        is_begun = found is None or not found[1].closed or found[0].listed_only
    edit = TextEdit(file.path, TextSpan(slot.start, slot.end), slot.write(key))
    return edit if is_begun else None


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
    target, encoding = _target(project, read)
    of_library = project.global_library.candidate(key)
    discovered = None if of_library is not None else _discovered(read, key)
    there = project.global_library.files() if discovered is None else [discovered]
    try:
        copied = copy_entry(key, there, target.files, target.file, encoding)
    except InputError as error:
        raise InputError(f"Not added to {target.file.path.name}: {error}.") from None
    return () if copied is None else (copied, *target.naming)


def _target(project: Project, read: ReadDraft) -> tuple[Target, str]:
    """Return the bibliography that is added to, and the encoding of letters that it may have."""
    target = target_of(read, project.text)
    return target, encoding_for(read, target, editable_in(project, target.file.path))


def _added(
    project: Project, read: ReadDraft, entries: list[str]
) -> tuple[Sequence[str], tuple[TextEdit, ...]]:
    """Return the keys of new entries, and the edits that add them."""
    target, encoding = _target(project, read)
    keys, edit = added(target, entries, encoding)
    return keys, (edit, *target.naming)


def _discovered(read: ReadDraft, key: str) -> BibliographyFile | None:
    """Return the entry of a work that was suggested although the author does not have it."""
    around = suggested(read)
    if around is None or (entry := around.entry(key)) is None:
        return None
    return parse_bibliography(bibtex_entry(entry, protects_capitals=True), Path("discovered.bib"))


def adding_edit(project: Project, path: Path, key: str) -> Made | None:
    """Return the edit that adds an entry of the library; None where it is there already."""
    edits = addition(project, path, key)
    if not edits:
        return None
    added, name = edits[0], edits[0].path.name
    answer = wire.answer(key=key, uri=project.buffers.uri(added.path), text=added.text)
    edit, remark = workspace_edit(project, edits), f"Added {key} to {name}."
    return Made(f"Add {key} to {name}", edit, answer, remark)


def adding_works_edit(
    here: Document,
    entries: Annotated[list[str], Meta(min_length=1, max_length=MAX_ADDED)],
    offset: int | None = None,
) -> Made:
    """Return the edit that adds works, and cites the first of them where a key is typed."""
    read, project = adding_to(here), here.project
    keys, edits = _added(project, read, entries)
    answer = wire.answer(keys=keys, uri=project.buffers.uri(edits[0].path), text=edits[0].text)
    if offset is not None and not is_bibliography(here.path):
        edits = (*edits, *_citing(here, read, offset, keys[0]))
    return Made("Add to the bibliography", workspace_edit(project, edits), answer)


def adding_to(here: Document) -> ReadDraft:
    """Return the draft that works are added to; of a bibliography, the first that uses it."""
    if is_bibliography(here.path):
        read = next(iter(here.project.drafts_with(here.path)), None)
    else:
        read = here.project.begun_draft(here.path)
    if read is None:
        raise InputError(
            "Open the draft that is to cite the work: it is added to that draft's bibliography."
        )
    return read


def _citing(here: Document, read: ReadDraft, offset: int, key: str) -> Iterator[TextEdit]:
    """Yield the edits that cite a work in place of an undefined key, or beside a defined one."""
    file, slot = read.file, _slot(read, offset)
    if slot is None:
        return
    place = place_at(file, offset)
    there = place.key_at(offset)
    if there is None or read.bibliography.find(there.key) is None:
        yield TextEdit(here.path, TextSpan(slot.start, slot.end), slot.write(key))
    elif place.citation is not None:
        yield from with_key(file, place.citation, key, conventions(read.draft), offset)
