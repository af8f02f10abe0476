"""Fill the index: read the files that it does not have yet, several at a time."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ..parsing.papers import kind, read_paper
from .index import PaperIndex
from .reading_process import DEFAULT_LIMITS, Limits, Read, ReadingProcess, Unreadable
from .stored import Name, PackedPaper

logger = logging.getLogger(__name__)

#: How soon a cancellation is noticed, in seconds.
_PATIENCE = 0.2
#: A process is replaced after this many files, because its libraries may leak memory.
_FILES_PER_PROCESS = 500

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
    limits: Limits = DEFAULT_LIMITS,
) -> bool:
    """Read each paper that the index lacks, and store it there; return False if cancelled.

    `jobs` processes read in parallel (default: one per processor), but only as many as may use half
    of the memory together. Each paper is stored as soon as it is read, or the reason why it cannot
    be used. Nothing is stored for a file that cannot be accessed or that changes meanwhile.
    `progress` is called with the number of finished papers and of all papers. When `cancelled`
    returns true, papers that are being read are abandoned. `read` must be a function that another
    process can import.

    Raises `RuntimeError` if no process can be started.
    """
    paths, done = list(dict.fromkeys(paths)), 0
    report = progress or (lambda _done, _total: None)
    jobs = _fitting(jobs, limits)

    def advance() -> None:
        nonlocal done
        done += 1
        report(done, len(paths))

    def outcomes(files: Iterator[_File], at_once: int) -> Iterator[tuple[_File, _Outcome]]:
        """Yield files as they are read, so many of them at the same time."""
        under_way: dict[Future[_Outcome], _File] = {}
        while not cancelled():
            while len(under_way) < at_once and (file := next(files, None)) is not None:
                under_way[threads.submit(read_apart, file.path)] = file
            if not under_way:
                return
            for future in wait(under_way, _PATIENCE, FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()

    def store(file: _File, outcome: _Outcome) -> None:
        _store(index, file, outcome)
        advance()

    report(0, len(paths))
    crashed = []
    with ThreadPoolExecutor(jobs) as threads, _processes(read, limits) as read_apart:
        for file, outcome in outcomes(_unread(index, paths, advance, cancelled), 2 * jobs):
            if isinstance(outcome, Unreadable) and outcome.crashed:
                crashed.append(file)
            else:
                store(file, outcome)
        # A crash may have been lack of memory beside others, so retry alone. A timeout is not
        # retried: it would take as long again.
        for file, outcome in outcomes(iter(crashed), 1):
            store(file, outcome)
    return done == len(paths)


def _fitting(jobs: int | None, limits: Limits) -> int:
    """Return how many processes may use half of this machine's memory together, at most `jobs`."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        memory = sys.maxsize  # it is unknown
    return min(jobs or available_processors(), max(1, memory // (2 * limits.memory)))


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
            continue
        seen.add(file[1:])
        yield file


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
                index.put_packed(digest, suffix, outcome)
            elif outcome.lasting:
                index.put_unreadable(digest, suffix, outcome.error)


@contextmanager
def _processes(read: Read, limits: Limits) -> Iterator[Callable[[Path], _Outcome]]:
    """Return what reads a file in a process that its thread has; all end with the `with` block."""
    of_thread = threading.local()
    started: list[ReadingProcess] = []
    has_ended = False

    def read_apart(path: Path) -> _Outcome:
        process: ReadingProcess | None = getattr(of_thread, "process", None)
        if process is None or process.ended or process.files_read >= _FILES_PER_PROCESS:
            if process is not None:
                process.end()
            process = of_thread.process = ReadingProcess(read, limits)
            started.append(process)
            if has_ended:
                process.end()
                raise RuntimeError("the reading has ended")
        return process.read(path)

    try:
        yield read_apart
    finally:
        has_ended = True
        for process in tuple(started):
            process.end()
