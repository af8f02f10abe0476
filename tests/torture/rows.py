"""What a part of the torture suite tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Size = Literal["ci", "full", "nightly"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was tried how often, how often it failed, and the first failures."""

    promise: str
    tried: int
    failed: int
    note: str = ""
    failures: tuple[str, ...] = ()
