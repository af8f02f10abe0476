"""Train models on annotated papers: one for each fold, which it holds out, and one on all papers.

A `Trainer` indicates what is trained; this module assigns the papers to folds, continues an
interrupted training, reports progress, and describes the folder (`ModelFolder`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np

from pincite.library.index import default_index_path
from pincite.model.problems import InputError

from .baselines.model_folder import Fold, ModelFolder
from .corpora.annotations import AnnotatedPaper
from .processes import Progress, ignored

FOLDS: Final = 5

Item = TypeVar("Item", bound=Hashable)


# Scikit-learn's splitters would deal the papers otherwise, and with them change published figures.
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


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model to be trained."""

    steps: int
    is_trained: Callable[[Path], bool]
    train: Callable[[Path, Callable[[int], None]], None]


@dataclass(frozen=True, slots=True, eq=False)
class Trainer:
    """Trains models of one `kind`, perhaps from a `base` model, by a `recipe`, a dataclass.

    `prepare` returns what makes the model of a fold, trained on the papers that it does not hold
    out. Besides papers and recipe, models depend on the modules in `code`, and on what `identity`
    names.
    """

    kind: str
    recipe: Any
    prepare: Callable[[Sequence[AnnotatedPaper]], Callable[[Fold], Part]]
    base: str = ""
    code: Sequence[ModuleType] = ()
    identity: str = ""


def train_folds(
    papers: Sequence[AnnotatedPaper],
    folder: Path,
    trainer: Trainer,
    *,
    folds: int = FOLDS,
    more: Sequence[AnnotatedPaper] = (),
    progress: Progress = ignored,
) -> ModelFolder:
    """Train a model for each of the `folds`, which it holds out, and one on all papers."""
    known = {paper.id for paper in papers}
    if folds < 2:
        raise InputError(f"folds={folds}: expected 2 or more")
    drawn = folds_by_paper(known, folds, trainer.recipe.seed)
    if len(drawn) < 2:
        raise InputError("training needs at least 2 annotated papers, to test on one of them")
    added = [paper for paper in more if paper.id not in known]
    settings = {**asdict(trainer.recipe), "papers": len(papers), "sample": len(added)}
    model = ModelFolder(folder, trainer.kind, trainer.base, settings, drawn)
    part_of = trainer.prepare((*papers, *added))
    # The last holds nothing out: the model of all papers.
    named = {folder / fold.name: part_of(fold) for fold in (*drawn, Fold("all", frozenset()))}
    missing = {place: part for place, part in named.items() if not part.is_trained(place)}
    if missing:
        model.unfinish()
    total = sum(part.steps for part in named.values())
    done = total - sum(part.steps for part in missing.values())
    for place, part in missing.items():
        progress(done, total)
        part.train(place, lambda own, before=done: progress(before + own, total))  # type: ignore[misc]
        done += part.steps
    progress(done, total)
    model.write()
    return model


def cached_folds(
    papers: Sequence[AnnotatedPaper],
    trainer: Trainer,
    *,
    folds: int = FOLDS,
    progress: Progress = ignored,
) -> ModelFolder:
    """Return the models trained on these papers, cached in the user's cache folder."""
    texts = [
        (paper.id, [each.text for each in paper.paper.sentences], paper.citances, paper.gold)
        for paper in papers
    ]
    depends_on = f"{folds} {trainer.recipe!r} {trainer.identity} {texts!r}"
    digest = blake2b(depends_on.encode("utf-8", "replace"), digest_size=20)
    for module in trainer.code:
        digest.update(inspect.getsource(module).encode())
    folder = default_index_path().parent / trainer.kind / digest.hexdigest()
    try:
        return ModelFolder.read(folder)
    except InputError:
        return train_folds(papers, folder, trainer, folds=folds, progress=progress)


def sampled(papers: Sequence[AnnotatedPaper], number: int, seed: int = 0) -> list[AnnotatedPaper]:
    """Return `number` of the papers, drawn with `seed`, in order; all if there are fewer."""
    drawn = np.random.default_rng(seed).permutation(len(papers))[: max(0, number)]
    return [papers[position] for position in sorted(drawn.tolist())]
