"""What has been read of a text in Typst so far: what it says and cites, and what is open."""

from __future__ import annotations

from typing import Final

from ...model.drafts import (
    CITATION_MARK,
    BibliographyName,
    Citation,
    CitationPlaceholder,
    DraftRegion,
    Heading,
    Include,
    KeyList,
    is_gap,
)
from ...model.spans import TextSpan
from ..prose_writer import ProseWriter
from . import tokens
from .frames import Frame

CITE: Final = "cite"
#: Of this function ``@`` is short.
REFER: Final = "ref"
_LONGEST_PARAGRAPH: Final = 100_000


class Reading:
    """The state of a scanner."""

    def __init__(self, text: str, labels: frozenset[str]) -> None:
        """Begin with nothing open."""
        self.text = text
        #: Labels that the text defines.
        self.labels: set[str] = set()
        #: Names that it refers to, which cite if they are no labels.
        self.references: set[str] = set()
        #: Whether something begins that ends nowhere: it may end in the text that follows.
        self.unclosed = False
        self._known = labels
        self._end = len(text)
        self._paragraph_end = 0
        #: What does not end anywhere in the rest of the text.
        self._absent: set[str] = set()
        self._frames: list[Frame] = [Frame("content")]
        #: The last name in code, and where it ends.
        self._named = ("", 0, 0)
        self._in_heading = False
        self._citations: list[Citation] = []
        self._placeholders: list[CitationPlaceholder] = []
        self._headings: list[Heading] = []
        self._includes: list[Include] = []
        self._bibliographies: list[BibliographyName] = []
        self._prose = ProseWriter(text)

    def _region(self) -> DraftRegion:
        """Return what the text says and cites."""
        citations = tuple(sorted(self._citations, key=lambda each: each.span))
        return DraftRegion(
            text=self.text,
            citations=citations,
            placeholders=tuple(sorted(self._gaps(citations), key=lambda gap: gap.span)),
            includes=tuple(self._includes),
            bibliographies=tuple(self._bibliographies),
            headings=tuple(self._headings),
            prose=self._prose.prose(),
        )

    def _gaps(self, citations: tuple[Citation, ...]) -> list[CitationPlaceholder]:
        gaps = list(self._placeholders)
        for citation in citations:
            empty = any(not each.keys and each.closed for each in citation.key_lists)
            if not citation.listed_only and (empty or any(is_gap(k.key) for k in citation.keys)):
                gaps.append(CitationPlaceholder(citation.span, citation))
        return gaps

    def _put(self, said: str, source: int) -> None:
        if not self._frames[-1].silent:
            self._prose.put(said, source)

    def _say(self, start: int, end: int) -> None:
        if not self._frames[-1].silent:
            self._prose.say(start, end)

    def _plain(self, start: int, length: int = 1) -> int:
        self._say(start, start + length)
        return start + length

    def _break(self, source: int) -> None:
        self._in_heading = False
        self._paragraph_end = 0
        if not self._frames[-1].silent:
            self._prose.take_back_sign(" ")
            self._prose.break_at(source)

    def _paragraph(self, position: int) -> int:
        """Return the end of the paragraph at an offset."""
        if self._paragraph_end <= position:
            most = position + _LONGEST_PARAGRAPH
            blank = tokens.BLANK_LINES.search(self.text, position, most)
            self._paragraph_end = blank.start() if blank else min(self._end, most)
        return self._paragraph_end

    def _find(self, closing: str, start: int) -> int:
        """Return where something that may have empty lines ends; -1 if it does not."""
        end = -1 if closing in self._absent else self.text.find(closing, start)
        if end < 0:
            self.unclosed = True
            self._absent.add(closing)
        return end

    def _call_ends(self, frame: Frame, end: int, *, closed: bool) -> None:
        """Add the citation of a call of ``cite``, or of ``ref`` if its name is no label."""
        if frame.name == REFER:
            names = {key.key for listed in frame.keys for key in listed.keys}
            self.references |= names
            if not names or names & self._known:
                return
        self._put(CITATION_MARK, frame.start)
        if not frame.keys:
            end = end if closed else frame.inside
            span = TextSpan(frame.inside, end - closed)
            if span.of(self.text).strip():
                return  # a key that is computed
            frame.keys.append(KeyList(span, (), closed))
        elif not closed:
            last = frame.keys[-1].span.end
            frame.keys[-1] = KeyList(frame.keys[-1].span, frame.keys[-1].keys, closed=False)
            end = last + self.text.startswith(">", last)
        span = TextSpan(frame.start, end)
        self._citations.append(Citation(frame.name, span, tuple(frame.keys), frame.listed_only))
