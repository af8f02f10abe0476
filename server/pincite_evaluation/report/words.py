"""Format figures and names for reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing import TypeGuard

_Paper = TypeVar("_Paper")

#: The least number of citations of the best and worst papers; with fewer, chance decides.
MIN_OUTCOMES = 5
_LISTED_PAPERS = 10


def is_known(value: float | None) -> TypeGuard[float]:
    """Return whether there is a value."""
    return value is not None and not math.isnan(value)


def number(value: float | None, decimals: int = 2) -> str:
    """Return a value with this many decimals, a dash if unknown."""
    return f"{value:,.{decimals}f}" if is_known(value) else "–"


def fraction(value: float | None) -> str:
    """Return a fraction with three decimals."""
    return number(value, 3)


def percent(value: float | None) -> str:
    """Return a fraction in percent."""
    return number(100 * value if is_known(value) else None, 1)


def difference(value: float | None) -> str:
    """Return a difference of fractions in percentage points."""
    return f"{100 * value:+.1f}".replace("-", "−") if is_known(value) else "–"


def count(value: int, noun: str) -> str:
    """Return ``1 paper`` or ``1,520 papers``."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def worst_and_best(
    papers: Sequence[_Paper], score: Callable[[_Paper], float]
) -> dict[str, list[_Paper]]:
    """Return the worst and the best papers by caption; with few papers, the lists do not overlap.

    Papers with the same score keep the order of `papers`.
    """
    ranked = sorted(papers, key=score, reverse=True)
    half = (len(ranked) + 1) // 2
    lists = {
        "Worst papers": sorted(ranked[half:], key=score)[:_LISTED_PAPERS],
        "Best papers": ranked[:half][:_LISTED_PAPERS],
    }
    return {caption: listed for caption, listed in lists.items() if listed}
