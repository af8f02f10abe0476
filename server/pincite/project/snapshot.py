"""What a request looks at: everything as it was when the request came.

The inputs of a snapshot never change. What is read of them is read in one thread (`reader.Reader`),
once for each snapshot; whoever asks again, from any thread, gets the same immutable objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..settings import Settings
from .inputs import HeldDocuments, Inputs
from .open_texts import is_bibliography
from .read_draft import ReadDraft

if TYPE_CHECKING:
    from ..model.bibliographies import BibliographyFile
    from ..model.contexts import CitationContext
    from ..model.drafts import BibliographySource
    from ..parsing.encoding import Decoded
    from ..recommend import Recommender
    from .global_library import GlobalLibrary
    from .indexes import Reading
    from .reader import Reader


@dataclass(frozen=True, slots=True)
class OpenDraft(ReadDraft):
    """A draft with its best recommender so far; `complete` when no better one will come.

    `reading` is how many papers are read until then, once they are counted.
    """

    recommender: Recommender
    complete: bool
    reading: Reading | None = None

    def context(self, offset: int) -> CitationContext:
        """Return the words around a place in the document."""
        return self.recommender.context(self.draft, self.file, offset)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a snapshot gets its answers from; thread-safe."""

    reader: Reader
    open: Callable[[Inputs, Path], OpenDraft | None]
    reread: Callable[[ReadDraft], None]
    global_library: GlobalLibrary
    newest: Callable[[], Snapshot]


class Snapshot(Inputs):
    """The author's project at one moment; all methods may be called from any thread.

    They wait for the thread that reads, and raise `CancelledError` when the request for which they
    do is cancelled.
    """

    def __init__(
        self,
        sources: Sources,
        revision: int,
        held: HeldDocuments,
        settings: Settings,
        folders: tuple[Path, ...],
    ) -> None:
        super().__init__(revision, held, settings, folders)
        self._sources = sources
        self._reader = sources.reader
        self.global_library = sources.global_library

    def read_draft(self, path: Path) -> ReadDraft | None:
        """Return the draft of a document; None where nothing can be cited."""
        return self._reader.read(self, path)

    def open_draft(self, path: Path) -> OpenDraft | None:
        """Return the draft of a document with its best recommender so far.

        None where nothing can be cited.
        """
        return self._sources.open(self, path)

    def drafts_with(
        self, path: Path, *, larger: bool = True, every: bool = False
    ) -> tuple[ReadDraft, ...]:
        """Return whole drafts, from their main files: those that a document belongs to.

        Of a bibliography these are all drafts that use it, in every folder of the workspace and
        wherever documents are open. Of a main file they are also the `larger` drafts that it is
        part of, for which the workspace is walked: not for what is asked at every move of the
        cursor. Of a part they are one draft, or `every` one that it is part of.
        """
        mains = dict.fromkeys(self._mains_with(path, larger=larger, every=every))
        return tuple(read for main in mains if (read := self.read_draft(main)) is not None)

    def _mains_with(self, path: Path, *, larger: bool, every: bool) -> Iterator[Path]:
        if is_bibliography(path):
            for workspace in self._reader.workspaces_near(self, path):
                yield from self._reader.mains_with(self, path, workspace)
        elif (read := self.read_draft(path)) is not None:
            # The main file may not read this one yet.
            yield from (read.draft.root, path)
            if every or (larger and read.draft.root == path):
                # What can be typeset alone may be part of a larger draft all the same, and a
                # chapter part of two.
                yield from self._reader.mains_with(self, path, read.workspace)

    def parsed_bibliographies(self) -> dict[BibliographySource, BibliographyFile]:
        """Return the bibliographies of the open drafts, and those in the workspace's folders."""
        found: dict[BibliographySource, BibliographyFile] = {}
        for path in self.held.texts:
            if (read := self.read_draft(path)) is not None:
                found.update(read.bibliography.files)
        known = {source.path for source in found}
        for folder in self.folders:
            for files in self._reader.bibliographies_in(self, folder, known):
                found.update(files)
        return found

    def text(self, path: Path) -> str | None:
        """Return a file's text as the editor has it, else as it is on disk; None for none."""
        text = self.held.texts.get(path)
        return self._reader.text(self, path) if text is None else text

    def on_disk(self, path: Path) -> Decoded | None:
        """Return a file's text as it is on disk, with its encoding; None for none."""
        return self._reader.on_disk(self, path)

    def from_library(self, opened: OpenDraft, key: str) -> Recommender | None:
        """Return a recommender of one entry of the library, with its full text if that is known."""
        from ..model.papers import Candidate, Candidates
        from ..recommend import Recommender

        candidate = self.global_library.candidate(key)
        if candidate is None or candidate.entry is None:
            return None
        workspace = opened.workspace
        paper = workspace.library(opened.draft).paper(candidate.entry)
        shown = Candidate(key, paper, candidate.entry, candidate.names)
        return Recommender(Candidates.of([shown]), workspace.settings, workspace.matcher)

    def reread(self, read: ReadDraft) -> None:
        """Forget what was read of a draft's papers, and read them again in the background."""
        self._sources.reread(read)
