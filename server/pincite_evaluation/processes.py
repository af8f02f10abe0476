"""Distribute work over several local processes."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from pincite.model.problems import InputError

Result = TypeVar("Result")

#: Enough parts to balance the load, few enough to keep the overhead small.
PARTS_PER_PROCESS = 8


def in_processes(
    jobs: int, function: Callable[..., Result], parts: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Yield the results of `function` for `parts`, in order of completion, from `jobs` processes.

    Processes are reused by the next call; large arrays are memory-mapped by all. Raises
    `InputError` if a process is killed, and whatever the function raises.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky import BrokenProcessPool

    # joblib restarts processes that have grown, which is fine.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    parallel = Parallel(
        jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        # On platforms where Ctrl-C could not be blocked in them.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with ExitStack() as stack:
        with _ctrl_c_held():
            results = parallel(delayed(function)(*part) for part in parts)
            stack.callback(_drop, results)
        try:
            # Not `yield from`: it would forward `close`, and joblib would warn.
            for result in results:  # noqa: UP028
                yield result
        except BrokenProcessPool:
            raise InputError(
                "a process was killed, perhaps for lack of memory; try fewer --jobs"
            ) from None


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Defer Ctrl-C, and block it permanently in processes started meanwhile.

    It reaches all processes of a terminal, but this process has to end the others.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker as python_tracker

    from joblib.externals.loky.backend import resource_tracker as joblib_tracker

    for tracker in (python_tracker, joblib_tracker):
        tracker.ensure_running()  # Started later, it would unblock Ctrl-C.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _drop(results: Generator[Any, None, None]) -> None:
    """Stop computing results that are no longer needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib warns of just that
        results.close()
