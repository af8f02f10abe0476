"""Train the learned ranker: lists of entries with their cited ones → `LearnedModel`.

LambdaMART (Burges 2010) by LightGBM, whose trees `pincite.trees` reads without LightGBM. All
sampling is seeded: the same lists give the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate
from pincite.model.problems import InputError
from pincite.ranking.features import Features
from pincite.ranking.learned import CALIBRATION, Calibration, LearnedModel, list_logits
from pincite.ranking.meaning_features import MEANING, described
from pincite.representations.entry_terms import EntryTerms
from pincite.trees import TreeModel

from .processes import imported, step

#: The share of places at which some of the knowledge about the entries is dropped.
KNOWLEDGE: Final = 0.25
#: The shares of entries of which, there, the text to encode is missing, or only the title.
_UNKNOWN, _TITLE_ONLY = 0.1, 0.5
#: The size of training lists: the cited entries, and others drawn at random.
_LIST: Final = 50
ROUNDS: Final = 600
PARAMETERS: Final[dict[str, Any]] = {
    "objective": "lambdarank",
    "learning_rate": 0.08,
    "num_leaves": 12,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "lambdarank_truncation_level": 30,
    "max_bin": 63,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}
#: The number of folds of the lists, for calibrating on held-out data.
_CALIBRATION_FOLDS: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class CitingList:
    """A list of entries at one place: features (float32), names of columns, cited entries."""

    names: tuple[str, ...]
    values: npt.NDArray[np.float32]
    cited: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, found: Features, cited: Iterable[int], random: np.random.Generator) -> CitingList:
        """Return the cited entries among the candidates, with some others."""
        is_cited = np.isin(found.positions, list(cited))
        others = np.flatnonzero(~is_cited)
        most = max(1, _LIST - int(is_cited.sum()))
        if len(others) > most:
            others = random.choice(others, most, replace=False)
        chosen = np.sort(np.concatenate([np.flatnonzero(is_cited), others]))
        return cls(found.names, found.values[chosen], is_cited[chosen])

    def without(self, features: Sequence[str]) -> CitingList:
        """Return the list without some features, itself if it has none of them."""
        others = [at for at, name in enumerate(self.names) if name not in features]
        if len(others) == len(self.names):
            return self
        names = tuple(self.names[at] for at in others)
        return replace(self, names=names, values=self.values[:, others])

    @property
    def teaches(self) -> bool:
        """Whether it has both cited and other entries."""
        return bool(self.cited.any() and not self.cited.all())


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of one project or paper."""

    name: str
    lists: tuple[CitingList, ...]

    def without(self, features: Sequence[str]) -> Lists:
        """Return the lists without some features."""
        return replace(self, lists=tuple(each.without(features) for each in self.lists))


def without(entry: EntryTerms, random: np.random.Generator) -> EntryTerms:
    """Return an entry with some knowledge dropped: bibliographies often have only titles."""
    everything = entry.everything
    if random.random() < 0.6:
        everything = entry.title
    if random.random() < 0.5:
        entry = replace(entry, inlinks=(), citing=())
    if random.random() < 0.3:
        entry = replace(entry, authors=(), first_author=-1, year=0, key_words=())
    return replace(entry, everything=everything)


def described_texts(
    candidates: Iterable[Candidate], random: np.random.Generator | None = None
) -> list[str]:
    """Return the texts to encode for the features of meaning; `random` drops some knowledge.

    Then half of the texts are titles alone, and a tenth is missing, as that of a new entry is.
    """
    if random is None:
        return list(map(described, candidates))
    # Of its own, so that the lists are the same with and without these features.
    (own,) = random.spawn(1)

    def text(candidate: Candidate) -> str:
        chance = own.random()
        if chance < _UNKNOWN:
            return ""
        return candidate.title if chance < _UNKNOWN + _TITLE_ONLY else described(candidate)

    return list(map(text, candidates))


