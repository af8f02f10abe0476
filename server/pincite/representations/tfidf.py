"""TF-IDF vectors of bags and the cosine between them and a query.

Raw counts, ``idf(t) = ln((1 + n) / (1 + df(t))) + 1`` over the n bags themselves, l2 norm: what
scikit-learn's `TfidfVectorizer` computes, which is what Duma and Klein (2014, section 4) used.
The two parts of a bag are kept apart, so that a cosine splits exactly into what the internal and
what the external part contribute.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_matrix, csr_matrix, vstack

from ..text.tokens import terms
from .mixed import Bag

Floats = npt.NDArray[np.float64]

#: Words that are counted together: enough to be fast, few enough for little memory.
_COUNTED_AT_ONCE = 1 << 20


class TermCounts:
    """Counts of terms, a row for each bag; the vocabulary grows with them and may be shared."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._column_of = _ColumnOfWord(vocabulary)
        #: The rows not yet counted: a column for each of their words, and where rows begin.
        self._columns = array("i")
        self._starts = array("l", [0])
        self._counted: list[csr_matrix] = []

    def add(self, bag: Iterable[str]) -> None:
        """Add the row of a bag of words."""
        self._columns.extend(map(self._column_of.__getitem__, bag))
        self._end_row()

    def add_columns(self, columns: npt.NDArray[np.int32]) -> None:
        """Add the row of a bag that is given by the columns of its terms, others negative."""
        self._columns.frombytes(columns.astype(np.int32, copy=False).tobytes())
        self._end_row()

    def matrix(self) -> csr_matrix:
        """Return the rows so far, as wide as the vocabulary by now (at least 1)."""
        self._count()
        width = max(1, len(self._vocabulary))
        for part in self._counted:
            part.resize(part.shape[0], width)
        if len(self._counted) != 1:
            self._counted = [vstack(self._counted, "csr") if self._counted else _no_rows(width)]
        return self._counted[0]

    def _end_row(self) -> None:
        self._starts.append(len(self._columns))
        if len(self._columns) >= _COUNTED_AT_ONCE:
            self._count()

    def _count(self) -> None:
        """Count the waiting rows: together, because there may be very many short ones."""
        if len(self._starts) == 1:
            return
        columns = np.frombuffer(self._columns, dtype=np.intc)
        known = columns >= 0
        before = np.concatenate([[0], np.cumsum(known)])
        columns = columns[known]
        rows = csr_matrix(
            (np.ones(len(columns), np.float32), columns, before[np.frombuffer(self._starts, "l")]),
            shape=(len(self._starts) - 1, max(1, len(self._vocabulary))),
        )
        rows.sum_duplicates()
        self._counted.append(rows)
        self._columns, self._starts = array("i"), array("l", [0])


class _ColumnOfWord(dict[str, int]):
    """The column of each word as written, looked up once: -1 for what a bag does not count."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> int:
        vocabulary, counted = self._vocabulary, terms((word,))
        column = vocabulary.setdefault(counted[0], len(vocabulary)) if counted else -1
        self[word] = column
        return column


def _no_rows(width: int) -> csr_matrix:
    return csr_matrix((0, width), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Query:
    """The unit vector of a query: the columns of its terms, and their values."""

    columns: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Cosines of one query, a value per candidate: that of the candidate's best bag."""

    cosine: Floats
    _inside: Floats
    _outside: Floats
    _space: TfIdfSpace

    def parts(self, candidate: int) -> tuple[float, float, int]:
        """Return what of a cosine is internal and what external, and the index of the bag."""
        first, last = self._space.bags_of(candidate)
        norms = self._space.norms[first:last]
        inside, outside = self._inside[first:last] / norms, self._outside[candidate] / norms
        best = int(np.argmax(inside + outside))
        return float(inside[best]), float(outside[best]), first + best


