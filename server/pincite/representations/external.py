"""External representations: how others cite the work (Duma and Klein 2014, section 4)."""

from __future__ import annotations

from collections.abc import Callable

from ..model.papers import Candidate
from ..settings import Window
from .internal import Words

External = Callable[[Candidate], Words]


def inlink_contexts(window: Window) -> External:
    """Return a representation by the bag of all inlink contexts, cut to `window`."""

    def gather(candidate: Candidate) -> Words:
        gathered: Words = []
        for context in candidate.inlink_contexts:
            if window.left:
                gathered.extend(context.left[-window.left :])
            gathered.extend(context.right[: window.right])
        return gathered

    return gather


def nothing(candidate: Candidate) -> Words:
    """Return an empty bag: for internal representations alone."""
    return []
