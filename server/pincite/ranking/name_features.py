r"""Features of names: what the author wrote before the braces ("as Collins \cite{", "BERT")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..text.characters import folded
from .at_place import FAR, AtPlace

_WORDS: Final = 30
_WORDS_RIGHT: Final = 8
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_INITIALS: Final = range(3, 7)
_INITIAL_WORDS: Final = 25


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """A word near the place that names entries: by which kind of name, and how many words away."""

    kind: str
    entries: npt.NDArray[np.integer[Any]]
    distance: float


def named(at: AtPlace) -> Sequence[Naming]:
    """Return what is named near the place, the nearest last."""
    fields = at.fields
    words = [
        *((word, float(far)) for far, word in enumerate(reversed(at.left[-_WORDS:]))),
        *((word, far + 0.5) for far, word in enumerate(at.right[:_WORDS_RIGHT])),
    ]
    #: A word of more keys than this names none.
    most_keys = max(3.0, 0.2 * len(at.fields))

    nearest: dict[str, tuple[str, float]] = {}
    for word, distance in words:
        nearest.setdefault(folded(word), (word, distance))
    found: list[Naming] = []
    for name, (word, distance) in sorted(nearest.items(), key=lambda each: -each[1][1]):
        if _YEAR.fullmatch(word):
            found.append(Naming("year", np.flatnonzero(fields.years == int(word)), distance))
        if (number := fields.names.get(name)) is None:
            continue
        if word[:1].isupper() or not word[:1].isascii():
            found.append(Naming("any", fields.by_author[number], distance))
            found.append(Naming("first", fields.by_first_author[number], distance))
        if sum(map(str.isupper, word)) >= 2:
            found.append(Naming("acronym", fields.by_acronym[number], distance))
        own = fields.by_key_word[number]
        if len(own) < most_keys:
            found.append(Naming("key", own, distance))
    return found


def add_names(at: AtPlace, found: Sequence[Naming]) -> None:
    """Add what `named` returned for the selected entries, and acronyms within their titles."""
    distances = {
        kind: np.full(at.number, FAR) for kind in ("any", "first", "acronym", "key", "year")
    }
    # The nearest comes last and overwrites those before.
    for each in found:
        distances[each.kind][at.slots(each.entries)] = each.distance
    for kind, values in distances.items():
        at.add(f"name.{kind}", values)
    # "GAE" within the initials of "… Using Generalized Advantage Estimation".
    short = [
        word.lower()
        for word in reversed(at.left[-_INITIAL_WORDS:])
        if len(word) in _INITIALS and word.isupper()
    ]
    within = np.zeros(at.number)
    for slot, position in enumerate(at.positions.tolist() if short else ()):
        initials = at.fields.initials[position]
        first = next((far for far, acronym in enumerate(short) if acronym in initials), None)
        within[slot] = 0.0 if first is None else 1.0 / (1 + first)
    total = within.sum()
    at.add("name.initials_rare", within / total if total else within)
