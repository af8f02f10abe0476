"""What the features of one place share: the place, its data, the selected entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText, Surroundings
from ..representations.columns import ranges, sums_of_cells
from ..representations.entry_terms import Ids, TermIds
from ..representations.fields import EntryFields
from .draft_citations import JUST_CITED, NEIGHBOURS, DraftCitations, DraftTerms

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]

#: The distance in words of what is not named near the place.
FAR: Final = 40.0
#: From this cosine on, meaning alone is evidence for an entry.
NEAR_IN_MEANING: Final = 0.3
#: How far back, in characters, what was cited is still recent.
_RECENT: Final = 3_000


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place to cite, by its offset in a text.

    `citations` are those of the whole text, of which only those before the place are used. `right`
    is whether the text after the place is known.
    """

    citations: DraftCitations
    offset: int
    right: bool = True

    @property
    def text(self) -> SurroundedText:
        """The text with the place."""
        return self.citations.text


class EntryWords(NamedTuple):
    """The terms that entries share with a place: `entries` are those of `Features.positions`.

    `shares` is the weight of the term in that entry: what it adds to the entry's TF-IDF cosine with
    a context that has it once, up to a factor that all entries share.
    """

    terms: Ids
    entries: Positions
    shares: Floats


@dataclass(frozen=True, eq=False)
class Features:
    """The features of some entries: `values` (float32) has a row for each of the `positions`.

    `names` are those of the columns. `inside` and `outside` are the parts of each entry's TF-IDF
    cosine with the words on both sides: from its own text, and from inlink contexts. `words` are
    those that its texts and inlink contexts share with the place, `recent` the positions of the
    entries just cited.
    """

    positions: Positions
    names: tuple[str, ...]
    values: npt.NDArray[np.float32]
    inside: Floats
    outside: Floats
    words: EntryWords
    recent: Positions

    @property
    def has_evidence(self) -> npt.NDArray[np.bool_]:
        """Whether there is evidence for each entry beyond what all entries share."""
        found = self.column("name.any") < FAR
        for name in ("name.acronym", "name.key"):
            found |= self.column(name) < FAR
        found |= self.column("cited.count") > 0.0
        found |= self.column("bib.near3") <= NEIGHBOURS
        if "meaning.cos" in self.columns:
            found |= self.column("meaning.cos") >= NEAR_IN_MEANING
        cosines = [
            column
            for name, column in self.columns.items()
            if name.startswith("mixed.") and name.endswith(".cos")
        ]
        found |= (self.values.T[cosines] > 0.0).any(axis=0)
        return found

    def column(self, name: str) -> npt.NDArray[np.float32]:
        """Return one feature of all entries."""
        return self.values[:, self.columns[name]]

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """The columns of `values` by name."""
        return {name: column for column, name in enumerate(self.names)}


@dataclass(frozen=True, slots=True, eq=False)
class SeenTerms:
    """Terms around citations, with the citation of each.

    `norms` are the lengths of their TF-IDF vectors, 1 for a citation without words. `counts` has a
    value for each numbered term, `idf_of_count` one for each count.
    """

    terms: Ids
    owner: npt.NDArray[np.int64]
    norms: Floats
    counts: npt.NDArray[np.intp]
    idf_of_count: Floats

    @classmethod
    def of(cls, terms: Ids, owner: npt.NDArray[np.int64], citations: int, width: int) -> SeenTerms:
        """Return the terms around `citations` citations; all term numbers are below `width`."""
        counts = np.bincount(terms, minlength=width)
        # A term may occur several times around one citation.
        present = np.minimum(np.arange(counts.max(initial=0) + 1), citations)
        idf = np.log((1.0 + citations) / (1.0 + present)) + 1.0
        squares = np.square(idf).take(counts.take(terms))
        norms = np.sqrt(np.bincount(owner, squares, minlength=citations))
        norms[norms == 0.0] = 1.0
        return cls(terms, owner, norms, counts, idf)

    def idf(self, terms: npt.NDArray[np.integer[Any]]) -> Floats:
        """Return the IDF of some terms, over the citations."""
        return self.idf_of_count.take(self.counts.take(terms))

    def dots(self, terms: Ids, weights: Floats) -> Floats:
        """Return the dot products of vectors with those of the citations (vectors by citations).

        `weights` has a row for each vector and a column for each of the `terms`, which are
        distinct.
        """
        slots = np.full(len(self.counts), -1, np.int32)
        slots[terms] = np.arange(len(terms), dtype=np.int32)
        known = (slots >= 0).take(self.terms).nonzero()[0]
        slot, owner = slots[self.terms[known]], self.owner[known]
        # Each occurrence of a term, once for each vector that contains the term.
        of_term, vector = np.nonzero(weights.T)
        shares = weights[vector, of_term] * self.idf(terms[of_term])
        number = np.bincount(of_term, minlength=len(terms))
        sizes = number[slot]
        at = ranges((np.cumsum(number) - number)[slot], sizes)
        cell = vector[at] * len(self.norms) + np.repeat(owner, sizes)
        return sums_of_cells(cell, shares[at], (len(weights), len(self.norms)))


