"""The server object: its one client and session, and the threads that answer requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from lsprotocol import types

from ..cancellation import CancelledError, cancelled_by
from ..project.open_draft import Progress
from . import log, wire
from .documents import Documents, Lines
from .jsonrpc import INVALID_PARAMS, Connection, RequestError
from .session import Document, Project, Session
from .streams import Writer

#: Requests that no author waits for leave the threads to the others.
_UNHURRIED_REQUESTS = 2
#: How often at most progress is reported.
STEPS = 50


def function_of(name: str) -> Callable[..., Any]:
    """Return a function of ``features/``, which is imported in the thread that calls it first."""
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f".features.{module}", __package__), function)
    return found


def on_document(
    work: str, path: Path, lines: Lines, *arguments: object
) -> Callable[[Project], Any]:
    """Return a function of a project: the named one, of a document in it, and of offsets there."""

    def function(project: Project) -> Any:  # noqa: ANN401
        given = (lines.offset(a) if isinstance(a, types.Position) else a for a in arguments)
        return function_of(work)(Document(project, path, lines), *given)

    return function


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
        work: str,
        uri: str,
        *arguments: object,
        turn: AbstractAsyncContextManager[None] | None = None,
        looks: bool = False,
    ) -> Any:  # noqa: ANN401
        """Answer a request about an open document, see `on_document`; None for any other."""
        documents = self.session.documents.now
        if (lines := documents.lines(uri)) is None:
            return None
        if looks:
            await self.look_at_files()
        async with turn or nullcontext():
            return await self.answer(on_document(work, documents.path(uri), lines, *arguments))

    async def edit_of(self, work: str, uri: str, *arguments: object) -> Any:  # noqa: ANN401
        """Return the edit that `work` makes of an open document, unless that has changed since."""
        documents = self.session.documents
        if (lines := documents.now.lines(uri)) is None:
            raise RequestError(f"{uri} is not open", INVALID_PARAMS)
        if not self.session.client.applies_edits:
            raise RequestError("The editor does not accept edits from a server.")
        edit = await self.answer_about(work, uri, *arguments, looks=True)
        now = documents.now.lines(uri)
        if edit is None or now is None or now.text != lines.text:
            raise RequestError("The text has changed in the meantime; nothing was done.")
        return edit

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

    async def apply_edit(self, edit: types.WorkspaceEdit, label: str) -> bool:
        """Ask the client to make an edit, named in its undo history; return whether it did."""
        params = types.ApplyWorkspaceEditParams(edit, label)
        result = await self.connection.request(types.WORKSPACE_APPLY_EDIT, params)
        return isinstance(result, dict) and bool(result.get("applied"))

    def follow(self, name: str, method: str, options: object) -> None:
        """Ask the client to report changes."""
        params = types.RegistrationParams([types.Registration(name, method, options)])
        self.connection.request(types.CLIENT_REGISTER_CAPABILITY, params)

    def report_change(self, uri: str | None = None) -> None:
        """Call those who follow changes, and ask the client to refresh what it shows."""
        for follow in self.when_changed:
            follow(uri)
        if uri is None and self.session.client.refreshes_inlay_hints:
            self.connection.request(types.WORKSPACE_INLAY_HINT_REFRESH)
        if uri is None and self.session.client.refreshes_diagnostics:
            self.connection.request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _report(self, draft: str, progress: Progress) -> None:
        """Call those who follow reading; called by the thread that reads papers."""
        step = draft, int(progress.done * STEPS)
        if step != self._reported or progress.ended:
            self._reported = step
            for follow in self.when_read:
                self.on_loop(partial(follow, draft, progress))
