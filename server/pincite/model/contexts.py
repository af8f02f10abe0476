"""The text around a citation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CitationContext:
    """Up to *w* words on each side of a citation placeholder, and the sentence it stands in.

    `left` and `right` are words in reading order, without citation markers; `citance` is the
    sentence, with its citations taken out.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    citance: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the window in reading order."""
        return self.left + self.right
