"""TF-IDF vectors of bags and the cosine between them and a query.

Raw counts, ``idf(t) = ln((1 + n) / (1 + df(t))) + 1`` over the n bags themselves, l2 norm: what
scikit-learn's `TfidfVectorizer` computes, which is what Duma and Klein (2014, section 4) used.
The two parts of a bag are kept apart, so that a cosine splits exactly into what the internal and
what the external part contribute.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..text.tokens import terms
from .columns import Columns, Floats, Postings
from .mixed import Bag


@dataclass(frozen=True, slots=True)
class Query:
    """The unit vector of a query: its terms, their columns, and their values."""

    terms: tuple[str, ...]
    columns: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Cosines of one query, a value per candidate: that of the candidate's best bag."""

    query: Query
    cosine: Floats
    _inside: Floats
    _outside: Floats
    _found: tuple[Postings, Postings]
    _space: TfIdfSpace

    def parts(self, candidate: int) -> tuple[float, float, int]:
        """Return what of a cosine is internal and what external, and the index of the bag."""
        first, last = self._space.bags_of(candidate)
        if last == first + 1:
            norm, outside = self._space.norms.item(first), self._outside.item(candidate)
            return self._inside.item(first) / norm, outside / norm, first
        norms = self._space.norms[first:last]
        inside, outside = self._inside[first:last] / norms, self._outside[candidate] / norms
        best = int(np.argmax(inside + outside))
        return float(inside[best]), float(outside[best]), first + best

    def matched(self, bags: Sequence[int], most: int) -> list[list[str]]:
        """Return for each bag the terms that it shares with the query, by falling contribution."""
        space, query = self._space, self.query
        asked = np.asarray(bags, dtype=np.intp)
        counts = np.zeros((len(asked), len(query.terms)))
        for found, rows, number in (
            (self._found[0], asked, len(space.norms)),
            (self._found[1], space.owner[asked], len(space.first_bag)),
        ):
            if not len(found.rows):
                continue
            slots = np.full(number, -1, dtype=np.int32)
            slots[rows] = np.arange(len(rows), dtype=np.int32)
            own = found.among(slots)
            known = np.zeros_like(counts)
            known[own.rows, own.terms] = own.counts
            # Rows that are asked for twice, and bags of one candidate, share a slot.
            counts += known[slots[rows]]
        shares = counts * (np.asarray(query.values) * space.idf[list(query.columns)])
        # Of terms that contribute alike, the first by the alphabet comes first.
        by_term = np.asarray(sorted(range(len(query.terms)), key=query.terms.__getitem__), np.intp)
        order = by_term[np.argsort(-shares[:, by_term], axis=1, kind="stable")[:, :most]]
        best = np.take_along_axis(shares, order, axis=1)
        return [
            [query.terms[term] for term, share in zip(*row, strict=True) if share]
            for row in zip(order.tolist(), best.tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class TfIdfSpace:
    """The vector space of a set of bags.

    What is kept are the counts by term: of the inner part of each bag, and of the outer part once
    for each candidate, whose bags all share it. A bag's vector is (inner + outer) · idf / norm.
    A query has some twenty terms, and only their columns are looked at.

    `vocabulary` has the column of each term, `idf` a value for each column. `norms` are the lengths
    of the bags' vectors before they are scaled to one (1 where it is 0); the bags of candidate i
    start at ``first_bag[i]``.
    """

    vocabulary: Mapping[str, int]
    idf: Floats
    norms: Floats
    first_bag: npt.NDArray[np.intp]
    inside: Columns
    outside: Columns

    @classmethod
    def of_bags(cls, bags: Iterable[Bag], candidates: int) -> TfIdfSpace:
        """Fit the space; `bags` must be grouped by candidate, 0 to ``candidates - 1``."""
        from .counting import ColumnOfWord, CountedRows

        vocabulary: dict[str, int] = {}
        column_of = ColumnOfWord(vocabulary)
        inside, outside = CountedRows(), CountedRows()
        sizes = np.zeros(candidates, dtype=np.intp)
        for bag in bags:
            if bag.candidate == len(outside):
                outside.add(map(column_of.__getitem__, bag.external))
            inside.add(map(column_of.__getitem__, bag.internal))
            sizes[bag.candidate] += 1
        assert sizes.all(), "every candidate has a bag"
        width = max(1, len(vocabulary))
        return cls.of_columns(vocabulary, inside.columns(width), outside.columns(width), sizes)

    @classmethod
    def of_columns(
        cls,
        vocabulary: Mapping[str, int],
        inside: Columns,
        outside: Columns,
        sizes: npt.NDArray[np.intp],
    ) -> TfIdfSpace:
        """Fit the space on bags that were counted before.

        `inside` has a row for each bag, `outside` one for each candidate, both a column for each
        term of the `vocabulary`; the bags of a candidate follow one another, and `sizes` says how
        many there are.
        """
        from .counting import Joined

        owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        joined = Joined(inside, outside, owner, len(sizes))
        present = joined.rows_with()
        idf = np.log((1.0 + len(owner)) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags has: they are no part of a query.
        idf[present == 0] = 0.0
        norms = np.sqrt(joined.squares(idf**2))
        norms[norms == 0.0] = 1.0
        return cls(vocabulary, idf, norms, np.cumsum(sizes) - sizes, inside, outside)

    @cached_property
    def owner(self) -> npt.NDArray[np.int32]:
        """The candidate of each bag."""
        sizes = np.diff(self.first_bag, append=len(self.norms))
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def let_go(self) -> None:
        """Let go of what was looked at in files."""
        self.inside.let_go()
        self.outside.let_go()

    def bags_of(self, owner: int) -> tuple[int, int]:
        """Return the index of a candidate's first bag, and of the one behind its last."""
        following = owner + 1 < len(self.first_bag)
        end = self.first_bag[owner + 1] if following else len(self.norms)
        return int(self.first_bag[owner]), int(end)

    def query(self, query: Sequence[str]) -> Query:
        """Return the unit vector of a query's words (empty if none is in the space)."""
        columns: dict[str, int] = {}
        weights: list[float] = []
        for term, count in Counter(terms(query)).items():
            column = self.vocabulary.get(term)
            if column is not None and (idf := float(self.idf[column])):
                columns[term] = column
                weights.append(count * idf)
        norm = math.sqrt(math.fsum(weight * weight for weight in weights))
        values = tuple(weight / norm for weight in weights)
        return Query(tuple(columns), tuple(columns.values()), values)

    def score(self, query: Query) -> Scores:
        """Return the cosine of a query with every candidate's best bag."""
        columns = np.asarray(query.columns, dtype=np.intp)
        weights = np.asarray(query.values) * self.idf[columns]
        found = self.inside.postings(columns), self.outside.postings(columns)
        inside, outside = (
            part.sums(weights, rows)
            for part, rows in zip(found, (len(self.norms), len(self.first_bag)), strict=True)
        )
        dots = inside + outside[self.owner] if len(found[1].rows) else inside
        cosines = dots / self.norms
        if len(cosines) > len(self.first_bag):
            cosines = np.maximum.reduceat(cosines, self.first_bag)
        return Scores(query, cosines, inside, outside, found, self)
