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
from ...edits.keys import KeysOfDraft, renamed
from ...model.bibliographies import BibliographyFile
from ...model.drafts import CitationKey
from ...model.papers import BibEntry
from ...model.problems import InputError
from ...model.programs import BIBER, BIBTEX
from ...model.spans import TextSpan
from ...parsing.bibliographies import entry_at, parsed
from ...project.project import is_bibliography
from ...text.characters import folded
from ..session import Document, Project, ReadDraft
from .keys import key_at_cursor, keys_in_document, shown_path
from .workspace_edits import require_unchanged, workspace_edit

_NAME = re.compile(r"[^{},\[\]\\\s][^{},\[\]\\]*")
_MAX_SYMBOLS = 200
#: The file of an entry, and the spans of the entry and its key.
_Entry = tuple[Path, TextSpan, TextSpan]
#: What is searched of the entries of a bibliography, with their keys.
_SEARCHED: WeakKeyDictionary[BibliographyFile, list[tuple[str, str]]] = WeakKeyDictionary()


def _key_for(feature: str, here: Document, offset: int) -> CitationKey | None:
    """Return the key at an offset, if a feature is on."""
    return key_at_cursor(here, offset) if here.does(feature) else None


def definition(here: Document, offset: int) -> types.Location | list[types.LocationLink] | None:
    """Answer ``textDocument/definition`` in the form that the client takes."""
    link = define(here, offset)
    if link is None or here.project.client.definition_links:
        return None if link is None else [link]
    return types.Location(link.target_uri, link.target_selection_range)


def define(here: Document, offset: int) -> types.LocationLink | None:
    """Return the entry that a key means; for the name of a bibliography, the start of the file."""
    if not here.does("definition"):
        return None
    key = key_at_cursor(here, offset)
    if key is None:
        return _bibliography_at(here, offset)
    if (found := _entry_of(here, key.key)) is None:
        return None
    path, whole, own_key = found
    lines = here.lines if path == here.path else here.project.lines(path)
    if lines is None:
        return None
    return types.LocationLink(
        target_uri=here.project.buffers.uri(path),
        target_range=lines.range(whole),
        target_selection_range=lines.range(own_key),
        origin_selection_range=here.lines.range(key.span),
    )


def _bibliography_at(here: Document, offset: int) -> types.LocationLink | None:
    r"""Return the file that ``\bibliography`` or ``\addbibresource`` names at an offset."""
    read = None if is_bibliography(here.path) else here.read()
    if read is None:
        return None
    for command in read.file.bibliographies:
        wanted = PurePath(command.name.removesuffix(".bib") + ".bib").parts
        for name in _NAME.finditer(here.text, command.span.start, command.span.end):
            # The span also has the macro, which is not a name.
            own = TextSpan(*name.span())
            if not own.covers(offset) or name[0].strip() != command.name:
                continue
            for source in read.draft.bibliographies:
                if source.path.parts[-len(wanted) :] == wanted:
                    start = types.Range(types.Position(0, 0), types.Position(0, 0))
                    uri = here.project.buffers.uri(source.path)
                    return types.LocationLink(uri, start, start, here.lines.range(own))
    return None


def _entry_of(here: Document, key: str) -> _Entry | None:
    own: list[_Entry] = []
    if is_bibliography(here.path):
        own = _in_own_text(here, key, comments=True)
        if len(own) == 1 == len(_in_own_text(here, key, comments=False)):
            # No program sees another one, so it need not be read with all its drafts.
            return own[0]
    elif (read := here.read()) is not None and (found := _in_draft(read, key)):
        return found
    in_drafts = (_in_draft(read, key) for read in here.project.drafts_with(here.path))
    return next(filter(None, in_drafts), None) or next(iter(own), None)


def _in_own_text(here: Document, key: str, *, comments: bool) -> list[_Entry]:
    """Return the entries of a bibliography with a key, else those with it in another case."""
    file = parsed(here.path, here.text, BIBER if comments else BIBTEX)
    own = KeysOfDraft(bibliographies=(file,))
    found: list[_Entry] = []
    # Entries name their parents in any case.
    for keys in (own, replace(own, case_sensitive=False)):
        for place in keys.places((key,)) if not found else ():
            entry = entry_at(here.path, here.text, place.span.start, comments=comments)
            if place.defines and entry is not None:
                found.append((here.path, entry.span, entry.key_span))
    return found


def _in_draft(read: ReadDraft, key: str) -> _Entry | None:
    entry = read.bibliography.find(key) or read.bibliography.find_data(key)
    return None if entry is None else read.where(entry)


def references(
    here: Document, offset: int, context: types.ReferenceContext
) -> list[types.Location] | None:
    """Return where the entry of a key is cited, or named by another entry."""
    if (key := _key_for("references", here, offset)) is None:
        return None
    drafts = [read.keys for read in checked(here.project.drafts_with(here.path, every=True))]
    if not drafts and (alone := keys_in_document(here)) is not None:
        drafts = [alone]
    places = {place for draft in drafts for place in draft.places(draft.names_of(key.key))}
    declared = context.include_declaration
    wanted = (place for place in sorted(places) if declared or not place.defines)
    return list(filter(None, (here.project.location(place.path, place.span) for place in wanted)))


