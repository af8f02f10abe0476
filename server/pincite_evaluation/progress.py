"""Callbacks for the progress of an evaluation: a notebook, a terminal's bars, or nothing."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the amount of a step that is done, and the total.
Progress = Callable[[int, int], None]
#: Begins a step by name; returns the callback for its progress.
Steps = Callable[[str], Progress]


def silent(_step: str) -> Progress:
    """Begin a step whose progress is ignored."""
    return ignored


def ignored(*_values: object) -> None:
    """Accept anything and do nothing."""
