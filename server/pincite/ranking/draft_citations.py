"""What a draft cites, in reading order, in numbers: the memory of the learned ranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import ParagraphWords, SurroundedText
from ..representations.entry_terms import NO_IDS, Ids, TermIds

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

#: The words round an earlier citation that say what it is cited for.
LEFT_WORDS: Final = 20
RIGHT_WORDS: Final = 12
#: The words just before a citation.
LAST_WORDS: Final = 3
#: So many citations back is "just cited".
JUST_CITED: Final = 3
#: Entries so close in a .bib were probably added together.
NEIGHBOURS: Final = 3

#: Citations whose terms are kept: typing changes those of one paragraph.
_CITATIONS_KEPT: Final = 20_000

#: Kinds of citations whose share so far is known (`DraftCitations.rates`).
RATES: Final = ("repeat", "again", "bib", "recent")


@dataclass(frozen=True, slots=True, eq=False)
class TermsAround:
    """The terms left and right of a place between words, and those just before it.

    `right_starts` are where the words on the right start in the paragraph.
    """

    left: Ids
    right: Ids
    right_starts: Numbers
    last: Ids


class CitationTerms:
    """The terms round citations; those of a paragraph that stays as it is are kept."""

    def __init__(self, ids: TermIds) -> None:
        self.ids = ids
        self._kept: dict[tuple[ParagraphWords, int], TermsAround] = {}

    def at(self, paragraph: ParagraphWords, word: int) -> TermsAround:
        """Return the terms round the place in front of a word of a paragraph."""
        found = self._kept.get((paragraph, word))
        if found is None:
            if len(self._kept) >= _CITATIONS_KEPT:
                self._kept = {}
            words, of = paragraph.words, self.ids.of
            right = self.ids.numbers(words[word : word + RIGHT_WORDS])
            starts = np.asarray(paragraph.starts[word : word + RIGHT_WORDS], np.int64)
            found = self._kept[paragraph, word] = TermsAround(
                of(words[max(0, word - LEFT_WORDS) : word]),
                right[right >= 0],
                starts[right >= 0],
                _latest_once(of(words[max(0, word - LAST_WORDS) : word])),
            )
        return found


def _latest_once(terms: Ids) -> Ids:
    """Return terms in order, each once, where it stands last."""
    latest = list(dict.fromkeys(terms[::-1].tolist()))
    return np.asarray(latest[::-1], np.int32)


class DraftCitations:
    """The citations of a text, each a number in reading order, with what they cite.

    Pair i says that citation ``pair_citation[i]`` cites the entry at position ``pair_entry[i]``;
    the pairs of citation c start at ``pair_start[c]``. `terms` are those round each citation,
    from ``term_start[c]`` on, the left ones first; `last_terms` are those just before it, each
    once, from ``last_start[c]`` on, and `last_owner` has the citation of each.
    """

    def __init__(
        self,
        text: SurroundedText,
        starts: Sequence[int],
        cited: Sequence[Sequence[int]],
        terms: CitationTerms,
    ) -> None:
        """Take the offsets of citations and the positions of the entries that each cites."""
        self.starts: Numbers = np.asarray(starts, np.int64)
        self.paragraphs: Numbers = np.asarray(list(map(text.paragraph, starts)), np.int64)
        self.sections: Numbers = np.asarray(list(map(text.section, starts)), np.int64)
        sizes = np.asarray(list(map(len, cited)), np.int64)
        self.pair_citation: Numbers = np.repeat(np.arange(len(sizes)), sizes)
        self.pair_entry: Numbers = np.asarray([p for own in cited for p in own], np.int64)
        self.pair_start: Numbers = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        parts: list[Ids] = []
        #: Where the word of each term starts; of those left of a citation, where that does.
        offsets: list[Numbers] = []
        lengths: list[int] = []
        last: list[Ids] = []
        for start in starts:
            paragraph, word, begins = text.paragraph_at(start)
            around = terms.at(paragraph, word)
            parts += (around.left, around.right)
            offsets += (np.full(len(around.left), start), around.right_starts + begins)
            lengths.append(len(around.left) + len(around.right))
            last.append(around.last)
        self.terms: Ids = np.concatenate([*parts, NO_IDS])
        self.term_offset: Numbers = np.concatenate([*offsets, np.empty(0, np.int64)])
        self.term_start: Numbers = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.last_terms: Ids = np.concatenate([*last, NO_IDS])
        self.last_start: Numbers = np.cumsum([0, *map(len, last)])
        self.last_owner: Numbers = np.repeat(np.arange(len(last)), np.diff(self.last_start))
        self.rates = _rates(tuple(map(tuple, cited)))

    def __len__(self) -> int:
        return len(self.starts)

    def before(self, offset: int) -> int:
        """Return how many citations stand before an offset."""
        return int(np.searchsorted(self.starts, offset))

    def cited_by(self, citation: int) -> Numbers:
        """Return the positions of the entries that a citation cites."""
        return self.pair_entry[self.pair_start[citation] : self.pair_start[citation + 1]]

    def seen_terms(self, offset: int) -> tuple[Ids, Numbers]:
        """Return the terms round the citations before an offset, and the citation of each.

        Words behind the offset are not among them: they are not written yet.
        """
        before = self.before(offset)
        end = int(self.term_start[before])
        owner = np.repeat(np.arange(before), np.diff(self.term_start[: before + 1]))
        keep = self.term_offset[:end] < offset
        return self.terms[:end][keep], owner[keep]


@lru_cache(8)
def _rates(cited: tuple[tuple[int, ...], ...]) -> Floats:
    """Return which shares of the first n citations were of a kind, for every n.

    The kinds are those of `RATES`: of a work cited before; of what the last citation cites; of a
    new work beside one just cited in the .bib; of one just cited.
    """
    seen: set[int] = set()
    hits = np.zeros((len(cited) + 1, len(RATES)))
    for number, own in enumerate(cited):
        just = [
            entry for earlier in cited[max(0, number - JUST_CITED) : number] for entry in earlier
        ]
        new = [entry for entry in own if entry not in seen]
        last = cited[number - 1] if number else ()
        hits[number + 1] = (
            not new,
            any(entry in last for entry in own),
            any(abs(entry - other) <= NEIGHBOURS for entry in new for other in just),
            any(entry in just for entry in own),
        )
        seen.update(own)
    shares = np.cumsum(hits, axis=0) / np.maximum(1, np.arange(len(hits)))[:, None]
    return np.asarray(shares, dtype=np.float64)
