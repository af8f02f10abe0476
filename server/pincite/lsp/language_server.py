"""The server object: its one client and session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Any

from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from . import log, wire
from .documents import Documents
from .jsonrpc import INVALID_PARAMS, Connection, RequestError
from .session import Made, Session, function_of, on_document
from .streams import Writer

#: Requests that no author waits for leave the threads to the others.
_UNHURRIED_REQUESTS = 2


class PinciteServer:
    """The server: its event loop changes the session and writes to the client, threads compute."""

    def __init__(self) -> None:
        self.session = Session(Documents())
        self.connection = Connection(wire.decode)
        #: The event loop, once it runs.
        self.loop: asyncio.AbstractEventLoop | None = None
        self.unhurried = asyncio.Semaphore(_UNHURRIED_REQUESTS)
        #: One at a time: services are asked politely.
        self.network = asyncio.Semaphore(1)
        self.writer: Writer | None = None
        #: What runs on the event loop beside the requests; it would be collected otherwise.
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work on the event loop, for which nothing waits."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def on_loop(self, work: Callable[[], None]) -> None:
        """Run `work` on the event loop; called by other threads."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            if self.loop is not None:
                self.loop.call_soon_threadsafe(work)

    async def answer(self, work: Callable[..., Any] | str, *arguments: object) -> Any:  # noqa: ANN401
        """Run `work` on the project as it is now, in a thread; return or raise what it does.

        `work` may be named: see `function_of`. If the request is cancelled, the client is answered
        at once and `work` ends at its next `check`.
        """
        cancelled, project = threading.Event(), self.session.project()

        def cancellable() -> Any:  # noqa: ANN401
            with cancelled_by(cancelled.is_set):
                function = function_of(work) if isinstance(work, str) else work
                return function(project, *arguments)

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

    async def answer_unasked(self, work: Callable[..., Any] | str, *arguments: object) -> Any:  # noqa: ANN401
        """Return what `work` finds, for which no author waits; None where it fails."""
        try:
            async with self.unhurried:
                return await self.answer(work, *arguments)
        except CancelledError:
            return None
        except Exception as error:
            log.failure(error)
            return None

    async def answer_about(
        self,
        work: str,
        uri: str,
        sent: object,
        *,
        turn: AbstractAsyncContextManager[None] | None = None,
        looks: bool = False,
        **more: object,
    ) -> Any:  # noqa: ANN401
        """Answer a request about an open document, see `on_document`; None for any other."""
        documents = self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        if looks:
            await self.look_at_files()
        async with turn or nullcontext():
            return await self.answer(on_document(work, documents.path(uri), lines, sent, **more))

    async def make_edit(self, work: str, uri: str, sent: object) -> Any:  # noqa: ANN401
        """Have the client make the edit that `work` returns, unless the document has changed since.

        Returns what it answers; None if the client has not made it.
        """
        documents = self.session.documents
        if (lines := documents.now.lines(uri)) is None:
            raise RequestError(f"{uri} is not open", INVALID_PARAMS)
        if not self.session.client.applies_edits:
            raise RequestError("The editor does not accept edits from a server.")
        made = await self.answer_about(work, uri, sent, looks=True)
        now = documents.now.lines(uri)
        if made is None or now is None or now.text != lines.text:
            raise RequestError("The text has changed in the meantime; nothing was done.")
        if not await self.apply_edit(made):
            return None
        if made.remark:
            self.show_message(made.remark, types.MessageType.Info)
        return made.answer

    async def look_at_files(self) -> None:
        """Take in what other programs have changed, before an edit of files that are not open."""
        await self.answer(lambda _project: self.session.look_now())

    def show_message(self, message: str, kind: types.MessageType) -> None:
        """Show the author a message."""
        params = types.ShowMessageParams(kind, f"Pincite: {message}")
        self.connection.notify(types.WINDOW_SHOW_MESSAGE, params)

    def show_progress(self, token: int | str | None, value: object) -> None:
        """Send how far some work is; nothing without a token."""
        if token is not None:
            params = {"token": token, "value": value}
            self.connection.notify(types.PROGRESS, params)

    async def apply_edit(self, made: Made) -> bool:
        """Ask the client to make an edit, named in its undo history; return whether it did."""
        params = types.ApplyWorkspaceEditParams(made.edit, made.label)
        result = await self.connection.request(types.WORKSPACE_APPLY_EDIT, params)
        return isinstance(result, dict) and bool(result.get("applied"))

    def follow(self, name: str, method: str, options: object) -> None:
        """Ask the client to report changes."""
        params = types.RegistrationParams([types.Registration(name, method, options)])
        self.connection.request(types.CLIENT_REGISTER_CAPABILITY, params)
