"""Accents that LaTeX writes as macros."""

from __future__ import annotations

import unicodedata
from typing import Final

#: Accent macro, without its backslash, to the combining character it puts on the next letter.
ACCENTS: Final[dict[str, str]] = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    '"': "\u0308",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "t": "\u0361",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "k": "\u0328",
    "r": "\u030a",
    "h": "\u0309",
    "G": "\u030f",
    "U": "\u030d",
    "f": "\u0311",
    "textcommabelow": "\u0326",
    # MathSciNet's
    "ocirc": "\u030a",
    "polhk": "\u0328",
    "soft": "\u030c",
    "udot": "\u0323",
    "lfhook": "\u0326",
    "uarc": "\u0311",
}

_DOTLESS: Final[dict[str, str]] = {"ı": "i", "ȷ": "j"}


def accented(base: str, accent: str) -> str:
    """Put the accent macro `accent` (a key of `ACCENTS`) on the first letter of `base`, in NFC.

    Dotless i and j become plain letters under an accent; a base that does not start with a letter
    is returned unchanged.
    """
    if not base or accent not in ACCENTS:
        return base
    first = _DOTLESS.get(base[0], base[0])
    if not first.isalpha():
        return base
    if accent == "." and first in "ij":
        return first + base[1:]
    # Existing marks on the letter stay before the new one.
    end = 1
    while end < len(base) and unicodedata.combining(base[end]):
        end += 1
    marked = unicodedata.normalize("NFC", first + base[1:end] + ACCENTS[accent])
    return marked + base[end:]
