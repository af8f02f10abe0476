"""A draft as it was read from a project in one state, with what ranks its entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..edits.keys import KeysOfDraft
    from ..model.contexts import CitationContext
    from ..model.drafts import Draft, DraftFile
    from ..model.papers import BibEntry
    from ..model.spans import TextSpan
    from ..recommend import Recommender
    from .bibliographies import DraftBibliography
    from .workspace import Workspace


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of a draft's papers are read; once it has `ended`, no more will be."""

    read: int
    papers: int
    ended: bool = False

    @property
    def done(self) -> float:
        """The fraction that is done; 1 only at the end, when the recommender uses the papers."""
        return 1.0 if self.ended else self.read / (self.papers + 1)


@dataclass(frozen=True, slots=True)
class Place:
    """A draft, or a bibliography treated as one that cites nothing; `workspace` read it."""

    workspace: Workspace
    draft: Draft
    bibliography: DraftBibliography

    @property
    def keys(self) -> KeysOfDraft:
        """The places where it names entries, also those that cannot be cited."""
        from ..edits.keys import KeysOfDraft

        known = self.bibliography
        files = [file for _, file in known.files]
        data: dict[str, BibEntry] = {}
        for file in reversed(files):
            data |= {self.fold(key): entry for key, entry in file.data_entries.items()}

        def named(name: str) -> BibEntry | None:
            return known.find(name) or data.get(name)

        return KeysOfDraft(self.draft.files, files, named, known.case_sensitive, known.place)

    def fold(self, key: str) -> str:
        """Return a key as it is compared."""
        return key if self.bibliography.case_sensitive else key.lower()

    def where(self, entry: BibEntry) -> tuple[Path, TextSpan, TextSpan] | None:
        """Return the file of an entry, or of an item of the draft, its span and that of its key."""
        if (place := self.bibliography.place(entry)) is not None:
            return entry.path, place.span, place.key_span
        items = ((file.path, item) for file in self.draft.files for item in file.bib_items)
        own = ((path, item.span, item.key_span) for path, item in items if item.key == entry.key)
        return next(own, None)


@dataclass(frozen=True, slots=True)
class ReadDraft(Place):
    """A document with the draft it belongs to, in one state."""

    file: DraftFile
    #: The number of the project that read it.
    revision: int

    @property
    def is_whole(self) -> bool:
        """Whether the document is the main file of its draft."""
        return self.file.path == self.draft.root

    def with_text(self, text: str) -> DraftFile | None:
        """Return the document as it is read with another text."""
        path = self.file.path
        return self.workspace.edited({path: text}).draft(path).file(path)


@dataclass(frozen=True, slots=True)
class OpenDraft(ReadDraft):
    """A draft with its best recommender so far; `complete` when no better one will come."""

    recommender: Recommender
    complete: bool
    reading: Progress | None = None

    @property
    def reads_papers(self) -> bool:
        """Whether papers are being read: not while those that the index has are looked up."""
        left = self.reading
        return not self.complete and left is not None and left.read < left.papers

    def context(self, offset: int) -> CitationContext:
        """Return the words around a place in the document."""
        return self.recommender.context(self.draft, self.file, offset)


def innermost(folders: Iterable[Path], path: Path) -> Path | None:
    """Return the innermost of some folders that holds a file; None where none does."""
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)
