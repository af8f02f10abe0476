"""Stems of words, so that a plural matches its singular.

Bibliographies are in English and in the language of the draft, so words of both are stemmed twice:
first with Snowball's English stemmer, then with that for the draft's language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from threading import local

import regex

#: Snowball's names for the languages that it has stemmers for.
_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish",
}  # fmt: skip
_MIN_CHARACTERS = 3
_NO_WORD = regex.compile(r"[^\p{L}\p{M}]")
_NO_VOWEL = re.compile("[bcdfghj-np-tvwxz]+")
#: Size of the stem cache for each language, about two megabytes.
_MAX_STEMS = 8_192


def stemmer(language: str | None) -> Callable[[str], str]:
    """Return a thread-safe function from a lower-case word of a language to its stem.

    Only English endings are removed for an unknown language. Words of one or two characters, with
    non-letters, or without a vowel ("gps") stay. A stem need not be a word.
    """
    return _stemmer(_ALGORITHMS.get(language or "en"))


@cache
def _stemmer(algorithm: str | None) -> Callable[[str], str]:
    # Imported here, as it is slow to load without PyStemmer.
    import snowballstemmer

    further = (algorithm,) if algorithm in snowballstemmer.algorithms() else ()
    # Snowball's stemmers have the current word as state.
    of_thread = local()

    @lru_cache(maxsize=_MAX_STEMS)
    def stem(word: str) -> str:
        if len(word) < _MIN_CHARACTERS or _NO_WORD.search(word) or _NO_VOWEL.fullmatch(word):
            return word
        if not hasattr(of_thread, "stemmers"):
            of_thread.stemmers = [*map(snowballstemmer.stemmer, ("english", *further))]
        for each in of_thread.stemmers:
            word = each.stemWord(word)
        return str(word)

    return stem
