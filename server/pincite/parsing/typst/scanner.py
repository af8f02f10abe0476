"""Scan Typst once for its prose and what it cites.

In half-typed text, a formula ends with its paragraph, and code where prose certainly begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from ...model.drafts import (
    CITATION_MARK,
    Citation,
    DraftFile,
    DraftRegion,
    Heading,
    KeyList,
)
from ...model.spans import TextSpan
from ..scanning import MAX_REGIONS, regions
from . import tokens
from .code import REFERENCE, CodeScanner, Frame
from .names import ALONE, Dialect, Names, merged
from .tokens import formula_end

_SHORTHANDS: Final = {"--": "–", "---": "—", "...": "…", "-?": "", "~": " "}
_SYMBOL: Final = re.compile(r"[\w.+-]{1,20}")
_BETWEEN: Final = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r)[ \t]*)?")
_BLANKS: Final = re.compile(r"[ \t]*")
_CONTEXT: Final = re.compile(r"(?:context(?![\w-]|\.[^\W\d])[ \t]*)*")
_MAX_SUPPLEMENT: Final = 1_000
_MAX_FORMULA: Final = 5_000
_MAX_TOGETHER: Final = 100


class Scanner(CodeScanner):
    """One pass over a text that starts in markup; `text` may end within something."""

    def __init__(self, text: str, dialect: Dialect = ALONE) -> None:
        super().__init__(text, dialect)
        #: How the signs of each kind of part are read.
        self._signs: Mapping[str, Mapping[str, Callable[[int], int]]] = {
            "content": {
                "\\": self._backslash,
                "`": self._raw,
                "$": self._formula,
                "<": self._label,
                "[": self._bracket,
                "]": self._close_content,
                "@": self._at,
                "#": self._hash,
                "*": self._emphasis,
                "_": self._emphasis,
                "h": lambda start: self._plain(start, len(self._match(tokens.LINK, start))),
                "/": self._comment,
                "\r": self._line_end,
                "\n": self._line_end,
            },
            "formula": {"#": self._hash, "/*": partial(self._silent, self._comment)},
            "code": {
                **dict.fromkeys(("//", "/*"), partial(self._silent, self._comment)),
                "`": partial(self._silent, self._raw),
                '"': self._string,
                "$": self._formula_in_code,
                "<": self._label_in_code,
                "\n": self._line_end_in_code,
                "\r": self._line_end_in_code,
                **dict.fromkeys("([{", self._open_in_code),
                **dict.fromkeys(")]}", self._close),
            },
        }

    def read(self) -> DraftRegion:
        """Return the prose and the citations."""
        self._scan(self._line(0), self._end)
        # A statement ends with the text.
        self.unclosed |= any(frame.kind != "statement" for frame in self._frames[1:])
        self._leave(1, self._end, closed=False)
        return self._region()

    def _scan(self, position: int, end: int) -> None:
        while position < end:
            part = self._frames[-1].kind
            kind = part if part in self._signs else "code"
            found = tokens.SIGNS[kind].search(self.text, position, end)
            start = end if found is None else found.start()
            if kind == "content":
                self._copy(position, start)
            if found is None:
                return
            sign = found.group()
            read = self._signs[kind].get(sign) or self._signs[kind].get(sign[0])
            if read is not None:
                position = read(start)
                continue
            position = found.end()
            if kind == "content":
                self._put(_SHORTHANDS[sign], start)
            elif kind == "code":
                self._word(sign, start)

    def _line_end(self, start: int) -> int:
        blank = self._match(tokens.BLANK_LINES, start)
        if blank or self._in_heading:
            self._break(start)
        elif not self._frames[-1].silent:
            self._prose.space(start)
        return self._line(start + len(blank or self._match(tokens.LINE_END, start)))

    def _line(self, start: int) -> int:
        start += len(self._match(_BLANKS, start))
        begun = tokens.HEADING.match(self.text, start) or tokens.ITEM.match(self.text, start)
        if begun is None:
            return start
        self._break(start)
        if begun.re is tokens.HEADING:
            self._in_heading = True
            self._headings.append(Heading(begun.end(), 1 + len(begun[1])))
        return begun.end()

    def _backslash(self, start: int) -> int:
        escape = tokens.ESCAPE.match(self.text, start)
        if escape is None:
            return start + 1  # a line ends here
        if escape[1] is None:
            self._put(escape[2], start + 1)
        elif int(escape[1], 16) < 0x110000:
            self._put(chr(int(escape[1], 16)), start)
        return escape.end()

    def _emphasis(self, start: int) -> int:
        before, behind = self.text[max(0, start - 1) : start], self.text[start + 1 : start + 2]
        return self._plain(start) if before.isalnum() and behind.isalnum() else start + 1

    def _comment(self, start: int) -> int:
        if self.text.startswith("//", start):
            return start + len(self._match(tokens.LINE, start))
        depth = 0
        if "*/" not in self._absent:
            for mark in tokens.COMMENT_MARK.finditer(self.text, start):
                depth += 1 if mark.group() == "/*" else -1
                if not depth:
                    self._paragraph_end = 0
                    return mark.end()
        self._absent.add("*/")
        self.unclosed = True
        return self._plain(start, 2)

    def _raw(self, start: int) -> int:
        marks = self._match(tokens.TICKS, start)
        begin = start + len(marks)
        if len(marks) == 2:
            return begin
        if len(marks) == 1:
            end = self.text.find(marks, begin, self._paragraph(start))
            if end < 0:
                return self._plain(start)
            self._words_of_code(self.text[begin:end].strip(), begin)
            return end + 1
        end = self._find(marks, begin)
        if end < 0:
            return self._plain(start, len(marks))
        if tokens.LINE_END.search(self.text, begin, end):
            self._break(start)
        return end + len(marks)

    def _formula(self, start: int) -> int:
        """Read a formula; one with blanks on both sides may have empty lines."""
        text = self.text
        end = formula_end(text, start, self._paragraph(start))
        if end == start and text[start + 1 : start + 2].isspace():
            most = start + _MAX_FORMULA
            end = formula_end(text, start, most)
            self.unclosed |= end == start and most > self._end
            # What is the first sign of another formula ends none.
            if end > start and (not text[end - 2].isspace() or text[end : end + 1].isalnum()):
                end = start
        if end == start:
            return self._plain(start)
        words = text[start + 1 : end - 1].strip(' "')
        if _SYMBOL.fullmatch(words):
            self._put(words, text.index(words, start))
        self._within_formula(start + 1, end - 1)
        if end > self._paragraph_end:
            self._paragraph_end = 0
        return end

    def _formula_in_code(self, start: int) -> int:
        end = formula_end(self.text, start, self._paragraph(start))
        self._within_formula(start + 1, end - 1)
        return max(end, start + 1)

    def _within_formula(self, start: int, end: int) -> None:
        """Read the code that is embedded in a formula; nothing goes on behind it."""
        if self.text.find("#", start, end) < 0:
            return
        outer = self._frames
        self._frames = [Frame("formula", silent=outer[-1].silent)]
        self._scan(start, end)
        self._leave(1, end, closed=False)
        self._frames = outer

    def _silent(self, read: Callable[[int], int], start: int) -> int:
        """Read in code what is the same as in markup, but is not prose here."""
        self._frames.append(Frame("content", silent=True))
        end = read(start)
        self._frames.pop()
        return end

    def _label(self, start: int) -> int:
        found = tokens.LABEL.match(self.text, start)
        if found is None:
            return self._plain(start)
        self.names.labels.add(found[1])
        return found.end()

    def _bracket(self, start: int) -> int:
        if (end := self._in_words(start)) is not None:
            return end
        self._frames[-1].brackets += 1
        return self._plain(start)

    def _close_content(self, start: int) -> int:
        frame = self._frames[-1]
        if frame.brackets or len(self._frames) == 1:
            frame.brackets = max(0, frame.brackets - 1)
            return self._plain(start)
        return self._close(start)

    def _at(self, start: int) -> int:
        text = self.text
        name = self._match(tokens.NAME, start + 1).rstrip(".:") or self._match(
            tokens.GAP, start + 1
        )
        if not name:
            return self._plain(start)
        span = TextSpan(start + 1, start + 1 + len(name))
        self.names.references.add(name)
        most = min(span.end + _MAX_SUPPLEMENT, self._paragraph(start))
        supplement = tokens.SUPPLEMENT.match(text, span.end, most)
        end = supplement.end() if supplement else span.end
        if name in self._known:
            self._copy(start, span.end)
            return end
        lists: tuple[KeyList, ...] = (self._listed(name, span),)
        first = start
        last = self._citations[-1] if self._citations else None
        # Typst prints citations side by side as one.
        if last is not None and last.command == REFERENCE and len(last.key_lists) < _MAX_TOGETHER:
            between = _BETWEEN.match(text, last.span.end)
            if between is not None and between.end() == start:
                first, lists = last.span.start, (*last.key_lists, *lists)
                self._citations.pop()
                self._prose.take_back_sign(" ")
        if first == start:
            self._put(CITATION_MARK, start)
        self._citations.append(Citation(REFERENCE, TextSpan(first, end), lists))
        return end

    def _hash(self, start: int) -> int:
        start += len(self._match(_CONTEXT, start + 1))
        position = start + 1
        sign = self.text[position : position + 1]
        if sign in tokens.OPENED:
            return self._open(sign, "", start, position, embedded=True)
        if sign == '"':
            return self._string(position)
        if sign == "<":
            return self._label(position)
        name = self._match(tokens.IDENTIFIER, position)
        if not name:
            return self._plain(start) if not sign or sign.isspace() else position
        end = position + len(name)
        if name in tokens.STATEMENTS:
            silent = self._frames[-1].silent or name == "set"
            self._frames.append(Frame("statement", name, start, silent=silent))
            self._named = (name, position, end)
            return end
        return self._behind_name(name, start, end)


def parse_typst(path: Path, text: str, dialect: Dialect = ALONE) -> tuple[DraftFile, Names]:
    """Parse a file with the labels and functions of its draft."""
    found = [*regions(text, 0, "=+", lambda part: _read_region(part, dialect))]
    names = merged(names for _, names in found)
    return DraftFile(path, text, tuple(each for each, _ in found) or (DraftRegion(""),)), names


@lru_cache(maxsize=3 * MAX_REGIONS)  # in the dialects of `TypstDraftReader`
def _read_region(text: str, dialect: Dialect) -> tuple[tuple[DraftRegion, Names], bool]:
    scanner = Scanner(text, dialect)
    region = scanner.read()
    return (region, scanner.names), scanner.unclosed
