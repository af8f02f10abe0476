"""Markdown and plain text → `ReferencePaper`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ...model.papers import Reference, ReferencePaper
from ...model.problems import InputError
from ..encoding import decoded
from .citations import find_markers
from .hyphenation import LineJoiner, join_lines, join_pieces
from .paragraphs import NUMBERED, REFERENCES, PaperBuilder, is_known
from .reference_lists import ListLine
from .references import arxiv_in, doi_in, parse_reference, read_list, read_names, year_in

_MAX_FRONT = 1500
#: A paper's own DOI or arXiv id is within this many characters.
_MAX_TITLE_BLOCK = 800
#: The width of a space before a line of a reference list, in ems.
_SPACE = 0.5
_MAX_TITLE = 200
_MAX_HEADING_WORDS = 12
#: Lines this long that fill the width are hard-wrapped prose, not headings or items.
_MAX_HEADING = 90

_APPENDIX = re.compile(r"(?:[A-H][.:]?\s+|\W*)(?:Appendi|Supplement|Annex|Anhang)", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(
    r"^(title|abstract|author|doi|date|year)[ \t]*:[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE
)
#: Fenced code; an unclosed fence extends to the end, as in CommonMark.
_FENCED = re.compile(
    r"^[ ]{0,3}(`{3,}|~{3,}).*(?:\n.*)*?(?:\n[ ]{0,3}\1[`~ \t]*$|\Z)", re.MULTILINE
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK_TARGET = re.compile(
    r"^[ ]{0,3}\[(?!\^)[^\]\n]+\]:[ \t]+\S+(?:[ \t]+[\"'(].*)?[ \t]*$", re.MULTILINE
)
_FOOTNOTE = re.compile(
    r"^[ ]{0,3}\[\^(?P<label>[^\]\s]{1,40})\]:[ \t]*(?P<text>.*(?:\n(?!\[\^|#)[ \t]*\S.*)*)\n?",
    re.MULTILINE,
)
_CITING_MARK = re.compile(r"\[\^([^\]\s]{1,40})\]")
_ATX = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{3,})[ \t]*\Z")
_RULE = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_BULLET = re.compile(r"[ \t]*[-*+•◦▪–][ \t]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+")
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")
_TABLE_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*\Z|[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|[-:| \t]*\Z")
_TARGET = r"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])"
#: Longer emphasis keeps its signs: the search for the closing sign is bounded.
_STRONG = re.compile(r"(\*{1,3}|(?<!\w)_{1,3}|~~)(?=\S)([^*\n]{1,1000}?)(?<=\S)\1(?!\w)"), r"\2"
#: What is removed from a line of Markdown, in order, and what remains of it.
_MARKUP = (
    (re.compile(rf"!\[([^\[\]\n]*)\]{_TARGET}"), r"\1"),
    (re.compile(rf"\[([^\[\]\n]+)\]{_TARGET}"), r"\1"),
    (re.compile(r"<((?:https?|mailto|ftp):[^<>\s]+)>"), r"\1"),
    (re.compile(r"\[\^[^\]\n]+\]:?[ ]?"), ""),
    (re.compile(r"</?[A-Za-z][^<>]{0,300}>"), ""),
    (re.compile(r"(`{1,3})([^`\n]+)\1"), r"\2"),
    _STRONG,
    _STRONG,  # strong within emphasis
    (re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~])"), r"\1"),
)


class _Collector:
    """Passes lines to the builder of a paper, and reads its reference lists."""

    def __init__(self, text: str, references: Iterable[Reference] = ()) -> None:
        self.builder = PaperBuilder()
        self.references = list(references)
        self.text = text
        self.in_references = False
        self.front = ""
        self._join = LineJoiner(text.split("\n")).join
        self._list: list[ListLine] = []
        self._apart = True
        # A paragraph may run over a page: the lines so far, and their pages.
        self._lines: list[tuple[str, int | None]] = []

    def add_line(self, line: str, readable: Callable[[str], str] = str.strip) -> None:
        """Add a line to the current paragraph or reference list."""
        if sign := (_BULLET if self.in_references else _ITEM).match(line):
            self.end_paragraph()
        if not (text := readable(line[sign.end() :] if sign else line)):
            return
        if self.in_references:
            indent = len(line) - len(line.lstrip())
            self._list.append(ListLine(text, _SPACE * indent, 2.0 if self._apart else 1.0))
        else:
            self.add_front(text)
            self._lines.append((text, self.builder.page))
        self._apart = False

    def add_front(self, text: str) -> None:
        if len(self.front) < _MAX_FRONT:
            self.front = f"{self.front} {text}".strip()

    def end_paragraph(self) -> None:
        """End the current paragraph: its sentences are on the page where they start."""
        self._apart = True
        page = self.builder.page
        joined = join_pieces([line for line, _ in self._lines], self._join)
        for piece, (_, line_page) in zip(joined, self._lines, strict=True):
            self.builder.page = line_page
            self.builder.add_text(piece)
        self.builder.end_paragraph()
        self.builder.page = page
        self._lines = []

    def start_section(self, name: str) -> None:
        self.end_paragraph()
        self._end_references()
        goes_on = self.in_references and not (_APPENDIX.match(name) or is_known(name))
        self.in_references = goes_on or REFERENCES.fullmatch(name) is not None
        self.builder.start_section(name)

    def _end_references(self) -> None:
        self.references += read_list(self._list, self._join)
        self._list = []

    def paper(self, title: str, path: Path, stated: Mapping[str, str]) -> ReferencePaper:
        """Build the paper; raise `InputError` if there is no sentence."""
        self.end_paragraph()
        self._end_references()
        builder = self.builder
        if not builder.sentences:
            raise InputError("the file has no sentences")
        if builder.page is not None:
            builder.sentences = [replace(s, page_label=str(s.page)) for s in builder.sentences]
        builder.markers = [*find_markers(builder.sentences, self.references)]
        pages = self.text.split("\f")
        about = Reference(
            title=title,
            surnames=read_names(stated.get("author", "")),
            year=year_in(stated.get("year") or stated.get("date") or "")[:4],
            doi=doi_in(stated.get("doi", "")) or _only(doi_in, self.front),
            arxiv=_only(arxiv_in, self.front),
        )
        return builder.complete(
            about,
            self.references,
            path,
            page_count=builder.page,
            abstract=stated.get("abstract", ""),
            front=self.front[:_MAX_FRONT],
            printed=enumerate(pages, start=1) if builder.page else [(None, self.text)],
        )


def _only(find: Callable[[str], str], front: str) -> str:
    """Return the only identifier in the title block; later ones are those of other works."""
    found = find(front[:_MAX_TITLE_BLOCK])
    return found and ("" if find(front.lower().partition(found)[2]) else found)


def _read(path: Path) -> str:
    data = path.read_bytes()
    text = decoded(data).text
    if "\0" in text or data.startswith((b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff")):
        raise InputError("this is a binary file, not text")
    if not text.strip():
        raise InputError("the file is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_markdown(path: Path) -> ReferencePaper:
    """Read a Markdown file; raise `InputError` if it is binary or has no sentences."""
    text = _read(path)
    stated: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
        stated = {name: _stated(name, value) for name, value in _FRONT_FIELD.findall(front[1])}
    title = stated.get("title", "")
    text, footnotes = _without_cited_footnotes(_LINK_TARGET.sub("", _COMMENT.sub("", text)))
    collector = _Collector(text, footnotes)
    for value in (title, stated.get("author", "")):
        collector.add_front(value)
    lines = _FENCED.sub("", text).split("\n")
    for quoted, following in zip(lines, [*lines[1:], ""], strict=True):
        line = _QUOTE.sub("", quoted, count=1)
        atx = _ATX.fullmatch(line)
        is_row = _TABLE_ROW.match(line) is not None
        if atx or (line.strip() and not is_row and _UNDERLINE.fullmatch(following)):
            name = _readable(atx[2] if atx else line)
            is_first_level = len(atx[1]) == 1 if atx else following.lstrip()[0] == "="
            if is_first_level and not title:
                collector.end_paragraph()
                collector.add_front(name)
                title = name
            elif name and not (is_first_level and name == title):
                collector.start_section(name)
        elif not line.strip() or _RULE.fullmatch(line) or _UNDERLINE.fullmatch(line):
            collector.end_paragraph()
        elif not is_row:
            collector.add_line(line, _readable)
    return collector.paper(title, path, stated)


def _stated(name: str, value: str) -> str:
    if name == "author":
        # One name, a list in brackets, or one name a line after a hyphen.
        value = re.sub(r"^[ \t]*-[ \t]+", " and ", value, flags=re.MULTILINE).strip("[] \n")
        value = value.strip().removeprefix("and ")
    return _readable(" ".join(value.split()).lstrip("|>").strip().strip("\"'"))


def _without_cited_footnotes(text: str) -> tuple[str, list[Reference]]:
    """Remove the footnotes that are references from a text; their marks become "[label]"."""
    cited: dict[str, Reference] = {}

    def take(found: re.Match[str]) -> str:
        label = found["label"]
        reference = parse_reference(_readable(join_lines(found["text"].split("\n"))), label)
        if not (reference.surnames and reference.title and reference.year):
            return found[0]
        cited.setdefault(label, reference)
        return ""

    def mark(found: re.Match[str]) -> str:
        return f"\\[{found[1]}\\]" if found[1] in cited else found[0]

    text = _FOOTNOTE.sub(take, text)
    return _CITING_MARK.sub(mark, text), list(cited.values())


def _readable(text: str) -> str:
    """Return a line of Markdown as plain text: without marks, and with links as their text."""
    for pattern, rest in _MARKUP:
        text = pattern.sub(rest, text)
    return " ".join(html.unescape(text).split())


def read_plain_text(path: Path) -> ReferencePaper:
    """Read a plain text file, with form feeds between pages; raise `InputError` if it has none."""
    text = _read(path).strip("\n")
    collector = _Collector(text)
    builder = collector.builder
    builder.page = 1 if "\f" in text.strip("\f\n ") else None
    title = ""
    lines = re.sub(r"(?<!\n)\f", "\n\f", text).split("\n")
    first = next(position for position, line in enumerate(lines) if line.strip())
    around = zip(lines, ["", *lines[:-1]], [*lines[1:], ""], strict=True)
    for position, (raw, above, following) in enumerate(around):
        # A page break does not end a paragraph: it may fall into a sentence.
        pages = raw.count("\f")
        if builder.page is not None:
            builder.page += pages
        raw = raw.replace("\f", "")
        line, following = raw.strip(), following.strip()
        if not line or _UNDERLINE.fullmatch(line):
            if line or not pages:
                collector.end_paragraph()
        elif position == first:
            # Separate, short and not ending like a sentence.
            is_alone = not following or _UNDERLINE.fullmatch(following)
            if is_alone and len(line) <= _MAX_TITLE and line[-1] not in ".;,":
                title = line
                collector.add_front(line)
            else:
                collector.add_line(line)
        elif _is_heading(line, above.strip(), following):
            collector.start_section(line.rstrip(":") if not line[0].isdigit() else line)
        else:
            collector.add_line(raw)
    return collector.paper(title, path, {})


def _is_heading(line: str, above: str, following: str) -> bool:
    if len(line) > _MAX_HEADING or len(line.split()) > _MAX_HEADING_WORDS:
        return False
    if following and _UNDERLINE.fullmatch(following):
        return any(map(str.isalpha, line))
    if above or line[-1] in ".;,":
        return False
    bare = line.rstrip(":")
    if is_known(bare) or REFERENCES.fullmatch(bare):
        return True
    numbered = NUMBERED.fullmatch(bare)
    name = numbered["name"] if numbered else bare
    letters = [*filter(str.isalpha, name)]
    if len(letters) > 2 and all(map(str.isupper, letters)):
        return True
    return not following and bool(_APPENDIX.match(bare) or (numbered and name[0].isupper()))
