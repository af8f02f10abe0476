"""What a draft cites, in reading order, how rare its terms are in it, and what acronyms stand for.

These are arrays: the evidence of the learned ranker.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, paragraph_in, words_in, words_of_paragraphs
from ..model.citing_text import PARAGRAPH_BREAK, TextPart
from ..representations.columns import Lists
from ..representations.entry_terms import Ids, TermIds
from ..text.tokens import words

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

#: The words around an earlier citation that show what it is cited for.
LEFT_WORDS: Final = 20
RIGHT_WORDS: Final = 12
#: The words just before a citation.
LAST_WORDS: Final = 3
#: How many citations back still count as "just cited".
JUST_CITED: Final = 3
#: Entries so close in a .bib were probably added together.
NEIGHBOURS: Final = 3
#: "trust region policy optimization (TRPO)".
_SPELLED_OUT: Final = re.compile(r"\(([^\W\d_]*[A-Z][^\W_]*[A-Z0-9][^\W_]{0,8}?)s?\)")
_LONGEST_SPELLING: Final = 160
_MOST_SPELLED: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class PartCitations:
    """The citations of a part of a text, with the part's own offsets and numbers.

    Each has a row of `citations`: its offset, the number of its paragraph, how many headings there
    are before it, and how many numbers it has in each of the other arrays. `cited` are the
    positions of the entries that it cites, of which there is at least one. `terms` are those around
    it, the left ones first, each with how far after the citation its word starts, 0 for those on
    the left; `last` are the distinct terms just before it.
    """

    citations: Numbers
    cited: Ids
    terms: Ids
    last: Ids

    @classmethod
    def of(
        cls, part: TextPart, starts: Iterable[int], cited: Iterable[Sequence[int]], ids: TermIds
    ) -> PartCitations:
        """Take the offsets of citations and the positions of what each cites, if anything."""
        citations: list[tuple[int, ...]] = []
        cites: list[int] = []
        terms: list[tuple[int, int]] = []
        last: list[int] = []
        for start, own in zip(starts, cited, strict=True):
            if not own:
                continue
            paragraph, at, begins = words_in(part, start)
            words, far = paragraph.words, begins - start
            around = [(term, 0) for term in ids.counted(words[max(0, at - LEFT_WORDS) : at])]
            around += [
                (term, far + begin)
                for begin, word in zip(
                    paragraph.starts[at : at + RIGHT_WORDS],
                    words[at : at + RIGHT_WORDS],
                    strict=True,
                )
                if (term := ids[word]) >= 0
            ]
            # Distinct, in the order of their last occurrences.
            before = ids.counted(words[max(0, at - LAST_WORDS) : at])
            latest = [*dict.fromkeys(reversed(before))][::-1]
            place = start, paragraph_in(part, start), part.headings_before(start)
            citations.append((*place, len(own), len(around), len(latest)))
            cites += own
            terms += around
            last += latest
        return cls(
            np.array(citations, np.int64).reshape(-1, 6),
            np.array(cites, np.int32),
            np.array(terms, np.int32).reshape(-1, 2),
            np.array(last, np.int32),
        )


class DraftCitations:
    """The citations of a text, each a number in reading order, with what they cite.

    In pair i, citation ``pair_citation[i]`` cites the entry at position ``pair_entry[i]``;
    the pairs of citation c start at ``pair_start[c]``. Its offset is ``starts[c]``, in paragraph
    ``paragraphs[c]``, after ``sections[c]`` headings. `terms` are those around each citation,
    `behind` has how far after the citation each starts, and `last` are those just before it.
    """

    def __init__(self, text: SurroundedText, parts: Sequence[PartCitations]) -> None:
        """Take the citations of each part of a text; there is at least one part."""
        self.text = text
        citations = np.concatenate([part.citations for part in parts]).T.copy()
        before = text.citing.starts, text.paragraphs_before[:-1], text.headings_before[:-1]
        sizes = [len(part.citations) for part in parts]
        citations[:3] += np.repeat(np.asarray(before), sizes, axis=1)
        self.starts, self.paragraphs, self.sections, cited, around, last = citations
        self.pair_citation: Numbers = np.repeat(np.arange(len(cited)), cited)
        self.pair_entry = np.concatenate([part.cited for part in parts], dtype=np.int64)
        self.pair_start: Numbers = np.concatenate([[0], np.cumsum(cited)])
        terms, self.behind = np.concatenate([part.terms for part in parts]).T.copy()
        self.terms = Lists.of_sizes(around, terms)
        self.last = Lists.of_sizes(last, np.concatenate([part.last for part in parts]))

    @classmethod
    def of(
        cls,
        text: SurroundedText,
        starts: Sequence[int],
        cited: Sequence[Sequence[int]],
        ids: TermIds,
    ) -> DraftCitations:
        """Take the rising offsets of citations in a text and the positions of what each cites."""
        begins = text.citing.starts
        cuts = [*(bisect_left(starts, begin) for begin in begins), len(starts)]
        parts = [
            PartCitations.of(
                part, (each - begin for each in starts[first:end]), cited[first:end], ids
            )
            for part, begin, (first, end) in zip(
                text.citing.parts, begins, pairwise(cuts), strict=True
            )
        ]
        return cls(text, parts)

    def __len__(self) -> int:
        return len(self.starts)

    def before(self, offset: int) -> int:
        """Return the number of citations before an offset."""
        return int(np.searchsorted(self.starts, offset))

    def cited_by(self, citation: int) -> Numbers:
        """Return the positions of the entries that a citation cites."""
        return self.pair_entry[self.pair_start[citation] : self.pair_start[citation + 1]]

    def seen_terms(self, offset: int) -> tuple[Ids, Numbers]:
        """Return the terms around the citations before an offset, and the citation of each.

        Words after the offset are excluded: they are not written yet.
        """
        before = self.before(offset)
        # Only in the paragraph of the place may words of an earlier citation stand after it.
        first = min(before, self.before(self.text.start(offset)))
        begin, end = self.terms.starts[[first, before]].tolist()
        starts = self.starts[self._term_owner[begin:end]] + self.behind[begin:end]
        written = starts < offset

        terms, owner = self.terms.values, self._term_owner
        return (
            np.concatenate([terms[:begin], terms[begin:end][written]]),
            np.concatenate([owner[:begin], owner[begin:end][written]]),
        )

    @cached_property
    def _term_owner(self) -> Numbers:
        """The citation of each term."""
        return np.repeat(np.arange(len(self)), np.diff(self.terms.starts))

    def first_cited(self, before: int) -> Numbers:
        """Return the distinct entries of the first `before` citations, in order of citation."""
        end = int(self.pair_start[before])
        return self.pair_entry[:end][self.earlier[:end] < 0]

    def latest_cited(self, before: int) -> Numbers:
        """Return the distinct entries of the first `before` citations, the last cited first."""
        entries = self.pair_entry[: int(self.pair_start[before])]
        pairs = np.arange(len(entries))
        # The last pair of each entry stays.
        last = np.empty(int(entries.max(initial=0)) + 1, np.intp)
        last[entries] = pairs
        latest: Numbers = entries[last[entries] == pairs][::-1]
        return latest

    @cached_property
    def earlier(self) -> Numbers:
        """The pair before each that cites the same entry, -1 for none."""
        # NumPy sorts integers of up to 16 bits by radix sort, in a third of the time.
        narrow = np.min_scalar_type(int(self.pair_entry.max(initial=0)))
        order = np.argsort(self.pair_entry.astype(narrow), kind="stable")
        is_again = np.diff(self.pair_entry[order], prepend=-1) == 0
        earlier = np.full(len(order), -1)
        earlier[order[is_again]] = order[np.flatnonzero(is_again) - 1]
        return earlier


@dataclass(frozen=True, slots=True, eq=False)
class PartTerms:
    """The distinct terms of each paragraph of a part, and the acronyms that it spells out.

    `sizes` are how many terms each paragraph has.
    """

    sizes: Numbers
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
        #: Where each acronym is first spelled out, and the words it stands for.
        self.spelled_out: dict[str, tuple[int, tuple[str, ...]]] = {}
        for begin, own in zip(text.citing.starts, parts, strict=True):
            for name, end, spelled in own.acronyms:
                self.spelled_out.setdefault(name, (begin + end, spelled))

    def of_paragraph(self, paragraph: int) -> Ids:
        """Return the distinct terms of a paragraph."""
        return self._terms[paragraph]

    def rarity(self, terms: Ids, paragraphs: int) -> Floats:
        """Return from 0 to 1 how rare terms are in the first paragraphs of the draft."""
        counts = np.bincount(self._terms.values[: int(self._terms.starts[paragraphs])])
        known = np.zeros(len(terms))
        is_known = terms < len(counts)
        known[is_known] = counts[terms[is_known]]
        most = np.log((paragraphs + 10.0) / 0.5)
        return np.asarray(np.log((paragraphs + 10.0) / (known + 0.5)) / most, np.float64)


def _spelled_out(text: str) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return the acronyms of a text, where each is spelled out, and the words it stands for."""
    found: list[tuple[str, int, tuple[str, ...]]] = []
    for match in _SPELLED_OUT.finditer(text):
        name = match[1].lower()
        before = text[max(0, match.start() - _LONGEST_SPELLING) : match.start()]
        own = words(before.rpartition(PARAGRAPH_BREAK)[2])
        for first in range(len(own) - 1, max(-1, len(own) - _MOST_SPELLED), -1):
            long = own[first:]
            initials = ("".join(word[0] for word in each).lower() for each in _initialled(long))
            if len(long) > 1 and name in initials:
                found.append((name, match.end(), tuple(long)))
                break
    return found


def _initialled(long: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    return long, [word for word in long if len(word) > 3 or word[0].isupper()]
