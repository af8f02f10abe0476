"""The log on stderr, written by a thread of its own.

A client that never reads stderr fills the pipe; whoever writes to it then waits for ever. Here that
is only this thread: what does not fit is dropped.
"""

from __future__ import annotations

import logging
import sys
import time
from logging.handlers import QueueHandler, QueueListener
from queue import Queue
from typing import Final

from ..text.controls import with_controls_shown

_MOST_WAITING: Final = 1_000
_CLOSING_SECONDS: Final = 0.5
_waiting: Final[Queue[logging.LogRecord]] = Queue(_MOST_WAITING)


class _Formatter(logging.Formatter):
    """Writes what a terminal can be shown: names of files may hold anything."""

    def format(self, record: logging.LogRecord) -> str:
        return with_controls_shown(super().format(record))


class _Dropping(QueueHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Drop what does not fit; saying so would be one more line that nobody reads."""


def begin() -> None:
    """Log warnings and errors from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("pincite: %(message)s"))
    logging.basicConfig(handlers=[_Dropping(_waiting)], level=logging.WARNING)
    # It warns about every unknown notification and every late cancellation.
    logging.getLogger("pygls").setLevel(logging.ERROR)
    QueueListener(_waiting, handler).start()


def end() -> None:
    """Wait until the last lines are written, if somebody reads them."""
    ends = time.monotonic() + _CLOSING_SECONDS
    while _waiting.unfinished_tasks and time.monotonic() < ends:
        time.sleep(0.005)
