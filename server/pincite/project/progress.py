"""How far reading the papers of a draft is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of a draft's papers are read; once it has `ended`, no more will be."""

    read: int
    papers: int
    ended: bool = False

    @property
    def done(self) -> float:
        """The fraction that is done; 1 only at the end, when the recommender uses the papers."""
        return 1.0 if self.ended else self.read / (self.papers + 1)
