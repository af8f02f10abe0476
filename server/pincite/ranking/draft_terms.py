"""How rare the terms of a draft are in it, and what its acronyms stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, words_of_paragraphs
from ..model.citing_text import PARAGRAPH_BREAK, TextPart
from ..representations.entry_terms import Ids, TermIds
from ..representations.lists import Lists
from ..text.tokens import words

Floats = npt.NDArray[np.float64]

#: "trust region policy optimization (TRPO)".
_SPELLED_OUT: Final = re.compile(r"\(([^\W\d_]*[A-Z][^\W_]*[A-Z0-9][^\W_]{0,8}?)s?\)")
_LONGEST_SPELLING: Final = 160
_MOST_SPELLED: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class PartTerms:
    """The distinct terms of each paragraph of a part, and the acronyms that it spells out.

    `sizes` are how many terms each paragraph has.
    """

    sizes: npt.NDArray[np.int64]
    terms: Ids
    acronyms: Sequence[tuple[str, int, tuple[str, ...]]]

    @classmethod
    def of(cls, part: TextPart, ids: TermIds) -> PartTerms:
        """Read a part."""
        terms = [sorted({*map(ids.__getitem__, own)} - {-1}) for own in words_of_paragraphs(part)]
        sizes = np.array([*map(len, terms)], np.int64)
        return cls(sizes, np.array([*chain(*terms)], np.int32), _spelled_out(part.text))


class DraftTerms:
    """How rare each term is in a draft, by paragraphs, and what its acronyms stand for."""

    def __init__(self, text: SurroundedText, parts: Sequence[PartTerms]) -> None:
        """Take a text and the terms of its parts."""
        self.text = text
        sizes = np.concatenate([own.sizes for own in parts])
        #: The terms of each paragraph.
        self._terms = Lists.of_sizes(sizes, np.concatenate([own.terms for own in parts]))
        #: Where each acronym is first spelled out, and the words it means.
        self.spelled_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        for begin, own in zip(text.citing.starts, parts, strict=True):
            for name, end, meant in own.acronyms:
                self.spelled_out.setdefault(name, (begin + end, meant))

    def rarity(self, terms: Ids, paragraphs: int) -> Floats:
        """Return from 0 to 1 how rare terms are in the first paragraphs of the draft."""
        counts = np.bincount(self._terms.values[: int(self._terms.starts[paragraphs])])
        known = np.zeros(len(terms))
        is_known = terms < len(counts)
        known[is_known] = counts[terms[is_known]]
        most = np.log((paragraphs + 10.0) / 0.5)
        return np.asarray(np.log((paragraphs + 10.0) / (known + 0.5)) / most, np.float64)


def _spelled_out(text: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return the acronyms of a text, where each is spelled out, and the words it means."""
    found: list[tuple[str, int, tuple[str, ...]]] = []
    for match in _SPELLED_OUT.finditer(text):
        name = match[1].lower()
        before = text[max(0, match.start() - _LONGEST_SPELLING) : match.start()]
        own = words(before.rpartition(PARAGRAPH_BREAK)[2])
        for first in range(len(own) - 1, max(-1, len(own) - _MOST_SPELLED), -1):
            meant = own[first:]
            initials = ("".join(word[0] for word in kept).lower() for kept in _kept(meant))
            if len(meant) > 1 and name in initials:
                found.append((name, match.end(), tuple(meant)))
                break
    return found


def _kept(meant: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    return meant, [word for word in meant if len(word) > 3 or word[0].isupper()]
