"""Restore ligatures of fonts that map ff, fi, fl, ffi and ffl to no character.

The width of the glyph and the letters around it say which one it was. Where it can be none of
them, a replacement character marks the place.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import regex

from .characters import Floats

#: What stands for a glyph without a character: none, unknown, private, or a sign without a width.
_UNMAPPED = regex.compile(r"[\x00\x01\x03-\x08\x10-\x1a\uFFFD\p{Co}\u00ad\u200b]")
#: A sign within a word of three letters or more, at its start, or at its end.
_IN_WORD = regex.compile(
    r"(?<=[a-zß-ÿ])[^\p{Latin}\p{M}\p{N} \n](?=[a-zß-ÿ])"
    r"|(?<!\p{L})[^\p{Latin}\p{M}\p{N} \n](?=[a-zß-ÿ]{2})"
    r"|(?:(?<=[a-zß-ÿ]{2})|(?<=\b[Oo]))(?!\u00ad[\r\n])[^\p{Latin}\p{M}\p{N} \n](?![\p{L}\p{N}])"
)
#: So many letters show whether a page has fonts with a map.
_SAMPLE = 20
_LETTER = regex.compile(r"[a-z]")
_LETTERS_BEFORE = regex.compile(r"\p{L}*+\Z")
_LETTERS_AFTER = regex.compile(r"\p{L}*+")
_LONGEST_WORD = 20
_SINGLE = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
#: Widths in those of "f" and "i" together: any ligature, and one of three letters.
_NARROWEST, _THREE, _WIDEST = 0.72, 1.2, 1.8
#: By how much "ff" is wider than "fi".
_WIDER = 1.03
#: Plain pairs show that the font has no ligatures, if they are more frequent than such glyphs.
_PAIR = regex.compile(r"f[fil]")

#: What follows "fl" rather than "fi".
_AFTER_FL = regex.compile(r"\?(?:[iouyü]|[aä](?!b|n[ct]|sco)|e(?:ct|x|e|sh|w|dg|ur|\Z))")
_AFTER_FFL = regex.compile(r"\?[iouye]")
#: The words with "ff" among those with a short ligature, written as "?".
_WITH_FF = regex.compile(
    r"[aeiouyäöü]\?(?:\Z|s(?!h)|r|n(?:e[nt]|u)|us|or[dt]|old|on|oon|air|al[lo]|[éè])"
    r"|[aouäöü]\?e|(?<!\b[rd])e\?(?:ect|e[nrt]|et)|\b(?:in)?di\?er|\bsti\?e|(?<![ei])[aeou]\?y"
)


def with_ligatures(
    text: str, is_unmapped: Callable[[int], bool], widths: Floats, heights: Floats
) -> str:
    """Return the text of a page, of the same length, with lost ligatures as single characters.

    `is_unmapped` says whether the font has no character for the glyph at a place, whose code is
    given instead; `widths` and `heights` are those of the characters' boxes.
    """
    letters = islice(_LETTER.finditer(text, len(text) // 4), _SAMPLE)
    if sum(is_unmapped(letter.start()) for letter in letters) > _SAMPLE / 2:
        return text  # a font without a map: the codes are the characters
    lost = [
        place
        for place in map(regex.Match.start, _IN_WORD.finditer(text))
        if widths[place] > 0.1 * heights[place]
        and (_UNMAPPED.match(text, place) or is_unmapped(place))
    ]
    if not lost:
        return text
    relative = widths / np.maximum(heights, 0.1)
    two = _typical(text, relative, "ft") + _typical(text, relative, "il")
    if not two or len(_PAIR.findall(text)) >= len(lost):
        return text
    shares = [float(relative[place]) / two for place in lost]
    short = sorted(share for share in shares if _NARROWEST <= share < _THREE)
    # "ff" is wider: if the short ones differ in width, this decides.
    limit = _WIDER * short[0] if short and short[-1] > _WIDER * short[0] else 0.0
    characters = list(text)
    for place, share in zip(lost, shares, strict=True):
        before = _LETTERS_BEFORE.findall(text[max(0, place - _LONGEST_WORD) : place])[0]
        after = _LETTERS_AFTER.findall(text, place + 1, place + 1 + _LONGEST_WORD)[0]
        characters[place] = "\ufffd"
        if _NARROWEST <= share <= _WIDEST and before + after:
            word = f"{before}?{after}".lower()
            is_wide = share > limit if limit else None
            characters[place] = _SINGLE[_ligature(word, share >= _THREE, is_wide)]
    return "".join(characters)


def _typical(text: str, relative: Floats, letters: str) -> float:
    """Return the usual width of the first of some letters that occurs; 0 if none does."""
    for letter in letters:
        places = [place for place, char in enumerate(text) if char == letter]
        if places:
            return float(np.median(relative[places]))
    return 0.0


def _ligature(word: str, is_long: bool, is_wide: bool | None) -> str:
    """Return the ligature at the question mark of a word; of three letters if `is_long`.

    `is_wide` says whether it is wider than others of two letters, as "ff" is; None if unknown.
    """
    if is_long:
        return "ffl" if _AFTER_FFL.search(word) else "ffi"
    if is_wide or (is_wide is None and _WITH_FF.search(word)):
        return "ff"
    return "fl" if _AFTER_FL.search(word) else "fi"
