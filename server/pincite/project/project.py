"""The author's project in one state: what a request sees.

A project is a function of its texts, settings and folders, which never change. What it reads, it
reads once, and what it computes from a content is cached in `Caches` for the states to come.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from ..cancellation import READING, check, within
from ..model.problems import InputError
from ..parsing.markups import markup_of
from ..settings import Settings
from .open_draft import OpenDraft, ReadDraft, innermost

if TYPE_CHECKING:
    from ..model.bibliographies import BibliographyFile
    from ..model.drafts import BibliographySource
    from ..parsing.disk import Disk
    from ..parsing.encoding import Decoded
    from ..recommend import Recommender
    from .builder import Builder
    from .caches import Caches
    from .global_library import GlobalLibrary
    from .workspace import Workspace

logger = logging.getLogger(__name__)

#: How long a request waits for folders to be walked and for the main file of a part.
_PATIENCE_SECONDS: Final = 0.5
_BIBLIOGRAPHIES: Final = (".bib", ".json", ".yaml", ".yml")
#: A later project has a higher number.
_numbers = count(1)


def is_bibliography(path: Path) -> bool:
    """Return whether a document may be a bibliography: JSON and YAML have other uses."""
    return path.suffix.lower() in _BIBLIOGRAPHIES


class OpenBuffers(Protocol):
    """The documents that an editor holds at one moment: immutable."""

    @property
    def texts(self) -> Mapping[Path, str]:
        """Their texts, by path."""

    def may_cite(self, path: Path) -> bool:
        """Return whether a file may be a draft, by its name and what the editor calls it."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What all projects of a session share: results by content, and the newest recommenders."""

    caches: Caches
    builder: Builder
    global_library: GlobalLibrary


