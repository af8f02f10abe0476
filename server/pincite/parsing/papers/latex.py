"""LaTeX sources → `ReferencePaper`: their prose, with citations as a reader sees them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, groupby, islice
from pathlib import Path
from typing import TypeAlias

from ...model.drafts import CITATION_MARK, Citation, Draft, FileProse
from ...model.papers import BibEntry, Reference, ReferencePaper
from ...model.problems import InputError, NotAPaperError, NoTextError
from ...text.sentences import sentence_spans
from ..drafts import DraftReader
from ..encoding import read_head
from ..latex.arguments import argument_span, options_end
from ..latex.draft import LatexDraftReader
from ..latex.layout import SECTION_LEVELS
from ..latex.prose import ProseBuilder
from ..paths import normal
from .latex_works import CitedWorks, PrintedCitation, read_source
from .paragraphs import PaperBuilder, plain

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
#: Prefixes of commands without text in their arguments.
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

_TEXTS = (".tex", ".ltx")
_SOURCES = (*_TEXTS, ".bbl", ".bib")
_MAX_FILES = 2_000
_MAX_FOLDERS = 2_000
#: Limits for examining a folder: entries listed, files opened, bytes read of each.
_MAX_LISTED = 5_000
_MAX_OPENED = 100
_BEGINNING = 8_192
_STARTS_DOCUMENT = re.compile(r"^[^%\r\n]{0,200}?\\document(?:class|style)(?![A-Za-z])", re.M)
#: Names of main files; the folder's own is the fourth.
_MAIN_NAMES = ("main", "ms", "paper")
_CLASS = re.compile(r"\\document(?:class|style)(?![A-Za-z])")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}")

#: A place that divides a file's text: what from start to end of the source is not text, and what
#: to do there.
_Place: TypeAlias = tuple[int, int, Callable[[], None]]


def read_latex(path: Path) -> ReferencePaper:
    """Read a paper from a folder of LaTeX sources, or from its main file.

    Raises `InputError` without a document, `NotAPaperError` for a part, `NoTextError` without text.
    """
    place = normal(path)
    reader = LatexDraftReader(DraftReader(read_source).inputs)
    try:
        if place.is_file() and not reader.starts_document(place):
            raise NotAPaperError("this is not the main file of a LaTeX document")
        draft = reader.read(_main_file(reader, place) if place.is_dir() else place)
        return _Paper(reader, draft).read(path)
    except InputError as error:
        # The message names the file; the caller adds it itself.
        raise type(error)(str(error).removeprefix(f"{place}: ")) from None
    except RecursionError:
        raise InputError("its files or braces are nested too deeply") from None


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
        printed = [(None, file.prose.text) for file in self.draft.files]
        return self.builder.complete(about, self.works.all(), source, front=front, printed=printed)

    def _readable(self, source: str) -> str:
        """Return the text of a piece of LaTeX, without its footnotes."""
        return plain(ProseBuilder(_without_asides(source), self.table).build().text)

    def _arguments(self, command: re.Pattern[str]) -> list[str]:
        """Return the arguments of a command in the first file that has it."""
        for file in self.draft.files:
            visible = self.reader.visible(file.path)
            # Without parameters, which occur in the bodies of definitions.
            found = filter(str.strip, _braced(visible, command))
            if stated := [each for each in found if "#" not in each]:
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
        if (file := self.unread.pop(path, None)) is None:
            return
        visible, prose = self.reader.visible(path), file.prose
        document = _DOCUMENT.search(visible)
        if document and not self.begun:
            # Of the preamble, only the abstract is part of the text.
            self.begun, self.builder = True, PaperBuilder()
            self.prose, self.citations = [], []
            for abstract in _braced(visible[: document.start()], _ABSTRACT):
                self.builder.start_abstract()
                self.builder.add_text(self._readable(abstract))
                self.builder.start_section(None)
        citations = {citation.span.start: citation for citation in file.citations}

        def add(start: int, end: int) -> None:
            """Add an extent of the prose, and the citation of each mark in it."""
            text = prose.text[start:end]
            self.prose.append(text)
            marks = (start + match.start() for match in _MARK.finditer(text))
            self.citations += (citations.get(prose.source_offset(mark)) for mark in marks)

        position, behind = 0, document.end() if document else 0
        for start, end, act in self._places(path, visible, prose):
            if start >= behind:
                add(position, prose.offset_at(start))
                position, behind = prose.offset_at(end), end
                act()
        add(position, len(prose.text))

    def _places(self, path: Path, visible: str, prose: FileProse) -> list[_Place]:
        """Return the places that divide a file; in `visible`, comments are blanked out."""
        found: list[_Place] = [
            (offset, offset, partial(self._read, read))
            for offset, read in self.draft.inclusions.get(path, ())
            if read.suffix.lower() in (*_TEXTS, "", ".txt")
        ]
        left_out: dict[str, int] = {}
        for match in _STRUCTURE.finditer(visible):
            start, end = match.span()
            environment, command, begins = match["environment"], match["command"], match["edge"]
            if environment in _ABSTRACTS:
                act = self._start_abstract if begins == "begin" else self._end_abstract
                found.append((start, end, act))
            elif environment in _NO_TEXT and begins == "begin":
                left_out.setdefault(environment, start)
            elif environment in left_out:
                found.append((left_out.pop(environment), start, lambda: None))
            elif command and (within := _argument(visible, end)):
                first, last = within
                if command == "abstract":
                    found.append((start, first, self._start_abstract))
                    found.append((last, last + 1, self._end_abstract))
                elif command in _SECTIONS:
                    title = prose.text[prose.offset_at(first) : prose.offset_at(last)]
                    found.append((start, last + 1, partial(self._start_section, title)))
                else:
                    while command.startswith(_MANY_ARGUMENTS) and (
                        more := _argument(visible, last + 1)
                    ):
                        last = more[1]
                    found.append((start, last + 1, lambda: None))
        return sorted(found, key=lambda place: place[0])

    def _start_abstract(self) -> None:
        self._end_section()
        self.builder.start_abstract()

    def _end_abstract(self) -> None:
        self._end_section()
        self.builder.start_section(None)
        self.builder.start_section(self.section)

    def _start_section(self, title: str) -> None:
        if title := " ".join(title.replace(CITATION_MARK, " ").split()).rstrip(" .:"):
            self._end_section()
            self.builder.start_section(title)
            if not self.builder.in_abstract:
                self.section = title

    def _end_section(self) -> None:
        """Pass the sentences of the prose so far to the builder."""
        text, citations = "".join(self.prose), iter(self.citations)
        self.prose, self.citations = [], []
        for sentence in _sentences(text):
            pieces = sentence.split(CITATION_MARK)
            cited = [next(citations) for _ in pieces[1:]]
            if any(map(str.isalpha, sentence)):
                self._add_sentence(pieces, [*map(self.works.citation, cited), None])

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


def _argument(source: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the braces that follow a command and its options."""
    return argument_span(source, options_end(source, position))


