"""What has been read of a text in Typst so far, what is open, and the values in its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ...model.drafts import CITATION_MARK, BibliographyName, Citation, CitationKey, Include, KeyList
from ...model.spans import TextSpan
from ..scanning import Scanning
from . import tokens
from .functions import BUILT_IN, CITE, REFER, Shape, definition_in, import_in
from .names import ANY, MAX_NAME, REFERRING, Names

#: Content in brackets, code in parentheses and braces, a statement up to the end of its line, and a
#: formula.
Kind = Literal["content", "parentheses", "braces", "statement", "formula"]
#: What a sign opens, and what one closes.
OPENED: Final[Mapping[str, Kind]] = {"[": "content", "(": "parentheses", "{": "braces"}
CLOSED: Final[Mapping[str, Kind]] = {"]": "content", ")": "parentheses", "}": "braces"}

_BIBLIOGRAPHY: Final = re.compile(r".+\.(?:bib|bibtex|ya?ml)", re.IGNORECASE)
#: Functions through which a value is given to another.
_THROUGH: Final = frozenset(("", "read", "path", "bytes", "label"))
#: Names of files of data.
_DATA: Final = (".yaml", ".yml", ".json", ".toml", ".csv", ".xml")
_PLUS: Final = re.compile(r"\s*\+")
REFERENCE: Final = "@"
#: White space between a name and what it names.
_MAX_GAP: Final = 1_000


@dataclass(slots=True)
class Frame:
    """A part that is open; the text itself is content that is never closed.

    `name` is the function or keyword that it belongs to, `start` where that begins, and `argument`
    the name of the current argument. `embedded` parts stand in markup themselves.
    """

    kind: Kind
    name: str = ""
    start: int = 0
    embedded: bool = False
    #: Whether its text is no prose.
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


class Reading(Scanning):
    """The state of a scanner of Typst."""

    _blank_line = tokens.BLANK_LINES

    def __init__(
        self,
        text: str,
        labels: frozenset[str] = frozenset(),
        functions: Mapping[str, Shape] = BUILT_IN,
    ) -> None:
        super().__init__(text)
        #: The names in the text; references cite if they are no labels.
        self.names = Names()
        self._known, self._functions = labels, functions
        self._frames: list[Frame] = [Frame("content")]
        #: The last name in code, and where it ends.
        self._named = ("", 0, 0)
        self._in_heading = False

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

    def _statement_ends(self, frame: Frame, end: int) -> None:
        statement = self.text[frame.start + 1 : end]
        if frame.name == "import" and (imported := import_in(statement)) is not None:
            self.names.imports.append(imported)
        elif frame.name == "let" and (definition := definition_in(statement)) is not None:
            self.names.definitions.append(definition)

    def _call_ends(self, frame: Frame, shape: Shape, end: int, *, closed: bool) -> None:
        """Add the citation of a call that has keys; others than ``cite`` refer to labels, too."""
        if frame.name != CITE:
            names = {key.key for listed in frame.keys for key in listed.keys}
            into = self.names.references if shape.refers else self.names.handed
            into |= names
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
            last = frame.keys[-1].span.end
            frame.keys[-1] = KeyList(frame.keys[-1].span, frame.keys[-1].keys, closed=False)
            end = last + self.text.startswith(">", last)
        span = TextSpan(frame.start, end)
        self._citations.append(Citation(frame.name, span, tuple(frame.keys), frame.listed_only))

    # Values in code; methods that read one return the offset where to continue

    def _string(self, start: int) -> int:
        found = tokens.STRING.match(self.text, start, self._paragraph(start))
        if found is None:
            line = tokens.LINE.match(self.text, start)
            return line.end() if line else start + 1
        span, value = TextSpan(*found.span(1)), found[1]
        frame, call = self._frames[-1], self._call_with_key()
        word = self._named_before(start)
        is_key = frame.name == "label" or (call and call.shape and call.shape.strings)
        if word in ("include", "import") and frame.kind != "content":
            if value.endswith(".typ"):
                self._includes.append(Include(value, span, "text"))
            elif word == "include":
                self.names.patterns.add(ANY)
        elif call is not None and is_key and not self._is_added(start, found.end()):
            call.keys.append(KeyList(span, (CitationKey(value, span),)))
        elif frame.name == REFER and frame.argument == "form" and value == "page":
            frame.shape = None  # only labels have pages
        elif frame.kind != "content":
            self._add_possible(value)
            if value.lower().endswith(_DATA):
                self.names.data.add(value)
            if self._names_bibliography(value):
                self._bibliographies.append(BibliographyName(value, span))
        return found.end()

    def _add_possible(self, name: str) -> None:
        """Add what may be a label, if it can be one."""
        if len(name) <= MAX_NAME:
            self.names.possible.add(name)

    def _is_added(self, start: int, end: int) -> bool:
        before = self.text[max(0, start - _MAX_GAP) : start].rstrip()
        return before.endswith("+") or _PLUS.match(self.text, end) is not None

    def _named_before(self, position: int) -> str:
        """Return the name just before a position, with nothing but white space between."""
        name, _, end = self._named
        is_near = position - end <= _MAX_GAP and not self.text[end:position].strip()
        return name if is_near else ""

    def _names_bibliography(self, value: str) -> bool:
        called = self._within("bibliography")
        if called is not None:
            return called.argument in ("", "sources", "path")
        if not _BIBLIOGRAPHY.fullmatch(value):
            return False
        is_bibtex = value.lower().endswith((".bib", ".bibtex"))
        return is_bibtex or any(name in self._frames[-1].argument for name in ("bib", "refs"))

    def _within(self, name: str = "") -> Frame | None:
        """Return the call of a function, or of one that may cite, that a value is given to."""
        for frame in reversed(self._frames):
            if frame.kind != "parentheses":
                return None
            if frame.name == name if name else frame.shape is not None:
                return frame
            if frame.name not in _THROUGH:
                return None
        return None

    def _call_with_key(self) -> Frame | None:
        frame = self._within()
        takes = frame and frame.shape and frame.shape.takes(frame.place, frame.argument)
        return frame if takes else None

    def _label_in_code(self, start: int) -> int:
        frame = self._frames[-1]
        call = self._call_with_key()
        typed = tokens.TYPED_LABEL.match(self.text, start)
        assert typed is not None  # the name may be empty
        is_sign = not (typed[1] or typed[2]) and self.text[start + 1 : start + 2] in tuple(" =")
        if call is not None and not is_sign:
            span, closed = TextSpan(*typed.span(1)), bool(typed[2])
            keys = (CitationKey(typed[1], span),) if typed[1] else ()
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
