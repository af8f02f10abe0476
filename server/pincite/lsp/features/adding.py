"""Works that an author adds: searching for one, what that would send, and the edit.

Nothing is sent to services except by a request with the plan that the author has seen, and only
while it is still the same. The setting ``enrich`` forbids it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from ...edits.citations import conventions, with_key
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.markups import markup_of
from ...project.adding import MAX_ADDED, WorkSearch, added, encoding_for, target_of
from ...project.project import is_bibliography
from .. import wire
from ..documents import path_of
from ..session import Document, ReadDraft
from .keys import place_at
from .library import shared, why_not_fetched
from .workspace_edits import Made, editable_in, workspace_edit


def found_work(
    here: Document, text: str | None = None, file: str | None = None, plan: str | None = None
) -> wire.Json | None:
    """Return the works that a text or the URI of a paper may mean.

    Services are asked for a `plan` that the author has agreed to.
    """
    place = _draft(here)
    given = text or ""
    search = WorkSearch(
        place, given if file is None else path_of(file), here.project.settings.email
    )
    problem = why_not_fetched(here.project) if search.sent else None
    planned = search.plan
    if search.sent and plan == planned:
        if problem is not None:
            raise InputError(problem)
        search.look_up()
    meant = search.meant
    email = search.email
    return wire.answer(
        works=[
            wire.answer(
                key=work.key,
                title=work.title,
                author_year=work.author_year,
                origin=work.origin,
                entry=work.entry,
                there=work.there or None,
                meant=work in meant,
            )
            for work in search.works
        ],
        sent=[shared(each.source, email, values=each.values) for each in search.sent],
        plan=planned,
        remarks=search.remarks,
        email=email or None,
        problem=problem,
    )


def adding_edit(
    here: Document,
    entries: Annotated[list[str], Meta(min_length=1, max_length=MAX_ADDED)],
    offset: int | None = None,
) -> Made:
    """Return the edit that adds works, and cites the first of them where a key is typed."""
    read, project = _draft(here), here.project
    target = target_of(read, project.text)
    path = target.file.path
    keys, edit = added(target, entries, encoding_for(read, target, editable_in(project, path)))
    edits = [edit, *target.naming]
    if offset is not None and not is_bibliography(here.path):
        edits += _citing(here, read, offset, keys[0])
    answer = wire.answer(keys=keys, uri=project.buffers.uri(path), text=edit.text)
    return Made("Add to the bibliography", workspace_edit(project, edits), answer)


def _draft(here: Document) -> ReadDraft:
    """Return the draft of a document; of a bibliography, the first that uses it."""
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
    file, syntax = read.file, markup_of(here.path).syntax
    slot = syntax.key_slot(file, offset, lambda each: read.bibliography.find(each) is not None)
    if slot is None or not syntax.wants_citation(file, slot):
        return
    place = place_at(file, offset)
    there = place.key_at(offset)
    if there is None or read.bibliography.find(there.key) is None:
        yield TextEdit(here.path, TextSpan(slot.start, slot.end), slot.write(key))
    elif place.citation is not None:
        yield from with_key(file, place.citation, key, conventions(read.draft), offset)
