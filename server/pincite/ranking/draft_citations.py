"""What a draft cites, in reading order, as arrays: what the learned ranker knows of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, paragraph_in, section_in, words_in
from ..model.citing_text import TextPart
from ..representations.entry_terms import Ids, TermIds
from ..representations.lists import Lists

Numbers = npt.NDArray[np.int64]

#: The words around an earlier citation that say what it is cited for.
LEFT_WORDS: Final = 20
RIGHT_WORDS: Final = 12
#: The words just before a citation.
LAST_WORDS: Final = 3
#: So many citations back is "just cited".
JUST_CITED: Final = 3
#: Entries so close in a .bib were probably added together.
NEIGHBOURS: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class CitingPlaces:
    """The text around the citations of a part of a text, with the part's own offsets and numbers.

    Citation c is at ``starts[c]``, in the paragraph ``paragraphs[c]``, after ``sections[c]``
    headings. `terms` are those around each citation, the left ones first; `behind` has for each
    term how far after the citation its word starts, 0 for those on the left. `last` are the
    distinct terms just before each citation.
    """

    starts: Numbers
    paragraphs: Numbers
    sections: Numbers
    terms: Lists
    behind: Ids
    last: Lists

    @classmethod
    def of(cls, part: TextPart, starts: Sequence[int], ids: TermIds) -> CitingPlaces:
        """Take the offsets of citations."""
        terms: list[list[int]] = []
        behind: list[int] = []
        last: list[list[int]] = []
        for start in starts:
            paragraph, at, begins = words_in(part, start)
            words, far = paragraph.words, begins - start
            left = ids.counted(words[max(0, at - LEFT_WORDS) : at])
            right = [
                (term, far + own)
                for own, word in zip(
                    paragraph.starts[at : at + RIGHT_WORDS],
                    words[at : at + RIGHT_WORDS],
                    strict=True,
                )
                if (term := ids[word]) >= 0
            ]
            terms.append([*left, *(term for term, _ in right)])
            behind += [*repeat(0, len(left)), *(own for _, own in right)]
            last.append(_latest_once(ids.counted(words[max(0, at - LAST_WORDS) : at])))
        return cls(
            np.asarray(starts, np.int64),
            np.asarray([paragraph_in(part, start) for start in starts], np.int64),
            np.asarray([section_in(part, start) for start in starts], np.int64),
            Lists.of_numbers(terms),
            np.array(behind, np.int32),
            Lists.of_numbers(last),
        )

    def only(self, wanted: Sequence[int]) -> CitingPlaces:
        """Return some of the citations."""
        if len(wanted) == len(self.starts):
            return self
        chosen = np.asarray(wanted, np.intp)
        return CitingPlaces(
            self.starts[chosen],
            self.paragraphs[chosen],
            self.sections[chosen],
            self.terms.chosen(chosen),
            Lists(self.terms.starts, self.behind).chosen(chosen).values,
            self.last.chosen(chosen),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PartCitations:
    """The citations of a part of a text: c cites the entries at the positions ``cited[c]``."""

    places: CitingPlaces
    cited: Lists

    @classmethod
    def of(cls, places: CitingPlaces, cited: Sequence[Sequence[int]]) -> PartCitations:
        """Take the positions of the entries that each citation cites, omitting those of none."""
        known = [number for number, own in enumerate(cited) if own]
        lists = Lists.of(cited[number] for number in known)
        return cls(places.only(known), lists)


def _latest_once(terms: Sequence[int]) -> list[int]:
    """Return the distinct terms in the order of their last occurrences."""
    return [*dict.fromkeys(reversed(terms))][::-1]


class DraftCitations:
    """The citations of a text, each a number in reading order, with what they cite.

    Pair i says that citation ``pair_citation[i]`` cites the entry at position ``pair_entry[i]``;
    the pairs of citation c start at ``pair_start[c]``. All other attributes are as in
    `CitingPlaces`, for the whole text.
    """

    def __init__(self, text: SurroundedText, parts: Sequence[PartCitations]) -> None:
        """Take the citations of each part of a text; there is at least one part."""
        self.text = text
        citing = [number for number, part in enumerate(parts) if len(part.cited)] or [0]
        places = [parts[number].places for number in citing]
        sizes = [len(own.starts) for own in places]

        def joined(own: Sequence[Numbers], before: Sequence[int]) -> Numbers:
            """Join offsets or numbers of the parts, which follow those of the parts before."""
            begins = np.repeat(np.asarray(before, np.int64)[citing], sizes)
            return np.asarray(np.concatenate(own) + begins, np.int64)

        self.starts = joined([own.starts for own in places], text.citing.starts)
        self.paragraphs = joined([own.paragraphs for own in places], text.paragraphs_before)
        self.sections = joined([own.sections for own in places], text.headings_before)
        cited = Lists.joined([parts[number].cited for number in citing])
        self.pair_start: Numbers = cited.starts
        self.pair_entry: Numbers = cited.values.astype(np.int64)
        self.pair_citation: Numbers = np.repeat(np.arange(len(cited)), np.diff(cited.starts))
        self.terms = Lists.joined([own.terms for own in places])
        self.behind = np.concatenate([own.behind for own in places])
        self.last = Lists.joined([own.last for own in places])

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
                CitingPlaces.of(part, [start - begin for start in starts[first:end]], ids),
                cited[first:end],
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
