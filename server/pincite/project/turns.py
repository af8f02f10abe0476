"""A lock for work of which some takes long and some must not wait."""

from __future__ import annotations

import threading

from ..cancellation import acquire, holding


class Turns:
    """A lock that a thread may take again while it has it, and else only in turn with others.

    Long work gives it up between its parts. With a plain lock it would have it back before anyone
    who waits has woken up.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = threading.Lock()
        self._owner: int | None = None
        self._depth = 0

    def is_mine(self) -> bool:
        """Tell whether this thread has the lock."""
        return self._owner == threading.get_ident()

    def __enter__(self) -> None:
        if not self.is_mine():
            with holding(self._next):
                acquire(self._lock)
            self._owner = threading.get_ident()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
            self._lock.release()
