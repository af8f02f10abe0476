"""Choose where an evaluation computes: in this process, in several, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from ..library.indexing import available_processors
from ..model.problems import InputError

Runner = TypeVar("Runner")


@contextmanager
def runner(
    jobs: int | None,
    scheduler: str | None,
    in_processes: Callable[[int], Runner],
    on_cluster: Callable[[str], AbstractContextManager[Runner]],
) -> Iterator[Runner]:
    """Provide a runner with `jobs` processes (None: one for each CPU), or at a `scheduler`.

    Raises `InputError` if both are given, and as `on_cluster` does.
    """
    if jobs not in (None, 1) and scheduler is not None:
        raise InputError("jobs and scheduler cannot be combined")
    if scheduler is not None:
        with on_cluster(scheduler) as run:
            yield run
        return
    yield in_processes(jobs or available_processors())
