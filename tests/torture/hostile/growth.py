"""Measure how processor time grows with the size of a construct."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from torture.hostile.constructs import Construct, constructs

MAX_GROWTH = 2.5
#: Larger files are beyond what authors have; a construct that is quick at this size is sound.
_MAX_BYTES = 4 << 20
#: Above, each string comes from the system anew, which is a step in the curve, not its growth.
_LARGEST_BYTES = 16 << 20
#: Whatever takes so long and grows too much needs no other look.
_LONG = 20.0


@dataclass(frozen=True, slots=True)
class Growth:
    """The processor seconds at n, 2n and 4n of a construct."""

    construct: Construct
    n: int
    seconds: tuple[float, float, float]

    @property
    def largest(self) -> float:
        """The largest growth of a doubling."""
        first, second, third = self.seconds
        return max(second / first, third / second)

    def __str__(self) -> str:
        times = ", ".join(f"{1000 * each:.1f}" for each in self.seconds)
        what = f"{self.construct.reader.name}, {self.construct.name}"
        return f"{what}: {times} ms at {self.n}, {2 * self.n}, {4 * self.n}"


def chosen(number: int | None, seed: int) -> Sequence[Construct]:
    """Return a sample of the constructs, or all of them."""
    every = list(constructs())
    return every if number is None else random.Random(seed).sample(every, number)


def grown(some: Sequence[Construct], floor: float, folder: Path) -> Iterator[Growth]:
    """Measure constructs, starting from a size that takes `floor` seconds.

    Where time grows too much, the best of three counts, twice; where that does, too, larger sizes:
    what is looked at within a window takes the square of the size until the window is full.
    """
    for construct in some:
        n = _size(construct, floor, folder)
        growth = _measured(construct, n, floor, folder, times=1)
        for factor in (1, 1, 4, 16):
            is_known = growth.largest <= MAX_GROWTH or growth.seconds[-1] > _LONG
            if is_known or (factor > 1 and 4 * len(construct.make(factor * n)) > _LARGEST_BYTES):
                break
            growth = _measured(construct, factor * n, floor, folder, times=3)
        yield growth


def _size(construct: Construct, floor: float, folder: Path) -> int:
    """Return the least power of two that takes long enough to be measured, or is large enough."""
    n = 64
    while True:
        data = construct.make(n)
        taken = _seconds(construct, data, folder)
        if taken >= floor or 4 * len(data) >= _MAX_BYTES:
            return n
        # Near the floor, each step counts; far from it, four do no harm.
        n *= 2 if taken > floor / 8 else 4


def _measured(construct: Construct, n: int, floor: float, folder: Path, times: int) -> Growth:
    files = [construct.make(n * factor) for factor in (1, 2, 4)]
    first, second, third = (
        max(floor, min(_seconds(construct, data, folder) for _ in range(times))) for data in files
    )
    return Growth(construct, n, (first, second, third))


def _seconds(construct: Construct, data: bytes, folder: Path) -> float:
    from pincite.model.problems import InputError

    gc.collect()
    gc.disable()
    began = time.process_time()
    try:
        construct.reader.read_bytes(data, folder)
    except InputError:
        pass
    finally:
        taken = time.process_time() - began
        gc.enable()
    return taken
