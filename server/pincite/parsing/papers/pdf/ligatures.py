"""Restore ligatures of fonts that map ff, fi, fl, ffi and ffl to no character.

The width of the glyph and the letters around it say which one it was. Where it can be none of
them, a replacement character marks the place. A hyphen or a space as wide as a ligature is one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import regex

from .characters import Boxes, Floats

#: What stands for a glyph without a character: none, unknown, private, or a sign without a width.
_UNMAPPED = regex.compile(r"[\x00\x01\x03-\x08\x10-\x1a\uFFFD\p{Co}\u00ad\u200b]")
#: A sign within a word of three letters or more, at its start, or at its end.
_IN_WORD = regex.compile(
    r"(?<=[a-zß-ÿ])[^\p{Latin}\p{M}\p{N}\n](?=[a-zß-ÿ])"
    r"|(?<!\p{L})[^\p{Latin}\p{M}\p{N}\n](?=[a-zß-ÿ]{2})"
    r"|(?:(?<=[a-zß-ÿ]{2})|(?<=\b[Oo]))(?!\u00ad[\r\n])[^\p{Latin}\p{M}\p{N}\n](?![\p{L}\p{N}])"
)
#: Signs that a font may give for a ligature, and by which width, in those of "f" and "i"; how many
#: characters beside them, of several widths, show that the font is not monospaced.
_NARROW = frozenset("-‐\x02 \u00a0")
_TOO_WIDE = 0.75
_BESIDE, _VARIED = 4, 0.02
#: A gap wider than this part of the height of a letter is a space.
_SPACE_GAP = 0.1
#: So many letters show whether a page has fonts with a map.
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
#: Widths in those of "f" and "i" together: any ligature, and one of three letters.
_MIN_WIDTH, _THREE, _MAX_WIDTH = 0.72, 1.2, 1.8
#: By how much "ff" is wider than "fi".
_WIDER = 1.03
#: Plain pairs show that the font has no ligatures, if they are more frequent than such glyphs.
_PAIR = regex.compile(r"f[fil]")
#: So many on a page, as pairs or as ligatures, show that hyphens and spaces are what they seem.
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


def with_ligatures(text: str, is_unmapped: Callable[[int], bool], boxes: Boxes) -> str:
    """Return the text of a page, of the same length, with lost ligatures as single characters.

    `is_unmapped` says whether the font has no character for the glyph at a place, whose code is
    given instead.
    """
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
    if not (lost or narrow):
        return text
    first, second = _usual_width(text, relative, "ft"), _usual_width(text, relative, "il")
    two = first + second
    if not two:
        return text
    wide = {
        place
        for place in narrow
        if first
        and second
        and _TOO_WIDE * two <= relative[place] <= _MAX_WIDTH * two
        # In a monospaced font all signs are as wide.
        and np.ptp([relative[at] for at in _with_letters_beside(text, place)]) > _VARIED
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
            if place in gaps or (before and x0[place] - x1[place - 1] > gap):
                form, before = " {}", ""
            elif behind and x0[place + 1] - x1[place] > gap:
                form, behind = "{} ", ""
        characters[place] = "\ufffd"
        if _MIN_WIDTH <= share <= _MAX_WIDTH and before + behind:
            word = f"{before}?{behind}".lower()
            if share >= _THREE:
                ligature = "ffl" if _AFTER_FFL.search(word) else "ffi"
            elif share > limit if limit else _WITH_FF.search(word):
                ligature = "ff"
            else:
                ligature = "fl" if _AFTER_FL.search(word) else "fi"
            characters[place] = SPACED.get(form.format(ligature)) or _SINGLE[ligature]
    return "".join(characters)


def _usual_width(text: str, widths: Floats, letters: str) -> float:
    """Return the usual width of the first of some letters that occurs; 0 if none does."""
    for letter in letters:
        if places := [place for place, char in enumerate(text) if char == letter]:
            return float(np.median(widths[places]))
    return 0.0


def _with_letters_beside(text: str, place: int) -> list[int]:
    near = range(max(0, place - _BESIDE), min(len(text), place + _BESIDE + 1))
    return [place, *(at for at in near if text[at].isalpha())]


def _gaps(text: str, lost: set[int], boxes: Boxes, unit: Floats) -> dict[int, float]:
    """Return the spaces before gaps as wide as a ligature, and the widths of these.

    PDFium gives the first of two spaces. The gap counts beyond the least one of the line.
    """
    found: dict[int, float] = {}
    start = 0
    for line in text.split("\n"):
        spaces = (start + space.start() for space in _BEFORE_WORD.finditer(line))
        gaps = {
            place: float(boxes.x0[place + 1] - boxes.x1[place])
            for place in spaces
            if place not in lost and boxes.x1[place] > boxes.x0[place]
        }
        least = min(gaps.values(), default=0.0)
        shares = {place: (gap - least) / float(unit[place]) for place, gap in gaps.items()}
        found |= {at: share for at, share in shares.items() if _MIN_WIDTH <= share <= _MAX_WIDTH}
        start += len(line) + 1
    return found
