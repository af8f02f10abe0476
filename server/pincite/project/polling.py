"""Background polls: for changes that no client reports, and to release memory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

logger = logging.getLogger(__name__)

#: From the end of one look to the next one while requests come; without any, ever longer.
_LEAST_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 60.0
#: Looks take at most so much of the time: the more there is to look at, the rarer they are.
_SHARE: Final = 0.01


class Poll:
    """Calls a function in a thread of its own: often while requests come, otherwise rarely."""

    def __init__(self, look: Callable[[], None]) -> None:
        """Call `look` in the background; the thread starts with the first request."""
        self._look = look
        self._asked = threading.Event()
        self._stopped = threading.Event()
        self._beginning = threading.Lock()
        self._thread: threading.Thread | None = None

    def ask(self) -> None:
        """Poll again soon."""
        self._asked.set()
        if self._thread is None:
            with self._beginning:
                if self._thread is None and not self._stopped.is_set():
                    self._thread = threading.Thread(
                        target=self._run, name="pincite-poll", daemon=True
                    )
                    self._thread.start()

    def stop(self) -> None:
        """Stop polling."""
        self._stopped.set()
        self._asked.set()

    def _run(self) -> None:
        wait = idle = _LEAST_SECONDS
        while not self._stopped.wait(wait):
            idle = _LEAST_SECONDS if self._asked.wait(idle) else min(2 * idle, _MOST_SECONDS)
            self._asked.clear()
            if self._stopped.is_set():
                return
            began = time.perf_counter()
            try:
                self._look()
            except Exception:
                logger.exception("could not finish background work")
            wait = max(_LEAST_SECONDS, (time.perf_counter() - began) / _SHARE)
