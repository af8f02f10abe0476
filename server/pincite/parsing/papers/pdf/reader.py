"""Build a paper from a PDF: lines become sentences with their sections, pages and markers."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ....model.papers import MAX_PAGES, ReferencePaper, Sentence
from ....model.problems import InputError, NoTextError, ProtectedError
from ....text.characters import one_line
from ....text.sentences import sentence_spans
from ..citations import find_markers
from ..hyphenation import LineJoiner, join_lines, join_pieces
from ..paragraphs import ABSTRACT, NUMBERED, REFERENCES, PaperBuilder, StructuredAbstract
from .front import cover_of, front_of, metadata_doi, stamp_of, title_of
from .legibility import LETTER, WORD, is_language, is_prose, usual_share
from .line_numbers import remove_line_numbers
from .lines import CAPTION, Line, lines_of
from .segments import PageSegments, page_segments
from .structure import (
    BULLETS,
    SENTENCE_END,
    body_type,
    ends_references,
    find_headings,
    furniture,
    is_display,
    list_lines,
    page_labels,
    references_of,
    table_rows,
)

#: PDFium is not thread-safe: one call at a time in the whole process.
_PDFIUM_LOCK = threading.Lock()
#: The end mark of a PDF is in its last bytes; the number of bytes searched.
_TRAILER = 2048
#: Fewer letters per page than this, on average, are not its text but traces of a scanner.
_MIN_LETTERS_PER_PAGE = 40
_MAX_ABSTRACT_SENTENCES = 25
_MAX_FRONT, _MAX_FRONT_LINES = 1500, 200
_MIN_FRONT_WORDS = 8
_MIN_ASIDE_WORDS = 5
#: Broken fonts give a smaller share of usual tokens than this; pages full of formulas a larger one.
_MIN_USUAL_SHARE = 0.35

_BULLET = re.compile(r"[•◦▪●‣∗]|[–—-]\s|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s")
_ABSTRACT_RUN_IN = re.compile(
    r"(?:Abstract|ABSTRACT)\s*(?:(?:[—–:.]|-\s)\s*(?=\S)|\s(?=[A-Z][a-z]*\s))"
)
_INTRODUCTION = ("introduc", "einleit")
_KEYWORDS = re.compile(r"(?:Key ?-?words|Index Terms|CCS Concepts|ACM Reference)\b", re.IGNORECASE)
_FOOTNOTE_NUMBER = re.compile(r"\A(?:[⁰¹²³⁴-⁹]{1,3}\s?|\d{1,2}\s?(?=[A-Z][a-z]|https?:|www\.))")


_BETWEEN_NAMES = re.compile(r"[;,&]|\band\b")
#: In the metadata of a PDF in place of its authors: publishers, accounts, addresses.
_NO_PERSON = re.compile(r"@|\b(?:for|of|the|user|inc)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Document:
    """What PDFium gives: page labels, metadata, arXiv's stamp, and of each page its segments."""

    pages: list[PageSegments] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    page_count: int = 0
    title: str = ""
    doi: str = ""
    stamp: str = ""


@dataclass(slots=True)
class _Flow:
    """Running text in paragraphs: the body of a section, a caption or an aside."""

    section: str | None
    kind: str
    paragraphs: list[list[Line]] = field(default_factory=list)


def read_pdf(path: Path) -> ReferencePaper:
    """Read a PDF; raise `InputError` if it is encrypted, damaged or has no text."""
    data = path.read_bytes()
    if b"%PDF" not in data[:1024]:
        raise InputError("this is not a PDF file, although its name says so")
    with _PDFIUM_LOCK:
        document = _document(data)
    remove_line_numbers(document.pages)
    pages = lines_of(document.pages)
    text = "\n".join([line.text for page in pages for line in page])
    least = _MIN_LETTERS_PER_PAGE * len(pages)
    if len(LETTER.findall(text)) < least and sum(page.glyphs for page in document.pages) < least:
        raise NoTextError("the PDF has no text; it seems to be scanned")
    if usual_share(text.split()) < _MIN_USUAL_SHARE or not is_language(text):
        raise NoTextError("the PDF's text cannot be read: its fonts lack a character map")
    return _Paper(document, pages).read(path)


