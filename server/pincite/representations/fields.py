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
from .columns import Columns, Floats, Lists, Positions, ranges
from .counting import CountedRows, joined_squares, squares
from .entry_terms import EntryTerms, Ids, TermIds

Single = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

K1: Final = 1.2
B: Final = 0.75
PASSAGE_WORDS: Final = 350
#: What entries have several or one of, by the names in `EntryTerms`.
_LISTS: Final = ("title", "authors", "citing", "acronyms", "key_words")
_VALUES: Final = ("year", "is_book", "first_author", "initials")


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

    `terms` and `names` are the numbers of stems, and of names and acronyms; `idf` has a value for
    each term. `passages` are of the text of each entry, `inlinks` its inlink contexts. `norms` are
    the lengths of the TF-IDF vectors of each passage joined with all inlink contexts of its entry,
    1 where it is 0.

    `titles` are the terms of each title in order, `authors` the numbers of names, `citing` those of
    the papers and drafts that cite an entry. Years that are not known are 0; `initials` are
    strings. `saturation` is BM25's ``k1 (1 - b + b · length / mean)`` of each title, where the mean
    excludes empty ones.

    `titled` are the entries with each term in their titles, `cited_in` those that each paper or
    draft cites, and the others those that have each author, first author, acronym, and word of a
    key.
    """

    terms: Mapping[str, int]
    names: Mapping[str, int]
    idf: Floats
    passages: Texts
    inlinks: Texts
    norms: Single
    titles: Lists
    authors: Lists
    citing: Lists
    years: npt.NDArray[np.int16]
    is_book: npt.NDArray[np.bool_]
    initials: npt.NDArray[np.object_]
    saturation: Single
    titled: Lists
    cited_in: Lists
    by_author: Lists
    by_first_author: Lists
    by_acronym: Lists
    by_key_word: Lists

    def __len__(self) -> int:
        return len(self.years)

    @classmethod
    def of(
        cls, entries: Iterable[EntryTerms], ids: TermIds, names: Mapping[str, int]
    ) -> EntryFields:
        """Count the words of entries, each read once.

        `ids` and `names` number their terms and names, and may grow as the entries come.
        """
        counted, cited, joined = _CountedTexts(), _CountedTexts(), CountedRows()
        values: dict[str, list[Any]] = {name: [] for name in _VALUES}
        #: The numbers of all entries and the sizes of their lists, by name: no objects for each.
        growing = {name: (array("i"), array("i")) for name in _LISTS}
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
            for name, (numbers, sizes) in growing.items():
                if own := getattr(entry, name):  # of most works, next to nothing is known
                    if name == "citing":
                        own = sorted({papers.setdefault(paper, len(papers)) for paper in own})
                    numbers.extend(own)
                sizes.append(len(own))
        lists = {
            name: Lists.of_sizes(np.array(sizes), np.array(numbers, np.int32))
            for name, (numbers, sizes) in growing.items()
        }
        titles, first = lists["title"], np.asarray(values["first_author"], np.int32)
        number, width = len(first), max(1, ids.width)
        with_term = np.bincount(np.array(present, np.int32), minlength=width)
        idf: Floats = np.log((1.0 + number) / (1.0 + with_term)) + 1.0
        inside, outside = counted.counted(idf), joined.columns(width)
        norms = np.sqrt(joined_squares(inside.columns, outside, counted.owner, idf**2, number))
        lengths = np.diff(titles.starts)
        mean = float(lengths[lengths > 0].mean()) if lengths.any() else 1.0
        return cls(
            terms=ids.stems,
            names=names,
            idf=idf,
            passages=inside,
            inlinks=cited.counted(idf),
            norms=_positive(norms),
            titles=titles,
            authors=lists["authors"],
            citing=lists["citing"],
            years=np.asarray(values["year"], np.int16),
            is_book=np.asarray(values["is_book"], np.bool_),
            initials=np.asarray(values["initials"], np.object_),
            saturation=(K1 * (1.0 - B + B * lengths / mean)).astype(np.float32),
            titled=titles.inverted(width),
            cited_in=lists["citing"].inverted(len(papers)),
            by_author=lists["authors"].inverted(len(names)),
            by_first_author=Lists.of_sizes(first >= 0, first[first >= 0]).inverted(len(names)),
            by_acronym=lists["acronyms"].inverted(len(names)),
            by_key_word=lists["key_words"].inverted(len(names)),
        )

    @classmethod
    def of_titles(cls, titles: Iterable[str], ids: TermIds) -> EntryFields:
        """Count the titles of entries, of which nothing else is known; `ids` may grow."""
        counted = (ids.counted(words(title)) for title in titles)
        return cls.of((EntryTerms(title=own, everything=own) for own in counted), ids, {})
