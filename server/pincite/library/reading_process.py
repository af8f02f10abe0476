"""A separate process that reads papers for this one.

A file may crash its reader, keep it busy forever or exhaust the memory; in a separate process this
harms nothing else, and never holds the interpreter lock that an editor waits for.

The standard library's process pools break as a whole when one process dies, have no time limit,
import the program's main module again and inherit its standard input and output, which carry the
language server's protocol. A process here has only two pipes: it receives paths through one, sends
the content of these files through the other, and ends when its pipes close, so that it never
outlives this process.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, NamedTuple

from ..contexts.inlinks import paper_contexts
from ..model.papers import CitingPaper, ReferencePaper
from ..model.problems import InputError
from ..settings import STORED_WINDOW
from .stored import PackedPaper, pack

#: Niceness: the author's own work comes first.
_NICENESS = 10
_START = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " from pincite.library.reading_process import serve; serve()"
)
#: Several processes keep all processors busy, and each thread takes address space.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_READY = "ready"

Read = Callable[[Path], ReferencePaper]


class Limits(NamedTuple):
    """Limits for one file: seconds, and bytes of memory (if the system can limit it)."""

    seconds: float = 120.0
    memory: int = 1 << 30


class Unreadable(NamedTuple):
    """Why a file was not read: `lasting` due to its content, `crashed` if a process ended."""

    error: InputError
    lasting: bool = True
    details: str = ""
    crashed: bool = False


class ReadingProcess:
    """One process that reads papers, one after another. Only one thread may use it at a time."""

    def __init__(self, read: Read, limits: Limits) -> None:
        self.files_read = 0
        #: Whether a file ended it, so that it cannot be used any more.
        self.ended = False
        self._seconds = limits.seconds
        # Ctrl-C in our terminal must not reach it.
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            own = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            apart = {"creationflags": own | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
            **apart,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._paths, self._answers = self._process.stdin, self._process.stdout
        with suppress(OSError):  # if it has already ended, reading from it will show that
            _send(self._paths, (limits, read))

    def read(self, path: Path) -> PackedPaper | Unreadable:
        """Return what is in a file; raises `RuntimeError` if the process did not even start."""
        if self.files_read == 0 and self._answer() != _READY:
            raise RuntimeError("the process that reads papers does not start")
        self.files_read += 1
        began = time.monotonic()
        with suppress(OSError):
            _send(self._paths, path.absolute())
        answer = self._answer()
        if isinstance(answer, (PackedPaper, Unreadable)):
            return answer
        self.ended = True
        if time.monotonic() - began < self._seconds:
            return Unreadable(InputError("it crashes the reader"), crashed=True)
        return Unreadable(InputError(f"reading it takes longer than {self._seconds:g} seconds"))

    def end(self) -> None:
        """End the process even while it reads; may be called by any thread, and again."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._paths, self._answers):
            with suppress(OSError):
                pipe.close()

    def _answer(self) -> object:
        """Return what the process sends; None if it ended before it had sent everything."""
        try:
            return pickle.load(self._answers)
        except Exception:  # a truncated message may raise anything
            return None


def serve() -> None:
    """Read files whose paths are received until the pipe closes; the process's main function."""
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    paths: SimpleQueue[Path] = SimpleQueue()

    def receive() -> None:
        try:
            while True:
                paths.put(pickle.load(tasks))
        finally:  # the sender has ended
            os._exit(0)

    try:
        limits, read = pickle.load(tasks)
    except EOFError:  # the server ended while this process started
        os._exit(0)
    _limit(limits.memory)
    threading.Thread(target=receive, daemon=True).start()
    try:
        _send(answers, _READY)
        # Libraries' warnings about odd files are noise.
        os.dup2(nowhere, 2)
        while True:
            path = paths.get()
            # Its own thread, which does not need the interpreter lock, ends even a loop in C.
            faulthandler.dump_traceback_later(limits.seconds, exit=True, file=nowhere)
            answer = _outcome(read, path)
            faulthandler.cancel_dump_traceback_later()
            _send(answers, answer)
    except OSError:  # the receiver is gone
        os._exit(0)


def _send(pipe: IO[bytes], message: object) -> None:
    pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _limit(memory: int) -> None:
    """Lower the priority of this process and cap its memory."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(_NICENESS)
    # Not every system has all of them.
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory)):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))


def _outcome(read: Read, path: Path) -> PackedPaper | Unreadable:
    try:
        paper = read(path)
        contexts = tuple(paper_contexts(paper, "", STORED_WINDOW))
        return pack(paper, CitingPaper(paper.references, contexts))
    except InputError as error:
        return Unreadable(error, lasting=not isinstance(error.__context__, OSError))
    except OSError as error:
        return Unreadable(InputError(error.strerror or str(error)), lasting=False)
    except MemoryError:
        return Unreadable(InputError("reading it takes too much memory"))
    except Exception as error:
        reason = InputError(f"cannot be read ({type(error).__name__}: {error})")
        # An incomplete installation, or one that is being replaced, is not the file's fault.
        lasting = not isinstance(error, (ImportError, SyntaxError))
        return Unreadable(reason, lasting, traceback.format_exc())
