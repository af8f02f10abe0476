"""Strings and labels in the code of a text in Typst: what they name depends on the call around."""

from __future__ import annotations

import re
from typing import Final

from ...model.drafts import BibliographyName, CitationKey, Include, KeyList
from ...model.spans import TextSpan
from . import tokens
from .frames import Frame
from .reading import CITE, REFER, Reading

_BIBLIOGRAPHY: Final = re.compile(r".+\.(?:bib|bibtex|ya?ml)", re.IGNORECASE)
#: Functions through which a value is given to another.
_THROUGH: Final = frozenset(("", "read", "path", "bytes", "label"))
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
        elif frame.name == "label" and (call := self._within(CITE, REFER)) is not None:
            if not call.argument:
                call.keys.append(KeyList(span, (CitationKey(value, span),)))
        elif frame.name == REFER and frame.argument == "form" and value == "page":
            frame.name = ""  # only labels have pages
        elif frame.kind != "content":
            self._perhaps_bibliography(value, span)
        return found.end()

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

    def _label_in_code(self, start: int) -> int:
        frame = self._frames[-1]
        call = self._within(CITE, REFER)
        if call is not None and not call.argument:
            typed = tokens.TYPED_LABEL.match(self.text, start)
            assert typed is not None  # the name may be empty
            span, closed = TextSpan(*typed.span(1)), bool(typed[2])
            keys = (CitationKey(typed[1], span),) if typed[1] else ()
            call.keys.append(KeyList(span, keys, closed))
            return typed.end()
        found = tokens.LABEL.match(self.text, start)
        if found is None:
            return start + 1
        if frame.kind == "braces" or frame.argument == "label":
            self.labels.add(found[1])
        return found.end()
