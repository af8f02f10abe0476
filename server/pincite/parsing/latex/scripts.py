r"""Superscripts and subscripts as Unicode characters: 10⁸, H₂O, 10⁻³, xⁿ.

Numbers and single letters, if such characters exist. Words distinguish raised digits from others,
as in text of PDFs: "10⁸" is not 108.
"""

from __future__ import annotations

import re
from typing import Final

from ...text.signs import LOWERED, OVERLINE, RAISED

_SCRIPTED: Final = r"[-+−]?[0-9]+|[A-Za-z]"
_SCRIPT: Final = re.compile(
    rf"([\^_])[ \t]*(?:\{{\s*({_SCRIPTED})\s*\}}|([0-9]|[A-Za-z](?![A-Za-z])))"
)
_ORDINAL: Final = re.compile(r"\^[ \t]*\{\s*(?:\\[a-z]+\s*\{?\s*)?(?:st|nd|rd|th)\s*\}")
_ARGUMENT: Final = re.compile(rf"\s*\{{\s*({_SCRIPTED})\s*\}}")
_SIGNS: Final = {"^": RAISED, "_": LOWERED}
_OVERLINED: Final = re.compile(r"\s*(?:\{\s*([A-Za-z0-9]{1,8})\s*\}|([A-Za-z](?![A-Za-z])))")
_OVERLINES: Final = ("overline", "bar")
#: Commands that raise and lower their argument in text.
_COMMANDS: Final = {"textsuperscript": "^", "textsubscript": "_"}


def script_at(text: str, position: int) -> tuple[str, int] | None:
    """Return the raised or lowered signs that ``^`` or ``_`` begins, and the offset after them."""
    match = _SCRIPT.match(text, position)
    return None if match is None else _scripted(match, match[1], match[2] or match[3])


def is_ordinal(text: str, position: int) -> bool:
    """Return whether a superscript ends an ordinal number, with which it forms one word."""
    return _ORDINAL.match(text, position) is not None


def script_of(command: str, text: str, position: int) -> tuple[str, int] | None:
    r"""Return the signs that a command raises or lowers, and the offset after its argument.

    `position` is the offset after the name of the command, such as ``\textsuperscript``.
    """
    sign = _COMMANDS.get(command)
    match = _ARGUMENT.match(text, position) if sign is not None else None
    if sign is None or match is None:
        return None
    return _scripted(match, sign, match[1])


def overlined(command: str, text: str, position: int) -> tuple[str, int] | None:
    """Return the overlined argument of a command, and the offset after it; see `script_of`."""
    match = _OVERLINED.match(text, position) if command in _OVERLINES else None
    if match is None:
        return None
    return "".join(letter + OVERLINE for letter in match[1] or match[2]), match.end()


def _scripted(match: re.Match[str], sign: str, written: str) -> tuple[str, int] | None:
    signs = _SIGNS[sign]
    if any(each not in signs for each in written):
        return None
    return "".join(map(signs.__getitem__, written)), match.end()
