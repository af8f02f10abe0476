"""Measure the gain from more training of the learned ranker, on papers outside the test set.

    python -m benchmarks.ranking_training DIR --test-papers FILE [--lists N,N] [--rounds N,N]

DIR is a collection of papers, FILE names its test papers. All papers are dealt in five folds, and
each is ranked by trees that were grown on the places of the others, so many lists of each paper and
so many rounds. Only papers that are no test papers are measured: constants may be chosen by them.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pincite_evaluation.collection import read_collection
from pincite_evaluation.ranker_training import PARAMETERS, CitingList, Lists, grown
from pincite_evaluation.resolution import protocol as papers
from pincite_evaluation.resolution.protocol import folds_of

from .shared import Given, measurement, numbers, table

_FOLDS = 5
_CONDITIONS: tuple[tuple[papers.Situation, papers.Knowledge], ...] = (
    ("text only", "full texts and inlinks"),
    ("citations before", "full texts and inlinks"),
    ("citations before", "bibliography"),
)


#: The features of the entries at a place, and which of them are cited.
Place = tuple[npt.NDArray[np.float32], list[int]]


def _places(found: papers.CollectionEvidence, name: str) -> Iterator[tuple[str, list[Place]]]:
    """Yield the places of a paper under each condition, with the entries in the order of ids."""
    paper = found.citing(name)
    for situation, knows in _CONDITIONS:
        known = found.of(paper, knows)
        # Lists of papers are short: all entries are looked at.
        places = [(known(at, situation).values, list(own)) for at, own in enumerate(paper.cited)]
        yield f"{situation}, {knows}", places


def _some(own: Lists, number: int) -> list[CitingList]:
    """Return so many lists of a paper that teach, drawn at random."""
    random = np.random.default_rng(len(own.lists))
    drawn = random.permutation(len(own.lists))[:number]
    return [own.lists[at] for at in np.sort(drawn).tolist() if own.lists[at].teaches]


def _rank(
    booster: Any,
    places: dict[str, list[Place]],
    rounds: Sequence[int],
    ranks: dict[tuple[int, str], list[npt.NDArray[np.intp]]],
) -> None:
    """Add the ranks of what is cited at each place, for each number of rounds and condition."""
    for condition, own in places.items():
        for (values, cited), most in product(own, rounds):
            scores = booster.predict(values, num_iteration=most)
            ranked = np.argsort(np.argsort(-scores, kind="stable")) + 1
            ranks[most, condition].append(ranked[cited])


def _figures(ranks: Sequence[npt.NDArray[np.intp]]) -> str:
    """Return the share of citations that are resolved (a group of n within n), and recall@5."""
    number = sum(map(len, ranks))
    resolved = sum(len(group) for group in ranks if group.min() <= len(group))
    within = sum(int((group <= 5).sum()) for group in ranks)
    return f"{resolved / number:.3f} / {within / number:.3f}"


@measurement("collection", test_papers=Path, lists="24,96", rounds="300,450,700,1000")
def main(given: Given) -> None:
    lists_of_each, rounds = numbers(given.lists), numbers(given.rounds)
    tests = frozenset(given.test_papers.read_text("utf-8").split())

    print("reading papers", file=sys.stderr)
    collection = read_collection(given.collection)
    found = papers.CollectionEvidence(collection)
    names = papers.papers_to_learn_from(collection)
    folds = folds_of(found, names, tests, _FOLDS)
    lists = list(papers.lists_of_papers(found, names))
    measured = [name for name in names if name not in tests]
    places = {name: dict(_places(found, name)) for name in measured}

    shown = [f"{situation}, {knows}" for situation, knows in _CONDITIONS]
    print(f"{len(measured)} papers that are no test papers; resolved, and recall@5\n")
    rows = []
    for number in lists_of_each:
        ranks: dict[tuple[int, str], list[npt.NDArray[np.intp]]] = defaultdict(list)
        for fold in range(_FOLDS):
            print(f"{number} lists a paper, fold {fold + 1} of {_FOLDS}", file=sys.stderr)
            learnt = [one for own in lists if folds[own.name] != fold for one in _some(own, number)]
            booster = grown(learnt, PARAMETERS, max(rounds))
            for name in measured:
                if folds[name] == fold:
                    _rank(booster, places[name], rounds, ranks)
        rows += [(number, most, *(_figures(ranks[most, one]) for one in shown)) for most in rounds]
    table(("lists a paper", "rounds", *shown), rows)
