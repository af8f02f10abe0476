"""Show the progress of work in the client."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from .language_server import PROGRESS_STEPS

if TYPE_CHECKING:
    from ..project.open_draft import Progress
    from .language_server import PinciteServer

#: Shorter work shows nothing: flicker at each change would only distract.
_DELAY_SECONDS = 0.4
_Value = types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd


class RequestProgress:
    """Reports the progress of one request for the token that it came with; silent without one.

    It is entered and left on the event loop, and called by any thread.
    """

    def __init__(self, server: PinciteServer, token: int | str | None, title: str) -> None:
        self._server = server
        self._token = token
        self._title = title
        self._step = 0

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done."""
        step = PROGRESS_STEPS * done // max(total, 1)
        if self._token is not None and step != self._step:
            self._step = step
            report = types.WorkDoneProgressReport(percentage=100 * step // PROGRESS_STEPS)
            self._server.on_loop(lambda: self._send(report))

    def __enter__(self) -> RequestProgress:
        self._send(types.WorkDoneProgressBegin(title=self._title, percentage=0))
        return self

    def __exit__(self, *_: object) -> None:
        self._send(types.WorkDoneProgressEnd())
        # What a cancelled request reports late is left out.
        self._token = None

    def _send(self, value: _Value) -> None:
        if self._token is not None:
            params = types.ProgressParams(self._token, value)
            self._server.connection.notify(types.PROGRESS, params)


class IndexProgress:
    """Shows how many papers have been read; does nothing if the client cannot show it.

    Used by the event loop only.
    """

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        self._step = -1
        self._percent = 0
        self._message = ""
        self._timer: asyncio.TimerHandle | None = None
        self._token: str | None = None
        self._begun = False

    def __call__(self, draft: str, progress: Progress) -> None:
        """Report how many of a draft's papers are read; that it has ended ends the report."""
        step = int(progress.done * PROGRESS_STEPS)
        if step == self._step or not self._server.session.client.shows_progress:
            return
        self._step = -1 if progress.ended else step
        self._percent = int(progress.done * 100)
        self._message = f"{draft}, {progress.read} of {progress.papers}"
        if progress.ended:
            if self._timer is not None:
                self._timer.cancel()
            if self._begun:
                self._send(types.WorkDoneProgressEnd())
            self._timer, self._token, self._begun = None, None, False
        elif self._begun:
            self._send(
                types.WorkDoneProgressReport(message=self._message, percentage=self._percent)
            )
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_DELAY_SECONDS, self._create)

    def cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Read no more papers, if the author cancels their progress."""
        if self._begun and params.token == self._token:
            self._server.session.shared.builder.stop_reading()

    def _create(self) -> None:
        token = self._token = f"pincite-{uuid.uuid4()}"

        def created(answer: asyncio.Future[Any]) -> None:
            # Use the token only if the client has accepted it.
            if not answer.cancelled() and answer.exception() is None and self._token == token:
                self._begun = True
                begun = types.WorkDoneProgressBegin(
                    title="Pincite: reading papers",
                    message=self._message,
                    percentage=self._percent,
                    cancellable=True,
                )
                self._send(begun)

        params = types.WorkDoneProgressCreateParams(token)
        request = self._server.connection.request
        request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params).add_done_callback(created)

    def _send(self, value: _Value) -> None:
        if self._token is not None:
            params = types.ProgressParams(self._token, value)
            self._server.connection.notify(types.PROGRESS, params)
