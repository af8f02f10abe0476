"""Fold letters for comparison: lower case, without accents."""

from __future__ import annotations

import unicodedata
from typing import Final

_BASE_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ʹ": "",
        "ʺ": "",
    }
)


def folded(text: str) -> str:
    """Return a text in lower case without accents; ø, ł, ß and the like become plain."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold().translate(_BASE_LETTERS)
    # No combining characters are below U+0300.
    return "".join(
        sign for sign in decomposed if sign < "\u0300" or not unicodedata.combining(sign)
    )
