"""TF-IDF and cosine as in `pincite.representations.tfidf`, on bags in SciPy's sparse matrices.

The words of a whole collection are counted once, for all test papers and rows of a table; each test
paper takes the rows of its candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate
from pincite.representations.internal import WorkTokens, words_of
from pincite.settings import Window
from pincite.text.tokens import terms

from ..baselines.sparse import csr_matrix
from ..measures import Floats
from ..progress import Progress, ignored
from .protocol import PaperUnderTest
from .representations import NamedRepresentation

#: The numbers of words in order; -1 for those that are not counted, such as stop words.
Numbers: TypeAlias = npt.NDArray[np.int32]
#: By the name of an internal representation: the counts of all bags, and the first of each paper.
Inside: TypeAlias = Mapping[str | None, tuple[csr_matrix, npt.NDArray[np.intp]]]


@dataclass(frozen=True, slots=True)
class CountedPaper:
    """The counts of a test paper.

    `queries` has a row for each group, for each query window. `outside` has a row for each
    candidate: the contexts in which other papers cite it, by inlink window. `candidates` are
    numbers of papers in `Inside`, and `cited` positions among them.
    """

    candidates: tuple[int, ...]
    cited: tuple[tuple[int, ...], ...]
    queries: tuple[csr_matrix, ...]
    outside: Mapping[Window | None, csr_matrix]


def count(
    papers: Mapping[str, Candidate],
    tests: Sequence[PaperUnderTest],
    representations: Sequence[NamedRepresentation],
    windows: Sequence[Window],
    progress: Progress = ignored,
) -> tuple[Inside, list[CountedPaper]]:
    """Count the bags of all candidates, given by id, and the contexts of all test papers."""
    columns: dict[str, int] = {}
    numbers: dict[str, int] = {}

    def numbered(words: Sequence[str]) -> Numbers:
        for word in {*words}.difference(numbers):
            term = terms((word,))
            numbers[word] = columns.setdefault(term[0], len(columns)) if term else -1
        return np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))

    inside = {one.internal: one.representation.internal for one in representations}
    bags: dict[str | None, list[list[Numbers]]] = {name: [] for name in inside}
    for number, candidate in enumerate(papers.values(), start=1):
        words = words_of(candidate)
        work = WorkTokens(numbered(words.everything), numbered(words.summary))
        for name, bags_of in inside.items():
            bags[name].append(bags_of(work))
        progress(number, len(papers))
    outside = {one.window: one.representation.external for one in representations}
    rows = []
    for test in tests:
        queries = [[numbered(group.words(one)) for group in test.groups] for one in windows]
        candidates = [_cited_by_others(papers[name], test.id) for name in test.candidates]
        inlinks = {one: [numbered(of(each)) for each in candidates] for one, of in outside.items()}
        rows.append((queries, inlinks))
    width = max(1, len(columns))
    positions = {name: number for number, name in enumerate(papers)}
    counted = [
        CountedPaper(
            tuple(map(positions.__getitem__, test.candidates)),
            tuple(tuple(map(test.candidates.index, group.cited)) for group in test.groups),
            tuple(_counts(own, width) for own in queries),
            {window: _counts(own, width) for window, own in inlinks.items()},
        )
        for test, (queries, inlinks) in zip(tests, rows, strict=True)
    ]
    return {
        name: (_counts(list(chain(*own)), width), np.cumsum([0, *map(len, own)]))
        for name, own in bags.items()
    }, counted


def _cited_by_others(candidate: Candidate, paper: str) -> Candidate:
    contexts = (one for one in candidate.inlink_contexts if one.citing_paper != paper)
    return replace(candidate, inlink_contexts=tuple(contexts))


def _counts(bags: Sequence[Numbers], width: int) -> csr_matrix:
    """Return a row of counts for each bag."""
    counted = [bag[bag >= 0] for bag in bags]
    starts = np.cumsum([0, *map(len, counted)])
    columns = np.concatenate([np.empty(0, np.int32), *counted])
    shape = len(bags), width
    found = csr_matrix((np.ones(len(columns), np.float32), columns, starts), shape)
    found.sum_duplicates()
    return found


def cosines(
    inside: Inside, paper: CountedPaper, representation: NamedRepresentation
) -> list[Floats]:
    """Return the cosines of the best bag of each candidate with each group, by query window.

    A bag's inner part is its own, its outer part that of its candidate; their vectors have the
    length 1, and idf(t) = ln((1 + n) / (1 + df(t))) + 1 over the n bags.
    """
    counts, starts = inside[representation.internal]
    ranges = [np.arange(starts[at], starts[at + 1]) for at in paper.candidates]
    sizes = [len(own) for own in ranges]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    bags = counts[np.concatenate(ranges)] + paper.outside[representation.window][owner]
    present = bags.getnnz(axis=0)
    idf = np.where(present > 0, np.log((1 + bags.shape[0]) / (1 + present)) + 1, 0.0)
    vectors = _weighted(bags, idf)
    first = np.cumsum([0, *sizes[:-1]])
    return [
        np.maximum.reduceat((vectors @ _weighted(queries, idf).T).toarray(), first, axis=0)
        for queries in paper.queries
    ]


def _weighted(counts: csr_matrix, idf: Floats) -> csr_matrix:
    """Return counts times idf, each row scaled to the length 1 unless it is 0."""
    weights = counts.data * idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, weights**2, minlength=counts.shape[0]))
    lengths[lengths == 0.0] = 1.0
    return csr_matrix((weights / lengths[rows], counts.indices, counts.indptr), counts.shape)
