"""Fill the index: read the files that it does not hold yet, several at a time."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..parsing.papers import kind, read_paper
from .index import Name, PackedPaper, PaperIndex
from .reading_process import DEFAULT_LIMITS, Limits, Read, ReadingProcess, Unreadable

logger = logging.getLogger(__name__)

#: How soon a cancellation is noticed, in seconds.
_PATIENCE = 0.2
#: A process is replaced after this many files, because its libraries may leak memory.
_FILES_PER_PROCESS = 500


class _File(NamedTuple):
    """A file or folder whose content the index does not hold."""

    path: Path
    digest: str
    suffix: str


_Outcome = PackedPaper | Unreadable


def available_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int:
    """Return this machine's memory in bytes, a large number if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize


def read_into(
    index: PaperIndex,
    paths: Iterable[Path],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
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
    reading = _Reading(
        index,
        list(dict.fromkeys(paths)),
        progress or (lambda _done, _total: None),
        cancelled or (lambda: False),
    )
    fitting = max(1, _memory() // (2 * limits.memory))
    return reading.run(min(jobs or available_processors(), fitting), read, limits)


@dataclass(slots=True)
class _Reading:
    """One run over some papers."""

    _index: PaperIndex
    _paths: list[Path]
    _progress: Callable[[int, int], None]
    _cancelled: Callable[[], bool]
    _done: int = 0

    def run(self, jobs: int, read: Read, limits: Limits) -> bool:
        """Read what the index lacks; return False if cancelled."""
        crashed = []
        with ThreadPoolExecutor(jobs) as threads, _Processes(read, limits) as processes:
            for file, outcome in self._outcomes(self._unread(), threads, processes, 2 * jobs):
                if isinstance(outcome, Unreadable) and outcome.crashed:
                    crashed.append(file)
                else:
                    self._keep(file, outcome)
            # A crash may have been lack of memory beside others, so retry alone. A timeout is not
            # retried: it would take as long again.
            for file, outcome in self._outcomes(iter(crashed), threads, processes, 1):
                self._keep(file, outcome)
        return self._done == len(self._paths)

    def _unread(self) -> Iterator[_File]:
        """Yield the files whose content the index does not hold, each content once."""
        seen: set[Name] = set()
        self._progress(0, len(self._paths))
        for path in self._paths:
            if self._cancelled():
                return
            suffix = kind(path)
            try:
                digest = self._index.digest(path)
            except OSError as error:
                logger.info("%s: %s", path, error.strerror or error)
                self._advance()
                continue
            if (digest, suffix) in seen or self._index.holds(digest, suffix):
                self._advance()
                continue
            seen.add((digest, suffix))
            yield _File(path, digest, suffix)

    def _outcomes(
        self,
        files: Iterator[_File],
        threads: ThreadPoolExecutor,
        processes: _Processes,
        most: int,
    ) -> Iterator[tuple[_File, _Outcome]]:
        """Yield files as they are read, at most `most` of them at the same time."""
        under_way: dict[Future[_Outcome], _File] = {}
        while not self._cancelled():
            while len(under_way) < most and (file := next(files, None)) is not None:
                under_way[threads.submit(processes.read, file.path)] = file
            if not under_way:
                return
            for future in wait(under_way, _PATIENCE, FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()

    def _keep(self, file: _File, outcome: _Outcome) -> None:
        path, digest, suffix = file
        if isinstance(outcome, Unreadable):
            if outcome.details:
                logger.error("reading %s\n%s", path, outcome.details)
            elif not outcome.lasting:
                logger.warning("%s: %s", path, outcome.error)
        with suppress(OSError):
            if self._index.digest(path) == digest:
                if isinstance(outcome, PackedPaper):
                    self._index.put_packed(digest, suffix, outcome)
                elif outcome.lasting:
                    self._index.put_unreadable(digest, suffix, outcome.error)
        self._advance()

    def _advance(self) -> None:
        self._done += 1
        self._progress(self._done, len(self._paths))


class _Processes:
    """A pool of reading processes, started on demand; all end with the `with` block."""

    def __init__(self, read: Read, limits: Limits) -> None:
        self._read = read
        self._limits = limits
        self._lock = threading.Lock()
        self._idle: list[ReadingProcess] = []
        self._busy: set[ReadingProcess] = set()
        self._ended = False

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            for process in (*self._idle, *self._busy):
                process.end()

    def read(self, path: Path) -> _Outcome:
        """Return what is in a file."""
        with self._lock:
            if self._ended:
                raise RuntimeError("the reading has ended")
            process = self._idle.pop() if self._idle else ReadingProcess(self._read, self._limits)
            self._busy.add(process)
        outcome = process.read(path)
        with self._lock:
            self._busy.discard(process)
            if process.ended or process.files_read >= _FILES_PER_PROCESS:
                process.end()
            else:
                self._idle.append(process)
        return outcome
