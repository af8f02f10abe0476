"""Work spread over several processes of this machine."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from ..model.problems import InputError

Result = TypeVar("Result")

#: Enough for an even share of parts of any size, few enough to outweigh what each costs.
PARTS_PER_PROCESS = 8


def in_processes(
    jobs: int, function: Callable[..., Result], parts: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Yield what `function` returns for each of `parts`, as it is ready, from `jobs` processes.

    Processes stay for the next call; large arrays are mapped into the memory of all. Raises
    `InputError` when a process is killed, and what the function raises.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky import BrokenProcessPool

    # Its processes end themselves when they have grown; new ones take their work.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    parallel = Parallel(
        jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        # Where Ctrl-C could not be kept from them.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with ExitStack() as stack:
        with _ctrl_c_held():
            results = parallel(delayed(function)(*part) for part in parts)
            stack.callback(_drop, results)
        try:
            # Not `yield from`: it would hand on a `close`, and joblib would warn of it.
            for result in results:  # noqa: UP028
                yield result
        except BrokenProcessPool:
            raise InputError(
                "a process was killed, perhaps for lack of memory; fewer --jobs need less"
            ) from None


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Keep Ctrl-C for later, and for good from the processes that begin meanwhile.

    It reaches all processes of a terminal, but this one is to end the others.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker as python_tracker

    from joblib.externals.loky.backend import resource_tracker as joblib_tracker

    for tracker in (python_tracker, joblib_tracker):
        tracker.ensure_running()  # Begun with the processes, it would let Ctrl-C through again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _drop(results: Generator[Any, None, None]) -> None:
    """End what computes results that nobody takes any more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib warns of just that
        results.close()
