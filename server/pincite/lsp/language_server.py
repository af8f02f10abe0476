"""The server object: the protocol, its one session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer

from .. import __version__
from ..cancellation import CancelledError, cancelled_by
from ..project.progress import Progress
from . import log
from .configuration import Configuration
from .documents import Documents
from .progress import STEPS, IndexProgress
from .pygls_internals import PinciteProtocol
from .session import Session
from .watching import Watching

logger = logging.getLogger(__name__)

#: Requests that no author waits for leave the threads to the others.
_UNHURRIED_REQUESTS = 2
Answer = TypeVar("Answer")


class RefusedError(JsonRpcException):
    """A valid request that cannot be carried out; the author is shown the message."""

    CODE = types.LSPErrorCodes.RequestFailed.value


class _AtPosition(Protocol):
    """The parameters that all requests about a place have."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class PinciteServer(LanguageServer):
    """The language server with its one session."""

    protocol: PinciteProtocol

    def __init__(self) -> None:
        super().__init__("pincite", __version__, protocol_cls=PinciteProtocol)
        self.session = Session(Documents())
        self.session.report = self._report
        self.session.on_change = partial(self.on_loop, self.report_change)
        self.configuration = Configuration()
        self.watching = Watching(self, self.session, self.report_change)
        #: The event loop, once it runs.
        self.loop: asyncio.AbstractEventLoop | None = None
        #: Called on the event loop when the inputs of answers have changed: with the URI of a
        #: document that was opened, edited or closed, and with None after any other change: of
        #: files, folders or settings.
        self.when_changed: list[Callable[[str | None], None]] = []
        self._unhurried = asyncio.Semaphore(_UNHURRIED_REQUESTS)
        # One at a time: services are asked politely.
        self._network = asyncio.Semaphore(1)
        self.index_progress = IndexProgress(self, self.session)
        #: Called on the event loop with the name of a draft and how many of its papers are read.
        self.when_read: list[Callable[[str, Progress], None]] = [self.index_progress]
        #: Checks the settings, and reports those that cannot be used.
        self.check_settings: Callable[[], None] = lambda: None
        self._reported: tuple[str, int] | None = None
        #: What runs on the event loop beside the requests; it would be collected otherwise.
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work on the event loop, for which nothing waits."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def answer(self, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Run `work` on the project as it is now, in a thread; return or raise what it does.

        If the request is cancelled, the client is answered at once and `work` ends at its next
        `check`.
        """
        cancelled, project = threading.Event(), self.session.project()

        def cancellable() -> Answer:
            with cancelled_by(cancelled.is_set):
                return work(project, *arguments)

        background = self.session.background
        background.requests += 1
        try:
            return await asyncio.to_thread(cancellable)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        finally:
            background.requests -= 1
            self.session.look()
            # The answer may have read a draft with other bibliographies.
            self.watching.follow_new()

    async def answer_unasked(
        self, work: Callable[..., Answer], *arguments: object
    ) -> Answer | None:
        """Return what `work` finds, for which no author waits; None where it fails."""
        try:
            async with self._unhurried:
                return await self.answer(work, *arguments)
        except CancelledError:
            return None
        except Exception as error:
            log.failure(error)
            return None

    async def answer_at(self, work: Callable[..., Answer], params: _AtPosition) -> Answer | None:
        """Answer a request about a place in an open document.

        `work` takes the project as it is when the request is read, the document's path, its lines
        and the position, which refers to these lines.
        """
        uri, documents = params.text_document.uri, self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        return await self.answer(work, documents.path(uri), lines, params.position)

    async def look_at_files(self) -> None:
        """Take in what other programs have changed, before an edit of files that are not open.

        They may not have been looked at for a minute.
        """
        await self.answer(lambda _project: self.session.look_now())

    async def answer_about(
        self,
        work: Callable[..., Answer],
        uri: str,
        *arguments: object,
        network: bool = False,
    ) -> Answer | None:
        """Answer a request about the whole of an open document, or a part of it.

        `work` takes the project as it is when the request is read, the document's path and its
        lines. What needs the `network` takes minutes.
        """
        documents = self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        async with self._network if network else self._unhurried:
            return await self.answer(work, documents.path(uri), lines, *arguments)

    def fetched(self) -> None:
        """Let all drafts use what was fetched."""
        from ..library.index import default_index_path
        from ..model.fetched import fetched_path

        self.session.changed_on_disk((fetched_path(default_index_path()),))
        self.report_change()

    async def prepare(self, uri: str) -> None:
        """Read a draft, so that the first request finds it read."""
        path = self.session.documents.now.path(uri)
        await self.answer_unasked(self.session.prepare, path)

    def _report(self, draft: str, progress: Progress) -> None:
        """Call those who follow reading; called by the thread that reads papers."""
        step = draft, int(progress.done * STEPS)
        if step != self._reported or progress.ended:
            self._reported = step
            for follow in self.when_read:
                self.on_loop(partial(follow, draft, progress))

    def on_loop(self, work: Callable[[], None]) -> None:
        """Run `work` on the event loop; called by other threads."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            if self.loop is not None:
                self.loop.call_soon_threadsafe(work)

    def report_change(self, uri: str | None = None) -> None:
        """Call those who follow changes, and ask the client to refresh what it shows."""
        for follow in self.when_changed:
            follow(uri)
        if uri is not None:
            return
        if self.session.client.refreshes_inlay_hints:
            self.workspace_inlay_hint_refresh(None)
        if self.session.client.refreshes_diagnostics:
            self.workspace_diagnostic_refresh(None)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error; a pop-up would interrupt the author."""
        # Other errors are in pygls's log, or in the answer to the client.
        if source is FeatureNotificationError:
            logger.error("%s", error, exc_info=error)
