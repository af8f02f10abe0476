"""The server object: its one client and session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import Any

from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.open_draft import Progress
from . import log, wire
from .documents import Documents
from .jsonrpc import Connection
from .session import Session
from .streams import Writer

#: Requests that no author waits for leave the threads to the others.
_UNHURRIED_REQUESTS = 2
#: How often at most progress is reported.
PROGRESS_STEPS = 50


def function_of(name: str) -> Callable[..., Any]:
    """Return a function of ``features/``, which is imported in the thread that calls it first."""
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f".features.{module}", __package__), function)
    return found


class PinciteServer:
    """The server: its event loop changes the session and writes to the client, threads compute."""

    def __init__(self) -> None:
        self.session = Session(Documents())
        self.session.report = self._report
        self.session.on_change = partial(self.on_loop, self.report_change)
        self.connection = Connection(wire.decode)
        #: The event loop, once it runs.
        self.loop: asyncio.AbstractEventLoop | None = None
        #: Called on the event loop when the inputs of answers have changed: with the URI of a
        #: document that was opened, edited or closed, and with None after any other change: of
        #: files, folders or settings.
        self.when_changed: list[Callable[[str | None], None]] = []
        #: Called on the event loop with the name of a draft and how many of its papers are read.
        self.when_read: list[Callable[[str, Progress], None]] = []
        #: Called on the event loop when a request was answered, which may have read another draft.
        self.when_answered: Callable[[], None] = lambda: None
        self.unhurried = asyncio.Semaphore(_UNHURRIED_REQUESTS)
        #: One at a time: services are asked politely.
        self.network = asyncio.Semaphore(1)
        self.writer: Writer | None = None
        #: The last status that a client was sent.
        self.reported_status: tuple[str, float] | None = None
        self._reported: tuple[str, int] | None = None
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

    # Answers

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
            self.when_answered()

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
        work: Callable[..., Any] | str,
        uri: str,
        *arguments: object,
        turn: AbstractAsyncContextManager[None] | None = None,
        looks: bool = False,
    ) -> Any:  # noqa: ANN401
        """Answer a request about an open document; None for any other.

        `work` takes a project, the document's path and its lines as the request was read, to which
        positions refer. `turn` is waited for, and so is a look at the files if it `looks`.
        """
        documents = self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        if looks:
            await self.look_at_files()
        async with turn or nullcontext():
            return await self.answer(work, documents.path(uri), lines, *arguments)

    async def look_at_files(self) -> None:
        """Take in what other programs have changed, before an edit of files that are not open.

        They may not have been looked at for a minute.
        """
        await self.answer(lambda _project: self.session.look_now())

    # What the client is sent

    def show_message(self, message: str, kind: types.MessageType) -> None:
        """Show the author a message."""
        params = types.ShowMessageParams(kind, f"Pincite: {message}")
        self.connection.notify(types.WINDOW_SHOW_MESSAGE, params)

    async def apply_edit(self, edit: types.WorkspaceEdit, label: str) -> bool:
        """Ask the client to make an edit, named in its undo history; return whether it did."""
        params = types.ApplyWorkspaceEditParams(edit, label)
        result = await self.connection.request(types.WORKSPACE_APPLY_EDIT, params)
        return isinstance(result, dict) and bool(result.get("applied"))

    def follow(self, name: str, method: str, options: object) -> None:
        """Ask the client to report changes."""
        params = types.RegistrationParams([types.Registration(name, method, options)])
        self.connection.request(types.CLIENT_REGISTER_CAPABILITY, params)

    # What changes

    def report_change(self, uri: str | None = None) -> None:
        """Call those who follow changes, and ask the client to refresh what it shows."""
        for follow in self.when_changed:
            follow(uri)
        if uri is not None:
            return
        if self.session.client.refreshes_inlay_hints:
            self.connection.request(types.WORKSPACE_INLAY_HINT_REFRESH)
        if self.session.client.refreshes_diagnostics:
            self.connection.request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _report(self, draft: str, progress: Progress) -> None:
        """Call those who follow reading; called by the thread that reads papers."""
        step = draft, int(progress.done * PROGRESS_STEPS)
        if step != self._reported or progress.ended:
            self._reported = step
            for follow in self.when_read:
                self.on_loop(partial(follow, draft, progress))
