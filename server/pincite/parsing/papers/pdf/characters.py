"""Correct characters of a PDF page by their positions: loose accents and raised numbers.

Both preserve the number of characters, so that offsets still match the boxes; removed characters
become a control character that counts as space and is removed with the others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_NOTHING = "\x85"
#: An accent set as a separate character (TeX's OT1 encoding), with the combining one.
ACCENTS = dict(
    zip(
        "´`¨ˆ˜¯˘˙˚˝ˇ¸",
        "\u0301\u0300\u0308\u0302\u0303\u0304\u0306\u0307\u030a\u030b\u030c\u0327",
        strict=True,
    )
)
_SKIPPED = frozenset([" ", _NOTHING, *ACCENTS])
_ACCENT = re.compile(f"[{''.join(ACCENTS)}]")
#: How many characters before an accent its letter may be; PDFium puts some after the line.
_REACH = 120
#: Letters nearer than this, in parts of their height, belong to one word.
_SAME_WORD = 0.12
#: Nearer than this, in widths of its first digit, a superscript belongs to what is before it.
_NO_SPACE = 0.5
#: Raised numbers become superscripts, which cannot be mistaken for part of a word or number; a
#: comma between them stays, a dash becomes the superscript minus: "shown before³,⁷⁻⁹".
RAISED = str.maketrans("0123456789-–−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻")
RAISABLE = frozenset("0123456789-–−,⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def with_accents(text: str, x0: Floats, x1: Floats, y0: Floats, y1: Floats) -> str:
    """Return the text of a page with each accent over a letter joined to it.

    The arrays bound the character boxes in points.
    """
    characters: list[str] | None = None
    for found in _ACCENT.finditer(text):
        at = found.start()
        middle, height = (x0[at] + x1[at]) / 2, max(y1[at] - y0[at], 1.0)
        first = max(0, at - _REACH)
        near = np.flatnonzero(
            (x0[first : at + 3] < middle)
            & (x1[first : at + 3] > middle)
            & (np.abs(y0[first : at + 3] - y0[at]) < 0.4 * height)
        )
        letters = [first + int(place) for place in near if text[first + int(place)].isalpha()]
        if not letters:
            continue
        letter = min(letters, key=lambda place: abs((x0[place] + x1[place]) / 2 - middle))
        characters = characters or list(text)
        base = characters[letter].replace("ı", "i")
        composed = unicodedata.normalize("NFC", base + ACCENTS[found[0]])
        characters[letter] = composed if len(composed) == 1 else base
        characters[at] = _NOTHING
        _close_gap(characters, at, x0, x1, height)
    return text if characters is None else "".join(characters)


def _close_gap(characters: list[str], at: int, x0: Floats, x1: Floats, height: float) -> None:
    """Remove spaces that PDFium put around an accent where there are none on the page."""
    left, right = at - 1, at + 1
    while left >= 0 and characters[left] in _SKIPPED:
        left -= 1
    while right < len(characters) and characters[right] in _SKIPPED:
        right += 1
    if (
        left >= 0
        and right < len(characters)
        and characters[left].isalpha()
        and characters[right].isalpha()
        and abs(x0[right] - x1[left]) < _SAME_WORD * height
    ):
        characters[left + 1 : right] = [
            _NOTHING if character == " " else character
            for character in characters[left + 1 : right]
        ]


def with_superscripts(
    text: str,
    raised: Iterable[int],
    is_above: Callable[[int, int], bool],
    x0: Floats,
    x1: Floats,
) -> str:
    """Return the text of a page with numbers as superscripts where its characters are raised.

    `raised` are the offsets, in order, of the characters whose boxes are smaller and higher than
    those of their line. As boxes differ between fonts, `is_above` says, from the type of two
    characters, whether the first is set smaller and higher. The arrays bound the boxes in points: a
    space before a superscript is removed if there is none on the page.
    """
    places = [place for place in raised if text[place] in RAISABLE]
    if not any(text[place].isdigit() for place in places):
        return text
    characters = list(text)
    gaps = np.flatnonzero(np.diff(places) > 1) + 1
    for run in (part.tolist() for part in np.split(places, gaps)):
        beside = _beside(text, run[0], run[-1])
        if (
            beside is not None
            and any(characters[place].isdigit() for place in run)
            and is_above(run[0], beside)
        ):
            for place in run:
                characters[place] = characters[place].translate(RAISED)
            width = x1[run[0]] - x0[run[0]]
            if beside == run[0] - 2 and x0[run[0]] - x1[beside] < _NO_SPACE * width:
                characters[run[0] - 1] = _NOTHING
    return "".join(characters)


def _beside(text: str, first: int, last: int) -> int | None:
    """Return the offset of the character before a run or, at the start of a line, after it."""
    before = first - 1
    while before >= 0 and text[before] == " ":
        before -= 1
    if before >= 0 and not text[before].isspace():
        return before
    behind = last + 1
    while text[behind : behind + 1] == " ":
        behind += 1
    return behind if text[behind : behind + 1].strip() else None
