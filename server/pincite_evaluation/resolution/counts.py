"""The bags of a whole collection, counted once for all test papers and rows of a table.

Representations and vector space are those of the editor, but words are column numbers here, and a
space is fitted on the counted bags of the candidates instead of their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate, InlinkContext
from pincite.representations.internal import Words, WorkTokens, words_of
from pincite.representations.tfidf import TfIdfSpace
from pincite.settings import Window
from pincite.text.tokens import terms

from ..baselines.sparse import csr_matrix
from ..progress import Progress, ignored
from .protocol import PaperUnderTest
from .representations import NamedRepresentation
from .sparse_counts import TermCounts, columns_of

_Columns = npt.NDArray[np.int32]
_Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CountedBags:
    """Bags of several papers; paper i has the rows from ``starts[i]`` up to ``starts[i + 1]``."""

    counts: csr_matrix
    starts: _Rows

    def of(self, papers: _Rows) -> tuple[csr_matrix, _Rows]:
        """Return the bags of some papers, and the number of bags of each."""
        sizes = self.starts[papers + 1] - self.starts[papers]
        first = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(first[-1]) - np.repeat(first[:-1] - self.starts[papers], sizes)
        return self.counts[rows], sizes


@dataclass(frozen=True, slots=True)
class CountedPaper:
    """The counts of a test paper: its candidates in the order of their ids, and its queries.

    `queries` has the counts of every group's context for each window. `own` has those of the
    contexts in which the paper itself cites each candidate, for each inlink window (rows as in
    `candidates`), if these are to be subtracted. `cited` are positions of candidates.
    """

    id: str
    candidates: _Rows
    cited: tuple[tuple[int, ...], ...]
    queries: Mapping[Window, csr_matrix]
    own: Mapping[Window, csr_matrix] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CountedCollection:
    """All bags for some representations, by internal name or by inlink window."""

    inside: Mapping[str | None, CountedBags]
    outside: Mapping[Window, csr_matrix]


def fitted_space(
    paper: CountedPaper, representation: NamedRepresentation, collection: CountedCollection
) -> TfIdfSpace:
    """Fit the vector space of a test paper's candidates."""
    own_inside, sizes = collection.inside[representation.internal].of(paper.candidates)
    window = representation.window
    if window is None:
        own_outside = csr_matrix((len(sizes), own_inside.shape[1]))
    else:
        own_outside = collection.outside[window][paper.candidates]
        if window in paper.own:
            own_outside = own_outside - paper.own[window]
            own_outside.eliminate_zeros()
    joined = own_inside + own_outside[np.repeat(np.arange(len(sizes)), sizes)]
    present = np.bincount(joined.indices, minlength=joined.shape[1])
    return TfIdfSpace.of(columns_of(own_inside), columns_of(own_outside), sizes, present, {})


def count(
    papers: Mapping[str, Candidate],
    tests: Sequence[PaperUnderTest],
    representations: Sequence[NamedRepresentation],
    windows: Sequence[Window],
    *,
    leave_one_out: bool,
    progress: Progress = ignored,
) -> tuple[CountedCollection, list[CountedPaper]]:
    """Count the bags of all candidates, and the contexts of all test papers.

    `papers` are the candidates by id, with their inlink contexts; with `leave_one_out`, these
    include contexts from the test papers, which are subtracted for the paper that they come from.
    """
    columns = _TermColumns()
    inlink_windows = {r.window: r.outside for r in representations if r.window is not None}
    inside_of = {r.internal: r.inside for r in representations}
    inside = {name: TermCounts(columns.vocabulary) for name in inside_of}
    starts: dict[str | None, list[int]] = {name: [0] for name in inside_of}
    outside = {window: TermCounts(columns.vocabulary) for window in inlink_windows}
    numbers: dict[str, int] = {}
    for done, (name, candidate) in enumerate(papers.items()):
        numbers[name] = done
        work = columns.of_work(words_of(candidate))
        for internal, bags_of in inside_of.items():
            bags = bags_of(work)
            starts[internal].append(starts[internal][-1] + len(bags))
            for bag in bags:
                inside[internal].add_columns(bag)
        for window, words_in in inlink_windows.items():
            outside[window].add_columns(columns.of(words_in(candidate)))
        progress(done + 1, len(papers))
    parts = [
        _counted_paper(test, papers, columns, windows, inlink_windows if leave_one_out else {})
        for test in tests
    ]
    counted = [
        CountedPaper(
            test.id,
            np.asarray([numbers[name] for name in test.candidates], dtype=np.intp),
            tuple(tuple(map(test.candidates.index, group.cited)) for group in test.groups),
            {window: rows.matrix() for window, rows in queries.items()},
            {window: rows.matrix() for window, rows in own.items()},
        )
        for test, (queries, own) in zip(tests, parts, strict=True)
    ]
    collection = CountedCollection(
        {
            name: CountedBags(rows.matrix(), np.asarray(starts[name], dtype=np.intp))
            for name, rows in inside.items()
        },
        {window: rows.matrix() for window, rows in outside.items()},
    )
    return collection, counted


_Counts = dict[Window, TermCounts]


def _counted_paper(
    test: PaperUnderTest,
    papers: Mapping[str, Candidate],
    columns: _TermColumns,
    windows: Iterable[Window],
    inlink_windows: Mapping[Window, Callable[[Candidate], Words]],
) -> tuple[_Counts, _Counts]:
    queries = {window: TermCounts(columns.vocabulary) for window in windows}
    for window, rows in queries.items():
        for group in test.groups:
            rows.add_columns(columns.of(group.words(window)))
    own = {window: TermCounts(columns.vocabulary) for window in inlink_windows}
    for window, words_in in inlink_windows.items():
        for name in test.candidates:
            own[window].add_columns(columns.of(words_in(_cited_by(test.id, papers[name]))))
    return queries, own


def _cited_by(citing: str, candidate: Candidate) -> Candidate:
    contexts: tuple[InlinkContext, ...] = tuple(
        context for context in candidate.inlink_contexts if context.citing_paper == citing
    )
    return Candidate(candidate.key, candidate.paper, inlink_contexts=contexts)


class _TermColumns:
    """Maps words to columns, with a cache."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def of(self, words: Sequence[str]) -> _Columns:
        """Return the columns of words in order; -1 for words that no bag counts."""
        known = self._known
        for word in [word for word in words if word not in known]:
            counted = terms((word,))
            known[word] = (
                self.vocabulary.setdefault(counted[0], len(self.vocabulary)) if counted else -1
            )
        return np.fromiter(map(known.__getitem__, words), np.int32, len(words))

    def of_work(self, work: WorkTokens[Words]) -> WorkTokens[_Columns]:
        """Return a work's words as columns."""
        return WorkTokens(self.of(work.everything), self.of(work.summary))
