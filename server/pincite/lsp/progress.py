"""Progress of the background work, as the client shows it."""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

_STEP_PERCENT = 2


class IndexProgress:
    """Shows how many papers are read; silent where the client cannot show it."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._token: str | None = None
        self._percent = 0

    def __call__(self, draft: str, done: float) -> None:
        """Report that the fraction `done` of a draft's papers is read; 1.0 ends the report."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        percent = int(done * 100)
        with self._lock:
            if done >= 1.0:
                self._end()
            elif self._token is None:
                self._begin(draft, percent)
            elif percent >= self._percent + _STEP_PERCENT:
                self._percent = percent
                report = types.WorkDoneProgressReport(percentage=percent)
                self._server.work_done_progress.report(self._token, report)

    def _begin(self, draft: str, percent: int) -> None:
        self._token, self._percent = f"pincite-{uuid.uuid4()}", percent
        self._server.work_done_progress.create(self._token)
        begin = types.WorkDoneProgressBegin(
            title="Pincite: reading papers", message=draft, percentage=percent
        )
        self._server.work_done_progress.begin(self._token, begin)

    def _end(self) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._token = None
