"""The time budget of a run, and its material."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .material import Material


@dataclass(frozen=True, slots=True)
class Plan:
    """`caches` is a folder for indexes that outlive one measurement; `peers` for peers' own code.

    `peers` is None where none are wanted. `ends` is when all should be done, by `time.monotonic`.
    """

    material: Material
    caches: Path
    peers: Path | None
    quick: bool = False
    ends: float = math.inf

    def runs(self, number: int) -> int:
        """Return how often to measure something."""
        return min(number, 2) if self.quick else number

    def processes(self, number: int) -> int:
        """Return how often to measure what needs a process of its own each time."""
        return 1 if self.quick else number

    def seconds(self, number: float) -> float:
        """Return for how long to measure what is measured again and again."""
        return min(number, 0.5) if self.quick else number

    def left(self) -> float:
        """Return the seconds that are left."""
        return self.ends - time.monotonic()


def say(text: str) -> None:
    """Say on stderr what is under way."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
