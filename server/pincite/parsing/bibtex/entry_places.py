"""Find places in the text of a bibliography: an entry, its fields, the keys it names.

Only the requested entries are parsed, as by `bibtex`: finding the one at the cursor takes the same
time in a file of ten entries and of fifty thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ...model.drafts import CitationKey
from ...model.spans import TextSpan
from .comments import comment_end, hidden_in
from .entry import (
    BRACES,
    CLOSING,
    ENTRY_START,
    NAME,
    NO_ENTRIES,
    EntryReader,
    begins_entry,
    closing_brace,
)

#: The fields whose values are keys of entries; `ids` has aliases of the entry itself.
NAMING_FIELDS: Final = frozenset(("crossref", "xref", "xdata", "related", "entryset", "ids"))
_BEFORE_VALUE: Final = re.compile(rf"[\s,]*{NAME}\s*=?\s*")
_NAMED_KEY: Final = re.compile(r'[^\s,{}"#](?:[^,{}"#]*[^\s,{}"#])?')


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """One field of an entry: `value` is its value with the delimiters, as written.

    `content` is the text between them, None if the value is concatenated with ``#``.
    """

    name: str
    value: TextSpan
    content: TextSpan | None


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """One entry, even if it is ignored because its key is already used.

    `fields` are the requested ones, `written` the values of all fields before decoding, with
    `@string` macros as names.
    """

    entry_type: str
    key: str
    span: TextSpan
    key_span: TextSpan
    fields: tuple[FieldPlace, ...]
    written: Mapping[str, str]

    def named_keys(self, text: str) -> Iterator[tuple[str, CitationKey]]:
        """Yield the keys in the values of `NAMING_FIELDS`, each with the name of its field."""
        for field in self.fields:
            if field.name in NAMING_FIELDS:
                for match in _NAMED_KEY.finditer(text, field.value.start, field.value.end):
                    yield field.name, CitationKey(match.group(), TextSpan(*match.span()))


def entry_at(text: str, offset: int, *, comments: bool = True) -> EntryPlace | None:
    """Return the entry around `offset`, with its `NAMING_FIELDS`; see `entry_places`."""
    if hidden_in(text, comments=comments).covers(offset):
        return None
    start = text.rfind("@", 0, offset + 1)
    while start > 0:
        match = ENTRY_START.match(text, start)
        if match is not None and begins_entry(text, match):
            break
        start = text.rfind("@", 0, start)
    wanted = NAMING_FIELDS.__contains__
    for entry in entry_places(text, wanted, max(start, 0), comments=comments):
        if entry.span.covers(offset):
            return entry
        if entry.span.start > offset:
            break
    return None


def entry_places(
    text: str, wanted: Callable[[str], bool], start: int = 0, *, comments: bool = True
) -> Iterator[EntryPlace]:
    """Yield the entries of a text in order, from `start`, which must not be inside an entry.

    `wanted` says whether the place of a field is requested, by its name in lower case. With
    `comments`, entries that are commented out are left out: see `Program`.
    """
    position = start
    hidden = hidden_in(text, comments=comments)
    waiting: list[re.Match[str]] = []
    for match in chain(ENTRY_START.finditer(text, start), (None,)):
        if match is not None and hidden.covers(match.start()):
            continue
        if match is None or begins_entry(text, match):
            # Now that its limit is known, the previous command can be parsed.
            limit = len(text) if match is None else match.start()
            for begun in waiting:
                at = begun.start()
                if at < position:
                    continue
                end = comment_end(text, position, at) if comments else None
                end = hidden.end(at) if end is None else end
                if end is not None:
                    position = end
                else:
                    position, entry = _read(text, begun, limit, wanted)
                    if entry is not None:
                        yield entry
            waiting.clear()
        if match is not None:
            waiting.append(match)


def _read(
    text: str, start: re.Match[str], limit: int, wanted: Callable[[str], bool]
) -> tuple[int, EntryPlace | None]:
    """Parse the command at `start`; return where to continue, and the entry if it is one."""
    kind = start[1].lower()
    if kind == "comment":
        return start.end(), None
    body = _PlacingReader(text, limit, CLOSING[start[2]], wanted)
    found = body.command(start)
    if kind in NO_ENTRIES:
        return found.end, None
    span = TextSpan(found.start, found.end)
    key_span = TextSpan(found.key_start, found.key_start + len(found.key))
    place = EntryPlace(kind, found.key, span, key_span, tuple(body.places), body.fields)
    return found.end, place


class _PlacingReader(EntryReader):
    """Parses an entry and records the places of the requested fields."""

    __slots__ = ("places", "wanted")

    def __init__(self, text: str, limit: int, closing: str, wanted: Callable[[str], bool]) -> None:
        super().__init__(text, limit, closing, {})
        self.places: list[FieldPlace] = []
        self.wanted = wanted

    def keep(self, name: str, value: str, position: int) -> None:
        """Store a value under its name, and its place."""
        super().keep(name, value, position)
        name = name.lower()
        if not self.wanted(name):
            return
        start = self.skip(_BEFORE_VALUE, position)
        # By another reader: what is wrong with a value is counted once.
        _, end = EntryReader(self.text, self.limit, self.closing, {}).value(start, name)
        self.places.append(FieldPlace(name, TextSpan(start, end), self._content(start, end)))

    def _content(self, start: int, end: int) -> TextSpan | None:
        opening = self.text[start : start + 1]
        if opening == "{" and closing_brace(BRACES, self.text, start, end) == end:
            return TextSpan(start + 1, end - 1)
        written = self.text[start:end]
        if opening == '"' and written.endswith('"') and not re.search(r'"\s*#', written):
            return TextSpan(start + 1, end - 1)
        return TextSpan(start, end) if opening.isalnum() and "#" not in written else None
