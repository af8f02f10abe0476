"""The key at the cursor, and the drafts in which it is used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from ...cancellation import checked
from ...edits.keys import (
    BibliographyText,
    KeyPlace,
    KeysOfDraft,
    key_in_bibliography,
    key_in_draft,
)
from ...model.drafts import CitationKey, Draft
from ...model.papers import BibEntry
from ...model.spans import TextSpan
from ...project.bibliographies import DraftBibliography
from ...project.project import is_bibliography
from ..documents import Lines
from ..session import Project, ReadDraft


def key_at_cursor(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> CitationKey | None:
    """Return the key at a position of a document, in a citation or in a bibliography."""
    offset = lines.offset(position)
    if is_bibliography(path):
        # Which program reads it is asked only of what may be a comment.
        found = key_in_bibliography(path, lines.text, offset, comments=False)
        if found is None or key_in_bibliography(path, lines.text, offset) is not None:
            return found
        return None if comments_in(project.drafts_with(path)) else found
    read = project.read_draft(path)
    return None if read is None else key_in_draft(read.file, embedded(read), offset)


def comments_in(drafts: Iterable[ReadDraft]) -> bool:
    """Return whether what % comments out in a bibliography of some drafts is no entry for any."""
    return all(read.draft.program.comments for read in drafts)


def embedded(read: ReadDraft) -> list[BibliographyText]:
    """Return the bibliographies that are embedded in the files of a draft."""
    return [
        BibliographyText(source.path, source.text, source.start, read.draft.program.comments)
        for source, _ in read.bibliography.files
        if source.text is not None
    ]


def bib_items(draft: Draft) -> dict[str, tuple[Path, TextSpan]]:
    r"""Return the places of the ``\bibitem``s of a draft, by key."""
    items = ((file.path, item) for file in draft.files for item in file.bib_items)
    return {item.key: (path, item.span) for path, item in items}


def keys_in_drafts(
    project: Project, drafts: Iterable[ReadDraft], path: Path, text: str
) -> tuple[KeysOfDraft, ...]:
    """Return where to look for keys in drafts; the request was for `path`, with this text."""
    texts = {path: text}

    def in_files(read: ReadDraft) -> Iterator[BibliographyText]:
        for source, _ in read.bibliography.files:
            if source.text is None:
                if source.path not in texts:
                    texts[source.path] = project.text(source.path) or ""
                comments = read.draft.program.comments
                yield BibliographyText(source.path, texts[source.path], comments=comments)

    return tuple(_keys_of(read, (*embedded(read), *in_files(read))) for read in checked(drafts))


def keys_in_document(project: Project, path: Path, text: str) -> KeysOfDraft | None:
    """Return where to look for keys in one document alone."""
    if is_bibliography(path):
        return KeysOfDraft(bibliographies=(BibliographyText(path, text),))
    read = project.read_draft(path)
    if read is None:
        return None
    own = tuple(bibliography for bibliography in embedded(read) if bibliography.path == path)
    keys = replace(_keys_of(read, own), files=(read.file,))
    return keys if own else replace(keys, entries={})


def citing_places(drafts: Iterable[ReadDraft], key: str) -> list[tuple[Path, int]]:
    """Return the files and lines that cite the entry of a key, each citation once, in order."""
    places: dict[KeyPlace, int] = {}
    for read in checked(drafts):
        keys = _keys_of(read, ())
        for place in keys.places(keys.names_of(key)):
            if not place.defines and (file := read.draft.file(place.path)) is not None:
                places[place] = file.line_column(place.span.start)[0]
    return [(place.path, places[place]) for place in sorted(places)]


def shown_path(project: Project, path: Path) -> str:
    """Return a file's path relative to the workspace folder that it is in."""
    folders = [folder for folder in project.folders if path.is_relative_to(folder)]
    return os.path.relpath(path, folders[0]) if folders else path.name


def _keys_of(read: ReadDraft, bibliographies: tuple[BibliographyText, ...]) -> KeysOfDraft:
    """Return where to look for keys: the files of a draft, and some of its bibliographies."""
    known = read.bibliography
    entries = _EntriesByName(known)
    return KeysOfDraft(read.draft.files, bibliographies, entries, known.case_sensitive, known.place)


class _EntriesByName(Mapping[str, BibEntry]):
    """All entries of a draft by their names, including entries that cannot be cited."""

    def __init__(self, bibliography: DraftBibliography) -> None:
        self._bibliography = bibliography

    def __getitem__(self, name: str) -> BibEntry:
        entry = self._bibliography.find(name) or self._data.get(name)
        if entry is None:
            raise KeyError(name)
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._bibliography.entries)

    def __len__(self) -> int:
        return len(self._bibliography.entries)

    @cached_property
    def _data(self) -> dict[str, BibEntry]:
        fold = str if self._bibliography.case_sensitive else str.lower
        files = (file for _, file in reversed(self._bibliography.files))
        return {fold(key): entry for file in files for key, entry in file.data_entries.items()}
