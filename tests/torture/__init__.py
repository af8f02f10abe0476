"""Stress tests of the real product: attack each promise of docs/explanation/reliability.md many times.

``make torture`` runs all parts for less than a quarter of an hour and prints one table.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Size = Literal["ci", "full", "nightly"]


class Row(NamedTuple):
    """One line of the table: the attack, the number of trials, and the failures."""

    promise: str
    tried: int
    failures: Sequence[str] = ()
    note: str = ""
