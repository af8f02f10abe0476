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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from ..text.tokens import terms
from .internal import Words
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


class _Counts:
    """Counts of terms, a row for each bag; new terms are added to the vocabulary."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._pointers = array("l", [0])
        self._columns = array("i")
        self._values = array("d")

    def add(self, bag: Words) -> None:
        """Add the row of a bag."""
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
        self._vocabulary: dict[str, int] = {}
        inside, outside = _Counts(self._vocabulary), _Counts(self._vocabulary)
        owners = array("l")
        for bag in bags:
            inside.add(bag.internal)
            outside.add(bag.external)
            owners.append(bag.candidate)
        self.terms = tuple(self._vocabulary)
        joined = (inside.matrix() + outside.matrix()).tocsr()
        present = np.bincount(joined.indices, minlength=joined.shape[1])
        self.idf: Floats = np.log((1.0 + len(owners)) / (1.0 + present)) + 1.0
        weighted = joined.multiply(self.idf).tocsr()
        norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        norms[norms == 0.0] = 1.0
        scale = 1.0 / norms[:, None]
        self._bags = weighted.multiply(scale).tocsr()
        self._external = outside.matrix().multiply(self.idf).multiply(scale).tocsr()
        self._first_bag = np.searchsorted(np.asarray(owners), np.arange(candidates))

    def query(self, query: Sequence[str]) -> Floats:
        """Return the unit vector of a query's words (all zero if none is in the space)."""
        vector = np.zeros(len(self.idf))
        weights = {
            column: count * float(self.idf[column])
            for term, count in Counter(terms(query)).items()
            if (column := self._vocabulary.get(term)) is not None
        }
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        for column, weight in weights.items():
            vector[column] = weight / norm
        return vector

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
