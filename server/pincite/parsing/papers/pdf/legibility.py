"""Distinguish prose from text garbled by fonts, table rows and numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex

#: A word of two letters or more.
WORD = regex.compile(r"\p{L}[\p{L}\p{M}]+")
LETTER = regex.compile(r"\p{L}")
_BAD_GLYPH = regex.compile(r"[\uFFFD\p{Co}\p{Cn}\p{Cc}]")
_UNSPACED_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]{4}")
#: A usual token of prose: a word in usual case, a compound, a number, or punctuation.
_USUAL = regex.compile(
    r"\p{P}*(?:(?:\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lu}\p{M}]+s?|\p{Lo}[\p{Lo}\p{M}]*)"
    r"(?:[-–'’./](?:\p{L}[\p{Ll}\p{M}]*|\p{Lu}+|\p{N}+))*|\p{N}[\p{N}.,:%-]*)?[\p{P}⁰¹²³⁴-⁹⁻]*"
)

#: Frequent letters of each alphabet, the least share of them in any of its languages, and how many
#: letters show it. Texts whose letters are shifted by some places in the alphabet have fewer.
_ALPHABETS = (
    (regex.compile("[a-z]"), frozenset("eairtouc"), 0.42, 60),
    (regex.compile("[а-яієґ]"), frozenset("оеаинтсрвлі"), 0.55, 60),
    (regex.compile("[α-ω]"), frozenset("αοιετσν"), 0.5, 60),
    (regex.compile("[א-ת]"), frozenset("יוהלארתבשמ"), 0.6, 200),
    (regex.compile("[ء-ۓ]"), frozenset("اليینموترهبدہے"), 0.58, 200),
)
_CAPITALS = regex.compile("[A-Z]+")
_SAMPLE = 50_000
_LOWER = regex.compile(r"(?<!\p{L})\p{Lu}?\p{Ll}{2,}(?!\p{L})")
_NO_VOWEL = regex.compile(r"(?<!\p{L})[B-DF-HJ-NP-TVXZ]?[b-df-hj-np-tvxz]{2,}(?!\p{L})")


def is_language(text: str) -> bool:
    """Return whether letters occur in a text as they do in a language; True in doubt."""
    plain = unicodedata.normalize("NFD", text[:_SAMPLE])
    letters = _CAPITALS.sub("", plain).lower()
    for alphabet, frequent, least, fewest in _ALPHABETS:
        found = alphabet.findall(letters)
        if len(found) >= fewest and 2 * len(found) > len(LETTER.findall(letters)):
            share = sum(letter in frequent for letter in found) / len(found)
            # In a short text the share depends on chance.
            chance = max(0.0, 15 / len(found) - 0.075)
            return share - _without_vowel(plain) >= least - chance
    return True


def _without_vowel(text: str) -> float:
    """Return the fraction of words in Latin letters that have no vowel; abbreviations aside."""
    return len(_NO_VOWEL.findall(text)) / max(1, len(_LOWER.findall(text)))


def is_prose(text: str) -> bool:
    """Return whether a text is prose, not table rows, numbers or broken glyphs; True in doubt."""
    ink = len("".join(text.split()))
    words, tokens = len(WORD.findall(text)), text.split()
    is_short_sentence = words == 2 and text[0].isupper() and text[-1] in ".!?"
    return (
        (words > 2 or is_short_sentence or _UNSPACED_RUN.search(text) is not None)
        and len(_BAD_GLYPH.findall(text)) <= 0.05 * ink
        and (words <= 3 or _without_vowel(text) <= 0.5)
        and (len(tokens) <= 3 or sum(len(token) == 1 for token in tokens) <= 0.5 * len(tokens))
        and len(LETTER.findall(text)) >= 0.5 * ink
        and (len(tokens) <= 3 or usual_share(tokens) >= 0.5)
    )


def usual_share(tokens: Sequence[str]) -> float:
    """Return the fraction of tokens that look like words or numbers."""
    return sum(bool(_USUAL.fullmatch(token)) for token in tokens) / max(1, len(tokens))
