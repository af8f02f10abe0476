"""Scan Typst once: what is prose and what is not, and what it cites.

Half-typed text is read as far as it makes sense: a formula ends with its paragraph, and code where
prose certainly begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from ...model.drafts import (
    CITATION_MARK,
    Citation,
    CitationKey,
    DraftFile,
    DraftRegion,
    Heading,
    KeyList,
)
from ...model.spans import TextSpan
from ..scanning import MAX_REGIONS, regions
from . import tokens
from .functions import BUILT_IN, Shape, local_definition
from .names import ANY, REFERRING, Names, merged
from .reading import CLOSED, OPENED, REFERENCE, Frame, Reading
from .tokens import formula_end

#: The names of a file's labels, which cite nothing, and the functions that cite.
Dialect = tuple[frozenset[str], frozenset[tuple[str, Shape]]]
ALONE: Final[Dialect] = (frozenset(), frozenset(BUILT_IN.items()))

_SHORTHANDS: Final = {"--": "–", "---": "—", "...": "…", "-?": "", "~": " "}
_SYMBOL: Final = re.compile(r"[\w.+-]{1,20}")
_BETWEEN: Final = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r)[ \t]*)?")

_BLANKS: Final = re.compile(r"[ \t]*")
_CONTEXT: Final = re.compile(r"(?:context(?![\w-]|\.[^\W\d])[ \t]*)*")
#: What is searched for in a part that is not code.
_EXPRESSIONS: Final = {"content": tokens.MARKUP, "formula": tokens.IN_FORMULA}
_MAX_SUPPLEMENT: Final = 1_000
_LOOK_BACK: Final = 200
_MAX_FORMULA: Final = 5_000
_MAX_TOGETHER: Final = 100
_MAX_DEPTH: Final = 200


class Scanner(Reading):
    """One pass over a text that starts in markup; `text` may end within something."""

    def __init__(
        self,
        text: str,
        labels: frozenset[str] = frozenset(),
        functions: Mapping[str, Shape] = BUILT_IN,
    ) -> None:
        super().__init__(text, labels, functions)
        self._signs: Mapping[str, Callable[[int], int]] = {
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
        }

        self._signs_of_code: Mapping[str, Callable[[int], int]] = {
            "//": lambda start: self._skipped(self._comment, start),
            "/*": lambda start: self._skipped(self._comment, start),
            "`": lambda start: self._skipped(self._raw, start),
            '"': self._string,
            "$": self._formula_in_code,
            "<": self._label_in_code,
            "\n": self._line_end_in_code,
            "\r": self._line_end_in_code,
        }

    def read(self) -> DraftRegion:
        """Return what the text says and cites."""
        self._scan(self._line(0), self._end)
        # A statement ends with the text.
        self.unclosed |= any(frame.kind != "statement" for frame in self._frames[1:])
        self._leave(1, self._end, closed=False)
        return self._region()

    def _scan(self, position: int, end: int) -> None:
        while position < end:
            kind = self._frames[-1].kind
            expression = _EXPRESSIONS.get(kind, tokens.CODE)
            found = expression.search(self.text, position, end)
            start = end if found is None else found.start()
            if kind == "content":
                self._copy(position, start)
            if found is None:
                return
            if kind == "content":
                read = self._signs.get(self.text[start])
                if read is None:
                    self._put(_SHORTHANDS[found.group()], start)
                position = found.end() if read is None else read(start)
            elif kind == "formula":
                sign = found.group()
                if sign == "#":
                    position = self._hash(start)
                else:
                    is_comment = sign == "/*"
                    position = self._skipped(self._comment, start) if is_comment else found.end()
            else:
                position = self._code(found)

    def _match(self, expression: re.Pattern[str], start: int) -> str:
        """Return what an expression matches at an offset, where it does for certain."""
        found = expression.match(self.text, start)
        return found.group() if found else ""

    # Markup; each method returns the offset where to continue

    def _line_end(self, start: int) -> int:
        blank = self._match(tokens.BLANK_LINES, start)
        if blank or self._in_heading:
            self._break(start)
        elif not self._frames[-1].silent:
            self._prose.space(start)
        return self._line(start + len(blank or self._match(tokens.LINE_END, start)))

    def _line(self, start: int) -> int:
        """Begin a line; return the offset of its first word."""
        start += len(self._match(_BLANKS, start))
        if (heading := tokens.HEADING.match(self.text, start)) is not None:
            self._break(start)
            self._in_heading = True
            self._headings.append(Heading(heading.end(), 1 + len(heading[1])))
            return heading.end()
        if (item := tokens.ITEM.match(self.text, start)) is not None:
            self._break(start)
            return item.end()
        return start

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
        lines = self.text[begin:end]
        if "\n" in lines or "\r" in lines:
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

    def _within_formula(self, start: int, end: int) -> None:
        """Read the code that is embedded in a formula; nothing goes on behind it."""
        if self.text.find("#", start, end) < 0:
            return
        outer = self._frames
        self._frames = [Frame("formula", silent=outer[-1].silent)]
        self._scan(start, end)
        self._leave(1, end, closed=False)
        self._frames = outer

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
        end = tokens.reference_at(text, start + 1)
        if end == start + 1:
            gap = tokens.GAP.match(text, end)
            if gap is None:
                return self._plain(start)
            end = gap.end()
        name, span = text[start + 1 : end], TextSpan(start + 1, end)
        self.names.references.add(name)
        supplement = None
        if text[end : end + 1] == "[":
            most = min(end + _MAX_SUPPLEMENT, self._paragraph(start))
            supplement = tokens.SUPPLEMENT.match(text, end, most)
        behind = end if supplement is None else supplement.end()
        if name in self._known:
            self._copy(start, end)
            return behind
        keys = KeyList(span, (CitationKey(name, span),))
        last = self._citations[-1] if self._citations else None
        # Typst prints citations side by side as one.
        if last is not None and last.command == REFERENCE and len(last.key_lists) < _MAX_TOGETHER:
            between = _BETWEEN.match(text, last.span.end)
            if between is not None and between.end() == start:
                self._citations[-1] = Citation(
                    REFERENCE, TextSpan(last.span.start, behind), (*last.key_lists, keys)
                )
                self._prose.take_back_sign(" ")
                return behind
        self._put(CITATION_MARK, start)
        self._citations.append(Citation(REFERENCE, TextSpan(start, behind), (keys,)))
        return behind

    # From markup to code

    def _hash(self, start: int) -> int:
        start += len(self._match(_CONTEXT, start + 1))
        position = start + 1
        sign = self.text[position : position + 1]
        if sign in OPENED:
            return self._open(sign, "", start, position, embedded=True)
        if sign == '"':
            return self._string(position)
        if sign == "<":
            return self._label(position)
        found = tokens.IDENTIFIER.match(self.text, position)
        if found is None:
            return self._plain(start) if not sign or sign.isspace() else position
        name = found.group()
        if name in tokens.STATEMENTS:
            silent = self._frames[-1].silent or name == "set"
            self._frames.append(Frame("statement", name, start, silent=silent))
            self._named = (name, position, found.end())
            return found.end()
        return self._behind_name(name, start, found.end())

    def _behind_name(self, name: str, start: int, position: int) -> int:
        """Read what directly follows a name, or a part that belongs to it, in markup."""
        while (method := tokens.METHOD.match(self.text, position)) is not None:
            name, position = method[1], method.end()
        sign = self.text[position : position + 1]
        if sign in ("(", "["):
            return self._open(sign, name, start, position, embedded=True)
        return position + (sign == ";")

    def _open(
        self, sign: str, name: str, start: int, position: int, *, embedded: bool = False
    ) -> int:
        """Open a part at a sign; return the offset after it."""
        if len(self._frames) >= _MAX_DEPTH:
            return self._plain(position)
        name = name.removeprefix("std.")
        outer = self._frames[-1]
        kind = OPENED[sign]
        frame = Frame(kind, name, start, embedded, outer.silent, inside=position + 1)
        if kind == "content":
            before = self.text[max(0, start - _LOOK_BACK) : start].rstrip(" \t")
            alone = before[-1:] in ("", "\n", "\r")
            functions = {name.rpartition(".")[2], outer.name if outer.kind == "parentheses" else ""}
            in_sentence = self._frames[0].kind == "formula" or outer.shape is not None
            is_inline = in_sentence or bool(functions & tokens.INLINE) or (embedded and not alone)
            frame.apart = not is_inline
            if name == "footnote":
                self._put(" (", position)
            elif frame.apart:
                self._break(position)
            self._frames.append(frame)
            return self._line(position + 1)
        if sign == "(":
            called = name.removesuffix(".with")
            self.names.called.add(called)
            if not tokens.LET.search(self.text, max(0, start - _LOOK_BACK), start):
                frame.shape = self._functions.get(called)
            takes_key = frame.shape is not None and frame.shape.takes(0, "")
            frame.silent |= takes_key or name == "bibliography"
        self._frames.append(frame)
        return position + 1

    # Code

    def _code(self, found: re.Match[str]) -> int:
        start, sign = found.start(), found.group()
        frame = self._frames[-1]
        if sign in OPENED:
            name, first, end = self._named
            called = end == start
            return self._open(sign, name if called else "", first if called else start, start)
        if sign in CLOSED:
            return self._close(start)
        if (read := self._signs_of_code.get(sign)) is not None:
            return read(start)
        match sign:
            case ",":
                frame.place += not frame.argument
                frame.argument = ""
            case ";":
                if frame.kind == "statement":
                    self._leave(len(self._frames) - 1, start, closed=True)
            case ":":
                if frame.kind == "parentheses" and (name := self._named_before(start)):
                    frame.argument = name
                    self._add_possible(name)
            case _:
                if self._named_before(start) == "include":
                    self.names.patterns.add(ANY)  # which file is computed
                if sign == "let" and (local := local_definition(self.text, start)) is not None:
                    self.names.definitions.append(local)
                self._named = (sign, start, found.end())
                frame.listed_only |= frame.argument == "form" and sign == "none"
        return found.end()

    def _formula_in_code(self, start: int) -> int:
        end = formula_end(self.text, start, self._paragraph(start))
        if end == start:
            return start + 1
        self._within_formula(start + 1, end - 1)
        return end

    def _skipped(self, read: Callable[[int], int], start: int) -> int:
        """Read what is the same in markup, but is no prose here."""
        self._frames.append(Frame("content", silent=True))
        end = read(start)
        self._frames.pop()
        return end

    def _line_end_in_code(self, start: int) -> int:
        if tokens.PROSE_IN_CODE.match(self.text, start):
            inner = len(self._frames)
            while self._frames[inner - 1].kind not in ("content", "formula"):
                inner -= 1
            self._leave(inner, start, closed=False)
            return start
        end = start + len(self._match(tokens.LINE_END, start))
        frame = self._frames[-1]
        if frame.kind == "statement" and not tokens.CONTINUED.match(self.text, end):
            self._leave(len(self._frames) - 1, start, closed=True)
            return start if self._frames[-1].kind == "content" else end
        return end

    # Ends

    def _close(self, start: int) -> int:
        """Close the part that ends at a sign, with what is open in it; ignore one of none."""
        kind = CLOSED[self.text[start]]
        inner = len(self._frames) - 1
        while inner and self._frames[inner].kind != kind:
            if self._frames[inner].kind == "content":
                inner = 0  # content is closed by its own bracket only
            else:
                inner -= 1
        if not inner:
            return start + 1
        frame = self._frames[inner]
        self._leave(inner, start + 1, closed=True)
        if frame.kind != "parentheses" and not frame.embedded:
            outer = self._frames[-1]
            behind = tokens.ELSE.match(self.text, start + 1)
            if outer.kind == "statement" and outer.name in tokens.BLOCKS and behind is None:
                self._frames.pop()
        if frame.embedded:
            return self._behind_name(frame.name, frame.start, start + 1)
        self._named = (frame.name, frame.start, start + 1)
        return start + 1

    def _leave(self, inner: int, end: int, *, closed: bool) -> None:
        """Leave the parts from a number on, the innermost first; the last may be closed."""
        while len(self._frames) > inner:
            frame = self._frames[-1]
            if frame.kind == "content":
                if frame.name == "footnote" and closed:
                    self._put(")", end - 1)
                elif frame.apart:
                    self._break(end - closed)
            self._frames.pop()
            last = closed and len(self._frames) == inner
            if frame.kind == "statement":
                self._statement_ends(frame, end)
            elif frame.kind == "parentheses" and frame.name == "label":
                # Unless another function refers to it.
                calls = {each.name for each in self._frames if each.kind == "parentheses"}
                if calls.isdisjoint(self._functions.keys() | REFERRING):
                    self.names.add_computed(self.text[frame.inside : end - last])
            elif frame.shape is not None:
                self._call_ends(frame, frame.shape, end, closed=last)


def parse_typst(path: Path, text: str, dialect: Dialect = ALONE) -> tuple[DraftFile, Names]:
    """Parse a file, whose names mean what the other files of its draft say."""
    found = [*regions(text, 0, "=+", lambda part: _read_region(part, dialect))]
    names = merged(names for _, names in found)
    return DraftFile(path, text, tuple(each for each, _ in found) or (DraftRegion(""),)), names


@lru_cache(maxsize=3 * MAX_REGIONS)  # in the dialects of `TypstDraftReader`
def _read_region(text: str, dialect: Dialect) -> tuple[tuple[DraftRegion, Names], bool]:
    labels, functions = dialect
    scanner = Scanner(text, labels, dict(functions))
    region = scanner.read()
    return (region, scanner.names), scanner.unclosed
