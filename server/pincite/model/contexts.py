"""The text around a citation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .citing_text import CitingText


@dataclass(frozen=True, slots=True, eq=False)
class PlaceInText:
    """An offset in a text that cites."""

    text: CitingText
    offset: int


@dataclass(frozen=True, slots=True)
class CitationContext:
    """Up to *w* words on each side of a citation placeholder, and the sentence it stands in.

    `left` and `right` are words in reading order, without citation markers; `citance` is the
    sentence, with its citations taken out, `asked` what of it (or around it) this citation stands
    for. `place` says where in its draft it is, for rankers that
    look at more than the window.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    citance: str = ""
    asked: str = ""
    place: PlaceInText | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the window in reading order."""
        return self.left + self.right
