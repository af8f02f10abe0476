"""Distinguish prose from text garbled by fonts, table rows and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import regex

#: A word of two letters or more.
WORD = regex.compile(r"\p{L}[\p{L}\p{M}]+")
LETTER = regex.compile(r"\p{L}")
_INK = regex.compile(r"\S")
_BAD_GLYPH = regex.compile(r"[\uFFFD\p{Co}\p{Cn}\p{Cc}]")
_UNSPACED_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]{4}")
#: A usual token of prose: a word in usual case, a compound, a number, or punctuation.
_USUAL = regex.compile(
    r"\p{P}*(?:(?:\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lu}\p{M}]+s?|\p{Lo}[\p{Lo}\p{M}]*)"
    r"(?:[-–'’./](?:\p{L}[\p{Ll}\p{M}]*|\p{Lu}+|\p{N}+))*|\p{N}[\p{N}.,:%-]*)?[\p{P}⁰¹²³⁴-⁹⁻]*"
)


def is_prose(text: str) -> bool:
    """Return whether a text is prose, not table rows, numbers or broken glyphs; True in doubt.

    Not prose is text with fewer than three words of two letters (two in a finished sentence), less
    than half letters, more than half one-character tokens, less than half usual words, or more
    than one unknown character in twenty.
    """
    ink = len(_INK.findall(text))
    if not ink:
        return False
    words = len(WORD.findall(text))
    is_short_sentence = words == 2 and text[0].isupper() and text[-1] in ".!?"
    if words < 3 and not is_short_sentence and not _UNSPACED_RUN.search(text):
        return False
    if len(_BAD_GLYPH.findall(text)) > 0.05 * ink:
        return False
    tokens = text.split()
    if len(tokens) > 3 and sum(len(token) == 1 for token in tokens) > 0.5 * len(tokens):
        return False
    return len(LETTER.findall(text)) >= 0.5 * ink and (
        len(tokens) < 4 or usual_share(tokens) >= 0.5
    )


def usual_share(tokens: Sequence[str]) -> float:
    """Return the fraction of tokens that look like words or numbers."""
    return sum(bool(_USUAL.fullmatch(token)) for token in tokens) / max(1, len(tokens))
