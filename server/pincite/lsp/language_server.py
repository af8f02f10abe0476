"""The server object: the protocol, its one session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer

from .. import __version__
from ..cancellation import CancelledError, cancelled_by
from ..project.indexes import Reading
from ..project.session import Report
from ..project.snapshot import Snapshot
from . import log
from .configuration import Configuration
from .documents import Documents
from .progress import STEPS, IndexProgress
from .pygls_internals import PinciteProtocol
from .session import Session
from .watching import Watching
from .wrong_settings import WrongSettingsReport

logger = logging.getLogger(__name__)

_REQUEST_THREADS = 4
_DOCUMENT_THREADS = 2
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
        self.configuration = Configuration()
        self.watching = Watching(self, self.session, self.tell_changed)
        self.session.tell_bibliographies = partial(self.on_loop, self.watching.follow)
        self.session.tell_changed = partial(self.on_loop, self.tell_changed)
        #: The event loop, once it runs.
        self.loop: asyncio.AbstractEventLoop | None = None
        #: Called on the event loop when the inputs of answers have changed: with the URI of a
        #: document that was opened, edited or closed, and with None after any other change: of
        #: files, folders or settings.
        self.when_changed: list[Callable[[str | None], None]] = []
        # Not pygls's pool: it also reads stdin, which must not wait for requests.
        self._requests = ThreadPoolExecutor(_REQUEST_THREADS, thread_name_prefix="pincite-request")
        # For automatic requests about whole documents, which no author waits for.
        self._of_documents = ThreadPoolExecutor(
            _DOCUMENT_THREADS, thread_name_prefix="pincite-document"
        )
        self._preparing = ThreadPoolExecutor(1, thread_name_prefix="pincite-open")
        # One at a time: services are asked politely.
        self._from_afar = ThreadPoolExecutor(1, thread_name_prefix="pincite-fetch")
        self.wrong_settings = WrongSettingsReport(
            self, self.session, self.configuration, self.on_loop, self._of_documents.submit
        )
        self.index_progress = IndexProgress(self, self.session)
        #: Called on the event loop with the name of a draft and how many of its papers are read.
        self.when_read: list[Report] = [self.index_progress, self.wrong_settings.papers_read]
        self._reported: tuple[str, int] | None = None

    async def answer(self, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Run `work` in a thread and return its result, or raise what it raises.

        If the request is cancelled, the client is answered at once and `work` ends at its next
        `check`.
        """
        precedence = self.session.precedence

        def first(snapshot: Snapshot, *given: object) -> Answer:
            with precedence.request():
                return work(snapshot, *given)

        return await self._answer_in(self._requests, first, arguments)

    async def _answer_in(
        self,
        threads: ThreadPoolExecutor,
        work: Callable[..., Answer],
        arguments: tuple[object, ...],
    ) -> Answer:
        cancelled, snapshot = threading.Event(), self.session.snapshot()

        def cancellable() -> Answer:
            with cancelled_by(cancelled.is_set):
                return work(snapshot, *arguments)

        try:
            return await asyncio.get_running_loop().run_in_executor(threads, cancellable)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def answer_apart(self, work: Callable[..., Answer], *arguments: object) -> Answer | None:
        """Return what `work` finds in a thread, for which no author waits; None where it fails."""
        try:
            return await self._answer_in(self._of_documents, work, arguments)
        except CancelledError:
            return None
        except Exception as error:
            log.failure(error)
            return None

    async def answer_at(self, work: Callable[..., Answer], params: _AtPosition) -> Answer | None:
        """Answer a request about a place in an open document.

        `work` takes a snapshot from when the request is read, the document's path, its lines and
        the position, which refers to these lines.
        """
        uri, documents = params.text_document.uri, self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        return await self.answer(work, documents.path(uri), lines, params.position)

    async def look_at_files(self) -> None:
        """Take in what other programs have changed, before an edit of files that are not open.

        The next poll may be a minute away.
        """
        await self.answer(lambda _snapshot: self.session.check_files())

    async def answer_about(
        self,
        work: Callable[..., Answer],
        uri: str,
        *arguments: object,
        from_afar: bool = False,
    ) -> Answer | None:
        """Answer a request about the whole of an open document, or a part of it.

        `work` takes a snapshot from when the request is read, the document's path and its lines.
        What comes `from_afar` takes minutes.
        """
        documents = self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        threads = self._from_afar if from_afar else self._of_documents
        return await self._answer_in(threads, work, (documents.path(uri), lines, *arguments))

    def fetched(self) -> None:
        """Let all drafts use what was fetched."""
        from ..library.index import default_index_path
        from ..model.fetched import fetched_path

        self.session.changed_on_disk((fetched_path(default_index_path()),))
        self.tell_changed()

    def prepare(self, uri: str) -> None:
        """Read a draft in the background."""
        path = self.session.documents.now.path(uri)
        self._preparing.submit(self.session.prepare, self.session.snapshot(), path)

    def _report(self, draft: str, reading: Reading) -> None:
        """Call those who follow reading; called by the thread that reads papers."""
        step = draft, int(reading.done * STEPS)
        if step != self._reported or reading.ended:
            self._reported = step
            for follow in self.when_read:
                self.on_loop(partial(follow, draft, reading))

    def on_loop(self, work: Callable[[], None]) -> None:
        """Run `work` on the event loop; called by other threads."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            if self.loop is not None:
                self.loop.call_soon_threadsafe(work)

    def tell_changed(self, uri: str | None = None) -> None:
        """Call those who follow changes, and ask the client to refresh what it shows."""
        for follow in self.when_changed:
            follow(uri)
        if uri is not None:
            return
        self.wrong_settings.refresh()
        if self.session.client.refreshes_inlay_hints:
            self.workspace_inlay_hint_refresh(None)
        if self.session.client.refreshes_diagnostics:
            self.workspace_diagnostic_refresh(None)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error; a pop-up would interrupt the author."""
        # Other errors are in pygls's log, or in the answer to the client.
        if source is FeatureNotificationError:
            logger.error("%s", error, exc_info=error)
