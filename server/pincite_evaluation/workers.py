"""Where an evaluation computes: in this process, in several, or on a Dask cluster.

The same function gets the same items everywhere, so that the results are the same to the last
digit, wherever and in whichever order they are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from pincite.library.indexing import available_processors
from pincite.model.problems import InputError

from .cluster import Cluster, connected
from .processes import PARTS_PER_PROCESS, in_processes

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class LocalWorkers:
    """Computes a function of each of several items in `jobs` processes; 1 is this one."""

    jobs: int = 1

    def results(
        self,
        function: Callable[..., Result],
        items: Sequence[object],
        **shared: object,
    ) -> Iterator[tuple[int, Result]]:
        """Yield the position of each item and its result, in order of completion.

        The function gets an item and, as keyword arguments, the `shared` objects, whose large
        arrays are memory-mapped by all processes. Raises `InputError` if a process is killed, and
        whatever the function raises.
        """
        if self.jobs == 1:
            yield from enumerate(function(item, **shared) for item in items)
            return
        size = 1
        if shared:  # every part of the work carries them
            size = max(1, math.ceil(len(items) / (self.jobs * PARTS_PER_PROCESS)))
        parts = (
            (function, items[start : start + size], shared, start)
            for start in range(0, len(items), size)
        )
        for part in in_processes(self.jobs, _part, parts):
            yield from part


#: This process.
HERE: Final = LocalWorkers()
Workers: TypeAlias = LocalWorkers | Cluster


def _part(
    function: Callable[..., Result],
    items: Sequence[object],
    shared: Mapping[str, Any],
    start: int,
) -> list[tuple[int, Result]]:
    return [(number, function(item, **shared)) for number, item in enumerate(items, start)]


@contextmanager
def open_workers(jobs: int | None, scheduler: str | None) -> Iterator[Workers]:
    """Provide `jobs` processes (None: one for each CPU), or the cluster at a `scheduler`.

    Raises `InputError` if both are given, and as `connected` does.
    """
    if jobs not in (None, 1) and scheduler is not None:
        raise InputError("jobs and scheduler cannot be combined")
    if scheduler is None:
        yield LocalWorkers(jobs or available_processors())
        return
    with connected(scheduler) as cluster:
        yield cluster
