"""Correct characters of a PDF page by their positions: loose accents and raised numbers.

Both preserve the number of characters, so that offsets still match the boxes; removed characters
become a control character that counts as space and is removed with the others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import regex

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
_ACCENT = re.compile(f"[{''.join(ACCENTS)}]")
_SKIPPED = frozenset([" ", _NOTHING, *ACCENTS])
#: How many characters before an accent its letter may be; PDFium puts some after the line.
_REACH = 120
#: Letters nearer than this, in parts of their height, belong to one word.
_SAME_WORD = 0.12
#: Nearer than this, in widths of its first digit, a superscript belongs to what is before it.
_NO_SPACE = 0.5
#: The characters before and behind a superscript, spaces aside.
_INK_BEFORE = regex.compile(r"(?r)[^\s\x1c-\x1f] *")
_INK_BEHIND = regex.compile(r" *[^\s\x1c-\x1f]")
#: Raised numbers become superscripts, which cannot be mistaken for part of a word or number; a
#: comma between them stays, a dash becomes the superscript minus: "shown before³,⁷⁻⁹".
RAISED = str.maketrans("0123456789-–−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻")
RAISABLE = frozenset("0123456789-–−,⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Boxes(NamedTuple):
    """The edges of the characters of a page, in points."""

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats


def with_accents(text: str, boxes: Boxes) -> str:
    """Return the text of a page with each accent over a letter joined to it."""
    x0, y0, x1, y1 = boxes
    characters = list(text)
    for found in _ACCENT.finditer(text):
        at = found.start()
        middle, height = (x0[at] + x1[at]) / 2, max(y1[at] - y0[at], 1.0)
        first = max(0, at - _REACH)
        near = slice(first, at + 3)
        is_under = (x0[near] < middle) & (x1[near] > middle)
        is_under &= np.abs(y0[near] - y0[at]) < 0.4 * height
        letters = [place for place in np.flatnonzero(is_under) + first if text[place].isalpha()]
        if not letters:
            continue
        letter = min(letters, key=lambda place: abs((x0[place] + x1[place]) / 2 - middle))
        base = characters[letter].replace("ı", "i")
        composed = unicodedata.normalize("NFC", base + ACCENTS[found[0]])
        characters[letter] = composed if len(composed) == 1 else base
        characters[at] = _NOTHING
        # PDFium puts spaces around an accent where there are none on the page.
        left, right = at - 1, at + 1
        while left >= 0 and characters[left] in _SKIPPED:
            left -= 1
        while right < len(characters) and characters[right] in _SKIPPED:
            right += 1
        if left >= 0 and right < len(characters):
            is_word = characters[left].isalpha() and characters[right].isalpha()
            if is_word and abs(x0[right] - x1[left]) < _SAME_WORD * height:
                for place in range(left + 1, right):
                    if characters[place] == " ":
                        characters[place] = _NOTHING
    return "".join(characters)


def with_superscripts(
    text: str, raised: Sequence[int], is_above: Callable[[int, int], bool], boxes: Boxes
) -> str:
    """Return the text of a page with numbers as superscripts where its characters are raised.

    `raised` are the offsets of the characters whose boxes are smaller and higher than those of
    their line. As boxes differ between fonts, `is_above` compares the type of two characters. A
    space before a superscript is removed if there is none on the page.
    """
    places = [place for place in raised if text[place] in RAISABLE]
    if not any(text[place].isdigit() for place in places):
        return text
    characters = list(text)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        first, end = int(run[0]), int(run[-1]) + 1
        before = _INK_BEFORE.match(text, 0, first)
        behind = None if before else _INK_BEHIND.match(text, end)
        beside = before.start() if before else behind.end() - 1 if behind else None
        has_number = any(map(str.isdigit, text[first:end]))
        if beside is not None and has_number and is_above(first, beside):
            characters[first:end] = text[first:end].translate(RAISED)
            gap = boxes.x0[first] - boxes.x1[beside]
            if beside == first - 2 and gap < _NO_SPACE * (boxes.x1[first] - boxes.x0[first]):
                characters[first - 1] = _NOTHING
    return "".join(characters)
