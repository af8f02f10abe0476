"""The text around a citation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .citing_text import CitingText


@dataclass(frozen=True, slots=True, eq=False)
class PlaceInText:
    """An offset in a citing text."""

    text: CitingText
    offset: int


@dataclass(frozen=True, slots=True)
class CitationContext:
    """Up to *w* words on each side of a citation placeholder, and its sentence.

    `left` and `right` are words in reading order, without citation markers. `citance` is the
    sentence without its citations, `clause` the part of it that this citation supports, `asked`
    that part with what is around it if it is short; `before` precedes the citation in its
    paragraph. It `is_alone` if it names no more than one work and none stands beside it. `place` is
    the place in the draft, for rankers that use more than the window.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    citance: str = ""
    asked: str = ""
    clause: str = ""
    before: str = ""
    is_alone: bool = True
    place: PlaceInText | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the window in reading order."""
        return self.left + self.right
