"""Distribute work over a Dask cluster, with one task for each item."""

from __future__ import annotations

import asyncio
import gc
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from pincite.model.problems import InputError

if TYPE_CHECKING:
    from distributed import Client, Future

Result = TypeVar("Result")

#: Packages whose versions must be the same on all sides, because objects are pickled.
_SAME = ("pincite", "distributed")
#: How often in a row a cluster may fail without a new result before we give up.
_ROUNDS = 3


@contextmanager
def connected(address: str, timeout: float = 10.0) -> Iterator[Cluster]:
    """Connect to the Dask scheduler at `address`.

    `timeout` is how many seconds the scheduler may take to answer, and the first worker to appear.
    Raises `InputError` where Dask is missing here or the cluster cannot be used.
    """
    client = _client(address, timeout)
    try:
        _check_versions(client)
        with _quiet("distributed.client"):
            yield Cluster(client, timeout)
    finally:
        client.close(timeout)


def _client(address: str, timeout: float) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a cluster needs Dask: install it with pip install 'pincite[cluster]'"
        ) from None
    with warnings.catch_warnings():
        # Report differing versions once, and only those that matter.
        warnings.simplefilter("ignore")
        try:
            return Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            message = f"{address}: no Dask scheduler answers ({_line(error)})"
    # A failed client closes when it is garbage-collected; during the start of another client, it
    # would wait for a lock that this one holds. Collect it now: nothing refers to it any more.
    gc.collect()
    raise InputError(message)


def _check_versions(client: Client) -> None:
    versions = client.get_versions(packages=["pincite"])
    here = versions["client"]["packages"]
    sides = {"the scheduler": versions["scheduler"]}
    sides.update((f"worker {name}", worker) for name, worker in versions["workers"].items())
    for side, there in sides.items():
        for package in _SAME:
            found = there["packages"].get(package)
            if found != here[package]:
                has = f"{package} {found}" if found else f"no {package}"
                raise InputError(f"{side} has {has}; it needs {here[package]} as here")


class Cluster:
    """Computes on a cluster; objects sent there are reused by later calls."""

    def __init__(self, client: Client, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._sent: dict[int, tuple[object, Future]] = {}

    def results(
        self,
        function: Callable[..., Result],
        items: Sequence[object],
        **shared: object,
    ) -> Iterator[tuple[int, Result]]:
        """Yield the position of each item and its result, in order of completion.

        The function gets an item and, as keyword arguments, the `shared` objects. Each of these,
        and the items, are sent to each worker once, also for later calls (a worker that dropped
        them gets them from another). Results lost with a worker are computed again. Raises
        `InputError` if the cluster is lost, and whatever the function raises.
        """
        shared["items"] = items
        missing = dict.fromkeys(range(len(items)))
        fruitless = 0
        while missing:
            fruitless += 1
            try:
                for done, result in self._found(function, [*missing], shared):
                    fruitless = 0
                    del missing[done]
                    yield done, result
            except (Exception, asyncio.CancelledError) as error:
                self._raise_unless_transient(error, is_last=fruitless == _ROUNDS)
            if fruitless == _ROUNDS:
                raise InputError("the Dask cluster keeps losing its tasks")

    def _found(
        self,
        function: Callable[..., Result],
        numbers: Sequence[int],
        shared: Mapping[str, object],
    ) -> Iterator[tuple[int, Result]]:
        """Yield the results for some items, without those that the cluster loses."""
        from distributed import as_completed

        try:
            self._client.wait_for_workers(1, self._timeout)
        except asyncio.TimeoutError:
            raise InputError("the Dask cluster has no workers") from None
        there = {name: self._there(thing) for name, thing in shared.items()}
        tasks = self._client.map(_result, numbers, function=function, **there, pure=False)
        for batch in as_completed(tasks, loop=self._client.loop).batches():
            for task in batch:
                if task.status == "error":
                    raise task.exception()
            yield from self._client.gather(batch, errors="skip")

    def _raise_unless_transient(self, error: BaseException, is_last: bool) -> None:
        from distributed import KilledWorker

        if isinstance(error, InputError):
            raise error
        if self._client.status not in ("connecting", "running"):
            raise InputError("the connection to the Dask scheduler is lost")
        if isinstance(error, (KilledWorker, ImportError)):
            raise InputError(f"the Dask workers cannot compute this ({_line(error)})")
        if not isinstance(error, (OSError, asyncio.TimeoutError, asyncio.CancelledError)):
            raise error
        if is_last:
            raise InputError(f"the Dask cluster does not work ({_line(error)})")

    def _there(self, thing: object) -> Future:
        """Return the future of an object on the cluster; send it to all workers if necessary."""
        _, future = self._sent.get(id(thing), (None, None))
        if future is None or future.status != "finished":
            # In a list, as lists would be sent item by item; not by hash, as what is lost is gone.
            (future,) = self._client.scatter([thing], broadcast=True, hash=False)
            self._sent[id(thing)] = (thing, future)
        return future


def _result(
    number: int, function: Callable[..., Result], items: Sequence[object], **shared: object
) -> tuple[int, Result]:
    return number, function(items[number], **shared)


@contextmanager
def _quiet(logger: str) -> Iterator[None]:
    """Silence a library's log for what we report ourselves."""
    log = logging.getLogger(logger)
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
