"""Scan a text in Markdown or Typst, in regions: its prose and citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import ClassVar, Final, TypeVar

from ..model.citing_text import PARAGRAPH_BREAK
from ..model.drafts import (
    CITATION_MARK,
    GAP_IN_WORDS,
    BibliographyName,
    Citation,
    CitationKey,
    CitationPlaceholder,
    DraftRegion,
    Heading,
    Include,
    Prose,
    is_gap,
)
from ..model.spans import TextSpan

_CODE_WORDS: Final = re.compile(r"[^\r\n]{1,60}")
_MAX_PARAGRAPH: Final = 100_000
#: A region ends at the first heading after this many characters, or else...
_MIN_REGION: Final = 4_000
#: ... at the first unindented paragraph after this many.
_MAX_REGION: Final = 8_000
#: Parsed regions to cache: those of a book of 6 MB, which is parsed again with each edit.
MAX_REGIONS: Final = 1_000
_BLANK: Final = r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))"
_PARAGRAPH: Final = re.compile(rf"{_BLANK}(?=[^\W\d_]{{2}})")
_Region = TypeVar("_Region")


def regions(
    text: str, start: int, heading: str, parse: Callable[[str], tuple[_Region, bool]]
) -> Iterator[_Region]:
    """Yield what `parse` returns for the regions of a text, which begin at headings.

    `parse` also returns whether something begins that does not end in the region, which goes on.
    """
    at_heading = re.compile(rf"{_BLANK}(?={heading}[ \t])")
    while start < len(text):
        end, unclosed = start, True
        while unclosed and end < len(text):
            # Doubled each time, as repeated extension would otherwise take quadratic time.
            size = 2 * (end - start)
            least, most = start + max(_MIN_REGION, size), start + max(_MAX_REGION, size)
            found = at_heading.search(text, least, most) or _PARAGRAPH.search(text, most)
            end = found.end() if found else len(text)
            region, unclosed = parse(text[start:end])
        yield region
        start = end


class ProseWriter:
    """Writes the prose of a text; what was written since a mark can be taken back."""

    def __init__(self, text: str) -> None:
        self._text = text
        #: What was written, with the offset in the source from which it comes.
        self._pieces: list[tuple[str, int]] = []

    def prose(self, start: int = 0) -> Prose:
        """Return what was written of the source from an offset on."""
        pieces = self._pieces
        if not pieces or pieces[0][1] > start:
            pieces = [("", start), *pieces]  # for places before the first word
        texts, sources = zip(*pieces, strict=True)
        starts = accumulate(map(len, texts[:-1]), initial=0)
        return Prose("".join(texts), tuple(starts), sources)

    def put(self, text: str, source: int) -> None:
        """Write something that stands for the source from an offset on."""
        if text:
            self._pieces.append((text, source))

    def copy(self, start: int, end: int) -> None:
        """Write a range of the source as it is."""
        self.put(self._text[start:end], start)

    def space(self, source: int) -> None:
        """Separate words."""
        if self._pieces and not self._pieces[-1][0].endswith((" ", PARAGRAPH_BREAK)):
            self.put(" ", source)

    def break_at(self, source: int) -> None:
        """End the paragraph."""
        if self._pieces and self._pieces[-1][0] != PARAGRAPH_BREAK:
            self.put(PARAGRAPH_BREAK, source)

    def mark(self) -> int:
        """Return the place where the next piece is written."""
        return len(self._pieces)

    def take_back(self, mark: int) -> None:
        """Take back what was written since a mark."""
        del self._pieces[mark:]

    def take_back_sign(self, sign: str) -> None:
        """Take back a sign that was written last."""
        if self._pieces and self._pieces[-1][0].endswith(sign):
            text, source = self._pieces.pop()
            self.put(text.removesuffix(sign), source)

    def leave_out(self, mark: int, sign: str) -> None:
        """Leave out the sign that was written at a mark."""
        if mark < len(self._pieces) and self._pieces[mark][0] == sign:
            del self._pieces[mark]


class Scanning:
    """The state of a scanner; a method that reads something returns where to continue."""

    #: What ends a paragraph.
    _blank_line: ClassVar[re.Pattern[str]]
    #: Write what stands for the source from an offset on, and a range of the source as it is.
    _put: Callable[[str, int], None]
    _copy: Callable[[int, int], None]

    def __init__(self, text: str) -> None:
        self.text = text
        #: Whether something begins that ends nowhere: it may end in the text that follows.
        self.unclosed = False
        self._end = len(text)
        self._paragraph_end = 0
        #: What does not end anywhere in the rest of the text.
        self._absent: set[str] = set()
        self._citations: list[Citation] = []
        #: Placeholders in words.
        self._placeholders: list[CitationPlaceholder] = []
        self._unmarked: set[CitationKey] = set()
        self._headings: list[Heading] = []
        self._includes: list[Include] = []
        self._bibliographies: list[BibliographyName] = []
        self._prose = ProseWriter(text)

    def _region(self) -> DraftRegion:
        for citation in self._citations:
            empty = any(not each.keys and each.closed for each in citation.key_lists)
            if not citation.listed_only and (empty or any(is_gap(k.key) for k in citation.keys)):
                self._placeholders.append(CitationPlaceholder(citation.span, citation))
        return DraftRegion(
            text=self.text,
            citations=tuple(sorted(self._citations, key=lambda each: each.span)),
            placeholders=tuple(sorted(self._placeholders, key=lambda gap: gap.span)),
            unmarked=tuple(sorted(self._unmarked, key=lambda each: each.span)),
            includes=tuple(self._includes),
            bibliographies=tuple(self._bibliographies),
            headings=tuple(self._headings),
            prose=self._prose.prose(),
        )

    def _paragraph(self, position: int) -> int:
        if self._paragraph_end <= position:
            most = position + _MAX_PARAGRAPH
            blank = self._blank_line.search(self.text, position, most)
            self._paragraph_end = blank.start() if blank else min(self._end, most)
        return self._paragraph_end

    def _find(self, closing: str, start: int) -> int:
        """Return where something that may have blank lines ends; -1 if it does not."""
        end = -1 if closing in self._absent else self.text.find(closing, start)
        if end < 0:
            self.unclosed = True
            self._absent.add(closing)
        else:
            self._paragraph_end = 0
        return end

    def _plain(self, start: int, length: int = 1) -> int:
        self._copy(start, start + length)
        return start + length

    def _in_words(self, start: int) -> int | None:
        """Read a placeholder such as ``[citation needed]``, if there is one."""
        words = GAP_IN_WORDS.match(self.text, start)
        if words is None:
            return None
        self._placeholders.append(CitationPlaceholder(TextSpan(*words.span())))
        self._put(CITATION_MARK, start)
        return words.end()

    def _words_of_code(self, words: str, start: int) -> None:
        """Write words of code, which are at an offset or behind it, if they are short."""
        if _CODE_WORDS.fullmatch(words):
            self._put(words, self.text.index(words, start))
