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

    def matrix(self) -> csr_matrix:
        """Return the rows so far, as wide as the vocabulary by now (at least 1)."""
        return csr_matrix(
            (np.asarray(self._values), np.asarray(self._columns), np.asarray(self._pointers)),
            shape=(len(self._pointers) - 1, max(1, len(self._vocabulary))),
        )


class TfIdfSpace:
    """The vector space of a set of bags."""

    def __init__(self, bags: Iterable[Bag], candidates: int) -> None:
        """Fit the space; `bags` must be grouped by candidate, 0 to ``candidates - 1``."""
        vocabulary: dict[str, int] = {}
        inside, outside = TermCounts(vocabulary), TermCounts(vocabulary)
        owners = array("l")
        for bag in bags:
            inside.add(bag.internal)
            outside.add(bag.external)
            owners.append(bag.candidate)
        first_bag = np.searchsorted(np.asarray(owners), np.arange(candidates))
        self._fit(vocabulary, inside.matrix(), outside.matrix(), first_bag)

    @classmethod
    def of_counts(
        cls,
        vocabulary: Mapping[str, int],
        inside: csr_matrix,
        outside: csr_matrix,
        first_bag: npt.NDArray[np.intp],
    ) -> TfIdfSpace:
        """Fit the space on bags that were counted before.

        `inside` and `outside` have a row for each bag and a column for each term of the
        `vocabulary`; the bags of candidate i start at row ``first_bag[i]``.
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
        self._first_bag = first_bag
        self._outside = outside
        bags = (inside + outside).tocsr()
        present = np.bincount(bags.indices, minlength=bags.shape[1])
        self.idf: Floats = np.log((1.0 + bags.shape[0]) / (1.0 + present)) + 1.0
        # A shared vocabulary has terms that none of these bags has: they are no part of a query.
        self.idf[present == 0] = 0.0
        weights = bags.data * self.idf[bags.indices]
        sizes = np.diff(bags.indptr)
        owner = np.repeat(np.arange(bags.shape[0]), sizes)
        norms = np.sqrt(np.bincount(owner, weights * weights, minlength=bags.shape[0]))
        norms[norms == 0.0] = 1.0
        self._norms = norms
        self._bags = csr_matrix((weights / norms[owner], bags.indices, bags.indptr), bags.shape)

    @cached_property
    def _external(self) -> csr_matrix:
        """The external parts of the bags, on the scale of the whole bags."""
        outside = self._outside
        owner = np.repeat(np.arange(outside.shape[0]), np.diff(outside.indptr))
        weights = outside.data * self.idf[outside.indices] / self._norms[owner]
        return csr_matrix((weights, outside.indices, outside.indptr), outside.shape)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The vocabulary by column."""
        return tuple(self._vocabulary)

    def query(self, query: Sequence[str]) -> Floats:
        """Return the unit vector of a query's words (all zero if none is in the space)."""
        vector = np.zeros(len(self.idf))
        for column, weight in self._weights(query).items():
            vector[column] = weight
        return vector

    def _weights(self, query: Sequence[str]) -> dict[int, float]:
        """Return the columns of a query's words with their weights, of unit length together."""
        weights = {
            column: count * idf
            for term, count in Counter(terms(query)).items()
            if (column := self._vocabulary.get(term)) is not None
            and (idf := float(self.idf[column]))
        }
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return {column: weight / norm for column, weight in weights.items()}

    def cosines(self, queries: Sequence[Sequence[str]]) -> Floats:
        """Return the cosine of every candidate's best bag with each of many queries.

        The shape is candidates by queries.
        """
        vectors = [self._weights(query) for query in queries]
        columns = [column for vector in vectors for column in vector]
        weights = [weight for vector in vectors for weight in vector.values()]
        pointers = np.cumsum([0, *map(len, vectors)])
        shape = len(vectors), self._bags.shape[1]
        matrix = csr_matrix((weights, columns, pointers), shape)
        cosines = (self._bags @ matrix.T.tocsr()).toarray()
        return np.asarray(np.maximum.reduceat(cosines, self._first_bag, axis=0), dtype=np.float64)

    def score(self, vector: Floats) -> Scores:
        """Return the cosine of a query vector with every candidate's best bag."""
        cosines = self._bags @ vector
        best = self._best_bags(cosines)
        outside = (self._external @ vector)[best]
        return Scores(cosines[best], cosines[best] - outside, outside, best)

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
        row = self._bags
        columns = row.indices[row.indptr[bag] : row.indptr[bag + 1]]
        shares = row.data[row.indptr[bag] : row.indptr[bag + 1]] * vector[columns]
        order = sorted(
            np.flatnonzero(shares > 0.0), key=lambda i: (-shares[i], self.terms[columns[i]])
        )
        return [self.terms[columns[i]] for i in order[:most]]
