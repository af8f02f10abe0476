"""JSON → items with their places: at the decoder's speed where it is valid, else what can be read.

The grammar is that of RFC 8259. Files that are half written or edited by hand are normal: commas
too many or too few, strings and objects that are not closed. Each is reported, and the rest is
read.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, Final

from .csl import key_of
from .forms import Item
from .nodes import (
    LISTS,
    MOST_NESTED,
    Complaint,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Value,
    value_of,
)

# Numbers remain as written: "12" may be a volume, and "1e400" is no float.
_DECODER: Final = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_SPACE: Final = re.compile(r"[\s\ufeff]*")
_STRING: Final = re.compile(r'"((?:[^"\\\r\n]|\\[^\r\n])*)("?)')
_WORD: Final = re.compile(r'[^\s,:"{}\[\]]+')
_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|([^u]|u))"
)
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LINE_WITH_OBJECT: Final = re.compile(r"^([ \t]*)\{", re.MULTILINE)
_OPENED: Final = re.compile(r"[\[\s]*")
_MOST_IN_VAIN: Final = 8
#: Of a file that is something else, all of it would be complained about.
_MOST_COMPLAINTS: Final = 1_000
_NOTHING: Final = {"null": "", "true": "true", "false": "false"}


def decoded(text: str, start: int = 0) -> tuple[Value, int] | None:
    """Return the valid JSON value at an offset, and where it ends; None if it is not valid."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return value, end


