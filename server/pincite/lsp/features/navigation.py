"""Keys all over a project: definition, references, rename, highlights, and entries as symbols."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from heapq import nsmallest
from pathlib import Path, PurePath
from weakref import WeakKeyDictionary

from lsprotocol import types

from ...cancellation import checked
from ...edits.keys import BibliographyText, KeysOfDraft, renamed
from ...model.bibliographies import BibliographyFile
from ...model.edits import TextEdit
from ...model.papers import BibEntry
from ...model.problems import InputError
from ...model.spans import TextSpan
from ...parsing.bibliographies.item_file import entry_at
from ...project.project import is_bibliography
from ...text.characters import folded
from ..documents import Lines
from ..jsonrpc import RequestError
from ..session import Project, ReadDraft
from .edits import workspace_edit
from .keys import key_at_cursor, keys_in_document, keys_in_drafts, shown_path

_NAME = re.compile(r"[^{},\[\]\\\s][^{},\[\]\\]*")
_MAX_SYMBOLS = 200
#: The file of an entry, and the spans of the entry and its key.
_Entry = tuple[Path, TextSpan, TextSpan]
#: What is searched of the entries of a bibliography, with their keys.
_SEARCHED: WeakKeyDictionary[BibliographyFile, list[tuple[str, str]]] = WeakKeyDictionary()


# Definition


def definition(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.Location | list[types.LocationLink] | None:
    """Answer ``textDocument/definition`` in the form that the client takes."""
    link = define(project, path, lines, position)
    if link is None or project.client.definition_links:
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
    if (found := _entry_of(project, path, lines, key.key)) is None:
        return None
    target, whole, own_key = found
    target_lines = lines if target == path else project.lines(target)
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
    for command in () if read is None else read.file.bibliographies:
        for name in _NAME.finditer(lines.text, command.span.start, command.span.end):
            # The span also has the macro, which is not a name.
            is_here = name.start() <= offset <= name.end() and name[0].strip() == command.name
            if not is_here or read is None:
                continue
            wanted = PurePath(command.name.removesuffix(".bib") + ".bib").parts
            for source in read.draft.bibliographies:
                if source.path.parts[-len(wanted) :] == wanted:
                    uri, start = project.documents.uri(source.path), types.Position(0, 0)
                    whole = types.Range(start, start)
                    own = lines.range(name.start(), name.end())
                    return types.LocationLink(uri, whole, whole, own)
    return None


def _entry_of(project: Project, path: Path, lines: Lines, key: str) -> _Entry | None:
    own: list[_Entry] = []
    if is_bibliography(path):
        own = _in_own_text(path, lines.text, key, comments=True)
        if len(own) == 1 == len(_in_own_text(path, lines.text, key, comments=False)):
            # No program sees another one, so it need not be read with all its drafts.
            return own[0]
    elif (read := project.read_draft(path)) is not None and (found := _in_draft(read, key)):
        return found
    in_drafts = (_in_draft(read, key) for read in project.drafts_with(path))
    return next(filter(None, in_drafts), None) or next(iter(own), None)


def _in_own_text(path: Path, text: str, key: str, *, comments: bool) -> list[_Entry]:
    """Return the entries of a bibliography with a key, else those with it in another case."""
    own = KeysOfDraft(bibliographies=(BibliographyText(path, text, comments=comments),))
    found: list[_Entry] = []
    # Entries name their parents in any case.
    for keys in (own, replace(own, case_sensitive=False)):
        for place in keys.places((key,)) if not found else ():
            entry = entry_at(path, text, place.span.start, comments=comments)
            if place.defines and entry is not None:
                found.append((path, entry.span, entry.key_span))
    return found


def _in_draft(read: ReadDraft, key: str) -> _Entry | None:
    bibliography = read.bibliography
    entry = bibliography.find(key) or bibliography.find_data(key)
    if entry is None:
        return None
    if (place := bibliography.place(entry)) is not None:
        return entry.path, place.span, place.key_span
    items = ((file.path, item) for file in read.draft.files for item in file.bib_items)
    own = ((path, item.span, item.key_span) for path, item in items if item.key == entry.key)
    return next(own, None)


# References and highlights


def references(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    context: types.ReferenceContext,
) -> list[types.Location] | None:
    """Return where the entry of the key at a position is cited, or named by another entry.

    A request in a draft searches it, one in a bibliography all drafts that use it. The key of the
    entry itself is a declaration.
    """
    key = (
        key_at_cursor(project, path, lines, position) if project.does("references", path) else None
    )
    if key is None:
        return None
    drafts = keys_in_drafts(project, project.drafts_with(path, every=True), path, lines.text)
    if not drafts and (alone := keys_in_document(project, path, lines.text)) is not None:
        drafts = (alone,)
    places = {place for draft in drafts for place in draft.places(draft.names_of(key.key))}
    declared = context.include_declaration
    wanted = (place for place in sorted(places) if declared or not place.defines)
    return list(filter(None, (project.location(place.path, place.span) for place in wanted)))


def highlight(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> list[types.DocumentHighlight] | None:
    """Return the places of the key at a position; the one in its entry is marked as a write."""
    does = project.does("document_highlight", path)
    key = key_at_cursor(project, path, lines, position) if does else None
    document = keys_in_document(project, path, lines.text) if key else None
    if key is None or document is None:
        return None
    read, written = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(
            lines.range(place.span.start, place.span.end), written if place.defines else read
        )
        for place in sorted(document.places((key.key,)))
    ]


# Rename


def prepare_rename(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.PrepareRenamePlaceholder | None:
    """Return the key at a position with its range; None where there is no key to rename."""
    key = key_at_cursor(project, path, lines, position) if project.does("rename", path) else None
    if key is None:
        return None
    return types.PrepareRenamePlaceholder(lines.range(key.span.start, key.span.end), key.key)


def rename(
    project: Project, path: Path, lines: Lines, position: types.Position, new_name: str
) -> types.WorkspaceEdit | None:
    """Return the edit that renames the key at a position, in all files that name it.

    These are the files of the draft, its bibliographies, and every other draft of the workspace
    that uses one of them. Raises `RequestError` if some file cannot be changed or the new name is
    not a valid key.
    """
    key = key_at_cursor(project, path, lines, position) if project.does("rename", path) else None
    if key is None:
        return None
    drafts = _drafts_naming(project, path, lines, key.key)
    try:
        edits = renamed(drafts, key.key, new_name.strip())
        _refuse_files_of_others(project, path, {edit.path for edit in edits})
        answer = workspace_edit(project, edits)
    except InputError as error:
        raise RequestError(str(error)) from None
    _refuse_changed_texts(project, drafts, edits)
    return answer


def _drafts_naming(project: Project, path: Path, lines: Lines, key: str) -> list[KeysOfDraft]:
    """Return the drafts of a document, and those that share a file with the key with them.

    Renaming in a file affects all its drafts, which may share other files in turn.
    """
    found: dict[Path, KeysOfDraft] = {}
    asked, waiting = {path}, [path]
    while waiting:
        drafts = project.drafts_with(waiting.pop(), every=True)
        reads = [read for read in drafts if read.file.path not in found]
        known = keys_in_drafts(project, reads, path, lines.text)
        for read, keys in zip(reads, known, strict=True):
            found[read.file.path] = keys
            naming = {place.path for place in keys.places((key,))}
            waiting += sorted(naming - asked)
            asked |= naming
    read_files = {file.path for keys in found.values() for file in keys.files}
    read_files |= {each.path for keys in found.values() for each in keys.bibliographies}
    alone = None if path in read_files else keys_in_document(project, path, lines.text)
    return [*found.values(), *((alone,) if alone else ())]


def _refuse_files_of_others(project: Project, path: Path, files: Iterable[Path]) -> None:
    """Refuse to change files that other projects may use, or that cannot be written."""
    folders = project.folders
    if not any(path.is_relative_to(folder) for folder in folders):
        # Without a workspace folder, the draft takes its place.
        read = project.read_draft(path)
        folders = (*folders, path.parent, *((read.draft.root.parent,) if read else ()))
    for file in sorted(files):
        folder = next((folder for folder in folders if file.is_relative_to(folder)), None)
        if folder is None:
            raise InputError(
                f"The key is also in {file}, outside of the workspace: other drafts may use it."
            )
        linked = Path(os.path.realpath(file))
        if linked != Path(os.path.realpath(folder), file.relative_to(folder)):
            raise InputError(
                f"The key is also in {linked}, to which {file.name} is a link: other drafts may "
                "use it."
            )
        if file.exists() and not os.access(file, os.W_OK):
            raise InputError(f"The key is also in {file}, which cannot be written.")


def _refuse_changed_texts(
    project: Project, drafts: Iterable[KeysOfDraft], edits: Iterable[TextEdit]
) -> None:
    """Refuse to edit texts that the author has changed since the request."""
    edited, newest = {edit.path for edit in edits}, project.newest()
    for draft in drafts:
        texts = [(file.path, file.text) for file in draft.files]
        texts += [(each.path, each.text) for each in draft.bibliographies if not each.start]
        for path, text in texts:
            if path in edited and newest.text(path) != text:
                raise RequestError(f"{path.name} has changed meanwhile. Please try again.")


# Symbols


def symbols(
    project: Project, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol] | None:
    """Return the entries of the workspace that contain all words of a query, not all if many.

    Entries whose key starts with the query come first. A symbol's name contains everything that was
    searched, as clients filter by it again.
    """
    if not project.settings.editor.does("workspace_symbols", "latex"):
        return None
    words = folded(params.query).split()
    start = "".join(words)
    searched = (
        (file, key, text)
        for file in project.parsed_bibliographies().values()
        for key, text in _searched(file)
    )
    found = (
        (not text.startswith(start), number, key, file)
        for number, (file, key, text) in enumerate(checked(searched, 1000))
        if all(word in text for word in words)
    )
    return [
        _symbol(project, file.entries[key], file.place(key).line)
        for *_, key, file in nsmallest(_MAX_SYMBOLS, found)
    ]


def _searched(file: BibliographyFile) -> list[tuple[str, str]]:
    if file not in _SEARCHED:
        _SEARCHED[file] = [
            (each.key, folded(" ".join((*_described(each), *each.aliases))))
            for each in file.entries.values()
        ]
    return _SEARCHED[file]


def _described(entry: BibEntry) -> tuple[str, ...]:
    return entry.key, ", ".join(entry.surnames), entry.title, entry.year


def _symbol(project: Project, entry: BibEntry, line: int) -> types.WorkspaceSymbol:
    # Only the line: computing columns in a large bibliography at each keystroke takes too long.
    place = types.Position(line - 1, 0)
    key, names, title, year = _described(entry)
    return types.WorkspaceSymbol(
        name=" · ".join(filter(None, (key, names, year, title))),
        kind=types.SymbolKind.Key,
        location=types.Location(project.documents.uri(entry.path), types.Range(place, place)),
        container_name=shown_path(project, entry.path),
    )
