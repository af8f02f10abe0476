"""TF-IDF vectors of bags and the cosine between them and a query.

Raw counts, ``idf(t) = ln((1 + n) / (1 + df(t))) + 1`` over the n bags themselves, l2 norm: what
scikit-learn's `TfidfVectorizer` computes, which is what Duma and Klein (2014, section 4) used.
The two parts of a bag are stored separately, so that a cosine splits exactly into the contributions
of the internal and of the external part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ..text.tokens import terms
from .columns import Columns, Floats
from .counting import CountedRows, joined_squares
from .entry_terms import Ids
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
    _space: TfIdfSpace

    def parts(self, candidate: int) -> tuple[float, float, int]:
        """Return the internal and the external part of a cosine, and the index of the bag."""
        space = self._space
        first, end = np.searchsorted(space.owner, [candidate, candidate + 1]).tolist()
        norms = space.norms[first:end]
        inside, outside = self._inside[first:end] / norms, self._outside[candidate] / norms
        best = int(np.argmax(inside + outside))
        return float(inside[best]), float(outside[best]), first + best

    def matched(self, bags: Sequence[int], most: int) -> list[list[str]]:
        """Return for each bag the terms that it shares with the query, by falling contribution."""
        space, query = self._space, self.query
        asked, columns = np.asarray(bags, np.intp), np.asarray(query.columns, np.intp)
        counts = np.zeros((len(asked), len(query.terms)))
        for part, rows, number in (
            (space.inside, asked, len(space.norms)),
            (space.outside, space.owner[asked], len(space.first_bag)),
        ):
            slots = np.full(number, -1, dtype=np.int32)
            slots[rows] = np.arange(len(rows), dtype=np.int32)
            own = part.postings_in(columns, slots)
            known = np.zeros_like(counts)
            known[own.rows, own.terms] = own.counts
            # Rows that are requested twice, and bags of one candidate, share a slot.
            counts += known[slots[rows]]
        shares = counts * (np.asarray(query.values) * space.idf[columns])
        # Terms of equal contributions are in alphabetical order.
        by_term = np.asarray(sorted(range(len(query.terms)), key=query.terms.__getitem__), np.intp)
        order = by_term[np.argsort(-shares[:, by_term], axis=1, kind="stable")[:, :most]]
        best = np.take_along_axis(shares, order, axis=1)
        return [
            [query.terms[term] for term, share in zip(*row, strict=True) if share]
            for row in zip(order.tolist(), best.tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False)
class TfIdfSpace:
    """The vector space of a set of bags.

    A bag's vector is (inner + outer) · idf / norm. A query has some twenty terms, and only their
    columns are read.

    `inside` has a row for each bag, `outside` one for each candidate, whose bags all share it.
    `vocabulary` has the column of each term, `idf` a value for each column. `norms` are the lengths
    of the bags' vectors before they are scaled to 1 (1 where it is 0). The bags of candidate i
    start at ``first_bag[i]``, `owner` has the candidate of each.
    """

    vocabulary: Mapping[str, int]
    idf: Floats
    norms: Floats
    first_bag: npt.NDArray[np.int64]
    owner: Ids
    inside: Columns
    outside: Columns

    @classmethod
    def of_bags(cls, bags: Iterable[Bag], candidates: int) -> TfIdfSpace:
        """Fit the space; `bags` must be grouped by candidate, 0 to ``candidates - 1``."""
        vocabulary: dict[str, int] = {}

        @cache
        def column(word: str) -> int:
            counted = terms((word,))
            return vocabulary.setdefault(counted[0], len(vocabulary)) if counted else -1

        inside, outside = CountedRows(), CountedRows()
        sizes: list[int] = []
        present: Counter[int] = Counter()
        for _, own in groupby(bags, key=lambda bag: bag.candidate):
            some = list(own)
            shared = list(map(column, some[0].external))
            outside.extend([shared])
            sizes.append(len(some))
            in_all = {*shared}
            for bag in some:
                row = list(map(column, bag.internal))
                inside.extend([row])
                present.update({*row} - in_all)
            present.update(dict.fromkeys(in_all, len(some)))
        assert len(sizes) == candidates, "every candidate has a bag"
        width = max(1, len(vocabulary))
        counts = np.fromiter(map(present.__getitem__, range(width)), np.int64, width)
        columns = inside.columns(width), outside.columns(width)
        return cls.of(*columns, np.asarray(sizes, np.int64), counts, vocabulary)

    @classmethod
    def of(
        cls,
        inside: Columns,
        outside: Columns,
        sizes: npt.NDArray[np.int64],
        present: npt.NDArray[np.int64],
        vocabulary: Mapping[str, int],
    ) -> TfIdfSpace:
        """Fit the space on counted bags.

        Candidate i has ``sizes[i]`` of them, which follow one another; `present` is the number of
        bags that contain each term.
        """
        owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        idf: Floats = np.log((1.0 + len(owner)) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags contains: queries ignore them.
        idf[present == 0] = 0.0
        norms = np.sqrt(joined_squares(inside, outside, owner, idf**2, len(sizes)))
        norms[norms == 0.0] = 1.0
        first = np.cumsum(sizes) - sizes
        return cls(vocabulary, idf, norms, first, owner, inside, outside)

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
        return Scores(query, cosines, inside, outside, self)
