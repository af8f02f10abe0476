r"""LaTeX sources → `ReferencePaper`: a paper's folder as arXiv gives it, or one's own earlier one.

The text is the prose of the document's body, each file where it is read. A citation becomes what a
reader sees: names and year, or its key where the bibliography does not have it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from ...model.drafts import CITATION_MARK, Citation, Draft, TexFile
from ...model.papers import BibEntry, Reference, ReferencePaper
from ...model.problems import InputError, NotAPaperError, NoTextError
from ...text.sentences import sentence_spans
from ..bibtex import Bibliography, MergedEntries, parse_bibliography, read_bibliography
from ..drafts import DraftReader
from ..encoding import read_text
from ..latex.arguments import brace_end, options_end, skip_space
from ..latex.parse import is_gap
from ..latex.prose import read_prose
from .latex_references import printed_references, reference_of
from .paragraphs import PaperBuilder

_TEXTS = (".tex", ".ltx")
_SOURCES = (*_TEXTS, ".bbl", ".bib")
_MOST_FILES = 2_000
_MOST_FOLDERS = 2_000
_MOST_BYTES = 32 * 1024 * 1024
#: What a look at a folder costs at most: entries listed, files opened, bytes read of each.
_MOST_LISTED = 500
_MOST_OPENED = 100
_BEGINNING = 8_192
_STARTS_DOCUMENT = re.compile(rb"^[^%\r\n]{0,200}?\\document(?:class|style)(?![A-Za-z])", re.M)
#: Names of main files; the folder's own is the fourth.
_MAIN_NAMES = ("main", "ms", "paper")

_CLASS = re.compile(r"\\document(?:class|style)(?![A-Za-z])")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_SECTIONS = (
    "part chapter section subsection subsubsection paragraph subparagraph addchap addpart addsec "
    "minisec"
)
#: What is said round the text: who wrote it, where, when, about what; and the titles of slides.
_FRONT_MATTER = (
    "title subtitle author date institute affil affiliation address email keywords subject "
    "dedication thanks frametitle framesubtitle titlerunning authorrunning icmltitle icmlauthor "
    "icmlaffiliation icmlcorrespondingauthor icmltitlerunning acmConference acmBooktitle acmDOI "
    "acmISBN ccsdesc orcid received"
)
_STRUCTURE = re.compile(
    r"\\(?:(?P<edge>begin|end)\s*\{(?P<environment>[A-Za-z]{1,40})\*?\}"
    rf"|(?P<section>{_SECTIONS.replace(' ', '|')})(?![A-Za-z@])\*?"
    rf"|(?P<front>{_FRONT_MATTER.replace(' ', '|')})(?![A-Za-z@])\*?"
    r"|(?P<abstract>abstract)(?![A-Za-z@])"
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
_ABSTRACT_TITLE = re.compile(r"abstract|summary|zusammenfassung|résumé|resumen", re.IGNORECASE)

_TITLE = re.compile(r"\\(?:icml)?title(?![A-Za-z@])")
_AUTHOR = re.compile(r"\\(?:icml)?author(?![A-Za-z@])")
_DATE = re.compile(r"\\date(?![A-Za-z@])")
#: In a title or among authors: what leads elsewhere.
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
_LONGEST_FRONT = 2_000
_MOST_NAMES = 6

_MARK = re.compile(CITATION_MARK)
_WORD = re.compile(r"\w")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_OPENING = " \t\n\u00a0([{“‘„«/–—-"
_CLOSING = ".,;:!?)]"

#: How a citation command is printed, by what its name says.
_Form = Literal["brackets", "narrative", "bare", "authors", "year", "bare year", "title"]
_NARRATIVE = re.compile(
    r"citet|newcite|textcite|citeasnoun|citeposs|citepos|possessivecite|onlinecite|inlinecite"
    r"|(?:full|short)?citeA\Z|citen\Z|headlesscite",
    re.IGNORECASE,
)
_BARE = re.compile(r"citeal[tp]|citeNP|citeNN|citeay", re.IGNORECASE)
#: ``\shortcite`` of the ACL's older styles is a year.
_YEAR_ONLY = re.compile(r"citeyear|citedate|citeurldate|shortcite\Z|yrcite")


def is_latex_folder(path: Path) -> bool:
    """Tell whether a folder, or one directly below it, has the main file of a LaTeX document."""
    looked_at = islice(_near(path), _MOST_OPENED)
    return any(_STARTS_DOCUMENT.search(_beginning(file)) for file in looked_at)


def latex_sources(path: Path) -> tuple[Path, ...]:
    """Return the files that a paper is made of, in a fixed order.

    Of a folder, all .tex, .ltx, .bbl and .bib files below it (no more than 2,000); of a file, those
    that it reads, its bibliographies, and the .bbl beside it.
    """
    if path.is_dir():
        return tuple(_sources_below(path))
    if not path.is_file():
        return ()
    main = Path(os.path.normpath(path.absolute()))
    files = {main, *DraftReader(_read_source).rests_on(main)}
    if (printed := main.with_suffix(".bbl")).is_file():
        files.add(printed)
    # Named as `path` is, where they are below its folder.
    given = {file: path.parent / os.path.relpath(file, main.parent) for file in files}
    return tuple(
        given[file] if file.is_relative_to(main.parent) else file
        for file in sorted(files)
        if file == main or file.suffix.lower() in _SOURCES
    )


def read_latex(path: Path) -> ReferencePaper:
    """Read the paper of which a folder holds the LaTeX sources, or a .tex file the main file.

    Raises `InputError` where there is no document, `NotAPaperError` for a part of one, and
    `NoTextError` where it says nothing.
    """
    reader, place = DraftReader(_read_source), Path(os.path.normpath(path.absolute()))
    try:
        if place.is_file() and not reader.starts_document(place):
            raise NotAPaperError("this is not the main file of a LaTeX document")
        draft = reader.read(_main_file(reader, place) if place.is_dir() else place)
        return _Paper(reader, draft).read(path)
    except InputError as error:
        # The reader names the file, which is known here.
        raise type(error)(str(error).removeprefix(f"{place}: ")) from None
    except RecursionError:
        raise InputError("its files or braces are nested too deeply") from None


def _read_source(path: Path) -> str:
    """Read a file, unless it is longer than any source; raise `InputError`."""
    if path.is_file() and path.stat().st_size > _MOST_BYTES:
        raise InputError(f"{path}: the file is too long for a LaTeX source")
    return read_text(path)


# Which files


def _near(path: Path) -> Iterator[Path]:
    """Yield the LaTeX files in a folder, then those in the folders directly in it."""
    folders = []
    for entry in _listed(path):
        if entry.name.lower().endswith(_TEXTS) and entry.is_file():
            yield Path(entry.path)
        elif entry.is_dir():
            folders.append(Path(entry.path))
    for folder in folders:
        for entry in _listed(folder):
            if entry.name.lower().endswith(_TEXTS) and entry.is_file():
                yield Path(entry.path)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            listed = [e for e in islice(entries, _MOST_LISTED) if e.name[0] != "."]
    except OSError:
        return []
    return sorted(listed, key=lambda entry: entry.name)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except OSError:
        return b""


def _sources_below(folder: Path, suffixes: tuple[str, ...] = _SOURCES) -> list[Path]:
    found: list[Path] = []
    for place, subfolders, names in islice(os.walk(folder), _MOST_FOLDERS):
        subfolders[:] = sorted(name for name in subfolders if name[0] != ".")
        paths = (Path(place, name) for name in sorted(names) if name[0] != ".")
        found += (p for p in paths if p.suffix.lower() in suffixes and p.is_file())
        if len(found) >= _MOST_FILES:
            break
    return sorted(found[:_MOST_FILES])


def _main_file(reader: DraftReader, folder: Path) -> Path:
    """Return the main file of a folder: the one that reads most text, of those nearest the top."""
    candidates: dict[Path, frozenset[Path]] = {}
    depth = 0
    for path in sorted(_sources_below(folder, _TEXTS), key=lambda path: len(path.parts)):
        if candidates and len(path.parts) > depth:
            break
        try:
            if reader.starts_document(path):
                files = frozenset(reader.includes(path))
                texts = [reader.visible(file) for file in files]
                if all(any(part.search(text) for text in texts) for part in (_CLASS, _DOCUMENT)):
                    candidates[path], depth = files, len(path.parts)
        except InputError:
            continue
    if not candidates:
        raise InputError("there is no LaTeX document in this folder")
    readers = Counter(file for files in candidates.values() for file in files)
    # Where they read each other, each is as good as the other.
    free = [path for path in candidates if readers[path] == 1] or list(candidates)

    def amount(path: Path) -> int:
        return sum(len("".join(reader.visible(file).split())) for file in candidates[path])

    names = (*_MAIN_NAMES, folder.name.lower())

    def rank(path: Path) -> tuple[int, int, str]:
        stem = path.stem.lower()
        return -amount(path), names.index(stem) if stem in names else len(names), path.name

    return min(free, key=rank)


# References


class _CitedWorks:
    """The reference list of a paper: what is cited first comes first."""

    def __init__(self, reader: DraftReader, draft: Draft) -> None:
        self.references: list[Reference] = []
        self._fold: Callable[[str], str] = str if draft.case_sensitive_keys else str.lower
        self._entries = dict(self._named_entries(draft))
        self._printed = dict(self._printed_works(reader, draft))
        self._numbers: dict[str, int | None] = {}

    def number(self, key: str) -> int | None:
        """Return the index of the reference that a key cites, None where nothing is known of it."""
        key = self._fold(key)
        entry = self._entries.get(key)
        if entry is not None:
            key = self._fold(entry.key)
        if key not in self._numbers:
            printed = self._printed.pop(key, None)
            reference = printed if entry is None else reference_of(entry)
            self._numbers[key] = None if reference is None else len(self.references)
            if reference is not None:
                self.references.append(reference)
        return self._numbers[key]

    def all(self) -> tuple[Reference, ...]:
        """Return the references, those that are printed without being cited last."""
        return (*self.references, *self._printed.values())

    def _named_entries(self, draft: Draft) -> Iterator[tuple[str, BibEntry]]:
        """Yield the entries of the .bib files by all their names, of equal names the first last."""
        files: list[Bibliography] = []
        strings: dict[str, str] = {}
        for source in draft.bibliographies:
            try:
                if source.text is None:
                    files.append(read_bibliography(source.path, strings))
                else:
                    files.append(parse_bibliography(source.text, source.path, strings))
                strings.update(files[-1].strings)
            except InputError:
                continue
        entries = tuple(MergedEntries(files).values())
        for entry in reversed(entries):
            for alias in entry.aliases:
                yield self._fold(alias), entry
        for entry in reversed(entries):
            yield self._fold(entry.key), entry

    def _printed_works(self, reader: DraftReader, draft: Draft) -> Iterator[tuple[str, Reference]]:
        paths = [file.path for file in draft.files if file.bib_items]
        if not paths and not self._entries:
            paths = _bbl_files(draft)
        for path in paths:
            try:
                for reference in printed_references(_read_source(path), reader.visible(path)):
                    yield self._fold(reference.label), reference
            except InputError:
                continue


def _bbl_files(draft: Draft) -> list[Path]:
    """Return the .bbl that belongs to a main file: of its name, read by it, or the only one."""
    own = draft.root.with_suffix(".bbl")
    if own.is_file():
        return [own]
    read = sorted(path for path in draft.own_paths if path.suffix.lower() == ".bbl")
    beside = [path for path in draft.root.parent.glob("*.bbl") if path.is_file()]
    return read or (beside if len(beside) == 1 else [])


# Text


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that divides a file's text; offsets of the source.

    What stands from `start` to `end` is no text: the heading of a "section" (`argument` is its
    title), "front" matter, where the "abstract" begins and "ends", where a "file" is read.
    """

    start: int
    end: int
    kind: Literal["section", "front", "abstract", "end of abstract", "file"]
    argument: tuple[int, int] = (0, 0)
    path: Path | None = None


