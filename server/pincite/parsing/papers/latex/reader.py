"""Build a paper from LaTeX: the prose of its files becomes sentences, sections and markers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from ....model.drafts import CITATION_MARK, Citation, Draft, is_gap
from ....model.papers import BibEntry, Reference, ReferencePaper
from ....model.problems import InputError, NotAPaperError, NoTextError
from ....text.sentences import sentence_spans
from ...disk import Disk
from ...drafts import ReaderInputs
from ...latex.arguments import argument_span, options_end
from ...latex.draft import LatexDraftReader
from ...latex.layout import SECTION_LEVELS
from ...latex.prose import read_prose
from ..paragraphs import PaperBuilder, plain
from .sources import DOCUMENT, TEXTS, main_file, read_source
from .works import CitedWorks, PrintedCitation

_MARK = re.compile(CITATION_MARK)
_WORD = re.compile(r"\w")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_OPENING = " \t\n\u00a0([{“‘„«/–—-"
_CLOSING = ".,;:!?)]"

_SECTIONS = (*SECTION_LEVELS, "minisec")
#: Front matter (who wrote it, where, when, about what) and the titles of slides.
_FRONT_MATTER = (
    "title subtitle author date institute affil affiliation address email keywords subject "
    "dedication thanks frametitle framesubtitle titlerunning authorrunning icmltitle icmlauthor "
    "icmlaffiliation icmlcorrespondingauthor icmltitlerunning acmConference acmBooktitle acmDOI "
    "acmISBN ccsdesc orcid received"
).split()
_STRUCTURE = re.compile(
    r"\\(?:(?P<edge>begin|end)\s*\{(?P<environment>[A-Za-z]{1,40})\*?\}"
    rf"|(?P<command>{'|'.join([*_SECTIONS, *_FRONT_MATTER, 'abstract'])})(?![A-Za-z@])\*?"
    r"|[^A-Za-z])",
    re.DOTALL,
)
#: Prefixes of commands of which no argument is text.
_MANY_ARGUMENTS = ("acm", "icml")
_ABSTRACT = re.compile(r"\\abstract(?![A-Za-z@])")
_ABSTRACTS = frozenset(("abstract", "Abstract", "onecolabstract", "sciabstract"))
_NO_TEXT = frozenset(
    "titlepage CCSXML keyword keywords IEEEkeywords frontpage acronym thenomenclature".split()
)

_TITLE = re.compile(r"\\(?:icml)?title(?![A-Za-z@])")
_AUTHOR = re.compile(r"\\(?:icml)?author(?![A-Za-z@])")
_DATE = re.compile(r"\\date(?![A-Za-z@])")
#: Commands in a title or among authors that are not part of them: notes and affiliations.
_ASIDE = re.compile(
    r"\\(?:thanks|footnote|footnotemark|footnotetext|inst|textsuperscript|orcidID|orcidlink|email"
    r"|IEEEauthorblockA|IEEEmembership|thanksref|affil|fnref|corref|vspace|hspace)(?![A-Za-z@])\*?"
)
_MATHEMATICS = re.compile(r"\$[^$]{0,60}\$")
_NEXT_AUTHORS = re.compile(r"\\(?:and|And|AND)(?![A-Za-z@])")
_LINE = re.compile(r"\\\\|\\newline(?![A-Za-z@])")
_BETWEEN_AUTHORS = re.compile(r"[,;&]|\band\b|\\(?:q?quad|hfill?)(?![A-Za-z@])")
_NO_NAME = re.compile(
    r"[\d@:/]|universi|institut|department|school|laborator|college|research|centre|center"
    r"|program|project|collaboration|group|team|inc\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MAX_FRONT = 2_000
_MAX_NAME_WORDS = 6


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


class _Place(NamedTuple):
    """A place that divides a file's text; offsets of the source.

    The source from `start` to `end` is not text: the heading of a "section" (`argument` is its
    title), "front" matter, where the "abstract" begins and ends, where a "file" is included.
    """

    start: int
    end: int
    kind: Literal["section", "front", "abstract", "end of abstract", "file"]
    argument: tuple[int, int] = (0, 0)
    path: Path | None = None


class _Paper:
    """Joins the text of a draft's files in reading order."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self.reader, self.draft = reader, draft
        self.table = reader.commands(draft)
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
        title = next(filter(None, map(self._readable, self._arguments(_TITLE))), "")
        authors = self._arguments(_AUTHOR)
        years = {*_YEAR.findall(" ".join(map(self._readable, self._arguments(_DATE))))}
        names = BibEntry("", "", {"author": " and ".join(self._names(authors))}, Path())
        year = years.pop() if len(years) == 1 else ""
        about = Reference(title=title, surnames=names.surnames, year=year)
        front = "\n".join(filter(None, (title, *map(self._readable, authors))))[:_MAX_FRONT]
        return self.builder.complete(about, self.works.all(), source, front=front)

    def _readable(self, source: str) -> str:
        """Return the text of a piece of LaTeX, without its footnotes."""
        return plain(read_prose(_without_asides(source), self.table, {}, {}).text)

    def _arguments(self, command: re.Pattern[str]) -> list[str]:
        """Return the arguments of a command in the first file that has it."""
        for file in self.draft.files:
            visible = self.reader.visible(file.path)
            found = [visible[slice(*span)] for span in _braced(visible, command)]
            # Without parameters, which occur in the bodies of definitions.
            if stated := [each for each in found if each.strip() and "#" not in each]:
                return stated
        return []

    def _names(self, authors: list[str]) -> Iterator[str]:
        for block in (block for author in authors for block in _NEXT_AUTHORS.split(author)):
            block = _MATHEMATICS.sub(" ", _without_asides(block))
            lines = ([*map(self._readable, _BETWEEN_AUTHORS.split(x))] for x in _LINE.split(block))
            # Affiliations follow the first line.
            for name in next(filter(any, lines), []):
                if 2 <= len(name.split()) <= _MAX_NAME_WORDS and not _NO_NAME.search(name):
                    yield name

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
        for place in _places(visible, self.draft.inclusions.get(path, ())):
            if place.start < behind:
                continue
            add(position, prose.offset_at(place.start))
            position, behind = prose.offset_at(place.end), place.end
            if place.path is not None:
                self._read(place.path)
            elif place.kind == "section":
                start, end = (prose.offset_at(offset) for offset in place.argument)
                title = " ".join(prose.text[start:end].replace(CITATION_MARK, " ").split())
                if title := title.rstrip(" .:"):
                    self._end_section()
                    self.section = title
                    self.builder.start_section(title)
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
        for span in _braced(preamble, _ABSTRACT):
            self.builder.start_abstract()
            self.builder.add_text(self._readable(preamble[slice(*span)]))
            self.builder.start_section(None)

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
        open_brackets, last = 0, ""
        for piece, following, marker in zip(pieces, [*pieces[1:], ""], markers, strict=True):
            if last and piece[:1].isalnum():
                piece = f" {piece}"
            if marker is None and following[:1] in _CLOSING:
                piece = piece.rstrip()
            elif marker is not None and piece and piece[-1] not in _OPENING:
                piece = f"{piece.rstrip()} "
            self.builder.add_text(piece)
            open_brackets += sum((sign in "([") - (sign in ")]") for sign in piece)
            if marker is not None:
                printed = marker.bare if open_brackets > 0 else marker.text
                self.builder.add_marker(printed, marker.references)
            last = piece
        self.builder.end_paragraph(is_sentence=True)

    def _marker(self, citation: Citation | None) -> PrintedCitation | None:
        """Return how a citation is printed; None if it cites nothing (yet)."""
        keys = [key.key for key in citation.keys if not is_gap(key.key)] if citation else []
        return self.works.citation(citation.command, keys) if citation and keys else None


