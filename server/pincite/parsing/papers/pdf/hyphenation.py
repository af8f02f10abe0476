"""Join the lines of a paper, and undo hyphenation by the words that it uses elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import regex

from .lines import Line

#: Characters at the end of a text that matter for joining a line to it.
TAIL = 40
_PART = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:-\p{L}[\p{L}\p{M}]*)*")
_BEFORE_HYPHEN = regex.compile(r"([\p{L}\p{M}\p{N}]+)[-‐\u00ad]\Z")
_LAST_COMPOUND = regex.compile(r"[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?=[-‐\u00ad]\Z)")
_FIRST_PART = regex.compile(r"[\p{L}\p{M}]+")


class LineJoiner:
    """Joins lines by the words that a paper uses."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._vocabulary = _vocabulary(lines)

    def join(self, before: str, after: str) -> str:
        """Join two lines with a space, or undo a hyphenation between them.

        A hyphen is kept if the paper has the hyphenated compound elsewhere, before a capital or
        digit, and between two longer words that the paper uses separately.
        """
        if not before:
            return after
        tail = max(0, len(before) - TAIL)
        hyphen = _BEFORE_HYPHEN.search(before, tail)
        first = _FIRST_PART.match(after)
        if hyphen is None:
            return f"{before} {after}"
        if first is None or not first[0][0].islower() or not hyphen[1].isalpha():
            return before + after
        count = self._vocabulary
        whole_before, whole_after = _LAST_COMPOUND.search(before, tail), _PART.match(after)
        left = whole_before[0].casefold() if whole_before else hyphen[1].casefold()
        right = whole_after[0].casefold() if whole_after else first[0].casefold()
        joined, compound = count[left + right], count[f"{left}-{right}"]
        if joined != compound:
            return before + after if compound > joined else before[:-1] + after
        # Neither form occurs elsewhere: a compound of several words, or of two words that do.
        inner, outer = count[hyphen[1].casefold()], count[first[0].casefold()]
        is_long = "-" in left or "-" in right
        if is_long and inner and outer:
            return before + after
        if inner > 1 and outer > 1 and min(len(hyphen[1]), len(first[0])) > 3:
            return before + after
        return before[:-1] + after


def _vocabulary(lines: Sequence[Line]) -> Counter[str]:
    """Count words, compounds and the words of compounds that are not cut by a line end."""
    counted: Counter[str] = Counter()
    cut = False
    for line in lines:
        found = _PART.findall(line.text.casefold())
        first = 1 if cut else 0
        cut = line.text[-1:] in ("-", "‐", "\u00ad")
        kept = found[first : len(found) - 1 if cut else None]
        counted.update(kept)
        for compound in kept:
            if "-" in compound:
                counted.update(compound.split("-"))
    return counted
