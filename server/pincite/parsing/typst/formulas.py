"""Where a formula ends: strings, comments and embedded content may hide its sign."""

from __future__ import annotations

import re
from typing import Final

from . import tokens

#: A formula that hides no sign, and what may hide one.
_PLAIN: Final = re.compile(r"\$((?:[^$\\]|\\.)*)\$", re.DOTALL)
_HIDING: Final = re.compile(r"[\"#]|//|/\*")

_SKIPPED: Final = r"\\.|//[^\r\n]*"
_CODE: Final = rf"#(?:{tokens.IDENTIFIER.pattern})?"
_IN_CODE: Final = re.compile(rf"{_SKIPPED}|/\*|{tokens.STRING.pattern}|[$()\[\]{{}}]", re.DOTALL)
#: The signs that open and close something, by the sign of what they are in.
_SIGNS: Final = {
    "$": re.compile(rf"{_SKIPPED}|/\*|{tokens.STRING.pattern}|{_CODE}[\[({{]|\$", re.DOTALL),
    "[": re.compile(rf"{_SKIPPED}|/\*|{_CODE}[({{]|[$\[\]]", re.DOTALL),
    "(": _IN_CODE,
    "{": _IN_CODE,
}
_CLOSING: Final = {"$": "$", "[": "]", "(": ")", "{": "}"}
_MAX_SIGNS: Final = 400
_MAX_DEPTH: Final = 20


def formula_end(text: str, start: int, most: int) -> int:
    """Return the end of the formula that begins at `start`, up to `most`; `start` if none is there.

    If what would hide a sign is not closed itself, the next sign ends the formula.
    """
    plain = _PLAIN.match(text, start, most)
    if plain is None:
        return start
    if _HIDING.search(plain[1]) is None:
        return plain.end()
    return _end_of_hiding(text, start, most) or plain.end()


def _end_of_hiding(text: str, start: int, most: int) -> int:
    """Return the end of a formula with code, strings or comments; 0 if it is not found."""
    opened, position = ["$"], start + 1
    for _ in range(_MAX_SIGNS):
        found = _SIGNS[opened[-1]].search(text, position, most)
        if found is None:
            return 0
        position, sign = found.end(), found.group()
        if sign == "/*":
            position = text.find("*/", position, most) + 2
            if position == 1:
                return 0
        elif sign == _CLOSING[opened[-1]]:
            opened.pop()
            if not opened:
                return position
            if opened[-1] in "$[" and text[position : position + 1] in ("(", "["):
                # Arguments of the same call.
                opened.append(text[position])
                position += 1
        elif sign[-1] in _CLOSING and sign[0] not in '\\/"':
            opened.append(sign[-1])
            if len(opened) > _MAX_DEPTH:
                return 0
    return 0