def declared_authors(path: Path) -> str:
    """Return the people in the metadata of a PDF, as BibTeX lists them; empty for other words."""
    with _PDFIUM_LOCK:
        try:
            with closing(pdfium.PdfDocument(path.read_bytes())) as document:
                declared = document.get_metadata_value("Author")
        except pdfium.PdfiumError:
            return ""
    names = [name for each in _BETWEEN_NAMES.split(declared) if (name := one_line(each))]
    are_people = all(name.count(" ") in range(1, 5) for name in names)
    return " and ".join(names) if are_people and not _NO_PERSON.search(declared) else ""


def _document(data: bytes) -> _Document:
    """Extract the data from a PDF; pages that cannot be read are empty."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise ProtectedError("the PDF is protected by a password") from None
        if b"%%EOF" not in data[-_TRAILER:]:
            raise InputError("the PDF is damaged: its end is missing") from None
        raise InputError("the PDF is damaged and cannot be read") from None
    found = _Document()
    unreadable = 0
    with closing(document):
        found.page_count = len(document)
        for index in range(min(len(document), MAX_PAGES)):
            found.labels.append(document.get_page_label(index))
            try:
                with closing(document[index]) as page:
                    found.pages.append(page_segments(page))
                    if index == 0:
                        found.stamp = stamp_of(page)
            except pdfium.PdfiumError:
                unreadable += 1
                found.pages.append(PageSegments([], 0.0, 0.0))
        found.title = document.get_metadata_value("Title")
        found.doi = metadata_doi(document, data)
    if unreadable == len(found.pages):
        raise InputError("the PDF is damaged: none of its pages can be read")
    return found


class _Paper:
    """Converts the lines of a document to sentences."""

    def __init__(self, document: _Document, pages: Sequence[Sequence[Line]]) -> None:
        self.document = document
        self.cover = cover_of(pages)
        self.pages = pages = pages[bool(self.cover) :]
        self.listed = list_lines([line for page in pages for line in page])
        dropped, printed = furniture(pages, self.listed)
        self.labels = page_labels(document.labels, [set()] * bool(self.cover) + printed)
        self.lines = [line for page in pages for line in page if line not in dropped]
        # A long reference list must not be taken for the text of a short letter.
        body = [line for line in self.lines if line not in self.listed]
        self.size, is_bold = body_type(body)
        for number, line in enumerate(self.cover):
            line.number = number
        for number, line in enumerate(self.lines):
            line.number = number
            line.before = self.lines[number - 1] if number else None
            line.strong = (line.bold and not is_bold) or line.size > 1.06 * self.size
        self.is_monospaced = 2 * sum(line.monospaced for line in self.lines) > len(self.lines)
        self.join = LineJoiner(line.text for line in self.lines).join
        self.headings = find_headings(self.lines, self.size, self.join)

    def read(self, path: Path) -> ReferencePaper:
        document, lines = self.document, self.lines
        front_end = self._front_end()
        above_abstract = self._above_abstract(front_end)
        title, title_lines = title_of(
            document.title, self.pages, lines, self.size, front_end, self.join
        )
        if not title and self.cover:
            title, _ = title_of("", [self.cover], self.cover, self.size, 0, self.join)
        rows = table_rows(lines, self.headings)
        lists = [[line for line in found if line not in rows] for found in self._reference_lists()]
        cited = set(chain.from_iterable(lists))
        references = [each for found in lists for each in references_of(found, self.join)]
        first_page = [line for line in self.pages[0] if line not in cited]
        above = [*self.cover, *lines[:front_end]]
        about = front_of([*self.cover, *first_page], above, document.stamp, document.doi)
        # The very beginning as printed: title, authors, abstract.
        first_lines = (line.text for line in [*self.cover, *lines][:_MAX_FRONT_LINES])
        front = join_lines(first_lines, self.join)
        builder = PaperBuilder()
        flows = self._flows({*title_lines, *above_abstract, *rows, *cited}, front_end)
        builder.sentences, abstract = self._sentences(flows, front_end)
        if not builder.sentences:
            raise NoTextError(
                "the PDF has no readable sentences; its fonts may lack a character map"
            )
        builder.markers = [*find_markers(builder.sentences, references)]
        return builder.complete(
            replace(about, title=title),
            references,
            path,
            page_count=document.page_count,
            abstract=abstract,
            front=front[:_MAX_FRONT],
            printed=((line.page, line.text) for line in lines if line not in cited),
        )

    def _reference_lists(self) -> list[list[Line]]:
        """Return the lines of each list, below its heading or else by its form.

        Lines in it that only look like headings belong to it, and are removed from the headings.
        """
        lists: list[list[Line]] = []
        inside = False
        for line in self.lines:
            name = self.headings.get(line)
            if name and REFERENCES.fullmatch(name):
                inside = True
                lists.append([])
            elif inside and ends_references(line, name):
                inside = False
            elif inside and not (name is not None and line.strong):
                lists[-1].append(line)
        if not any(lists):
            lists = [[line for line in self.lines if line in self.listed]]
        for line in chain.from_iterable(lists):
            self.headings.pop(line, None)
        return lists

    def _front_end(self) -> int:
        """Return the position of the first line of the paper proper: its abstract or section 1."""
        introduction = 0
        for position, line in enumerate(self.lines):
            if line.page > self.lines[0].page + 1:
                break
            text = self.headings.get(line, "")
            is_run_in = _ABSTRACT_RUN_IN.match(line.text) and not line.strong
            if ABSTRACT.fullmatch(text) or (is_run_in and not self._runs_on(line)):
                return position
            numbered = NUMBERED.fullmatch(text)
            name = numbered["name"] if numbered else text
            if (numbered and text[0] in "1I") or name.casefold().startswith(_INTRODUCTION):
                introduction = introduction or position
        return introduction

    def _above_abstract(self, front_end: int) -> set[Line]:
        """Return the lines before the abstract's heading or, in another column, above it."""
        heading = self.lines[front_end]
        if not ABSTRACT.fullmatch(self.headings.get(heading, "")):
            return set()
        found = set(self.lines[:front_end])
        beside: defaultdict[int, list[Line]] = defaultdict(list)
        for line in self.lines[front_end:]:
            if (
                line.page == heading.page == self.lines[0].page
                and line.y > heading.y + 1.5 * self.size
            ):
                beside[line.column].append(line)
        for lines in beside.values():
            # Where half of a column is set like the text, it is: the other half of a sheet.
            plain = sum(abs(o.size - self.size) < 0.5 and not o.is_indented for o in lines)
            if 2 * plain < len(lines):
                found.update(lines)
        return found

    def _flows(self, left_out: Container[Line], front_end: int) -> list[_Flow]:
        """Split the lines into the body of each section and asides (captions, notes)."""
        body, structure = _Flow(None, "body"), StructuredAbstract()
        flows = [body]
        aside: _Flow | None = None
        for line in self.lines:
            name = self.headings.get(line)
            if line in left_out:
                continue
            if name is not None:
                aside = None
            elif line.number == front_end and (run_in := _ABSTRACT_RUN_IN.match(line.text)):
                name, line.text = "Abstract", line.text[run_in.end() :]
            # What looks like a heading before the paper proper is the name of an author.
            if name and line.number >= front_end:
                is_part = structure.contains(
                    name, "".join(o.text for p in body.paragraphs[:1] for o in p[:1])
                )
                body = _Flow(body.section if is_part else name, "body")
                flows.append(body)
            if line in self.headings:
                continue
            is_next = aside is not None and self._is_like(aside.paragraphs[-1][-1], line)
            kind = self._kind(line, body.section, aside.kind if aside and is_next else "")
            if kind == "body":
                aside = None
                self._add(body, line)
            elif kind:
                if aside is None or kind == "caption" or not is_next:
                    aside = _Flow(body.section, kind)
                    flows.append(aside)
                # "at / 20 Hz" goes on; a raised number starts a note even below an address.
                if not (line.text[0].isascii() and self._runs_on(line)):
                    line.text = _FOOTNOTE_NUMBER.sub("", line.text)
                self._add(aside, line)
        return flows

    def _kind(self, line: Line, section: str | None, continued: str) -> str:
        """Return "body", "caption" or "aside", or an empty string for lines to leave out.

        `continued` is the kind of the aside that the line continues without a gap, if any.
        """
        runs_on = self._runs_on(line)
        follows_code = line.before is not None and line.before.monospaced
        is_code = line.monospaced and not self.is_monospaced and (follows_code or not runs_on)
        if is_code or is_display(line) or _KEYWORDS.match(line.text):
            return ""
        if CAPTION.match(line.text) and not runs_on:
            return "caption"
        if continued == "caption":
            return "aside"
        is_abstract = ABSTRACT.fullmatch(section or "") and line.size > 0.8 * self.size
        return "aside" if line.size < 0.93 * self.size and not is_abstract else "body"

    def _runs_on(self, line: Line) -> bool:
        """Return whether a line continues the sentence above it: "as shown in / Fig. 4. With"."""
        above = line.before
        return (
            above is not None
            and self._is_like(above, line)
            and not above.is_short
            and above.cells < 3
            and not SENTENCE_END.search(above.text)
        )

    def _is_like(self, above: Line, line: Line) -> bool:
        """Return whether a line is set in the size of another one, and right below it."""
        is_same = abs(line.size - above.size) < 0.05 * self.size
        return is_same and line.is_below(above, 1.35 * max(line.size, above.size))

    def _add(self, flow: _Flow, line: Line) -> None:
        is_next = flow.paragraphs and not self._is_break(flow.paragraphs[-1][-1], line)
        if not is_next or _is_behind_item(flow.paragraphs[-1][0], line):
            flow.paragraphs.append([])
        flow.paragraphs[-1].append(line)

    def _is_break(self, above: Line, line: Line) -> bool:
        """Return whether a new paragraph, list item or unrelated column starts."""
        is_same = above.place == line.place
        gap = (above.y - line.y) / self.size if is_same else 0.0
        if line.text[:1] in BULLETS:
            return True
        if SENTENCE_END.search(above.text):
            is_item = _BULLET.match(line.text) is not None
            return line.is_indented or above.is_short or gap > 1.5 or is_item
        left_out = line.before
        if left_out not in (None, above) and is_display(left_out) and line.text[:1].isupper():
            return True
        return above.is_short and not line.text[:1].islower() and (gap > 1.6 or not is_same)

    def _sentences(self, flows: Sequence[_Flow], front_end: int) -> tuple[list[Sentence], str]:
        found: list[tuple[int, Sentence]] = []
        abstract: list[str] = []
        for flow in flows:
            in_abstract = ABSTRACT.fullmatch(flow.section or "")
            for number, (text, line) in enumerate(self._sentences_of(flow)):
                in_front = line.number < front_end
                if not is_prose(text) or not _belongs(flow, number, text, in_front):
                    continue
                if flow.kind == "body" and (in_abstract or in_front):
                    abstract.append(text)
                label = self.labels[line.page - 1]
                found.append((line.number, Sentence(text, line.page, label, flow.section)))
        found.sort(key=itemgetter(0))
        if len(abstract) > _MAX_ABSTRACT_SENTENCES:
            # The heading that ends it was missed; only the start certainly belongs to it.
            abstract = abstract[: _MAX_ABSTRACT_SENTENCES // 2]
        return [sentence for _, sentence in found], " ".join(abstract)

    def _sentences_of(self, flow: _Flow) -> Iterator[tuple[str, Line]]:
        """Yield the sentences of a flow, each with the line where it starts."""
        for paragraph in flow.paragraphs:
            pieces = join_pieces([line.text for line in paragraph], self.join)
            starts = [*accumulate(map(len, pieces), initial=0)]
            text = "".join(pieces)
            for start, end in sentence_spans(text):
                yield one_line(text[start:end]), paragraph[bisect_right(starts, start) - 1]


def _is_behind_item(item: Line, line: Line) -> bool:
    """Return whether a line starts to the left of the list item above it."""
    return item.text[:1] in BULLETS and item.place == line.place and line.x0 < item.x0 - 2


def _belongs(flow: _Flow, number: int, text: str, in_front: bool) -> bool:
    """Return whether a sentence is one of the text, not an address or a label of a figure."""
    words, is_ended = len(WORD.findall(text)), SENTENCE_END.search(text) is not None
    if in_front:
        return words >= _MIN_FRONT_WORDS and "@" not in text and is_ended
    if flow.kind == "body" or (flow.kind == "caption" and number == 0):
        return True
    # A note may be cut off by the end of its page; labels of a figure never end as a sentence.
    return words >= _MIN_ASIDE_WORDS and (number > 0 or is_ended)
