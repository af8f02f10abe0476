"""What begins at a line of Markdown: code, a heading, an item of a list, or just words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from ...model.drafts import Include
from ...model.spans import TextSpan
from .chunks import children, options_span
from .myst import CODE, NO_TITLE, OPTION, OPTIONS

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_QUOTED: Final = re.compile(r"(?:[ ]{0,3}>)+[ ]?")
_INDENT: Final = re.compile(r"[ \t]*")
#: knitr allows code in the options of a chunk.
_FENCE: Final = re.compile(
    r"(`{3,})([^`\r\n]*|[ \t]*\{\w(?:[^`\r\n]|`(?!``))*)$|(~{3,})([^\r\n]*)$", re.M
)
_DIRECTIVE: Final = re.compile(r"\{([A-Za-z][\w:+-]*)(?=[}\s,])")
_ENGINE: Final = re.compile(r"\bengine[ \t]*=[ \t]*[\"'](\w+)[\"']")
#: A directive of MyST with its argument, or the end of one.
_IN_MYST: Final = re.compile(
    r"(?P<marks>`{3,}|~{3,}|:{3,})[ \t]*"
    r"(?:\{(?P<name>[A-Za-z][\w:+-]*)(?:[ ][^{}\r\n]*)?\}[ \t]*(?P<title>[^\r\n]*))?$",
    re.M,
)
_CHUNK: Final = re.compile(r"^[ \t>]*`{3,}[ \t]*\{\w", re.M)
_RAW: Final = re.compile(r"[ \t]*\{=")
_RAW_TEX: Final = re.compile(r"\{=(?:latex|tex)\}")
_DIVISION: Final = re.compile(r":{3,}")
_RULE: Final = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*$", re.M)
_UNDERLINE: Final = re.compile(r"(=+|-+)[ \t]*$", re.M)
_TABLE_RULE: Final = re.compile(r"(?=[^\r\n]*-{2}|[^\r\n]*={2})[|+:=\- \t]+$", re.M)
#: The row of a table, or a line of a line block: each is a text of its own.
_ROW: Final = re.compile(r"\|(?=[ \t]|[^\r\n]*\|[ \t]*$)", re.M)
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_ITEM: Final = re.compile(
    r"(?:[-+*]|\(?(?:#|\d{1,9}|[A-Za-z]|[ivxlcdm]{1,8})[.)]|\(?@[\w-]*[.)]|:|~)"
    r"(?:([ \t]+)(?=\S)|(?=[ \t]*(?:[\r\n]|\Z)))"
)
_NOTE: Final = re.compile(r"\[\^[^\s\[\]^]+\]:[ \t]*")
_REFERENCE: Final = re.compile(
    r"\[(?!\^)[^\]\[@\r\n]*\]:[ \t]*(?:(?:\r\n|\n|\r)[ \t]*)?\S[^\r\n]*$", re.M
)
_TARGET: Final = re.compile(r"\([^()\s]+\)=[ \t]*$|\+\+\+[^\r\n]*$", re.M)
_METADATA: Final = re.compile(
    r"---[ \t]*(?:\r\n|\n|\r)((?=[\w'\"-]+[ \t]*:)[\s\S]*?[\r\n])(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
#: Engines of knitr and bookdown whose content is text.
_OF_TEXT: Final = frozenset(
    """
    block block2 asis theorem lemma corollary proposition conjecture definition example exercise
    hypothesis proof remark solution
    """.split()
)
#: A continued line of a note is indented by so much, and so is code.
_DEEP: Final = 4
_LONGEST_OPTIONS: Final = 10_000


HiddenKind = Literal["metadata", "options", "tex"]


@dataclass(frozen=True, slots=True)
class Block:
    """What begins at a line: words from `start` on, or hidden lines up to `end`.

    It `breaks` the paragraph before it. `heading` is the level of a heading, as in `Heading`, whose
    first word is at `start`. `unclosed` says that hidden lines may begin here that do not end.
    `inside` is what is to be read of hidden lines.
    """

    start: int
    end: int
    hidden: bool = False
    breaks: bool = False
    heading: int | None = None
    unclosed: bool = False
    includes: tuple[Include, ...] = ()
    inside: tuple[HiddenKind, TextSpan] | None = None


_NO_WORDS: Final = Block(0, 0, hidden=True, breaks=True)


def metadata_in(text: str) -> Iterator[TextSpan]:
    """Yield the blocks of metadata in a text without a header; others may be examples in code."""
    lines, start = Lines(text), 0
    while start < len(text):
        block = lines.block_at(start)
        if block.inside is not None and block.inside[0] == "metadata":
            yield block.inside[1]
        start = block.end


class Lines:
    """The lines of a text, read one after the other: lists and notes have longer lines of code."""

    def __init__(self, text: str, indented: int = 0, *, myst: bool = False) -> None:
        #: Of the same length: all lines end with a line feed.
        self.text = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
        self._indented = indented
        self._myst = myst
        self._after_blank = True
        self._after_heading = False
        self._heading_end = -1
        self._in_code = False
        #: Columns at which the contents of open lists and notes begin.
        self._contents: list[int] = []
        #: The marks of directives that are open.
        self._directives: list[str] = []
        #: Where a directive of MyST ends whose options may follow, and whether it has code.
        self._options_end, self._has_code = 0, False
        #: The next end of code by the marks that it begins with, None for none.
        self._closing: dict[str, re.Match[str] | None] = {}
        #: Where the paragraph begins that a line of hyphens may make a heading.
        self._words: int | None = None

    def ends_heading(self, offset: int) -> bool:
        """Return whether nothing follows in the line of a heading."""
        rest = self.text[offset : self._heading_end]
        return offset <= self._heading_end and not rest.strip(" \t#\r\n")

    def block_at(self, position: int) -> Block:
        """Return what begins at the line that begins at `position`."""
        line = _LINE.match(self.text, position)
        assert line is not None  # matches the empty string
        end = line.end()
        start, column = self._content(position, end)
        if self._options_end and (block := self._option(start, end)) is not None:
            return block
        after_blank, after_heading = self._after_blank, self._after_heading
        self._after_heading = False
        if not self.text[start:end].strip():
            self._after_blank, self._words = True, None
            return Block(start, end, hidden=True, breaks=True)
        self._after_blank = False
        deep = self._close_lists(column) if after_blank else column
        if deep >= _DEEP and (after_blank or self._in_code):
            self._in_code = True
            return Block(start, end, hidden=True, breaks=True)
        self._in_code = False
        block = self._special(start, end, after_blank) or self._item(start, end, column)
        if block is None:
            if self._words is None:
                self._words = start
            return Block(start, end, breaks=after_heading)
        self._words = None
        return block

    def _content(self, position: int, end: int) -> tuple[int, int]:
        """Return the offset of a line's content, without quotation marks, and its column."""
        quoted = _QUOTED.match(self.text, position, end)
        start = quoted.end() if quoted else position
        indent = _INDENT.match(self.text, start, end)
        assert indent is not None  # matches the empty string
        return indent.end(), max(0, len(indent.group().expandtabs(_DEEP)) - self._indented)

    def _close_lists(self, column: int) -> int:
        """Close the lists that end at a column; return the column within those left."""
        while self._contents and column < self._contents[-1]:
            self._contents.pop()
        return column - (self._contents[-1] if self._contents else 0)

    def _special(self, start: int, end: int, after_blank: bool) -> Block | None:
        """Return a block of its own kind at a line's content."""
        text = self.text
        sign = text[start]
        if self._myst and (block := self._of_myst(start, end)) is not None:
            return block
        if sign in "`~" and (fence := _FENCE.match(text, start, end)) is not None:
            return self._fenced(fence, start, end)
        if sign == ":" and _DIVISION.match(text, start):
            return Block(start, end, hidden=True, breaks=True)
        if sign == "#" and (heading := _HEADING.match(text, start)) is not None:
            self._after_heading, self._heading_end = True, end
            return Block(heading.end(), end, breaks=True, heading=1 + len(heading[1]))
        if sign == "-" and after_blank and (metadata := _METADATA.match(text, start)) is not None:
            inside = TextSpan(*metadata.span(1))
            end = self._behind(metadata.end())
            return replace(_NO_WORDS, start=start, end=end, inside=("metadata", inside))
        if sign in "=-" and self._words is not None and _UNDERLINE.match(text, start, end):
            words = self._words
            self._after_heading = True
            return Block(words, end, hidden=True, breaks=True, heading=2 if sign == "=" else 3)
        if sign in "-*_" and _RULE.match(text, start, end):
            return Block(start, end, hidden=True, breaks=True)
        if sign in "|+:=-" and _TABLE_RULE.match(text, start, end):
            return Block(start, end, hidden=True)
        if sign == "|" and _ROW.match(text, start, end):
            return Block(start, end, breaks=True)
        if sign == "[" and after_blank and (reference := _REFERENCE.match(text, start)):
            self._after_blank = True  # several stand together
            return Block(start, self._behind(reference.end()), hidden=True, breaks=True)
        if sign in "(+" and _TARGET.match(text, start, end):
            return Block(start, end, hidden=True, breaks=True)
        return None

    def _item(self, start: int, end: int, column: int) -> Block | None:
        """Return the item of a list, or the note, that begins at a line's content."""
        if (note := _NOTE.match(self.text, start, end)) is not None:
            self._contents = [*self._contents, column + _DEEP]
            return Block(note.end(), end, breaks=True)
        item = _ITEM.match(self.text, start, end)
        if item is None or not (self._contents or self._words is None):
            return None
        self._close_lists(column)
        width = len(item.group().rstrip(" \t"))
        space = len((item[1] or " ").expandtabs(_DEEP))
        is_code = space > _DEEP and self.text[start] not in ":~"
        self._contents.append(column + width + (1 if is_code else space))
        return Block(item.end(), end, hidden=is_code, breaks=True)

    def _fenced(self, fence: re.Match[str], start: int, end: int) -> Block | None:
        """Return a block of code, which ends with a fence as long as its first one."""
        marks, info = fence[1] or fence[3], fence[2] if fence[1] else fence[4]
        if self._directives and marks == self._directives[-1] and not info.strip():
            self._directives.pop()
            return Block(start, end, hidden=True, breaks=True)
        found = self._closing_of(marks, end)
        if found is None:
            return Block(start, end, unclosed=True)
        position = end
        # Pandoc sees raw text after knitr has run the chunks in it.
        while _RAW.match(info) and _CHUNK.search(self.text, position, found.start()):
            position = found.end()
            found = self._closing_of(marks, position) or found
        block = replace(_NO_WORDS, start=start, end=end)
        if _RAW_TEX.fullmatch(info.strip()):
            block = replace(block, inside=("tex", TextSpan(end, found.start())))
        elif re.match(r"\s*\{[^{]", info):
            options = options_span(self.text, self.text.index("{", start), found.start())
            includes = tuple(children(self.text, options, found.start()))
            block = replace(block, includes=includes, inside=("options", options))
            directive = _ENGINE.search(info) or _DIRECTIVE.match(info.strip())
            if directive is not None and directive[1].rpartition(":")[2] in _OF_TEXT:
                self._directives.append(marks)
                return replace(block, end=max(end, options.end))
        self._after_blank = True
        return replace(block, end=self._behind(found.end()))

    def _closing_of(self, marks: str, position: int) -> re.Match[str] | None:
        """Return the next fence that ends what begins with these marks."""
        known = self._closing.get(marks)
        if marks not in self._closing or (known is not None and known.start() < position):
            closing = re.compile(rf"^[ \t>]*{marks[0]}{{{len(marks)},}}[ \t]*$", re.M)
            self._closing[marks] = closing.search(self.text, position)
        return self._closing[marks]

    def _of_myst(self, start: int, end: int) -> Block | None:
        """Return a comment of MyST, or the first or last line of a directive with its title."""
        if self.text[start] == "%":
            return Block(start, end, hidden=True, breaks=True)
        fence = _IN_MYST.match(self.text, start, end)
        if fence is None:
            return None
        marks, name, opened = fence["marks"], fence["name"], self._directives
        if name is None and opened and marks.startswith(opened[-1]):
            opened.pop()
            return Block(start, end, hidden=True, breaks=True)
        if name is None or (marks[0] == "`" and "`" in fence["title"]):
            return None
        found = self._closing_of(marks, end)
        if found is None and name in CODE:
            return Block(start, end, unclosed=True)
        title, place = fence["title"].strip(), fence.start("title")
        self._options_end = self._behind(found.end()) if found is not None else len(self.text)
        self._has_code, self._after_heading = name in CODE, True
        if name not in CODE:
            opened.append(marks)
        includes: tuple[Include, ...] = ()
        if name == "include" and title:
            includes = (Include(title, TextSpan(place, place + len(title)), "text"),)
        hidden = name in NO_TITLE or not title
        block = Block(place, end, hidden=hidden, breaks=True, includes=includes)
        return replace(block, unclosed=found is None)

    def _option(self, start: int, end: int) -> Block | None:
        """Return an option of a directive, or the code behind its options; captions are text."""
        most = min(end + _LONGEST_OPTIONS, self._options_end)
        if (option := OPTION.match(self.text, start, end)) is not None:
            return Block(option.end(), end, hidden=option["text"] is None, breaks=True)
        if (options := OPTIONS.match(self.text, start, most)) is not None:
            return Block(start, options.end(), hidden=True, breaks=True)
        end, self._options_end = self._options_end, 0
        return Block(start, end, hidden=True, breaks=True) if self._has_code else None

    def _behind(self, position: int) -> int:
        """Return the offset after the line end at `position`."""
        line = _LINE.match(self.text, position)
        return line.end() if line else position
