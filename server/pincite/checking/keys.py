"""Keys that an author may have meant, and keys that nobody uses yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, count
from string import ascii_lowercase

#: Jaro–Winkler similarity from which on two keys look alike to a reader.
_ALIKE_FROM = 0.85
_CONSIDERED = 20


def nearest_keys(key: str, keys: Iterable[str], number: int = 3) -> list[str]:
    """Return the keys that are written most like `key`, best first; the case does not matter.

    How they begin counts most, as authors know it best: those that `key` is a prefix of come first.
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
    """Return `key` with the first letter after it, or number, that makes it a new one."""
    endings = chain(ascii_lowercase, map("-{}".format, count(2)))
    return next(name for ending in endings if not is_used(name := key + ending))
