"""What a position in a document means: which citation, which key."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model.spans import TextSpan

if TYPE_CHECKING:
    from ..model.drafts import Citation, CitationKey, CitationPlaceholder, KeyList, TexFile

_HALF_LITERAL = re.compile(
    r"\\[A-Za-z]*cite[A-Za-z]*\*?[ \t]*(<[ \t]*([^\s<>{}\[\]\\,%]*))\Z", re.IGNORECASE
)
_REST_OF_LITERAL = re.compile(r"([^\s<>{}\[\]\\,%]*[ \t]*>)([ \t]*[\[{])?")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")
_REST_OF_KEY = re.compile(r"[^\s,{}%\\]*")
_INDENT = re.compile(r"[ \t]*")
#: In characters of the source.
_LONGEST_SENTENCE = 5_000


@dataclass(frozen=True, slots=True)
class KeySlot:
    r"""Where a key is being typed; a completion replaces `start` to `end`, which are in one line.

    `prefix` is the text from `start` to the cursor, `search` the part of it to search for; `taken`
    are the other keys of the command. A `literal` slot is the ``<>`` of ``\cite<>``, which a
    completion turns into ``{key}``.
    """

    place: int
    start: int
    end: int
    prefix: str
    search: str = ""
    taken: frozenset[str] = frozenset()
    literal: bool = False


def key_slot_at(
    file: TexFile, offset: int, known: Callable[[str], bool] = lambda _key: False
) -> KeySlot | None:
    """Return the place for a key at `offset`, or None where a key is not possible.

    `known` says whether the bibliography has a key.
    """
    line_start = 1 + max(file.text.rfind("\n", 0, offset), file.text.rfind("\r", 0, offset))
    for citation in reversed(file.citations_near(offset)):
        if not citation.span.covers(offset):
            continue
        for key_list in citation.key_lists:
            if key_list.span.covers(offset):
                # Only inside the list: a URL before it may contain a % too.
                if _COMMENT.search(file.text, max(line_start, key_list.span.start), offset):
                    return None
                return _slot(file.text, citation, key_list, offset, line_start, known)
    for gap in file.placeholders_near(offset):
        if gap.citation is None and gap.span.covers(offset):
            start = file.text.find("<", gap.span.start, gap.span.end)
            if 0 <= start < offset:
                prefix = file.text[start:offset]
                return KeySlot(gap.span.start, start, gap.span.end, prefix, literal=True)
    return _literal_slot(file.text, offset, line_start)


def _literal_slot(text: str, offset: int, line_start: int) -> KeySlot | None:
    r"""Return the place for a key in a ``\cite<``, closed or not."""
    before = text[line_start:offset]
    half = _HALF_LITERAL.search(before)
    if half is None or _COMMENT.search(before):
        return None
    rest = _REST_OF_LITERAL.match(text, offset)
    if rest is not None and rest[2]:
        return None  # the overlay of a slide, in front of the keys
    start, end = line_start + half.start(1), rest.end(1) if rest else offset
    return KeySlot(line_start + half.start(), start, end, half[1], half[2], literal=True)


def _slot(
    text: str,
    citation: Citation,
    key_list: KeyList,
    offset: int,
    line_start: int,
    known: Callable[[str], bool],
) -> KeySlot:
    from ..parsing.latex.parse import is_gap

    place = citation.span.start
    current = next((key for key in key_list.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    if current is None:
        return KeySlot(place, offset, offset, "", "", others)
    # Editors ignore an edit of several lines; a key spans several if a comma is still missing.
    start = current.span.start
    if start < line_start:
        indent = _INDENT.match(text, line_start, offset)
        start = indent.end() if indent else line_start
    prefix = text[start:offset]
    gap = is_gap(current.key)
    if not prefix and not gap:
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        return KeySlot(place, offset, offset, "", "", others | {current.key})
    end = _end_of_key(text, key_list, current, offset, known)
    return KeySlot(place, start, end, prefix, "" if gap else prefix, others)


def _end_of_key(
    text: str,
    key_list: KeyList,
    current: CitationKey,
    offset: int,
    known: Callable[[str], bool],
) -> int:
    """Return the end of the text to replace, which includes the rest of the key at the cursor.

    Text after the cursor is kept if it may not belong to this key: in an unclosed list, after a
    space, and if it is a key by itself, in front of which a new one is typed.
    """
    rest = _REST_OF_KEY.match(text, offset, current.span.end)
    if not key_list.closed or rest is None or known(rest.group()):
        return offset
    return rest.end()


@dataclass(frozen=True, slots=True)
class Place:
    """A place to cite: a citation with its `keys`, a placeholder (or both), or only the cursor.

    A key that is only a placeholder is not among the `keys`.
    """

    span: TextSpan
    citation: Citation | None = None
    keys: tuple[CitationKey, ...] = ()
    placeholder: CitationPlaceholder | None = None

    def key_at(self, offset: int) -> CitationKey | None:
        """Return the key at an offset."""
        return next((key for key in self.keys if key.span.covers(offset)), None)


def place_at(file: TexFile, offset: int) -> Place:
    """Return the citation or placeholder at `offset`, else an empty place."""
    from ..parsing.latex.parse import is_gap

    gaps = file.placeholders_near(offset)
    for citation in reversed(file.citations_near(offset)):
        if citation.span.covers(offset) and not citation.listed_only:
            keys = tuple(key for key in citation.keys if not is_gap(key.key))
            gap = next((gap for gap in gaps if gap.citation == citation), None)
            return Place(citation.span, citation, keys, gap)
    for gap in gaps:
        if gap.span.covers(offset):
            return Place(gap.span, placeholder=gap)
    return Place(TextSpan(offset, offset))


def places_around(file: TexFile, offset: int) -> tuple[Place, ...]:
    """Return the citation or placeholder at `offset`; elsewhere, all those of the sentence there.

    They come in reading order; a sentence without any has none.
    """
    from ..contexts.citance import sentence_at

    here = place_at(file, offset)
    if here.citation is not None or here.placeholder is not None:
        return (here,)
    prose = file.prose
    sentence = sentence_at(prose.text, prose.offset_at(offset))
    if sentence is None or offset < prose.source_offset(sentence[0]):
        return ()  # in a preamble, say
    citations, gaps = file.citations_near(offset), file.placeholders_near(offset)
    cited = (citation.span.start for citation in citations if not citation.listed_only)
    empty = (gap.span.start for gap in gaps if gap.citation is None)
    starts = sorted(
        start
        for start in (*cited, *empty)
        if abs(start - offset) < _LONGEST_SENTENCE
        and sentence_at(prose.text, prose.offset_at(start)) == sentence
    )
    return tuple(place_at(file, start) for start in starts)