class TfIdfSpace:
    """The vector space of a set of bags.

    What is kept are the counts by term: of the inner part of each bag, and of the outer part once
    for each candidate, whose bags all share it. A bag's vector is (inner + outer) · idf / norm.
    A query has some twenty terms, and only their columns are looked at.
    """

    def __init__(self, bags: Iterable[Bag], candidates: int) -> None:
        """Fit the space; `bags` must be grouped by candidate, 0 to ``candidates - 1``."""
        vocabulary: dict[str, int] = {}
        inside, outside = TermCounts(vocabulary), TermCounts(vocabulary)
        first_bag = array("l")
        for row, bag in enumerate(bags):
            inside.add(bag.internal)
            if bag.candidate == len(first_bag):
                outside.add(bag.external)
                first_bag.append(row)
        starts = np.asarray(first_bag, dtype=np.intp)
        assert len(starts) == candidates, "every candidate has a bag"
        self._fit(vocabulary, inside.matrix(), outside.matrix(), starts)

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
        space = cls.__new__(cls)
        space._fit(vocabulary, inside, outside, first_bag)
        return space

    def _fit(
        self,
        vocabulary: Mapping[str, int],
        inside: csr_matrix,
        outside: csr_matrix,
        first_bag: npt.NDArray[np.intp],
    ) -> None:
        self._vocabulary, self._first_bag = vocabulary, first_bag
        bags, width = inside.shape
        sizes = np.diff(np.append(first_bag, bags))
        self._owner = np.repeat(np.arange(len(first_bag), dtype=np.int32), sizes)
        present = np.bincount(inside.indices, minlength=width).astype(np.float64)
        for owner in np.flatnonzero(np.diff(outside.indptr)).tolist():
            # A term of the outer part is in all bags, whether their inner parts have it or not.
            columns, _ = _row(outside, owner)
            start, end = inside.indptr[list(self.bags_of(owner))]
            within = np.bincount(inside.indices[start:end], minlength=width)[columns]
            present[columns] += sizes[owner] - within
        self.idf: Floats = np.log((1.0 + bags) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags has: they are no part of a query.
        self.idf[present == 0] = 0.0
        #: The length of each bag's vector before it is scaled to one; 1 where it is 0.
        self.norms = self._lengths(inside, outside)
        self._inside, self._outside = inside.tocsc(), outside.tocsc()

    def _lengths(self, inside: csr_matrix, outside: csr_matrix) -> Floats:
        squares = _squares(inside, self.idf) + _squares(outside, self.idf)[self._owner]
        weights = np.zeros(len(self.idf))
        for owner in np.flatnonzero(np.diff(outside.indptr)).tolist():
            columns, counts = _row(outside, owner)
            weights[columns] = 2.0 * counts * self.idf[columns] ** 2
            first, last = self.bags_of(owner)
            start, end = inside.indptr[first], inside.indptr[last]
            products = inside.data[start:end] * weights[inside.indices[start:end]]
            sizes = np.diff(inside.indptr[first : last + 1])
            rows = np.repeat(np.arange(last - first), sizes)
            squares[first:last] += np.bincount(rows, products, minlength=last - first)
            weights[columns] = 0.0
        lengths = np.sqrt(squares)
        lengths[lengths == 0.0] = 1.0
        return np.asarray(lengths, dtype=np.float64)

    def bags_of(self, owner: int) -> tuple[int, int]:
        """Return the index of a candidate's first bag, and of the one behind its last."""
        following = owner + 1 < len(self._first_bag)
        end = self._first_bag[owner + 1] if following else len(self._owner)
        return int(self._first_bag[owner]), int(end)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary by column."""
        return tuple(self._vocabulary)

    def query(self, query: Sequence[str]) -> Query:
        """Return the unit vector of a query's words (empty if none is in the space)."""
        weights = {
            column: count * idf
            for term, count in Counter(terms(query)).items()
            if (column := self._vocabulary.get(term)) is not None
            and (idf := float(self.idf[column]))
        }
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return Query(tuple(weights), tuple(weight / norm for weight in weights.values()))

    def score(self, query: Query) -> Scores:
        """Return the cosine of a query with every candidate's best bag."""
        inside, outside = self._products(self._inside, query), self._products(self._outside, query)
        cosines = (inside + outside[self._owner]) / self.norms
        best = np.maximum.reduceat(cosines, self._first_bag)
        return Scores(best, inside, outside, self)

    def _products(self, counts: csc_matrix, query: Query) -> Floats:
        """Return the product of each row of weighted counts with a query."""
        products = np.zeros(counts.shape[0])
        for column, value in zip(query.columns, query.values, strict=True):
            rows, row_counts = _column(counts, column)
            # No row comes twice in a column.
            products[rows] += row_counts * (value * float(self.idf[column]))
        return products

    def cosines(self, queries: csr_matrix) -> Floats:
        """Return the cosine of every candidate's best bag with each of many queries.

        `queries` has a row of counts for each; the shape returned is candidates by queries.
        """
        weights = queries.data * self.idf[queries.indices]
        row = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        norms = np.sqrt(np.bincount(row, weights * weights, minlength=queries.shape[0]))
        norms[norms == 0.0] = 1.0
        weights *= self.idf[queries.indices] / norms[row]
        shape = queries.shape[0], self._inside.shape[1]
        vectors = csr_matrix((weights, queries.indices, queries.indptr), shape).T
        inside, outside = (self._inside @ vectors).toarray(), (self._outside @ vectors).toarray()
        cosines = (inside + outside[self._owner]) / self.norms[:, None]
        return np.asarray(np.maximum.reduceat(cosines, self._first_bag, axis=0), dtype=np.float64)

    def matched(self, query: Query, bags: Sequence[int], most: int) -> list[list[str]]:
        """Return for each bag the terms that it shares with a query, by falling contribution."""
        rows = np.asarray(bags, dtype=np.intp)
        owners = self._owner[rows].astype(np.intp)
        shares: list[list[tuple[float, str]]] = [[] for _ in bags]
        for column, value in zip(query.columns, query.values, strict=True):
            counts = _counts(self._inside, column, rows)
            counts += _counts(self._outside, column, owners)
            for at in np.flatnonzero(counts).tolist():
                share = counts[at] * value * self.idf[column]
                shares[at].append((-float(share), self.terms[column]))
        return [[term for _, term in sorted(own)[:most]] for own in shares]


def _column(matrix: csc_matrix, column: int) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the rows and values of a column."""
    start, end = matrix.indptr[column], matrix.indptr[column + 1]
    return matrix.indices[start:end], matrix.data[start:end].astype(np.float64)


def _counts(matrix: csc_matrix, column: int, rows: npt.NDArray[np.intp]) -> Floats:
    """Return the values of a column in some rows; what is kept of a column is in order."""
    kept, values = _column(matrix, column)
    if not len(kept):
        return np.zeros(len(rows))
    places = np.minimum(np.searchsorted(kept, rows), len(kept) - 1)
    return np.asarray(np.where(kept[places] == rows, values[places], 0.0), dtype=np.float64)


def _row(matrix: csr_matrix, row: int) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the columns and values of a row."""
    start, end = matrix.indptr[row], matrix.indptr[row + 1]
    return matrix.indices[start:end], matrix.data[start:end]


def _squares(counts: csr_matrix, idf: Floats) -> Floats:
    """Return the squared length of each row once it is weighted."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weights = counts.data * idf[counts.indices]
    squares = np.bincount(rows, weights * weights, minlength=counts.shape[0])
    return np.asarray(squares, dtype=np.float64)
