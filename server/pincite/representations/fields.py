"""What is known of all entries, field by field, and how much of a query each field has.

A field is a matrix of counts by term (`Columns`). It may have several rows for an entry (passages,
inlink contexts): the entry then scores as its best row. Two scores are made of the same counts: the
cosine of TF-IDF vectors, and BM25 (Robertson and Zaragoza 2009, equation 3.15). Where we differ
from both: terms are stems, and one IDF serves all fields, over the entries that have a term
anywhere, so that a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from .columns import Columns, Postings
from .counting import CountedRows, Joined, squares
from .entry_terms import EntryTerms, Ids, TermIds
from .internal import WorkTokens, passages

Floats = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
Positions = npt.NDArray[np.intp]

K1: Final = 1.2
B: Final = 0.75
#: `inlinks` joins all inlink contexts of an entry, `inlink` has a row for each.
TEXT_FIELDS: Final = ("title", "abstract", "passages", "inlinks", "inlink", "venue")
PASSAGE_WORDS: Final = 350


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """A list of numbers for each of several things: that of i is ``starts[i]`` to ``starts[i+1]``.

    The numbers are int32.
    """

    starts: npt.NDArray[np.int64]
    values: Ids

    @classmethod
    def of(cls, lists: Iterable[Sequence[int] | Ids]) -> Lists:
        """Return lists in the order given."""
        growing = _Growing()
        for each in lists:
            growing.add(each)
        return growing.lists()

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> Ids:
        return self.values[self.starts[number] : self.starts[number + 1]]

    @classmethod
    def joined(cls, several: Sequence[Lists]) -> Lists:
        """Return all lists of one or several, one after the other."""
        starts = np.concatenate([own.starts for own in several])
        last = np.cumsum([len(own.starts) for own in several]) - 1
        sizes = starts[last]
        starts += np.repeat(np.cumsum(sizes) - sizes, np.diff(last, prepend=-1))
        # Where one ends, the next begins.
        values = np.concatenate([own.values for own in several])
        return cls(np.delete(starts, last[:-1]), values)

    def inverted(self, number: int) -> Lists:
        """Return for each value below `number` the lists that have it, in rising order."""
        owner = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        order = np.argsort(self.values, kind="stable")
        sizes = np.bincount(self.values, minlength=number)
        return Lists(np.concatenate([[0], np.cumsum(sizes)]), owner[order])

    def of_several(self, numbers: Positions) -> tuple[Ids, Positions]:
        """Return the values of some lists one after the other, and the place of each one's list."""
        sizes = self.starts[numbers + 1] - self.starts[numbers]
        return self.values[ranges(self.starts[numbers], sizes)], np.repeat(
            np.arange(len(numbers)), sizes
        )


