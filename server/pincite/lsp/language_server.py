"""The server object: the protocol, its one session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from ..cancellation import cancelled_by
from . import wire
from .configuration import Configuration
from .documents import Documents
from .progress import IndexProgress
from .session import Session
from .watching import Watching

logger = logging.getLogger(__name__)

_REQUEST_THREADS = 4
_DOCUMENT_THREADS = 2
Answer = TypeVar("Answer")


class _AtPosition(Protocol):
    """What all requests about a place have."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class PinciteProtocol(LanguageServerProtocol):
    """The protocol as specified where pygls is content with less.

    What comes too early, too late or in no known form is refused with the specified error, instead
    of no answer at all; and there is no second copy of the documents' text, which we do not use.
    """

    _server: PinciteServer
    _initialized = False

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave an object as it is: pygls asks for each one, also inside of messages."""
        return data

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Leave the parameters of our own requests as JSON, which `wire.read` makes types of."""
        return wire.Request if method in wire.REQUESTS else super().get_message_type(method)

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - whatever the client sent
        """Handle a message as it was in JSON."""
        try:
            method = _method_of(message)
            if method is not None and (refusal := self._refusal(method)) is not None:
                raise refusal
            # Parameters may be left out, which pygls allows for requests that it knows only.
            whole = message if method is None else {"params": None, **message}
            super().handle_message(super().structure_message(whole))
        except JsonRpcException as error:
            self._refuse(message, error)

    def _refusal(self, method: str) -> JsonRpcException | None:
        """Return why a message is refused at this stage of the server's life; None if it is not."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("The server was shut down")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("Initialized before") if self._initialized else None
        return None if self._initialized else JsonRpcServerNotInitialized("Not initialized yet")

    def _refuse(self, message: object, error: JsonRpcException) -> None:
        named = message if isinstance(message, dict) else {}
        number = named.get("id") if isinstance(named.get("id"), int | str) else None
        if "result" in named or "error" in named:
            # No one is to be told but who waits for this answer.
            if (asked := self._request_futures.pop(number, None)) is not None:  # type: ignore[arg-type]
                asked.set_exception(error)
        elif "method" in named and "id" not in named:
            logger.info("ignored %s: %s", named["method"], error)
        else:
            self.refuse(number, error)

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error, by its number where that is known."""
        self._send_response(number, error=error.to_response_error())  # type: ignore[arg-type]

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Initialize, once."""
        result = yield from super().lsp_initialize(params)
        self._initialized = True
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Hand an edit on; pygls's copy would cost a pass over the text for each part of it."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:  # noqa: ANN401 - each command has its own result
        """Execute a command as a task of its own, which ends when the request is cancelled."""
        command, arguments, named = next(super().lsp_workspace__execute_command(params))
        result = command(*arguments, **(named or {}))
        return await result if inspect.isawaitable(result) else result


def _method_of(message: object) -> str | None:
    """Return the method of a message, None for an answer; raise `JsonRpcException` for neither."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise JsonRpcInvalidRequest("Not a message of JSON-RPC 2.0")
    number, method = message.get("id"), message.get("method")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        raise JsonRpcInvalidRequest("An id is a number or a string")
    if "method" in message and not isinstance(method, str):
        raise JsonRpcInvalidRequest("A method is a string")
    if "method" not in message and "result" not in message and "error" not in message:
        raise JsonRpcInvalidRequest("Neither a request nor an answer")
    return method


