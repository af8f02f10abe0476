"""The log on stderr, written by a thread of its own.

If a client never reads stderr, the pipe fills up and writing to it blocks forever. Only this thread
can block; records that do not fit into its queue are dropped.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from functools import lru_cache
from logging.handlers import QueueHandler, QueueListener
from queue import Queue
from typing import Final

from ..text.characters import with_controls_shown

_CLOSING_SECONDS: Final = 0.5
logger = logging.getLogger(__name__)
_waiting: Final[Queue[logging.LogRecord]] = Queue(1_000)
_log_once: Final = lru_cache(100)(logger.error)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return text that is safe for a terminal: file names may contain any character."""
        return with_controls_shown(super().format(record))


def begin() -> None:
    """Log warnings and errors from now on."""
    # What does not fit into the queue is dropped: a message about it could not be written, either.
    logging.raiseExceptions = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("pincite: %(message)s"))
    logging.basicConfig(handlers=[QueueHandler(_waiting)], level=logging.WARNING)
    QueueListener(_waiting, handler).start()


def failure(error: BaseException) -> None:
    """Log an unforeseen error with its traceback, once however often it comes."""
    _log_once("a request failed:\n%s", "".join(traceback.format_exception(error)))


def end() -> None:
    """Wait until the last lines are written, if anybody reads them."""
    ends = time.monotonic() + _CLOSING_SECONDS
    while _waiting.unfinished_tasks and time.monotonic() < ends:
        time.sleep(0.005)
