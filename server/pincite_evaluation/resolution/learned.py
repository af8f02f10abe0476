"""The learned ranker on a collection: additional rows, by what may be known at a place.

Papers are assigned to folds, and each is ranked by a model trained on the other folds; or all are
ranked by a model from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

import numpy as np

from pincite.model.problems import InputError
from pincite.ranking.features import Features
from pincite.ranking.learned import LearnedModel

from ..folds import dealt_in_turn
from ..measures import Ranks
from ..progress import Progress, Steps, silent
from ..ranker_training import train
from .evidence import (
    KNOWLEDGE,
    SITUATIONS,
    CitingPaper,
    CollectionEvidence,
    Situation,
    lists_of_papers,
    papers_to_learn_from,
)
from .protocol import PaperUnderTest
from .table import FinishedRows, PapersUnderTest

NAME: Final = "learned"
FOLDS: Final = 5


def learned_rows(
    evidence: CollectionEvidence,
    tests: PapersUnderTest,
    *,
    model: LearnedModel | None = None,
    progress: Steps = silent,
) -> FinishedRows:
    """Rank at all groups of all test papers, for each of `SITUATIONS` and `KNOWLEDGE`.

    Without a `model`, one is trained for each fold. Raises `InputError` without training data or
    LightGBM, or if the model has other features.
    """
    names = [paper.id for paper in tests.papers]
    models = dict.fromkeys(names, model) if model else _trained(evidence, names, progress)
    report = progress("Ranking with the trained models")
    found: list[Ranks] = []
    for paper in tests.papers:
        report(len(found), len(tests.papers))
        found.append(_ranks_of(evidence, paper, models[paper.id]))
    report(len(found), len(tests.papers))
    conditions = [(situation, knows) for situation in SITUATIONS for knows in KNOWLEDGE]
    labels = ({"window": None, "situation": one, "knows": knows} for one, knows in conditions)
    return tests.finished(NAME, found, labels)


def _ranks_of(evidence: CollectionEvidence, test: PaperUnderTest, model: LearnedModel) -> Ranks:
    """Return the ranks of a test paper's outcomes, for each situation and level of knowledge."""
    paper = evidence.citing(test.id)
    known = [evidence.of(paper, knows) for knows in KNOWLEDGE]
    ranks = [_ranks(paper, at, situation, model) for situation in SITUATIONS for at in known]
    return np.asarray(ranks, dtype=np.int32)


def _ranks(
    paper: CitingPaper,
    features_at: Callable[[int, Situation], Features],
    situation: Situation,
    model: LearnedModel,
) -> list[int]:
    found = [features_at(group, situation) for group in range(len(paper.starts))]
    if not found:
        return []
    # All places of a paper are scored in one pass over the trees, which is faster.
    parts = np.cumsum([len(own.positions) for own in found])[:-1]
    predicted = model.trees.predict(np.concatenate(list(map(model.matrix, found))))
    ranks: list[int] = []
    for own, cited, scored in zip(found, paper.cited, np.split(predicted, parts), strict=True):
        scores = np.full(len(paper.candidates), -np.inf)
        scores[own.positions] = scored
        ranks += (np.argsort(np.argsort(-scores, kind="stable"))[list(cited)] + 1).tolist()
    return ranks


def _trained(
    evidence: CollectionEvidence, tests: Collection[str], progress: Steps
) -> dict[str, LearnedModel]:
    """Return for each test paper a model that was trained on papers of other folds."""
    names = tuple(dict.fromkeys((*tests, *papers_to_learn_from(evidence.collection))))
    dealt = folds_of(evidence, names, frozenset(tests), FOLDS)
    report = progress("Reading papers for training")
    lists = []
    for own in lists_of_papers(evidence, NAME, names):
        lists.append(own)
        report(len(lists), len(names))
    report = progress("Training")
    models: list[LearnedModel] = []
    number = max(dealt.values()) + 1
    for fold in range(number):
        others = [own for own in lists if own.lists and dealt[own.name] != fold]
        part = partial(_report_part, report, fold, number)
        models.append(train(others, progress=part))
    return {name: models[dealt[name]] for name in tests}


def _report_part(report: Progress, part: int, parts: int, done: int, total: int) -> None:
    report(part * total + done, parts * total)


def folds_of(
    evidence: CollectionEvidence, names: Sequence[str], tests: Collection[str], number: int
) -> dict[str, int]:
    """Assign papers to folds at random, balanced for test papers; `InputError` for one paper."""
    if len(names) < 2:
        raise InputError("the learned ranker needs at least 2 papers, to train on one of them")
    ordered = sorted(names, key=evidence.fingerprint)
    kinds = ([n for n in ordered if n in tests], [n for n in ordered if n not in tests])
    return dealt_in_turn(kinds, min(number, len(names)))
