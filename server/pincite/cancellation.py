"""Cancellation of work whose result is no longer needed.

Long loops call `check` or iterate over `checked` items. Results that later requests need too (a
fitted paper, a parsed file) are finished anyway: the next request would start them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import RLock, get_ident
from typing import ClassVar, Final, TypeVar

_T = TypeVar("_T")

#: How often waiting work checks whether it is cancelled.
_LOOK_SECONDS: Final = 0.05
_is_cancelled: ContextVar[Callable[[], bool] | None] = ContextVar("is_cancelled", default=None)
#: The time, of `time.monotonic`, at which an author has waited long enough.
_deadline: ContextVar[float] = ContextVar("deadline", default=inf)


class CancelledError(Exception):
    """The work was cancelled: its result is no longer needed."""


def check() -> None:
    """Raise `CancelledError` if the work of this thread is cancelled; else do nothing."""
    is_cancelled = _is_cancelled.get()
    if is_cancelled is not None and is_cancelled():
        raise CancelledError


def checked(items: Iterable[_T], every: int = 1) -> Iterator[_T]:
    """Yield items, with a `check` before each, or before each group of `every` items."""
    for number, item in enumerate(items):
        if number % every == 0:
            check()
        yield item


def result_of(future: Future[_T], seconds: float = inf) -> _T:
    """Wait for a result; raise `CancelledError` when this work is cancelled, or `TimeoutError`."""
    ends = time.monotonic() + seconds
    while not wait([future], _LOOK_SECONDS).done:
        check()
        if time.monotonic() > ends:
            raise TimeoutError
    return future.result()


class Turns:
    """A reentrant lock; who waits for it raises `CancelledError` once its work is cancelled."""

    #: The threads that hold one of them.
    _holders: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=_LOOK_SECONDS):
            check()
        self._holders.append(get_ident())

    def __exit__(self, *_: object) -> None:
        self._holders.remove(get_ident())
        self._lock.release()

    @classmethod
    def is_one_held(cls) -> bool:
        """Return whether this thread holds one, for which others may be waiting."""
        return get_ident() in cls._holders


#: Held while a draft is read, or its first recommender or the matcher made: other threads may need
#: the same, and get it from the caches.
READING: Final = Turns()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """In this context, let `is_late` be true once so many seconds have passed."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def is_late() -> bool:
    """Return whether this thread should end and return what it has so far."""
    return time.monotonic() > _deadline.get()


@contextmanager
def cancelled_by(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """In this context, let `check` call `is_cancelled` on this thread."""
    token = _is_cancelled.set(is_cancelled)
    try:
        yield
    finally:
        _is_cancelled.reset(token)