class _Paper:
    """Puts the text of a draft's files together, as one reads them."""

    def __init__(self, reader: DraftReader, draft: Draft) -> None:
        self.reader = reader
        self.draft = draft
        self.table = reader.commands(draft)
        self.works = _CitedWorks(reader, draft)
        self.builder = PaperBuilder()
        self.unread = {file.path: file for file in draft.files}
        self.begun = False
        self.section: str | None = None
        #: Prose of the current section, and the citation behind each mark in it.
        self.prose: list[str] = []
        self.citations: list[Citation | None] = []

    def read(self, source: Path) -> ReferencePaper:
        """Return the paper; raise `NoTextError` when no file has a sentence."""
        self._read(self.draft.path)
        self._end_section()
        title = next(filter(None, map(self._said, self._arguments(_TITLE))), "")
        authors = self._arguments(_AUTHOR)
        dates = _YEAR.findall(" ".join(map(self._said, self._arguments(_DATE))))
        front = [title, *map(self._said, authors)]
        paper = ReferencePaper(
            title=title,
            basis="full text",
            source=source,
            surnames=self._surnames(authors),
            year=dates[0] if len(set(dates)) == 1 else "",
            front="\n".join(filter(None, front))[:_LONGEST_FRONT],
            references=self.works.all(),
        )
        try:
            paper = self.builder.complete(paper)
        except NoTextError:
            raise NoTextError("there are no sentences in the LaTeX source") from None
        if paper.abstract:
            return paper
        abstract = (s.text for s in paper.sentences if _ABSTRACT_TITLE.fullmatch(s.section or ""))
        return replace(paper, abstract=" ".join(abstract))

    def _read(self, path: Path) -> None:
        """Read a file, and where it reads another one, that file; each file once."""
        file = self.unread.pop(path, None)
        if file is None:
            return
        visible, prose = self.reader.visible(path), file.prose
        document = _DOCUMENT.search(visible)
        if document and not self.begun:
            self._begin(visible[: document.start()])
        marks = _marks(file)
        position, behind = 0, document.end() if document else 0
        for place in self._places(path, visible):
            if place.start < behind:
                continue
            self._say(prose.text, marks, position, prose.offset_at(place.start))
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
        self._say(prose.text, marks, position, len(prose.text))

    def _begin(self, preamble: str) -> None:
        """Begin the text: what the preamble reads has no part in it, unless it is the abstract."""
        self.begun, self.builder = True, PaperBuilder()
        self.prose, self.citations = [], []
        for start, end in _braced(preamble, _ABSTRACT):
            self.builder.start_abstract()
            self.builder.add_text(self._said(preamble[start:end]))
            self.builder.start_section(None)

    def _places(self, path: Path, visible: str) -> list[_Place]:
        places = [
            _Place(offset, offset, "file", path=read)
            for offset, read in self.draft.inclusions.get(path, ())
            if read.suffix.lower() in (*_TEXTS, "", ".txt")
        ]
        left_out: dict[str, int] = {}
        for match in _STRUCTURE.finditer(visible):
            environment = match["environment"]
            if environment not in _NO_TEXT:
                places += _places_at(visible, match)
            elif match["edge"] == "begin":
                left_out.setdefault(environment, match.start())
            elif (start := left_out.pop(environment, None)) is not None:
                places.append(_Place(start, match.start(), "front"))
        return sorted(places, key=lambda place: place.start)

    def _say(self, prose: str, marks: Mapping[int, Citation], start: int, end: int) -> None:
        if start < end:
            text = prose[start:end]
            self.prose.append(text)
            found = (match.start() for match in _MARK.finditer(text))
            self.citations += (marks.get(start + offset) for offset in found)

    def _start_section(self, title: str) -> None:
        title = " ".join(title.replace(CITATION_MARK, " ").split()).rstrip(" .:")
        if title:
            self._end_section()
            self.section = title
            self.builder.start_section(title)

    def _end_section(self) -> None:
        """Hand over the sentences of the prose so far."""
        text, citations = "".join(self.prose), iter(self.citations)
        self.prose, self.citations = [], []
        for sentence in _sentences(text):
            pieces = sentence.split(CITATION_MARK)
            cited = [next(citations) for _ in pieces[1:]]
            if any(character.isalpha() for character in sentence):
                self._add_sentence(pieces, [*map(self._marker, cited), None])

    def _add_sentence(self, pieces: list[str], markers: list[_Printed | None]) -> None:
        """Add a sentence: between two pieces of its text stands a marker, or nothing (a gap)."""
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
        self.builder.end_sentence()

    # Citations

    def _marker(self, citation: Citation | None) -> _Printed | None:
        """Return how a citation is printed; None where it cites nothing (yet)."""
        keys = [key.key for key in citation.keys if not is_gap(key.key)] if citation else []
        if citation is None or not keys:
            return None
        numbers = [self.works.number(key) for key in keys]
        cited = tuple(dict.fromkeys(number for number in numbers if number is not None))
        if not cited:
            bare = "; ".join(keys)
            return _Printed(f"[{bare}]", f"[{bare}]", ())
        form = _form(citation.command)
        known = [None if number is None else self.works.references[number] for number in numbers]
        labels = [_label(r, key, form) for r, key in zip(known, keys, strict=True)]
        bare = (", " if form == "narrative" else "; ").join(dict.fromkeys(labels))
        return _Printed(f"({bare})" if form in ("brackets", "year") else bare, bare, cited)

    # Front matter

    def _arguments(self, command: re.Pattern[str]) -> list[str]:
        """Return the arguments of a command in the first file that has it."""
        for file in self.draft.files:
            visible = self.reader.visible(file.path)
            found = [visible[start:end] for start, end in _braced(visible, command)]
            # In the body of a definition, it is a parameter.
            if said := [argument for argument in found if argument.strip() and "#" not in argument]:
                return said
        return []

    def _said(self, source: str) -> str:
        """Return what a piece of LaTeX says, without its footnotes."""
        source = _without_asides(source)
        text = read_prose(source, {}, {}, self.table.texts, (), self.table).text
        return " ".join(text.split())

    def _surnames(self, authors: list[str]) -> tuple[str, ...]:
        names: list[str] = []
        for block in (block for author in authors for block in _NEXT_AUTHORS.split(author)):
            block = _MATHEMATICS.sub(" ", _without_asides(block))
            lines = (
                [*map(self._said, _BETWEEN_AUTHORS.split(line))] for line in _LINE.split(block)
            )
            names += filter(_is_name, next((said for said in lines if any(said)), []))
        return BibEntry("", "", {"author": " and ".join(names)}, Path()).surnames


