"""Rows of the torture suite's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Size = Literal["ci", "full", "nightly"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the attack, the numbers of trials and failures, and the first failures."""

    promise: str
    tried: int
    failed: int
    note: str = ""
    failures: tuple[str, ...] = ()
