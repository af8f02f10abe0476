"""Finding works by what an author remembers of them: key, author, title or year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from ..model.papers import Candidate
    from ..model.results import RankedEntry
    from .indexes import Ranks

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
#: Made once for each recommender: a large bibliography is searched at every key stroke.
_SEARCHED: WeakKeyDictionary[Ranks, Mapping[str, str]] = WeakKeyDictionary()


def found(typed: str, ranked: Iterable[RankedEntry], texts: Mapping[str, str]) -> list[RankedEntry]:
    """Return the entries that have all words typed, in their order, the likeliest meant first.

    These are the one with exactly this key, those whose keys begin so, and those in which each
    word typed begins a word. `texts` are what `searched_texts` gives.
    """
    words = [_spellings(word) for word in typed.split()]
    key = _spellings(" ".join(typed.split()))[0]
    beginnings = [re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, word))})") for word in words]

    def likelihood(text: str) -> int:
        if text.startswith(key):
            return 0 if text.startswith(f"{key}\n") else 1
        return 2 if all(beginning.search(text) for beginning in beginnings) else 3

    matching = [
        (likelihood(text), entry)
        for entry in ranked
        if (text := texts.get(entry.key)) is not None
        and all(any(spelling in text for spelling in word) for word in words)
    ]
    matching.sort(key=lambda match: match[0])
    return [entry for _, entry in matching]


def searched_texts(recommender: Ranks) -> Mapping[str, str]:
    """Return what typed words are looked up in, by key."""
    texts = _SEARCHED.get(recommender)
    if texts is None:
        texts = {key: _searched(candidate) for key, candidate in recommender.candidates.items()}
        _SEARCHED[recommender] = texts
    return texts


def _searched(candidate: Candidate) -> str:
    """Return lines that begin with the key."""
    parts = [candidate.key, candidate.paper.title, *candidate.names]
    if (known := candidate.entry) is not None:
        people = (known.fields.get(role, "") for role in ("author", "editor"))
        parts += [known.year, *known.aliases, *people]
    return "\n".join(_spellings("\n".join(parts)))


def _spellings(text: str) -> tuple[str, ...]:
    """Return a text as it may be typed: without its accents, and with ü as ue."""
    from ..library.works import folded

    plain = folded(text)
    if text.isascii():
        return (plain,)
    spelled_out = folded(unicodedata.normalize("NFC", text).lower().translate(_SPELLED_OUT))
    return (plain,) if spelled_out == plain else (plain, spelled_out)
