"""Where a key is typed and how it is written in Markdown, in text that may be half typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...model.drafts import Citation, CitationKey, DraftFile, KeyList, is_gap
from ...model.spans import TextSpan, line_start
from ..latex.commands import KNOWN_COMMANDS
from ..markup import KeySlot, KnowsKey
from .citations import written
from .dialect import Dialect
from .header import header_of
from .myst import is_myst
from .parse import read_region

#: An ``@`` without a key, or with one in braces that is not closed.
_TYPED = re.compile(r"-?@(?P<brace>\{)?(?P<key>(?(brace)[^\s{}]*))\Z")
_LOOK_BACK = 200
#: ``[@name]: https://…``, where a name in brackets is a link to somebody.
_NAMED_LINK = re.compile(r"^[ ]{0,3}\[@[^\]\r\n]+\]:[ \t]*\S", re.MULTILINE)


class MarkdownSyntax:
    """How Markdown cites."""

    def may_cite(self, text: str) -> bool:
        """Return whether a text may have a citation, or a bibliography."""
        return any(word in text for word in ("@", "cite", "Cite", "bibliography", "[citation"))

    def certain_citations(self, file: DraftFile) -> Iterator[Citation]:
        """Yield the citations in brackets, and the roles; none if links have such names."""
        if not ("]:" in file.text and _NAMED_LINK.search(file.text)):
            yield from file.citations_by(lambda command: command not in ("@", "nocite"))

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        """Return the place for a key at `offset`, or None where a key is not possible."""
        found = file.key_list_at(offset)
        return (
            _half_typed(file, offset) if found is None else _slot(file.text, *found, offset, known)
        )

    def can_cite_at(self, text: str, place: int) -> bool:
        """Return whether a citation can be inserted at a place of a file's prose."""
        start = line_start(text, place)
        line = text[start:place].lstrip(" \t>")
        if re.match(r"#{1,6}[ \t]", line):
            return False
        # Inside code or mathematics of this line.
        return text.count("`", start, place) % 2 == 0

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return the edit that replaces a key: after ``@`` it is in braces where it needs them."""
        before = text[max(0, span.start - 1) : span.start]
        return span, written(key) if before == "@" else key

    def shown(self, command: str) -> str:
        """Return a citation command as an author knows it; the header has ``nocite``, too."""
        in_latex = command.rstrip("*") in KNOWN_COMMANDS and command != "nocite"
        return f"\\{command}" if in_latex else command


def _slot(text: str, citation: Citation, listed: KeyList, offset: int, known: KnowsKey) -> KeySlot:
    """Return the place for a key in a citation; a role has several in one list."""
    current = next((key for key in listed.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    place = citation.span.start
    # In a role, and in a command of LaTeX, a key is written as it is.
    is_plain = text[citation.span.start] in "{\\"
    write: Callable[[str], str] = str if is_plain else _writing(text, offset, current)
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


def _half_typed(file: DraftFile, offset: int) -> KeySlot | None:
    """Return the place for the key after an ``@`` that does not cite anything yet."""
    text = file.text
    typed = _TYPED.search(text, max(0, offset - _LOOK_BACK), offset)
    if typed is None:
        return None
    braced = typed["brace"] is not None
    closing = "}" if braced and not text.startswith("}", offset) else ""
    if not _would_cite(file, offset, closing):
        return None  # in code, say
    start, key = typed.start("key"), typed["key"]
    write = (lambda each: f"{each}{closing}") if braced else written
    return KeySlot(typed.start(), start, offset, key, key, frozenset(), write)


def _would_cite(file: DraftFile, offset: int, closing: str) -> bool:
    """Return whether a letter typed at an offset would be one of a key."""
    number = file.region_at(offset)
    region, at = file.regions[number].text, offset - file.region_starts[number]
    typed = f"{region[:at]}x{closing}{region[at:]}"
    header = header_of(typed).end if number == 0 else 0
    if at < header:
        return True  # the header lists keys in ``nocite``
    read, _ = read_region(typed[header:], Dialect(myst=is_myst(file.text)))
    keys = (key for citation in read.citations for key in citation.keys)
    return any(key.span.covers(at + 1 - header) for key in keys)


def _writing(text: str, offset: int, current: CitationKey | None) -> Callable[[str], str]:
    start = offset if current is None else current.span.start
    return str if text[max(0, start - 1) : start] == "{" else written
