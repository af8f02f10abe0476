"""Evaluate discovery: hide references of papers, and look for them around those that are left.

The papers of a collection and their reference lists are the graph. A share of what each test paper
lists is hidden: the author does not have it. The pool is what the references that are left cite,
and what cites them, without the paper itself and later ones. At each place that cites a hidden
work, the pool is ranked from its titles and abstracts, in one list with what is left, as
`Project.discover` does: by the learned ranker and by connections, by either alone, and by BM25.

The learned ranker is trained on the papers of the collection that are not test papers, or by folds
where all are; it does not know connections. The weights of these facts (`order.WEIGHTS`) were
fitted on papers that are not test papers: `fitted_weights`.

PDFs are an author's library: also the works that only their reference lists name are in the graph,
by their titles, and the pool is what the papers that are left list, as Pincite knows it at home.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from rich.console import RenderableType

from pincite.discovery import order
from pincite.discovery.neighbours import listed_name
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.ranking.learned import LearnedModel

from .collection import Collection, CollectionPaper, read_collection
from .drafts.rankers import searching, sentence_of
from .processes import ignored, tracked
from .ranker_training import require_trainer, train
from .report.page import Column, Table, fraction
from .resolution import protocol
from .results import Floats, Result, Row, found_at, interval, mean_reciprocal_rank

SHARE: Final = 0.3
RANKERS: Final = ("learned", "text", "connections", "bm25")
COLUMNS: Final[Sequence[Column]] = [
    ("ranker", "ranker", str),
    ("papers", "papers", str),
    ("hidden", "hidden", str),
    ("in pool", "in_pool", fraction),
    ("places", "places", str),
    *((name, name, fraction) for name in ("top1", "top10", "mrr")),
    ("top10 (95%)", "top10_ci95", lambda of: f"{of[0]:.3f}–{of[1]:.3f}"),
]


class Hidden(NamedTuple):
    """A paper, the references that are left and those that are hidden, and the pool around it.

    `cited_by` and `cites` count the references left that cite a work, and that it cites.
    """

    id: str
    left: frozenset[str]
    hidden: frozenset[str]
    cited_by: Mapping[str, int]
    cites: Mapping[str, int]
    pool: frozenset[str]


class RankedPool(NamedTuple):
    """A place: probabilities of the pool (n), facts (n x 4), BM25 (n), and what is cited (n)."""

    probabilities: Floats
    facts: Floats
    bm25: Floats
    cited: Any

    def rank(self, ranker: str, weights: Sequence[float] = order.WEIGHTS) -> int:
        """Return the rank of the best cited work, counted behind those with an equal score."""
        scores = {
            "learned": order.scores(self.probabilities, self.facts, weights),
            "text": self.probabilities,
            "connections": self.facts[:, 0],
            "bm25": self.bm25,
        }[ranker]
        best = scores[self.cited].max()
        return 1 + int(np.sum(scores[~self.cited] >= best))


def with_listed(collection: Collection) -> Collection:
    """Return a collection with the works that its papers list and that are none of its papers."""
    papers = dict(collection.papers)
    for name, found in collection.papers.items():
        links = list(found.links)
        for at, reference in enumerate(found.paper.references):
            if not links[at] and (letters := listed_name(reference)):
                links[at] = f"listed {blake2b(letters.encode('utf-8', 'replace')).hexdigest()[:16]}"
                work = ReferencePaper(
                    reference.title, "title", surnames=reference.surnames, year=reference.year
                )
                papers.setdefault(links[at], CollectionPaper(links[at], work, (), found.path, None))
        papers[name] = found._replace(links=tuple(links))
    return Collection(papers, collection.problems)


class Graph:
    """Which papers of a collection cite which; with `listed_only`, the pool is what is cited."""

    def __init__(self, evidence: protocol.CollectionEvidence, *, listed_only: bool = False) -> None:
        self.evidence = evidence
        collection = evidence.collection
        self.cites = {
            name: frozenset(protocol.candidates_of(collection, paper))
            for name, paper in collection.papers.items()
        }
        self._citing: dict[str, set[str]] = defaultdict(set)
        for name, cited in self.cites.items():
            for other in cited if not listed_only else ():
                self._citing[other].add(name)
        self._listed_only = listed_only
        self._years = {
            name: int(paper.paper.year[:4]) if paper.paper.year[:4].isdecimal() else 0
            for name, paper in collection.papers.items()
        }

    def around(self, name: str, share: float = SHARE, seed: int = 0) -> Hidden:
        """Hide a share of a paper's references, at random by their texts, and return the pool."""
        fingerprints = self.evidence.fingerprints
        own = sorted(self.cites[name], key=fingerprints.__getitem__)
        random = np.random.default_rng([seed, *fingerprints[name]])
        drawn = random.permutation(len(own))[: max(1, round(share * len(own)))]
        hidden = frozenset(own[at] for at in drawn.tolist())
        left = frozenset(own) - hidden
        cited_by = Counter(other for work in left for other in self.cites[work])
        cites = Counter(other for work in left for other in self._citing[work])
        newest = self._years[name] or max(self._years.values())
        pool = frozenset(
            other
            for other in (*cited_by, *cites)
            if other not in left and other != name and self._years[other] <= newest
        )
        return Hidden(name, left, hidden, cited_by, cites, pool)

    def facts(self, own: Hidden, works: Sequence[str], beside: Set[str]) -> Floats:
        """Return what is known about works at a place, behind citations of others; see `order`.

        How often a work is cited is counted without the paper itself, later papers and lists.
        """
        year, none = self._years[own.id], np.nan

        def known(work: str) -> tuple[float, ...]:
            citing = self._citing[work] - {own.id}
            return (
                own.cited_by.get(work, 0) + own.cites.get(work, 0),
                sum(work in self.cites[other] or other in self.cites[work] for other in beside),
                year - self._years[work] if self._years[work] else none,
                none if self._listed_only else sum(self._years[other] <= year for other in citing),
            )

        return order.facts(*np.array([known(work) for work in works], np.float64).T)


