"""Garbage collection and memory: collect rarely, and return freed memory to the system."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: New objects before Python collects among them; 700 by default.
_NEW_OBJECTS = 20_000

_lock = threading.Lock()
_builders = 0


def collect_rarely() -> None:
    """Let Python collect among new objects once there are many.

    A list of suggestions makes thousands of objects, nearly all of which are freed by their
    reference counts: collecting among them took a fifth of an edit.
    """
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def paused() -> Iterator[None]:
    """Do not collect while a large index is built, and return what that freed to the system.

    Everything that is built is still in use at the end: a collection on the way would only look
    at it again and again.
    """
    global _builders
    with _lock:
        _builders += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _builders -= 1
            if not _builders:
                gc.enable()
        _trim()


def _trim() -> None:
    """Return freed memory to the system; the C library of Linux keeps it for later."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such function
            ctypes.CDLL(None).malloc_trim(0)
