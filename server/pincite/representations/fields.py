"""What is known of all entries, field by field, and how much of a query each field has.

A field is a matrix of counts by term (`Columns`). It may have several rows for an entry (passages,
inlink contexts): the entry then scores as its best row. Two scores are made of the same counts: the
cosine of TF-IDF vectors, and BM25 (Robertson and Zaragoza 2009, equation 3.15). Where we differ
from both: terms are stems, and one IDF serves all fields, over the entries that have a term
anywhere, so that a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from .columns import Columns, Postings
from .counting import ColumnOfWord, TermCounts, columns_of, with_small_counts
from .entry_terms import NO_IDS, EntryTerms, Ids, TermIds
from .internal import WorkTokens, passages

Floats = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
Positions = npt.NDArray[np.intp]

K1: Final = 1.2
B: Final = 0.75
#: `inlinks` joins all inlink contexts of an entry, `inlink` has a row for each.
TEXT_FIELDS: Final = ("title", "abstract", "passages", "inlinks", "inlink", "venue")
PASSAGE_WORDS: Final = 350
#: Terms that are counted together: enough to be fast, few enough for little memory.
_COUNTED_AT_ONCE: Final = 1 << 20
#: Passages that are joined with inlink contexts at once.
_JOINED_AT_ONCE: Final = 512


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
            growing.add(np.asarray(each, np.int32))
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

    def add(self, numbers: Ids) -> None:
        """Add the next list."""
        self._values.frombytes(numbers.tobytes())
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
        width = _Width(ids)
        rows = {name: _Rows(width) for name in TEXT_FIELDS}
        split = passages(PASSAGE_WORDS)
        present = _Presence()
        sources: dict[str, int] = {}
        kept = {
            name: _Growing() for name in ("titles", "authors", "citing", "acronyms", "key_words")
        }
        facts: list[tuple[int, int, int, bool, bool]] = []
        initials: list[str] = []
        for entry in entries:
            joined = np.concatenate([*entry.inlinks, NO_IDS]) if entry.inlinks else NO_IDS
            rows["title"].add((entry.title,))
            rows["abstract"].add((entry.abstract,))
            rows["venue"].add((entry.venue,))
            rows["passages"].add(split(WorkTokens(entry.everything, entry.everything)))
            rows["inlinks"].add((joined,))
            rows["inlink"].add(entry.inlinks or (NO_IDS,))
            present.add((entry.everything, joined))
            kept["titles"].add(entry.title)
            kept["authors"].add(entry.authors)
            cited_in = {sources.setdefault(name, len(sources)) for name in entry.citing}
            kept["citing"].add(np.asarray(sorted(cited_in), np.int32))
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
        number, size = len(facts), max(1, ids.width)
        if idf is None:
            idf = np.log((1.0 + number) / (1.0 + present.entries_with(size))) + 1.0
        else:
            idf = np.concatenate([idf, np.full(size - len(idf), idf.max(initial=1.0))])
        mixed = _mixed_norms(rows["passages"], rows["inlinks"], idf)
        text = {name: own.field(idf) for name, own in rows.items()}
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


class _Presence:
    """Counts in how many entries each term is; many entries are counted at once."""

    def __init__(self) -> None:
        self._counts = np.zeros(0, dtype=np.int64)
        self._waiting: list[Ids] = []
        self._entries = array("q")
        self._entry = self._number = 0

    def add(self, texts: Iterable[Ids]) -> None:
        """Add the terms of the next entry."""
        for text in texts:
            if len(text):
                self._waiting.append(text)
                self._entries.append(self._entry)
                self._number += len(text)
        self._entry += 1
        if self._number >= _COUNTED_AT_ONCE:
            self._count()

    def _count(self) -> None:
        if not self._waiting:
            return
        terms = np.concatenate(self._waiting).astype(np.int64)
        entries = np.repeat(np.asarray(self._entries), list(map(len, self._waiting)))
        width = max(len(self._counts), int(terms.max()) + 1)
        pairs = np.sort((entries - entries[0]) * width + terms)
        # np.unique takes ten times as long: it builds a hash table first.
        distinct = pairs[np.diff(pairs, prepend=-1) > 0]
        counts = np.bincount(distinct % width, minlength=width)
        counts[: len(self._counts)] += self._counts
        self._counts, self._waiting, self._entries, self._number = counts, [], array("q"), 0

    def entries_with(self, width: int) -> npt.NDArray[np.int64]:
        """Return for each of `width` terms the number of entries that have it."""
        self._count()
        counts = np.zeros(width, dtype=np.int64)
        counts[: len(self._counts)] = self._counts
        return counts


class _Width(ColumnOfWord):
    """Tells `TermCounts` how many terms there are so far."""

    def __init__(self, ids: TermIds) -> None:
        super().__init__({})
        self._ids = ids

    @property
    def width(self) -> int:
        return self._ids.width


class _Rows:
    """The rows of one field while entries come; they are counted some at a time."""

    def __init__(self, width: _Width) -> None:
        self._width = width
        self._counts = TermCounts(width)
        self._waiting = 0
        self.parts: deque[csr_matrix] = deque()
        self.sizes = array("q")
        self._lengths = array("q")

    def add(self, rows: Sequence[Ids]) -> None:
        """Add the rows of the next entry."""
        for row in rows:
            if len(row):
                self._counts.add_columns(row)
                self._waiting += len(row)
            else:
                self._counts.add(())
            self._lengths.append(len(row))
        self.sizes.append(len(rows))
        if self._waiting >= _COUNTED_AT_ONCE:
            self.end_part()

    def end_part(self) -> None:
        """Count the rows that wait."""
        self.parts.append(with_small_counts(self._counts.matrix()))
        self._counts, self._waiting = TermCounts(self._width), 0

    def field(self, idf: Floats) -> Field:
        """Return the field; its parts are used up."""
        self.end_part()
        norms = np.concatenate([_lengths(part, idf) for part in self.parts])
        norms[norms == 0.0] = 1.0
        lengths, sizes = np.asarray(self._lengths), np.asarray(self.sizes)
        known = lengths[lengths > 0]
        mean = float(known.mean()) if len(known) else 1.0
        return Field(
            columns_of(self.parts, len(idf)),
            np.cumsum(sizes) - sizes,
            np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
            norms.astype(np.float32),
            (K1 * (1.0 - B + B * lengths / mean)).astype(np.float32),
        )


def _lengths(rows: csr_matrix, idf: Floats) -> Floats:
    """Return the length of each row once it is weighted."""
    weights = rows.data * idf[rows.indices]
    owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares = np.bincount(owner, weights * weights, minlength=rows.shape[0])
    return np.asarray(np.sqrt(squares), dtype=np.float64)


def _mixed_norms(inside: _Rows, outside: _Rows, idf: Floats) -> Single:
    """Return the norm of each row inside joined with the one row outside of its entry."""
    for rows in (inside, outside):
        rows.end_part()
    owner = np.repeat(np.arange(len(inside.sizes)), np.asarray(inside.sizes))
    around = _stacked(outside.parts, len(idf))
    norms: list[Floats] = []
    start = 0
    for part in inside.parts:
        for begin in range(0, part.shape[0], _JOINED_AT_ONCE):
            own = part[begin : begin + _JOINED_AT_ONCE].astype(np.float32)
            own.resize(own.shape[0], len(idf))
            others = around[owner[start + begin : start + begin + own.shape[0]]]
            norms.append(_lengths(own + others if others.nnz else own, idf))
        start += part.shape[0]
    joined = np.concatenate(norms) if norms else np.empty(0)
    joined[joined == 0.0] = 1.0
    return joined.astype(np.float32)


def _stacked(parts: Iterable[csr_matrix], width: int) -> csr_matrix:
    from scipy.sparse import vstack

    resized = []
    for part in parts:
        wide = part.astype(np.float32)
        wide.resize(wide.shape[0], width)
        resized.append(wide)
    return vstack(resized, "csr")