def evaluate(
    corpus: Path,
    *,
    test_papers: Path | None = None,
    share: float = SHARE,
    fit: bool = False,
    seed: int = 0,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
) -> Result:
    """Hide a `share` of the references of test papers and look for them in the pool.

    With `fit`, the weights of facts are fitted on the other papers, and printed. Raises
    `InputError` if there is nothing to test or to train on.
    """
    if not 0.0 < share < 1.0:
        raise InputError(f"--share {share}: give a number between 0 and 1")
    require_trainer()
    collection = read_collection(corpus)
    ids, missing = protocol.chosen_papers(collection, test_papers)
    on_problems((*collection.problems, *missing))
    is_library = all(each.path.suffix.lower() == ".pdf" for each in collection.papers.values())
    if is_library:
        collection = with_listed(collection)
    evidence = protocol.CollectionEvidence(collection)
    graph = Graph(evidence, listed_only=is_library)
    tests = [name for name in ids if len(graph.cites[name]) >= protocol.MIN_REFERENCES]
    others = [n for n in protocol.papers_to_learn_from(collection) if n not in {*ids}]
    if not tests or (fit and not others):
        numbers = f"{len(tests)} papers to test on, {len(others)} to train on"
        raise InputError(f"{corpus}: there are {numbers}")
    if others:
        read = protocol.lists_of_papers(evidence, others, seed)
        lists = list(tracked(read, "Reading papers for training", len(others)))
        model = train([own for own in lists if own.lists])
        models = dict.fromkeys((*tests, *others), model)
    else:
        models = protocol.trained_by_folds(evidence, tests)
    weights: Sequence[float] = order.WEIGHTS
    facts: dict[str, Any] = {}
    if fit:
        around = (graph.around(name, share, seed) for name in others)
        places = [each for own in around for each in ranked_pools(graph, own, models[own.id])]
        facts["weights"] = weights = fitted_weights(places)
    papers = [graph.around(name, share, seed) for name in tests]
    steps = tracked(papers, "Looking for hidden references", len(papers))
    pools = [list(ranked_pools(graph, own, models[own.id])) for own in steps]
    rows = [_row(ranker, papers, pools, weights) for ranker in RANKERS]
    hidden = sum(len(own.hidden) for own in papers)
    kinds = {
        "cited_by_left": sum(len(own.hidden & own.cited_by.keys()) for own in papers),
        "cites_left": sum(len(own.hidden & own.cites.keys() & own.pool) for own in papers),
    }
    found = {name: round(number / hidden, 6) for name, number in kinds.items()}
    size = round(float(np.mean([len(own.pool) for own in papers])), 1)
    facts = {"corpus": str(corpus), "share": share, **facts}
    return Result(facts=facts, rows=tuple(rows), more={"in_pool_by": found, "pool_size": size})


