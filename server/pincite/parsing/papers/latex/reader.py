"""Build a paper from LaTeX: the prose of its files becomes sentences, sections and markers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ....model.drafts import CITATION_MARK, Citation, Draft, is_gap
from ....model.papers import Reference, ReferencePaper
from ....model.problems import InputError, NotAPaperError, NoTextError
from ....text.sentences import sentence_spans
from ...disk import Disk
from ...drafts import ReaderInputs
from ...latex.draft import LatexDraftReader
from ..paragraphs import PaperBuilder
from .front_matter import FrontMatter
from .sources import DOCUMENT, main_file, read_source
from .structure import ABSTRACT, braced, places
from .works import CitedWorks, PrintedCitation

_MARK = re.compile(CITATION_MARK)
_WORD = re.compile(r"\w")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_OPENING = " \t\n\u00a0([{“‘„«/–—-"
_CLOSING = ".,;:!?)]"


def read_latex(path: Path) -> ReferencePaper:
    """Read a paper from a folder of LaTeX sources, or from its main file.

    Raises `InputError` if there is no document, `NotAPaperError` for a part of one, and
    `NoTextError` if it has no text.
    """
    place = Path(os.path.normpath(path.absolute()))
    reader = LatexDraftReader(ReaderInputs(read_source, Disk()))
    try:
        if place.is_file() and not reader.starts_document(place):
            raise NotAPaperError("this is not the main file of a LaTeX document")
        draft = reader.read(main_file(reader, place) if place.is_dir() else place)
        return _Paper(reader, draft).read(path)
    except InputError as error:
        # The message names the file; the caller adds it itself.
        raise type(error)(str(error).removeprefix(f"{place}: ")) from None
    except RecursionError:
        raise InputError("its files or braces are nested too deeply") from None


class _Paper:
    """Joins the text of a draft's files in reading order."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.reader = reader
        self.draft = draft
        self.front = FrontMatter(reader, draft)
        self.works = CitedWorks(reader, draft)
        self.builder = PaperBuilder()
        self.unread = {file.path: file for file in draft.files}
        self.begun = False
        self.section: str | None = None
        #: Prose of the current section, and the citation of each mark in it.
        self.prose: list[str] = []
        self.citations: list[Citation | None] = []

    def read(self, source: Path) -> ReferencePaper:
        """Return the paper; raise `NoTextError` if no file has a sentence."""
        self._read(self.draft.path)
        self._end_section()
        if not self.builder.sentences:
            raise NoTextError("there are no sentences in the LaTeX source")
        front = self.front
        about = Reference(title=front.title, surnames=front.surnames, year=front.year)
        return self.builder.complete(about, self.works.all(), source, front=front.text)

    def _read(self, path: Path) -> None:
        """Read a file with the files that it includes, each once."""
        file = self.unread.pop(path, None)
        if file is None:
            return
        visible, prose = self.reader.visible(path), file.prose
        document = DOCUMENT.search(visible)
        if document and not self.begun:
            self._begin(visible[: document.start()])
        citations = {citation.span.start: citation for citation in file.citations}

        def add(start: int, end: int) -> None:
            """Add an extent of the prose, and the citation of each mark in it."""
            text = prose.text[start:end]
            self.prose.append(text)
            marks = (start + match.start() for match in _MARK.finditer(text))
            self.citations += (citations.get(prose.source_offset(mark)) for mark in marks)

        position, behind = 0, document.end() if document else 0
        for place in places(visible, self.draft.inclusions.get(path, ())):
            if place.start < behind:
                continue
            add(position, prose.offset_at(place.start))
            position, behind = prose.offset_at(place.end), place.end
            if place.kind == "file" and place.path is not None:
                self._read(place.path)
            elif place.kind == "section":
                start, end = (prose.offset_at(offset) for offset in place.argument)
                self._start_section(prose.text[start:end])
            elif place.kind == "abstract":
                self._end_section()
                self.builder.start_abstract()
            elif place.kind == "end of abstract":
                self._end_section()
                self.builder.start_section(self.section)
        add(position, len(prose.text))

    def _begin(self, preamble: str) -> None:
        """Begin the text: of the preamble, only the abstract is part of it."""
        self.begun, self.builder = True, PaperBuilder()
        self.prose, self.citations = [], []
        for start, end in braced(preamble, ABSTRACT):
            self.builder.start_abstract()
            self.builder.add_text(self.front.readable(preamble[start:end]))
            self.builder.start_section(None)

    def _start_section(self, title: str) -> None:
        title = " ".join(title.replace(CITATION_MARK, " ").split()).rstrip(" .:")
        if title:
            self._end_section()
            self.section = title
            self.builder.start_section(title)

    def _end_section(self) -> None:
        """Pass the sentences of the prose so far to the builder."""
        text, citations = "".join(self.prose), iter(self.citations)
        self.prose, self.citations = [], []
        for sentence in _sentences(text):
            pieces = sentence.split(CITATION_MARK)
            cited = [next(citations) for _ in pieces[1:]]
            if any(character.isalpha() for character in sentence):
                self._add_sentence(pieces, [*map(self._marker, cited), None])

    def _add_sentence(self, pieces: list[str], markers: list[PrintedCitation | None]) -> None:
        """Add a sentence: between two pieces of its text there is a marker, or nothing (None)."""
        open_brackets = 0
        last = ""
        for number, (piece, marker) in enumerate(zip(pieces, markers, strict=True)):
            following = pieces[number + 1] if number + 1 < len(pieces) else ""
            if last and piece[:1].isalnum():
                piece = f" {piece}"
            if marker is None and following[:1] in _CLOSING:
                piece = piece.rstrip()
            elif marker is not None and piece and piece[-1] not in _OPENING:
                piece = f"{piece.rstrip()} "
            self.builder.add_text(piece)
            open_brackets += sum(piece.count(sign) for sign in "([")
            open_brackets -= sum(piece.count(sign) for sign in ")]")
            if marker is not None:
                printed = marker.bare if open_brackets > 0 else marker.text
                self.builder.add_marker(printed, marker.references)
            last = piece
        self.builder.end_paragraph(is_sentence=True)

    def _marker(self, citation: Citation | None) -> PrintedCitation | None:
        """Return how a citation is printed; None if it cites nothing (yet)."""
        keys = [key.key for key in citation.keys if not is_gap(key.key)] if citation else []
        return self.works.citation(citation.command, keys) if citation and keys else None


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a prose; citations after the last of a paragraph belong to it.

    Together they contain every citation mark.
    """
    for paragraph in _BLANK_LINE.split(text):
        spans: list[tuple[int, int]] = []
        for start, end in sentence_spans(paragraph):
            if spans and not _WORD.search(paragraph, start, end):
                start = spans.pop()[0]
            spans.append((start, end))
        yield from (paragraph[start:end] for start, end in spans)
