"""Strings and labels in the code of a text in Typst: what they name depends on the call around."""

from __future__ import annotations

import re
from typing import Final

from ...model.drafts import BibliographyName, CitationKey, Include, KeyList
from ...model.spans import TextSpan
from . import tokens
from .frames import Frame
from .functions import REFER
from .names import ANY, REFERRING
from .reading import Reading

_BIBLIOGRAPHY: Final = re.compile(r".+\.(?:bib|bibtex|ya?ml)", re.IGNORECASE)
#: Functions through which a value is given to another.
_THROUGH: Final = frozenset(("", "read", "path", "bytes", "label"))
#: Names of files of data.
_DATA: Final = (".yaml", ".yml", ".json", ".toml", ".csv", ".xml")
_PLUS: Final = re.compile(r"\s*\+")
#: White space between a name and what it names.
_LONGEST_GAP: Final = 1_000


class Values(Reading):
    """Reads values in code; each method returns the offset where to continue."""

    def _string(self, start: int) -> int:
        found = tokens.STRING.match(self.text, start, self._paragraph(start))
        if found is None:
            line = tokens.LINE.match(self.text, start)
            return line.end() if line else start + 1
        span, value = TextSpan(*found.span(1)), found[1]
        frame = self._frames[-1]
        word = self._named_before(start)
        if word in ("include", "import") and frame.kind != "content":
            if value.endswith(".typ"):
                self._includes.append(Include(value, span, "text"))
            elif word == "include":
                self.names.patterns.add(ANY)
        elif (
            (call := self._call_with_key()) is not None
            and (frame.name == "label" or (call.shape and call.shape.strings))
            and not self._is_added(start, found.end())
        ):
            call.keys.append(KeyList(span, (CitationKey(value, span),)))
        elif frame.name == REFER and frame.argument == "form" and value == "page":
            frame.shape = None  # only labels have pages
        elif frame.kind != "content":
            self.names.add_possible(value)
            if value.lower().endswith(_DATA):
                self.names.data.add(value)
            self._perhaps_bibliography(value, span)
        return found.end()

    def _is_added(self, start: int, end: int) -> bool:
        """Return whether a value is a part of a sum."""
        before = self.text[max(0, start - _LONGEST_GAP) : start].rstrip()
        return before.endswith("+") or _PLUS.match(self.text, end) is not None

    def _named_before(self, position: int) -> str:
        """Return the name just before a position, with nothing but white space between."""
        name, _, end = self._named
        is_near = position - end <= _LONGEST_GAP and not self.text[end:position].strip()
        return name if is_near else ""

    def _perhaps_bibliography(self, value: str, span: TextSpan) -> None:
        called = self._within("bibliography")
        if called is not None and called.argument in ("", "sources", "path"):
            self._bibliographies.append(BibliographyName(value, span))
        elif called is None and _BIBLIOGRAPHY.fullmatch(value):
            is_bibtex = value.lower().endswith((".bib", ".bibtex"))
            if is_bibtex or any(name in self._frames[-1].argument for name in ("bib", "refs")):
                self._bibliographies.append(BibliographyName(value, span))

    def _within(self, *names: str) -> Frame | None:
        """Return the call of one of these functions that a value is given to."""
        for frame in reversed(self._frames):
            if frame.name in names and frame.kind == "parentheses":
                return frame
            if frame.kind != "parentheses" or frame.name not in _THROUGH:
                return None
        return None

    def _call_with_key(self) -> Frame | None:
        """Return the call that is given a value as its key."""
        for frame in reversed(self._frames):
            if frame.kind != "parentheses":
                return None
            if frame.shape is not None:
                return frame if frame.shape.takes(frame.place, frame.argument) else None
            if frame.name not in _THROUGH:
                return None
        return None

    def _label_is_made(self, frame: Frame, end: int) -> None:
        """Note the label that a call of ``label`` makes, unless another function refers to it."""
        inner = (each.name for each in self._frames if each.kind == "parentheses")
        calls = self._functions.keys() | REFERRING
        if calls.isdisjoint(inner):
            self.names.add_computed(self.text[frame.inside : end])

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
        before = self.text[max(0, start - _LONGEST_GAP) : start].rstrip()
        # Behind a figure, as in grid(figure(…), <label>).
        is_behind = before[-1:] == "," and before[:-1].rstrip().endswith(")")
        if frame.kind == "braces" or frame.argument == "label" or is_behind:
            self.names.labels.add(found[1])
        elif frame.name not in REFERRING:
            self.names.add_possible(found[1])
        return found.end()