class PinciteServer(LanguageServer):
    """The language server with its one session."""

    protocol: PinciteProtocol

    def __init__(self) -> None:
        super().__init__("pincite", __version__, protocol_cls=PinciteProtocol)
        self.session = Session(Documents())
        self.session.report = self.index_progress = IndexProgress(
            self, lambda: self.loop, self.session.stop_reading
        )
        self.configuration = Configuration()
        self.watching = Watching(self, self.session, self.tell_changed)
        self.session.tell_bibliographies = self._watch_bibliographies
        #: The running event loop, once there is one.
        self.loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Callable[[str | None], None]] = []
        # Not pygls's pool: it reads stdin too, and must not wait behind requests.
        self._requests = ThreadPoolExecutor(_REQUEST_THREADS, thread_name_prefix="pincite-request")
        # Clients ask these by themselves, of every document: no author waits behind them.
        self._of_documents = ThreadPoolExecutor(
            _DOCUMENT_THREADS, thread_name_prefix="pincite-document"
        )
        self._preparing = ThreadPoolExecutor(1, thread_name_prefix="pincite-open")

    def shutdown(self) -> None:
        """Stop serving, also the connection to a client that is gone: Python 3.12 waits for it."""
        super().shutdown()  # type: ignore[no-untyped-call]
        writer = self.protocol.writer
        if self._server is not None and writer is not None:
            writer.close()

    async def answer(self, work: Callable[..., Answer], *arguments: object) -> Answer | None:
        """Return what `work` finds in a thread; None, and a line in the log, when it fails.

        Editors show an error that is sent back as a pop-up, which would interrupt the author. When
        the request is cancelled, the client is told at once and `work` ends at its next `check`.
        """
        return await self._answer_in(self._requests, work, arguments)

    async def _answer_in(
        self,
        threads: ThreadPoolExecutor,
        work: Callable[..., Answer],
        arguments: tuple[object, ...],
    ) -> Answer | None:
        cancelled = threading.Event()

        def cancellable() -> Answer:
            with cancelled_by(cancelled.is_set):
                return work(self.session, *arguments)

        try:
            return await asyncio.get_running_loop().run_in_executor(threads, cancellable)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        except Exception:
            logger.exception("a request failed")
            return None

    async def answer_at(self, work: Callable[..., Answer], params: _AtPosition) -> Answer | None:
        """Answer a request about a place in an open document.

        `work` is given the session, the document's path, its lines as they stand now, when the
        request is read, and the position, which belongs to that text.
        """
        uri, documents = params.text_document.uri, self.session.documents
        if (lines := documents.lines(uri)) is None:
            return None
        return await self.answer(work, documents.path(uri), lines, params.position)

    async def answer_about(
        self, work: Callable[..., Answer], uri: str, *arguments: object
    ) -> Answer | None:
        """Answer a request about the whole of an open document, or a part of it.

        `work` is given the session, the document's path and its lines as they stand now.
        """
        documents = self.session.documents
        if (lines := documents.lines(uri)) is None:
            return None
        about = documents.path(uri), lines, *arguments
        return await self._answer_in(self._of_documents, work, about)

    def prepare(self, uri: str) -> None:
        """Read a draft in the background."""
        self._preparing.submit(self.session.prepare, self.session.documents.path(uri))

    def _watch_bibliographies(self) -> None:
        """Watch those that are read by now; called by the thread that reads."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            if self.loop is not None:
                self.loop.call_soon_threadsafe(self.watching.follow)

    def when_changed(self, listener: Callable[[str | None], None]) -> None:
        """Call `listener` when what answers rest on has changed.

        It is called on the event loop, with the URI of a document that was opened, edited or
        closed, and with None when it was something else: files, folders or settings.
        """
        self._listeners.append(listener)

    def tell_changed(self, uri: str | None = None) -> None:
        """Tell who listens, and the client where it shows what it asked for, of a change."""
        for listener in self._listeners:
            listener(uri)
        workspace = self.client_capabilities.workspace
        if uri is not None or workspace is None:
            return
        if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error; a pop-up would interrupt the author."""
        if source is JsonRpcException and isinstance(error, ValueError):
            self.protocol.refuse(None, JsonRpcParseError("Not JSON"))
        # Others are in pygls's log, or in the answer that the client got.
        if source is FeatureNotificationError:
            logger.error("%s", error, exc_info=error)
