"""Function words by language, from `stop_word_lists/`; `SOURCES.md` there has the sources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

_LISTS = Path(__file__).with_name("stop_word_lists")
#: Both written standards of Norwegian are in one list.
_SAME_LIST = {"nb": "no", "nn": "no"}


@cache
def function_words(language: str | None) -> frozenset[str]:
    """Return the function words of a language, in lower case and NFC; none without a list."""
    if language is None or not (language.isascii() and language.isalpha()):
        return frozenset()
    # Without `importlib.resources`, whose import takes longer than the first ranking.
    try:
        listed = (_LISTS / f"{_SAME_LIST.get(language, language)}.txt").read_text("utf-8")
    except FileNotFoundError:
        return frozenset()
    return frozenset(
        word for line in listed.splitlines() if not line.startswith("#") for word in line.split()
    )


def listed_languages() -> Sequence[str]:
    """Return the languages that have a list, in order."""
    return sorted(path.stem for path in _LISTS.glob("*.txt"))
