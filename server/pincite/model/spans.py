"""Places in a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TextSpan:
    """A half-open range ``[start, end)`` of code-point offsets into one text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def covers(self, offset: int) -> bool:
        """Tell whether a cursor at `offset` is in the span or at one of its ends."""
        return self.start <= offset <= self.end

    def of(self, text: str) -> str:
        """Return the part of `text` that the span marks."""
        return text[self.start : self.end]

    def moved(self, by: int) -> TextSpan:
        """Return the span `by` code points later."""
        return TextSpan(self.start + by, self.end + by)
