"""Normalise and compare words and names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rapidfuzz import fuzz

from ...text.characters import folded, spelled

_WORD: Final = re.compile(r"[^\W_]+")
# Müller is also written Mueller.
UMLAUT: Final = re.compile(r"(?<=[aou])e")
# The least similarity of two spellings of a word or surname, in per cent.
_WORD_SCORE: Final = 80.0
_NAME_SCORE: Final = 85.0
# A name with fewer letters occurs in longer words by chance.
TELLING_NAME: Final = 5


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded."""
    return tuple(_WORD.findall(folded(spelled(text))))


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return "".join(_WORD.findall(folded(spelled(text))))


def name_words(surnames: Iterable[str]) -> tuple[str, ...]:
    """Return normalised surnames, in which ü and ue are the same; empty ones are left out."""
    folded_names = (" ".join(_WORD.findall(folded(name))) for name in surnames)
    return tuple(UMLAUT.sub("", name) for name in folded_names if name)


def same_name(name: str, other: str) -> bool:
    """Return whether two surnames are the same, like "van Noord" and "Noord", "Och" and "O ch"."""
    if name.rpartition(" ")[2] == other.rpartition(" ")[2]:
        return True
    one, two = name.replace(" ", ""), other.replace(" ", "")
    return one == two or (
        min(len(one), len(two)) >= TELLING_NAME
        and (one in two or two in one or fuzz.ratio(one, two) >= _NAME_SCORE)
    )


def same_word(word: str, other: str) -> bool:
    """Return whether two words are the same, perhaps misspelt."""
    return word[0] == other[0] and fuzz.ratio(word, other) >= _WORD_SCORE
