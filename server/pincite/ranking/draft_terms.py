"""How rare the terms of a draft are in it, and what its acronyms stand for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, words_of_paragraphs
from ..model.citing_text import PARAGRAPH_BREAK, TextPart
from ..representations.entry_terms import NO_IDS, Ids, TermIds
from ..representations.lists import Lists
from ..text.tokens import words

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

#: "trust region policy optimization (TRPO)".
_SPELLED_OUT: Final = re.compile(r"\(([^\W\d_]*[A-Z][^\W_]*[A-Z0-9][^\W_]{0,8}?)s?\)")
_LONGEST_SPELLING: Final = 160
_MOST_SPELLED: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class _PartTerms:
    """The distinct terms of each paragraph of a part, and the acronyms that it spells out."""

    terms: Lists
    acronyms: Sequence[tuple[str, int, tuple[str, ...]]]

    @classmethod
    def of(cls, part: TextPart, ids: TermIds) -> _PartTerms:
        terms = [sorted({*map(ids.__getitem__, own)} - {-1}) for own in words_of_paragraphs(part)]
        return cls(Lists.of_numbers(terms), _spelled_out(part.text))


class DraftTerms:
    """How rare each term is in a draft, by paragraphs, and what its acronyms stand for."""

    def __init__(
        self, text: SurroundedText, ids: TermIds, earlier: DraftTerms | None = None
    ) -> None:
        """Read a text; parts that an `earlier` one has are not read again."""
        self.text = text
        parts = text.citing.parts
        before, known = (None, ()) if earlier is None else (earlier.text.citing, earlier._parts)
        self._parts: Sequence[_PartTerms]
        self._parts = read = text.citing.carried_over(
            before, known, lambda number: _PartTerms.of(parts[number], ids)
        )
        #: The number of paragraphs with each term.
        self._counts = self._counted(earlier)
        #: The same for so many paragraphs at the beginning.
        self._counts_before: tuple[int, Counts] = (-1, np.empty(0, np.int64))
        #: The numbers of the parts that spell out acronyms, as few do.
        self._spelling = [*self._parts_with_acronyms(earlier)]
        #: Where each acronym is first spelled out, and the words it means.
        self.spelled_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        for number in self._spelling:
            begin = text.citing.starts[number]
            for name, end, meant in read[number].acronyms:
                self.spelled_out.setdefault(name, (begin + end, meant))

    def _parts_with_acronyms(self, earlier: DraftTerms | None) -> Iterator[int]:
        before, known = (None, []) if earlier is None else (earlier.text.citing, earlier._spelling)
        for first, end, at in self.text.citing.runs_since(before):
            if at >= 0:
                same = slice(bisect_left(known, at), bisect_left(known, at + end - first))
                yield from (number - at + first for number in known[same])
            else:
                yield from (number for number in range(first, end) if self._parts[number].acronyms)

    def _counted(self, earlier: DraftTerms | None) -> Counts:
        if earlier is None:
            return np.bincount(np.concatenate([own.terms.values for own in self._parts]))
        # An edit changes few parts: only these are counted.
        times = np.zeros(len(earlier._parts), np.int64)
        changes: list[tuple[_PartTerms, int]] = []
        for first, end, at in self.text.citing.runs_since(earlier.text.citing):
            if at < 0:
                changes += [(own, 1) for own in self._parts[first:end]]
            else:
                times[at : at + end - first] += 1
        changed = np.flatnonzero(times != 1).tolist()
        changes += [(earlier._parts[at], int(times[at]) - 1) for at in changed]
        terms = np.concatenate([NO_IDS, *(own.terms.values for own, _ in changes)])
        counts = np.zeros(max(len(earlier._counts), int(terms.max(initial=-1)) + 1), np.int64)
        counts[: len(earlier._counts)] = earlier._counts
        sizes = [len(own.terms.values) for own, _ in changes]
        by = np.asarray([by for _, by in changes], np.int64)
        np.add.at(counts, terms, np.repeat(by, sizes))
        return counts

    @cached_property
    def _terms(self) -> Lists:
        """The terms of each paragraph."""
        return Lists.joined([own.terms for own in self._parts])

    def _counts_in(self, paragraphs: int) -> Counts:
        if paragraphs == self.text.number:
            return self._counts
        # Replaced as a whole: other threads may ask for other places.
        counted, counts = self._counts_before
        if counted != paragraphs:
            counts = np.bincount(self._terms.values[: int(self._terms.starts[paragraphs])])
            self._counts_before = paragraphs, counts
        return counts

    def rarity(self, terms: Ids, paragraphs: int) -> Floats:
        """Return from 0 to 1 how rare terms are in the first paragraphs of the draft."""
        counts = self._counts_in(paragraphs)
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
