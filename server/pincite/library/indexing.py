"""Fill the index: read the files that it does not have yet, several at a time."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from ..parsing.papers import kind, read_paper
from .index import PaperIndex
from .reading_process import Limits, Read, ReadingProcess, Unreadable
from .stored import Name, PackedPaper

logger = logging.getLogger(__name__)

#: How soon a cancellation is noticed, in seconds.
_PATIENCE = 0.2
#: A process is replaced after this many files, because its libraries may leak memory.
_FILES_PER_PROCESS = 500
_LIMITS = Limits()

_Outcome = PackedPaper | Unreadable


class _File(NamedTuple):
    path: Path
    digest: str
    suffix: str


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_into(
    index: PaperIndex,
    paths: Iterable[Path],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    read: Read = read_paper,
    limits: Limits = _LIMITS,
) -> bool:
    """Read each paper that the index lacks, and store it there; return False if cancelled.

    `jobs` processes read in parallel (default: one per processor), as far as half of the memory is
    enough for them. Nothing is stored for a file that cannot be accessed or that changes meanwhile.
    `read` is imported by the processes; `RuntimeError` is raised if none can be started.
    """
    paths, done = list(dict.fromkeys(paths)), 0
    jobs = min(jobs or available_processors(), max(1, _memory() // (2 * limits.memory)))

    def advance(by: int = 1) -> None:
        nonlocal done
        done += by
        if progress is not None:
            progress(done, len(paths))

    advance(0)
    crashed = []
    with closing(_Pool(read, limits, jobs)) as pool:
        files = _unread(index, paths, advance, cancelled)
        for file, outcome in pool.outcomes(files, 2 * jobs, cancelled):
            if isinstance(outcome, Unreadable) and outcome.crashed:
                crashed.append(file)
            else:
                _store(index, file, outcome)
                advance()
        # A crash may have been lack of memory beside others, so retry alone. A timeout is not
        # retried: it would take as long again.
        for file, outcome in pool.outcomes(iter(crashed), 1, cancelled):
            _store(index, file, outcome)
            advance()
    return done == len(paths)


def _unread(
    index: PaperIndex,
    paths: Iterable[Path],
    advance: Callable[[], None],
    cancelled: Callable[[], bool],
) -> Iterator[_File]:
    """Yield the files whose content the index does not have, each content once."""
    seen: set[Name] = set()
    for path in paths:
        if cancelled():
            return
        try:
            file = _File(path, index.digest(path), kind(path))
        except OSError as error:
            logger.info("%s: %s", path, error.strerror or error)
            advance()
            continue
        if file[1:] in seen or index.holds(*file[1:]):
            advance()
        else:
            seen.add(file[1:])
            yield file


def _memory() -> int:
    """Return the bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize  # it is unknown


def _store(index: PaperIndex, file: _File, outcome: _Outcome) -> None:
    path, digest, suffix = file
    if isinstance(outcome, Unreadable):
        if outcome.details:
            logger.error("reading %s\n%s", path, outcome.details)
        elif not outcome.lasting:
            logger.warning("%s: %s", path, outcome.error)
    with suppress(OSError):
        if index.digest(path) == digest:
            if isinstance(outcome, PackedPaper):
                index.put(digest, suffix, outcome)
            elif outcome.lasting:
                index.put_unreadable(digest, suffix, outcome.error)


class _Pool:
    """Threads that each read a file in a process; one that is idle serves the next thread."""

    def __init__(self, read: Read, limits: Limits, jobs: int) -> None:
        self._given = read, limits
        self._threads = ThreadPoolExecutor(jobs)
        self._idle: list[ReadingProcess] = []
        self._started: list[ReadingProcess] = []
        self._has_ended = False

    def outcomes(
        self, files: Iterator[_File], at_once: int, cancelled: Callable[[], bool]
    ) -> Iterator[tuple[_File, _Outcome]]:
        """Yield files as they are read, so many of them at the same time."""
        under_way: dict[Future[_Outcome], _File] = {}
        while not cancelled():
            while len(under_way) < at_once and (file := next(files, None)) is not None:
                under_way[self._threads.submit(self._read, file.path)] = file
            if not under_way:
                return
            for future in wait(under_way, _PATIENCE, FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()

    def _read(self, path: Path) -> _Outcome:
        try:
            process = self._idle.pop()
        except IndexError:
            process = ReadingProcess(*self._given)
            self._started.append(process)
            if self._has_ended:
                process.end()
        outcome = process.read(path)
        if process.ended or process.files_read >= _FILES_PER_PROCESS:
            process.end()
        else:
            self._idle.append(process)
        return outcome

    def close(self) -> None:
        self._has_ended = True
        for process in tuple(self._started):
            process.end()
        self._threads.shutdown(cancel_futures=True)