def tidy(value: Any, depth: int = 0) -> Value:  # noqa: ANN401 - what the decoder returns
    """Return a decoded value as text, lists and mappings only; cut where it is nested too deep."""
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, list)) and depth > MOST_NESTED:
        return ""
    if isinstance(value, dict):
        return {key: tidy(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [tidy(each, depth + 1) for each in value]
    return "" if value is None else str(value).lower()


def parsed(text: str) -> tuple[Node | None, list[Complaint]]:
    """Return the value at the beginning of a text with places, and what is wrong with it."""
    reader = JsonReader(text)
    start = reader.skip(0)
    if start == len(text):
        return None, []
    node, _ = reader.value(start, len(text))
    return node, reader.complaints


class _Unlined(str):
    """A text in which the decoder does not look for the line of an error.

    It would look through all that is before, for each of the errors of a broken file.
    """

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return 0


class JsonItems:
    """The objects in the list of a JSON file, and what is wrong around them.

    `closing` is the offset of the list's closing bracket, None without a list.
    """

    def __init__(self, text: str) -> None:
        """Find the items of a text."""
        self._text = text
        #: What it complains about, in the items, is not told here.
        self._reader = JsonReader(text)
        self._unlined = _Unlined(text)
        #: How far the decoder may still read what then is not valid: in the brackets of a broken
        #: file, it would read much of it from each one.
        self._in_vain = _MOST_IN_VAIN * len(text)
        self.complaints: list[Complaint] = []
        self.items: list[Item] = []
        self.closing: int | None = None
        self._lines: dict[str, list[int]] | None = None
        start = self._reader.skip(0)
        if text.startswith("[", start):
            self._list(start + 1)
        elif text.startswith("{", start):
            self._object(start)
        elif start < len(text):
            self.complaints.append(("a list of entries is expected", start))
        del self.complaints[_MOST_COMPLAINTS:]

    def _decoded(self, start: int) -> tuple[Value, int] | None:
        """Return the valid value at an offset, and where it ends; None if it cannot be decoded."""
        if self._in_vain < 0:
            return None
        try:
            return _DECODER.raw_decode(self._unlined, start)
        except json.JSONDecodeError as error:
            self._in_vain -= error.pos - start
        except RecursionError:
            self._in_vain -= len(self._text) - start
        return None

    def _object(self, start: int) -> None:
        """Read the list in an object, or the object as the only item."""
        text, reader = self._text, self._reader
        at = start + 1
        while text.startswith('"', at := reader.skip(at)):
            name, at = reader.string(at)
            at = reader.skip(at)
            if not text.startswith(":", at):
                break
            at = reader.skip(at + 1)
            if name.value in LISTS and text.startswith("[", at):
                self._list(at + 1)
                return
            found = self._decoded(at)
            at = reader.skip(found[1] if found else reader.value(at, len(text))[1])
            if not text.startswith(",", at):
                break
            at += 1
        self._item(start)

    def _list(self, at: int) -> None:
        text, reader = self._text, self._reader
        comma = True
        while True:
            at = reader.skip(at)
            if at >= len(text):
                self.complaints.append(("the list of entries is not closed", len(text)))
                return
            sign = text[at]
            if sign == "]":
                if comma and self.items:
                    before = len(text[:at].rstrip()) - 1
                    self.complaints.append(("a comma too many", before))
                self.closing = at
                return
            if sign == ",":
                if comma:
                    self.complaints.append(("a comma too many", at))
                comma, at = True, at + 1
            elif sign == "{":
                if not comma:
                    self.complaints.append(("a comma is missing before this entry", at))
                comma, at = False, self._item(at)
            else:
                self.complaints.append(("this is no entry", at))
                found = self._decoded(at)
                if found is None:
                    # Of lists in lists, none of them closed, one is complained about.
                    found = "", max(reader.value(at, at + 1)[1], _opened(text, at + 1))
                comma, at = False, found[1]

    def _item(self, start: int) -> int:
        found = self._decoded(start)
        if found is None:
            node, end = self._reader.value(start, self._next_alike(start))
            found = value_of(node), end
        value, end = found
        self.items.append(Item(start, end, key_of(value)))
        return end

    def _next_alike(self, start: int) -> int:
        """Return where a later line begins an object as the line at `start` does, else the end.

        There the next item begins, even if this one is not closed.
        """
        if self._lines is None:
            self._lines = {}
            for match in _LINE_WITH_OBJECT.finditer(self._text):
                self._lines.setdefault(match[1], []).append(match.end() - 1)
        line = self._text.rfind("\n", 0, start) + 1
        alike = self._lines.get(self._text[line:start], ()) if start - line < 1000 else ()
        at = bisect_right(alike, start)
        return alike[at] if at < len(alike) else len(self._text)


class JsonReader:
    """Reads values with their places, and goes on after errors."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.complaints: list[Complaint] = []

    def skip(self, at: int) -> int:
        """Return the offset after white space."""
        return _SPACE.match(self.text, at).end()  # type: ignore[union-attr]

    def value(self, at: int, limit: int, depth: int = 0) -> tuple[Node, int]:
        """Return the value at an offset and where it ends: at the latest at `limit`."""
        sign = self.text[at : at + 1] if at < limit else ""
        if sign == '"':
            return self.string(at)
        if sign in ("{", "["):
            if depth > MOST_NESTED:
                self.complaints.append(("nested too deeply", at))
                return Scalar("", at, limit, (at, at)), limit
            node = Mapping(at, limit) if sign == "{" else Sequence(at, limit)
            return self._collection(node, limit, depth + 1)
        word = _WORD.match(self.text, at, limit)
        if word is None:
            self.complaints.append(("a value is missing", at))
            return Scalar("", at, at, (at, at)), at
        text = _NOTHING.get(word[0], word[0])
        if word[0] not in _NOTHING and decoded(word[0]) is None:
            self.complaints.append((f"{word[0][:40]} is neither a text in quotes nor a number", at))
        return Scalar(text, at, word.end(), word.span()), word.end()

    def string(self, at: int) -> tuple[Scalar, int]:
        """Return the text in quotes at an offset; one that is not closed ends with its line."""
        found = _STRING.match(self.text, at)
        if found is None:
            raise ValueError("a string begins with a quote")
        start, end = found.span(1)
        if not found[2]:
            self.complaints.append(("the text is not closed", at))
            end = start + len(found[1].rstrip().removesuffix(","))
            return Scalar(_unescaped(self.text[start:end]), at, end, (start, end)), end
        return Scalar(_unescaped(found[1]), at, found.end(), (start, end)), found.end()

    def _collection(
        self, node: Mapping | Sequence, limit: int, depth: int
    ) -> tuple[Mapping | Sequence, int]:
        """Read the members of an object or a list into its node; return where it ends, too."""
        is_object = isinstance(node, Mapping)
        members: list[Any] = node.pairs if isinstance(node, Mapping) else node.items
        read = self._pair if is_object else self.value
        closing, unexpected = ("}", "{[]") if is_object else ("]", "}:")
        at, comma = node.start + 1, True
        while True:
            at = min(self.skip(at), limit)
            sign = self.text[at] if at < limit else ""
            if sign == ",":
                if comma:
                    self.complaints.append(("a comma too many", at))
                comma, at = True, at + 1
            elif sign == closing:
                if comma and members:
                    self.complaints.append(("a comma too many", at))
                node.end = at + 1
                return node, at + 1
            elif sign in unexpected:  # or the end, an empty string
                said = "not closed" if is_object else "the list is not closed"
                self.complaints.append((said, node.start))
                node.end = at
                return node, at
            elif is_object and sign != '"':
                word = _WORD.match(self.text, at, limit)
                self.complaints.append(("a name in quotes is expected", at))
                at = word.end() if word else at + 1
            else:
                if not comma:
                    self.complaints.append(("a comma is missing", at))
                member, at = read(at, limit, depth)
                members.append(member)
                comma = False

    def _pair(self, at: int, limit: int, depth: int) -> tuple[tuple[Scalar, Node], int]:
        """Return the name in quotes at an offset with its value, and where that ends."""
        key, at = self.string(at)
        at = min(self.skip(at), limit)
        if self.text.startswith(":", at) and at < limit:
            at = min(self.skip(at + 1), limit)
        else:
            self.complaints.append((f"a colon is missing after {key.value[:40]}", at))
        value, at = self.value(at, limit, depth)
        return (key, value), at


def _opened(text: str, at: int) -> int:
    """Return the offset after the lists that are opened at an offset."""
    found = _OPENED.match(text, at)
    return found.end() if found and text.startswith("[", at - 1) else at


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _meant(found: re.Match[str]) -> str:
    high, low, code, sign = found.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    return chr(int(code, 16)) if code else _ESCAPES.get(sign, sign)