def highlight(here: Document, offset: int) -> list[types.DocumentHighlight] | None:
    """Return the places of the key at an offset; the one in its entry is marked as a write."""
    key = _key_for("document_highlight", here, offset)
    document = keys_in_document(here) if key else None
    if key is None or document is None:
        return None
    read, written = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(here.lines.range(place.span), written if place.defines else read)
        for place in sorted(document.places((key.key,)))
    ]


def prepare_rename(here: Document, offset: int) -> types.PrepareRenamePlaceholder | None:
    """Return the key at an offset with its range; None where there is no key to rename."""
    key = _key_for("rename", here, offset)
    if key is None:
        return None
    return types.PrepareRenamePlaceholder(here.lines.range(key.span), key.key)


def rename(here: Document, offset: int, new_name: str) -> types.WorkspaceEdit | None:
    """Return the edit that renames the key at an offset, in all files that name it.

    These are the files of the draft, its bibliographies, and every other draft of the workspace
    that uses one of them. Raises `InputError` if some file cannot be changed or the new name is not
    a valid key.
    """
    if (key := _key_for("rename", here, offset)) is None:
        return None
    drafts = _drafts_naming(here, key.key)
    edits = renamed(drafts, key.key, new_name.strip())
    edited = {edit.path for edit in edits}
    refuse_files_of_others(here, edited)
    answer = workspace_edit(here.project, edits)
    for draft in drafts:
        texts = [(file.path, file.text) for file in draft.files]
        texts += [(each.path, each.text) for each in draft.bibliographies if not each.start]
        require_unchanged(here.project, (each for each in texts if each[0] in edited))
    return answer


def _drafts_naming(here: Document, key: str) -> list[KeysOfDraft]:
    """Return the drafts of a document, and those that share a file with the key with them."""
    found: dict[Path, KeysOfDraft] = {}
    asked, waiting = {here.path}, [here.path]
    while waiting:
        drafts = here.project.drafts_with(waiting.pop(), every=True)
        for read in checked([read for read in drafts if read.file.path not in found]):
            found[read.file.path] = keys = read.keys
            naming = {place.path for place in keys.places((key,))}
            waiting += sorted(naming - asked)
            asked |= naming
    read_files = {file.path for keys in found.values() for file in keys.files}
    read_files |= {each.path for keys in found.values() for each in keys.bibliographies}
    alone = None if here.path in read_files else keys_in_document(here)
    return [*found.values(), *((alone,) if alone else ())]


def refuse_files_of_others(here: Document, files: Iterable[Path]) -> None:
    """Refuse to change files that other projects may use, or that cannot be written."""
    folders = here.project.folders
    if not any(here.path.is_relative_to(folder) for folder in folders):
        # Without a workspace folder, the draft takes its place.
        read = here.read()
        folders = (*folders, here.path.parent, *((read.draft.root.parent,) if read else ()))
    for file in sorted(files):
        folder = next((folder for folder in folders if file.is_relative_to(folder)), None)
        linked = Path(os.path.realpath(file))
        if folder is None:
            why = f"{file}, outside the workspace: other drafts may use it."
        elif linked != Path(os.path.realpath(folder), file.relative_to(folder)):
            why = f"{linked}, which {file.name} links to: other drafts may use it."
        elif file.exists() and not os.access(file, os.W_OK):
            why = f"{file}, which cannot be written."
        else:
            continue
        raise InputError(f"The key is also in {why}")


def symbols(
    project: Project, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol] | None:
    """Return the workspace's entries with all words of a query; keys that begin so come first."""
    if not project.settings.editor.does("workspace_symbols", "latex"):
        return None
    words = folded(params.query).split()
    start = "".join(words)
    files = project.parsed_bibliographies().values()
    searched = ((file, key, text) for file in files for key, text in _searched(file))
    found = (
        (not text.startswith(start), number, key, file)
        for number, (file, key, text) in enumerate(checked(searched, 1000))
        if all(word in text for word in words)
    )
    return [_symbol(project, file, key) for *_, key, file in nsmallest(_MAX_SYMBOLS, found)]


def _searched(file: BibliographyFile) -> list[tuple[str, str]]:
    if file not in _SEARCHED:
        _SEARCHED[file] = [
            (each.key, folded(" ".join((*_described(each), *each.aliases))))
            for each in file.entries.values()
        ]
    return _SEARCHED[file]


def _described(entry: BibEntry) -> tuple[str, ...]:
    return entry.key, ", ".join(entry.surnames), entry.title, entry.year


def _symbol(project: Project, file: BibliographyFile, key: str) -> types.WorkspaceSymbol:
    # Only the line: computing columns in a large bibliography at each keystroke takes too long.
    entry, place = file.entries[key], types.Position(file.place(key).line - 1, 0)
    _, names, title, year = _described(entry)
    return types.WorkspaceSymbol(
        name=" · ".join(filter(None, (key, names, year, title))),
        kind=types.SymbolKind.Key,
        location=types.Location(project.buffers.uri(entry.path), types.Range(place, place)),
        container_name=shown_path(project, entry.path),
    )
