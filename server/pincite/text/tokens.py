"""Words of a text: maximal runs of letters, digits and combining marks.

A run in a script without spaces becomes overlapping pairs of characters, as usual for retrieval.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import regex

from ..model.drafts import CITATION_MARK
from .characters import on_the_line, spelled
from .stop_words import function_words

#: Scripts written without spaces, for use in a character class.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# Raised digits are the numbers of notes and citations, not parts of the word before them, but for
# charges, Ca²⁺, which many abstracts have as Ca2+.
_NOT_IN_WORDS = rf"{UNSPACED}⁰¹²³⁴-⁹"
_WORD = regex.compile(
    rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}\p{{M}}]*)"
    rf"|(?:(?![{_NOT_IN_WORDS}])[\p{{L}}\p{{N}}])"
    rf"(?:(?![{_NOT_IN_WORDS}])[\p{{L}}\p{{N}}\p{{M}}])*(?:[¹²³⁴-⁹](?=[⁺⁻](?![⁰¹²³⁴-⁹])))?"
)
# In nearly all texts (Latin, Greek and Cyrillic letters, signs and formulas), which have none of
# these characters, a faster expression finds the same words. U+FFFC stands for citations in prose.
_NEEDS_CARE = re.compile(
    "[^\\0-\u02ff\u0370-\u0482\u1d00-\u1dbf\u1e00-\u206f\u207a-\u208e\u2090-\u209c\u20a0-\u20cf"
    "\u2100-\u2bff\u2c60-\u2c7f\ufb00-\ufb06\ufffc\ufffd\U0001d400-\U0001d6a5\U0001d6a8-\U0001d7ff]"
    "|[¹²³]"
)
_PLAIN_WORD = re.compile(r"[^\W_]+")
#: ASCII characters that are in no word.
_BETWEEN_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()}


def _is_plain(text: str) -> bool:
    # Citations are all that is not ASCII in most English prose.
    return text.replace(CITATION_MARK, "").isascii() or _NEEDS_CARE.search(text) is None


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open span of every word, in order; pairs of unspaced scripts overlap."""
    if _is_plain(text):
        yield from (match.span() for match in _PLAIN_WORD.finditer(text))
        return
    for match in _WORD.finditer(text):
        start, end = match.span()
        if match.lastgroup is None or end - start <= 2:
            yield start, end
        else:
            for position in range(start, end - 1):
                yield position, position + 2


def words_with_starts(text: str) -> tuple[Sequence[str], Sequence[int]]:
    """Return the words of `text` as written, and the offset of each."""
    spans = list(word_spans(text))
    return [text[start:end] for start, end in spans], [start for start, _ in spans]


def words(text: str) -> list[str]:
    """Return the words of `text` as written."""
    if text.isascii():
        return text.translate(_BETWEEN_WORDS).split()
    if _is_plain(text):
        return _PLAIN_WORD.findall(text)
    return [text[start:end] for start, end in word_spans(text)]


def stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words (318; BSD 3-Clause), lower case."""
    return function_words("en")


def composed(word: str) -> str:
    """Return a word with composed accents (NFC), plain signs for subscripts, α spelled out.

    Turkish İ becomes I, as its small letter is i; Python's has a dot more.
    """
    if word.isascii():
        return word
    return spelled(on_the_line(unicodedata.normalize("NFC", word))).replace("İ", "I")


def terms(tokens: Iterable[str]) -> list[str]:
    r"""Lower-case words and keep those for a bag of words: two characters or more, no stop words.

    These are `TfidfVectorizer`'s rules (``lowercase``, ``\w\w+``, ``stop_words="english"``).
    Accents are composed first (NFC): an ö is one letter however it was typed.
    """
    stopped = stop_words()
    return [
        term
        for term in (composed(token).lower() for token in tokens)
        if len(term) > 1 and term not in stopped
    ]
