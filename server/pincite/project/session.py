"""An author's session: the newest project, and the recommenders of the drafts in use."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from ..cancellation import READING
from ..model.fetched import fetched_path
from ..parsing.paths import status
from ..settings import ENCODING_RANKER, MatchingSettings, Settings
from .background import Background
from .disk import CachedDisk
from .open_draft import Progress
from .project import OpenBuffers, Project, Shared

if TYPE_CHECKING:
    from ..parsing.paths import Status

AnyProject = TypeVar("AnyProject", bound=Project)
#: Files that no client reports are looked at when a request comes, but no more often than this, and
#: for no more than a hundredth of the time.
_LOOK_SECONDS: Final = 1.0
_LOOK_SHARE: Final = 0.01


class Session(ABC, Generic[AnyProject]):
    """The state that lasts; only the event loop's thread changes settings, folders, documents."""

    def __init__(self) -> None:
        #: They may be set at any time; the next project has them.
        self.settings = Settings()
        self.folders: tuple[Path, ...] = ()
        #: Set by the server; called in the background when files have changed that the client did
        #: not report, and when papers are read.
        self.on_change: Callable[[], None] = lambda: None
        self.report: Callable[[str, Progress], None] = lambda _draft, _progress: None
        self.background = Background()
        self.disk = CachedDisk()
        self.stopped = False
        self._owner = threading.get_ident()
        self._shared: Shared | None = None
        self._newest: tuple[tuple[object, ...], AnyProject] | None = None
        self._look_after = 0.0
        #: Bibliographies made of Zotero's libraries, with their states, once they were looked at.
        self._of_zotero: dict[Path, Status | None] | None = None

    @property
    @abstractmethod
    def buffers(self) -> OpenBuffers:
        """The documents that the editor has; another object after each change."""

    @abstractmethod
    def _new_project(self) -> AnyProject:
        """Return a project of documents, settings and folders as they stand."""

    def project(self) -> AnyProject:
        """Return everything as it stands; only the session's own thread makes it the newest."""
        state = (self.buffers, self.settings, self.folders, self.disk.state)
        newest = self._newest
        if newest is not None and newest[0] == state:
            return newest[1]
        project = self._new_project()
        if threading.get_ident() == self._owner:
            self._newest = state, project
            if newest is not None and newest[1].folders != self.folders and self._shared:
                self._shared.builder.folders_changed(newest[1].folders, self.folders)
        return project

    @property
    def shared(self) -> Shared:
        """What all projects share; made by the first request, for which its modules are loaded."""
        if self._shared is None:
            from ..library.index import PaperIndex
            from .builder import Builder
            from .caches import Caches
            from .global_library import GlobalLibrary

            with READING:
                if self._shared is None:
                    caches, background = Caches(PaperIndex(), self.disk), self.background
                    builder = Builder(background, caches, lambda *given: self.report(*given))
                    library = GlobalLibrary(
                        lambda: self.settings, lambda: self.buffers.texts, caches, background
                    )
                    self._shared = Shared(caches, builder, library)
        return self._shared

    # What changes

    def changed_on_disk(self, paths: Iterable[Path]) -> None:
        """Note that files other than the open documents may have changed."""
        changed = frozenset(paths)
        if self._shared is None:
            self.disk.forget(changed)
        else:
            self._shared.caches.forget(changed)
            self._shared.builder.changed(changed)

    def look(self) -> None:
        """Look in the background for changes that no client reports, unless that was just done."""
        now = time.monotonic()
        if now > self._look_after and self._shared is not None:
            self._look_after = now + _LOOK_SECONDS
            self.background.do("look", self.look_now)
        if self.disk.unwalked or (self._shared is not None and self._shared.caches.unsearched):
            self.background.do("search", self._search_on)

    def look_now(self) -> None:
        """Take in what other programs have changed."""
        from ..library.index import default_index_path

        began = time.monotonic()
        # Another process may fetch; no request looks at what it writes.
        self.disk.status(fetched_path(default_index_path()))
        changed = self.disk.changed_files() | self.disk.changed_folders() | self._changed_zotero()
        has_changed_libraries = self.shared.caches.check_libraries()
        if changed or has_changed_libraries:
            self.changed_on_disk(changed)
            self.on_change()
        if has_changed_libraries:
            for root in self.shared.builder.open_roots(self.buffers.texts):
                self.project().open_draft(root)
        took = time.monotonic() - began
        self._look_after = max(self._look_after, time.monotonic() + took / _LOOK_SHARE)

    def _changed_zotero(self) -> set[Path]:
        """Bring the bibliographies made of Zotero's libraries up to date; return the changed."""
        if self.settings.zotero == "off":
            return set()
        zotero = self.shared.caches.zotero
        # What others have read so far; nothing if this is the first look of all.
        read = {path: status(path) for path in zotero.known} or None
        before = read if self._of_zotero is None else self._of_zotero
        self._of_zotero = now = {path: status(path) for path in zotero.bibliographies()}
        if before is None:
            return set()
        return {path for path in before.keys() | now.keys() if now.get(path) != before.get(path)}

    def _search_on(self) -> None:
        """Walk the folders and find the main files that requests had no time for."""
        found = self.disk.walk_unwalked()
        caches = self.shared.caches
        for key in tuple(caches.unsearched):
            caches.unsearched.discard(key)
            caches.roots.pop(key, None)
            found |= self.project().search_on(key[1])
        if found:
            self.changed_on_disk(())
            self.on_change()

    # For the server

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read, and those of the settings."""
        settings = self.settings
        named = (*settings.bibliographies, *settings.global_bibliographies)
        return self.draft_bibliographies().union(named)

    def draft_bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read."""
        return frozenset() if self._shared is None else self._shared.builder.bibliographies()

    def prepare(self, project: Project, path: Path) -> None:
        """Read a draft that was just opened, so that the first request finds it read."""
        opened = project.open_draft(path)
        if opened is not None:
            # A ranking reads all that the draft cites, and the words around it.
            opened.recommender.rank(opened.context(0))
        project.global_library.recommender()

    def wait_until_built(self, path: Path, seconds: float) -> bool:
        """Wait for the full recommender of a draft; for tests and for commands."""
        while (opened := self.project().open_draft(path)) is not None:
            if opened.complete:
                return True
            if not self.background.wait(seconds):
                break
        return False

    def unavailable_systems(self) -> tuple[tuple[str, str, str], ...]:
        """Return settings that name an unavailable system, their values, and the reasons."""
        found: list[tuple[str, str, str]] = []
        if self._shared is not None and self.settings.ranking.encodes:
            self._shared.caches.vectors()
            problems = self._shared.caches.vectors.problems
            found += (("ranker", ENCODING_RANKER, each.message) for each in problems)
        if self._shared is not None and self.settings.matching != MatchingSettings():
            matcher = self._shared.caches.matcher(self.settings.matching)
            matcher()
            found += matcher.wrong
        return tuple(dict.fromkeys(found))

    def evict(self) -> None:
        """Remove the least recently used papers of an index that is too large."""
        self.shared.caches.index.evict(self.settings.library.index_megabytes << 20)

    def stop(self) -> None:
        """End the background work."""
        self.stopped = True
        self.background.stop()
