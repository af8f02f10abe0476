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

import numpy as np
import numpy.typing as npt

from ..text.tokens import terms
from .bags import Words
from .columns import Columns, Floats
from .counting import CountedRows, joined_squares
from .entry_terms import Ids


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Cosines of one query, a value per candidate: that of the candidate's best bag.

    `_terms` are those of the query, with their `_columns` and `_weights`.
    """

    cosine: Floats
    _terms: Sequence[str]
    _columns: npt.NDArray[np.intp]
    _weights: Floats
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
        space, terms, asked = self._space, self._terms, np.asarray(bags, np.intp)
        counts = np.zeros((len(asked), len(terms)))
        for part, rows, number in (
            (space.inside, asked, len(space.norms)),
            (space.outside, space.owner[asked], len(space.first_bag)),
        ):
            slots = np.full(number, -1, dtype=np.int32)
            slots[rows] = np.arange(len(rows), dtype=np.int32)
            own = part.postings_in(self._columns, slots)
            known = np.zeros_like(counts)
            known[own.rows, own.terms] = own.counts
            # Rows that are requested twice, and bags of one candidate, share a slot.
            counts += known[slots[rows]]
        shares = counts * self._weights
        # Terms of equal contributions are in alphabetical order.
        by_term = np.asarray(sorted(range(len(terms)), key=terms.__getitem__), np.intp)
        order = by_term[np.argsort(-shares[:, by_term], axis=1, kind="stable")[:, :most]]
        best = np.take_along_axis(shares, order, axis=1)
        return [
            [terms[term] for term, share in zip(*row, strict=True) if share]
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
    def of_bags(cls, bags: Iterable[tuple[Sequence[Words], Words]]) -> TfIdfSpace:
        """Fit the space on the internal bags of each candidate, one at least, and the external."""
        vocabulary: dict[str, int] = {}

        @cache
        def column(word: str) -> int:
            counted = terms((word,))
            return vocabulary.setdefault(counted[0], len(vocabulary)) if counted else -1

        inside, outside = CountedRows(), CountedRows()
        listed: list[int] = []
        #: The number of bags that contain each term.
        present: Counter[int] = Counter()
        for own, external in bags:
            shared = list(map(column, external))
            outside.extend([shared])
            listed.append(len(own))
            in_all = {*shared}
            for bag in own:
                row = list(map(column, bag))
                inside.extend([row])
                present.update({*row} - in_all)
            present.update(dict.fromkeys(in_all, len(own)))
        width, sizes = max(1, len(vocabulary)), np.asarray(listed, np.int64)
        owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        counts = np.fromiter(map(present.__getitem__, range(width)), np.int64, width)
        idf: Floats = np.log((1.0 + len(owner)) / (1.0 + counts)) + 1.0
        columns = inside.columns(width), outside.columns(width)
        norms = np.sqrt(joined_squares(*columns, owner, idf**2, len(sizes)))
        norms[norms == 0.0] = 1.0
        return cls(vocabulary, idf, norms, np.cumsum(sizes) - sizes, owner, *columns)

    def score(self, query: Sequence[str]) -> Scores:
        """Return the cosine of a query's words with every candidate's best bag."""
        counts = Counter(term for term in terms(query) if term in self.vocabulary)
        columns = np.asarray([self.vocabulary[term] for term in counts], np.intp)
        idf = self.idf[columns]
        values = np.asarray(list(counts.values())) * idf
        values /= math.sqrt(math.fsum(values * values)) or 1.0
        weights = values * idf
        inside = self.inside.postings(columns).sums(weights, len(self.norms))
        outside = self.outside.postings(columns).sums(weights, len(self.first_bag))
        cosines = (inside + outside[self.owner]) / self.norms
        if len(cosines) > len(self.first_bag):
            cosines = np.maximum.reduceat(cosines, self.first_bag)
        return Scores(cosines, tuple(counts), columns, weights, inside, outside, self)