class AtPlace:
    """The place, its data, and the features found so far.

    `has_order` is whether the order of the entries is the order in which they were added. `before`
    is the number of citations before the place; `cited` are the entries that these cite, each once,
    `recent` those just cited, both with the latest first. The `positions` are those of the selected
    entries; `slot` has the index of each entry among them, -1 for all others.
    """

    def __init__(
        self,
        fields: EntryFields,
        ids: TermIds,
        draft: DraftTerms,
        place: Place,
        *,
        has_order: bool,
    ) -> None:
        self.fields, self.ids = fields, ids
        self.has_order, self.draft = has_order, draft
        self.place, self.citations = place, place.citations
        self.before = self.citations.before(place.offset)
        words, at = place.text.words(place.offset)
        self.left = words[:at]
        self.right = words[at:] if place.right else ()
        self.cited = self.citations.latest_cited(self.before)
        self.recent = self._recent()
        self.found: dict[str, npt.NDArray[Any]] = {}

    def _recent(self) -> Positions:
        citations = self.citations
        numbers = range(self.before - 1, max(-1, self.before - 1 - JUST_CITED), -1)
        near = (n for n in numbers if self.place.offset - citations.starts[n] < _RECENT)
        recent = dict.fromkeys(entry for n in near for entry in citations.cited_by(n).tolist())
        return np.asarray(list(recent), np.intp)

    @cached_property
    def around(self) -> Surroundings:
        """The surroundings of the place, as far as they are known."""
        return self.place.text.around(self.place.offset, right=self.place.right)

    @cached_property
    def seen(self) -> SeenTerms:
        """The terms around the citations before the place.

        Only valid once all words of the place have numbers.
        """
        terms, owner = self.citations.seen_terms(self.place.offset)
        return SeenTerms.of(terms, owner, self.before, self.ids.width)

    def select(self, positions: Positions) -> None:
        """Select the entries whose features are computed."""
        self.positions = positions
        self.number = len(positions)
        self.slot = np.full(len(self.fields), -1, np.intp)
        self.slot[positions] = np.arange(len(positions))

    def slots(self, positions: npt.NDArray[np.integer[Any]]) -> Positions:
        """Return the slots of the selected ones among some entries."""
        slots: Positions = self.slot[positions]
        return slots[slots >= 0]

    @cached_property
    def pairs(self) -> tuple[npt.NDArray[np.int64], Positions]:
        """The citation and the entry, by its slot, of each pair before the place.

        Pairs of other entries are omitted.
        """
        citations = self.citations
        end = int(citations.pair_start[self.before])
        slots = self.slot[citations.pair_entry[:end]]
        known = np.flatnonzero(slots >= 0)
        return citations.pair_citation[:end][known], slots[known]

    def add(self, name: str, values: npt.NDArray[Any]) -> None:
        """Add a feature: a value for each selected entry."""
        self.found[name] = values

    def add_same(self, name: str, value: float) -> None:
        """Add a feature that is the same for all entries."""
        self.found[name] = np.full(self.number, value)

    def add_all(self, names: Sequence[str], values: npt.NDArray[Any]) -> None:
        """Add several features: a row of `values` for each."""
        self.found.update(zip(names, values, strict=True))

    def got(self, name: str) -> Floats:
        """Return a feature added before."""
        return np.asarray(self.found[name], np.float64)

    def features(self, inside: Floats, outside: Floats, words: EntryWords) -> Features:
        """Return all features added, with what `add_text` returned."""
        values = np.concatenate([*self.found.values()], dtype=np.float32, casting="unsafe")
        by_feature = values.reshape(len(self.found), self.number)
        names = tuple(self.found)
        return Features(self.positions, names, by_feature.T, inside, outside, words, self.recent)


def relative(values: Floats) -> Floats:
    """Return each value divided by the highest of its row; 0 where that is 0."""
    tops = values.max(axis=-1, initial=0.0, keepdims=True)
    return np.asarray(values / np.where(tops > 0.0, tops, 1.0), np.float64)