def _places(visible: str, inclusions: Iterable[tuple[int, Path]]) -> list[_Place]:
    """Return the places that divide a file's text, in order.

    `visible` is its source with comments blanked out; `inclusions` are the files that it includes,
    with the offsets where they are included.
    """
    found = [
        _Place(offset, offset, "file", path=read)
        for offset, read in inclusions
        if read.suffix.lower() in (*TEXTS, "", ".txt")
    ]
    left_out: dict[str, int] = {}
    for match in _STRUCTURE.finditer(visible):
        start, end = match.span()
        environment, command, begins = match["environment"], match["command"], match["edge"]
        if environment in _ABSTRACTS:
            found.append(_Place(start, end, "abstract" if begins == "begin" else "end of abstract"))
        elif environment in _NO_TEXT and begins == "begin":
            left_out.setdefault(environment, start)
        elif environment in left_out:
            found.append(_Place(left_out.pop(environment), start, "front"))
        elif command and (within := _argument(visible, end)):
            first, last = within
            if command == "abstract":
                found.append(_Place(start, first, "abstract"))
                found.append(_Place(last, last + 1, "end of abstract"))
            elif command in _SECTIONS:
                found.append(_Place(start, last + 1, "section", within))
            else:
                while command.startswith(_MANY_ARGUMENTS) and (
                    more := _argument(visible, last + 1)
                ):
                    last = more[1]
                found.append(_Place(start, last + 1, "front"))
    return sorted(found, key=lambda place: place.start)


def _argument(source: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the braces that follow a command and its options."""
    return argument_span(source, options_end(source, position))


def _braced(source: str, command: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the arguments of a command."""
    return filter(None, (_argument(source, match.end()) for match in command.finditer(source)))


def _without_asides(source: str) -> str:
    """Return the source of a title or of authors without footnotes and marks of affiliations."""
    parts: list[str] = []
    position = 0
    for match in _ASIDE.finditer(source):
        if match.start() >= position:
            parts.append(source[position : match.start()])
            found = _argument(source, match.end())
            position = match.end() if found is None else found[1] + 1
    return "".join(parts) + source[position:]


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