def ranges(starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Positions:
    """Return the positions of ranges that start and are as long as given, one after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


class _Growing:
    """Lists while they come: an array for each would take more memory than all numbers."""

    def __init__(self) -> None:
        self._values, self._starts = array("i"), array("q", [0])

    def add(self, numbers: Sequence[int] | Ids) -> None:
        """Add the next list."""
        if isinstance(numbers, np.ndarray):
            self._values.frombytes(numbers.astype(np.int32, copy=False).tobytes())
        else:
            self._values.extend(numbers)
        self._starts.append(len(self._values))

    def lists(self) -> Lists:
        """Return the lists so far."""
        values = np.array(self._values, np.int32)
        return Lists(np.array(self._starts, np.int64), values)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field: counts by term, and of each row its entry, norm and saturation.

    The rows of entry i start at ``first[i]``; each entry has one at least. `norms` are the lengths
    of TF-IDF vectors (1 where it is 0), `saturation` is ``k1 (1 - b + b · length / mean)``.
    """

    columns: Columns
    first: npt.NDArray[np.int64]
    owner: Ids
    norms: Single
    saturation: Single

    def postings(self, terms: Ids) -> Postings:
        """Return the counts of some terms in all rows."""
        return self.columns.postings(terms)

    def postings_in(self, terms: Ids, rows: Positions) -> Postings:
        """Return the counts of some terms in some rows, given in rising order, numbered so."""
        found = self.columns.postings(terms)
        if len(rows) == len(self.norms):
            return found
        slots = np.full(len(self.norms), -1, np.int32)
        slots[rows] = np.arange(len(rows), dtype=np.int32)
        return found.among(slots)


@dataclass(frozen=True, slots=True, eq=False)
class EntryFields:
    """All entries of a bibliography in numbers; positions are those in the order given.

    `idf` has a value for each of the terms, `terms` their numbers by stem. `mixed_norms` are the
    norms of each passage joined with the inlink contexts of its entry (Duma and Klein's best
    representation). `names` numbers names and acronyms; `by_author`, `by_first_author`,
    `by_acronym` and `by_key_word` list the entries that have each. `titles` are the terms of each
    title in order, `citing` the numbers of the papers and drafts that cite each entry.
    """

    terms: Mapping[str, int]
    names: Mapping[str, int]
    idf: Floats
    text: Mapping[str, Field]
    mixed_norms: Single
    titles: Lists
    authors: Lists
    citing: Lists
    by_author: Lists
    by_first_author: Lists
    by_acronym: Lists
    by_key_word: Lists
    years: npt.NDArray[np.int16]
    kinds: npt.NDArray[np.uint8]
    first_authors: Ids
    has_abstract: npt.NDArray[np.bool_]
    has_full_text: npt.NDArray[np.bool_]
    initials: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.years)

    @classmethod
    def of(
        cls,
        entries: Iterable[EntryTerms],
        ids: TermIds,
        names: Mapping[str, int],
        idf: Floats | None = None,
    ) -> EntryFields:
        """Count the fields of entries whose terms and names are numbered so, each looked at once.

        `ids` and `names` may grow as the entries come. Where an `idf` is given, it is that of other
        entries, which has the first terms; further ones are as rare as can be there.
        """
        rows = {name: CountedRows() for name in TEXT_FIELDS}
        sizes = {name: array("i") for name in ("passages", "inlink")}
        split = passages(PASSAGE_WORDS)
        sources: dict[str, int] = {}
        kept = {
            name: _Growing() for name in ("titles", "authors", "citing", "acronyms", "key_words")
        }
        facts: list[tuple[int, int, int, bool, bool]] = []
        initials: list[str] = []
        for entry in entries:
            several = {
                "passages": split(WorkTokens(entry.everything, entry.everything)),
                "inlink": entry.inlinks or ((),),
            }
            for name, own in several.items():
                for row in own:
                    rows[name].add(row)
                sizes[name].append(len(own))
            rows["title"].add(entry.title)
            rows["abstract"].add(entry.abstract)
            rows["venue"].add(entry.venue)
            rows["inlinks"].add(chain(*entry.inlinks))
            kept["titles"].add(entry.title)
            kept["authors"].add(entry.authors)
            cited_in = {sources.setdefault(name, len(sources)) for name in entry.citing}
            kept["citing"].add(sorted(cited_in))
            kept["acronyms"].add(entry.acronyms)
            kept["key_words"].add(entry.key_words)
            facts.append(
                (
                    entry.year,
                    entry.kind,
                    entry.first_author,
                    entry.has_abstract,
                    entry.has_full_text,
                )
            )
            initials.append(entry.initials)
        number, width = len(facts), max(1, ids.width)
        one_each = np.ones(number, np.int64)
        counted = {
            name: _Counted.of(
                own, np.array(sizes[name], np.int64) if name in sizes else one_each, width
            )
            for name, own in rows.items()
        }
        inside = counted["passages"]
        joined = Joined(inside.columns, counted["inlinks"].columns, inside.owner, number)
        if idf is None:
            idf = np.log((1.0 + number) / (1.0 + joined.owners_with())) + 1.0
        else:
            idf = np.concatenate([idf, np.full(width - len(idf), idf.max(initial=1.0))])
        weights = idf**2
        mixed = _norms(joined.squares(weights))
        text = {name: own.field(weights) for name, own in counted.items()}
        lists = {name: own.lists() for name, own in kept.items()}
        first = [[author] if author >= 0 else [] for _, _, author, _, _ in facts]
        return cls(
            terms=ids.new,
            names=names,
            idf=idf,
            text=text,
            mixed_norms=mixed,
            titles=lists["titles"],
            authors=lists["authors"],
            citing=lists["citing"],
            by_author=lists["authors"].inverted(len(names)),
            by_first_author=Lists.of(first).inverted(len(names)),
            by_acronym=lists["acronyms"].inverted(len(names)),
            by_key_word=lists["key_words"].inverted(len(names)),
            years=np.asarray([fact[0] for fact in facts], np.int16),
            kinds=np.asarray([fact[1] for fact in facts], np.uint8),
            first_authors=np.asarray([fact[2] for fact in facts], np.int32),
            has_abstract=np.asarray([fact[3] for fact in facts], np.bool_),
            has_full_text=np.asarray([fact[4] for fact in facts], np.bool_),
            initials=tuple(initials),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The counted rows of one field."""

    columns: Columns
    lengths: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    owner: Ids

    @classmethod
    def of(cls, rows: CountedRows, sizes: npt.NDArray[np.int64], width: int) -> _Counted:
        """Return the rows so far; `sizes` are the numbers of rows of the entries."""
        owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return cls(rows.columns(width), rows.lengths, np.cumsum(sizes) - sizes, owner)

    def field(self, weights: Floats) -> Field:
        """Return the field where terms weigh so much in the squares of norms."""
        known = self.lengths[self.lengths > 0]
        mean = float(known.mean()) if len(known) else 1.0
        return Field(
            self.columns,
            self.first,
            self.owner,
            _norms(squares(self.columns, weights, len(self.owner))),
            (K1 * (1.0 - B + B * self.lengths / mean)).astype(np.float32),
        )


def _norms(squared: Floats) -> Single:
    norms = np.sqrt(squared)
    norms[norms == 0.0] = 1.0
    return norms.astype(np.float32)
