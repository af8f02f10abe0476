"""TF-IDF vectors of bags and the cosine between them and a query.

Raw counts, ``idf(t) = ln((1 + n) / (1 + df(t))) + 1`` over the n bags themselves, l2 norm: what
scikit-learn's `TfidfVectorizer` computes, which is what Duma and Klein (2014, section 4) used.
The two parts of a bag are kept apart, so that a cosine splits exactly into what the internal and
what the external part contribute.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..text.tokens import terms
from .columns import Columns, Floats, Postings
from .mixed import Bag

if TYPE_CHECKING:
    # Not needed for a space that was fitted before, which is to be there at once.
    from scipy.sparse import csr_matrix

    from .counting import BagCounts


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
        asked, slot_of = np.unique(np.asarray(bags, dtype=np.intp), return_inverse=True)
        owners = space.owner[asked]
        counts = np.zeros((len(asked), len(query.terms)))
        for found, rows, number in (
            (self._found[0], asked, len(space.norms)),
            (self._found[1], owners, len(space.first_bag)),
        ):
            slots = np.full(number, -1, dtype=np.int32)
            # Several bags may be of one candidate: each candidate's are counted once.
            distinct, place = np.unique(rows, return_inverse=True)
            slots[distinct] = np.arange(len(distinct), dtype=np.int32)
            own = found.among(slots)
            of_distinct = np.zeros((len(distinct), len(query.terms)))
            of_distinct[own.rows, own.terms] = own.counts
            counts += of_distinct[place]
        shares = counts * (np.asarray(query.values) * space.idf[list(query.columns)])
        shared = [
            sorted((share, term) for share, term in zip(row, query.terms, strict=True) if share)
            for row in (-shares).tolist()
        ]
        return [[term for _, term in shared[slot][:most]] for slot in slot_of.tolist()]


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
        from .counting import counted

        vocabulary: dict[str, int] = {}
        parts = list(counted(bags, vocabulary))
        assert sum(len(part.sizes) for part in parts) == candidates, "every candidate has a bag"
        return cls._fitted(vocabulary, parts, max(1, len(vocabulary)))

    @classmethod
    def of_counts(
        cls,
        vocabulary: Mapping[str, int],
        inside: csr_matrix,
        outside: csr_matrix,
        first_bag: npt.NDArray[np.intp],
    ) -> TfIdfSpace:
        """Fit the space on bags that were counted before.

        `inside` has a row for each bag, `outside` one for each candidate, both a column for each
        term of the `vocabulary`; the bags of candidate i start at row ``first_bag[i]``.
        """
        from .counting import BagCounts, with_small_counts

        bags, width = inside.shape
        sizes = np.diff(np.append(first_bag, bags))
        part = BagCounts(with_small_counts(inside), with_small_counts(outside), sizes)
        return cls._fitted(vocabulary, [part], width)

    @classmethod
    def _fitted(
        cls, vocabulary: Mapping[str, int], parts: list[BagCounts], width: int
    ) -> TfIdfSpace:
        from .counting import columns_of

        present = np.zeros(width)
        for part in parts:
            for rows in part.joined():
                present += np.bincount(rows.indices, minlength=width)
        sizes = np.concatenate([part.sizes for part in parts])
        idf = np.log((1.0 + sizes.sum()) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags has: they are no part of a query.
        idf[present == 0] = 0.0
        norms = np.concatenate([_lengths(rows, idf) for part in parts for rows in part.joined()])
        norms[norms == 0.0] = 1.0
        inside = deque(part.inside for part in parts)
        outside = deque(part.outside for part in parts)
        parts.clear()
        columns = columns_of(inside, width), columns_of(outside, width)
        return cls(vocabulary, idf, norms, np.cumsum(sizes) - sizes, *columns)

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

    def cosines(self, queries: csr_matrix) -> Floats:
        """Return the cosine of every candidate's best bag with each of many queries.

        `queries` has a row of counts for each; the shape returned is candidates by queries.
        """
        from scipy.sparse import csc_matrix, csr_matrix

        weights = queries.data * self.idf[queries.indices]
        row = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        norms = np.sqrt(np.bincount(row, weights * weights, minlength=queries.shape[0]))
        norms[norms == 0.0] = 1.0
        weights *= self.idf[queries.indices] / norms[row]
        shape = queries.shape[0], len(self.idf)
        vectors = csr_matrix((weights, queries.indices, queries.indptr), shape).T

        def products(counts: Columns, rows: int) -> Floats:
            shape = rows, len(self.idf)
            matrix = csc_matrix((counts.counts, counts.rows, counts.starts), shape)
            return np.asarray((matrix @ vectors).toarray(), dtype=np.float64)

        inside = products(self.inside, len(self.norms))
        outside = products(self.outside, len(self.first_bag))
        cosines = (inside + outside[self.owner]) / self.norms[:, None]
        return np.asarray(np.maximum.reduceat(cosines, self.first_bag, axis=0), dtype=np.float64)


def _lengths(rows: csr_matrix, idf: Floats) -> Floats:
    """Return the length of each row once it is weighted."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    weights = rows.data * idf[rows.indices]
    squares = np.bincount(row, weights * weights, minlength=rows.shape[0])
    return np.asarray(np.sqrt(squares), dtype=np.float64)
