"""Everything that needs private attributes of pygls; no other module touches them.

pygls ignores requests that come too early or too late, keeps a second copy of all documents, which
each edit is applied to, and does not close the connection to a client that is gone. There are no
hooks for these: `tests/lsp/test_pygls_internals.py` fails where a version of pygls has other
attributes.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from . import wire

logger = logging.getLogger(__name__)


def close_connection(server: LanguageServer) -> None:
    """Close the connection of a server on a port, which Python 3.12 waits for when it ends."""
    writer = server.protocol.writer
    if server._server is not None and writer is not None:
        writer.close()


class PinciteProtocol(LanguageServerProtocol):
    """The protocol as specified where pygls is content with less.

    What comes too early, too late or in no known form is refused with the specified error, instead
    of no answer at all; and there is no second copy of the documents' text, which we do not use.
    """

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
            # Only the sender of this request is answered.
            if (asked := self._request_futures.pop(number, None)) is not None:  # type: ignore[arg-type]
                asked.set_exception(error)
        elif "method" in named and "id" not in named:
            logger.info("ignored %s: %s", named["method"], error)
        else:
            self.refuse(number, error)

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error, by its id where that is known."""
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
