"""A draft without a bibliography: what the author can do about it, and the edits that do it.

Either a file that the draft names is missing, and is created; or the draft names none, and comes to
name one of the workspace, or a new one. Works are added to it one by one, or from Zotero.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from lsprotocol import types

from ...cancellation import within
from ...edits.naming import (
    CREATES_ONE,
    NEW,
    can_be_named,
    missing_files,
    name_of,
    names_any,
    naming_edits,
)
from ...model.edits import TextEdit
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.markups import markup_of
from ...zotero.profiles import data_folders
from ..session import Document, Made, Project, ReadDraft
from .workspace_edits import workspace_edit

CREATE: Final = "pincite.createBibliography"
NAME: Final = "pincite.nameBibliography"
#: Commands of clients that declare them.
ADD: Final = "pincite.addWork"
USE_ZOTERO: Final = "pincite.useZotero"
ADDS_WORK: Final = "Add a work by DOI, arXiv id, title or clipboard…"
#: How many of the workspace's bibliographies are offered, and how long it may be walked.
_MAX_OFFERED: Final = 8
_PATIENCE_SECONDS: Final = 0.3


class Offer(NamedTuple):
    """What the author can do: a command, with why, also in so few words that they fit in a row."""

    title: str
    why: str
    in_short: str
    command: types.Command


def offers(project: Project, path: Path, read: ReadDraft) -> Iterator[Offer]:
    """Yield what gives a draft without entries its first; `path` is the document in hand."""
    draft, client = read.draft, project.client
    if not client.applies_edits or not draft.root.is_absolute():
        return
    uri, is_named, missing = project.buffers.uri(path), names_any(draft), [*missing_files(draft)]
    fault = "cannot be read" if read.bibliography.unread and not missing else "does not exist"
    what = f"a bibliography that {fault}" if is_named else "no bibliography"
    why = f"{draft.root.name} names {what}."
    has_entries = bool(read.bibliography.entries)
    if read.bibliography.files and not (missing or has_entries):
        names = [source.path.name for source, _ in read.bibliography.files]
        why = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no entry yet."

    def offer(title: str, in_short: str, name: str, **more: object) -> Offer:
        command = types.Command(title, name, arguments=[{"uri": uri, **more}])
        return Offer(title, why, in_short, command)

    creates_files = client.creates_files and project.buffers.has_folder(draft.root.parent)
    if missing and creates_files:
        first, more = name_of(draft, missing[0]), len(missing) - 1
        title = f"Create {first} and {more} more" if more else f"Create {first}"
        yield offer(title, "does not exist", CREATE)
    new = draft.root.parent / NEW
    if not is_named and can_be_named(draft, new, read.workspace.read):
        with within(_PATIENCE_SECONDS):
            there = [*islice(_of_workspace(read), _MAX_OFFERED)]
        if creates_files and new not in there:
            yield offer(CREATES_ONE, "no .bib yet", CREATE)
        for bibliography in there:
            if can_be_named(draft, bibliography, read.workspace.read):
                title = f"Use {name_of(draft, bibliography)}"
                yield offer(title, "not named yet", NAME, path=str(bibliography))
    if has_entries:
        return
    if client.suggests_here and project.settings.zotero != "off" and data_folders():
        creates = not (is_named or read.bibliography.files) or bool(missing)
        yield offer("Use my Zotero library", "on this computer", USE_ZOTERO, creates=creates)
    if client.adds_works:
        yield offer(ADDS_WORK, "", ADD)


def is_draft(read: ReadDraft) -> bool:
    """Return whether a document is a draft even if it names no bibliography, as no README is."""
    file, used = read.file, markup_of(read.file.path)
    if used.only_drafts:
        return True
    begun = [each.span for each in file.placeholders[:1]]
    begun += [each.span for each in file.citations[:1]]
    slots = (
        used.syntax.key_slot(file, offset, lambda _key: False)
        for span in begun
        for offset in range(span.start, span.end)
    )
    return any(slot is not None and used.syntax.wants_citation(file, slot) for slot in slots)


def _of_workspace(read: ReadDraft) -> Iterator[Path]:
    """Yield the bibliographies that a draft could use, those beside its main file first."""
    beside = [source.path for source in read.draft.fallback_bibliographies]
    yield from beside
    yield from (path for path in read.workspace.bibliographies() if path not in beside)


def creating_edit(here: Document) -> Made:
    """Return the edit that creates the files that a draft names, or a new one and names it.

    Nothing is overwritten: a file that is there is only named. Raises `InputError`.
    """
    read = _begun(here)
    draft = read.draft
    if missing := [*missing_files(draft)]:
        return Made("Create a bibliography", workspace_edit(here.project, map(_empty, missing)))
    new = draft.root.parent / NEW
    edits = [*_naming(read, new)]
    if here.project.lines(new) is None:
        edits.append(_empty(new))
    return Made("Create a bibliography", workspace_edit(here.project, edits))


def naming_edit(here: Document, path: str) -> Made:
    """Return the edit by which a draft names the bibliography at a path; raises `InputError`."""
    read, bibliography = _begun(here), Path(path)
    suffixes = (".bib", *markup_of(read.draft.root).bibliography_suffixes)
    if not bibliography.is_absolute() or here.project.lines(bibliography) is None:
        raise InputError(f"{path} is not an existing file with an absolute path.")
    if bibliography.suffix.lower() not in suffixes:
        raise InputError(f"{bibliography.name} is not a bibliography that this draft can name.")
    edit = workspace_edit(here.project, _naming(read, bibliography))
    return Made(f"Name {bibliography.name}", edit)


def _empty(path: Path) -> TextEdit:
    """Return the edit that creates an empty file."""
    return TextEdit(path, TextSpan(0, 0), "")


def _begun(here: Document) -> ReadDraft:
    if (read := here.project.begun_draft(here.path)) is None:
        raise InputError("The document is not a draft that Pincite can read.")
    if not read.draft.root.is_absolute():
        raise InputError("Save the draft first: it names a bibliography by a path from its folder.")
    return read


def _naming(read: ReadDraft, bibliography: Path) -> tuple[TextEdit, ...]:
    draft, root = read.draft, read.draft.root.name
    if names_any(draft):
        raise InputError(f"{root} names a bibliography already.")
    edits = naming_edits(draft, bibliography, read.workspace.read)
    if not edits:
        commands = " or ".join(markup_of(draft.root).bibliography_commands)
        what = name_of(draft, bibliography)
        raise InputError(f"{what} could not be named in {root}; name it there with {commands}.")
    return edits
