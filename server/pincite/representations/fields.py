"""The index of a bibliography: what is known of all entries, field by field.

A field is a matrix of counts by term. It may have several rows for an entry (passages, inlink
contexts): the entry then scores as its best row. Two scores are made of the same counts: the cosine
of TF-IDF vectors, and BM25 (Robertson and Zaragoza 2009, equation 3.15). Where we differ from both:
terms are stems, and one IDF serves all fields, over the entries that have a term anywhere, so that
a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..text.tokens import words
from .columns import Columns, Floats, Postings
from .counting import CountedRows, joined_squares, squares
from .entry_terms import EntryTerms, Ids, TermIds
from .internal import passages_of
from .lists import Lists, Positions, ranges

Single = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

K1: Final = 1.2
B: Final = 0.75
#: `inlinks` joins all inlink contexts of an entry, `inlink` has a row for each.
TEXT_FIELDS: Final = ("title", "abstract", "passages", "inlinks", "inlink", "venue")
PASSAGE_WORDS: Final = 350
#: Entries whose terms are in memory as lists at a time.
_AT_ONCE: Final = 1024
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
    "kind": ("kinds", np.uint8),
    "first_author": ("first_authors", np.int32),
    "has_abstract": ("has_abstract", np.bool_),
    "has_full_text": ("has_full_text", np.bool_),
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
    kinds: npt.NDArray[np.uint8]
    first_authors: Ids
    has_abstract: npt.NDArray[np.bool_]
    has_full_text: npt.NDArray[np.bool_]
    initials: npt.NDArray[np.object_]

    @classmethod
    def of(cls, values: Mapping[str, Sequence[Any]]) -> Facts:
        """Take the values of all entries, by the names that one entry has for them."""
        parts: dict[str, Any] = {
            **{own: Lists.of_numbers(values[name]) for name, own in _LISTS.items()},
            **{own: np.asarray(values[name], kind) for name, (own, kind) in _ARRAYS.items()},
        }
        return cls(**parts)


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
class Field:
    """One field: counts by term, and of each row its entry, norm and saturation.

    The rows of entry i start at ``first[i]``; each entry has one at least. `norms` are the lengths
    of TF-IDF vectors (1 where it is 0), `saturation` is ``k1 (1 - b + b · length / mean)``, where
    the mean length excludes empty rows.
    """

    columns: Columns
    first: Numbers
    owner: Ids
    norms: Single
    saturation: Single

    @classmethod
    def of(cls, columns: Columns, sizes: Sequence[int], lengths: Ids, idf: Floats) -> Field:
        """Take the rows of each entry, and the terms of each row."""
        known = lengths[lengths > 0]
        mean = float(known.mean()) if len(known) else 1.0
        saturation = (K1 * (1.0 - B + B * lengths / mean)).astype(np.float32)
        owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        first = np.cumsum(sizes, dtype=np.int64) - sizes
        norms = _norms(squares(columns, idf**2, len(owner)))
        return cls(columns, first, owner, norms, saturation)

    def postings(self, terms: Ids) -> Postings:
        """Return the postings of some terms in all rows."""
        return self.columns.postings(terms)

    def postings_in(self, terms: Ids, rows: Positions) -> Postings:
        """Return the postings of some terms in some rows, numbered in the given, rising order."""
        slots = np.full(len(self.norms), -1, np.int32)
        slots[rows] = np.arange(len(rows), dtype=np.int32)
        return self.columns.postings_in(terms, slots)

    def rows_of(self, positions: Positions) -> tuple[Positions, Numbers]:
        """Return the rows of some entries, entry by entry, and where those of each begin."""
        if len(self.norms) == len(self.first):
            return positions, np.arange(len(positions))
        begins = self.first[positions]
        sizes = np.append(self.first, len(self.norms))[positions + 1] - begins
        return ranges(begins, sizes), np.cumsum(sizes) - sizes


@dataclass(frozen=True, eq=False)
class EntryFields:
    """All entries of a bibliography as arrays; positions are those in the order given.

    `idf` has a value for each term; `terms`, `names` and `papers` are the numbers of stems, of
    names and acronyms, and of the papers and drafts that cite. `mixed_norms` are the norms of each
    passage joined with the inlink contexts of its entry (Duma and Klein's best representation).
    """

    terms: Mapping[str, int]
    names: Mapping[str, int]
    papers: Mapping[str, int]
    facts: Facts
    named: NamedEntries
    idf: Floats
    text: Mapping[str, Field]
    mixed_norms: Single

    def __len__(self) -> int:
        return len(self.facts.years)

    @classmethod
    def of(
        cls, entries: Iterable[EntryTerms], ids: TermIds, names: Mapping[str, int]
    ) -> EntryFields:
        """Count the fields of entries, each read once.

        `ids` and `names` number their terms and names, and may grow as the entries come.
        """
        rows = {name: CountedRows() for name in TEXT_FIELDS}
        sizes: dict[str, list[int]] = {name: [] for name in TEXT_FIELDS}
        values: dict[str, list[Any]] = {name: [] for name in (*_LISTS, *_ARRAYS)}
        papers: dict[str, int] = {}
        #: The distinct terms of each entry.
        present = array("i")
        waiting = iter(entries)
        while some := list(islice(waiting, _AT_ONCE)):
            texts: dict[str, list[Sequence[Sequence[int]]]] = {
                "title": [(each.title,) for each in some],
                "abstract": [(each.abstract,) for each in some],
                "passages": [passages_of(each.everything, PASSAGE_WORDS) for each in some],
                "inlinks": [([*chain(*each.inlinks)],) for each in some],
                "inlink": [each.inlinks or ((),) for each in some],
                "venue": [(each.venue,) for each in some],
            }
            for name, own in texts.items():
                rows[name].extend(list(chain.from_iterable(own)))
                sizes[name] += map(len, own)
            for each in some:
                present.extend({*each.everything, *chain(*each.inlinks)})
            for name, column in values.items():
                column += [getattr(each, name) for each in some]
        values["citing"] = [
            sorted({papers.setdefault(paper, len(papers)) for paper in own}) if own else ()
            for own in values["citing"]
        ]
        facts, width = Facts.of(values), max(1, ids.width)
        with_term = np.bincount(np.array(present, np.int32), minlength=width)
        idf: Floats = np.log((1.0 + len(facts.years)) / (1.0 + with_term)) + 1.0
        text = {
            name: Field.of(own.columns(width), sizes[name], own.lengths, idf)
            for name, own in rows.items()
        }
        passages, inlinked = text["passages"], text["inlinks"]
        owner, number = passages.owner, len(facts.years)
        mixed = joined_squares(passages.columns, inlinked.columns, owner, idf**2, number)
        named = NamedEntries.of(facts, len(names))
        return cls(ids.stems, names, papers, facts, named, idf, text, _norms(mixed))

    @classmethod
    def of_titles(cls, titles: Iterable[str], ids: TermIds) -> EntryFields:
        """Count the titles of entries, of which nothing else is known; `ids` may grow."""
        counted = (ids.counted(words(title)) for title in titles)
        return cls.of((EntryTerms(title=own, everything=own) for own in counted), ids, {})


def _norms(squared: Floats) -> Single:
    norms = np.sqrt(squared)
    norms[norms == 0.0] = 1.0
    return norms.astype(np.float32)