class Project:
    """The author's files in one state; may be used from any thread."""

    def __init__(
        self,
        buffers: OpenBuffers,
        settings: Settings,
        folders: tuple[Path, ...],
        shared: Callable[[], Shared],
    ) -> None:
        """Store what never changes; `shared` is called on first use, for what projects share."""
        self.buffers = buffers
        self.settings = settings
        self.folders = folders
        self.revision = next(_numbers)
        self._share = shared
        self._workspaces: dict[Path, Workspace] = {}
        self._drafts: dict[Path, ReadDraft | None] = {}

    @property
    def global_library(self) -> GlobalLibrary:
        """The author's whole library."""
        return self._share().global_library

    def read_draft(self, path: Path) -> ReadDraft | None:
        """Return the draft of a document; None where nothing can be cited."""
        if path not in self._drafts:
            with READING:
                if path not in self._drafts:
                    check()
                    self._drafts[path] = self._read(path)
        return self._drafts[path]

    def begun_draft(self, path: Path) -> ReadDraft | None:
        """Return a document as a draft, also one that neither cites nor names a bibliography yet.

        None for what cannot be a draft, by its name and by what the editor calls it.
        """
        if (read := self.read_draft(path)) is not None:
            return read
        with READING:
            return self._read(path, begun=True)

    def open_draft(self, path: Path) -> OpenDraft | None:
        """Return the draft of a document with its best recommender so far, if it is one."""
        read = self.read_draft(path)
        return None if read is None else self._share().builder.open(read)

    def drafts_with(
        self, path: Path, *, larger: bool = True, every: bool = False
    ) -> tuple[ReadDraft, ...]:
        """Return whole drafts, from their main files: those that a document belongs to.

        For a bibliography these are all drafts that use it, in every folder of the workspace and
        wherever documents are open. For a main file they include the `larger` drafts that it is
        part of; these take a walk of the workspace, so requests made at every move of the cursor
        go without them. For a part they are one draft, or `every` one that it is part of.
        """
        with within(_PATIENCE_SECONDS):
            mains = dict.fromkeys(self._mains_with(path, larger=larger, every=every))
        drafts = tuple(read for main in mains if (read := self.read_draft(main)) is not None)
        whole = {read.file.path: read.draft.own_paths for read in drafts if read.is_whole}
        return tuple(
            read
            for read in drafts
            if read.is_whole or read.file.path not in whole.get(read.draft.root, ())
        )

    def _mains_with(self, path: Path, *, larger: bool, every: bool) -> Iterator[Path]:
        if is_bibliography(path):
            opened = (each for each in self.buffers.texts if each.is_absolute())
            near = (*self.folders, *map(self._folder_of, (path, *opened)))
            for folder in dict.fromkeys(near):
                yield from self._workspace(folder).mains_with(path)
        elif (read := self.read_draft(path)) is not None:
            # The main file may not read this one yet.
            yield from (read.draft.root, path)
            if every or (larger and read.draft.root == path):
                # What can be typeset alone may be part of a larger draft all the same, and a
                # chapter part of two.
                yield from read.workspace.mains_with(path)

    def parsed_bibliographies(self) -> dict[BibliographySource, BibliographyFile]:
        """Return the bibliographies of the open drafts, and those in the workspace's folders."""
        found: dict[BibliographySource, BibliographyFile] = {}
        for path in self.buffers.texts:
            if (read := self.read_draft(path)) is not None:
                found.update(read.bibliography.files)
        known = {source.path for source in found}
        with within(_PATIENCE_SECONDS):
            for folder in self.folders:
                workspace = self._workspace(folder)
                for path in workspace.bibliographies():
                    check()
                    if path not in known:
                        alone = workspace.without_text(path, (path,))
                        found.update(workspace.bibliography(alone, added=False).files)
        return found

    def text(self, path: Path) -> str | None:
        """Return a file's text as the editor has it, else as it is on disk; None for none."""
        text = self.buffers.texts.get(path)
        found = self.on_disk(path) if text is None else None
        return text if found is None else found.text

    def on_disk(self, path: Path) -> Decoded | None:
        """Return a file's text as it is on disk, with its encoding; None for none."""
        try:
            return self._share().caches.disk.decoded(path)
        except InputError as error:
            logger.info("%s", error)
            return None

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

    def read_again(self, read: ReadDraft) -> None:
        """Forget what was read of a draft's papers, and read them again in the background."""
        read.workspace.forget_library(read.draft)
        self._share().builder.rebuild(read)

    def search_on(self, path: Path) -> bool:
        """Finish the search for a part's main file; return whether there is one."""
        workspace = self._workspace(self._folder_of(path))
        with suppress(InputError):
            return workspace.draft(path).root != path
        return False

    def _read(self, path: Path, *, begun: bool = False) -> ReadDraft | None:
        if not (path.is_absolute() and path.name and self.buffers.may_cite(path)):
            return None
        text = self.buffers.texts.get(path)
        if text is not None and not (begun or markup_of(path).syntax.may_cite(text)):
            return None
        try:
            workspace = self._workspace(self._folder_of(path))
            with within(_PATIENCE_SECONDS):
                draft = workspace.draft(path)
            if (draft.is_other_text and not begun) or (file := draft.file(path)) is None:
                return None
            read = ReadDraft(workspace, draft, workspace.bibliography(draft), file, self.revision)
        except InputError as error:
            logger.info("%s", error)
            return None
        if not begun:
            self._share().builder.follow(read)
        return read

    def _folder_of(self, path: Path) -> Path:
        return innermost(self.folders, path) or path.parent

    def _workspace(self, folder: Path) -> Workspace:
        workspace = self._workspaces.get(folder)
        if workspace is None:
            from .workspace import Workspace

            caches, disk = self._share().caches, self._disk(folder)
            new = Workspace(folder, self.settings, None, self.buffers.texts, caches, disk)
            workspace = self._workspaces.setdefault(folder, new)
        return workspace

    def _disk(self, _folder: Path) -> Disk:
        """Return the disk on which the files of a workspace are."""
        return self._share().caches.disk
