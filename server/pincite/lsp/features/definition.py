"""Go to definition: from a citation key to its entry, from a bibliography's name to the file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Optional

from lsprotocol import types

from ...project.project import is_bibliography
from ..documents import Excerpt, Lines
from ..keys import key_at_cursor
from ..language_server import PinciteServer
from ..session import Project, ReadDraft

if TYPE_CHECKING:
    from ...model.papers import BibEntry
    from ...model.spans import TextSpan
    from ...project.bibliographies import DraftBibliography

_NAME = re.compile(r"[^{},\[\]\\\s][^{},\[\]\\]*")
#: The file of an entry, the spans of the entry and its key, and the entry itself if it was read.
_Entry = tuple[
    Path, "TextSpan", "TextSpan", Optional[tuple["DraftBibliography", "BibEntry"]]  # noqa: UP045
]


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/definition``."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def defines(
        ls: PinciteServer, params: types.DefinitionParams
    ) -> types.Location | list[types.LocationLink] | None:
        link = await ls.answer_at(define, params)
        if link is None or ls.session.client.definition_links:
            return None if link is None else [link]
        return types.Location(link.target_uri, link.target_selection_range)


def define(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.LocationLink | None:
    """Return the entry that the key at a position means; of repeated entries the one in use.

    For the name of a bibliography, the result is the start of the file.
    """
    if not project.does("definition", path):
        return None
    key = key_at_cursor(project, path, lines, position)
    if key is None:
        return _bibliography_at(project, path, lines, lines.offset(position))
    found = _entry_of(project, path, lines, key.key)
    if found is None:
        return None
    target, whole, own_key, entry = found
    if target == path:
        target_lines: Lines | Excerpt | None = lines
    elif entry is None:
        target_lines = project.lines(target)
    else:
        target_lines = project.lines_of(*entry)
    if target_lines is None:
        return None
    return types.LocationLink(
        target_uri=project.documents.uri(target),
        target_range=target_lines.range(whole.start, whole.end),
        target_selection_range=target_lines.range(own_key.start, own_key.end),
        origin_selection_range=lines.range(key.span.start, key.span.end),
    )


def _bibliography_at(
    project: Project, path: Path, lines: Lines, offset: int
) -> types.LocationLink | None:
    r"""Return the file that ``\bibliography`` or ``\addbibresource`` names at an offset."""
    read = None if is_bibliography(path) else project.read_draft(path)
    if read is None:
        return None
    for command in read.file.bibliographies:
        for name in _NAME.finditer(lines.text, command.span.start, command.span.end):
            # The span also has the macro, which is not a name.
            is_here = name.start() <= offset <= name.end() and name[0].strip() == command.name
            wanted = PurePath(command.name.removesuffix(".bib") + ".bib").parts
            files = (source.path for source in read.draft.bibliographies)
            target = next((file for file in files if file.parts[-len(wanted) :] == wanted), None)
            if is_here and target is not None:
                start = types.Range(types.Position(0, 0), types.Position(0, 0))
                return types.LocationLink(
                    target_uri=project.documents.uri(target),
                    target_range=start,
                    target_selection_range=start,
                    origin_selection_range=lines.range(name.start(), name.end()),
                )
    return None


def _entry_of(project: Project, path: Path, lines: Lines, key: str) -> _Entry | None:
    if is_bibliography(path):
        own = _in_own_text(path, lines.text, key, comments=True)
        if len(own) == 1 == len(_in_own_text(path, lines.text, key, comments=False)):
            # No program sees another one, so it need not be read with all its drafts.
            return own[0]
        return _in_drafts(project, path, lines, key) or next(iter(own), None)
    read = project.read_draft(path)
    return (read and _in_draft(read, key)) or _in_drafts(project, path, lines, key)


def _in_own_text(path: Path, text: str, key: str, *, comments: bool) -> list[_Entry]:
    """Return the entries of a bibliography with a key, else those with it in another case."""
    from ...edits.keys import BibliographyText, KeysOfDraft
    from ...parsing.bibliographies.places import entry_at

    own = KeysOfDraft(bibliographies=(BibliographyText(path, text, comments=comments),))
    found: list[_Entry] = []
    # Entries name their parents in any case.
    for keys in (own, replace(own, case_sensitive=False)):
        for place in keys.places((key,)) if not found else ():
            entry = entry_at(path, text, place.span.start, comments=comments)
            if place.defines and entry is not None:
                found.append((path, entry.span, entry.key_span, None))
    return found


def _in_drafts(project: Project, path: Path, lines: Lines, key: str) -> _Entry | None:
    drafts = project.drafts_with(path)
    return next((found for read in drafts if (found := _in_draft(read, key))), None)


def _in_draft(read: ReadDraft, key: str) -> _Entry | None:
    bibliography = read.bibliography
    entry = bibliography.find(key) or bibliography.find_data(key)
    if entry is None:
        return None
    if (place := bibliography.place(entry)) is not None:
        return entry.path, place.span, place.key_span, (bibliography, entry)
    items = ((file.path, item) for file in read.draft.files for item in file.bib_items)
    own = ((path, item.span, item.key_span, None) for path, item in items if item.key == entry.key)
    return next(own, None)
