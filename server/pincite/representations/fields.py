"""The index of a bibliography: what is known of all entries, as arrays.

Two scores are made of it: the cosine of TF-IDF vectors of all that is known of an entry (`mixed`,
Duma and Klein 2014: a passage joined with all inlink contexts), where an entry scores as its best
passage; and BM25 of its title (Robertson and Zaragoza 2009, equation 3.15). Where we differ from
both: terms are stems, and one IDF serves both, over the entries that have a term anywhere, so that
a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..text.tokens import words
from .columns import Columns, Floats
from .counting import CountedRows, joined_squares
from .entry_terms import EntryTerms, Ids, TermIds
from .internal import passages_of
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
    """What is known of entries apart from their postings: an element or a list for each.

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


@dataclass(frozen=True, eq=False)
class EntryFields:
    """All entries of a bibliography as arrays; positions are those in the order given.

    `idf` has a value for each term; `terms`, `names` and `papers` are the numbers of stems, of
    names and acronyms, and of the papers and drafts that cite. The passages of entry i start at row
    ``first[i]`` of `passages`; each entry has one at least. `inlinks` has a row for each entry, of
    all its inlink contexts. `norms` are the lengths of the TF-IDF vectors of each passage joined
    with the inlink contexts of its entry, 1 where it is 0.

    `titled` are the entries with each term in their titles, `saturation` is BM25's
    ``k1 (1 - b + b · length / mean)`` of each title, where the mean excludes empty ones.
    """

    terms: Mapping[str, int]
    names: Mapping[str, int]
    papers: Mapping[str, int]
    facts: Facts
    named: NamedEntries
    idf: Floats
    passages: Columns
    first: Numbers
    inlinks: Columns
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
        counted, cited = CountedRows(), CountedRows()
        sizes: list[int] = []
        values: dict[str, list[Any]] = {name: [] for name in (*_LISTS, *_ARRAYS)}
        papers: dict[str, int] = {}
        #: The distinct terms of each entry.
        present = array("i")
        for entry in entries:
            passages = passages_of(entry.everything, PASSAGE_WORDS)
            inlinks = [*chain(*entry.inlinks)]
            counted.extend(passages)
            cited.extend((inlinks,))
            sizes.append(len(passages))
            present.extend({*entry.everything, *inlinks})
            for name, column in values.items():
                column.append(getattr(entry, name))
        values["citing"] = [
            sorted({papers.setdefault(paper, len(papers)) for paper in own})
            for own in values["citing"]
        ]
        parts: dict[str, Any] = {
            **{own: Lists.of_numbers(values[name]) for name, own in _LISTS.items()},
            **{own: np.asarray(values[name], kind) for name, (own, kind) in _ARRAYS.items()},
        }
        facts = Facts(**parts)
        number, width = len(sizes), max(1, ids.width)
        with_term = np.bincount(np.array(present, np.int32), minlength=width)
        idf: Floats = np.log((1.0 + number) / (1.0 + with_term)) + 1.0
        inside, outside = counted.columns(width), cited.columns(width)
        rows = np.asarray(sizes, np.int64)
        owner = np.repeat(np.arange(number, dtype=np.int32), rows)
        norms = np.sqrt(joined_squares(inside, outside, owner, idf**2, number))
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
            np.cumsum(rows) - rows,
            outside,
            np.where(norms == 0.0, 1.0, norms).astype(np.float32),
            facts.titles.inverted(width),
            (K1 * (1.0 - B + B * lengths / mean)).astype(np.float32),
        )

    @classmethod
    def of_titles(cls, titles: Iterable[str], ids: TermIds) -> EntryFields:
        """Count the titles of entries, of which nothing else is known; `ids` may grow."""
        counted = (ids.counted(words(title)) for title in titles)
        return cls.of((EntryTerms(title=own, everything=own) for own in counted), ids, {})

    def passages_of(self, positions: Positions) -> tuple[Positions, Numbers]:
        """Return the rows of the passages of some entries, and where those of each begin."""
        begins = self.first[positions]
        sizes = np.append(self.first, len(self.norms))[positions + 1] - begins
        return ranges(begins, sizes), np.cumsum(sizes) - sizes
