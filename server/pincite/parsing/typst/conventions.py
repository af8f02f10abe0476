"""How a draft in Typst cites, and the edits of its citations.

A citation is ``@key`` or, in a draft that has more of these, ``#cite(<key>)``. After a word such as
“by”, the work is named in the sentence: ``#cite(<key>, form: "prose")``.
"""

from __future__ import annotations

import re
from typing import Final

from ...model.drafts import Citation, CitationKey, Draft, DraftFile
from ...model.edits import TextEdit
from ...model.spans import TextSpan
from ..conventions import Usage, is_named_after, page_added, usage_in, with_plain_page
from . import tokens
from .functions import CITE, REFER
from .syntax import in_call, written

_REFERENCE: Final = "@"
#: What cites any key in the same way; what other functions take is known from their calls only.
_ANY_KEY: Final = (_REFERENCE, CITE, REFER)
_SUPPLEMENT: Final = re.compile(
    r"supplement\s*:\s*\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]", re.DOTALL
)
_ONLY_KEY: Final = re.compile(r'(#[\w.-]+\()(?:<[^<>\s]*>|(")[^"]*")\)')


class TypstConventions(Usage):
    """How a draft in Typst cites."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, in the sentence or beside it."""
        if is_named_after(before):
            return f'#cite({in_call(key)}, form: "prose")'
        return _written(key, self.command)

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edit that adds a key beside a citation, behind the key at `offset`."""
        start, end = citation.span.start, citation.span.end
        in_code = file.text[start : start + 1] != "#" or file.text[end : end + 1] == "["
        if citation.command != _REFERENCE and in_code:
            return ()  # nothing can stand beside it there, or before its content
        for listed in citation.key_lists[:-1] if citation.command == _REFERENCE else ():
            if listed.span.covers(offset):
                end = _end_of_item(file.text, listed.span.end)
        new = f" {_like(file.text, citation, key)}"
        return (TextEdit(file.path, TextSpan(end, end), new),)

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page behind a key: ``@key[p. 3]``, or as a supplement."""
        text, end = file.text, key.span.end
        if citation.command != _REFERENCE:
            return self._pinned_in_call(file, citation, page)
        if text[end : end + 1] != "[":
            return (TextEdit(file.path, TextSpan(end, end), f"[{with_plain_page('', page)}]"),)
        return page_added(file, TextSpan(end + 1, _end_of_item(text, end) - 1), page)

    def _pinned_in_call(
        self, file: DraftFile, citation: Citation, page: str
    ) -> tuple[TextEdit, ...]:
        text, closing = file.text, citation.span.end - 1
        found = _SUPPLEMENT.search(text, citation.span.start, closing)
        if found is not None:
            return page_added(file, TextSpan(*found.span(1)), page)
        is_computed = "supplement" in citation.span.of(text)
        if is_computed or len(citation.keys) != 1 or citation.command not in _ANY_KEY:
            return ()
        end = citation.key_lists[-1].span.end
        end += len(text[end:closing]) - len(text[end:closing].lstrip('>")'))
        new = f", supplement: [{with_plain_page('', page)}]"
        return (TextEdit(file.path, TextSpan(end, end), new),)


def typst_conventions(*drafts: Draft) -> TypstConventions:
    """Return how drafts cite."""
    return TypstConventions(*usage_in(drafts, _command, _REFERENCE, "~"))


def _command(text: str, citation: Citation) -> str | None:
    is_prose = '"prose"' in citation.span.of(text)
    return None if is_prose or citation.command not in _ANY_KEY else citation.command


def _like(text: str, citation: Citation, key: str) -> str:
    """Return a citation of a key like another one, if that is a call with only a key."""
    if citation.command in _ANY_KEY:
        return _written(key, citation.command)
    found = _ONLY_KEY.fullmatch(citation.span.of(text))
    if found is None:
        return written(key)
    return f"{found[1]}{in_call(key)})" if found[2] is None else f'{found[1]}"{key}")'


def _written(key: str, command: str) -> str:
    if command == _REFERENCE:
        return written(key)
    return f"#{command}({in_call(key)})"


def _end_of_item(text: str, end: int) -> int:
    """Return the end of a reference with its supplement, if its name ends at `end`."""
    found = tokens.SUPPLEMENT.match(text, end)
    return end if found is None else found.end()
