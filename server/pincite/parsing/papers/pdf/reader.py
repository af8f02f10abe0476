"""Build a paper from a PDF: lines become sentences with their sections, pages and markers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path

from ....model.papers import ReferencePaper, Sentence
from ....model.problems import InputError, NoTextError
from ....text.sentences import sentence_spans
from ..citations import find_markers
from ..headings import ABSTRACT, NUMBERED, REFERENCES
from ..hyphenation import LineJoiner, join_pieces
from ..paragraphs import PaperBuilder
from .extraction import PDFIUM_LOCK, Document, extract
from .front import front_of
from .legibility import LETTER, WORD, is_language, is_prose, usual_share
from .lines import Line
from .references import list_lines, references_of
from .structure import (
    CAPTION,
    SENTENCE_END,
    Headings,
    body_type,
    furniture,
    is_display,
    page_labels,
    table_rows,
)
from .title import title_of

#: Fewer letters per page than this, on average, are not its text but traces of a scanner.
_MIN_LETTERS_PER_PAGE = 40
_MAX_ABSTRACT_SENTENCES = 25
_MAX_FRONT = 1500
_MEGABYTE = 1_000_000
_MAX_MEGABYTES = 500
_MIN_FRONT_WORDS = 8
_MIN_ASIDE_WORDS = 5
#: Broken fonts give a smaller share of usual tokens than this; pages full of formulas a larger one.
_MIN_USUAL_SHARE = 0.35

_BULLET = re.compile(r"[•◦▪●‣∗]|[–—-]\s|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s")
_ABSTRACT_RUN_IN = re.compile(r"(?:Abstract|ABSTRACT)\s*(?:[—–:.]|-\s)\s*(?=\S)")
_KEYWORDS = re.compile(r"(?:Key ?-?words|Index Terms|CCS Concepts|ACM Reference)\b", re.IGNORECASE)
_FOOTNOTE_NUMBER = re.compile(r"[⁰¹²³⁴-⁹]{1,3}\s?|\d{1,2}\s?(?=[A-Z][a-z]|https?:|www\.)")


def read_pdf(path: Path) -> ReferencePaper:
    """Read a PDF; raise `InputError` if it is encrypted, damaged, too large or has no text."""
    size = path.stat().st_size
    if size > _MAX_MEGABYTES * _MEGABYTE:
        raise InputError(
            f"the file is too large for the PDF of a paper ({size // _MEGABYTE} MB;"
            f" at most {_MAX_MEGABYTES} MB are read)"
        )
    data = path.read_bytes()
    if b"%PDF" not in data[:1024]:
        raise InputError("this is not a PDF file, although its name says so")
    with PDFIUM_LOCK:
        document = extract(data)
    lines = [line for page in document.pages for line in page]
    letters = sum(len(LETTER.findall(line.text)) for line in lines)
    least = _MIN_LETTERS_PER_PAGE * len(document.pages)
    if letters < least and document.glyphs < least:
        raise NoTextError("the PDF has no text; it seems to be scanned")
    text = "\n".join([line.text for line in lines])
    if letters < least or usual_share(text.split()) < _MIN_USUAL_SHARE or not is_language(text):
        raise NoTextError("the PDF's text cannot be read: its fonts lack a character map")
    return _Paper(document).read(path)


@dataclass(slots=True)
class _Flow:
    """The lines of running text in paragraphs: the position of each line, itself and its text."""

    section: str | None
    kind: str
    paragraphs: list[list[tuple[int, Line, str]]] = field(default_factory=list)


class _Paper:
    """Converts the lines of a document to sentences."""

    def __init__(self, document: Document) -> None:
        self.document = document
        pages = document.pages
        by_form = list_lines([line for page in pages for line in page])
        dropped, printed = furniture(pages, by_form)
        self.labels = page_labels(document.labels, printed)
        self.lines = [line for page in pages for line in page if id(line) not in dropped]
        # A long reference list must not be taken for the text of a short letter.
        body = [line for line in self.lines if id(line) not in by_form]
        self.size, is_bold_body = body_type(body or self.lines)
        self.is_monospaced = sum(line.monospaced for line in self.lines) > 0.5 * len(self.lines)
        self.join = LineJoiner(line.text for line in self.lines).join
        self.structure = Headings(self.lines, self.size, is_bold_body)
        self.headings = self.structure.find(self.join)
        self.by_form = by_form
        self.flows: list[_Flow] = []

    def read(self, path: Path) -> ReferencePaper:
        """Build the paper."""
        front_end = self._front_end()
        above_abstract = self._above_abstract(front_end)
        title, title_lines = title_of(self.document, self.lines, self.size, front_end, self.join)
        rows = table_rows(self.lines)
        lists = self._reference_lists(rows)
        cited = {position for positions in lists for position in positions}
        self._make_flows(title_lines | above_abstract | rows | cited)
        builder = PaperBuilder()
        builder.sentences, abstract = self._sentences(front_end)
        if not builder.sentences:
            raise NoTextError(
                "the PDF has no readable sentences; its fonts may lack a character map"
            )
        references = [
            reference
            for positions in lists
            for reference in references_of([self.lines[at] for at in positions], self.join)
        ]
        builder.markers = [*find_markers(builder.sentences, references)]
        listed = {id(self.lines[position]) for position in cited}
        first_page = [line for line in self.document.pages[0] if id(line) not in listed]
        front = front_of(first_page, self.lines[:front_end], self.document.stamp, self.document.doi)
        return builder.complete(
            replace(front, title=title),
            references,
            path,
            page_count=self.document.page_count,
            abstract=abstract,
            front=self._front_text(),
        )

    def _reference_lists(self, rows: set[int]) -> list[list[int]]:
        """Return the positions of the lines of each reference list, without table rows.

        A list has a heading or, if none has, is recognised by its form. It ends where an appendix
        or another section starts. Lines in it that only look like headings belong to the list, and
        are removed from the headings.
        """
        lists: list[list[int]] = []
        inside = False
        for position, line in enumerate(self.lines):
            name = self.headings.get(position)
            if name and REFERENCES.fullmatch(name):
                inside = True
                lists.append([])
            elif inside and self.structure.ends_references(line, name):
                inside = False
            elif inside and not (name is not None and self.structure.is_strong(line)):
                lists[-1].append(position)
        if not any(lists):
            lists = [[at for at, line in enumerate(self.lines) if id(line) in self.by_form]]
        for position in chain.from_iterable(lists):
            self.headings.pop(position, None)
        return [[position for position in found if position not in rows] for found in lists]

    def _front_text(self) -> str:
        """Return the text at the very beginning as printed: title, authors, abstract."""
        text = ""
        for line in self.lines:
            if len(text) >= _MAX_FRONT:
                break
            text = self.join(text, line.text)
        return text[:_MAX_FRONT]

    def _front_end(self) -> int:
        """Return the position of the first line of the paper proper: its abstract or section 1.

        Zero if neither is found on the first two pages.
        """
        introduction = 0
        for position, line in enumerate(self.lines):
            if line.page > 2:
                break
            text = self.headings.get(position, "")
            if ABSTRACT.fullmatch(text) or _ABSTRACT_RUN_IN.match(line.text):
                return position
            numbered = NUMBERED.fullmatch(text)
            if not introduction and text:
                name = numbered["name"] if numbered else text
                is_first = bool(numbered) and text[0] in "1I"
                if is_first or name.casefold().startswith(("introduc", "einleit")):
                    introduction = position
        return introduction

    def _above_abstract(self, front_end: int) -> set[int]:
        """Return the lines before the abstract's heading or, in another column, above it.

        The text is kept on a page that is half of a sheet, and on the other half.
        """
        if not ABSTRACT.fullmatch(self.headings.get(front_end, "")):
            return set()
        heading = self.lines[front_end]
        beside: dict[int, list[int]] = {}
        for position in range(front_end, len(self.lines)):
            line = self.lines[position]
            if line.page == heading.page == 1 and line.y > heading.y + 1.5 * self.size:
                beside.setdefault(line.column, []).append(position)
        names = (found for found in beside.values() if not self._is_text(found))
        return set(range(front_end)).union(*names)

    def _is_text(self, positions: Sequence[int]) -> bool:
        """Return whether half of some lines are set like the text: in its size, at the left."""
        lines = [self.lines[position] for position in positions]
        plain = [abs(line.size - self.size) < 0.5 and not line.is_indented for line in lines]
        return 2 * sum(plain) >= len(plain)

    def _make_flows(self, left_out: set[int]) -> None:
        """Split the lines into the body of each section and asides (captions, notes)."""
        section: str | None = None
        body = self._start(None, "body")
        aside: _Flow | None = None
        for position, line in enumerate(self.lines):
            if position in left_out:
                continue
            if position in self.headings:
                name = self.headings[position]
                aside = None
                if name:
                    section = name
                    body = self._start(section, "body")
                continue
            text = line.text
            if run_in := _ABSTRACT_RUN_IN.match(text):
                section, text = "Abstract", text[run_in.end() :]
                body = self._start(section, "body")
            kind = self._kind(position, aside, section)
            if kind == "body":
                aside = None
                self._add(body, position, line, text)
            elif kind:
                if aside is None or kind == "caption" or not self._is_next(aside, line):
                    aside = self._start(section, kind)
                self._add(aside, position, line, _FOOTNOTE_NUMBER.sub("", text, count=1))

    def _start(self, section: str | None, kind: str) -> _Flow:
        flow = _Flow(section, kind)
        self.flows.append(flow)
        return flow

    def _kind(self, position: int, aside: _Flow | None, section: str | None) -> str:
        """Return "body", "caption" or "aside", or an empty string for lines to leave out."""
        line = self.lines[position]
        if is_display(line) or _KEYWORDS.match(line.text) or self._is_program(position):
            return ""
        if CAPTION.match(line.text) and not self._runs_on(position):
            return "caption"
        if aside is not None and aside.kind == "caption" and self._is_next(aside, line):
            return "aside"
        is_abstract = bool(ABSTRACT.fullmatch(section or ""))
        if line.size < 0.93 * self.size and not (is_abstract and line.size > 0.8 * self.size):
            return "aside"
        return "body"

    def _is_program(self, position: int) -> bool:
        """Return whether a line is program code or output, not the rest of a paragraph."""
        if not self.lines[position].monospaced or self.is_monospaced:
            return False
        follows_code = position > 0 and self.lines[position - 1].monospaced
        return follows_code or not self._runs_on(position)

    def _runs_on(self, position: int) -> bool:
        """Return whether a line continues the sentence above it: "as shown in / Fig. 4. With"."""
        if not position:
            return False
        line, above = self.lines[position], self.lines[position - 1]
        return (
            self._is_like(above, line, reach=1.35 * line.size)
            and not above.is_short
            and above.cells < 3
            and not SENTENCE_END.search(above.text)
        )

    def _is_next(self, flow: _Flow, line: Line) -> bool:
        """Return whether a line continues a caption or note without a gap."""
        above = flow.paragraphs[-1][-1][1]
        return self._is_like(above, line, reach=1.35 * max(line.size, above.size))

    def _is_like(self, above: Line, line: Line, reach: float) -> bool:
        """Return whether a line is set in the size of another one, and not far below it."""
        return abs(line.size - above.size) < 0.05 * self.size and line.is_below(above, reach)

    def _add(self, flow: _Flow, position: int, line: Line, text: str) -> None:
        """Append a line to the last paragraph of a flow, or start one."""
        if not flow.paragraphs or self._is_break(*flow.paragraphs[-1][-1][1:], line):
            flow.paragraphs.append([])
        flow.paragraphs[-1].append((position, line, text))

    def _is_break(self, above: Line, before: str, line: Line) -> bool:
        """Return whether a new paragraph, list item or unrelated column starts.

        `before` is the text of the line above.
        """
        ended = SENTENCE_END.search(before) is not None
        same = above.place == line.place
        gap = above.y - line.y if same else 0.0
        if ended:
            return (
                line.is_indented
                or above.is_short
                or gap > 1.5 * self.size
                or bool(_BULLET.match(line.text))
            )
        first = line.text[:1]
        return above.is_short and not first.islower() and (gap > 1.6 * self.size or not same)

    def _sentences(self, front_end: int) -> tuple[list[Sentence], str]:
        """Return the sentences in reading order and the abstract."""
        found: list[tuple[int, Sentence]] = []
        abstract: list[str] = []
        for flow in self.flows:
            in_abstract = bool(ABSTRACT.fullmatch(flow.section or ""))
            for number, (text, position) in enumerate(self._sentences_of(flow)):
                in_front = position < front_end
                if not is_prose(text) or not _belongs(flow, number, text, in_front):
                    continue
                if flow.kind == "body" and (in_abstract or in_front):
                    abstract.append(text)
                page = self.lines[position].page
                found.append((position, Sentence(text, page, self.labels[page - 1], flow.section)))
        found.sort(key=itemgetter(0))
        if len(abstract) > _MAX_ABSTRACT_SENTENCES:
            # The heading that ends it was missed; only the start certainly belongs to it.
            abstract = abstract[: _MAX_ABSTRACT_SENTENCES // 2]
        return [sentence for _, sentence in found], " ".join(abstract)

    def _sentences_of(self, flow: _Flow) -> Iterator[tuple[str, int]]:
        """Yield the sentences of a flow, each with the position of the line where it starts."""
        for paragraph in flow.paragraphs:
            pieces = join_pieces([text for _, _, text in paragraph], self.join)
            starts = [*accumulate(map(len, pieces), initial=0)]
            text = "".join(pieces)
            for start, end in sentence_spans(text):
                position, _, _ = paragraph[bisect_right(starts, start) - 1]
                yield " ".join(text[start:end].split()), position


def _belongs(flow: _Flow, number: int, text: str, in_front: bool) -> bool:
    """Return whether a sentence is kept: authors' addresses and labels of figures are not."""
    if in_front:
        return (
            len(WORD.findall(text)) >= _MIN_FRONT_WORDS
            and "@" not in text
            and bool(SENTENCE_END.search(text))
        )
    if flow.kind == "caption" and number == 0:
        return True
    if flow.kind != "body":
        # A note may be cut off by the end of its page; labels of a figure never end as a sentence.
        is_note = number > 0 or bool(SENTENCE_END.search(text))
        return len(WORD.findall(text)) >= _MIN_ASIDE_WORDS and is_note
    return True
