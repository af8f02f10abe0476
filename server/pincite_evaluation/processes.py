"""Run a function over many items: in this process, in several with joblib, or on a Dask cluster.

Wherever they are computed, the results are the same to the last digit.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import logging
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pincite.library.indexing import available_processors
from pincite.model.problems import InputError

if TYPE_CHECKING:
    from distributed import Client

#: Called with the amount of a step that is done, and the total.
Progress = Callable[[int, int], None]
Item = TypeVar("Item")
Result = TypeVar("Result")

#: Tasks that a cluster has at once for each of its threads, so that few wait in its memory.
_AHEAD = 4


def ignored(*_values: object) -> None:
    """Accept anything and do nothing."""


#: What begins a step by name and returns the callback for its progress.
_shown: ContextVar[Callable[[str], Progress]] = ContextVar("shown", default=lambda _: ignored)


@contextmanager
def showing(begin: Callable[[str], Progress]) -> Iterator[None]:
    """Let `begin` show the steps of all work done meanwhile; otherwise, they are not shown."""
    before = _shown.set(begin)
    try:
        yield
    finally:
        _shown.reset(before)


def step(name: str) -> Progress:
    """Begin a step of long work."""
    return _shown.get()(name)


def tracked(items: Iterable[Item], name: str, total: int) -> Iterator[Item]:
    """Yield items as a step that shows how many of the `total` are done."""
    progress = step(name)
    progress(0, total)
    for done, item in enumerate(items, start=1):
        yield item
        progress(done, total)


def imported(needs: str, *modules: str) -> list[Any]:
    """Return optional modules; raises `InputError` with what is needed where one is missing."""
    try:
        return [import_module(module) for module in modules]
    except (ImportError, OSError) as error:
        raise InputError(needs.format(error)) from None


@dataclass(frozen=True, slots=True)
class Workers:
    """Compute in `jobs` processes, 1 being this one, or on the cluster of a Dask `client`."""

    jobs: int = 1
    client: Client | None = None
    timeout: float = 10.0

    def map(
        self,
        function: Callable[..., Result],
        items: Sequence[Item],
        *shared: object,
        name: str = "",
    ) -> Iterator[Result]:
        """Yield ``function(item, *shared)`` for each of the `items`, in order, as a step."""
        if self.client is not None:
            results = _on_cluster(self.client, self.timeout, function, items, shared)
        elif self.jobs > 1:
            results = _in_processes(self.jobs, function, items, shared)
        else:
            results = (function(item, *shared) for item in items)
        yield from tracked(results, name, len(items)) if name else results


#: This process.
HERE: Final = Workers()


@contextmanager
def open_workers(
    jobs: int | None, scheduler: str | None = None, timeout: float = 10.0
) -> Iterator[Workers]:
    """Provide `jobs` processes (None: one for each CPU), or the Dask cluster at a `scheduler`."""
    if scheduler is None:
        yield Workers(jobs or available_processors())
        return
    if jobs not in (None, 1):
        raise InputError("jobs and scheduler cannot be combined")
    client = _connect(scheduler, timeout)
    log = logging.getLogger("distributed.client")
    level = log.level
    try:
        versions = client.get_versions(packages=["pincite"])
        here = versions["client"]["packages"]
        workers = {f"worker {name}": worker for name, worker in versions["workers"].items()}
        sides = {"the scheduler": versions["scheduler"], **workers}
        # Objects are pickled, so these packages must have the same versions on all sides.
        for side, package in product(sides, ("pincite", "distributed")):
            if (found := sides[side]["packages"].get(package)) != here[package]:
                has = f"{package} {found}" if found else f"no {package}"
                raise InputError(f"{side} has {has}; it needs {here[package]} as here")
        log.setLevel(logging.CRITICAL)  # what it logs, we raise
        yield Workers(1, client, timeout)
    finally:
        log.setLevel(level)
        client.close(timeout)


def _in_processes(
    jobs: int, function: Callable[..., Result], items: Iterable[Item], shared: tuple[object, ...]
) -> Iterator[Result]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import BrokenProcessPool

    # joblib restarts processes that have grown, which is fine.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    # Where Ctrl-C could not be blocked in processes, they ignore it.
    ignoring: Any = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    parallel = Parallel(jobs, backend="loky", return_as="generator", **ignoring)
    results: Any = None
    with _dropped_items_passed_over():
        try:
            with _ctrl_c_held():
                results = parallel(delayed(function)(item, *shared) for item in items)
            # Not `yield from`: it would forward `close`, and joblib would warn.
            for result in results:  # noqa: UP028
                yield result
        except BrokenProcessPool:
            message = "a process was killed, perhaps for lack of memory; try fewer --jobs"
            raise InputError(message) from None
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns of results that are not needed
                if results is not None:
                    results.close()


@contextmanager
def _dropped_items_passed_over() -> Iterator[None]:
    """Print no traceback where a thread of loky looks up an item that it has just dropped.

    When its processes are killed it empties its table of items, but not the queue of their numbers.
    The thread ends then, as it should.
    """
    before = threading.excepthook

    def passed_over(raised: threading.ExceptHookArgs) -> None:
        thread = raised.thread.name if raised.thread is not None else ""
        if not (raised.exc_type is KeyError and thread.startswith("ExecutorManagerThread")):
            before(raised)

    threading.excepthook = passed_over
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Defer Ctrl-C, which all processes of a terminal get, and block it in those started here."""
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


def _on_cluster(
    client: Client,
    timeout: float,
    function: Callable[..., Result],
    items: Sequence[Item],
    shared: tuple[object, ...],
) -> Iterator[Result]:
    from distributed import KilledWorker

    def result(future: Any) -> Any:  # noqa: ANN401
        while True:
            try:
                return future.result(timeout)
            except asyncio.TimeoutError:
                if future.done():
                    raise
                client.wait_for_workers(1, timeout)  # it is slow, or all workers are lost

    pending: deque[Any] = deque()
    try:
        client.wait_for_workers(1, timeout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that what is shared is large
            # As a task, it can be computed again; it is sent to each worker once.
            known = client.submit(tuple, shared, pure=False)
        for item in items:
            pending.append(client.submit(_apply, function, item, known, pure=False))
            if len(pending) > _AHEAD * max(1, sum(client.nthreads().values())):
                yield result(pending.popleft())
        while pending:
            yield result(pending.popleft())
    except asyncio.TimeoutError:
        raise InputError("the Dask cluster has no workers") from None
    except KilledWorker as error:
        raise InputError(f"the Dask workers cannot compute this ({first_line(error)})") from None
    except (OSError, asyncio.CancelledError, concurrent.futures.CancelledError):
        if client.status == "running":
            raise
        raise InputError("the connection to the Dask scheduler is lost") from None


def _apply(function: Callable[..., Result], item: object, shared: tuple[object, ...]) -> Result:
    return function(item, *shared)


def _connect(address: str, timeout: float) -> Client:
    needs = "a cluster needs Dask: install it with pip install 'pincite[cluster]'"
    (dask,) = imported(needs, "distributed")
    with warnings.catch_warnings():
        # Report differing versions once, and only those that matter.
        warnings.simplefilter("ignore")
        try:
            client: Client = dask.Client(address, timeout=timeout, set_as_default=False)
            return client
        except (OSError, ValueError, ImportError) as error:
            message = f"{address}: no Dask scheduler answers ({first_line(error)})"
    # A failed client closes when it is garbage-collected; during the start of another client, it
    # would wait for a lock that this one holds. Collect it now: nothing refers to it any more.
    gc.collect()
    raise InputError(message)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its class if there is no message."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
