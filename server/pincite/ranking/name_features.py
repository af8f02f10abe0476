r"""Features of names: what the author wrote before the braces ("as Collins \cite{", "BERT")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from ..text.folding import folded
from .at_place import FAR, AtPlace, Floats

_WORDS: Final = 30
_WORDS_RIGHT: Final = 8
_NEAR: Final = 8
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_INITIALS: Final = range(3, 7)
_INITIAL_WORDS: Final = 25


def named(at: AtPlace) -> Mapping[str, Floats]:
    """Return how many words from the place each of all entries is named, by kind of name."""
    names, own_names, entries = at.fields.names, at.fields.named, len(at.fields)
    kinds = ("any", "first", "acronym", "key", "year")
    distances = {kind: np.full(entries, FAR) for kind in kinds}
    counts = {kind: np.zeros(entries) for kind in ("number", "near", "rare", "acronym_rare")}
    words = [
        *((word, float(far)) for far, word in enumerate(reversed(at.left[-_WORDS:]))),
        *((word, far + 0.5) for far, word in enumerate(at.right[:_WORDS_RIGHT])),
    ]
    #: A word of more keys than this names none.
    most_keys = max(3.0, 0.2 * entries)

    nearest: dict[str, tuple[str, float]] = {}
    for word, distance in words:
        nearest.setdefault(folded(word), (word, distance))
    # The farthest first, so that the nearest overwrites it.
    for name, (word, distance) in sorted(nearest.items(), key=lambda each: -each[1][1]):
        if _YEAR.fullmatch(word):
            distances["year"][at.facts.years == int(word)] = distance
        if (number := names.get(name)) is None:
            continue
        if word[:1].isupper() or not word[:1].isascii():
            own = own_names.by_author[number]
            distances["any"][own] = distance
            distances["first"][own_names.by_first_author[number]] = distance
            counts["number"][own] += 1.0
            if distance < _NEAR and len(own):
                counts["near"][own] += 1.0
                counts["rare"][own] = np.maximum(counts["rare"][own], 1.0 / len(own))
        own = own_names.by_acronym[number]
        if len(own) and sum(map(str.isupper, word)) >= 2:
            distances["acronym"][own] = distance
            counts["acronym_rare"][own] = np.maximum(counts["acronym_rare"][own], 1.0 / len(own))
        own = own_names.by_key_word[number]
        if len(own) < most_keys:
            distances["key"][own] = distance
    return {**distances, **counts}


def add_names(at: AtPlace, distances: Mapping[str, Floats]) -> None:
    """Add what `named` returned for the selected entries, and acronyms within their titles."""
    chosen = at.positions
    for kind, values in distances.items():
        at.add(f"name.{kind}", values[chosen])
    name, year = distances["any"][chosen], distances["year"][chosen]
    is_both = (name < FAR) & (year < FAR)
    at.add("name.year_and_name", np.where(is_both, np.maximum(name, year), FAR))
    authors = np.clip(at.facts.authors.sizes_of(chosen), 1, 3)
    at.add("name.share", distances["near"][chosen] / authors)
    # "GAE" within the initials of "… Using Generalized Advantage Estimation".
    short = [
        word.lower()
        for word in reversed(at.left[-_INITIAL_WORDS:])
        if len(word) in _INITIALS and word.isupper()
    ]
    within = np.zeros(at.number)
    for slot, position in enumerate(chosen.tolist() if short else ()):
        initials = at.facts.initials[position]
        first = next((far for far, acronym in enumerate(short) if acronym in initials), None)
        within[slot] = 0.0 if first is None else 1.0 / (1 + first)
    total = within.sum()
    at.add("name.initials", within)
    at.add("name.initials_rare", within / total if total else within)
