"""The builder of papers: text with citation markers → sentences, with each marker's place.

A reader passes the text piece by piece; white space becomes single spaces, and soft hyphens are
removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

import regex

from ...model.drafts import CITATION_MARK
from ...model.papers import Marker, Reference, ReferencePaper, Sentence
from ...model.problems import NoTextError
from ...text.sentences import sentence_spans
from .headings import ABSTRACT

_SPACE = r"\s\x00-\x1f\x7f-\x9f"
_WIDTHLESS = r"\u00ad\u200b\u2060\ufeff"
#: A soft hyphen with the line break after it, other characters without a width, and white space.
_TO_NORMALISE = regex.compile(
    rf"(?P<gone>(?<=\w)\u00ad++[{_SPACE}]*+(?=\w)|[{_WIDTHLESS}]++)"
    rf"|[{_SPACE}][{_SPACE}{_WIDTHLESS}]*+"
)
_BLANK_END = regex.compile(rf"(?r)[{_SPACE}{_WIDTHLESS}]+\Z")
_MAX_SPACE = 20
#: Where a sentence could end within a marker: "Smith et al. (2001)".
_BREAK = regex.compile(r"[\s。！？｡]")
_LETTER = regex.compile(r"\p{L}")
#: Numbers that cite, with their brackets and separators: "[3], [5]-[7]".
_CITED = regex.compile(
    rf"[\[(]?{CITATION_MARK}++"
    rf"(?:[\])]?\s{{0,2}}+[,;‐‑–—−-]?\s{{0,2}}+[\[(]?{CITATION_MARK}++)*+[\])]?"
)
#: A number that cites, or a range of them: "[3]", "3–7".
_NUMBER = regex.compile(r"[\[(]?\s?(\d{1,3})(?:\s?[-‐‑–—−]\s?(\d{1,3}))?\s?[\])]?")
#: The text between the two ends of a range if each is a marker.
_DASH = regex.compile(r"[\])]?\s{0,2}+[-‐‑–—−]\s{0,2}+[\[(]?")
_MAX_RANGE = 50
#: A marker longer than this is an error in the file, which must not join sentences.
_MAX_MARKER = 200


class PaperBuilder:
    """Gathers the paragraphs of a paper in reading order.

    Text and markers are added to the current paragraph; `end_paragraph` turns it into sentences of
    the current section. `page` (1-based) may be set at any time, even within a paragraph: a
    sentence is on the page that was current at its start. `in_abstract` says whether the added text
    belongs to the abstract.
    """

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.markers: list[Marker] = []
        self.section: str | None = None
        self.page: int | None = None
        self.in_abstract = False
        self._abstract: list[str] = []
        # The current paragraph: its text, its markers, and where pages start.
        self._pieces: list[str] = []
        self._length = 0
        self._space = ""
        self._marked: list[tuple[int, int, tuple[int, ...]]] = []
        self._pages: list[tuple[int, int | None]] = []
        # The number at the end of the last marker with its reference, and where that was added.
        self._last: tuple[int, int] | None = None
        self._pieces_marked = 0

    def add_text(self, text: str) -> None:
        """Add running text to the current paragraph as written; space may be of any length."""
        text = self._space + text
        blank = _BLANK_END.search(text)
        end = blank.start() if blank else len(text)
        # What follows decides about space, and a soft hyphen, at the end.
        self._space = text[end:][:_MAX_SPACE]
        if not end:
            return
        before = self._pieces[-1][-1] if self._pieces else ""
        piece = _normalised(before + text[:end])[len(before) :]
        if not before:
            piece = piece.lstrip(" ")
        if not self._pages or self._pages[-1][1] != self.page:
            self._pages.append((self._length, self.page))
        self._pieces.append(piece)
        self._length += len(piece)

    def add_marker(self, text: str, references: tuple[int, ...] = ()) -> None:
        """Add a citation marker as printed; `references` are indices into the reference list.

        Space at its ends is trimmed. If only the ends of a range of numbers such as "3–7" are
        known, in one marker or in two, the references between are added if the list is in order.
        """
        number = _NUMBER.fullmatch(text.strip())
        if number and len(references) == 1:
            references = self._with_range(number, references[0])
        start = self._length
        self.add_text(text)
        self._marked.append((start, self._length, references))
        self._pieces_marked = len(self._pieces)
        self._last = None
        if number and references:
            self._last = int(number[2] or number[1]), references[-1]

    def end_paragraph(self, *, is_sentence: bool = False) -> None:
        """End the current paragraph, if there is one, and find its sentences.

        One that is known to be a sentence is not split.
        """
        text = "".join(self._pieces)
        marked, pages = self._marked, self._pages
        self._pieces, self._length, self._marked, self._pages = [], 0, [], []
        self._space, self._last = "", None
        spans = [(0, len(text))] if is_sentence else sentence_spans(_masked(text, marked))
        at = 0
        for start, end in spans:
            while at < len(marked) and marked[at][1] <= start:
                at += 1
            sentence = text[start:end]
            if not _LETTER.search(sentence):
                continue
            while at < len(marked) and marked[at][0] < end:
                self._place_marker(sentence, marked[at], start)
                at += 1
            _, page = pages[bisect_right(pages, start, key=itemgetter(0)) - 1]
            self.sentences.append(Sentence(sentence, page, section=self.section))
            if self.in_abstract:
                self._abstract.append(sentence)

    def start_section(self, name: str | None) -> None:
        """End the paragraph and start a section with a heading; None if the text has none."""
        self.end_paragraph()
        self.section = plain(name or "") or None
        self.in_abstract = False

    def start_abstract(self) -> None:
        """End the paragraph; the text until the next section is the abstract."""
        self.start_section("Abstract")
        self.in_abstract = True

    def complete(
        self,
        about: Reference,
        references: Sequence[Reference],
        source: Path | None,
        *,
        page_count: int | None = None,
        abstract: str = "",
        front: str = "",
    ) -> ReferencePaper:
        """Return the paper that `about` describes, with its text and its reference list.

        The abstract, if it is not given, follows `start_abstract`, or is the section with such a
        heading. References of markers outside the list are dropped. Raises `NoTextError` if there
        is no sentence.
        """
        self.end_paragraph()
        count = len(references)
        if not self.sentences:
            raise NoTextError("there is no text in it")
        titled = (s.text for s in self.sentences if ABSTRACT.fullmatch(s.section or ""))
        return ReferencePaper(
            title=about.title,
            basis="full text" if len(self.sentences) > len(self._abstract) else "abstract",
            sentences=tuple(self.sentences),
            abstract=abstract or " ".join(self._abstract or titled),
            source=source,
            page_count=page_count,
            surnames=about.surnames,
            year=about.year,
            doi=about.doi,
            arxiv=about.arxiv,
            front=front,
            references=tuple(references),
            markers=tuple(
                replace(marker, references=tuple(at for at in marker.references if at < count))
                for marker in self.markers
            ),
        )

    def _with_range(self, number: regex.Match[str], reference: int) -> tuple[int, ...]:
        """Return the references of a marker that reads as a number or a range of numbers."""
        first = int(number[1])
        if number[2] is not None:
            length = int(number[2]) - first
            if 0 < length <= _MAX_RANGE and reference == first - 1:
                return tuple(range(reference, reference + length + 1))
        elif self._last is not None:
            between = self._pieces[self._pieces_marked :]
            start, referred = self._last
            is_ordered = 0 < first - start == reference - referred <= _MAX_RANGE
            if is_ordered and len(between) <= 3 and _DASH.fullmatch("".join(between)):
                return tuple(range(referred + 1, reference + 1))
        return (reference,)

    def _place_marker(
        self, sentence: str, marked: tuple[int, int, tuple[int, ...]], offset: int
    ) -> None:
        """Add the part of a marker that is in the next sentence, which starts at `offset`."""
        start, end = max(marked[0] - offset, 0), min(marked[1] - offset, len(sentence))
        part = sentence[start:end]
        start += len(part) - len(part.lstrip())
        end = start + len(part.strip())
        if start < end:
            self.markers.append(Marker(len(self.sentences), start, end, marked[2]))


def plain(text: str) -> str:
    """Return a heading, title or reference with single spaces and without soft hyphens."""
    return _normalised(text).strip()


def _normalised(text: str) -> str:
    if text.isprintable() and "  " not in text:  # the usual case, checked first
        return text
    return _TO_NORMALISE.sub(lambda found: "" if found["gone"] is not None else " ", text)


def _masked(text: str, marked: list[tuple[int, int, tuple[int, ...]]]) -> str:
    """Return text of equal length in which no marker looks like the end of a sentence.

    Markers with letters become one word; numbers become placeholders, which the sentence splitter
    keeps with the text before them ("shown before.3,4 We").
    """
    if not marked:
        return text
    parts: list[str] = []
    position = 0
    for start, end, _ in marked:
        if not position <= start < end <= start + _MAX_MARKER:
            continue
        marker = text[start:end].strip()
        start = text.index(marker, start)
        end = start + len(marker)
        is_name = _LETTER.search(marker) is not None
        mask = _BREAK.sub("_", marker) if is_name else CITATION_MARK * len(marker)
        parts += (text[position:start], mask)
        position = end
    parts.append(text[position:])
    return _CITED.sub(lambda match: CITATION_MARK * len(match[0]), "".join(parts))
