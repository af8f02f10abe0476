"""Python's search for garbage, which holds up everything while it looks at millions of objects.

And what is left of large things once they are gone, which the system would not get back by itself.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: New objects before Python looks for garbage among them; 700 by default.
_NEW_OBJECTS = 20_000

_lock = threading.Lock()
_makers = 0


def search_seldom() -> None:
    """Let Python look for garbage among new objects once there are many.

    What an edit of a large bibliography makes is new, refers to all its entries, and each of them
    is looked at: it took a fifth of the edit.
    """
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def made_to_stay() -> Iterator[None]:
    """Do not search while large things are made that stay for long, nor among them later.

    For what is made now and then: what is garbage at the end, and refers to itself, stays too.
    The memory that making it took for a while is given back.
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
        _give_back_memory()


def _give_back_memory() -> None:
    """Return to the system what was freed; the C library of Linux keeps it for later."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such function
            ctypes.CDLL(None).malloc_trim(0)
