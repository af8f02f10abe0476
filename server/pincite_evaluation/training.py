"""Train models on annotated papers: one for each fold, which it holds out, and one on all papers.

A `Trainer` indicates what is trained. ``model.json`` describes the folder of a model; each part is
a folder beside it, ``all`` that of all papers, with ``training.json`` once it is trained.
``model.json`` is written last: a folder without it is an unfinished training, which is continued.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np
from msgspec import MsgspecError, convert

from pincite.library.index import default_index_path
from pincite.model.problems import InputError
from pincite.whole_files import write_model

from .corpora.scisumm import AnnotatedPaper
from .processes import step
from .results import grouped

_DESCRIPTION = "model.json"
_TRAINED = "training.json"
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Fold:
    """The annotated papers, by id, that one model was not trained on."""

    name: str
    held_out: frozenset[str]


#: That of the model of all papers.
_OF_ALL: Final = Fold(_ALL, frozenset())


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The contents of ``model.json``; `base` names the base model, "" for none."""

    folder: Path
    kind: str
    base: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    folds: tuple[Fold, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> ModelFolder:
        """Read ``model.json``; raises `InputError` if it is damaged, or missing (unfinished)."""
        path = folder / _DESCRIPTION
        try:
            described = json.loads(path.read_text("utf-8"))
            folds = convert(described.pop("folds"), tuple[Fold, ...])
            return cls(folder, folds=folds, **described)
        except OSError as error:
            raise InputError(f"{folder}: no trained model ({error.strerror})") from error
        except (ValueError, LookupError, TypeError, AttributeError, MsgspecError) as error:
            raise InputError(f"{path}: not a description of a model ({error})") from error

    def write(self) -> None:
        """Write ``model.json``, after which the training counts as finished."""
        described = asdict(self)
        del described["folder"]
        # Sets are written as sorted lists.
        written = json.dumps(described, indent=2, default=sorted) + "\n"
        write_model(self.folder / _DESCRIPTION, [written.encode()])

    def part(self, paper: str | None = None) -> Path:
        """Return the folder of the model not trained on `paper`; ``all`` for unknown papers."""
        for fold in self.folds:
            if paper in fold.held_out:
                return self.folder / fold.name
        return self.folder / _ALL


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
    folds = grouped(dealt, dealt.__getitem__)
    return tuple(Fold(f"fold-{at + 1}", frozenset(held_out)) for at, held_out in folds.items())


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """How to train the model in a folder in so many `steps`; it may return facts to record."""

    steps: int
    train: Callable[[Path, Callable[[int], None]], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Trainer:
    """Trains models of one `kind`, perhaps from a `base` model, by a `recipe`, a dataclass.

    `prepare` returns what makes the model of a fold. Besides papers and recipe, models depend on
    the modules in `code`, and on what `identity` names.
    """

    kind: str
    recipe: Any
    prepare: Callable[[Sequence[AnnotatedPaper]], Callable[[Fold], Part]]
    base: str = ""
    code: Sequence[ModuleType] = ()
    identity: str = ""

    def origin(self, papers: Iterable[AnnotatedPaper], fold: Fold = _OF_ALL) -> str:
        """Return a hash of all that a model depends on; one with the same is not trained again."""
        texts = [
            (paper.id, [each.text for each in paper.paper.sentences], paper.citances, paper.gold)
            for paper in papers
            if paper.id not in fold.held_out
        ]
        depends_on = f"{self.recipe!r} {self.identity} {texts!r}"
        return digest(self.code, depends_on.encode("utf-8", "replace"))


def train_folds(
    papers: Sequence[AnnotatedPaper],
    folder: Path,
    trainer: Trainer,
    *,
    folds: int = FOLDS,
    more: Sequence[AnnotatedPaper] = (),
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
    everything = (*papers, *added)
    part_of = trainer.prepare(everything)
    parts = [
        (folder / fold.name, trainer.origin(everything, fold), part_of(fold))
        for fold in (*drawn, _OF_ALL)
    ]
    missing = [each for each in parts if not _is_trained(*each[:2])]
    total = sum(part.steps for *_, part in parts)
    done = total - sum(part.steps for *_, part in missing)
    progress = step(f"Training {trainer.kind}")
    try:
        for place, origin, part in missing:
            # It is unfinished as soon as a model is replaced.
            for finished in (folder / _DESCRIPTION, place / _TRAINED):
                finished.unlink(missing_ok=True)
            place.mkdir(parents=True, exist_ok=True)
            progress(done, total)
            facts = part.train(place, lambda own, before=done: progress(before + own, total))  # type: ignore[misc]
            described = json.dumps({"origin": origin, **(facts or {})})
            write_model(place / _TRAINED, [described.encode()])
            done += part.steps
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
    progress(done, total)
    model.write()
    return model


def _is_trained(folder: Path, origin: str) -> bool:
    with suppress(OSError, ValueError, LookupError, TypeError):
        return bool(json.loads((folder / _TRAINED).read_bytes())["origin"] == origin)
    return False


def cached_folds(papers: Sequence[AnnotatedPaper], trainer: Trainer) -> ModelFolder:
    """Return the models trained on these papers, cached in the user's cache folder."""
    folder = default_index_path().parent / trainer.kind / trainer.origin(papers)
    try:
        return ModelFolder.read(folder)
    except InputError:
        return train_folds(papers, folder, trainer)


def digest(code: Iterable[ModuleType], *depends_on: bytes) -> str:
    """Return a hash of the source of modules and of all else that a cached model depends on."""
    found = blake2b(digest_size=20)
    for part in (*(inspect.getsource(module).encode() for module in code), *depends_on):
        found.update(b"\0%d\0" % len(part) + part)
    return found.hexdigest()


def sampled(papers: Sequence[AnnotatedPaper], number: int, seed: int = 0) -> list[AnnotatedPaper]:
    """Return `number` of the papers, drawn with `seed`, in order; all if there are fewer."""
    drawn = np.random.default_rng(seed).permutation(len(papers))[: max(0, number)]
    return [papers[position] for position in sorted(drawn.tolist())]
