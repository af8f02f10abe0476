"""The one thread that does slow work: it reads papers, fits rankers, looks at files.

Python's threads take turns on one processor, so an author would wait several times as long for an
answer while an index is built. So work calls `check` often, and pauses there while requests are
answered.
"""

from __future__ import annotations

import gc
import logging
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from ..cancellation import CancelledError, Turns, cancelled_by

logger = logging.getLogger(__name__)

#: How long the background waits for requests at a time, and how long it runs in between: under a
#: stream of requests it still gets a tenth of the time.
_MAX_WAIT: Final = 0.25
_MIN_RUN: Final = 0.025
_LOOK_SECONDS: Final = 0.005
#: New objects before Python's garbage collector runs; 700 by default.
_NEW_OBJECTS: Final = 20_000
#: ``mallopt``'s parameter for the number of heaps.
_ARENA_MAX: Final = -8


class Background:
    """Runs jobs one at a time, once they are due; a new job replaces an older one of its name."""

    def __init__(self) -> None:
        #: When each job is due, by name, the oldest first.
        self._jobs: dict[Hashable, tuple[float, Callable[[], object]]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_busy = False
        self.stopped = False
        #: How many requests are being answered; only the event loop changes it.
        self.requests = 0
        self._resumed = 0.0

    def do(self, name: Hashable, job: Callable[[], object], *, after: float = 0.0) -> None:
        """Schedule a job, to run after at least `after` seconds."""
        with self._changed:
            if self.stopped:
                return
            self._jobs.pop(name, None)
            self._jobs[name] = time.monotonic() + after, job
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="pincite-background", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def drop(self, name: Hashable) -> None:
        """Cancel a job that has not begun."""
        with self._changed:
            self._jobs.pop(name, None)

    def is_waited_for(self) -> bool:
        """Return whether another job is due."""
        now = time.monotonic()
        return self.stopped or any(due <= now for due, _ in tuple(self._jobs.values()))

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no job is left; return whether that is so. For tests and commands."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._jobs or self._is_busy), seconds)

    def stop(self) -> None:
        """Stop the thread; the running job is cancelled."""
        with self._changed:
            self.stopped = True
            self._jobs.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                with cancelled_by(self._give_way):
                    job()
            except CancelledError:
                pass
            except Exception:
                logger.exception("could not finish background work")
            finally:
                del job  # what it refers to may be large

    def _give_way(self) -> bool:
        """Wait while requests are answered; return whether the work is cancelled."""
        ends = time.monotonic() + _MAX_WAIT
        may_wait = self.requests and not Turns.is_one_held()
        if may_wait and time.monotonic() > self._resumed + _MIN_RUN:
            while self.requests and time.monotonic() < ends and not self.stopped:
                time.sleep(_LOOK_SECONDS)
            self._resumed = time.monotonic()
        return self.stopped

    def _next(self) -> Callable[[], object] | None:
        """Wait for the next job that is due; return None at the end."""
        with self._changed:
            self._is_busy = False
            self._changed.notify_all()
            while not self.stopped:
                now = time.monotonic()
                for name, (due, job) in self._jobs.items():
                    if due <= now:
                        del self._jobs[name]
                        self._is_busy = True
                        return job
                soonest = min((due for due, _ in self._jobs.values()), default=None)
                self._changed.wait(None if soonest is None else soonest - now)
            return None


def collect_rarely() -> None:
    """Make garbage collection rare: it took a fifth of the time of an edit."""
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


def keep_one_heap() -> None:
    """Let Linux's C library use one heap; call it before the first thread is started."""
    _ask_c_library("mallopt", _ARENA_MAX, 1)


@contextmanager
def building() -> Iterator[None]:
    """Turn off garbage collection while a large index is built."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def release_memory() -> None:
    """Return freed memory to the system: the index that a new one replaces is large."""
    _ask_c_library("malloc_trim", 0)


def _ask_c_library(function: str, *arguments: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such function
            getattr(ctypes.CDLL(None), function)(*arguments)
