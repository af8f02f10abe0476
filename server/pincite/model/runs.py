"""What two sequences share, compared by identity."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_


def shared_ends(new: Sequence[object], old: Sequence[object]) -> tuple[int, int]:
    """Return how many items are the same objects at the beginning and, of the others, at the end.

    The objects themselves are not looked at: those of a long draft are not in the processor's
    cache.
    """
    front = _same(new, old)
    return front, _same(new[front:][::-1], old[front:][::-1])


def _same(new: Sequence[object], old: Sequence[object]) -> int:
    differs = (number for number, same in enumerate(map(is_, new, old)) if not same)
    return next(differs, min(len(new), len(old)))
