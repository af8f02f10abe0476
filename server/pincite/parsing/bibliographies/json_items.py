"""JSON → items with their places: Python's decoder reads one item after the other.

Files that are half written or edited by hand are normal: commas too many or too few, strings and
objects that are not closed. A broken item costs only itself, and its key and title still count.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import partial
from typing import Any, Final

from ...model.bibliographies import FieldPlace
from ...model.spans import TextSpan, line_start
from ..yaml import MAX_NESTED
from .items import LISTS, Complaint, Item, Items, Value

# Numbers remain as written: "12" may be a volume, and "1e400" is no float.
_DECODER: Final = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_SPACE: Final = re.compile(r"[\s\ufeff]*")
_TEXT: Final = r'"(?:[^"\\\r\n]|\\[^\r\n])*"?'
_TOKEN: Final = re.compile(rf"{_TEXT}|[{{}}\[\]:,]")
_OPENING: Final = {"}": "{", "]": "["}
_WORD: Final = re.compile(r'[^\s,:"{}\[\]]+')
_OTHER: Final = re.compile(rf"[\[\s]+|{_WORD.pattern}|{_TEXT}|.", re.DOTALL)
_LIST: Final = re.compile(rf'"(?:{"|".join(LISTS)})"\s*:\s*\[')
_MEMBER: Final = re.compile(rf'("(?:[^"\\\r\n]|\\[^\r\n])*")\s*:\s*({_TEXT}|[^\s,:"{{}}\[\]]+)')
#: What can be read of an item that is broken.
_OF_BROKEN: Final = ("id", "citation-key", "type", "title", "DOI", "URL", "container-title")
#: After this many broken items, each is cut off before it is decoded: one that is not closed would
#: be decoded with all items behind it.
_MAX_TRIED: Final = 20
_OPEN_TEXT: Final = "the string is not closed"
#: What is wrong, by how the decoder's message begins.
_MESSAGES: Final = {
    "Unterminated string": _OPEN_TEXT,
    "Invalid control character": _OPEN_TEXT,
    "Illegal trailing comma": "a comma too many",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name": "a name in quotes is expected",
    "Expecting value": "a value is missing",
}
_MAX_INDENT: Final = 1_000
#: Of a file that is something else, all of it would be complained about.
_MAX_COMPLAINTS: Final = 1_000


def read_json(text: str) -> Items:
    """Return the objects in the list that a text is or has."""
    start, reader = _skip(text, 0), _Reader(text)
    if text.startswith("[", start):
        return reader.list(start + 1)
    if text.startswith("{", start):
        found = _LIST.search(text, start)
        return reader.list(found.end()) if found else Items([reader.item(start)])
    return Items((), [("a list of entries is expected", start)] if start < len(text) else [])


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._broken = 0

    def list(self, at: int) -> Items:
        text, items, complaints = self._text, list[Item](), list[Complaint]()
        comma, closing = True, None
        while (at := _skip(text, at)) < len(text):
            if text[at] == "]":
                closing = at
                if comma and items:
                    complaints.append(("a comma too many", len(text[:at].rstrip()) - 1))
                break
            if text[at] == ",":
                if comma:
                    complaints.append(("a comma too many", at))
                comma, at = True, at + 1
            elif text[at] == "{":
                if not comma:
                    complaints.append(("a comma is missing before this entry", at))
                items.append(self.item(at))
                comma, at = False, items[-1].span.end
            else:
                complaints.append(("this is not an entry", at))
                decoded, comma = self._decoded(at), False
                if decoded is None:
                    self._broken += 1
                    at = _OTHER.match(text, at).end()  # type: ignore[union-attr]
                else:
                    at = decoded[1]
        else:
            complaints.append(("the list of entries is not closed", len(text)))
        return Items(items, complaints[:_MAX_COMPLAINTS], closing)

    def _decoded(self, start: int) -> tuple[Any, int] | None:
        """Return the value at an offset and its end, unless it is broken, or too many were."""
        if self._broken < _MAX_TRIED:
            with suppress(ValueError, RecursionError):
                return _DECODER.raw_decode(self._text, start)
        return None

    def item(self, start: int) -> Item:
        """Return the object that begins at an offset."""
        text, complaints = self._text, list[Complaint]()
        if (decoded := self._decoded(start)) is not None:
            value, end = _tidy(decoded[0]), decoded[1]
        else:
            end, unclosed = _end(text, start)
            written = text[start:end]
            try:
                value = _tidy(_DECODER.decode(written))
            except (RecursionError, json.JSONDecodeError) as error:
                self._broken += 1
                complaints.append(_complaint(written, start, unclosed, error))
                known: dict[str, Value] = {}
                for name, each in _MEMBER.findall(written):
                    known.setdefault(_plain(name), _plain(each))
                value = {name: each for name, each in known.items() if name in _OF_BROKEN}
        scalars = partial(_scalars, text, start, end, value)
        return Item(value, TextSpan(start, end), scalars, complaints)


def _scalars(text: str, start: int, end: int, value: Value) -> list[FieldPlace]:
    found: list[FieldPlace] = []
    for member in _MEMBER.finditer(text, start, end):
        name, written = _plain(member[1]), _plain(member[2])
        if isinstance(value, dict) and value.get(name) == written:
            span = TextSpan(*member.span(2))
            quotes = 1 if member[2].startswith('"') else 0
            content = TextSpan(span.start + quotes, span.end - quotes)
            found.append(FieldPlace(name, span, content, written))
    return found


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _tidy(value: Any, depth: int = 0) -> Value:  # noqa: ANN401 - what the decoder returns
    """Return a decoded value as text, lists and mappings only; cut where it is nested too deep."""
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, list)) and depth > MAX_NESTED:
        return ""
    if isinstance(value, dict):
        return {key: _tidy(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_tidy(each, depth + 1) for each in value]
    return "" if value is None else str(value).lower()


def _plain(written: str) -> str:
    """Return a text in quotes, a number or a word as `_tidy` does."""
    try:
        value = _tidy(_DECODER.decode(written))
    except ValueError:
        return written.strip('"')
    return value if isinstance(value, str) else ""


def _end(text: str, start: int) -> tuple[int, str]:
    """Return where a broken object ends, and what is not closed there."""
    # At the latest where the next begins: in a line as it does, or where none can stand in it.
    near = text[max(0, start - _MAX_INDENT) : start]
    before = near[line_start(near, len(near)) :]
    opened: list[str] = []
    last = ""
    for token in _TOKEN.finditer(text, start):
        sign, at = token[0], token.start()
        if sign == "{" and opened:
            line = at - len(before)
            is_next = not before.strip() and text.startswith(before, line)
            if (is_next and text[line - 1] in "\r\n") or (opened[-1] == "{" and last != ":"):
                break
        if sign in "{[":
            opened.append(sign)
        elif sign in "}]":
            if opened[-1] != _OPENING[sign]:
                break
            opened.pop()
            if not opened:
                return token.end(), ""
        last = sign
    else:
        at = len(text)
    return at, "the list is not closed" if opened[-1] == "[" else "not closed"


def _complaint(text: str, start: int, unclosed: str, error: Exception) -> Complaint:
    """Return what is wrong with a broken object that begins at an offset."""
    if not isinstance(error, json.JSONDecodeError):
        return "nested too deeply", start
    at, before = error.pos, text[: error.pos].rstrip()[-1:]
    found = (each for begin, each in _MESSAGES.items() if error.msg.startswith(begin))
    message = next(found, error.msg)
    if message == _OPEN_TEXT:
        return message, start + at
    if unclosed:
        return unclosed, start
    if before == "," and text[at : at + 1] in "}],":
        message = "a comma too many"
    elif message == _MESSAGES["Expecting value"] and (word := _WORD.match(text, at)):
        message = f"{word[0][:40]} is neither a quoted string nor a number"
    return message, start + at