@dataclass(frozen=True, slots=True)
class _Printed:
    """A citation as a reader sees it, and within brackets; the references that it cites."""

    text: str
    bare: str
    references: tuple[int, ...]


def _marks(file: TexFile) -> dict[int, Citation]:
    """Map the offset of each citation mark in a file's prose to its citation."""
    prose = file.prose
    starts = ((prose.offset_at(c.span.start), c) for c in file.citations)
    return {
        start: citation
        for start, citation in starts
        if prose.text[start : start + 1] == CITATION_MARK
        and prose.source_offset(start) == citation.span.start
    }


def _places_at(visible: str, match: re.Match[str]) -> Iterator[_Place]:
    """Yield the places of one command that divides the text."""
    start, end = match.span()
    if (environment := match["environment"]) is not None:
        if environment in _ABSTRACTS:
            yield _Place(start, end, "abstract" if match["edge"] == "begin" else "end of abstract")
        return
    argument = _argument(visible, end)
    if argument is None:
        return
    first, last = argument
    if match["section"]:
        yield _Place(start, last + 1, "section", argument)
    elif match["front"]:
        while match["front"].startswith(_MANY_ARGUMENTS) and (more := _argument(visible, last + 1)):
            last = more[1]
        yield _Place(start, last + 1, "front")
    elif match["abstract"]:
        yield _Place(start, first, "abstract")
        yield _Place(last, last + 1, "end of abstract")


