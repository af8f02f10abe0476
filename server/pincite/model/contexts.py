"""The text around a citation."""

from __future__ import annotations

from collections.abc import Callable
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

    `left` and `right` are words in reading order, without citation markers. `sentences` returns
    `citance` and `asked`, and `alone` returns `is_alone`: a ranking does not need them. `place` is
    the place in the draft, for rankers that use more than the window; `before` returns what
    precedes it in its paragraph.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    sentences: Callable[[], tuple[str, str]] = field(
        default=lambda: ("", ""), compare=False, repr=False
    )
    place: PlaceInText | None = field(default=None, compare=False, repr=False)
    before: Callable[[], str] = field(default=str, compare=False, repr=False)
    alone: Callable[[], bool] = field(default=lambda: True, compare=False, repr=False)

    @classmethod
    def of_citance(cls, citance: str, left: tuple[str, ...] = ()) -> CitationContext:
        """Return a context with this sentence, all of which is asked for."""
        return cls(left, (), lambda: (citance, citance))

    @property
    def citance(self) -> str:
        """The sentence without its citations."""
        return self.sentences()[0]

    @property
    def asked(self) -> str:
        """The part of the sentence, or around it, that this citation supports."""
        return self.sentences()[1]

    @property
    def is_alone(self) -> bool:
        """Whether the citation names no more than one work, and none stands beside it."""
        return self.alone()

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the window in reading order."""
        return self.left + self.right
