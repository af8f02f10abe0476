"""Everything that needs private attributes of pygls; no other module touches them.

pygls ignores requests that come too early or too late, keeps and edits a second copy of all
documents, and keeps a future for each notification. There are no hooks for these:
`tests/lsp/test_pygls_internals.py` fails if a version of pygls has other attributes.
"""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from ..cancellation import CancelledError
from . import log, wire

logger = logging.getLogger(__name__)


#: What editors request without being asked to.
_BY_ITSELF = frozenset(
    (
        types.TEXT_DOCUMENT_HOVER,
        types.TEXT_DOCUMENT_COMPLETION,
        types.COMPLETION_ITEM_RESOLVE,
        types.TEXT_DOCUMENT_INLAY_HINT,
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
    )
)
#: LSP's largest `uinteger`.
_LARGEST = 2**31 - 1
#: The id of a request whose message begins as most clients write it.
_ID = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,')


class PinciteProtocol(LanguageServerProtocol):
    """The protocol with the parts of the specification that pygls leaves out.

    Messages that come too early or too late or are malformed get the specified error instead of no
    answer. There is no second copy of the documents, which we do not use.
    """

    _initialized = False

    def __init__(self, *given: Any) -> None:  # noqa: ANN401 - as pygls has them
        super().__init__(*given)
        #: What is answered where a request that no author has made fails, by its id.
        self._empty: dict[int | str, Any] = {}

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Leave the parameters of our own requests as JSON, which `wire.read` converts."""
        return wire.Request if method in wire.REQUESTS else super().get_message_type(method)

    def handle_body(self, body: bytes) -> None:
        """Handle the body of a message, valid or not."""
        try:
            message = json.loads(body)
        except ValueError:
            self.refuse(None, JsonRpcParseError("Not JSON"))
            return
        except RecursionError:
            number = _ID.match(body)
            self.refuse(
                json.loads(number[1]) if number else None, JsonRpcParseError("Nested too deep")
            )
            return
        try:
            self.handle_message(message)
        except Exception:
            logger.exception("a message could not be handled")

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - whatever the client sent
        """Handle a decoded message, valid or not."""
        try:
            if self._lacks_result(message):
                message = {**message, "result": None}
            method = _method_of(message)
            if method is not None and (refusal := self._refusal(method)) is not None:
                raise refusal
            # Parameters are optional, but pygls requires them in requests that it does not know.
            whole = message if method is None else {"params": None, **message}
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                _clamp_positions(whole)
            super().handle_message(self.structure_message(whole))
        except JsonRpcException as error:
            self._refuse(message, error)

    def _lacks_result(self, message: object) -> bool:
        """Return whether a message answers a request of ours, without saying that it is null.

        Our ids are strings.
        """
        if not isinstance(message, dict) or {"method", "result", "error"} & message.keys():
            return False
        number = message.get("id")
        return isinstance(number, str) and number in self._request_futures

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Any,  # noqa: ANN401 - of any signature
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Forget the future of a finished handler: pygls keeps those of notifications."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        if (future := self._request_futures.get(msg_id)) is not None:
            future.add_done_callback(lambda _done: self._forget(msg_id, future))

    def _forget(self, msg_id: int | str, future: object) -> None:
        if self._request_futures.get(msg_id) is future:
            del self._request_futures[msg_id]

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:  # noqa: ANN401
        """Note what to answer where an editor's own request fails, then handle it."""
        if method_name in _BY_ITSELF:
            resolves = method_name == types.COMPLETION_ITEM_RESOLVE
            self._empty[msg_id] = params if resolves else None
        super()._handle_request(msg_id, method_name, params)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """Answer with the result, or with an error; what editors ask by themselves, with nothing.

        A refusal, which the author sees, is logged in one line; an unforeseen error with its
        traceback.
        """
        is_own = msg_id in self._empty
        empty = self._empty.pop(msg_id, None)
        error = None if future.cancelled() else future.exception()
        if error is None:
            super()._send_handler_result(future, msg_id=msg_id)
        elif isinstance(error, JsonRpcException):
            logger.warning("refused: %s", " ".join(str(error).split()))
            self.refuse(msg_id, error)
        elif isinstance(error, CancelledError):
            self.refuse(msg_id, JsonRpcRequestCancelled("The server is ending"))
        else:
            log.failure(error)
            if is_own:
                # An error would interrupt the author with a pop-up.
                self._send_response(msg_id, result=empty)
                return
            what = f"Pincite failed ({type(error).__name__}: {error}). Its log says where."
            self.refuse(msg_id, JsonRpcInternalError(what))

    def _refusal(self, method: str) -> JsonRpcException | None:
        """Return why a message is refused in the server's current state; None if it is not."""
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
            # The answer cannot be read, so only the request that waits for it fails.
            if (asked := self._request_futures.pop(number, None)) is not None:  # type: ignore[arg-type]
                asked.set_exception(error)
        elif "method" in named and "id" not in named:
            logger.info("ignored %s: %s", named["method"], error)
        else:
            self.refuse(number, error)

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error, with its id if that is known."""
        self._send_response(number, error=error.to_response_error())  # type: ignore[arg-type]

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Initialize, once."""
        result = yield from super().lsp_initialize(params)
        self._initialized = True
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:  # noqa: ANN401 - none are used
        """Cancel running requests first: pygls would iterate over a dict while it changes."""
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id:
                future.cancel()
        yield from super().lsp_shutdown(*args)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Pass an edit on; pygls would copy the whole text for each of its changes."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:  # noqa: ANN401 - each command has its own result
        """Execute a command in its own task, which ends when the request is cancelled."""
        command, arguments, named = next(super().lsp_workspace__execute_command(params))
        result = command(*arguments, **(named or {}))
        return await result if inspect.isawaitable(result) else result


def _clamp_positions(message: dict[str, Any]) -> None:
    """Clamp the numbers of an edit: one beyond LSP's largest would lose the whole edit.

    By the protocol, a position past the end of a line means its end.
    """
    params = message.get("params")
    changes = params.get("contentChanges") if isinstance(params, dict) else None
    for change in changes if isinstance(changes, list) else ():
        span = change.get("range") if isinstance(change, dict) else None
        for position in span.values() if isinstance(span, dict) else ():
            for name, number in position.items() if isinstance(position, dict) else ():
                if isinstance(number, int) and not 0 <= number <= _LARGEST:
                    position[name] = max(0, min(number, _LARGEST))


def _method_of(message: object) -> str | None:
    """Return the method of a message, None for an answer; raise `JsonRpcException` if invalid."""
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
