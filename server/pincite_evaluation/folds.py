"""Folds for cross-validation: what belongs together is held out together.

Scikit-learn's splitters would deal the papers otherwise, and with them change published figures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, TypeVar

import numpy as np

from pincite.model.problems import InputError

from .baselines.model_folder import Fold

FOLDS: Final = 5

Item = TypeVar("Item", bound=Hashable)


def dealt_in_turn(kinds: Iterable[Sequence[Item]], number: int, seed: int = 0) -> dict[Item, int]:
    """Return the fold of each item, at random; the items of each kind are spread evenly."""
    random = np.random.default_rng(seed)
    order = [kind[at] for kind in kinds for at in random.permutation(len(kind)).tolist()]
    return {item: turn % number for turn, item in enumerate(order)}


def folds_by_paper(papers: Iterable[str], number: int = FOLDS, seed: int = 0) -> tuple[Fold, ...]:
    """Assign papers to folds at random; no fold is empty, so there may be fewer."""
    dealt = dealt_in_turn([sorted(set(papers))], number, seed)
    return tuple(
        Fold(f"fold-{fold + 1}", frozenset(name for name, own in dealt.items() if own == fold))
        for fold in sorted(set(dealt.values()))
    )


def folds_to_train(papers: Iterable[str], number: int = FOLDS, seed: int = 0) -> tuple[Fold, ...]:
    """Return folds that each leave papers to train on; raises `InputError` if impossible."""
    if number < 2:
        raise InputError(f"folds={number}: expected 2 or more")
    folds = folds_by_paper(papers, number, seed)
    if len(folds) < 2:
        raise InputError("training needs at least 2 annotated papers, to test on one of them")
    return folds
