"""What is known of the open workspace, and the work that is done in the background.

Requests are answered with what is known at that moment: first from titles and abstracts, then,
once a background thread has read the papers and the other drafts, from everything.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..cancellation import check
from ..settings import Settings
from .garbage import made_to_stay
from .global_library import GlobalLibrary
from .indexes import MOST_AT_ONCE, Generation, Index, Patched, Ranks
from .open_texts import Documents, OpenTexts, is_bibliography
from .polling import Poll
from .search import searched
from .turns import Turns

if TYPE_CHECKING:
    from ..library.index import PaperIndex
    from ..model.drafts import BibliographySource, Draft, TexFile
    from ..model.problems import Problem
    from ..parsing.bibtex import Bibliography
    from ..recommend import Recommender
    from .bibliographies import DraftBibliography
    from .workspace import MakeMatcher, Workspace

logger = logging.getLogger(__name__)

#: Called with the name of a draft and the fraction of its papers that is read; 1.0 ends it.
Report = Callable[[str, float], None]

#: How long papers are read before what is read is put to use for the first time.
_FIRST_PAPERS_SECONDS = 4.0
#: How long a large bibliography stands still before it is ranked anew as a whole.
_EDITING_SECONDS = 3.0
#: A draft by its main file and the library folders that serve it.
_IndexKey = tuple[Path, tuple[Path, ...]]


class _StaleError(Exception):
    """The work under way is for a state that has passed."""


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A document with the draft it belongs to, at one moment; `workspace` read it."""

    workspace: Workspace
    draft: Draft
    file: TexFile
    bibliography: DraftBibliography


@dataclass(frozen=True, slots=True)
class OpenDraft(ReadDraft):
    """A draft with the best recommender there is by now; `complete` when no better will come."""

    recommender: Ranks
    complete: bool


