"""The values of an entry's fields: as written, and as a reader sees them.

Only few of tens of thousands of entries are used, and few of their fields: an entry stores only its
text, which is parsed on access.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeVar, overload

from ...model.papers import NO_BREAK_SPACE
from ...text.controls import without_controls
from ...text.tags import without_tags
from ..latex.symbols import plain_text
from .macros import Macros
from .parts import decoded, fields_of

_VERBATIM: Final = frozenset(
    ("doi", "eprint", "file", "pdf", "url", "urlraw", "verba", "verbb", "verbc")
)
_NAMES: Final = frozenset(
    ("author", "editor", "translator", "bookauthor", "editora", "editorb", "editorc")
)

#: The separator of names in unusual case.
_AND: Final = re.compile(r" (?:A[Nn][Dd]|a(?:N[Dd]|nD)) ")
_NAME_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}]|[\s~]+|[^\\{}\s~]+", re.DOTALL)
# Stands for a space inside braces while a name is decoded; a noncharacter, so no text has it.
_BOUND: Final = "\ufdd0"

_ADDRESS_TILDE: Final = re.compile(
    r"\{?\\textasciitilde(?![A-Za-z])\s*(?:\{\})?\}?|\$\\sim\$|\\~(?:\{\})?"
)
_ADDRESS_ESCAPE: Final = re.compile(r"\{\\([_&%#$])\}|\\([_&%#$])")
_ADDRESS_MACRO: Final = re.compile(r"\\url\s*\{([^{}]*)\}\Z")

_Default = TypeVar("_Default")

#: Cache size: iterating over all entries uses several fields of each.
_READ_KEPT: Final = 1024
#: Cache size: neighbouring entries often appeared in the same volume, or year.
_READABLE_KEPT: Final = 256


@dataclass(slots=True)  # not frozen, as making it would take three times as long
class _Values:
    """The fields of an entry as written, and those of them that were decoded."""

    written: Mapping[str, str]
    decoded: dict[str, str] = field(default_factory=dict)

    def readable(self, name: str) -> str:
        value = self.decoded.get(name)
        if value is None:
            value = self.decoded[name] = _readable(name, self.written[name])
        return value


class Fields(Mapping[str, str]):
    """The fields of an entry, decoded on first access; can be pickled."""

    __slots__ = ("_known",)

    def __init__(self, written: Mapping[str, str]) -> None:
        self._known = _Values(written)

    def _values(self) -> _Values:
        return self._known

    def __getitem__(self, name: str) -> str:
        return self._values().readable(name)

    @overload
    def get(self, name: str, default: None = None, /) -> str | None: ...

    @overload
    def get(self, name: str, default: str | _Default, /) -> str | _Default: ...

    def get(self, name: str, default: object = None, /) -> object:
        """Return the value of a field, or `default` if there is none."""
        # `Mapping.get` raises and catches an error for each missing field, and most are missing.
        values = self._values()
        return values.readable(name) if name in values.written else default

    def __contains__(self, name: object) -> bool:
        return name in self._values().written

    def __iter__(self) -> Iterator[str]:
        return iter(self._values().written)

    def __len__(self) -> int:
        return len(self._values().written)

    def __repr__(self) -> str:
        return repr(dict(self))

    def as_written(self) -> Mapping[str, str]:
        """Return the values before decoding."""
        return self._values().written

    def written_like(self, other: Mapping[str, str]) -> bool:
        """Return whether other fields have the same values before decoding."""
        return self.as_written() == (other.as_written() if isinstance(other, Fields) else other)

    def __reduce__(self) -> tuple[type[Fields], tuple[Mapping[str, str]]]:
        return Fields, (self.as_written(),)


class UnreadFields(Fields):
    """The fields of an entry, stored as the result of `Part.written` and parsed on access."""

    __slots__ = ("_macros", "_written")

    def __init__(self, written: bytes, macros: Macros) -> None:
        self._written = written
        self._macros = macros

    @property
    def text(self) -> str:
        """The text of the entry, with the text after it up to the next one."""
        return decoded(self._written)

    def _values(self) -> _Values:
        return _values_of(self._written, self._macros)

    def written_like(self, other: Mapping[str, str]) -> bool:
        """Return whether other fields have the same values before decoding."""
        if isinstance(other, UnreadFields) and (self._written, self._macros) == (
            other._written,
            other._macros,
        ):
            return True
        return super().written_like(other)


@lru_cache(_READ_KEPT)
def _values_of(written: bytes, macros: Macros) -> _Values:
    return _Values(fields_of(written, macros.known))


@lru_cache(_READABLE_KEPT)
def _readable(name: str, raw: str) -> str:
    """Return the value of field `name` as a reader sees it, verbatim fields as written."""
    return without_controls(_value(name, raw))


def _value(name: str, raw: str) -> str:
    if name in _VERBATIM or name.startswith(("bdsk-", "local-url")):
        value = raw.strip()
        return _address(value) if name in ("doi", "url") else value
    if name in _NAMES:
        return _person_names(raw)
    return without_tags(plain_text(raw))


def _address(value: str) -> str:
    """Return a DOI or URL without LaTeX escapes."""
    if "\\" in value:
        value = _ADDRESS_MACRO.sub(r"\1", value)
        value = _ADDRESS_TILDE.sub("~", value)
        value = _ADDRESS_ESCAPE.sub(lambda sign: sign[1] or sign[2], value)
    if value.startswith("{") and value.endswith("}"):
        value = value.strip("{}")
    return value


def _person_names(raw: str) -> str:
    """Return names separated by `` and ``; spaces inside braces become no-break spaces.

    So a corporate name in braces stays one name and one word, whatever it contains.
    """
    if "{" in raw:
        depth = 0
        parts: list[str] = []
        for token in _NAME_TOKEN.findall(raw):
            if token == "{":
                depth += 1
            elif token == "}":
                depth = max(0, depth - 1)
            parts.append(_BOUND if depth and (token[0] == "~" or token.isspace()) else token)
        raw = "".join(parts)
    return _AND.sub(" and ", plain_text(raw)).replace(_BOUND, NO_BREAK_SPACE)