def ranked_pools(graph: Graph, own: Hidden, model: LearnedModel) -> Iterator[RankedPool]:
    """Yield the places of a paper that cite a hidden work of the pool, with the pool ranked."""
    if not own.hidden & own.pool:
        return
    evidence = graph.evidence
    citing = evidence.citing(own.id, own.left | own.pool, own.hidden)
    names = citing.candidates
    features_at = evidence.of(citing, "bibliography")
    listed = [name for name in names if name in own.pool]
    pool = np.flatnonzero([name in own.pool for name in names])
    paragraphs = [citing.text.paragraph(start) for start in citing.starts]
    papers = (evidence.collection.papers[name].paper for name in listed)
    described = ((own.title, " ".join(own.surnames), own.year, own.abstract) for own in papers)
    search = searching(map("\n".join, described))
    for number, place in enumerate(citing.groups):
        cited = own.hidden.intersection(place.cited)
        is_cited = np.array([name in cited for name in listed])
        if is_cited.any():
            found = features_at(number, "citations before")
            probabilities = np.zeros(len(names))
            scores = model.scores(found)
            probabilities[found.positions] = model.calibration.probabilities(scores)
            around = sentence_of(citing.text.around(citing.starts[number]))
            bm25 = search(word for word in around if word != CITATION_MARK)
            before = zip(citing.groups[:number], paragraphs[:number], strict=True)
            same = (group.cited for group, paragraph in before if paragraph == paragraphs[number])
            known = graph.facts(own, listed, own.left.intersection(chain.from_iterable(same)))
            yield RankedPool(probabilities[pool], known, bm25, is_cited)


def fitted_weights(places: Sequence[RankedPool]) -> tuple[float, ...]:
    """Return the weights of facts with the highest likelihood of what is cited, one after another.

    The pool's scores are logits of a softmax; a place with several cited works counts their sum.
    """

    def loss(weights: Sequence[float]) -> float:
        total = 0.0
        for place in places:
            scores = order.scores(place.probabilities, place.facts, weights)
            shares = np.exp(scores - scores.max())
            total -= np.log(shares[place.cited].sum() / shares.sum())
        return float(total)

    weights = [0.0] * len(order.WEIGHTS)
    for at in 4 * [*range(len(weights))]:
        tried = ([*weights[:at], w / 10, *weights[at + 1 :]] for w in range(-20, 61))
        # Of equal ones, the smallest.
        weights = min(tried, key=lambda each: (loss(each), abs(each[at])))
    return tuple(weights)


def _row(
    ranker: str,
    papers: Sequence[Hidden],
    pools: Sequence[Sequence[RankedPool]],
    weights: Sequence[float],
) -> Row:
    ranks = [
        np.array([place.rank(ranker, weights) for place in of_paper], np.int32)
        for of_paper in pools
    ]
    every = np.concatenate(ranks)
    found = np.array([np.sum(own <= 10) for own in ranks], np.float64)
    hidden = sum(len(own.hidden) for own in papers)
    figures = {
        "ranker": ranker,
        "papers": len(papers),
        "hidden": hidden,
        "in_pool": round(sum(len(own.hidden & own.pool) for own in papers) / hidden, 6),
        "places": len(every),
        "top1": round(found_at(every, 1), 6),
        "top10": round(found_at(every, 10), 6),
        "mrr": round(mean_reciprocal_rank(every), 6),
        "top10_ci95": interval(found, np.array([len(own) for own in ranks], np.float64)),
    }
    return Row(ranker, figures)


def text(result: Result) -> Iterator[RenderableType]:
    """Yield the table for a terminal, and by which connections the pool has the hidden works."""
    yield Table.of("", COLUMNS, result.rows, words=1).text()
    by = result.more["in_pool_by"]
    yield (
        f"hidden works that a reference left cites: {by['cited_by_left']:.3f}; that cite one: "
        f"{by['cites_left']:.3f}; works in a pool: {result.more['pool_size']:.0f}"
    )
    if "weights" in result.facts:
        yield f"weights of facts, fitted on the other papers: {result.facts['weights']}"
