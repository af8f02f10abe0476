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
from scipy.sparse import csr_matrix

from ..text.tokens import terms
from .mixed import Bag

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """Cosines of one query with the bags of every candidate, at the candidate's best bag.

    All arrays have one value per candidate; ``cosine = internal + external``. `bag` is the index
    of the best bag.
    """

    cosine: Floats
    internal: Floats
    external: Floats
    bag: npt.NDArray[np.intp]


class TermCounts:
    """Counts of terms, a row for each bag; the vocabulary grows with them and may be shared."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._pointers = array("l", [0])
        self._columns = array("i")
        self._values = array("d")

    def add(self, bag: Iterable[str]) -> None:
        """Add the row of a bag of words."""
        vocabulary, counts = self._vocabulary, Counter(terms(bag))
        self._columns.extend(vocabulary.setdefault(term, len(vocabulary)) for term in counts)
        self._values.extend(counts.values())
        self._pointers.append(len(self._columns))

    def add_columns(self, columns: npt.NDArray[np.int32]) -> None:
        """Add the row of a bag that is given by the columns of its terms, others negative."""
        found, counts = np.unique(columns[columns >= 0], return_counts=True)
        self._columns.frombytes(found.astype(np.int32).tobytes())
        self._values.frombytes(counts.astype(np.float64).tobytes())
        self._pointers.append(len(self._columns))

    def matrix(self) -> csr_matrix:
        """Return the rows so far, as wide as the vocabulary by now (at least 1)."""
        return csr_matrix(
            (np.asarray(self._values), np.asarray(self._columns), np.asarray(self._pointers)),
            shape=(len(self._pointers) - 1, max(1, len(self._vocabulary))),
        )


class TfIdfSpace:
    """The vector space of a set of bags.

    What is kept are the counts: the inner part of each bag, and the outer part once for each
    candidate, whose bags all share it. A bag's vector is (inner + outer) · idf / norm.
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
        self._vocabulary = vocabulary
        self._inside, self._outside, self._first_bag = inside, outside, first_bag
        bags, width = inside.shape
        sizes = np.diff(np.append(first_bag, bags))
        self._owner = np.repeat(np.arange(len(first_bag)), sizes)
        present = np.bincount(inside.indices, minlength=width).astype(np.float64)
        for owner in np.flatnonzero(np.diff(outside.indptr)).tolist():
            # A term of the outer part is in all bags, whether their inner parts have it or not.
            columns, _ = _row(outside, owner)
            within = inside.indices[slice(*self._entries_of(owner))]
            present[columns] += sizes[owner] - np.bincount(within, minlength=width)[columns]
        self.idf: Floats = np.log((1.0 + bags) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags has: they are no part of a query.
        self.idf[present == 0] = 0.0
        self._norms = self._lengths()

    def _lengths(self) -> Floats:
        """Return the length of each bag's vector before it is scaled to one; 1 where it is 0."""
        squares = _squares(self._inside, self.idf) + _squares(self._outside, self.idf)[self._owner]
        weights = np.zeros(len(self.idf))
        for owner in np.flatnonzero(np.diff(self._outside.indptr)).tolist():
            columns, counts = _row(self._outside, owner)
            weights[columns] = 2.0 * counts * self.idf[columns] ** 2
            start, end = self._entries_of(owner)
            products = self._inside.data[start:end] * weights[self._inside.indices[start:end]]
            first, last = self._bags_of(owner)
            sizes = np.diff(self._inside.indptr[first : last + 1])
            rows = np.repeat(np.arange(last - first), sizes)
            squares[first:last] += np.bincount(rows, products, minlength=last - first)
            weights[columns] = 0.0
        lengths = np.sqrt(squares)
        lengths[lengths == 0.0] = 1.0
        return np.asarray(lengths, dtype=np.float64)

    def _bags_of(self, owner: int) -> tuple[int, int]:
        following = owner + 1 < len(self._first_bag)
        end = self._first_bag[owner + 1] if following else self._inside.shape[0]
        return int(self._first_bag[owner]), int(end)

    def _entries_of(self, owner: int) -> tuple[int, int]:
        """Return where the counts of a candidate's bags begin and end in the inner matrix."""
        first, last = self._bags_of(owner)
        return int(self._inside.indptr[first]), int(self._inside.indptr[last])

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary by column."""
        return tuple(self._vocabulary)

    def query(self, query: Sequence[str]) -> Floats:
        """Return the unit vector of a query's words (all zero if none is in the space)."""
        vector = np.zeros(len(self.idf))
        weights = {
            column: count * idf
            for term, count in Counter(terms(query)).items()
            if (column := self._vocabulary.get(term)) is not None
            and (idf := float(self.idf[column]))
        }
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        for column, weight in weights.items():
            vector[column] = weight / norm
        return vector

    def score(self, vector: Floats) -> Scores:
        """Return the cosine of a query vector with every candidate's best bag."""
        weights = vector * self.idf
        inside = self._inside @ weights / self._norms
        outside = (self._outside @ weights)[self._owner] / self._norms
        cosines = inside + outside
        best = self._best_bags(cosines)
        return Scores(cosines[best], inside[best], outside[best], best)

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
        vectors = csr_matrix((weights, queries.indices, queries.indptr), shape).T.tocsr()
        inside, outside = (self._inside @ vectors).toarray(), (self._outside @ vectors).toarray()
        cosines = (inside + outside[self._owner]) / self._norms[:, None]
        return np.asarray(np.maximum.reduceat(cosines, self._first_bag, axis=0), dtype=np.float64)

    def _best_bags(self, cosines: Floats) -> npt.NDArray[np.intp]:
        """Return the first best bag of each candidate."""
        best = np.maximum.reduceat(cosines, self._first_bag)
        sizes = np.diff(np.append(self._first_bag, len(cosines)))
        is_best = np.flatnonzero(cosines == np.repeat(best, sizes))
        owner = np.searchsorted(self._first_bag, is_best, side="right") - 1
        _, first = np.unique(owner, return_index=True)
        return is_best[first]

    def matched(self, vector: Floats, bag: int, most: int) -> list[str]:
        """Return the terms that a query and a bag share, by falling contribution."""
        counts = np.zeros(len(self.idf))
        for matrix, row in ((self._inside, bag), (self._outside, int(self._owner[bag]))):
            columns, values = _row(matrix, row)
            counts[columns] += values
        shares = counts * self.idf * vector
        order = sorted(np.flatnonzero(shares > 0.0), key=lambda i: (-shares[i], self.terms[i]))
        return [self.terms[column] for column in order[:most]]


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
