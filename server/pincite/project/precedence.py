"""Requests come first: background work gives way while one is answered.

Threads of Python take turns on one processor, so an author would wait several times as long for an
answer while an index is built. Background work that calls `check` often, under
``cancelled_by(precedence.give_way)``, waits there instead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Background work waits at most so long at a time, and runs for so long in between: under a stream
#: of requests it still gets a tenth of the time.
_LONGEST_WAIT: Final = 0.25
_GOES_ON: Final = 0.025


class Precedence:
    """Counts the requests that are being answered; thread-safe."""

    def __init__(self) -> None:
        #: How many requests are being answered.
        self.requests = 0
        self._none = threading.Condition()
        self._waited_until = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Answer a request that an author waits for."""
        with self._none:
            self.requests += 1
        try:
            yield
        finally:
            with self._none:
                self.requests -= 1
                if not self.requests:
                    self._none.notify_all()

    def give_way(self) -> bool:
        """Wait while requests are answered; return False, as background work is not cancelled."""
        if self.requests and time.monotonic() > self._waited_until + _GOES_ON:
            with self._none:
                self._none.wait_for(lambda: not self.requests, _LONGEST_WAIT)
            self._waited_until = time.monotonic()
        return False
