"""A segment of an index: some entries of a bibliography, counted together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .columns import Columns, Floats
from .counting import CountedRows, Joined, squares
from .entry_terms import OTHER_KIND, EntryTerms, Ids, Numbering, TermIds
from .internal import passages_of
from .lists import GrowingLists, Lists, LiveLists
from .live import Live, Numbers

#: `inlinks` joins all inlink contexts of an entry, `inlink` has a row for each.
TEXT_FIELDS: Final = ("title", "abstract", "passages", "inlinks", "inlink", "venue")
MIXED: Final = "mixed"
PASSAGE_WORDS: Final = 350
_FACT_LISTS: Final = ("titles", "authors", "citing", "acronyms", "key_words")
#: By the names that one entry has for them.
_COLUMN_OF: Final = {
    "year": "years",
    "kind": "kinds",
    "first_author": "first_authors",
    "has_abstract": "has_abstract",
    "has_full_text": "has_full_text",
    "initials": "initials",
}
_FACT_ARRAYS: Final = tuple(_COLUMN_OF.values())
#: Entries whose terms are in memory as lists at a time.
_AT_ONCE: Final = 1024


@dataclass(frozen=True, eq=False)
class CountedField:
    """One field of a segment: its counts by term, and the number of terms of each row.

    The rows of entry i start at ``first[i]``; each entry has one at least.
    """

    columns: Columns
    first: Numbers
    lengths: Ids

    @cached_property
    def sizes(self) -> Numbers:
        """The number of rows of each entry."""
        return np.diff(self.first, append=len(self.lengths))

    @property
    def owner(self) -> Ids:
        """The entry of each row."""
        return np.repeat(np.arange(len(self.first), dtype=np.int32), self.sizes)

    def only(self, entries: npt.NDArray[np.bool_]) -> CountedField:
        """Return the field with the counts of some entries only."""
        return replace(self, columns=self.columns.only(np.repeat(entries, self.sizes)))


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
    def live(cls, several: Sequence[Facts], live: Live) -> Facts:
        """Return those of live entries, of those of one segment or several."""
        if live.chosen is None:
            return several[0]
        parts: dict[str, Any] = {}
        for name in _FACT_LISTS:
            joined = Lists.joined([getattr(own, name) for own in several])
            parts[name] = joined.chosen(live.chosen)
        for name in _FACT_ARRAYS:
            parts[name] = live.of([getattr(own, name) for own in several])
        return cls(**parts)


@dataclass(frozen=True, slots=True, eq=False)
class NamedEntries:
    """The entries that have each author, first author, acronym and word of a key, by its number."""

    by_author: Lists | LiveLists
    by_first_author: Lists | LiveLists
    by_acronym: Lists | LiveLists
    by_key_word: Lists | LiveLists

    @classmethod
    def of(cls, facts: Facts, names: int) -> NamedEntries:
        """Return the entries of each name; `names` is the number of names."""
        has_author = facts.first_authors >= 0
        starts = np.concatenate([[0], np.cumsum(has_author)])
        first = Lists(starts, facts.first_authors[has_author])
        lists = (facts.authors, first, facts.acronyms, facts.key_words)
        return cls(*(own.inverted(names) for own in lists))

    @classmethod
    def live(cls, several: Sequence[NamedEntries], live: Live) -> NamedEntries:
        """Return those of live entries, of those of one segment or several."""
        if live.chosen is None:
            return several[0]
        places = live.places()

        def of(name: str) -> LiveLists:
            lists = (getattr(own, name) for own in several)
            return LiveLists(tuple(zip(lists, places, strict=True)))

        return cls(*(of(part.name) for part in fields(cls)))


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Entries counted together.

    `present` says of how many entries the passages or inlink contexts have each term.
    """

    text: Mapping[str, CountedField]
    facts: Facts
    named: NamedEntries
    present: Numbers

    def __len__(self) -> int:
        return len(self.facts.years)

    @property
    def width(self) -> int:
        """A number above those of all terms."""
        return len(self.present)

    @classmethod
    def of(
        cls, entries: Iterable[EntryTerms], ids: TermIds, names: Numbering, papers: Numbering
    ) -> Segment:
        """Count entries in one pass.

        `ids` and `names` number the terms and names of the entries, `papers` those that cite them.
        All may grow.
        """
        rows = {name: CountedRows() for name in TEXT_FIELDS}
        sizes = {name: array("q") for name in ("passages", "inlink")}
        lists = {name: GrowingLists() for name in _FACT_LISTS}
        arrays: dict[str, list[Any]] = {name: [] for name in _FACT_ARRAYS}
        waiting = iter(entries)
        while some := list(islice(waiting, _AT_ONCE)):
            several: dict[str, list[Sequence[Sequence[int]]]] = {
                "passages": [passages_of(entry.everything, PASSAGE_WORDS) for entry in some],
                "inlink": [entry.inlinks or ((),) for entry in some],
            }
            for name, own_rows in several.items():
                rows[name].extend(list(chain.from_iterable(own_rows)))
                sizes[name].extend(map(len, own_rows))
            rows["inlinks"].extend([list(chain(*entry.inlinks)) for entry in some])
            for name in ("title", "abstract", "venue"):
                rows[name].extend([getattr(entry, name) for entry in some])
            lists["titles"].extend([entry.title for entry in some])
            lists["citing"].extend([papers.of(entry.citing) for entry in some])
            for name in ("authors", "acronyms", "key_words"):
                lists[name].extend([getattr(entry, name) for entry in some])
            for name, column in _COLUMN_OF.items():
                arrays[column] += [getattr(entry, name) for entry in some]
        number, width = len(arrays["years"]), max(1, ids.width)
        one_each = np.arange(number)
        text = {}
        for name, own in rows.items():
            first = one_each
            if name in sizes:
                several_each = np.array(sizes[name], np.int64)
                first = np.cumsum(several_each) - several_each
            text[name] = CountedField(own.columns(width), first, own.lengths)
        found: dict[str, Any] = {name: growing.lists() for name, growing in lists.items()}
        facts = Facts(
            **found,
            years=np.asarray(arrays["years"], np.int16),
            kinds=np.asarray(arrays["kinds"], np.uint8),
            first_authors=np.asarray(arrays["first_authors"], np.int32),
            has_abstract=np.asarray(arrays["has_abstract"], np.bool_),
            has_full_text=np.asarray(arrays["has_full_text"], np.bool_),
            initials=np.asarray(arrays["initials"], np.object_),
        )
        named = NamedEntries.of(facts, names.width)
        return cls(text, facts, named, _joined(text).owners_with())

    @classmethod
    def of_titles(cls, titles: Sequence[Sequence[int]], width: int) -> Segment:
        """Count the titles of entries, of which nothing else is known; `width` as of a segment."""
        number, rows, facts = len(titles), CountedRows(), GrowingLists()
        rows.extend(titles)
        facts.extend(titles)
        one_each, no_terms = np.arange(number), np.zeros(number, np.int32)
        title = CountedField(rows.columns(max(1, width)), one_each, rows.lengths)
        nothing = CountedField(Columns.empty(max(1, width)), one_each, no_terms)
        # The passages of an entry are all of its text.
        text = {**dict.fromkeys(TEXT_FIELDS, nothing), "title": title, "passages": title}
        no_lists = Lists(np.zeros(number + 1, np.int64), np.empty(0, np.int32))
        known = Facts(
            titles=facts.lists(),
            authors=no_lists,
            citing=no_lists,
            acronyms=no_lists,
            key_words=no_lists,
            years=np.zeros(number, np.int16),
            kinds=np.full(number, OTHER_KIND, np.uint8),
            first_authors=np.full(number, -1, np.int32),
            has_abstract=np.zeros(number, np.bool_),
            has_full_text=np.zeros(number, np.bool_),
            initials=np.full(number, "", np.object_),
        )
        return cls(text, known, NamedEntries.of(known, 0), np.diff(title.columns.starts))

    def squares(self, weights: Floats) -> Mapping[str, Floats]:
        """Return the squared length of each row of each field.

        The square of each count weighs as much as its term. `MIXED` are the passages, each joined
        with the inlink contexts of its entry.
        """
        found = {
            name: squares(field.columns, weights[: self.width], len(field.lengths))
            for name, field in self.text.items()
        }
        found[MIXED] = _joined(self.text).squares(
            weights[: self.width], found["passages"], found["inlinks"]
        )
        return found

    def of_terms(self, terms: npt.NDArray[np.intp]) -> Segment:
        """Return the segment with the counts of some terms only, given in rising order."""
        text = {
            name: replace(field, columns=field.columns.of_terms(terms))
            for name, field in self.text.items()
        }
        return replace(self, text=text)

    def without(self, gone: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """Return `present` and the postings of each term in all fields without some entries."""
        postings = np.zeros(self.width, np.int64)
        for field in self.text.values():
            postings += np.diff(field.columns.starts)
        if not gone.any():
            return self.present, postings
        left_out = {name: field.only(gone) for name, field in self.text.items()}
        for own in left_out.values():
            postings -= np.diff(own.columns.starts)
        return self.present - _joined(left_out).owners_with(), postings


def _joined(counted: Mapping[str, CountedField]) -> Joined:
    """Return the passages of entries, each with the inlink contexts of its entry."""
    inside, outside = counted["passages"], counted["inlinks"]
    return Joined(inside.columns, outside.columns, inside.owner, len(outside.first))
