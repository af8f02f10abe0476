"""The index of a bibliography: what is known about all entries, as arrays.

Two scores are made of it: the cosine of TF-IDF vectors of all that is known of an entry (`mixed`,
Duma and Klein 2014: a passage joined with all inlink contexts), where an entry scores as its best
passage; and BM25 of its title (Robertson and Zaragoza 2009, equation 3.15). Where we differ from
both: terms are stems, and one IDF serves both, over the entries that have a term anywhere, so that
a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..text.tokens import words
from .bags import passages_of
from .columns import Columns, Floats
from .counting import CountedRows, joined_squares, squares
from .entry_terms import EntryTerms, Ids, TermIds
from .lists import Lists, Positions, ranges

Single = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

K1: Final = 1.2
B: Final = 0.75
PASSAGE_WORDS: Final = 350
#: `Facts` by the names that one entry has for them.
_LISTS: Final = {
    "title": "titles",
    "authors": "authors",
    "citing": "citing",
    "acronyms": "acronyms",
    "key_words": "key_words",
}
_ARRAYS: Final[Mapping[str, tuple[str, type[np.generic]]]] = {
    "year": ("years", np.int16),
    "is_book": ("is_book", np.bool_),
    "first_author": ("first_authors", np.int32),
    "initials": ("initials", np.object_),
}


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known about entries apart from their postings: an element or a list for each.

    `titles` are the terms of each title in order; `authors`, `acronyms` and `key_words` the numbers
    of names, `citing` those of the papers and drafts that cite an entry. Years that are not known
    are 0, first authors -1; `initials` are strings.
    """

    titles: Lists
    authors: Lists
    citing: Lists
    acronyms: Lists
    key_words: Lists
    years: npt.NDArray[np.int16]
    is_book: npt.NDArray[np.bool_]
    first_authors: Ids
    initials: npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class NamedEntries:
    """The entries that have each author, first author, acronym and word of a key, by its number."""

    by_author: Lists
    by_first_author: Lists
    by_acronym: Lists
    by_key_word: Lists

    @classmethod
    def of(cls, facts: Facts, names: int) -> NamedEntries:
        """Return the entries of each name; `names` is the number of names."""
        has_author = facts.first_authors >= 0
        starts = np.concatenate([[0], np.cumsum(has_author)])
        first = Lists(starts, facts.first_authors[has_author])
        lists = (facts.authors, first, facts.acronyms, facts.key_words)
        return cls(*(own.inverted(names) for own in lists))


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The texts of all entries: those of entry i start at row ``first[i]`` of `columns`.

    Each entry has one at least, which may be empty. `norms` are the lengths of the TF-IDF vectors,
    1 where that is 0.
    """

    columns: Columns
    first: Numbers
    norms: Single

    def rows_of(self, positions: Positions) -> tuple[Positions, Numbers]:
        """Return the rows of the texts of some entries, and where those of each begin."""
        begins = self.first[positions]
        sizes = np.append(self.first, len(self.norms))[positions + 1] - begins
        return ranges(begins, sizes), np.cumsum(sizes) - sizes


class _CountedTexts:
    """Collects the texts of entries."""

    def __init__(self) -> None:
        self._rows = CountedRows()
        self._sizes = array("q")

    def add(self, own: Sequence[Sequence[int]]) -> None:
        """Add the texts of the next entry."""
        self._rows.extend(own)
        self._sizes.append(len(own))

    @property
    def owner(self) -> Ids:
        """The entry of each text."""
        return np.repeat(np.arange(len(self._sizes), dtype=np.int32), self._sizes)

    def counted(self, idf: Floats) -> Texts:
        """Return the texts counted; the rows are released."""
        columns = self._rows.columns(len(idf))
        sizes = np.array(self._sizes, np.int64)
        lengths = np.sqrt(squares(columns, idf**2, int(sizes.sum())))
        return Texts(columns, np.cumsum(sizes) - sizes, _positive(lengths))


def _positive(lengths: Floats) -> Single:
    return np.where(lengths == 0.0, 1.0, lengths).astype(np.float32)


@dataclass(frozen=True, eq=False)
class EntryFields:
    """All entries of a bibliography as arrays; positions are those in the order given.

    `idf` has a value for each term; `terms`, `names` and `papers` are the numbers of stems, of
    names and acronyms, and of the papers and drafts that cite. `passages` are of the text of each
    entry, `inlinks` its inlink contexts. `norms` are the lengths of the TF-IDF vectors of each
    passage joined with all inlink contexts of its entry, 1 where it is 0.

    `titled` are the entries with each term in their titles, `saturation` is BM25's
    ``k1 (1 - b + b · length / mean)`` of each title, where the mean excludes empty ones.
    """

    terms: Mapping[str, int]
    names: Mapping[str, int]
    papers: Mapping[str, int]
    facts: Facts
    named: NamedEntries
    idf: Floats
    passages: Texts
    inlinks: Texts
    norms: Single
    titled: Lists
    saturation: Single

    def __len__(self) -> int:
        return len(self.facts.years)

    @classmethod
    def of(
        cls, entries: Iterable[EntryTerms], ids: TermIds, names: Mapping[str, int]
    ) -> EntryFields:
        """Count the words of entries, each read once.

        `ids` and `names` number their terms and names, and may grow as the entries come.
        """
        counted, cited, joined = _CountedTexts(), _CountedTexts(), CountedRows()
        values: dict[str, list[Any]] = {name: [] for name in _ARRAYS}
        #: The numbers of all entries and the sizes of their lists, by name: no objects for each.
        lists = {name: (array("i"), array("i")) for name in _LISTS}
        papers: dict[str, int] = {}
        #: The distinct terms of each entry.
        present = array("i")
        for entry in entries:
            inlinks = [*chain(*entry.inlinks)]
            counted.add(passages_of(entry.everything, PASSAGE_WORDS))
            cited.add(entry.inlinks or [()])
            joined.extend((inlinks,))
            present.extend({*entry.everything, *inlinks})
            for name, column in values.items():
                column.append(getattr(entry, name))
            for name, (numbers, sizes) in lists.items():
                if own := getattr(entry, name):  # of most works, next to nothing is known
                    if name == "citing":
                        own = sorted({papers.setdefault(paper, len(papers)) for paper in own})
                    numbers.extend(own)
                sizes.append(len(own))
        parts: dict[str, Any] = {
            own: np.asarray(values[name], kind) for name, (own, kind) in _ARRAYS.items()
        }
        parts |= {
            own: Lists.of_sizes(np.array(lists[name][1]), np.array(lists[name][0], np.int32))
            for name, own in _LISTS.items()
        }
        facts = Facts(**parts)
        number, width = len(facts.years), max(1, ids.width)
        with_term = np.bincount(np.array(present, np.int32), minlength=width)
        idf: Floats = np.log((1.0 + number) / (1.0 + with_term)) + 1.0
        inside, outside = counted.counted(idf), joined.columns(width)
        norms = np.sqrt(joined_squares(inside.columns, outside, counted.owner, idf**2, number))
        lengths = np.diff(facts.titles.starts)
        mean = float(lengths[lengths > 0].mean()) if lengths.any() else 1.0
        return cls(
            ids.stems,
            names,
            papers,
            facts,
            NamedEntries.of(facts, len(names)),
            idf,
            inside,
            cited.counted(idf),
            _positive(norms),
            facts.titles.inverted(width),
            (K1 * (1.0 - B + B * lengths / mean)).astype(np.float32),
        )

    @classmethod
    def of_titles(cls, titles: Iterable[str], ids: TermIds) -> EntryFields:
        """Count the titles of entries, of which nothing else is known; `ids` may grow."""
        counted = (ids.counted(words(title)) for title in titles)
        return cls.of((EntryTerms(title=own, everything=own) for own in counted), ids, {})
