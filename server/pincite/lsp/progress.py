"""Show the progress of background work in the client."""

from __future__ import annotations

import asyncio
import uuid
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from ..project.progress import Progress
    from .session import Session

#: How often at most progress is reported.
STEPS = 50
#: Shorter work shows nothing: flicker at each change would only distract.
_DELAY_SECONDS = 0.4
_Value = types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd


class RequestProgress:
    """Reports the progress of one request for the token that it came with; silent without one.

    May be called by any thread; the event loop, that of the thread that makes it, does the writing.
    """

    def __init__(self, client: LanguageServer, token: int | str | None, title: str) -> None:
        """Begin to report; called on the event loop."""
        self._client = client
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._step = 0
        self._ended = False
        self._send(types.WorkDoneProgressBegin(title=title, percentage=0))

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done."""
        step = STEPS * done // max(total, 1)
        if self._token is None or step == self._step:
            return
        self._step = step
        report = types.WorkDoneProgressReport(percentage=100 * step // STEPS)
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            self._loop.call_soon_threadsafe(self._send, report)

    def __enter__(self) -> RequestProgress:
        return self

    def __exit__(self, *_: object) -> None:
        """End the report; called on the event loop."""
        self._send(types.WorkDoneProgressEnd())
        self._ended = True

    def _send(self, value: _Value) -> None:
        # What a cancelled request reports late is left out.
        if self._token is not None and not self._ended:
            self._client.progress(types.ProgressParams(self._token, value))


class IndexProgress:
    """Shows how many papers have been read; does nothing if the client cannot show it.

    Used by the event loop only.
    """

    def __init__(self, client: LanguageServer, session: Session) -> None:
        """Show progress in `client`; if the author cancels it, `session` reads no more."""
        self._client = client
        self._session = session
        self._step = -1
        self._percent = 0
        self._message = ""
        self._timer: asyncio.TimerHandle | None = None
        self._token: str | None = None
        self._begun = False

    def __call__(self, draft: str, progress: Progress) -> None:
        """Report how many of a draft's papers are read; that it has ended ends the report."""
        step = int(progress.done * STEPS)
        if step == self._step or not self._session.client.shows_progress:
            return
        self._step = -1 if progress.ended else step
        self._percent = int(progress.done * 100)
        self._message = f"{draft}, {progress.read} of {progress.papers}"
        if progress.ended:
            self._end()
        elif self._begun:
            self._send(
                types.WorkDoneProgressReport(message=self._message, percentage=self._percent)
            )
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_DELAY_SECONDS, self._create)

    def cancel(self, token: int | str) -> None:
        """Stop reading papers if `token` is that of their progress."""
        if self._begun and token == self._token:
            self._session.stop_reading()

    def _create(self) -> None:
        token = self._token = f"pincite-{uuid.uuid4()}"

        def created(answer: Future[Any]) -> None:
            # Use the token only if the client has accepted it.
            if not answer.cancelled() and answer.exception() is None and self._token == token:
                self._begun = True
                self._send(
                    types.WorkDoneProgressBegin(
                        title="Pincite: reading papers",
                        message=self._message,
                        percentage=self._percent,
                        cancellable=True,
                    )
                )

        params = types.WorkDoneProgressCreateParams(token)
        self._client.window_work_done_progress_create(params).add_done_callback(created)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._begun:
            self._send(types.WorkDoneProgressEnd())
        self._timer, self._token, self._begun = None, None, False

    def _send(self, value: _Value) -> None:
        if self._token is not None:
            self._client.progress(types.ProgressParams(self._token, value))
