"""JSON-RPC 2.0 with one client: its messages, our answers and requests, errors, cancellation."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, Final

from lsprotocol.converters import get_converter

from ..cancellation import CancelledError
from ..model.problems import InputError
from . import log

logger = logging.getLogger(__name__)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, NOT_INITIALIZED, REQUEST_FAILED, REQUEST_CANCELLED = -32603, -32002, -32803, -32800

#: What editors request without being asked to; an error would interrupt the author with a pop-up.
_BY_ITSELF: Final = frozenset(
    (
        "textDocument/hover",
        "textDocument/completion",
        "completionItem/resolve",
        "textDocument/inlayHint",
        "textDocument/documentHighlight",
        "textDocument/documentLink",
    )
)
#: The id of a request whose message begins as most clients write it.
_ID = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,')
_Id = int | str | None

CONVERTER: Final = get_converter()


class RequestError(InputError):
    """An error that a request is answered with; the author may be shown the message."""

    def __init__(self, message: str, code: int = REQUEST_FAILED) -> None:
        super().__init__(message)
        self.code = code


class Connection:
    """A client; used by the event loop only.

    Handlers, by method, take the parameters as `decode` returns them. They are functions or
    coroutine functions; their result is the answer. `write` takes the body of a message.
    """

    def __init__(self, decode: Callable[[str, Any], Any]) -> None:
        self.handlers: dict[str, Callable[[Any], Any]] = {"$/cancelRequest": self._cancel}
        self.write: Callable[[bytes], None] = lambda _: None
        self.initialized = False
        self.shut_down = False
        self._decode = decode
        self._running: dict[_Id, asyncio.Task[Any]] = {}
        self._asked: dict[_Id, asyncio.Future[Any]] = {}
        self._numbers = count(1)

    def handle_body(self, body: bytes) -> None:
        """Handle the body of a message, valid or not."""
        try:
            message = json.loads(body)
        except ValueError:
            self.refuse(None, "Not JSON")
        except RecursionError:
            found = _ID.match(body)
            number = json.loads(found[1]) if found else None
            self.refuse(number, "Nested too deep")
        else:
            self.handle(message)

    def handle(self, message: Any) -> None:  # noqa: ANN401 - whatever the client sent
        """Handle a decoded message, valid or not."""
        fields = message if isinstance(message, dict) else {}
        number: _Id = fields.get("id") if type(fields.get("id")) in (int, str) else None
        is_answer = "method" not in fields and (
            not {"result", "error"}.isdisjoint(fields) or number in self._asked
        )
        try:
            _require_message(message)
            if is_answer:
                self._take_answer(number, fields)
                return
            method = self._allowed_method(fields)
            if (handler := self.handlers.get(method)) is None:
                raise RequestError(f"Method Not Found: {method}", METHOD_NOT_FOUND)
            params = self._decode(method, fields.get("params"))
        except RequestError as error:
            if is_answer:
                # It cannot be read, but nothing may wait for another.
                self._take_answer(number, {"error": {"message": str(error)}})
            elif "method" not in fields or "id" in fields:
                self.send({"id": number, **_refusal(error)})
            return
        end = partial(self._end, number, method, fields.get("params"))
        if inspect.iscoroutinefunction(handler):
            task = asyncio.ensure_future(handler(params))
            if number is not None:
                self._running[number] = task
            task.add_done_callback(lambda done: end(done.result))
        else:
            end(partial(handler, params))

    def _allowed_method(self, fields: dict[str, Any]) -> str:
        """Return the method of a message; raise `RequestError` if it may not come now."""
        method: str | None = fields.get("method")
        if method is None:
            raise RequestError("Neither a request nor a response", INVALID_REQUEST)
        if method != "exit":
            if self.shut_down:
                raise RequestError("The server was shut down", INVALID_REQUEST)
            if method == "initialize" and self.initialized:
                raise RequestError("Initialized before", INVALID_REQUEST)
            if method != "initialize" and not self.initialized:
                raise RequestError("Not initialized yet", NOT_INITIALIZED)
        return method

    def _end(self, number: _Id, method: str, sent: object, outcome: Callable[[], object]) -> None:
        """Answer with what `outcome` returns or raises; the only place where requests fail.

        Requests of the author are answered with an error, those that the editor makes by itself
        with nothing. An unforeseen error is logged with its traceback, a refusal in one line.
        """
        self._running.pop(number, None)
        try:
            answer: dict[str, Any] = {"result": outcome()}
        except (CancelledError, asyncio.CancelledError):
            answer = _error("The request was cancelled", REQUEST_CANCELLED)
        except Exception as error:
            if method in _BY_ITSELF:
                log.failure(error)
                answer = {"result": sent if method.endswith("/resolve") else None}
            elif isinstance(error, InputError):
                answer = _refusal(error)
            else:
                log.failure(error)
                what = f"Pincite failed ({type(error).__name__}: {error}). Its log says where."
                answer = _error(what, INTERNAL_ERROR)
        if number is not None:
            self.send({"id": number, **answer})

    def _cancel(self, params: Any) -> None:  # noqa: ANN401 - of lsprotocol
        if (task := self._running.get(params.id)) is not None:
            task.cancel()

    def end(self) -> None:
        """Cancel what is running, and refuse what comes from now on."""
        self.shut_down = True
        for task in self._running.values():
            task.cancel()

    def _take_answer(self, number: _Id, fields: dict[str, Any]) -> None:
        asked = self._asked.pop(number, None)
        if asked is None or asked.done():
            return
        # Some clients add an error that is null to each answer.
        if (error := fields.get("error")) is not None:
            message = error.get("message") if isinstance(error, dict) else None
            asked.set_exception(RequestError(str(message or error)))
        else:
            asked.set_result(fields.get("result"))

    def refuse(self, number: _Id, message: str) -> None:
        """Answer an invalid message, with its id if that is known."""
        self.send({"id": number, **_error(message, PARSE_ERROR)})

    def notify(self, method: str, params: object, **identified: str) -> None:
        """Send a notification."""
        named = {} if params is None else {"params": params}
        self.send({**identified, "method": method, **named})

    def request(self, method: str, params: object = None) -> asyncio.Future[Any]:
        """Send a request; return a future for its result, or a `RequestError`."""
        number = f"pincite-{next(self._numbers)}"
        self._asked[number] = answer = asyncio.get_running_loop().create_future()
        # Nobody may wait for it.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.notify(method, params, id=number)
        return answer

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; objects of lsprotocol may be anywhere in it."""
        written = json.dumps({"jsonrpc": "2.0", **message}, default=CONVERTER.unstructure)
        self.write(written.encode())


def _require_message(message: object) -> None:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RequestError("Not a JSON-RPC 2.0 message", INVALID_REQUEST)
    number = message.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        raise RequestError("An id is a number or a string", INVALID_REQUEST)
    if not isinstance(message.get("method", ""), str):
        raise RequestError("A method is a string", INVALID_REQUEST)


def _error(message: str, code: int) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _refusal(error: InputError) -> dict[str, Any]:
    """Return an error that the author can fix, logged in one line."""
    logger.warning("refused: %s", " ".join(str(error).split()))
    return _error(str(error), getattr(error, "code", REQUEST_FAILED))