class ProjectSession:
    """What is known of the open workspace; all methods may be called from any thread."""

    def __init__(self, documents: Documents, make_matcher: MakeMatcher) -> None:
        """Know what an editor's documents, and the files beside them, are and say.

        `make_matcher` makes the sentence matcher that the settings name.
        """
        self._documents = documents
        self._make_matcher = make_matcher
        #: Settings and folders may be set at any time; the next request goes by them.
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        #: Set by the server, to show progress.
        self.report: Report = lambda _draft, _done: None
        #: Set by the server, to be told when `bibliographies` are others.
        self.tell_bibliographies: Callable[[], None] = lambda: None
        self.stopped = False
        self._texts = OpenTexts(documents)
        #: The settings and folders that everything below was read with.
        self._rests_on = self._basis()
        self._bibliographies: dict[Path, frozenset[Path]] = {}
        self.global_library = GlobalLibrary(self._texts)
        self._papers: PaperIndex | None = None
        self._workspaces: dict[Path, Workspace] = {}
        self._indexes: dict[_IndexKey, Index] = {}
        # Reading drafts fills caches that are not made for two requests at once.
        self._reading = Turns()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pincite-index")
        self._folders_poll = Poll(self._check_libraries)
        self._told: set[Problem] = set()

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read, and those of the settings."""
        settings = self.settings
        named = (*settings.bibliographies, *settings.global_bibliographies)
        return frozenset(named).union(*tuple(self._bibliographies.values()))

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Note that files other than the open documents may have changed.

        What a draft is made of is looked at with every request; its own files, and the PDF that
        is made of it at every turn, are no reason to read all papers anew.
        """
        changed = frozenset(paths)
        for workspace in tuple(self._workspaces.values()):
            workspace.forget(changed)
        for index in tuple(self._indexes.values()):
            others = changed - index.own_files
            if any(path.with_suffix(".tex") not in index.own_files for path in others):
                index.outdated = True

    def read_draft(self, path: Path, text: str | None = None) -> ReadDraft | None:
        """Return the draft of a document, without anything that takes long.

        `text` is the document as it was when the client asked; the author may have typed on. None
        where nothing can be cited, or where another text was read.
        """
        from ..model.problems import InputError

        if not self._may_cite(path):
            return None
        if text is not None and "\\" not in text:
            return None
        try:
            with self._turn(path, text):
                workspace = self._workspace(path)
                draft = workspace.draft(path)
                file = draft.file(path)
                if file is None or text not in (None, file.text):
                    return None
                bibliography = workspace.bibliography(draft)
                self._note_bibliographies(draft)
                return ReadDraft(workspace, draft, file, bibliography)
        except InputError as error:
            logger.info("%s", error)
            return None

    def open_draft(self, path: Path, text: str | None = None) -> OpenDraft | None:
        """Return the draft of a document with the best recommender there is by now.

        What is None, and what `text` is: as in `read_draft`.
        """
        with self._turn(path, text):
            read = self.read_draft(path, text)
            if read is None:
                return None
            workspace, draft = read.workspace, read.draft
            key, index = self._index(workspace, draft, read.bibliography)
        # In this order: `done` without the full recommender would call a first list complete.
        done = index.done
        check()
        recommender = index.best(workspace, draft)
        # Only now: two threads at once would make the author wait twice as long for the first.
        self._submit(workspace, draft, key, index)
        return OpenDraft(workspace, draft, read.file, read.bibliography, recommender, done)

    def _basis(self) -> tuple[Settings, tuple[Path, ...]]:
        return self.settings, self.folders

    def _may_cite(self, path: Path) -> bool:
        return path.is_absolute() and self._documents.may_cite(path)

    def drafts_with(
        self, path: Path, text: str | None = None, *, larger: bool = True
    ) -> tuple[ReadDraft, ...]:
        """Return whole drafts, from their main files: those that a document belongs to.

        Of a bibliography these are all drafts that use it, in every folder of the workspace and
        wherever documents are open. `text` is the document as it was when the client asked. Of a
        main file they are also the `larger` drafts that it is part of, for which the workspace is
        walked: not for what is asked at every move of the cursor.
        """
        with self._texts.pinned(path, text):
            mains = dict.fromkeys(self._mains_with(path, larger))
            return tuple(read for main in mains if (read := self.read_draft(main)) is not None)

    def _mains_with(self, path: Path, larger: bool) -> Iterator[Path]:
        """Yield the main files of the drafts that a document belongs to; others read in between."""
        if is_bibliography(path):
            with self._turn():
                homes = [*map(self._workspace_in, self.folders), self._workspace(path)]
                workspaces = dict.fromkeys((*homes, *self._workspaces.values()))
            for workspace in workspaces:
                yield from self._each(workspace.mains_with(path))
        elif (read := self.read_draft(path)) is not None:
            # The main file may not read this one yet.
            yield from (read.draft.root, path)
            if larger and read.draft.root == path:
                # What can be typeset alone may be part of a larger draft all the same.
                yield from self._each(read.workspace.mains_with(path))

    def _each(self, paths: Iterator[Path]) -> Iterator[Path]:
        """Yield what an iterator reads files for, each in a turn of its own."""
        while True:
            with self._turn():
                path = next(paths, None)
            if path is None:
                return
            yield path

    @contextmanager
    def _turn(self, path: Path = Path(), text: str | None = None) -> Iterator[None]:
        """Let this thread alone read, a document with this text, if its request still stands."""
        with self._reading, self._texts.pinned(path, text):
            check()
            yield

    def parsed_bibliographies(self) -> dict[BibliographySource, Bibliography]:
        """Return the bibliographies of the open drafts, and those in the workspace's folders."""
        found: dict[BibliographySource, Bibliography] = {}
        for path in tuple(self._documents.texts):
            if (read := self.read_draft(path)) is not None:
                found.update(read.bibliography.files)
        for folder in self.folders:
            with self._turn():
                workspace = self._workspace_in(folder)
                known = workspace.known_bibliographies()
            for path in known:
                if not any(source.path == path for source in found):
                    with self._turn():
                        alone = workspace.without_text(path, (path,))
                        found.update(workspace.bibliography(alone, added=False).files)
        return found

    def text(self, path: Path) -> str | None:
        """Return a file's text as the editor has it, else as it is on disk; None for none."""
        from ..model.problems import InputError

        try:
            with self._turn():
                return self._workspace(path).read(path)
        except InputError as error:
            logger.info("%s", error)
            return None

    def prepare(self, path: Path) -> None:
        """Read a draft that was just opened, so that the first request finds it read."""
        try:
            # A large one can be searched once it is ranked, which an author waits for first.
            opened = self.open_draft(path)
            if opened is not None and len(opened.recommender.candidates) <= MOST_AT_ONCE:
                searched(opened.recommender)
            self.global_library.recommender(self.settings)
        except Exception:
            logger.exception("could not read %s", path)

    def from_library(self, opened: OpenDraft, key: str) -> Recommender | None:
        """Return a recommender of one entry of the library, with its full text if that is known."""
        from ..model.papers import Candidate, Candidates
        from ..recommend import Recommender

        library = self.global_library.recommender(self.settings)
        candidate = library.candidates.get(key) if library else None
        if candidate is None or candidate.entry is None:
            return None
        workspace = opened.workspace
        paper = workspace.library(opened.draft).paper(candidate.entry)
        shown = Candidate(key, paper, candidate.entry, candidate.names)
        return Recommender(Candidates.of([shown]), workspace.settings, workspace.matcher)

    def wait_until_indexed(self, path: Path, timeout: float | None = None) -> bool:
        """Wait for the full recommender of a draft; for tests and for commands."""
        self.open_draft(path)
        self._worker.submit(lambda: None).result(timeout)
        opened = self.open_draft(path)
        return opened is not None and opened.complete

    def stop_reading(self) -> None:
        """Read no more papers for the drafts in hand until something changes."""
        for index in tuple(self._indexes.values()):
            index.halted = not index.done

    def reread(self, read: ReadDraft) -> None:
        """Forget what was read of a draft's papers, and read them anew in the background."""
        read.workspace.forget_library(read.draft)
        for (root, _), index in tuple(self._indexes.items()):
            index.outdated |= root == read.draft.root
        self.open_draft(read.file.path)

    def stop(self) -> None:
        """End the background work."""
        self.stopped = True
        self._folders_poll.stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _check_libraries(self) -> None:
        """Read what is new in library folders, of which no client tells."""
        changed = [each.check_libraries() for each in tuple(self._workspaces.values())]
        if any(changed):
            for root, _ in tuple(self._indexes):
                self.open_draft(root)

    def _workspace(self, path: Path) -> Workspace:
        from ..library.index import PaperIndex
        from .workspace import Workspace

        if self._papers is None:
            self._papers = PaperIndex()
        self._keep_up()
        folder = _folder_of(path, self.folders) or path.parent
        workspace = self._workspaces.get(folder)
        if workspace is None:
            workspace = Workspace(
                folder, self.settings, self._papers, self._texts, self._make_matcher
            )
            self._workspaces[folder] = workspace
        return workspace

    def _keep_up(self) -> None:
        """Drop what rests on settings or folders that are others by now."""
        now = self._basis()
        (before, earlier), (settings, folders) = self._rests_on, now
        if before == settings and earlier == folders:
            return
        self._rests_on = now
        if replace(settings, editor=before.editor) != before:
            self._workspaces.clear()
        # An index of another bibliography lends what it knows to the next one.
        drop_all = any(
            getattr(settings, part) != getattr(before, part)
            for part in ("matching", "library", "ranking")
        )
        for folder in tuple(self._workspaces):
            elsewhere = _folder_of(folder / "draft.tex", folders) not in (folder, None)
            if folder not in folders and (folder in earlier or elsewhere):
                del self._workspaces[folder]
        for key, index in tuple(self._indexes.items()):
            root, _ = key
            if drop_all or _folder_of(root, folders) != _folder_of(root, earlier):
                index.stale = True
                del self._indexes[key]
        for root in tuple(self._bibliographies):
            if _folder_of(root, folders) != _folder_of(root, earlier):
                del self._bibliographies[root]
        self.tell_bibliographies()

    def _note_bibliographies(self, draft: Draft) -> None:
        sources = (*draft.bibliographies, *draft.stand_ins)
        files = frozenset(s.path for s in sources if s.text is None)
        if self._bibliographies.get(draft.root) != files:
            self._bibliographies[draft.root] = files
            self.tell_bibliographies()

    def _workspace_in(self, folder: Path) -> Workspace:
        return self._workspace(folder / "main.tex")

    def _index(
        self, workspace: Workspace, draft: Draft, bibliography: DraftBibliography
    ) -> tuple[_IndexKey, Index]:
        """Return a draft's index; what an earlier one knew serves until the new one is ready."""
        library = workspace.library_state(draft)
        self._folders_poll.ask()
        # Two files of a draft may have different folders beside them.
        key = (draft.root, tuple(folder for folder, _ in library))
        generation = Generation(library, bibliography.entries)
        before = self._indexes.get(key)
        if before is None:
            index = Index(generation, draft.own_paths)
        else:
            same_entries = before.generation.same_entries(generation)
            if same_entries and not before.outdated and before.generation.library == library:
                return key, before
            index = before.succeeded_by(generation, draft.own_paths, same_entries=same_entries)
        self._indexes[key] = index
        return key, index

    def _submit(self, workspace: Workspace, draft: Draft, key: _IndexKey, index: Index) -> None:
        with index.lock:
            if index.submitted or self.stopped:
                return
            index.submitted = (workspace, draft)
        # By its key: of the many states of a bibliography that is edited, one is kept.
        if isinstance(index.first, Patched) and len(index.generation.entries) > MOST_AT_ONCE:
            # What would take seconds waits until the author has stopped editing.
            later = threading.Timer(_EDITING_SECONDS, self._queue, (key, index))
            later.daemon = True
            later.start()
        else:
            self._queue(key, index)

    def _queue(self, key: _IndexKey, index: Index) -> None:
        # In place of one that a later edit has succeeded, that edit's will be made.
        if self._indexes.get(key) is index:
            with suppress(RuntimeError):  # stopped in this very moment
                self._worker.submit(self._build, key)

    def _build(self, key: _IndexKey) -> None:
        """Read the papers and the other drafts; stop when the bibliography is another by now.

        What has been read is put to use after a while, and again after longer ones: the first
        indexing of a large library takes minutes.
        """
        index = self._indexes.get(key)
        if index is None or index.submitted is None or index.begun:
            return
        index.begun = True
        workspace, draft = index.submitted
        try:
            with made_to_stay():
                index.rank_list(workspace, draft)
            patience = _FIRST_PAPERS_SECONDS
            while not self._read_papers(workspace, draft, index, patience):
                patience *= 4
        except _StaleError:
            return
        except Exception:
            # Titles and abstracts go on to serve; trying again would fail again.
            logger.exception("could not index %s", draft.root)
        finally:
            index.done = True
            self.report(draft.root.name, 1.0)
        self._hand_on(key, index)

    def _read_papers(
        self, workspace: Workspace, draft: Draft, index: Index, seconds: float
    ) -> bool:
        """Read papers for some seconds and put them to use; tell whether all are read."""

        def progress(done: int, total: int) -> None:
            self.report(draft.root.name, done / (total + 1))

        def is_stale() -> bool:
            return self.stopped or index.stale

        ends = time.monotonic() + seconds
        complete = workspace.read_library(
            draft,
            progress=progress,
            # One processor is left to the editor and to the answers.
            jobs=max(1, (os.cpu_count() or 2) - 1),
            cancelled=lambda: is_stale() or index.halted or time.monotonic() > ends,
        )
        if not is_stale():
            with made_to_stay():
                full = workspace.recommender(draft, keep=complete)
                index.improve(full)
                # Only now: an author waits for the ranking, not for what typed words are found in.
                searched(full)
        if is_stale():
            raise _StaleError
        self._tell([*workspace.problems, *workspace.library(draft).problems])
        return complete or index.halted

    def _hand_on(self, key: _IndexKey, index: Index) -> None:
        """Let a later index start from this one, which was finished behind its back."""
        later = self._indexes.get(key)
        if later is None or later is index or index.stale or index.full is None:
            return
        with later.lock:
            later.base = later.first = index.full

    def _tell(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                logger.warning("%s", problem)


def _folder_of(path: Path, folders: Iterable[Path]) -> Path | None:
    """Return the innermost of some folders that holds a file, None where none does."""
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)
