"""Citation resolution in several local processes, or on a Dask cluster.

Every test paper goes through the same function with the same counts as in `run_here`, so that
the figures are the same to the last digit, wherever and in whichever order papers are computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...baselines.sparse import csr_matrix
from ..cluster import connected
from ..processes import PARTS_PER_PROCESS, in_processes
from .counts import CountedBags, CountedCollection, CountedPaper
from .representations import NamedRepresentation
from .table import Ranks, Runner, ranks_of, run_here


def run_in_processes(jobs: int) -> Runner:
    """Return a runner that computes papers in `jobs` processes (1: in this one), in any order.

    The large arrays of a collection are written once for each representation and memory-mapped by
    all processes. The runner raises `InputError` when a process is killed.
    """
    if jobs == 1:
        return run_here

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
    """Connect to the Dask scheduler at `address`; provide a runner with one task for each paper.

    Shared data is sent to each worker once, even for several representations. The function and the
    runner raise `InputError` if Dask is missing, or if the cluster is unusable or lost.
    """
    with connected(address, timeout) as workers:

        def run(
            collection: CountedCollection,
            representation: NamedRepresentation,
            papers: Sequence[CountedPaper],
        ) -> Iterator[tuple[int, Ranks]]:
            window = representation.window
            shared: dict[str, object] = {
                "papers": papers,
                "inside": collection.inside[representation.internal],
            }
            if window is not None:
                shared["outside"] = collection.outside[window]
            small = {"representation": representation}
            return workers.results(_ranks, len(papers), shared, small)

        yield run


def _ranks(
    number: int,
    papers: Sequence[CountedPaper],
    representation: NamedRepresentation,
    inside: CountedBags,
    outside: csr_matrix | None = None,
) -> tuple[int, Ranks]:
    window = representation.window
    collection = CountedCollection(
        {representation.internal: inside},
        {} if window is None or outside is None else {window: outside},
    )
    return number, ranks_of(collection, representation, papers[number])
