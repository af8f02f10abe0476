"""Where things stand in the text of a bibliography: an entry, its fields, the keys it names.

Only the entries that are asked for are read, as `bibtex` reads them: to find the one at the cursor
costs the same in a file of ten entries and of fifty thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ...model.drafts import CitationKey
from ...model.spans import TextSpan
from .entry import BRACES, ENTRY_START, NAME, EntryReader, begins_entry, closing_brace

#: The fields whose values are keys of entries; `ids` gives the entry further keys of its own.
NAMING_FIELDS: Final = frozenset(("crossref", "xref", "xdata", "related", "entryset", "ids"))
_BEFORE_VALUE: Final = re.compile(rf"[\s,]*{NAME}\s*=?\s*")
_NAMED_KEY: Final = re.compile(r'[^\s,{}"#](?:[^,{}"#]*[^\s,{}"#])?')


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """One field of an entry: `value` is its value with the delimiters, as written.

    `content` is what stands between them; None where the value is put together with ``#``.
    """

    name: str
    value: TextSpan
    content: TextSpan | None


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """One entry, also one that does not count because its key is used before.

    `fields` are those that were asked for, `written` the values of all before decoding, `@string`
    macros by their names.
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


def entry_at(text: str, offset: int) -> EntryPlace | None:
    """Return the entry around `offset`, with its `NAMING_FIELDS`."""
    start = text.rfind("@", 0, offset + 1)
    while start > 0:
        match = ENTRY_START.match(text, start)
        if match is not None and begins_entry(text, match):
            break
        start = text.rfind("@", 0, start)
    for entry in entry_places(text, NAMING_FIELDS.__contains__, max(start, 0)):
        if entry.span.covers(offset):
            return entry
        if entry.span.start > offset:
            break
    return None


def entry_places(text: str, wanted: Callable[[str], bool], start: int = 0) -> Iterator[EntryPlace]:
    """Yield the entries of a text in order, from `start`, which is no place inside an entry.

    `wanted` tells of the name of a field, in lower case, whether its place is.
    """
    position = start
    waiting: list[re.Match[str]] = []
    for match in chain(ENTRY_START.finditer(text, start), (None,)):
        if match is None or begins_entry(text, match):
            # What was begun before is read now that it is known where it has to end.
            limit = len(text) if match is None else match.start()
            for begun in waiting:
                if begun.start() >= position:
                    position, entry = _read(text, begun, limit, wanted)
                    if entry is not None:
                        yield entry
            waiting.clear()
        if match is not None:
            waiting.append(match)


def _read(
    text: str, start: re.Match[str], limit: int, wanted: Callable[[str], bool]
) -> tuple[int, EntryPlace | None]:
    """Read what the `@` of `start` begins; return where reading goes on, and an entry."""
    kind = start[1].lower()
    if kind == "comment":
        return start.end(), None
    body = _PlacingReader(text, limit, "}" if start[2] == "{" else ")", wanted)
    if kind == "preamble":
        return body.preamble(start.end()), None
    if kind == "string":
        return body.read(start.end()), None
    key, position = body.key(start.end(), start[2])
    end = body.read(position)
    key_start = text.find(key, start.end())
    key_span = TextSpan(key_start, key_start + len(key))
    span = TextSpan(start.start(), end)
    return end, EntryPlace(kind, key, span, key_span, tuple(body.places), body.fields)


class _PlacingReader(EntryReader):
    """An entry that notes where those of its fields stand that are wanted."""

    __slots__ = ("places", "wanted")

    def __init__(self, text: str, limit: int, closing: str, wanted: Callable[[str], bool]) -> None:
        super().__init__(text, limit, closing, {})
        self.places: list[FieldPlace] = []
        self.wanted = wanted

    def keep(self, name: str, value: str, position: int) -> None:
        """Keep a value under its name, and its place."""
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
