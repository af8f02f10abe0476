"""The code in a text in Typst: what is open, the values in calls, and the calls that cite."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import regex

from ...model.drafts import CITATION_MARK, BibliographyName, Citation, CitationKey, Include, KeyList
from ...model.spans import TextSpan
from ..scanning import Scanning
from . import tokens
from .names import (
    ANY,
    CITE,
    MAX_NAME,
    REFER,
    REFERRING,
    Dialect,
    Names,
    Shape,
    definition_in,
    import_in,
    local_definition,
)

REFERENCE: Final = "@"
_BIBLIOGRAPHY: Final = re.compile(r".+\.(?:bib|bibtex|ya?ml)", re.IGNORECASE)
#: Functions that pass a value on to the call around them.
_THROUGH: Final = frozenset(("", "read", "path", "bytes", "label"))
#: Functions of alexandria, in which the keys of each bibliography have a prefix.
_WITH_PREFIX: Final = ("alexandria", "alexandria.with", "bibliographyx", "load-bibliography")
#: Names of files of data.
_DATA: Final = (".yaml", ".yml", ".json", ".toml", ".csv", ".xml")
_PLUS: Final = re.compile(r"\s*\+")
#: White space between a name and what it names.
_MAX_GAP: Final = 1_000
_LOOK_BACK: Final = 200
#: Content in one line, with words behind it.
_GOES_ON: Final = re.compile(r"\[[^\[\]\r\n]{0,200}\][ \t]*[^\s\[\](<;/#]")
_MAX_DEPTH: Final = 200


@dataclass(slots=True)
class Frame:
    """A part that is open; the text itself is content that is never closed.

    `name` is the function or keyword that it belongs to, `start` where that begins, and `argument`
    the name of the current argument. `embedded` parts stand in markup themselves.
    """

    kind: tokens.Kind
    name: str = ""
    start: int = 0
    embedded: bool = False
    #: Whether its text is not prose.
    silent: bool = False
    #: Whether its text is a paragraph of its own.
    apart: bool = False
    argument: str = ""
    #: How many arguments without a name are before the current one.
    place: int = 0
    #: Where it begins after its sign.
    inside: int = 0
    #: Brackets in content that are text.
    brackets: int = 0
    #: Of a call that may cite.
    shape: Shape | None = None
    keys: list[KeyList] = field(default_factory=list)
    listed_only: bool = False


class CodeScanner(Scanning):
    """The part of the scanner that reads code; methods return the offset where to continue."""

    _blank_line = tokens.BLANK_LINES

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text)
        #: The names in the text; references cite unless they are labels.
        self.names = Names()
        self._known, self._functions, self._prefixes = dialect[0], dict(dialect[1]), dialect[2]
        self._frames: list[Frame] = [Frame("content")]
        #: The last name in code, and where it ends.
        self._named = ("", 0, 0)
        self._in_heading = False

    @abstractmethod
    def _line(self, start: int) -> int:
        """Begin a line of content; return the offset of its first word."""

    def _put(self, text: str, source: int) -> None:
        if not self._frames[-1].silent:
            self._prose.put(text, source)

    def _copy(self, start: int, end: int) -> None:
        if not self._frames[-1].silent:
            self._prose.copy(start, end)

    def _break(self, source: int) -> None:
        self._in_heading = False
        self._paragraph_end = 0
        if not self._frames[-1].silent:
            self._prose.take_back_sign(" ")
            self._prose.break_at(source)

    def _match(self, expression: re.Pattern[str] | regex.Pattern[str], start: int) -> str:
        """Return what an expression matches at an offset, which may be nothing."""
        found = expression.match(self.text, start)
        return found.group() if found else ""

    # Parts that open and close

    def _behind_name(self, name: str, start: int, position: int) -> int:
        """Read what directly follows a name, or a part that belongs to it, in markup."""
        while (method := tokens.METHOD.match(self.text, position)) is not None:
            name, position = method[1], method.end()
        sign = self.text[position : position + 1]
        if sign in ("(", "["):
            return self._open(sign, name, start, position, embedded=True)
        return position + (sign == ";")

    def _open_in_code(self, start: int) -> int:
        name, first, end = self._named
        called = end == start
        return self._open(self.text[start], name * called, first if called else start, start)

    def _open(
        self, sign: str, name: str, start: int, position: int, *, embedded: bool = False
    ) -> int:
        """Open a part of a function at a sign."""
        if len(self._frames) >= _MAX_DEPTH:
            return self._plain(position)
        name = name.removeprefix("std.")
        outer = self._frames[-1]
        frame = Frame(tokens.OPENED[sign], name, start, embedded, outer.silent, inside=position + 1)
        if sign == "[":
            before = self.text[max(0, start - _LOOK_BACK) : start].rstrip(" \t")
            begins_line = before[-1:] in ("", "\n", "\r")
            alone = begins_line and _GOES_ON.match(self.text, position) is None
            functions = {name.rpartition(".")[2], outer.name if outer.kind == "parentheses" else ""}
            in_sentence = self._frames[0].kind == "formula" or outer.shape is not None
            is_inline = in_sentence or bool(functions & tokens.INLINE) or (embedded and not alone)
            frame.apart = not is_inline
            if name == "footnote":
                self._put(" (", position)
            elif frame.apart:
                self._break(position)
        elif sign == "(":
            called = name.removesuffix(".with")
            self.names.called.add(called)
            if not tokens.LET.search(self.text, max(0, start - _LOOK_BACK), start):
                frame.shape = self._functions.get(called)
            takes_key = frame.shape is not None and frame.shape.takes(0, "")
            frame.silent |= takes_key or name == "bibliography"
        self._frames.append(frame)
        return self._line(position + 1) if sign == "[" else position + 1

    def _close(self, start: int) -> int:
        """Close the part that ends at a sign, with what is open in it; ignore one of none."""
        kind = tokens.CLOSED[self.text[start]]
        inner = len(self._frames) - 1
        # Content is closed by its own bracket only.
        while inner and self._frames[inner].kind != kind:
            inner = 0 if self._frames[inner].kind == "content" else inner - 1
        if not inner:
            return start + 1
        frame = self._frames[inner]
        self._leave(inner, start + 1, closed=True)
        if frame.embedded:
            return self._behind_name(frame.name, frame.start, start + 1)
        outer = self._frames[-1]
        is_block = outer.kind == "statement" and outer.name in tokens.BLOCKS
        if frame.kind != "parentheses" and is_block and not tokens.ELSE.match(self.text, start + 1):
            self._frames.pop()
        self._named = (frame.name, frame.start, start + 1)
        return start + 1

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

    def _leave(self, inner: int, end: int, *, closed: bool) -> None:
        """Leave the parts from a number on, the innermost first; the last may be closed."""
        while len(self._frames) > inner:
            frame = self._frames[-1]
            if frame.name == "footnote" and frame.kind == "content" and closed:
                self._put(")", end - 1)
            elif frame.apart:
                self._break(end - closed)
            self._frames.pop()
            last = closed and len(self._frames) == inner
            if frame.kind == "statement":
                statement = self.text[frame.start + 1 : end]
                if frame.name == "import" and (imported := import_in(statement)) is not None:
                    self.names.imports.append(imported)
                elif frame.name == "let" and (definition := definition_in(statement)) is not None:
                    self.names.definitions.append(definition)
            elif frame.kind == "parentheses" and frame.name == "label":
                # Unless another function refers to it.
                calls = {each.name for each in self._frames if each.kind == "parentheses"}
                if calls.isdisjoint(self._functions.keys() | REFERRING):
                    self.names.add_computed(self.text[frame.inside : end - last])
            elif frame.shape is not None:
                self._call_ends(frame, frame.shape, end, closed=last)

    def _call_ends(self, frame: Frame, shape: Shape, end: int, *, closed: bool) -> None:
        """Add the citation of a call that has keys; others than ``cite`` refer to labels, too."""
        if frame.name != CITE:
            names = {key.key for listed in frame.keys for key in listed.keys}
            (self.names.references if shape.refers else self.names.handed).update(names)
            frame.keys = [
                listed
                for listed in frame.keys
                if not listed.keys or any(key.key not in self._known for key in listed.keys)
            ]
            if (names and not frame.keys) or (frame.name == REFER and not names):
                return
        if frame.keys or frame.name == CITE:
            self._put(CITATION_MARK, frame.start if frame.silent else end - closed)
        if not frame.keys:
            end = end if closed else frame.inside
            span = TextSpan(frame.inside, end - closed)
            is_whole = shape.takes(0, "") and not frame.name.endswith(".with")
            if span.of(self.text).strip() or not is_whole:
                return  # a key that is computed
            frame.keys.append(KeyList(span, (), closed))
        elif not closed:
            last = frame.keys[-1]
            frame.keys[-1] = KeyList(last.span, last.keys, closed=False)
            end = last.span.end + self.text.startswith(">", last.span.end)
        span = TextSpan(frame.start, end)
        self._citations.append(Citation(frame.name, span, tuple(frame.keys), frame.listed_only))

    # Words and values

    def _word(self, sign: str, start: int) -> None:
        """Read a name, a keyword, a number or a sign between arguments."""
        frame = self._frames[-1]
        if sign == ",":
            frame.place += not frame.argument
            frame.argument = ""
        elif sign == ";":
            if frame.kind == "statement":
                self._leave(len(self._frames) - 1, start, closed=True)
        elif sign == ":":
            if frame.kind == "parentheses" and (name := self._named_before(start)):
                frame.argument = name
                self._add_possible(name)
        else:
            if self._named_before(start) == "include":
                self.names.patterns.add(ANY)  # which file is computed
            if sign == "let" and (local := local_definition(self.text, start)) is not None:
                self.names.definitions.append(local)
            self._named = (sign, start, start + len(sign))
            frame.listed_only |= frame.argument == "form" and sign == "none"

    def _string(self, start: int) -> int:
        found = tokens.STRING.match(self.text, start, self._paragraph(start))
        if found is None:
            return max(start + 1, start + len(self._match(tokens.LINE, start)))
        span, value = TextSpan(*found.span(1)), found[1]
        frame, call = self._frames[-1], self._call_with_key()
        word = self._named_before(start)
        is_key = frame.name == "label" or (call and call.shape and call.shape.strings)
        before = self.text[max(0, start - _MAX_GAP) : start].rstrip()
        is_added = before.endswith("+") or _PLUS.match(self.text, found.end()) is not None
        if word in ("include", "import") and frame.kind != "content":
            if value.endswith(".typ"):
                self._includes.append(Include(value, span, "text"))
            elif word == "include":
                self.names.patterns.add(ANY)
        elif call is not None and is_key and not is_added:
            call.keys.append(self._listed(value, span))
        elif frame.name == REFER and frame.argument == "form" and value == "page":
            frame.shape = None  # only labels have pages
        elif frame.kind != "content":
            self._add_possible(value)
            if frame.argument == "prefix" and value and frame.name in _WITH_PREFIX:
                self.names.prefixes.add(value)
            if value.lower().endswith(_DATA):
                self.names.data.add(value)
            if self._names_bibliography(value):
                self._bibliographies.append(BibliographyName(value, span))
        return found.end()

    def _listed(self, name: str, span: TextSpan) -> KeyList:
        """Return a key as a list of its own; a prefix is no part of the key."""
        prefix = next((each for each in self._prefixes if name.startswith(each)), "")
        start = span.start + len(prefix) if prefix != name else span.start
        key = TextSpan(start, span.end)
        return KeyList(span, (CitationKey(name[start - span.start :], key),))

    def _add_possible(self, name: str) -> None:
        """Add what may be a label, if it can be one."""
        if len(name) <= MAX_NAME:
            self.names.possible.add(name)

    def _named_before(self, position: int) -> str:
        """Return the name just before a position, with nothing but white space between."""
        name, _, end = self._named
        is_near = position - end <= _MAX_GAP and not self.text[end:position].strip()
        return name if is_near else ""

    def _names_bibliography(self, value: str) -> bool:
        called = self._within(lambda frame: frame.name == "bibliography")
        if called is not None:
            return called.argument in ("", "sources", "path")
        if not _BIBLIOGRAPHY.fullmatch(value):
            return False
        frame, suffix = self._frames[-1], value.rpartition(".")[2].lower()
        return any(word in f"{frame.name} {frame.argument} {suffix}" for word in ("bib", "refs"))

    def _call_with_key(self) -> Frame | None:
        frame = self._within(lambda frame: frame.shape is not None)
        takes = frame and frame.shape and frame.shape.takes(frame.place, frame.argument)
        return frame if takes else None

    def _within(self, fits: Callable[[Frame], bool]) -> Frame | None:
        """Return the call that a value is given to, if it fits."""
        for frame in reversed(self._frames):
            if frame.kind != "parentheses":
                return None
            if fits(frame):
                return frame
            if frame.name not in _THROUGH:
                return None
        return None

    def _label_in_code(self, start: int) -> int:
        frame = self._frames[-1]
        call = self._call_with_key()
        typed = tokens.TYPED_LABEL.match(self.text, start)
        assert typed is not None  # the name may be empty
        is_sign = not (typed[1] or typed[2]) and self.text[start + 1 : start + 2] in tuple(" =")
        if call is not None and not is_sign:
            span, closed = TextSpan(*typed.span(1)), bool(typed[2])
            keys = self._listed(typed[1], span).keys if typed[1] else ()
            call.keys.append(KeyList(span, keys, closed))
            return typed.end()
        found = tokens.LABEL.match(self.text, start)
        if found is None:
            return start + 1
        before = self.text[max(0, start - _MAX_GAP) : start].rstrip()
        # Behind a figure, as in grid(figure(…), <label>).
        is_behind = before[-1:] == "," and before[:-1].rstrip().endswith(")")
        if frame.kind == "braces" or frame.argument == "label" or is_behind:
            self.names.labels.add(found[1])
        elif frame.name not in REFERRING:
            self._add_possible(found[1])
        return found.end()
