"""How a draft in Typst cites, and the edits of its citations.

A citation is ``@key`` or, in a draft that has more of these, ``#cite(<key>)``. After a word such as
“by”, the work is named in the sentence: ``#cite(<key>, form: "prose")``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from ..model.drafts import Citation, CitationKey, CitationPlaceholder, Draft, DraftFile
from ..model.edits import TextEdit
from ..model.spans import TextSpan
from ..parsing.typst import tokens
from ..parsing.typst.syntax import in_call, written
from .named_after import is_named_after
from .pages import with_page

_REFERENCE: Final = "@"
_SUPPLEMENT: Final = re.compile(
    r"supplement\s*:\s*\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class TypstConventions:
    """How a draft in Typst cites; see `Conventions`."""

    command: str = _REFERENCE
    before: str = " "
    behind_stop: bool = False

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, in the sentence or beside it."""
        if is_named_after(before):
            return f'#cite({in_call(key)}, form: "prose")'
        return _written(key, self.command)

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        """Return None: all placeholders without a citation are in words."""
        return None

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edit that adds a key beside a citation, behind the key at `offset`."""
        start, end = citation.span.start, citation.span.end
        if citation.command != _REFERENCE and file.text[start : start + 1] != "#":
            return ()  # in code nothing can stand beside it
        for listed in citation.key_lists[:-1] if citation.command == _REFERENCE else ():
            if listed.span.covers(offset):
                end = _end_of_item(file.text, listed.span.end)
        new = f" {_written(key, citation.command)}"
        return (TextEdit(file.path, TextSpan(end, end), new),)

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page behind a key: ``@key[p. 3]``, or as a supplement."""
        text, end = file.text, key.span.end
        if citation.command != _REFERENCE:
            return self._pinned_in_call(file, citation, page)
        if text[end : end + 1] != "[":
            return (TextEdit(file.path, TextSpan(end, end), f"[{_with_page('', page)}]"),)
        return _changed(file, TextSpan(end + 1, _end_of_item(text, end) - 1), page)

    def _pinned_in_call(
        self, file: DraftFile, citation: Citation, page: str
    ) -> tuple[TextEdit, ...]:
        text, closing = file.text, citation.span.end - 1
        found = _SUPPLEMENT.search(text, citation.span.start, closing)
        if found is not None:
            return _changed(file, TextSpan(*found.span(1)), page)
        if "supplement" in citation.span.of(text) or len(citation.keys) != 1:
            return ()  # it is computed
        end = citation.key_lists[-1].span.end
        end += len(text[end:closing]) - len(text[end:closing].lstrip('>")'))
        new = f", supplement: [{_with_page('', page)}]"
        return (TextEdit(file.path, TextSpan(end, end), new),)


def typst_conventions(*drafts: Draft) -> TypstConventions:
    """Return how drafts cite."""
    files = {file.path: file for draft in drafts for file in (*draft.files, *draft.others)}
    found = [
        (file.text, citation)
        for file in files.values()
        for citation in file.citations
        if not citation.listed_only and '"prose"' not in citation.span.of(file.text)
    ]
    used = Counter(citation.command for _, citation in found if citation.command)
    command = next((name for name, _ in used.most_common(1)), _REFERENCE)
    signs = Counter(
        text[citation.span.start - 1 : citation.span.start]
        for text, citation in found
        if citation.span.start
    )
    ties, spaces = signs["~"], signs[" "] + signs["\n"] + signs["\r"]
    stops = sum(signs[stop] for stop in ".!?")
    bare = signs.total() - ties - spaces
    if bare > max(spaces, ties):
        return TypstConventions(command, "", 2 * stops > bare)
    return TypstConventions(command, "~" if ties > spaces else " ")


def _written(key: str, command: str) -> str:
    if command == _REFERENCE:
        return written(key)
    return f"#{command}({in_call(key)})"


def _end_of_item(text: str, end: int) -> int:
    """Return the end of a reference with its supplement, if its name ends at `end`."""
    found = tokens.SUPPLEMENT.match(text, end)
    return end if found is None else found.end()


def _changed(file: DraftFile, note: TextSpan, page: str) -> tuple[TextEdit, ...]:
    """Return the edit that adds a page to a note; none if it has the page."""
    old = note.of(file.text).strip()
    new = _with_page(old, page)
    if old == new:
        return ()
    start = note.start + note.of(file.text).index(old)
    return (TextEdit(file.path, TextSpan(start, start + len(old)), new),)


def _with_page(note: str, page: str) -> str:
    return with_page(note, page, space=" ", dash="-")
