"""Citation resolution in several processes of this machine, or on a Dask cluster.

Every test paper goes through the same function with the same counts as in `run_here`, so that
the figures are the same to the last digit, wherever and in whichever order papers are computed.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scipy.sparse import csr_matrix

from ...model.problems import InputError
from ..processes import PARTS_PER_PROCESS, in_processes
from .counts import CountedBags, CountedCollection, CountedPaper
from .representations import NamedRepresentation
from .table import Ranks, Runner, ranks_of, run_here

if TYPE_CHECKING:
    from distributed import Client, Future

#: What must be the same everywhere: one side unpickles what the other has pickled.
_SAME = ("pincite", "distributed")
#: How often in a row a cluster may fail without one new result before it is given up.
_ROUNDS = 3


def run_in_processes(jobs: int) -> Runner:
    """Return what runs papers in `jobs` processes (at least 1); results come as they are ready.

    The large arrays of a collection are written once for each representation, and mapped into the
    memory of all processes. The runner raises `InputError` when a process is killed.
    """

    def run(
        collection: CountedCollection,
        representation: NamedRepresentation,
        papers: Sequence[CountedPaper],
    ) -> Iterator[tuple[int, Ranks]]:
        size = max(1, math.ceil(len(papers) / (jobs * PARTS_PER_PROCESS)))
        parts = (
            (collection, representation, papers[start : start + size], start)
            for start in range(0, len(papers), size)
        )
        for part in in_processes(jobs, _part, parts):
            yield from part

    return run


def _part(
    collection: CountedCollection,
    representation: NamedRepresentation,
    papers: Sequence[CountedPaper],
    start: int,
) -> list[tuple[int, Ranks]]:
    found = run_here(collection, representation, papers)
    return [(start + number, ranks) for number, ranks in found]


@contextmanager
def cluster(address: str, timeout: float = 10.0) -> Iterator[Runner]:
    """Connect to the Dask scheduler at `address`; give what runs each paper as a task there.

    What papers are computed from is sent once to each worker, also where several representations
    share it (a worker that has dropped it meanwhile gets it from another). Papers that are lost
    with a worker are computed again. `timeout` is how many seconds the scheduler may take to
    answer, and the first worker to appear. Raises `InputError` where Dask is missing here, the
    cluster cannot be used or is lost; so does the runner.
    """
    client = _connected(address, timeout)
    try:
        _check_versions(client)
        with _quiet("distributed.client"):
            yield _Cluster(client, timeout)
    finally:
        client.close(timeout)


def _connected(address: str, timeout: float) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a cluster needs Dask: install it with pip install 'pincite[cluster]'"
        ) from None
    with warnings.catch_warnings():
        # Which versions differ is said once, where it matters.
        warnings.simplefilter("ignore")
        try:
            return Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            message = f"{address}: no Dask scheduler answers ({_line(error)})"
    # A client that failed closes as garbage: in the midst of another one's start, it would wait for
    # a lock that this one holds. Nothing refers to it any more, the error neither.
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


class _Cluster:
    """Runs papers on a cluster; what has been sent there stays for further representations."""

    def __init__(self, client: Client, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._sent: dict[int, tuple[object, Future]] = {}

    def __call__(
        self,
        collection: CountedCollection,
        representation: NamedRepresentation,
        papers: Sequence[CountedPaper],
    ) -> Iterator[tuple[int, Ranks]]:
        missing = dict.fromkeys(range(len(papers)))
        fruitless = 0
        while missing:
            fruitless += 1
            try:
                for number, ranks in self._found(collection, representation, papers, [*missing]):
                    fruitless = 0
                    del missing[number]
                    yield number, ranks
            except (Exception, asyncio.CancelledError) as error:
                self._raise_unless_transient(error, is_last=fruitless == _ROUNDS)
            if fruitless == _ROUNDS:
                raise InputError("the Dask cluster loses all that it is given")

    def _found(
        self,
        collection: CountedCollection,
        representation: NamedRepresentation,
        papers: Sequence[CountedPaper],
        numbers: Sequence[int],
    ) -> Iterator[tuple[int, Ranks]]:
        """Yield the results for some papers, without those that the cluster loses on the way."""
        from distributed import as_completed

        try:
            self._client.wait_for_workers(1, self._timeout)
        except asyncio.TimeoutError:
            raise InputError("the Dask cluster has no workers") from None
        window = representation.window
        tasks = self._client.map(
            _ranks,
            numbers,
            papers=self._there(papers),
            representation=representation,
            inside=self._there(collection.inside[representation.internal]),
            outside=None if window is None else self._there(collection.outside[window]),
            pure=False,
        )
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
        """Return what stands for an object on the cluster; send it to all workers if need be."""
        _, future = self._sent.get(id(thing), (None, None))
        if future is None or future.status != "finished":
            # In a list, as lists would be sent item by item; not by hash, as what is lost is gone.
            (future,) = self._client.scatter([thing], broadcast=True, hash=False)
            self._sent[id(thing)] = (thing, future)
        return future


def _ranks(
    number: int,
    papers: Sequence[CountedPaper],
    representation: NamedRepresentation,
    inside: CountedBags,
    outside: csr_matrix | None,
) -> tuple[int, Ranks]:
    window = representation.window
    collection = CountedCollection(
        {representation.internal: inside},
        {} if window is None or outside is None else {window: outside},
    )
    return number, ranks_of(collection, representation, papers[number])


@contextmanager
def _quiet(logger: str) -> Iterator[None]:
    """Keep a library from logging what we say ourselves."""
    log = logging.getLogger(logger)
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
