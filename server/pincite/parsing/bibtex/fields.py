"""The values of an entry's fields as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from sys import intern
from typing import Final

from ...model.papers import NO_BREAK_SPACE
from ...text.characters import without_controls
from ...text.tags import without_tags
from ..latex.symbols import plain_text

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


def decoded(written: Mapping[str, str]) -> dict[str, str]:
    """Return the values of fields as a reader sees them."""
    return {intern(name): _readable(name, value) for name, value in written.items()}


@lru_cache(256)  # neighbouring entries often appeared in the same volume, or year
def _readable(name: str, raw: str) -> str:
    if name in _NAMES:
        value = _person_names(raw)
    elif name in _VERBATIM or name.startswith(("bdsk-", "local-url")):
        value = raw.strip()
    else:
        value = without_tags(plain_text(raw))
    if name in ("doi", "url"):
        if "\\" in value:
            value = _ADDRESS_MACRO.sub(r"\1", value)
            value = _ADDRESS_TILDE.sub("~", value)
            value = _ADDRESS_ESCAPE.sub(lambda sign: sign[1] or sign[2], value)
        if value.startswith("{") and value.endswith("}"):
            value = value.strip("{}")
    return without_controls(value)


def _person_names(raw: str) -> str:
    """Return names separated by `` and ``; spaces inside braces become no-break spaces."""
    depth, parts = 0, list[str]()
    for token in _NAME_TOKEN.findall(raw) if "{" in raw else ():
        depth = max(0, depth + {"{": 1, "}": -1}.get(token, 0))
        parts.append(_BOUND if depth and (token[0] == "~" or token.isspace()) else token)
    raw = "".join(parts) or raw
    return _AND.sub(" and ", plain_text(raw)).replace(_BOUND, NO_BREAK_SPACE)
