"""Read Markdown in regions: its prose and what it cites, as Pandoc reads it.

Other syntax is read only if it changes the words of the prose; what is not closed is plain text.
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from ...model.drafts import (
    CITATION_MARK,
    BibliographyName,
    Citation,
    DraftFile,
    DraftRegion,
    Include,
    KeyList,
)
from ...model.spans import TextSpan
from ..latex.arguments import brace_end, bracket_end
from ..latex.symbols import plain_text
from ..markups import MARKDOWN, markup_of
from ..scanning import MAX_REGIONS, regions
from .chunks import captions, knitted, printed
from .citations import (
    GAP,
    NO_KEY,
    ROLE,
    citation_in_tex,
    is_address,
    key_at,
    keys_of_role,
    linked_doi,
    listed_key,
    unmarked_keys,
)
from .dialect import HEADER, Dialect, Metadata, header_of
from .lines import Lines

_SIGN: Final = re.compile(
    r"[\\`$<\[\]@*_{^~!\r\n|]|---?|\.\.\.|"
    r"&(?:(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)?"
)
#: Skipped: addresses, marks of notes, the signs of images, and bookdown's cross-references.
_SKIPPED: Final = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+)>"
    r"|\[\^[^\s\[\]^]+\]|!(?=\[)|\\?@ref\([^()\s]*\)"
)
_BLANK_LINE: Final = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t>]*(?=[\r\n]|\Z)")
_COMMAND: Final = re.compile(r"\\[A-Za-z]+\*?")
_BEGIN: Final = re.compile(r"\\begin[ \t]*\{([^{}\r\n]+)\}")
_FORMULA: Final = re.compile(r"\$(?=[^\s$])((?:[^$\\]|\\.)*?)(?<!\s)\$(?!\d)", re.DOTALL)
_TAG: Final = re.compile(
    r"<(?:/[A-Za-z][\w:-]*\s*|(?P<name>[A-Za-z][\w:-]*)(?:\s+(?:\"[^\"]*\"|'[^']*'|[^'\"<>])*)?/?"
    r"|[!?](?:[^<>])*)>"
)
_VERBATIM: Final = frozenset(("script", "style", "pre", "textarea"))
_LABEL: Final = re.compile(r"[ ]?\[([^\[\]@]*)\]")
_ATTRIBUTES: Final = re.compile(r"\{(?:[#.:=A-Za-z_-])(?:[^{}\"'\r\n]|\"[^\"]*\"|'[^']*')*\}|\{\}")
#: Those of a heading or a caption end its line.
_LAST: Final = re.compile(rf"(?:{_ATTRIBUTES.pattern})(?=[ \t#]*$)", re.MULTILINE)
_PERHAPS: Final = rf"(?:{_ATTRIBUTES.pattern})?"
_DISPLAY: Final = re.compile(
    rf"\$\$(?:[^$\\]|\\.|\$(?!\$))+\$\$(?:[ \t]*(?:{_ATTRIBUTES.pattern}))?", re.DOTALL
)
#: What turns the brackets before it into a link: a target or attributes.
_LINK: Final = re.compile(
    r"(?:\(\s*(?:<[^<>\r\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*\))*\))*)"
    r"(?:\s+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\([^()]*\)))?\s*\)"
    rf"|\((?:[^()\r\n]|\([^()\r\n]*\))*\)){_PERHAPS}|{_ATTRIBUTES.pattern}",
    re.DOTALL,
)
#: Shortcodes, one of which includes a file, cross-references with or without words, other roles.
_NO_TEXT: Final = re.compile(
    r"\{\{<\s{0,9}include\s{1,9}[\"']?([^\s{}\"']{1,500})[\"']?\s{0,9}>\}\}"
    r"|\{\{[<%][^{}]{0,2000}[%>]\}\}"
    r"|\{(?:(?:num|prf:)?ref|eq|doc)\}`(?:([^`<>\r\n]*)<)?[^`<>\r\n]*>?`"
    r"|\{[A-Za-z][\w:.+-]*\}(?=`)"
)
#: Keys of a role: in a line, with their notes in several, and not closed, up to the next word.
_NOTED_KEY: Final = r"(?:\{[^{}`]*\}\s*)?[^\s,;`{}]+\s*(?:\{[^{}`]*\}\s*)?"
_IN_ROLE: Final = re.compile(
    rf"(?P<closed>[^`\r\n]{{0,2000}}(?=`)|(?:{_NOTED_KEY}[,;]\s*)+{_NOTED_KEY}(?=`))"
    r"|(?:[^\s,;`]+[,;][ ]?)*[^\s,;`]*"
)
_TICKS: Final = re.compile(r"`+")
_RAISED: Final = re.compile(r"(\^\^?|~~?)(?=[^\s^~])[^\s^~]+\1")
_EMPHASIS: Final = re.compile(r"\*+|_+")
_SHORTHANDS: Final = {"--": "–", "---": "—", "...": "…", "|": " "}
_SPACE_OR_LINE: Final = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r(?!\n))[ \t>]*)?")
_AT: Final = re.compile(r"(?<![^\W_])-?@")
_INDENT: Final = re.compile(r"[\r\n]([ \t]+)\S")
_BLOCK: Final = re.compile(r"(?:[ \t]*[|>][-+\d]*[ \t]*)?")
#: Entries of the header with text in Markdown: an abstract is prose, others only cite.
_ABSTRACT: Final = "abstract"
_TITLES: Final = (
    "title subtitle description thanks authornote note acknowledgements acknowledgments parts"
).split()
_MAX_TICKS: Final = 30
_MAX_OPEN: Final = 50


@dataclass(slots=True)
class _Bracket:
    """An open bracket and what follows it; only at its end is it clear what it is."""

    start: int
    #: Where the prose before it ends, and the citation that it may belong to.
    mark: int
    textual: int | None = None
    #: Whether it is that of a note in place, ``^[…]``.
    is_note: bool = False
    keys: list[KeyList] = field(default_factory=list)


class Scanner(Lines):
    """One pass over a text that starts outside of all blocks; `text` may end within one."""

    _blank_line = _BLANK_LINE

    def __init__(self, text: str, dialect: Dialect, *, indented: int = 0) -> None:
        super().__init__(text, dialect, indented)
        #: Where the last key or command of TeX ended: these are not words.
        self._command_end = -1
        self._brackets: list[_Bracket] = []
        self._put, self._copy = self._prose.put, self._prose.copy
        self._signs: Mapping[str, Callable[[int], int]] = {
            "\\": self._backslash,
            "`": self._code,
            "$": self._mathematics,
            "<": self._angle,
            "[": self._open,
            "]": self._close,
            "@": self._at,
            "{": self._brace,
            "*": self._emphasis,
            "_": self._emphasis,
            "^": self._raised,
            "~": self._raised,
        }

    def read(self, start: int = 0) -> DraftRegion:
        """Return the prose and the citations, from an offset on."""
        position = self._line(start)
        while position < self._end:
            found = _SIGN.search(self.text, position)
            if found is None:
                self._copy(position, self._end)
                break
            start = found.start()
            sign = self.text[start]
            self._copy(position, start)
            if sign in "\r\n":
                end = start + (2 if self.text.startswith("\r\n", start) else 1)
                position = max(self._line(end), end)
                self._prose.space(start)
            elif (skipped := _SKIPPED.match(self.text, start)) is not None:
                position = skipped.end()
                self._cite_doi(start, start, position, self._prose.mark())
            elif (read := self._signs.get(sign)) is not None:
                position = read(start)
            else:
                text = _SHORTHANDS.get(found.group(), found.group())
                self._put(html.unescape(text), start)
                position = found.end()
        self._end_paragraph()
        return self._region()

    def _end_paragraph(self) -> None:
        super()._end_paragraph()
        self._brackets.clear()

    # Signs; each method returns the offset where to continue

    def _backslash(self, start: int) -> int:
        after = self.text[start + 1 : start + 2]
        if after and after in string.punctuation:
            self._put(after, start + 1)
            return start + 2
        if (begin := _BEGIN.match(self.text, start)) is not None:
            closing = f"\\end{{{begin[1]}}}"
            if (end := self._find(closing, begin.end())) >= 0:
                self._cited_in_tex(start, end)
                return end + len(closing)
        if (command := _COMMAND.match(self.text, start)) is None:
            return self._plain(start)
        cited = citation_in_tex(self.text, start) if self.dialect.typeset else None
        if cited is not None:
            self._citations.append(cited)
            if not cited.listed_only:
                self._put(CITATION_MARK, start)
            self._command_end = cited.span.end
            return cited.span.end
        position = command.end()
        while (mark := self.text[position : position + 1]) in ("{", "["):
            find = brace_end if mark == "{" else bracket_end
            end_of_argument = find(self.text, position)
            if end_of_argument is None or end_of_argument > self._paragraph(start):
                break
            position = end_of_argument
        self._cited_in_tex(command.end(), position)
        if self.dialect.typeset:
            self._put(plain_text(self.text[start:position]), start)
        self._command_end = position
        return position

    def _code(self, start: int) -> int:
        runs = _TICKS.finditer(self.text, start, self._paragraph(start))
        opening = next(runs)
        for closing in runs:
            if len(closing.group()) == len(opening.group()):
                words = self.text[opening.end() : closing.start()].strip()
                if self.text.startswith(("{=latex}", "{=tex}"), closing.end()):
                    self._cited_in_tex(opening.end(), closing.start())
                elif words.startswith("r "):
                    self._includes += knitted(self.text, opening.end(), closing.start())
                    self.code_in_text.append(TextSpan(opening.end(), closing.start()))
                else:
                    self._words_of_code(words, opening.end())
                return (_ATTRIBUTES.match(self.text, closing.end()) or closing).end()
        # Pandoc tries the rest of a run again.
        ticks = len(opening.group())
        return self._plain(start, 1 if ticks <= _MAX_TICKS else ticks)

    def _mathematics(self, start: int) -> int:
        end = self._paragraph(start)
        if self.text.startswith("$$", start):
            display = _DISPLAY.match(self.text, start, end)
            return self._plain(start, 2) if display is None else display.end()
        formula = _FORMULA.match(self.text, start, end)
        if formula is None:
            return self._plain(start)
        self._put(plain_text(formula.group()), start)
        return formula.end()

    def _angle(self, start: int) -> int:
        if self.text.startswith("<!--", start):
            end = self._find("-->", start + 4)
            return self._plain(start, 4) if end < 0 else end + 3
        tag = _TAG.match(self.text, start, self._paragraph(start))
        if tag is None:
            return self._plain(start)
        name = (tag["name"] or "").lower()
        if name in _VERBATIM and not tag.group().endswith("/>"):
            end = self._find(f"</{tag['name']}", tag.end())
            if end >= 0:
                closing = self.text.find(">", end)
                return closing + 1 if closing >= 0 else self._end
        if name == "br":
            self._prose.space(start)
        return tag.end()

    def _brace(self, start: int) -> int:
        if (role := ROLE.match(self.text, start)) is not None:
            return self._role(role, start)
        if (code := _NO_TEXT.match(self.text, start)) is not None:
            if code[1]:
                self._includes.append(Include(code[1], TextSpan(*code.span(1)), "text"))
            self._copy(*code.span(2))
            return code.end()
        is_certain = start < self._heading_end or self.text[start + 1 : start + 2] in "#.:"
        attributes = _LAST.match(self._lines, start) if is_certain else None
        return self._plain(start) if attributes is None else attributes.end()

    def _role(self, role: re.Match[str], start: int) -> int:
        """Read a role of MyST that cites, which may not be closed."""
        begin = role.end() - len(role["empty"])
        found = _IN_ROLE.match(self.text, begin, self._paragraph(start) + 1)
        end = begin if found is None or role["empty"] else found.end()
        closed = found is None or found["closed"] is not None
        inside = TextSpan(begin, end)
        keys = KeyList(inside, tuple(keys_of_role(self.text, inside)), closed)
        span, is_listed = TextSpan(start, end + closed), role[1] == "nocite"
        self._citations.append(Citation(f"{{{role[1]}}}", span, (keys,), is_listed))
        if not is_listed:
            self._put(CITATION_MARK, start)
        return span.end

    def _emphasis(self, start: int) -> int:
        marks = _EMPHASIS.match(self.text, start)
        position = marks.end() if marks else start
        before, behind = self.text[start - 1 : start], self.text[position : position + 1]
        is_word = self.text[start] == "_" and before.isalnum() and behind.isalnum()
        is_alone = (not before or before.isspace()) and (not behind or behind.isspace())
        return self._plain(start, position - start) if is_word or is_alone else position

    def _raised(self, start: int) -> int:
        if self.text.startswith("^[", start):
            # A note in place is prose in parentheses.
            self._brackets.append(_Bracket(start + 1, self._prose.mark(), is_note=True))
            self._put(" (", start)
            return start + 2
        pair = _RAISED.match(self.text, start, self._paragraph(start))
        sign = self.text[start]
        if pair is None and self.text[start - 1 : start].strip():
            return start + 1  # it closes a pair
        return self._plain(start) if pair is None else start + (2 if pair[1] == sign * 2 else 1)

    # Citations and brackets

    def _at(self, start: int) -> int:
        if self._follows_word(start) or is_address(self.text, start):
            return self._plain(start)
        first = start
        if self.text[start - 1 : start] == "-" and not self._follows_word(start - 1):
            first = start - 1
            self._prose.take_back_sign("-")
        bracket = self._brackets[-1] if self._brackets else None
        found = key_at(self.text, start + 1)
        if found is None:
            gap = GAP.match(self.text, start + 1)
            if bracket is None or gap is None:
                self._copy(first, start)
                return self._plain(start)
            bracket.keys.append(listed_key(self.text, gap.span(1)))
            self._copy(first, gap.end())
            return gap.end()
        name = self.text[slice(*found)]
        end = found[1] + (found[0] > start + 1)
        if self.dialect.refers(name) or NO_KEY.match(self.text, found[0]):
            return end
        listed = listed_key(self.text, found)
        if bracket is not None:
            bracket.keys.append(listed)
        self._citations.append(Citation("@", TextSpan(first, end), (listed,)))
        self._put(CITATION_MARK, first)
        self._command_end = end
        return end

    def _follows_word(self, start: int) -> bool:
        """Return whether a sign directly follows a word or its full stop, as in addresses."""
        before = self.text[start - 1 : start]
        return (before.isalnum() or before == ".") and start != self._command_end

    def _open(self, start: int) -> int:
        if (end := self._in_words(start)) is not None:
            return end
        if len(self._brackets) < _MAX_OPEN:
            textual = None
            if self._citations and self._citations[-1].command == "@":
                space = _SPACE_OR_LINE.match(self.text, self._citations[-1].span.end)
                if space is not None and space.end() == start:
                    textual = len(self._citations) - 1
            self._brackets.append(_Bracket(start, self._prose.mark(), textual))
        return self._plain(start)

    def _close(self, start: int) -> int:
        bracket = self._brackets.pop() if self._brackets else None
        end = start + 1
        if bracket is None:
            return self._plain(start)
        if self._brackets:  # the keys are in the outer brackets, too
            self._brackets[-1].keys += bracket.keys
        if bracket.is_note:
            self._put(")", start)
            return end
        behind, earlier = self.text[end : end + 1], None
        link = _LINK.match(self.text, end, self._paragraph(start))
        if link is None and (bracket.keys or bracket.textual is not None):
            self._unmarked.update(unmarked_keys(self.text, bracket.start, end))
        if link is None and self._has_keys(bracket, start):
            if bracket.textual is not None and behind not in ("[", "("):
                earlier = self._citations[bracket.textual]
            if earlier is not None or (bracket.keys and behind != "["):
                return self._cite(bracket, end, earlier)
        if link is None and not bracket.keys:
            link = _LABEL.match(self.text, end)
        if link is None and self._prose.mark() > bracket.mark + 1:
            return self._plain(start)
        self._prose.leave_out(bracket.mark, "[")  # of a link, or of cross-references alone
        behind_all = link.end() if link else end
        self._cite_doi(bracket.start, end, behind_all, bracket.mark)
        return behind_all

    def _cite_doi(self, first: int, start: int, end: int, mark: int) -> None:
        """Add the citation of a link in MyST, if its target, between two offsets, is a DOI."""
        if self.dialect.myst and (cited := linked_doi(self.text, first, start, end)):
            self._prose.take_back(mark)
            self._put(CITATION_MARK, first)
            self._citations.append(cited)

    def _has_keys(self, bracket: _Bracket, end: int) -> bool:
        """Return whether each part of brackets, between semicolons, has a key."""
        begin, most = bracket.start + 1, int(bracket.textual is not None)
        for key in bracket.keys:
            if self.text.count(";", begin, key.span.start) > most:
                return False
            begin, most = key.span.end, 1
        return self.text.find(";", begin, end) < 0

    def _cite(self, bracket: _Bracket, end: int, earlier: Citation | None) -> int:
        """Add a citation in brackets, which may belong to one in the text: ``@key [p. 3]``."""
        lists, first = tuple(bracket.keys), bracket.start
        if earlier is not None:
            lists, first = (*earlier.key_lists, *lists), earlier.span.start
        while self._citations and self._citations[-1].span.start >= first:
            self._citations.pop()
        self._prose.take_back(bracket.mark)
        if earlier is None:
            self._put(CITATION_MARK, first)
        else:
            self._prose.take_back_sign(" ")
        command = "[@]" if earlier is None else "@"
        self._citations.append(Citation(command, TextSpan(first, end), lists))
        return end


def parse_markdown(path: Path, text: str, dialect: Dialect) -> DraftFile:
    """Parse a file."""
    header = header_of(text)
    found = [*regions(text, header.end, "#{1,6}", lambda part: read_region(part, dialect))]
    if header.end:
        first = _header_region(text[: header.end], dialect)
        if not dialect.myst and any(region.bibliographies for region in found):
            # Pandoc takes the last of several values.
            first = replace(first, bibliographies=())
        found.insert(0, first)
    return DraftFile(path, text, tuple(found) or (DraftRegion(""),))


@lru_cache(maxsize=MAX_REGIONS)
def read_region(text: str, dialect: Dialect) -> tuple[DraftRegion, bool]:
    """Parse a text without a header; return also whether a block in it may end later."""
    scanner = Scanner(text, dialect)
    region = scanner.read()
    citations, names = [*region.citations], region.bibliographies
    for caption, offset in (each for part in scanner.options for each in captions(text, part)):
        citations += _listed(text[:offset] + caption, offset, dialect)
    # Without brackets, a string of a chunk may be a name.
    for code, cites_all in ((scanner.code, False), (scanner.code_in_text, True)):
        for words, offset in (each for part in code for each in printed(text, part)):
            for each in _listed(words, 0, dialect):
                if cites_all or each.command == "[@]":
                    citations.append(each.moved(offset))
    for metadata in scanner.metadata:
        citations += _cited_in(metadata, dialect, (*_TITLES, _ABSTRACT))
        names = _named_in(metadata) or names
    return replace(region, citations=_in_order(citations), bibliographies=names), scanner.unclosed


@lru_cache(maxsize=MAX_REGIONS)
def _header_region(text: str, dialect: Dialect) -> DraftRegion:
    header, lines = header_of(text), HEADER.match(text)
    place = header.entries.get(_ABSTRACT, TextSpan(0, 0))
    abstract = _entry(text[: place.end], place.start, dialect)
    titles = _listed(text[: lines.end("titles")], lines.start("titles"), dialect) if lines else ()
    return DraftRegion(
        text,
        _in_order([*titles, *_cited_in(header, dialect, _TITLES), *abstract.citations]),
        abstract.placeholders,
        includes=tuple(
            Include(name, place, "text")
            for name, place in header.strings("appendix")  # of papaja
            if markup_of(Path(name)) is MARKDOWN
        ),
        bibliographies=_named_in(header),
        prose=abstract.prose,
    )


def _in_order(citations: list[Citation]) -> tuple[Citation, ...]:
    return tuple(sorted(citations, key=lambda each: each.span))


def _named_in(metadata: Metadata) -> tuple[BibliographyName, ...]:
    return tuple(BibliographyName(*each) for each in metadata.strings("bibliography"))


def _cited_in(metadata: Metadata, dialect: Dialect, names: Iterable[str]) -> Iterator[Citation]:
    """Yield the works listed in ``nocite``, and those cited in the entries with some names."""
    text, listed = metadata.text, metadata.entries.get("nocite", TextSpan(0, 0))
    for sign in _AT.finditer(text, listed.start, listed.end):
        found = key_at(text, sign.end())
        if found is not None and found[1] <= listed.end:
            key = listed_key(text, found)
            if text[slice(*found)] == "*":  # which is no key
                key = replace(key, keys=())
            yield Citation("nocite", TextSpan(sign.start(), found[1]), (key,), True)
    for place in (metadata.entries[name] for name in names if name in metadata.entries):
        yield from _listed(text[: place.end], place.start, dialect)


def _listed(text: str, start: int, dialect: Dialect) -> Iterator[Citation]:
    """Yield the citations from an offset on, which have no place in the prose."""
    return (replace(each, listed_only=True) for each in _entry(text, start, dialect).citations)


def _entry(text: str, start: int, dialect: Dialect) -> DraftRegion:
    """Return the value of an entry of YAML that begins at an offset."""
    indent, mark = _INDENT.search(text, start), _BLOCK.match(text, start)
    scanner = Scanner(text, dialect, indented=len(indent[1]) if indent else 0)
    return scanner.read(mark.end() if mark else start)
