"""What is at a position: a key, a citation or a placeholder; and the drafts that use a key."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types

from ...cancellation import checked
from ...contexts.windows import sentence_at
from ...edits.keys import KeyPlace, KeysOfDraft, key_in_bibliography, key_in_draft
from ...model.bibliographies import BibliographyFile
from ...model.drafts import Citation, CitationKey, CitationPlaceholder, DraftFile, is_gap
from ...model.papers import BibEntry
from ...model.spans import TextSpan
from ...parsing.bibliographies import parsed
from ...project.project import is_bibliography
from ..session import Document, Project, ReadDraft

#: In characters of the source.
_MAX_SENTENCE = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """A place to cite: a citation with its `keys`, a placeholder (or both), or only the cursor.

    A key that is only a placeholder is not among the `keys`.
    """

    span: TextSpan
    citation: Citation | None = None
    keys: tuple[CitationKey, ...] = ()
    placeholder: CitationPlaceholder | None = None

    def key_at(self, offset: int) -> CitationKey | None:
        """Return the key at an offset."""
        return next((key for key in self.keys if key.span.covers(offset)), None)


def place_at(file: DraftFile, offset: int) -> Place:
    """Return the citation or placeholder at `offset`, else an empty place."""
    gaps = file.placeholders_near(offset)
    for citation in reversed(file.citations_near(offset)):
        if citation.span.covers(offset) and not citation.listed_only:
            keys = tuple(key for key in citation.keys if not is_gap(key.key))
            gap = next((gap for gap in gaps if gap.citation == citation), None)
            return Place(citation.span, citation, keys, gap)
    here = (Place(gap.span, placeholder=gap) for gap in gaps if gap.span.covers(offset))
    return next(here, Place(TextSpan(offset, offset)))


def places_around(file: DraftFile, offset: int) -> tuple[Place, ...]:
    """Return the citation or placeholder at `offset`, else all of the sentence, in order."""
    here = place_at(file, offset)
    if here.citation is not None or here.placeholder is not None:
        return (here,)
    prose = file.prose
    sentence = sentence_at(prose.text, prose.offset_at(offset))
    if sentence is None or offset < prose.source_offset(sentence[0]):
        return ()  # in a preamble, say
    cited = (each.span.start for each in file.citations_near(offset) if not each.listed_only)
    gaps = (gap.span.start for gap in file.placeholders_near(offset) if gap.citation is None)
    starts = sorted(
        start
        for start in (*cited, *gaps)
        if abs(start - offset) < _MAX_SENTENCE
        and sentence_at(prose.text, prose.offset_at(start)) == sentence
    )
    return tuple(place_at(file, start) for start in starts)


def key_at_cursor(here: Document, offset: int) -> CitationKey | None:
    """Return the key at an offset of a document, in a citation or in a bibliography."""
    if is_bibliography(here.path):
        # Which program reads it is asked only of what may be a comment.
        found = key_in_bibliography(here.path, here.text, offset, comments=False)
        if found is None or key_in_bibliography(here.path, here.text, offset) is not None:
            return found
        return None if comments_in(here.project.drafts_with(here.path)) else found
    read = here.read()
    return None if read is None else key_in_draft(read.file, embedded(read), offset)


def comments_in(drafts: Iterable[ReadDraft]) -> bool:
    """Return whether % comments entries out in a bibliography for all of these drafts."""
    return all(read.draft.program.comments for read in drafts)


def embedded(read: ReadDraft) -> list[BibliographyFile]:
    """Return the bibliographies that are embedded in the files of a draft."""
    return [file for source, file in read.bibliography.files if source.text is not None]


def entry_location(project: Project, read: ReadDraft, entry: BibEntry) -> types.Location | None:
    """Return the location of the key of a draft's entry, or of its item."""
    if (at := read.where(entry)) is None:
        return None
    path, whole, key_span = at
    return project.location(path, whole if entry.entry_type == "bibitem" else key_span)


def keys_in_document(here: Document) -> KeysOfDraft | None:
    """Return where to look for keys in one document alone."""
    if is_bibliography(here.path):
        return KeysOfDraft(bibliographies=(parsed(here.path, here.text),))
    if (read := here.read()) is None:
        return None
    own = [bibliography for bibliography in embedded(read) if bibliography.path == here.path]
    keys = replace(read.keys, files=(read.file,), bibliographies=own)
    return keys if own else replace(keys, named=lambda _: None)


def citing_places(drafts: Iterable[ReadDraft], key: str) -> list[tuple[Path, int]]:
    """Return the files and lines that cite the entry of a key, each citation once, in order."""
    places: dict[KeyPlace, int] = {}
    for read in checked(drafts):
        keys = replace(read.keys, bibliographies=())
        for place in keys.places(keys.names_of(key)):
            if not place.defines and (file := read.draft.file(place.path)) is not None:
                places[place] = file.line_column(place.span.start)[0]
    return [(place.path, places[place]) for place in sorted(places)]


def shown_path(project: Project, path: Path) -> str:
    """Return a file's path relative to the workspace folder that it is in."""
    folders = [folder for folder in project.folders if path.is_relative_to(folder)]
    return os.path.relpath(path, folders[0]) if folders else path.name
