"""What a position in a document means: which citation, which key."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..model.drafts import Citation, TexFile

_LITERAL = re.compile(r"<[ \t]*>?")


@dataclass(frozen=True, slots=True)
class KeySlot:
    r"""Where a key is being typed: `start` to `end` is what a completion replaces.

    `prefix` is what was typed before the cursor; `taken` are the other keys of the command. A
    `literal` slot is the ``<>`` of ``\cite<>``, which a completion turns into ``{key}``.
    """

    place: int
    start: int
    end: int
    prefix: str
    taken: frozenset[str] = frozenset()
    literal: bool = False


def key_slot_at(file: TexFile, offset: int) -> KeySlot | None:
    """Return the place for a key at `offset`, or None where no key can stand."""
    for citation in reversed(file.citations):
        if not citation.span.covers(offset):
            continue
        for key_list in citation.key_lists:
            if not key_list.span.covers(offset):
                continue
            current = next((k for k in key_list.keys if k.span.covers(offset)), None)
            taken = frozenset(key.key for key in citation.keys if key is not current)
            if current is None:
                return KeySlot(citation.span.start, offset, offset, "", taken)
            end = current.span.end if key_list.closed else offset
            prefix = file.text[current.span.start : offset]
            return KeySlot(citation.span.start, current.span.start, end, prefix, taken)
    for gap in file.placeholders:
        if gap.citation is None and gap.span.covers(offset):
            start = file.text.find("<", gap.span.start, gap.span.end)
            if 0 <= start < offset:
                return KeySlot(gap.span.start, start, gap.span.end, "<", literal=True)
    return None


def key_at(file: TexFile, offset: int) -> tuple[Citation, str, int, int] | None:
    """Return the citation and key at `offset`, with the key's start and end."""
    for citation in reversed(file.citations):
        for key in citation.keys:
            if key.span.covers(offset):
                return citation, key.key, key.span.start, key.span.end
    return None
