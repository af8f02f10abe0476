r"""Superscripts and subscripts that are numbers, as characters of their own: 10⁸, H₂O, 10⁻³.

Words know raised digits from others, as in text of PDFs: "10⁸" is no 108.
"""

from __future__ import annotations

import re
from typing import Final

_SCRIPT: Final = re.compile(r"([\^_])[ \t]*(?:\{\s*([-+−]?[0-9]+)\s*\}|([0-9]))")
_ORDINAL: Final = re.compile(r"\^[ \t]*\{\s*(?:\\[a-z]+\s*\{?\s*)?(?:st|nd|rd|th)\s*\}")
_ARGUMENT: Final = re.compile(r"\s*\{\s*([-+−]?[0-9]+)\s*\}")
_SIGNS: Final = {
    "^": str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"),
    "_": str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
}
#: Commands that raise and lower their argument in text.
_COMMANDS: Final = {"textsuperscript": "^", "textsubscript": "_"}


def script_at(text: str, position: int) -> tuple[str, int] | None:
    """Return the raised or lowered number that ``^`` or ``_`` begins, and the offset behind it."""
    if (match := _SCRIPT.match(text, position)) is None:
        return None
    return (match[2] or match[3]).translate(_SIGNS[match[1]]), match.end()


def is_ordinal(text: str, position: int) -> bool:
    """Return whether a superscript is the end of an ordinal number, which it is one word with."""
    return _ORDINAL.match(text, position) is not None


def script_of(command: str, text: str, position: int) -> tuple[str, int] | None:
    r"""Return the number that a command raises or lowers, and the offset behind its argument.

    `position` is that behind the name of the command, such as ``\textsuperscript``.
    """
    sign = _COMMANDS.get(command)
    match = _ARGUMENT.match(text, position) if sign is not None else None
    if sign is None or match is None:
        return None
    return match[1].translate(_SIGNS[sign]), match.end()
