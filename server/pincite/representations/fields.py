"""What is known of all entries, field by field, and the similarity of each field to a query.

A field is a matrix of counts by term. It may have several rows for an entry (passages, inlink
contexts): the entry then scores as its best row. Two scores are made of the same counts: the cosine
of TF-IDF vectors, and BM25 (Robertson and Zaragoza 2009, equation 3.15). Where we differ from both:
terms are stems, and one IDF serves all fields, over the entries that have a term anywhere, so that
a rare word is as rare in a title as in a full text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..text.tokens import words
from .columns import NO_POSTINGS, Columns, Floats, LiveColumns, Postings
from .entry_terms import EntryTerms, Ids, Numbering, TermIds
from .lists import Positions, ranges
from .live import Live, LiveRows, Numbers
from .segments import MIXED, TEXT_FIELDS, Facts, NamedEntries, Segment
from .squares import SquaredLengths

Single = npt.NDArray[np.float32]

K1: Final = 1.2
B: Final = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field: counts by term, and of each row its entry, norm and saturation.

    The rows of entry i start at ``first[i]``; each entry has one at least. `norms` are the lengths
    of TF-IDF vectors (1 where it is 0), `saturation` is ``k1 (1 - b + b · length / mean)``.
    """

    columns: Columns | LiveColumns
    first: Numbers
    owner: Ids
    norms: Single
    saturation: Single

    @classmethod
    def of(
        cls, columns: Columns | LiveColumns, rows: LiveRows, norms: Single, lengths: Ids
    ) -> Field:
        """Return a field; `lengths` has the terms of each row. Their mean excludes empty rows."""
        known = lengths[lengths > 0]
        mean = float(known.mean()) if len(known) else 1.0
        saturation = (K1 * (1.0 - B + B * lengths / mean)).astype(np.float32)
        return cls(columns, rows.first, rows.owner, norms, saturation)

    def postings(self, terms: Ids) -> Postings:
        """Return the postings of some terms in all rows."""
        return self.columns.postings(terms) if len(self.columns) else NO_POSTINGS

    def postings_in(self, terms: Ids, rows: Positions) -> Postings:
        """Return the postings of some terms in some rows, numbered in the given, rising order."""
        if not len(self.columns):
            # Many authors have neither papers nor inlink contexts.
            return NO_POSTINGS
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

    The counts are those of the `live` entries of `segments`; `squared` has the squared lengths of
    each segment's rows. `idf` has a value for each term, 0 for terms that no entry contains any
    more; `terms`, `names` and `papers` are the numbers of stems, of names and acronyms, and of the
    papers and drafts that cite. `mixed_norms` are the norms of each passage joined with the inlink
    contexts of its entry (Duma and Klein's best representation).
    """

    segments: tuple[Segment, ...]
    live: Live
    squared: tuple[SquaredLengths, ...]
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
    def of(cls, entries: Iterable[EntryTerms], ids: TermIds, names: Numbering) -> EntryFields:
        """Count the fields of entries, each read once.

        `ids` and `names` number their terms and names, and may grow as the entries come.
        """
        papers = Numbering()
        segment = Segment.of(entries, ids, names, papers)
        return cls._alone(segment, ids.stems, names, papers)

    @classmethod
    def of_titles(cls, titles: Iterable[str], ids: TermIds) -> EntryFields:
        """Count the titles of entries, of which nothing else is known; `ids` may grow."""
        counted = [ids.counted(words(title)) for title in titles]
        return cls._alone(Segment.of_titles(counted, ids.width), ids.stems, {}, {})

    @classmethod
    def of_segment(
        cls,
        segment: Segment,
        norms: Mapping[str, Single],
        mixed_norms: Single,
        *,
        terms: Mapping[str, int],
        names: Mapping[str, int],
        papers: Mapping[str, int],
    ) -> EntryFields:
        """Return the entries of a segment whose norms are known."""
        live = Live((len(segment),))
        idf = _idf_of((segment,), live)
        text = _text((segment,), _rows((segment,), live), norms)
        squared = (SquaredLengths(segment, idf, len(live)),)
        facts, named = segment.facts, segment.named
        return cls(
            (segment,), live, squared, terms, names, papers, facts, named, idf, text, mixed_norms
        )

    def updated(
        self, unchanged: Ids, entries: Iterable[EntryTerms], ids: TermIds, names: Numbering
    ) -> EntryFields:
        """Return the entries of a bibliography most of which are unchanged.

        `unchanged` has the position here of each entry, -1 for each that changed: those are the
        `entries`, in this order. `ids` and `names` extend those here. The result equals that of
        counting all entries.
        """
        papers = Numbering(self.papers)
        changed, live = Segment.of(entries, ids, names, papers), self.live.updated(unchanged)
        segments = (*self.segments, changed)
        idf = _idf_of(segments, live)
        squares = [own.under(idf, len(live)) for own in self.squared]
        squares.append(changed.squares(idf**2))
        squared = (*self.squared, SquaredLengths(changed, idf, len(live)))
        return self._over(
            segments, live, squared, idf, squares, self.terms, names.all(), papers.all()
        )

    @classmethod
    def _alone(
        cls,
        segment: Segment,
        terms: Mapping[str, int],
        names: Mapping[str, int],
        papers: Mapping[str, int],
    ) -> EntryFields:
        live = Live((len(segment),))
        idf = _idf_of((segment,), live)
        squares, squared = segment.squares(idf**2), SquaredLengths(segment, idf, len(live))
        return cls._over((segment,), live, (squared,), idf, (squares,), terms, names, papers)

    @classmethod
    def _over(
        cls,
        segments: tuple[Segment, ...],
        live: Live,
        squared: tuple[SquaredLengths, ...],
        idf: Floats,
        squares: Sequence[Mapping[str, Floats]],
        terms: Mapping[str, int],
        names: Mapping[str, int],
        papers: Mapping[str, int],
    ) -> EntryFields:
        rows = _rows(segments, live)

        def norms_of(name: str, rows: LiveRows) -> Single:
            norms = np.sqrt(rows.live.of([own[name] for own in squares]))
            norms[norms == 0.0] = 1.0
            return norms.astype(np.float32)

        norms = {name: norms_of(name, own) for name, own in rows.items()}
        return cls(
            segments,
            live,
            squared,
            terms,
            names,
            papers,
            Facts.live([segment.facts for segment in segments], live),
            NamedEntries.live([segment.named for segment in segments], live),
            idf,
            _text(segments, rows, norms),
            norms_of(MIXED, rows["passages"]),
        )


def _rows(segments: Sequence[Segment], live: Live) -> Mapping[str, LiveRows]:
    return {
        name: live.rows([segment.text[name].sizes for segment in segments]) for name in TEXT_FIELDS
    }


def _text(
    segments: Sequence[Segment], rows: Mapping[str, LiveRows], norms: Mapping[str, Single]
) -> Mapping[str, Field]:
    def field(name: str, own: LiveRows) -> Field:
        counted = [segment.text[name] for segment in segments]
        columns = own.columns([each.columns for each in counted])
        lengths = own.live.of([each.lengths for each in counted])
        return Field.of(columns, own, norms[name], lengths)

    return {name: field(name, own) for name, own in rows.items()}


def _idf_of(segments: Sequence[Segment], live: Live) -> Floats:
    """Return the IDF of each term over the live entries."""
    present, postings = np.zeros((2, max(segment.width for segment in segments)), np.int64)
    for segment, gone in zip(segments, live.gone(), strict=True):
        own_present, own_postings = segment.without(gone)
        present[: segment.width] += own_present
        postings[: segment.width] += own_postings
    idf: Floats = np.log((1.0 + len(live)) / (1.0 + present)) + 1.0
    if len(segments) > 1:
        # Words of queries and of replaced entries have numbers, too, but a new index would not
        # contain them.
        idf[postings == 0] = 0.0
    return idf
