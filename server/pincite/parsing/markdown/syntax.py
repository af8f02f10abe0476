"""Where a key is typed and how it is written in Markdown, in text that may be half typed."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...model.drafts import CITATION_MARK, Citation, CitationKey, KeyList, TexFile, is_gap
from ..markup import KeySlot, KnowsKey
from .citations import written

#: An ``@`` with what is typed of a key, up to the cursor; an address has a letter before the sign.
_TYPED = re.compile(r"(?<![^\W_])(?<!\.)(-?@(\{?))([^\s@{}\[\];,()\"'`|\\]*)\Z")
_REST_OF_KEY = re.compile(r"(?:\w|[:.#$%&\-+?<>~/](?=\w))*")
_ROLE_SIGN = "{"
_LOOK_BACK = 200


class MarkdownSyntax:
    """How Markdown cites."""

    bibliography_commands: tuple[str, ...] = ("“bibliography:” in the header",)
    placeholder = "[@]"

    def may_cite(self, text: str) -> bool:
        """Return whether a text may have a citation, or a bibliography."""
        return "@" in text or "{cite" in text or "bibliography" in text or "[citation" in text

    def key_slot(self, file: TexFile, offset: int, known: KnowsKey) -> KeySlot | None:
        """Return the place for a key at `offset`, or None where a key is not possible."""
        for citation in reversed(file.citations_near(offset)):
            if not citation.span.covers(offset):
                continue
            for listed in citation.key_lists:
                if listed.span.covers(offset):
                    return _slot(file.text, citation, listed, offset, known)
        return _half_typed(file, offset)

    def can_cite_at(self, text: str, place: int) -> bool:
        """Return whether a citation can be inserted at a place of a file's prose."""
        start = 1 + max(text.rfind("\n", 0, place), text.rfind("\r", 0, place))
        line = text[start:place].lstrip(" \t>")
        if re.match(r"#{1,6}[ \t]", line):
            return False
        # Inside code or mathematics of this line.
        return text.count("`", start, place) % 2 == 0

    def key_written(self, text: str, start: int, key: str) -> str:
        """Return a key as it is written after ``@``: in braces where it needs them."""
        before = text[max(0, start - 1) : start]
        return written(key) if before == "@" else key

    def shown(self, command: str) -> str:
        """Return a citation command as an author knows it."""
        return command


def _slot(text: str, citation: Citation, listed: KeyList, offset: int, known: KnowsKey) -> KeySlot:
    """Return the place for a key in a citation; a role has several in one list."""
    current = next((key for key in listed.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    place = citation.span.start
    write = _as_is if citation.command.startswith(_ROLE_SIGN) else _writing(text, offset, current)
    if current is None:
        return KeySlot(place, offset, offset, "", "", others, write)
    start, prefix, gap = current.span.start, text[current.span.start : offset], is_gap(current.key)
    if not prefix and not gap:
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        return KeySlot(place, offset, offset, "", "", others | {current.key}, write)
    end = current.span.end
    if known(text[offset:end]) or (known(prefix) and not listed.closed):
        end = offset
    return KeySlot(place, start, end, prefix, "" if gap else prefix, others, write)


def _half_typed(file: TexFile, offset: int) -> KeySlot | None:
    """Return the place for the key after an ``@`` that does not cite anything yet."""
    text = file.text
    begin = max(0, offset - _LOOK_BACK)
    typed = _TYPED.search(text, begin, offset)
    if typed is None:
        return None
    place = typed.start(1)
    at = typed.end(1) - 1 - len(typed[2])
    if not _is_said(file, at):
        return None  # in code, say
    # Of a key that has no first letter yet, there may be more behind the cursor.
    rest = _REST_OF_KEY.match(text, offset)
    end = rest.end() if rest and typed[3] else offset
    write = _closing if typed[2] and not text.startswith("}", end) else _as_is
    if not typed[2]:
        write = written
    start = typed.start(3)
    return KeySlot(place, start, end, text[start:offset], typed[3], frozenset(), write)


def _is_said(file: TexFile, offset: int) -> bool:
    """Return whether the character at an offset is in the prose, by itself or in a citation."""
    prose = file.prose
    said = prose.offset_at(offset)
    for near in (said, said - 1):
        if 0 <= near < len(prose.text) and prose.text[near] in ("@", CITATION_MARK):
            source = prose.source_offset(near)
            if source <= offset <= source + 1 + len(CITATION_MARK):
                return True
    return any(citation.span.covers(offset) for citation in file.citations_near(offset))


def _writing(text: str, offset: int, current: CitationKey | None) -> Callable[[str], str]:
    start = offset if current is None else current.span.start
    return _as_is if text[max(0, start - 1) : start] == "{" else written


def _as_is(key: str) -> str:
    return key


def _closing(key: str) -> str:
    return f"{key}}}"
