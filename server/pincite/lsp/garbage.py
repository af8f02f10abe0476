"""Python's search for garbage, which holds up everything while it looks at millions of objects."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_lock = threading.Lock()
_makers = 0


@contextmanager
def made_to_stay() -> Iterator[None]:
    """Do not search while large things are made that stay for long, nor among them later.

    For what is made now and then: what is garbage at the end, and refers to itself, stays too.
    """
    global _makers
    with _lock:
        _makers += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _makers -= 1
            if not _makers:
                gc.freeze()
                gc.enable()
        _give_back()


def _give_back() -> None:
    """Give memory back to the system that was needed only on the way; glibc alone keeps it."""
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
