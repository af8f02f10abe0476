"""What begins at a line of Markdown: code, a heading, an item of a list, or just words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ...model.drafts import BibliographyName, Heading, Include
from ...model.spans import TextSpan
from ..scanning import Scanning
from .chunks import children, options_span
from .citations import citations_in_tex
from .dialect import Dialect, Metadata, metadata_between

#: What precedes a line's content: signs of quotations, and blanks.
_BEFORE: Final = re.compile(r"(?:(?:[ ]{0,3}>)+[ ]?)?([ \t]*)")
#: knitr allows code in the options of a chunk.
_FENCE: Final = re.compile(
    r"(?P<marks>`{3,}(?=[^`\n]*$|[ \t]*\{\w(?:[^`\n]|`(?!``))*$)|~{3,})(?P<info>.*)$", re.M
)
_DIRECTIVE: Final = re.compile(r"\{([A-Za-z][\w:+-]*)(?=[}\s,])")
_ENGINE: Final = re.compile(r"\bengine[ \t]*=[ \t]*[\"'](\w+)[\"']")
#: A directive of MyST with its argument, or the end of one.
_IN_MYST: Final = re.compile(
    r"(?P<marks>`{3,}|~{3,}|:{3,})[ \t]*"
    r"(?:\{(?P<name>[A-Za-z][\w:+-]*)(?:[ ][^{}\n]*)?\}[ \t]*(?P<title>.*))?$",
    re.M,
)
#: The option of a directive in its line; the value of some is text.
_OPTION: Final = re.compile(r":(?P<text>caption|title|header|footer)?[\w-]*:(?:[ \t]+|$)", re.M)
#: The options of a directive as YAML.
_OPTIONS: Final = re.compile(r"---[ \t]*\n(?:.*\n)*?[ \t>]*---[ \t]*(?:\n|\Z)")
_CHUNK: Final = re.compile(r"^[ \t>]*`{3,}[ \t]*\{\w", re.M)
_RAW: Final = re.compile(r"[ \t]*\{=")
_RAW_TEX: Final = re.compile(r"\s*\{=(?:latex|tex)\}\s*")
#: A horizontal rule, or a line of a division.
_RULE: Final = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*$|:{3,}", re.M)
_UNDERLINE: Final = re.compile(r"(=+|-+)[ \t]*$", re.M)
_TABLE_RULE: Final = re.compile(r"(?=.*-{2}|.*={2})[|+:=\- \t]+$", re.M)
#: The row of a table, or a line of a line block: each is a text of its own.
_ROW: Final = re.compile(r"\|(?=[ \t]|.*\|[ \t]*$)", re.M)
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_ITEM: Final = re.compile(
    r"(?:[-+*]|\(?(?:#|\d{1,9}|[A-Za-z]|[ivxlcdm]{1,8})[.)]|\(?@[\w-]*[.)]|:|~)"
    r"(?:([ \t]+)(?=\S)|(?=[ \t]*$))",
    re.M,
)
_NOTE: Final = re.compile(r"\[\^[^\s\[\]^]+\]:[ \t]*")
_REFERENCE: Final = re.compile(r"\[(?!\^)[^\]\[@\n]*\]:[ \t]*(?:\n[ \t]*)?\S.*$", re.M)
_TARGET: Final = re.compile(r"\([^()\s]+\)=[ \t]*$|\+\+\+.*$", re.M)
_METADATA: Final = re.compile(
    r"---[ \t]*\n((?=[\w'\"-]+[ \t]*:)[\s\S]*?\n)(?:---|\.\.\.)[ \t]*$", re.M
)
#: At the end of the preceding text: a paragraph that is the caption of the table above it.
_CAPTION_ABOVE: Final = re.compile(
    r"(?:\A|\n[ \t]*\n)[ ]{0,3}(?:[Tt]able)?:[ \t].*(?:\n[ \t]*\S.*)*\s*\Z"
)
_MAX_CAPTION: Final = 2_000
#: Directives of MyST whose content is not text: code, formulas, files and data.
_OF_CODE: Final = frozenset(
    """
    code code-block code-cell sourcecode literalinclude include math mermaid raw bibliography
    toctree tableofcontents contents index only eval-rst anywidget any:bundle any:widget
    output raw:latex raw:tex raw:typst r python ipython ipython3 julia bash sh sql dot graphviz
    plantuml ojs js javascript html css yaml json toml text console parsed-literal doctest
    """.split()
)
#: Directives whose argument is not text: the name of a file, a language, a number of columns.
_NO_TITLE: Final = _OF_CODE | frozenset(
    "figure image iframe embed video grid grid-item tab-set gallery".split()
)
#: Engines of knitr and bookdown whose content is text.
_OF_TEXT: Final = frozenset(
    """
    block block2 asis theorem lemma corollary proposition conjecture definition example exercise
    hypothesis proof remark solution
    """.split()
)
#: Engines that may print what cites.
_PROGRAMS: Final = frozenset(("r", "python", "julia"))
#: The indentation of continued lines of a note, and of code.
_DEEP: Final = 4
_WORD: Final = re.compile(r"\S+")
_MAX_OPTIONS: Final = 10_000


class _Step(NamedTuple):
    """Where to continue, whether `in_words` of this line, and whether it `breaks` a paragraph."""

    offset: int
    in_words: bool = False
    breaks: bool = True


class Lines(Scanning):
    """The part of the scanner that reads the beginnings of lines."""

    def __init__(self, text: str, dialect: Dialect, indented: int = 0) -> None:
        super().__init__(text)
        self.dialect = dialect
        #: What is to be read: blocks of metadata, options and code of chunks, and code in the text.
        self.metadata: list[Metadata] = []
        self.options: list[TextSpan] = []
        self.code: list[TextSpan] = []
        self.code_in_text: list[TextSpan] = []
        #: The text, of the same length, with line feeds at the ends of all lines.
        self._lines = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
        self._indented = indented
        self._after_blank, self._after_heading, self._in_code = True, False, False
        self._heading_end = -1
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

    def _line(self, start: int) -> int:
        """Begin a line; return the offset of its first word, or that after hidden lines."""
        step = _Step(start)
        while step.offset < self._end and not step.in_words:
            position = step.offset
            step = self._line_at(position)
            if step.breaks:
                self._end_paragraph()
                self._prose.break_at(position)
        return step.offset

    def _end_paragraph(self) -> None:
        self._paragraph_end = 0

    def _cited_in_tex(self, start: int, end: int) -> None:
        if self.dialect.typeset:
            self._citations += citations_in_tex(self.text, start, end)

    def _line_at(self, position: int) -> _Step:
        end = self._behind(position)
        before = _BEFORE.match(self._lines, position, end)
        assert before is not None  # matches the empty string
        start = before.end()
        column = max(0, len(before[1].expandtabs(_DEEP)) - self._indented)
        if self._options_end and (step := self._option(start, end)) is not None:
            return step
        after_blank, after_heading = self._after_blank, self._after_heading
        self._after_heading = False
        if not self._lines[start:end].strip():
            self._after_blank, self._words = True, None
            return _Step(end)
        self._after_blank = False
        deep = self._close_lists(column) if after_blank else column
        self._in_code = deep >= _DEEP and (after_blank or self._in_code)
        if self._in_code:
            return _Step(end)
        step = self._special(start, end, after_blank) or self._item(start, end, column)
        if step is not None:
            self._words = None
            return step
        if self._words is None:
            self._words = start
        return _Step(start, in_words=True, breaks=after_heading)

    def _close_lists(self, column: int) -> int:
        """Close the lists that end at a column; return the column within those left."""
        while self._contents and column < self._contents[-1]:
            self._contents.pop()
        return column - (self._contents[-1] if self._contents else 0)

    def _special(self, start: int, end: int, after_blank: bool) -> _Step | None:
        """Read a block of its own kind at a line's content."""
        text = self._lines
        sign = text[start]
        if self.dialect.myst and (step := self._of_myst(start, end)) is not None:
            return step
        if sign in "`~" and (fence := _FENCE.match(text, start, end)) is not None:
            return self._fenced(fence["marks"], fence["info"], start, end)
        if sign == "#" and (heading := _HEADING.match(text, start)) is not None:
            self._after_heading, self._heading_end = True, end
            self._headings.append(Heading(heading.end(), 1 + len(heading[1])))
            return _Step(heading.end(), in_words=True)
        metadata = _METADATA.match(text, start) if sign == "-" and after_blank else None
        if metadata is not None and not self._has_caption_above(start):
            self.metadata.append(metadata_between(self.text, *metadata.span(1)))
            return _Step(self._behind(metadata.end()))
        if sign in "=-" and self._words is not None and _UNDERLINE.match(text, start, end):
            self._after_heading = True
            self._headings.append(Heading(self._words, 2 if sign == "=" else 3))
            return _Step(end)
        if sign in "-*_:" and _RULE.match(text, start, end):
            brace = text.find("{", start, end)
            if brace >= 0 and self.dialect.cross_references:  # Quarto prints titles and captions
                self.options.append(TextSpan(brace, end))
            return _Step(end)
        if sign in "|+:=-" and _TABLE_RULE.match(text, start, end):
            return _Step(end, breaks=False)
        if sign == "|" and _ROW.match(text, start, end):
            return _Step(start, in_words=True)
        if sign == "[" and after_blank and (reference := _REFERENCE.match(text, start)):
            self._after_blank = True  # several stand together
            return _Step(self._behind(reference.end()))
        return _Step(end) if _TARGET.match(text, start, end) else None

    def _has_caption_above(self, start: int) -> bool:
        return bool(_CAPTION_ABOVE.search(self._lines, max(0, start - _MAX_CAPTION), start))

    def _item(self, start: int, end: int, column: int) -> _Step | None:
        if (note := _NOTE.match(self._lines, start, end)) is not None:
            self._contents.append(column + _DEEP)
            return _Step(note.end(), in_words=True)
        item = _ITEM.match(self._lines, start, end)
        if item is None or not (self._contents or self._words is None):
            return None
        self._close_lists(column)
        width = len(item.group().rstrip(" \t"))
        space = len((item[1] or " ").expandtabs(_DEEP))
        is_code = space > _DEEP and self._lines[start] not in ":~"
        self._contents.append(column + width + (1 if is_code else space))
        return _Step(end) if is_code else _Step(item.end(), in_words=True)

    def _fenced(self, marks: str, info: str, start: int, end: int) -> _Step:
        if self._directives and marks == self._directives[-1] and not info.strip():
            self._directives.pop()
            return _Step(end)
        found = self._closing_of(marks, end)
        if found is None:
            self.unclosed = True
            return _Step(start, in_words=True, breaks=False)
        position = end
        # Pandoc sees raw text after knitr has run the chunks in it.
        while _RAW.match(info) and _CHUNK.search(self._lines, position, found.start()):
            position = found.end()
            found = self._closing_of(marks, position) or found
        if _RAW_TEX.fullmatch(info):
            self._cited_in_tex(end, found.start())
        elif re.match(r"\s*\{[^{]", info):
            options = options_span(self._lines, self._lines.index("{", start), found.start())
            self.options.append(options)
            self._includes += children(self._lines, options, found.start())
            directive = _ENGINE.search(info) or _DIRECTIVE.match(info.strip())
            if directive is not None and directive[1].rpartition(":")[2] in _OF_TEXT:
                self._directives.append(marks)
                return _Step(max(end, options.end))
            if directive is not None and directive[1].lower() in _PROGRAMS:
                self.code.append(TextSpan(options.end, found.start()))
        self._after_blank = True
        return _Step(self._behind(found.end()))

    def _closing_of(self, marks: str, position: int) -> re.Match[str] | None:
        """Return the next fence that ends what begins with these marks."""
        known = self._closing.get(marks)
        if marks not in self._closing or (known is not None and known.start() < position):
            closing = re.compile(rf"^[ \t>]*{marks[0]}{{{len(marks)},}}[ \t]*$", re.M)
            self._closing[marks] = closing.search(self._lines, position)
        return self._closing[marks]

    def _of_myst(self, start: int, end: int) -> _Step | None:
        """Read a comment of MyST, or the first or last line of a directive with its title."""
        if self._lines[start] == "%":
            return _Step(end)
        fence = _IN_MYST.match(self._lines, start, end)
        if fence is None:
            return None
        marks, name, opened = fence["marks"], fence["name"], self._directives
        if name is None and opened and marks.startswith(opened[-1]):
            opened.pop()
            return _Step(end)
        if name is None or (marks[0] == "`" and "`" in fence["title"]):
            return None
        found = self._closing_of(marks, end)
        self.unclosed |= found is None
        self._has_code = name in _OF_CODE
        if found is None and self._has_code:
            return _Step(start, in_words=True, breaks=False)
        title, place = fence["title"].strip(), fence.start("title")
        self._options_end = self._behind(found.end()) if found is not None else len(self._lines)
        self._after_heading = True
        if not self._has_code:
            opened.append(marks)
        if name == "include" and title:
            self._includes.append(Include(title, TextSpan(place, place + len(title)), "text"))
        if name == "bibliography":
            for file in _WORD.finditer(self._lines, place, fence.end("title")):
                self._bibliographies.append(BibliographyName(file[0], TextSpan(*file.span())))
        is_hidden = name in _NO_TITLE or not title
        return _Step(end) if is_hidden else _Step(place, in_words=True)

    def _option(self, start: int, end: int) -> _Step | None:
        """Read an option of a directive, or the code behind its options; captions are text."""
        if (option := _OPTION.match(self._lines, start, end)) is not None:
            return _Step(option.end(), in_words=True) if option["text"] else _Step(end)
        most = min(end + _MAX_OPTIONS, self._options_end)
        if (options := _OPTIONS.match(self._lines, start, most)) is not None:
            return _Step(options.end())
        end, self._options_end = self._options_end, 0
        return _Step(end) if self._has_code else None

    def _behind(self, position: int) -> int:
        """Return the offset after the line end at `position`."""
        return self._lines.find("\n", position) + 1 or len(self._lines)
