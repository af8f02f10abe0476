"""How an evaluation reports its progress: to a notebook, to a terminal's bars, or to nobody."""

from __future__ import annotations

from collections.abc import Callable

#: Hears how much of a step is done, of how much.
Progress = Callable[[int, int], None]
#: Begins a step, by its name; returns what hears of it.
Steps = Callable[[str], Progress]


def silent(_step: str) -> Progress:
    """Begin a step that nobody hears of."""
    return ignored


def ignored(*_values: object) -> None:
    """Take anything, and do nothing."""
