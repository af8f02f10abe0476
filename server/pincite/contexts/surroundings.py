"""What stands around a place in a citing text, and around the places where it cites.

Words are taken from the paragraph of the place: a window crosses neither a paragraph nor a
heading. `both` alone runs over their ends, as the windows of Duma and Klein (2014) do.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..model.citing_text import CitingText
from ..text.sentences import sentence_spans
from ..text.tokens import word_spans
from .windows import words_after, words_before

_BREAK = "\n\n"
#: How many paragraphs with their words are kept: typing changes one of a draft's.
_PARAGRAPHS_KEPT = 16_384
#: A paragraph longer than this is read in part: a whole book may be in one.
_LONGEST_PARAGRAPH = 20_000
#: How many paragraphs with their sentences are kept: those around the places just looked at.
_SENTENCES_KEPT = 64
_BOTH_WORDS = 20
#: Deeper than any heading.
_DEEPEST = 99


@dataclass(frozen=True, slots=True, eq=False)
class ParagraphWords:
    """The words of a paragraph in order, and the offset at which each starts.

    The same paragraph, read again, is the same object as long as it is kept.
    """

    words: tuple[str, ...]
    starts: tuple[int, ...]


@lru_cache(_PARAGRAPHS_KEPT)
def paragraph_words(paragraph: str) -> ParagraphWords:
    """Return the words of a paragraph."""
    spans = tuple(word_spans(paragraph))
    return ParagraphWords(
        tuple(paragraph[start:end] for start, end in spans), tuple(start for start, _ in spans)
    )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a place.

    `left` and `right` are the words of its paragraph, `sentence_left` and `sentence_right` how
    many of those next to it belong to its sentence. `headings` are the words of the headings above
    it, the nearest first, `before` and `after` twenty words on each side whatever lies between.
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
        self._texts = citing.text.split(_BREAK)
        self._starts: list[int] = []
        start = 0
        for text in self._texts:
            self._starts.append(start)
            start += len(text) + len(_BREAK)
        self._headings = [heading.start for heading in citing.headings]

    @property
    def number(self) -> int:
        """How many paragraphs there are."""
        return len(self._texts)

    def paragraphs(self) -> Iterator[ParagraphWords]:
        """Yield the words of each paragraph, of a very long one its first part."""
        return (paragraph_words(text[:_LONGEST_PARAGRAPH]) for text in self._texts)

    def start(self, offset: int) -> int:
        """Return where the paragraph at an offset starts."""
        return self._starts[self.paragraph(offset)]

    def paragraph(self, offset: int) -> int:
        """Return the number of the paragraph at an offset."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def section(self, offset: int) -> int:
        """Return how many headings stand before an offset."""
        return bisect_left(self._headings, offset)

    def words(self, offset: int) -> tuple[tuple[str, ...], int]:
        """Return the words of the paragraph at an offset, and how many of them start before it."""
        found, at, _ = self.paragraph_at(offset)
        return found.words, at

    def paragraph_at(self, offset: int) -> tuple[ParagraphWords, int, int]:
        """Return the paragraph at an offset, how many of its words start before it, its own offset.

        Of a very long paragraph, this is the part round the offset.
        """
        text, within = self._text_at(offset)
        found = paragraph_words(text)
        return found, bisect_left(found.starts, within), offset - within

    def _text_at(self, offset: int) -> tuple[str, int]:
        """Return the paragraph at an offset, of a long one a part, and where in it that is."""
        number = self.paragraph(offset)
        text, within = self._texts[number], offset - self._starts[number]
        if len(text) > _LONGEST_PARAGRAPH:
            first = max(0, within - _LONGEST_PARAGRAPH // 2)
            text, within = text[first : first + _LONGEST_PARAGRAPH], within - first
        return text, within

    def around(self, offset: int, *, right: bool = True) -> Surroundings:
        """Return what stands around a place at an offset; left of it only without `right`."""
        text, within = self._text_at(offset)
        words, at = self.words(offset)
        starts = paragraph_words(text).starts
        # Where a sentence ends is judged by what follows, too.
        spans = _sentences(text) if right else sentence_spans(text[:within])
        first, last = _sentence(spans, within, len(text) if right else within)
        return Surroundings(
            left=words[:at],
            right=words[at:] if right else (),
            sentence_left=min(at, max(0, at - bisect_left(starts, first))),
            sentence_right=max(0, bisect_left(starts, last) - at) if right else 0,
            headings=self._above(offset, right=right),
            before=words_before(self.citing.text, offset, _BOTH_WORDS),
            after=words_after(self.citing.text, offset, _BOTH_WORDS) if right else (),
        )

    def _above(self, offset: int, *, right: bool) -> tuple[str, ...]:
        """Return the words of the headings that a place stands under, the nearest first.

        Of one that it stands in, they are those left of it only without `right`.
        """
        found: list[str] = []
        level = _DEEPEST
        for heading in reversed(self.citing.headings[: self.section(offset)]):
            if heading.level < level:
                level = heading.level
                end = heading.end if right else min(heading.end, offset)
                found += paragraph_words(self.citing.text[heading.start : end]).words
        return tuple(found)


@lru_cache(_SENTENCES_KEPT)
def _sentences(paragraph: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(paragraph))


def _sentence(spans: Sequence[tuple[int, int]], offset: int, length: int) -> tuple[int, int]:
    """Return the span of the sentence at an offset of a paragraph; behind the last one, of that."""
    own = next((span for span in spans if span[0] <= offset < span[1]), None)
    before = [span for span in spans if span[1] <= offset]
    return own or (before[-1] if before else (0, length))
