"""Garbage collection and memory: collect rarely, and return freed memory to the system."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: New objects before Python collects among them; 700 by default.
_NEW_OBJECTS = 20_000
#: ``mallopt``'s number for how many heaps there are.
_ARENA_MAX = -8


def collect_rarely() -> None:
    """Let Python collect rarely: collecting among new objects took a fifth of an edit."""
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


def keep_one_heap() -> None:
    """Let Linux's C library use one heap; call it before the first thread is started."""
    _ask_c_library("mallopt", _ARENA_MAX, 1)


@contextmanager
def building() -> Iterator[None]:
    """Do not collect while a large index is built, and return what that freed to the system.

    What is built is still in use at the end: a collection would only look at it again and again.
    Only the background thread builds.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        _ask_c_library("malloc_trim", 0)


def _ask_c_library(function: str, *arguments: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such function
            getattr(ctypes.CDLL(None), function)(*arguments)