def _argument(source: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the braces that follow a command and its options."""
    start = skip_space(source, options_end(source, position))
    end = brace_end(source, start) if source[start : start + 1] == "{" else None
    return None if end is None else (start + 1, end - 1)


def _braced(source: str, command: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the arguments of a command."""
    for match in command.finditer(source):
        if (argument := _argument(source, match.end())) is not None:
            yield argument


def _without_asides(source: str) -> str:
    """Return the source of a title or of authors without footnotes and marks of affiliations."""
    parts: list[str] = []
    position = 0
    for match in _ASIDE.finditer(source):
        if match.start() < position:
            continue
        parts.append(source[position : match.start()])
        argument = _argument(source, match.end())
        position = match.end() if argument is None else argument[1] + 1
    return "".join(parts) + source[position:]


def _is_name(text: str) -> bool:
    return 2 <= len(text.split()) <= _MOST_NAMES and not _NO_NAME.search(text)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a prose; citations behind the last of a paragraph belong to it.

    Together they hold every citation mark.
    """
    for paragraph in _BLANK_LINE.split(text):
        spans: list[tuple[int, int]] = []
        for start, end in sentence_spans(paragraph):
            if spans and not _WORD.search(paragraph, start, end):
                start = spans.pop()[0]
            spans.append((start, end))
        yield from (paragraph[start:end] for start, end in spans)


def _form(command: str) -> _Form:
    """Return how a citation command is printed, as far as its name says."""
    name = command.rstrip("*")
    lowered = name.lower()
    if "title" in lowered:
        return "title"
    if "author" in lowered and "year" not in lowered:
        return "authors"
    if _YEAR_ONLY.search(lowered):
        return "year" if lowered.endswith(("par", "cite")) else "bare year"
    if _NARRATIVE.search(name) and "foot" not in lowered:
        return "narrative"
    return "bare" if _BARE.search(name) else "brackets"


def _label(reference: Reference | None, key: str, form: _Form) -> str:
    """Return how one work is cited; what is not known of it is left out, or its key stands."""
    if reference is None:
        return key
    surnames, year = reference.surnames, reference.year
    who = f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)
    said = f"{who} {year}".strip()
    if form == "narrative" and who and year:
        said = f"{who} ({year})"
    elif form == "authors":
        said = who
    elif form in ("year", "bare year"):
        said = year
    elif form == "title":
        said = reference.title
    return said or key