def train(
    projects: Sequence[Lists],
    *,
    with_meaning: bool = False,
    rounds: int = ROUNDS,
    seed: int = 0,
    calibrate: bool = False,
) -> LearnedModel:
    """Return a model trained on the lists of whole projects.

    It uses the features of meaning that lists may have only `with_meaning`.
    """
    total, progress = rounds * (1 + _CALIBRATION_FOLDS if calibrate else 1), step("Training")
    if not with_meaning:
        projects = [own.without(MEANING) for own in projects]

    def trained(chosen: Sequence[Lists], before: int) -> TreeModel:
        return _trees(chosen, rounds, seed, lambda done: progress(before * rounds + done, total))

    trees = trained(projects, 0)
    if not calibrate:
        return LearnedModel(trees, Calibration())
    order = np.random.default_rng(seed).permutation(len(projects)).tolist()
    logits: list[npt.NDArray[np.float64]] = []
    held: list[CitingList] = []
    for fold in range(_CALIBRATION_FOLDS):
        model = trained([projects[at] for at in order if at % _CALIBRATION_FOLDS != fold], 1 + fold)
        of_fold = (projects[at] for at in order if at % _CALIBRATION_FOLDS == fold)
        held += (own := [each for project in of_fold for each in project.lists])
        logits += [list_logits(model.predict(each.values)) for each in own]
    calibration = platt(np.concatenate(logits), np.concatenate([each.cited for each in held]))
    meta = {**trees.meta, CALIBRATION: {"slope": calibration.slope, "shift": calibration.shift}}
    return LearnedModel(replace(trees, meta=meta), calibration)


def require_trainer(extra: str = "ranker") -> Any:  # noqa: ANN401
    """Return LightGBM, which an extra has; raise `InputError` where it is missing."""
    needs = (
        f"this training needs LightGBM: install it with pip install 'pincite[{extra}]' "
        "(and the system library libgomp1, if it is missing): {}"
    )
    return imported(needs, "lightgbm")[0]


def boosted(
    parameters: Mapping[str, Any],
    values: npt.NDArray[np.float32],
    targets: npt.NDArray[np.float64],
    rounds: int,
    callbacks: Sequence[Callable[[Any], None]] = (),
    **more: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Return LightGBM's trees for n rows (n×F) and their targets (n); its data has `more`."""
    lightgbm = require_trainer()
    binned = {"max_bin": parameters["max_bin"], "verbose": -1}
    data = lightgbm.Dataset(values, targets, params=binned, **more)
    return lightgbm.train({**parameters}, data, rounds, callbacks=list(callbacks))


def _trees(
    projects: Sequence[Lists], rounds: int, seed: int, progress: Callable[[int], None]
) -> TreeModel:
    lists = [each for own in projects for each in own.lists if each.teaches]
    if not lists:
        raise InputError("nothing to train on: no place cites one of several entries")
    values = np.concatenate([each.values for each in lists])
    cited = np.concatenate([each.cited for each in lists]).astype(np.float64)
    report = [lambda state: progress(state.iteration + 1)]
    sizes = [len(each.cited) for each in lists]
    parameters = {**PARAMETERS, "seed": seed}
    booster = boosted(parameters, values, cited, rounds, report, group=sizes)
    meta = {"lists": len(lists), "projects": len(projects), "rounds": rounds, "seed": seed}
    return TreeModel.of_lightgbm(booster, lists[0].names, meta)


def platt(logits: npt.NDArray[np.float64], cited: npt.NDArray[np.bool_]) -> Calibration:
    """Fit ``sigmoid(slope · logit + shift)`` to the citations by Newton's method (Platt 1999)."""
    rows = np.stack([logits, np.ones_like(logits)], axis=1)
    weights = np.asarray([1.0, 0.0])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-rows @ weights))
        gradient = rows.T @ (cited - p)
        hessian = (rows * (p * (1.0 - p))[:, None]).T @ rows + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return Calibration(float(weights[0]), float(weights[1]))
