"""The state of the open workspace, and its background work.

Requests are answered from the current state: at first from titles and abstracts, then, once a
background thread has read the papers and the other drafts, from everything.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ..cancellation import CancelledError, cancelled_by, check
from ..model.fetched import fetched_path
from ..parsing.disk import Status, look_at
from ..settings import MatchingSettings, Settings
from .gc_tuning import paused, return_freed
from .global_library import GlobalLibrary
from .indexes import MOST_AT_ONCE, Index, IndexKey, Reading
from .inputs import HeldDocuments, Inputs, ShownTexts
from .polling import Poll
from .precedence import Precedence
from .read_draft import ReadDraft
from .reader import MadeWith, Reader, innermost
from .search import searched
from .snapshot import OpenDraft, Snapshot, Sources

if TYPE_CHECKING:
    from ..model.drafts import Draft
    from ..model.problems import Problem

logger = logging.getLogger(__name__)

#: Called with the name of a draft and how many of its papers are read.
Report = Callable[[str, Reading], None]

#: How long papers are read before what is read is put to use for the first time.
_FIRST_PAPERS_SECONDS = 4.0
#: How long a large bibliography must not change before all of it is ranked again.
_EDITING_SECONDS = 3.0
#: The indexes that are kept of drafts of which no document is open.
_MOST_CLOSED = 3
#: What requests are given.
Taken = TypeVar("Taken", bound=Snapshot)


class Documents(Protocol):
    """The documents that an editor holds open."""

    @property
    def now(self) -> HeldDocuments:
        """The documents as they stand: the same object until one of them changes."""


class _StaleError(Exception):
    """The work in progress is for an outdated state."""


class ProjectSession(ABC, Generic[Taken]):
    """What is known of the open workspace; all methods may be called from any thread.

    Its inputs are set in one thread (the event loop of the server) and taken as a `Snapshot`.
    `_reader` reads drafts for snapshots in a thread of its own. What takes long, `_worker` does in
    another; its results are in the answers from then on.
    """

    def __init__(self, documents: Documents) -> None:
        """Track an editor's open documents and the files around them."""
        self._documents = documents
        #: Settings and folders may be set at any time; the next snapshot has them.
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        #: Set by the server, to show progress.
        self.report: Report = lambda _draft, _reading: None
        #: Set by the server; called when files have changed that the client did not report.
        self.tell_changed: Callable[[], None] = lambda: None
        #: Set by the server; called when `bibliographies` have changed.
        self.tell_bibliographies: Callable[[], None] = lambda: None
        self.stopped = False
        self._taking = threading.Lock()
        #: Another object after each change on disk.
        self._disk_state = object()
        self._latest: tuple[tuple[object, ...], Taken] | None = None
        self._bibliographies: dict[Path, frozenset[Path]] = {}
        self._indexes: dict[IndexKey, Index] = {}
        texts = ShownTexts(documents.now)
        self._reader = Reader(
            texts, self._drop_outdated, self._note_bibliographies, self._take_walked
        )
        self.global_library = GlobalLibrary(
            lambda: self.settings,
            lambda: documents.now.texts,
            self._reader.disk,
            self._reader.zotero,
        )
        self._sources = Sources(
            self._reader, self._open, self._reread, self.global_library, self.snapshot
        )
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pincite-index")
        #: Of the requests that authors wait for, over the work of `_worker`.
        self.precedence = Precedence()
        #: Bibliographies made of Zotero's libraries, with their states, once they were looked at.
        self._of_zotero: dict[Path, Status | None] | None = None
        looks = (self.check_files, self._check_folders, self._check_zotero)
        self._polls = tuple(map(Poll, (*looks, return_freed)))
        self._told: set[Problem] = set()

    def snapshot(self) -> Taken:
        """Return everything as it stands; the same object until something changes."""
        with self._taking:
            documents = self._documents.now
            state = (documents, self.settings, self.folders, self._disk_state)
            revision, latest = 1, self._latest
            if latest is not None:
                if latest[0] == state:
                    return latest[1]
                revision = latest[1].revision + 1
            self._latest = state, self._take(self._sources, revision)
            return self._latest[1]

    @abstractmethod
    def _take(self, sources: Sources, revision: int) -> Taken:
        """Return a snapshot of documents, settings and folders as they stand."""

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read, and those of the settings."""
        settings = self.settings
        named = (*settings.bibliographies, *settings.global_bibliographies)
        return self.draft_bibliographies().union(named)

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Note that files other than the open documents may have changed.

        A draft's own files, and what is made of it at every turn, are no reason to read all papers
        again.
        """
        changed = frozenset(paths)

        def forget() -> None:
            self._reader.disk.forget(changed)
            for workspace in self._reader.workspaces.values():
                workspace.forget(changed)
            for index in self._indexes.values():
                index.outdated |= any(map(index.may_depend_on, changed))

        self._reader.submit(forget)
        self._disk_state = object()

    def _open(self, inputs: Inputs, path: Path) -> OpenDraft | None:
        """Return the draft of a document with its best recommender so far.

        None where nothing can be cited.
        """
        for poll in self._polls:
            poll.ask()
        if path not in inputs.drafts or path not in inputs.indexes:
            self._reader.in_turn(inputs, partial(self._read, inputs, path))
        if (read := inputs.drafts[path]) is None:
            return None
        index = inputs.indexes[path]
        workspace, draft = read.workspace, read.draft
        # In this order: `done` without the full recommender would call a first list complete.
        done = index.done
        check()
        recommender = index.best(read)
        # Only now: two threads at once would make the author wait twice as long for the first.
        self._submit(read, index)
        reading = None if done else index.reading
        return OpenDraft(workspace, draft, read.file, read.bibliography, recommender, done, reading)

    def prepare(self, snapshot: Snapshot, path: Path) -> None:
        """Read a draft that was just opened, so that the first request finds it read."""
        try:
            with self.precedence.request():
                opened = snapshot.open_draft(path)
                if opened is not None:
                    # A ranking reads all that the draft cites, and the words around it.
                    opened.recommender.rank(opened.context(0))
            # A large one can be searched once it is ranked, which an author waits for first.
            if opened is not None and len(opened.recommender.candidates) <= MOST_AT_ONCE:
                searched(opened.recommender)
            self.global_library.recommender()
        except CancelledError:
            pass
        except Exception:
            logger.exception("could not read %s", path)

    def _reread(self, read: ReadDraft) -> None:
        """Forget what was read of a draft's papers, and read them again in the background."""

        def forget() -> None:
            read.workspace.forget_library(read.draft)
            for index in self._indexes.values():
                index.outdated |= index.root == read.draft.root

        self._reader.submit(forget)
        self._disk_state = object()
        self.snapshot().open_draft(read.file.path)

    def wait_until_indexed(self, path: Path, timeout: float | None = None) -> bool:
        """Wait for the full recommender of a draft; for tests and for commands."""
        while (opened := (snapshot := self.snapshot()).open_draft(path)) is not None:
            if opened.complete:
                return True
            # An edit may have made another one by then.
            if not snapshot.indexes[path].finished.wait(timeout):
                break
        return False

    def matcher_problems(self) -> tuple[tuple[str, str, str], ...]:
        """Return settings that name a matcher that cannot be had, their values, and why.

        A matcher other than the default is made for this; the first evidence would wait for it.
        """
        found: dict[tuple[str, str, str], None] = {}
        for workspace in tuple(self._reader.workspaces.values()):
            if self.settings.matching != MatchingSettings():
                workspace.matcher()
                found.update(dict.fromkeys(workspace.matcher.wrong))
        return tuple(found)

    def draft_bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read."""
        return frozenset().union(*tuple(self._bibliographies.values()))

    def stop_reading(self) -> None:
        """Read no more papers for the drafts in hand until something changes."""
        for index in tuple(self._indexes.values()):
            index.halted = not index.done

    def stop(self) -> None:
        """End the background work."""
        self.stopped = True
        for poll in self._polls:
            poll.stop()
        self._reader.stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _take_walked(self) -> None:
        """Read again what was read before a folder was known."""
        self.changed_on_disk(())
        self.tell_changed()

    # In threads of their own, every few seconds while requests come

    def check_files(self) -> None:
        """Take in what other programs have changed."""
        from ..library.index import default_index_path

        # Another process may fetch; no request looks at what it writes.
        self._reader.disk.status(fetched_path(default_index_path()))
        if changed := self._reader.disk.changed_files():
            self.changed_on_disk(changed)
            self.tell_changed()

    def _check_folders(self) -> None:
        if changed := self._reader.disk.changed_folders():
            self.changed_on_disk(changed)
            self.tell_changed()
        changed_libraries = [w.check_libraries() for w in tuple(self._reader.workspaces.values())]
        if any(changed_libraries):
            self._disk_state = object()
            held = self._documents.now.texts
            for index in tuple(self._indexes.values()):
                if index.is_open(held):
                    self.snapshot().open_draft(index.root)

    def _check_zotero(self) -> None:
        """Bring the bibliographies made of Zotero's libraries up to date."""
        if self.settings.zotero == "off":
            return
        zotero = self._reader.zotero
        # What others have read so far; nothing if this is the first look of all.
        read = {path: look_at(path) for path in zotero.known} or None
        before = read if self._of_zotero is None else self._of_zotero
        self._of_zotero = now = {path: look_at(path) for path in zotero.bibliographies()}
        if before is not None and now != before:
            either = before.keys() | now.keys()
            self.changed_on_disk(path for path in either if now.get(path) != before.get(path))
            self.tell_changed()

    # In the reading thread

    def _read(self, inputs: Inputs, path: Path) -> None:
        """Read a draft into inputs, with its index."""
        read = self._reader.read_now(inputs, path)
        if read is not None and path not in inputs.indexes:
            inputs.indexes[path] = self._index(read, inputs.revision)

    def _drop_outdated(self, before: MadeWith, now: MadeWith) -> None:
        """Drop indexes made with other settings, and of drafts that now belong elsewhere."""
        (old, earlier), (settings, folders) = before, now
        # An index of another bibliography is the base of the next one.
        drop_all = any(
            getattr(settings, part) != getattr(old, part)
            for part in ("matching", "library", "ranking", "zotero")
        )
        for index in tuple(self._indexes.values()):
            if drop_all or innermost(folders, index.root) != innermost(earlier, index.root):
                index.stale = True
                del self._indexes[index.key]
        for root in tuple(self._bibliographies):
            if innermost(folders, root) != innermost(earlier, root):
                del self._bibliographies[root]
        self.tell_bibliographies()

    def _note_bibliographies(self, draft: Draft) -> None:
        sources = (*draft.bibliographies, *draft.stand_ins)
        files = frozenset(s.path for s in sources if s.text is None)
        if self._bibliographies.get(draft.root) != files:
            self._bibliographies[draft.root] = files
            self.tell_bibliographies()

    def _index(self, read: ReadDraft, revision: int) -> Index:
        """Return a draft's index; an earlier one serves until the new one is ready."""
        draft, entries = read.draft, read.bibliography.entries
        library = read.workspace.library(draft)
        index = Index(draft.root, library, entries, draft.own_paths, revision)
        before = self._indexes.get(index.key)
        if before is None:
            self._drop_closed()
        else:
            before.own_files = draft.own_paths
            before.outdated |= before.language_changed(draft)
            same_entries = before.has_same(entries)
            if same_entries and not before.outdated and before.library is library:
                before.revision = max(revision, before.revision)
                return before
            index.base = before.full or before.base or before.so_far
            if revision < before.revision:
                # An older state is asked for after a newer one, whose index stays.
                return index
            before.stale = not same_entries
        index.language_changed(draft)
        self._indexes[index.key] = index
        return index

    def _drop_closed(self) -> None:
        """Drop the indexes of all but the latest drafts of which no document is open."""
        held = self._documents.now.texts
        closed = [index for index in self._indexes.values() if not index.is_open(held)]
        for index in closed[:-_MOST_CLOSED]:
            index.stale = True
            del self._indexes[index.key]
            self._bibliographies.pop(index.root, None)
            for workspace in self._reader.workspaces.values():
                workspace.forget_draft(index.root)
            self.tell_bibliographies()

    # In any thread

    def _submit(self, read: ReadDraft, index: Index) -> None:
        with index.lock:
            if index.submitted or self.stopped:
                return
            index.submitted = read
        # By its key: of the many states of a bibliography that is edited, one is kept.
        if index.base is not None and len(index.entries) > MOST_AT_ONCE:
            # What would take seconds waits until the author has stopped editing.
            later = threading.Timer(_EDITING_SECONDS, self._queue, (index,))
            later.daemon = True
            later.start()
        else:
            self._queue(index)

    def _queue(self, index: Index) -> None:
        # An index that a later edit has replaced is not built; that edit's is.
        if self._indexes.get(index.key) is index:
            with suppress(RuntimeError):  # stopped in this very moment
                self._worker.submit(self._give_way_in, self._build, index.key)

    def _give_way_in(self, work: Callable[..., None], *arguments: object) -> None:
        """Do slow work; requests that authors wait for have precedence."""
        with cancelled_by(lambda: self.precedence.give_way() or self.stopped):
            work(*arguments)

    def _build(self, key: IndexKey) -> None:
        """Read the papers and the other drafts; stop when the bibliography has changed."""
        index = self._indexes.get(key)
        if index is None or index.submitted is None or index.begun:
            return
        index.begun = True
        try:
            with paused():
                index.rank_list(index.submitted)
        except CancelledError:
            raise
        except Exception:
            # What is known of the entries goes on to serve; reading papers may still succeed.
            logger.exception("could not rank the entries of %s", index.submitted.draft.root)
        self._improve(index, _FIRST_PAPERS_SECONDS)

    def _improve(self, index: Index, seconds: float) -> None:
        """Read papers for some seconds, use them, and queue the rest for four times as long.

        The first indexing of a large library takes minutes; other drafts get their turn in between.
        """
        assert index.submitted is not None
        draft, is_stale = index.submitted.draft, False
        later = self._indexes.get(index.key)
        try:
            # It goes on until a later one of the same bibliography begins to read the rest.
            if later is not None and later is not index and later.begun:
                raise _StaleError
            if not self._read_papers(index.submitted, index, seconds):
                with suppress(RuntimeError):  # stopped in this very moment
                    self._worker.submit(self._give_way_in, self._improve, index, 4.0 * seconds)
                return
        except (_StaleError, CancelledError):
            is_stale = True
        except Exception:
            # Titles and abstracts go on to serve; trying again would fail again.
            logger.exception("could not index %s", draft.root)
        index.finished.set()
        papers = index.reading.papers if index.reading is not None else 0
        self.report(draft.root.name, Reading(papers, papers, ended=True))
        if not is_stale:
            self._hand_on(index)

    def _read_papers(self, read: ReadDraft, index: Index, seconds: float) -> bool:
        """Read papers for some seconds and use them; return whether all are read."""
        workspace, draft = read.workspace, read.draft

        def progress(done: int, total: int) -> None:
            self.report(draft.root.name, index.count(done, total))

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
            with paused():
                for full in workspace.recommenders_with_papers(
                    draft, read.bibliography, index.so_far, complete=complete or index.halted
                ):
                    if is_stale():
                        raise _StaleError
                    index.improve(full)
                # Only now: an author waits for the ranking, not for what typed words are found in.
                searched(full)
        if is_stale():
            raise _StaleError
        self._tell([*workspace.problems, *workspace.library(draft).problems])
        return complete or index.halted

    def _hand_on(self, index: Index) -> None:
        """Make this index the base of a later one that was created before this was finished."""
        later = self._indexes.get(index.key)
        if later is None or later is index or index.stale or index.full is None:
            return
        with later.lock:
            if later.full is None:
                later.base, later.first = index.full, None

    def _tell(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                logger.warning("%s", problem)
