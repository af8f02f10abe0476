"""Find places in the text of a bibliography: an entry, its fields, the keys it names.

Only the entries around a cursor are read: that takes the same time in a file of ten entries and of
fifty thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ...model.drafts import CitationKey
from ...model.spans import TextSpan
from .entry import BRACES, HEAD, NO_ENTRIES, begins_entry, closing_brace
from .statements import HIDDEN, read_statements, without_comments

#: The fields whose values are keys of entries; `ids` has aliases of the entry itself.
NAMING_FIELDS: Final = frozenset(("crossref", "xref", "xdata", "related", "entryset", "ids"))
_NAMED_KEY: Final = re.compile(r'[^\s,{}"#](?:[^,{}"#]*[^\s,{}"#])?')


class FieldPlace(NamedTuple):
    """One field of an entry: `value` is its value as written, `content` without the delimiters.

    `content` is None if the value is concatenated with ``#``. `text` is that of a value in JSON or
    YAML.
    """

    name: str
    value: TextSpan
    content: TextSpan | None
    text: str = ""


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
                    yield field.name, CitationKey(match[0], TextSpan(*match.span()))


def entry_at(text: str, offset: int, *, comments: bool = True) -> EntryPlace | None:
    """Return the entry around `offset`, with its `NAMING_FIELDS`; see `entry_places`."""
    visible = without_comments(text) if comments else text
    if comments and visible.startswith(HIDDEN, offset):
        return None

    def begins(at: int) -> bool:
        head = HEAD.match(visible, at)
        return head is not None and begins_entry(visible, head)

    start = visible.rfind("@", 0, offset + 1)
    while start > 0 and not begins(start):
        start = visible.rfind("@", 0, start)
    end = visible.find("@", offset + 1)
    while end >= 0 and not begins(end):
        end = visible.find("@", end + 1)
    start, end = max(start, 0), len(text) if end < 0 else end
    around = entry_places(text[start:end], NAMING_FIELDS.__contains__, start, comments=comments)
    return next((entry for entry in around if entry.span.covers(offset)), None)


def entry_places(
    text: str, wanted: Callable[[str], bool], begin: int = 0, *, comments: bool = True
) -> Iterator[EntryPlace]:
    """Yield the entries of a text in order, which begins at an offset of its file.

    `wanted` indicates whether the place of a field is requested, by its name in lower case. With
    `comments`, entries that are commented out are left out: see `Program`.
    """
    before, statements, _ = read_statements(text, {}, comments=comments)
    at = begin + len(before)
    for statement in statements:
        if statement.kind not in NO_ENTRIES:
            command = statement.command()
            fields = tuple(
                FieldPlace(name, TextSpan(start, end).moved(at), content and content.moved(at))
                for name, start, end in command.places
                if wanted(name)
                for content in [_content(statement.text, start, end)]
            )
            span = TextSpan(at, at + command.end)
            key_span = TextSpan(command.key_start, command.key_start + len(command.key)).moved(at)
            yield EntryPlace(statement.kind, statement.key, span, key_span, fields, command.fields)
        at += len(statement.text)


def _content(text: str, start: int, end: int) -> TextSpan | None:
    opening, written = text[start : start + 1], text[start:end]
    if opening == "{" and closing_brace(BRACES, text, start, end) == end:
        return TextSpan(start + 1, end - 1)
    if opening == '"':
        is_one = len(written) > 1 and written.endswith('"') and not re.search(r'"\s*#', written)
        return TextSpan(start + 1, end - 1) if is_one else None
    return TextSpan(start, end) if opening.isalnum() and "#" not in written else None
