"""The server object: the protocol, its one session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from .documents import Documents
from .progress import IndexProgress
from .session import Session

logger = logging.getLogger(__name__)

_REQUEST_THREADS = 4
Answer = TypeVar("Answer")


class _AtPosition(Protocol):
    """What all requests about a place have."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class PinciteProtocol(LanguageServerProtocol):
    """The protocol without pygls's own copy of the documents' text, which we do not use."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Hand an edit on; pygls's copy would cost a pass over the text for each part of it."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class PinciteServer(LanguageServer):
    """The language server with its one session."""

    def __init__(self) -> None:
        super().__init__("pincite", __version__, protocol_cls=PinciteProtocol)
        self.session = Session(Documents())
        self.session.report = IndexProgress(self)
        #: The running event loop, once there is one.
        self.loop: asyncio.AbstractEventLoop | None = None
        # Not pygls's pool: it reads stdin too, and must not wait behind requests.
        self._requests = ThreadPoolExecutor(_REQUEST_THREADS, thread_name_prefix="pincite-request")
        self._preparing = ThreadPoolExecutor(1, thread_name_prefix="pincite-open")

    async def answer(self, work: Callable[..., Answer], *arguments: object) -> Answer | None:
        """Return what `work` finds in a thread; None, and a line in the log, when it fails.

        Editors show an error that is sent back as a pop-up, which would interrupt the author.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._requests, work, self.session, *arguments)
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

    def prepare(self, uri: str) -> None:
        """Read a draft in the background."""
        self._preparing.submit(self.session.prepare, self.session.documents.path(uri))

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error; a pop-up would interrupt the author."""
        # Others are in pygls's log, or in the answer that the client got.
        if source is FeatureNotificationError:
            logger.error("%s", error, exc_info=error)
