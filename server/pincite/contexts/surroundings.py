"""The surroundings of a place in a citing text, within its paragraph."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from sys import intern, maxsize
from typing import NamedTuple

from ..model.citing_text import CitingText, TextHeading, TextPart
from ..text.sentences import sentence_near
from ..text.tokens import words_with_starts
from .windows import words_after, words_before

#: Size of the cache of paragraphs with their words: typing changes one paragraph of a draft.
_CACHED_PARAGRAPHS = 16_384
#: Only a part of a paragraph longer than this is read: a whole book may be one paragraph.
_MAX_PARAGRAPH = 20_000
_BOTH_WORDS = 20
_BOTH_CHARACTERS = 2_000


class ParagraphWords(NamedTuple):
    """The words of a paragraph in order, and the offset at which each starts."""

    words: tuple[str, ...]
    starts: Sequence[int]


@lru_cache(_CACHED_PARAGRAPHS)
def paragraph_words(paragraph: str) -> ParagraphWords:
    """Return the words of a paragraph."""
    words, starts = words_with_starts(paragraph)
    # A thesis has each of its words in many paragraphs.
    return ParagraphWords(tuple(map(intern, words)), array("i", starts))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words around a place: those of its paragraph, and how many are of its sentence.

    `headings` are the words of the headings above it, nearest first, `before` and `after` twenty
    words on each side across all boundaries.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    sentence_left: int
    sentence_right: int
    headings: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


class SurroundedText:
    """A citing text by its paragraphs and sections."""

    def __init__(self, citing: CitingText) -> None:
        self.citing = citing
        #: The number of paragraphs and headings before each part.
        self.paragraphs_before: Sequence[int] = [
            *accumulate((len(part.paragraph_starts) for part in citing.parts), initial=0)
        ]
        self.headings_before: Sequence[int] = [
            *accumulate((len(part.headings) for part in citing.parts), initial=0)
        ]

    @property
    def number(self) -> int:
        """The number of paragraphs."""
        return self.paragraphs_before[-1]

    def start(self, offset: int) -> int:
        """Return where the paragraph at an offset starts."""
        _, part, within = self.citing.part_at(offset)
        return offset - within + part.paragraph_starts[paragraph_in(part, within)]

    def paragraph(self, offset: int) -> int:
        """Return the number of the paragraph at an offset."""
        number, part, within = self.citing.part_at(offset)
        return self.paragraphs_before[number] + paragraph_in(part, within)

    def section(self, offset: int) -> int:
        """Return the number of headings before an offset."""
        number, part, within = self.citing.part_at(offset)
        return self.headings_before[number] + part.headings_before(within)

    def heading(self, offset: int) -> str:
        """Return the heading that an offset is below, "" if there is none."""
        for part, heading, _ in self._headings(offset):
            return " ".join(part.text[heading.start : heading.end].split())
        return ""

    def _headings(self, offset: int) -> Iterator[tuple[TextPart, TextHeading, int]]:
        """Yield the headings before an offset, nearest first, each with its part and the offset."""
        number, part, within = self.citing.part_at(offset)
        while number >= 0:
            for heading in reversed(part.headings[: part.headings_before(within)]):
                yield part, heading, within
            # The last part before that has any.
            number = bisect_left(self.headings_before, self.headings_before[number]) - 1
            part, within = self.citing.parts[number], maxsize

    def words(self, offset: int) -> tuple[tuple[str, ...], int]:
        """Return the words of the paragraph at an offset, and how many of them start before it."""
        _, part, within = self.citing.part_at(offset)
        found, at, _ = words_in(part, within)
        return found.words, at

    def around(self, offset: int, *, right: bool = True) -> Surroundings:
        """Return the surroundings of an offset; without `right`, only those on its left."""
        _, part, place = self.citing.part_at(offset)
        text, within = _paragraph_text(part, place)
        found = paragraph_words(text)
        words, starts = found.words, found.starts
        at = bisect_left(starts, within)
        # Sentence ends also depend on the text that follows.
        known = (text if right else text[:within]).lstrip()
        begin = len(text) - len(text.lstrip())
        first, last = sentence_near(known, within - begin) or (0, len(known))
        first, last = first + begin, last + begin
        before = self.citing.between(offset - _BOTH_CHARACTERS, offset)
        after = self.citing.between(offset, offset + _BOTH_CHARACTERS)
        return Surroundings(
            left=words[:at],
            right=words[at:] if right else (),
            sentence_left=min(at, max(0, at - bisect_left(starts, first))),
            sentence_right=max(0, bisect_left(starts, last) - at) if right else 0,
            headings=self._above(offset, right=right),
            before=words_before(before, len(before), _BOTH_WORDS),
            after=words_after(after, 0, _BOTH_WORDS) if right else (),
        )

    def _above(self, offset: int, *, right: bool) -> tuple[str, ...]:
        """Return the words of the headings above a place, nearest first, or those on its left."""
        found: list[str] = []
        level = maxsize
        for part, heading, within in self._headings(offset):
            if heading.level < level:
                level = heading.level
                end = heading.end if right else min(heading.end, within)
                found += paragraph_words(part.text[heading.start : end]).words
        return tuple(found)


def paragraph_in(part: TextPart, offset: int) -> int:
    """Return the number of the paragraph at an offset of a part."""
    return max(bisect_right(part.paragraph_starts, offset) - 1, 0)


def words_in(part: TextPart, offset: int) -> tuple[ParagraphWords, int, int]:
    """Return the paragraph at an offset, how many of its words start before it, its own offset."""
    text, within = _paragraph_text(part, offset)
    found = paragraph_words(text)
    return found, bisect_left(found.starts, within), offset - within


def words_of_paragraphs(part: TextPart) -> Iterator[tuple[str, ...]]:
    """Yield the words of each paragraph of a part; of a very long one only those at its start."""
    each = map(part.paragraph, range(len(part.paragraph_starts)))
    return (paragraph_words(text[:_MAX_PARAGRAPH]).words for text in each)


def _paragraph_text(part: TextPart, offset: int) -> tuple[str, int]:
    """Return the paragraph at an offset, or a part of a long one, and the offset within it."""
    number = paragraph_in(part, offset)
    text, within = part.paragraph(number), offset - part.paragraph_starts[number]
    if len(text) > _MAX_PARAGRAPH:
        first = max(0, within - _MAX_PARAGRAPH // 2)
        text, within = text[first : first + _MAX_PARAGRAPH], within - first
    return text, within
