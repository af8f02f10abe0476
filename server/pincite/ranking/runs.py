"""What a draft has in common with its state before an edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def runs_in(parts: Sequence[Part], earlier: Sequence[Part]) -> Iterator[tuple[int, int, int]]:
    """Split parts into runs that an earlier sequence has as well; compared by identity.

    Yield ``(first, end, at)``: ``parts[first:end]`` are ``earlier[at : at + end - first]``. A part
    that is not there is a run of its own, with -1 for `at`. Of a part that occurs several times in
    `earlier`, the last occurrence counts.
    """
    places = {id(part): place for place, part in enumerate(earlier)}
    first = 0
    while first < len(parts):
        at, end = places.get(id(parts[first]), -1), first + 1
        if at >= 0:
            for one, other in zip(parts[end:], earlier[at + 1 :], strict=False):
                if one is not other:
                    break
                end += 1
        yield first, end, at
        first = end