def _braced(source: str, command: re.Pattern[str]) -> Iterator[str]:
    """Yield the arguments of a command."""
    for match in command.finditer(source):
        if within := _argument(source, match.end()):
            yield source[slice(*within)]


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
    """Yield the sentences of a prose with all citation marks; one after the last belongs to it."""
    for paragraph in _BLANK_LINE.split(text):
        spans: list[tuple[int, int]] = []
        for start, end in sentence_spans(paragraph):
            if spans and not _WORD.search(paragraph, start, end):
                start = spans.pop()[0]
            spans.append((start, end))
        yield from (paragraph[start:end] for start, end in spans)


# The files of a paper


def is_latex_folder(path: Path) -> bool:
    """Return whether a folder, or one directly below it, has the main file of a LaTeX document."""
    files = chain(path.glob("[!.]*"), path.glob("[!.]*/[!.]*"))
    texts = (file for file in islice(files, _MAX_LISTED) if file.suffix.lower() in _TEXTS)
    with suppress(OSError):  # a folder that cannot be listed
        heads = (read_head(file, _BEGINNING) for file in islice(texts, _MAX_OPENED))
        return any(map(_STARTS_DOCUMENT.search, heads))
    return False


def latex_sources(path: Path) -> tuple[Path, ...]:
    """Return the files of a paper in a fixed order: all in its folder, or what a file includes."""
    if path.is_dir():
        return tuple(_sources_below(path, _SOURCES))
    if not path.is_file():
        return ()
    main = normal(path)
    files = {main, *LatexDraftReader(DraftReader(read_source).inputs).inputs(main)}
    if (printed := main.with_suffix(".bbl")).is_file():
        files.add(printed)
    return tuple(x for x in sorted(files) if x == main or x.suffix.lower() in _SOURCES)


def _sources_below(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    found: list[Path] = []
    for place, subfolders, names in islice(os.walk(folder), _MAX_FOLDERS):
        subfolders[:] = sorted(name for name in subfolders if name[0] != ".")
        paths = (Path(place, name) for name in sorted(names) if name[0] != ".")
        found += (p for p in paths if p.suffix.lower() in suffixes and p.is_file())
        if len(found) >= _MAX_FILES:
            break
    return sorted(found[:_MAX_FILES])


def _main_file(reader: LatexDraftReader, folder: Path) -> Path:
    """Return the main file of a folder: of those nearest the top, the one with the most text."""
    candidates: dict[Path, frozenset[Path]] = {}
    by_depth = sorted(_sources_below(folder, _TEXTS), key=lambda path: len(path.parts))
    for _, paths in groupby(by_depth, key=lambda path: len(path.parts)):
        for path in paths:
            with suppress(InputError):
                if reader.starts_document(path):
                    files = frozenset(reader.includes(path))
                    text = "\n".join(map(reader.visible, files))
                    if _CLASS.search(text) and _DOCUMENT.search(text):
                        candidates[path] = files
        if candidates:
            break
    else:
        raise InputError("there is no LaTeX document in this folder")
    readers = Counter(file for files in candidates.values() for file in files)
    # If all are included by others, none is better than the others.
    free = [path for path in candidates if readers[path] == 1] or list(candidates)
    names = (*_MAIN_NAMES, folder.name.lower())

    def rank(path: Path) -> tuple[int, int, str]:
        amount = sum(len("".join(reader.visible(file).split())) for file in candidates[path])
        stem = path.stem.lower()
        return -amount, names.index(stem) if stem in names else len(names), path.name

    return min(free, key=rank)
