"""Correct characters of a PDF page by their positions: ligatures, accents and raised numbers.

All preserve the number of characters, so that offsets still match the boxes; removed characters
become a control character that counts as space and is removed with the others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import islice
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
_ACCENT = regex.compile(f"[{''.join(ACCENTS)}]")
#: An accent between two letters, which may be of one word: PDFium puts spaces around it.
_BETWEEN = regex.compile(
    rf"(?<=\p{{L}}(?P<spaces>[ {_NOTHING}{_ACCENT.pattern[1:]}{{0,20}}))"
    rf".[ {_NOTHING}{_ACCENT.pattern[1:]}{{0,20}}(?=\p{{L}})"
)
#: How many characters before an accent its letter may be; PDFium puts some after the line.
_REACH = 120
#: Letters nearer than this, in parts of their height, belong to one word.
_SAME_WORD = 0.12
#: Nearer than this, in widths of its first digit, a superscript belongs to what is before it.
_NO_SPACE = 0.5
#: The characters before and behind a superscript, spaces aside.
_BEFORE = regex.compile(r"(?r)(?P<ink>[^\s\x1c-\x1f]) *")
_BEHIND = regex.compile(r" *(?P<ink>[^\s\x1c-\x1f])")
#: Raised numbers become superscripts, which cannot be mistaken for part of a word or number; a
#: comma between them stays, a dash becomes the superscript minus: "shown before³,⁷⁻⁹".
RAISED = str.maketrans("0123456789+-–−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
RAISABLE = frozenset("0123456789+-–−,⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")

# Ligatures of fonts that map ff, fi, fl, ffi and ffl to no character: the width of the glyph and
# the letters around it show which one it was. A hyphen or a space as wide as a ligature is one.

#: What stands for a glyph without a character: none, unknown, private, or a sign without a width.
_UNMAPPED = regex.compile(r"[\x00\x01\x03-\x08\x10-\x1a\uFFFD\p{Co}\u00ad\u200b]")
#: A sign within a word of three letters or more, at its start, or at its end.
_IN_WORD = regex.compile(
    r"(?<=[a-zß-ÿ])[^\p{Latin}\p{M}\p{N}\n](?=[a-zß-ÿ])"
    r"|(?<!\p{L})[^\p{Latin}\p{M}\p{N}\n](?=[a-zß-ÿ]{2})"
    r"|(?:(?<=[a-zß-ÿ]{2})|(?<=\b[Oo]))(?!\u00ad[\r\n])[^\p{Latin}\p{M}\p{N}\n](?![\p{L}\p{N}])"
)
#: Signs that a font may give for a ligature.
_NARROW = frozenset("-‐\x02 \u00a0")
#: How many characters beside them, of several widths, show that the font is not monospaced.
_BESIDE, _VARIED = 4, 0.02
#: A gap wider than this part of the height of a letter is a space.
_SPACE_GAP = 0.1
#: How many letters show whether a page has fonts with a character map.
_SAMPLE = 20
_LETTER = regex.compile(r"[a-z]")
_LETTERS_BEFORE = regex.compile(r"\p{L}*+\Z")
_LETTERS_BEHIND = regex.compile(r"\p{L}*+")
_MAX_WORD = 20
_BEFORE_WORD = regex.compile(r" (?=\p{L})")
_SINGLE = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
#: One character for a ligature and the space beside it, which PDFium gives as one.
SPACED = {
    text: chr(0x10FF00 + at)
    for at, text in enumerate(f for name in _SINGLE for f in (f" {name}", f"{name} "))
}
#: Widths in those of "f" and "i" together: any ligature, one in place of a hyphen or space, and
#: one of three letters.
_MIN_WIDTH, _MIN_NARROW, _THREE, _MAX_WIDTH = 0.72, 0.75, 1.2, 1.8
#: By how much "ff" is wider than "fi".
_WIDER = 1.03
#: Plain pairs show that the font has no ligatures, if they are more frequent than such glyphs.
_PAIR = regex.compile(r"f[fil]")
#: How many on a page, as pairs or as ligatures, show that hyphens and spaces are what they seem.
_MAPPED = regex.compile(r"f[fil]|[ﬀ-ﬄ]")
_SEVERAL = 3

#: What follows "fl" rather than "fi".
_AFTER_FL = regex.compile(r"\?(?:[iouyü]|[aä](?!b|n[ct]|sco)|e(?:ct|x|e|sh|w|dg|ur|\Z))")
_AFTER_FFL = regex.compile(r"\?[iouye]")
#: The words with "ff" among those with a short ligature, written as "?".
_WITH_FF = regex.compile(
    r"[aeiouyäöü]\?(?:\Z|s(?!h)|r|n(?:e[nt]|u)|us|or[dt]|old|on|oon|air|al[lo]|[éè])"
    r"|[aouäöü]\?e|(?<!\b[rd])e\?(?:ect|e[nrt]|et)|\b(?:in)?di\?er|\bsti\?e|(?<![ei])[aeou]\?y"
)


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
        middle, height = (x0[at] + x1[at]) / 2, y1[at] - y0[at]
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
        if between := _BETWEEN.match(text, at):
            start, end = between.start("spaces"), between.end()
            if abs(x0[end] - x1[start - 1]) < _SAME_WORD * height:
                spaces = "".join(characters[start:end])
                characters[start:end] = spaces.replace(" ", _NOTHING)
    return "".join(characters)


def with_superscripts(
    text: str, raised: Sequence[int], is_above: Callable[[int, int], bool], boxes: Boxes
) -> str:
    """Return the text of a page with numbers as superscripts where its characters are raised.

    The boxes at `raised` are smaller and higher than those of their line. As boxes differ between
    fonts, `is_above` compares the type of two characters.
    """
    places = [place for place in raised if text[place] in RAISABLE]
    characters = list(text)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if places else ():
        first, end = int(run[0]), int(run[-1]) + 1
        near = _BEFORE.match(text, 0, first) or _BEHIND.match(text, end)
        has_number = any(map(str.isdigit, text[first:end]))
        if near and has_number and is_above(first, beside := near.start("ink")):
            characters[first:end] = text[first:end].translate(RAISED)
            gap = boxes.x0[first] - boxes.x1[beside]
            if beside == first - 2 and gap < _NO_SPACE * (boxes.x1[first] - boxes.x0[first]):
                characters[first - 1] = _NOTHING
    return "".join(characters)


def with_ligatures(text: str, is_unmapped: Callable[[int], bool], boxes: Boxes) -> str:
    """Return the text of a page, of the same length, with lost ligatures as single characters."""
    sample = islice(_LETTER.finditer(text, len(text) // 4), _SAMPLE)
    if sum(is_unmapped(letter.start()) for letter in sample) > _SAMPLE / 2:
        return text  # a font without a map: the codes are the characters
    x0, x1, heights = boxes.x0, boxes.x1, boxes.y1 - boxes.y0
    relative = (x1 - x0) / np.maximum(heights, 0.1)
    signs = [sign.start() for sign in _IN_WORD.finditer(text) if relative[sign.start()] > 0.1]
    lost = {
        place
        for place in signs
        if _UNMAPPED.match(text, place) or (text[place] != " " and is_unmapped(place))
    }
    narrow = [place for place in signs if text[place] in _NARROW and relative[place] > 0.3]
    # The usual widths of "f" and "i", or of letters as narrow.
    usual = [next(filter(text.__contains__, letters), "") for letters in ("ft", "il")]
    if not (lost or narrow) or "" in usual:
        return text
    two = sum(
        float(np.median([relative[at] for at, char in enumerate(text) if char == letter]))
        for letter in usual
    )
    wide = {
        place
        for place in narrow
        if _MIN_NARROW * two <= relative[place] <= _MAX_WIDTH * two
        # In a monospaced font all signs are as wide.
        and np.ptp(
            [
                relative[at]
                for at in range(max(0, place - _BESIDE), min(len(text), place + _BESIDE + 1))
                if at == place or text[at].isalpha()
            ]
        )
        > _VARIED
    }
    if len(_MAPPED.findall(text)) < min(_SEVERAL, len(wide)):
        lost |= wide
    shares = {place: float(relative[place]) / two for place in sorted(lost)}
    has_space = any(text[place] == " " for place in shares)
    gaps = _gaps(text, lost, boxes, heights * two) if has_space else {}
    shares |= gaps
    if len(_PAIR.findall(text)) >= len(shares):
        return text
    short = sorted(share for share in shares.values() if _MIN_WIDTH <= share < _THREE)
    # "ff" is wider: if the short ones differ in width, this decides.
    limit = _WIDER * short[0] if short and short[-1] > _WIDER * short[0] else 0.0
    characters = list(text)
    for place, share in shares.items():
        before = _LETTERS_BEFORE.findall(text, max(0, place - _MAX_WORD), place)[0]
        behind = _LETTERS_BEHIND.findall(text, place + 1, place + 1 + _MAX_WORD)[0]
        form = "{}"
        if text[place] in " \u00a0":
            gap = _SPACE_GAP * heights[place]
            if place in gaps or x0[place] - x1[place - 1] > gap:
                form, before = " {}", ""
            elif x0[place + 1] - x1[place] > gap:
                form, behind = "{} ", ""
        # Fonts may give a soft hyphen for a hyphen, also within a line.
        characters[place] = "-" if text[place] == "\u00ad" else "\ufffd"
        if _MIN_WIDTH <= share <= _MAX_WIDTH:
            word = f"{before}?{behind}".lower()
            if share >= _THREE:
                ligature = "ffl" if _AFTER_FFL.search(word) else "ffi"
            elif share > limit if limit else _WITH_FF.search(word):
                ligature = "ff"
            else:
                ligature = "fl" if _AFTER_FL.search(word) else "fi"
            characters[place] = SPACED.get(form.format(ligature)) or _SINGLE[ligature]
    return "".join(characters)


def _gaps(text: str, lost: set[int], boxes: Boxes, unit: Floats) -> dict[int, float]:
    """Return the spaces before gaps as wide as a ligature, and the widths of these.

    PDFium gives the first of two spaces. The gap counts beyond the least one of the line.
    """
    found: dict[int, float] = {}
    start = 0
    for line in text.split("\n"):
        spaces = {start + space.start() for space in _BEFORE_WORD.finditer(line)} - lost
        gaps = {
            place: float(boxes.x0[place + 1] - boxes.x1[place])
            for place in spaces
            if boxes.x1[place] > boxes.x0[place]
        }
        least = min(gaps.values(), default=0.0)
        shares = {at: (gap - least) / float(unit[at]) for at, gap in gaps.items()}
        found |= {at: share for at, share in shares.items() if _MIN_WIDTH <= share <= _MAX_WIDTH}
        start += len(line) + 1
    return found
