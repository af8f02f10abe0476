"""The one thread that reads drafts: it alone has the workspaces, so nothing here needs a lock.

Requests wait for their turn and are given immutable results. Long work (all drafts of a folder) is
done in parts, between which others have their turn. Folders are walked in a thread of their own;
whoever needs one that takes long goes on as if it were empty, and is told when it is known.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..cancellation import CancelledError, cancelled_by, check, result_of
from ..model.problems import InputError
from ..parsing.drafts import syntax_of
from ..settings import Settings
from ..zotero.libraries import ZoteroLibraries
from .inputs import Inputs, ShownTexts
from .read_draft import ReadDraft
from .seen_disk import SeenDisk, UnwalkedError, walking_nothing

if TYPE_CHECKING:
    from ..library.index import PaperIndex
    from ..model.bibliographies import BibliographyFile
    from ..model.drafts import BibliographySource, Draft
    from ..parsing.encoding import Decoded
    from .workspace import Workspace

logger = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")
#: The settings and folders that workspaces are made with.
MadeWith = tuple[Settings, tuple[Path, ...]]
#: What nobody needs is forgotten so long after the start.
_EVICT_SECONDS = 120.0
#: How long a request waits for a folder to be walked.
_WALK_SECONDS = 0.5
_Files = Sequence[tuple["BibliographySource", "BibliographyFile"]]


class Reader:
    """Reads what snapshots ask for. Methods with a leading underscore run in its thread."""

    def __init__(
        self,
        texts: ShownTexts,
        changed: Callable[[MadeWith, MadeWith], None],
        noted: Callable[[Draft], None],
        walked: Callable[[], None],
    ) -> None:
        """Read files as `texts` has them, which is shown the documents of each inputs.

        In the reading thread, `changed` is called with settings and folders before and after
        they change, and `noted` with each draft that was read. `walked` is called when a folder is
        known without which something was read.
        """
        self._texts = texts
        self._changed = changed
        self._noted = noted
        self._walked = walked
        self._walks: dict[Path, Future[None]] = {}
        self._walker = ThreadPoolExecutor(1, thread_name_prefix="pincite-walk")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pincite-reader")
        self._stopped = False
        #: The latest revision that was read, and what workspaces are made with since.
        self._revision = 0
        self._made_with: MadeWith = (Settings(), ())
        self._papers: PaperIndex | None = None
        self.workspaces: dict[Path, Workspace] = {}
        self.disk = SeenDisk()
        self.zotero = ZoteroLibraries()

    def submit(self, work: Callable[[], object]) -> None:
        """Do something in the reading thread before what is asked from now on."""
        with suppress(RuntimeError):  # stopped
            self._thread.submit(work)

    def in_turn(self, inputs: Inputs, work: Callable[[], Result]) -> Result:
        """Return what `work` finds in the reading thread, which has the texts of these inputs then.

        Raises `CancelledError` when the request of the calling thread is cancelled, or all reading.
        """
        ends = time.monotonic() + _WALK_SECONDS
        passed_over: frozenset[Path] = frozenset()
        while True:
            try:
                return self._result(inputs, work, passed_over)
            except UnwalkedError as unwalked:
                if not self._walk(unwalked.folder, ends):
                    passed_over |= {unwalked.folder}

    def _result(
        self, inputs: Inputs, work: Callable[[], Result], passed_over: frozenset[Path]
    ) -> Result:
        def at_inputs() -> Result:
            check()
            self._show(inputs)
            with walking_nothing(passed_over):
                return work()

        try:
            # With its context goes how the request is cancelled.
            return result_of(self._thread.submit(copy_context().run, at_inputs))
        except (RuntimeError, FutureCancelledError):
            if self._stopped:
                raise CancelledError from None
            raise

    def _walk(self, folder: Path, ends: float) -> bool:
        """Wait until a folder is walked, but not for long; return whether it is."""

        def walk() -> None:
            with cancelled_by(lambda: self._stopped):
                self.disk.walk(folder)

        under_way = self._walks.get(folder)
        if under_way is None:
            try:
                under_way = self._walks[folder] = self._walker.submit(walk)
            except RuntimeError:
                raise CancelledError from None  # stopped
        try:
            under_way.result(max(0.0, ends - time.monotonic()))
        except FutureTimeoutError:
            under_way.add_done_callback(lambda _: self._stopped or self._walked())
            return False
        return True

    def read(self, inputs: Inputs, path: Path) -> ReadDraft | None:
        """Return the draft of a document; None where nothing can be cited."""
        if path not in inputs.drafts:
            self.in_turn(inputs, partial(self.read_now, inputs, path))
        return inputs.drafts[path]

    def text(self, inputs: Inputs, path: Path) -> str | None:
        """Return the text of a file; None for none."""
        try:
            return self.in_turn(inputs, lambda: self.workspace_of(path).read(path))
        except InputError as error:
            logger.info("%s", error)
            return None

    def on_disk(self, inputs: Inputs, path: Path) -> Decoded | None:
        """Return the text of a file as it is on disk, with its encoding; None for none."""
        with suppress(InputError):
            return self.in_turn(inputs, lambda: self.disk.decoded(path))
        return None

    def mains_with(self, inputs: Inputs, path: Path, workspace: Workspace) -> Iterator[Path]:
        """Yield the main files of the drafts in a workspace that a file belongs to."""
        return self._each(inputs, workspace.folder, workspace.mains_with(path))

    def workspaces_near(self, inputs: Inputs, path: Path) -> tuple[Workspace, ...]:
        """Return the workspaces whose drafts may use a bibliography."""

        def found() -> tuple[Workspace, ...]:
            near = [*map(self._workspace_in, inputs.folders), self.workspace_of(path)]
            return tuple(dict.fromkeys((*near, *self.workspaces.values())))

        return self.in_turn(inputs, found)

    def bibliographies_in(
        self, inputs: Inputs, folder: Path, left_out: Collection[Path]
    ) -> Iterator[_Files]:
        """Yield the bibliographies in a folder of the workspace, one after the other."""

        def files() -> Iterator[_Files]:
            workspace = self._workspace_in(folder)
            for path in workspace.bibliographies():
                if path not in left_out:
                    alone = workspace.without_text(path, (path,))
                    yield workspace.bibliography(alone, added=False).files

        return self._each(inputs, folder, files())

    def stop(self) -> None:
        """Read no more; requests that wait are cancelled."""
        self._stopped = True
        self._walker.shutdown(wait=False, cancel_futures=True)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _each(self, inputs: Inputs, folder: Path, items: Iterator[Item | None]) -> Iterator[Item]:
        """Yield what an iterator finds in a folder; between two items others have their turn.

        None only gives them their turn.
        """
        is_known = self._walk(folder, time.monotonic() + _WALK_SECONDS)
        passed_over = frozenset() if is_known else frozenset([folder])

        def following() -> tuple[Item | None] | None:
            return next(((item,) for item in items), None)

        while (found := self._result(inputs, following, passed_over)) is not None:
            if found[0] is not None:
                yield found[0]

    # In the reading thread

    def read_now(self, inputs: Inputs, path: Path) -> ReadDraft | None:
        """Return the draft of a document as `read`; for what is in the reading thread already."""
        if path not in inputs.drafts:
            inputs.drafts[path] = self._read(inputs, path)
        return inputs.drafts[path]

    def workspace_of(self, path: Path) -> Workspace:
        """Return the workspace that a file belongs to."""
        from ..library.index import PaperIndex
        from .workspace import Workspace

        settings, folders = self._made_with
        if self._papers is None:
            self._papers = papers = PaperIndex()
            limit = settings.library.index_megabytes << 20
            # Nobody waits for it, and the first requests come first.
            evicting = threading.Timer(_EVICT_SECONDS, papers.evict, (limit,))
            evicting.daemon = True
            evicting.start()
        folder = innermost(folders, path) or path.parent
        workspace = self.workspaces.get(folder)
        if workspace is None:
            workspace = Workspace(
                folder,
                settings,
                self._papers,
                self._texts,
                self.disk,
                self.zotero,
            )
            workspace.search_later = partial(self._search_later, workspace)
            self.workspaces[folder] = workspace
        return workspace

    def _search_later(self, workspace: Workspace, path: Path) -> None:
        """Search on for the main file of a part; before each step, others have their turn."""

        def search() -> None:
            if workspace not in self.workspaces.values():
                return
            try:
                if not workspace.search_on(path):
                    self._search_later(workspace, path)
                elif workspace.knows_root_of(path):
                    self._walked()
            except Exception:
                logger.exception("could not find the main file of %s", path)

        self.submit(search)

    def _workspace_in(self, folder: Path) -> Workspace:
        return self.workspace_of(folder / "main.tex")

    def _read(self, inputs: Inputs, path: Path) -> ReadDraft | None:
        if not (path.is_absolute() and path.name and inputs.held.may_cite(path)):
            return None
        held = inputs.held.texts.get(path)
        if held is not None and not syntax_of(path).may_cite(held):
            return None
        try:
            workspace = self.workspace_of(path)
            draft = workspace.draft(path)
            if draft.is_other_text or (file := draft.file(path)) is None:
                return None
            read = ReadDraft(workspace, draft, file, workspace.bibliography(draft))
        except InputError as error:
            logger.info("%s", error)
            return None
        self._noted(draft)
        return read

    def _show(self, inputs: Inputs) -> None:
        self._texts.show(inputs.held)
        # What an earlier snapshot still asks for is read with the settings of the later one.
        if inputs.revision > self._revision:
            self._revision = inputs.revision
            now, before = (inputs.settings, inputs.folders), self._made_with
            if now != before:
                self._made_with = now
                self._drop_outdated(before, now)
                self._changed(before, now)

    def _drop_outdated(self, before: MadeWith, now: MadeWith) -> None:
        """Drop the workspaces that were made with other settings, or belong to no folder now."""
        (old, earlier), (settings, folders) = before, now
        if replace(settings, editor=old.editor) != old:
            self.workspaces.clear()
        for folder in tuple(self.workspaces):
            elsewhere = innermost(folders, folder / "draft.tex") not in (folder, None)
            if folder not in folders and (folder in earlier or elsewhere):
                del self.workspaces[folder]


def innermost(folders: Iterable[Path], path: Path) -> Path | None:
    """Return the innermost of some folders that holds a file; None where none does."""
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)
