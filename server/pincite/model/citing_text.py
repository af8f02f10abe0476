"""A text that cites, in reading order: a draft of several files, or a paper of a collection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, NamedTuple, TypeVar

#: Between paragraphs, and so between parts.
PARAGRAPH_BREAK: Final = "\n\n"

_Value = TypeVar("_Value")


class CitedPlace(NamedTuple):
    """A citation, whose `CITATION_MARK` is at the offset `start`; `keys` are never empty."""

    start: int
    keys: tuple[str, ...]


class TextHeading(NamedTuple):
    """A heading at the offsets ``[start, end)`` of the text; a smaller `level` is a larger part."""

    start: int
    end: int
    level: int


@dataclass(frozen=True, eq=False)
class TextPart:
    """Some paragraphs of a citing text, with their own offsets; compared by identity."""

    text: str
    places: tuple[CitedPlace, ...] = ()
    headings: tuple[TextHeading, ...] = ()

    @cached_property
    def paragraph_starts(self) -> Sequence[int]:
        """The offset of each paragraph."""
        starts, end = [0], self.text.find(PARAGRAPH_BREAK)
        while end >= 0:
            starts.append(start := end + len(PARAGRAPH_BREAK))
            end = self.text.find(PARAGRAPH_BREAK, start)
        return starts

    def paragraph(self, number: int) -> str:
        """Return a paragraph; not cached, as all would take as much memory as the text."""
        starts = self.paragraph_starts
        is_last = number + 1 == len(starts)
        end = len(self.text) if is_last else starts[number + 1] - len(PARAGRAPH_BREAK)
        return self.text[starts[number] : end]

    def headings_before(self, offset: int) -> int:
        """Return the number of headings before an offset."""
        return bisect_left(self.headings, (offset,))


@dataclass(frozen=True, eq=False)
class CitingText:
    """Prose in parts, with a `CITATION_MARK` for each citation; `starts` are their offsets."""

    parts: tuple[TextPart, ...]
    starts: Sequence[int]

    @classmethod
    def of(
        cls,
        text: str,
        places: tuple[CitedPlace, ...] = (),
        headings: tuple[TextHeading, ...] = (),
    ) -> CitingText:
        """Return a text in one part."""
        return cls((TextPart(text, places, headings),), (0,))

    @property
    def length(self) -> int:
        """The length of the text in characters."""
        return self.starts[-1] + len(self.parts[-1].text)

    def part_at(self, offset: int) -> tuple[int, TextPart, int]:
        """Return the number of the part at an offset of the text, the part, the offset within."""
        number = max(bisect_right(self.starts, offset) - 1, 0)
        return number, self.parts[number], offset - self.starts[number]

    def between(self, start: int, end: int) -> str:
        """Return the text between two offsets, the first of which may be negative."""
        first, _, within = self.part_at(max(start, 0))
        last, *_ = self.part_at(end)
        text = PARAGRAPH_BREAK.join(part.text for part in self.parts[first : last + 1])
        return text[within : within + max(0, end - max(start, 0))]

    def cited_around(self, offset: int) -> set[str]:
        """Return the keys that the paragraph at an offset of the text cites."""
        _, part, within = self.part_at(offset)
        starts = part.paragraph_starts
        number = bisect_right(starts, within)
        begin, end = (
            starts[max(number - 1, 0)],
            (*starts[number : number + 1], len(part.text) + 1)[0],
        )
        return {key for start, keys in part.places if begin <= start < end for key in keys}

    @property
    def text(self) -> str:
        """The whole text, joined on every access."""
        return PARAGRAPH_BREAK.join(part.text for part in self.parts)

    @property
    def places(self) -> tuple[CitedPlace, ...]:
        """All citations in reading order."""
        return tuple(
            CitedPlace(begin + start, keys)
            for begin, part in zip(self.starts, self.parts, strict=True)
            for start, keys in part.places
        )

    @property
    def headings(self) -> tuple[TextHeading, ...]:
        """All headings in reading order."""
        return tuple(
            TextHeading(begin + start, begin + end, level)
            for begin, part in zip(self.starts, self.parts, strict=True)
            for start, end, level in part.headings
        )


class PartCache(Generic[_Value]):
    """Caches a value for each part of the latest text: an edit changes few parts."""

    def __init__(self) -> None:
        self._known: dict[TextPart, _Value] = {}

    def of(self, text: CitingText, read: Callable[[TextPart], _Value]) -> list[_Value]:
        """Return the value of each part of a text, computed by `read` if it is new."""
        known = self._known
        # Replaced at once: other threads may ask for other texts.
        self._known = now = {
            part: known[part] if part in known else read(part) for part in text.parts
        }
        return [now[part] for part in text.parts]
