"""Suggest keys: those that a misspelt key may stand for, and unused ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, count
from string import ascii_lowercase

#: The least Jaro–Winkler similarity at which two keys look alike to a reader.
_ALIKE_FROM = 0.85
_CONSIDERED = 20


def nearest_keys(key: str, keys: Iterable[str], number: int = 3) -> list[str]:
    """Return the keys spelled most like `key`, best first, ignoring case.

    Beginnings count most, as authors remember them best: keys that start with `key` come first.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    found = process.extract(
        key,
        sorted(keys),
        scorer=JaroWinkler.similarity,
        processor=str.casefold,
        score_cutoff=_ALIKE_FROM,
        limit=_CONSIDERED,
    )
    begun = key.casefold()
    found.sort(key=lambda match: not match[0].casefold().startswith(begun))
    return [name for name, *_ in found[:number]]


def free_key(key: str, is_used: Callable[[str], bool]) -> str:
    """Return an unused key: `key` with the first suffix, a letter or number, that makes it new."""
    endings = chain(ascii_lowercase, map("-{}".format, count(2)))
    return next(name for ending in endings if not is_used(name := key + ending))
