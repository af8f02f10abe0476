"""What a draft has in common with its state before an edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def runs_in(parts: Sequence[Part], earlier: Sequence[Part]) -> Iterator[tuple[int, int, int]]:
    """Yield runs ``[first, end)`` of all parts, and where each starts in an earlier sequence.

    A run of several parts is as long as both have it in common; a part that is new is one of its
    own, which starts at -1. Parts are compared by identity.
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
