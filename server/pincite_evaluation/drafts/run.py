"""Run the evaluation on whole drafts.

Each worker reads its projects from their paths, so that no large data is sent. Figures are computed
from the ranks in the order of the projects, in whichever order these are ranked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError, Problem
from pincite.ranking.base import rounded
from pincite.settings import Window

from ..measures import Ranks
from ..processes import open_workers
from ..progress import Steps, silent
from ..ranker_training import Lists
from ..results import Record, Records
from ..training import dealt_in_turn
from .projects import SITUATIONS, Project, ProjectSource, Situation, project_sources, read_project
from .rankers import Model, Ranker, RankerKind, chosen, context, lists_of
from .results import DraftsResult, Item, ProjectOutcome, rows

#: The number of words that records show.
_SHOWN = Window(20, 20)


def outcome_of(
    source: ProjectSource, kinds: Sequence[RankerKind], models: Sequence[Model]
) -> ProjectOutcome:
    """Read a project and rank at each of its places; `models` has one for each ranker."""
    try:
        project = read_project(source)
    except InputError as error:
        message = str(error).removeprefix(f"{source.main}: ")
        return ProjectOutcome(source, problems=(Problem(source.main, None, message, broken=True),))
    problems = project.problems
    if not project.places:
        reason = "it cites nothing that its bibliography has, and is left out"
        problems += (Problem(source.main, None, reason),)
    found: dict[tuple[str, Situation], Ranks] = {}
    for kind, model in zip(kinds, models, strict=True) if project.places else ():
        ranker = kind.prepare(project, model)
        found |= {(kind.name, one): ranks(project, ranker, one) for one in SITUATIONS}
    return ProjectOutcome(
        source,
        tuple(_item(project, place) for place in range(len(project.places))),
        found,
        len(project.keys),
        project.with_abstract,
        project.cited_share,
        project.language,
        problems,
    )


def _item(project: Project, place: int) -> Item:
    at = project.places[place]
    shown = context(project, place, "revising", _SHOWN)
    keys = tuple(project.keys[position] for position in at.cited)
    return Item(keys, at.is_first, shown.left, shown.right, at.file, at.line)


def ranks(project: Project, ranker: Ranker, situation: Situation) -> Ranks:
    """Return the rank of the best true key at each place of a project."""
    found = (
        best_rank(ranker(place, situation), at.cited, project.tie_order)
        for place, at in enumerate(project.places)
    )
    return np.fromiter(found, np.int32, len(project.places))


def best_rank(
    scores: npt.NDArray[np.float64], cited: Sequence[int], tie_order: npt.NDArray[np.intp]
) -> int:
    """Return the 1-based rank of the best of the `cited` candidates by falling score."""
    if scores.shape != tie_order.shape or np.isnan(scores).any():
        raise ValueError("a ranker gives one number for each candidate")
    is_cited = np.isin(np.arange(len(scores)), cited)
    order = np.lexsort((is_cited, tie_order, -rounded(scores)))
    return 1 + int(np.argmax(is_cited[order]))


def _outcome(
    task: tuple[ProjectSource, tuple[RankerKind, ...], tuple[Model, ...]],
) -> ProjectOutcome:
    return outcome_of(*task)


def evaluate(
    paths: Sequence[Path],
    rankers: Sequence[str | RankerKind] = (),
    *,
    folds: int | None = None,
    model: Path | None = None,
    jobs: int | None = 1,
    scheduler: str | None = None,
    progress: Steps = silent,
) -> DraftsResult:
    """Rank at every citation of the projects that `paths` name (`project_sources`).

    `rankers` are names, by default of all. With `folds`, whole projects are held
    out, and trainable rankers are trained on the others; without, they load `model` from a file, or
    the packaged one. Projects are ranked in `jobs` processes (None: one for each CPU) or on the
    Dask cluster at `scheduler`, with the same figures. `progress` is called for every step. Raises
    `InputError` for an unknown ranker, if no project cites an entry of its bibliography, and as
    `project_sources` and a cluster do.
    """
    given = (chosen([one])[0] if isinstance(one, str) else one for one in rankers)
    kinds = tuple(dict.fromkeys(given)) or chosen()
    sources, problems = project_sources(paths)
    dealt, models = _models(sources, kinds, folds, model, progress)
    # Workers only need how to prepare a ranker.
    ready = tuple(RankerKind(kind.name, kind.prepare) for kind in kinds)
    tasks = [(source, ready, models[fold]) for source, fold in zip(sources, dealt, strict=True)]
    report = progress("Ranking at every citation")
    report(0, len(tasks))
    with open_workers(jobs, scheduler) as workers:
        outcomes = list(workers.map(_outcome, tasks, progress=report))
    projects = tuple(outcome for outcome in outcomes if outcome.items)
    if not projects:
        reason = outcomes[0].problems[-1]
        raise InputError(f"no draft cites anything that its bibliography has ({reason})")
    skipped = [outcome for outcome in outcomes if not outcome.items]
    # Report problems that lose a whole project first.
    problems += (outcome.problems[-1] for outcome in skipped)
    problems += (problem for outcome in outcomes for problem in outcome.problems)
    return DraftsResult(
        facts={},
        rows=tuple(rows(projects)),
        more={"projects": [project.json() for project in projects]},
        projects=projects,
        skipped=tuple(outcome.source for outcome in skipped),
        problems=tuple(dict.fromkeys(problems)),
        folds=len(models) if len(models) > 1 else 0,
        records=Records((partial(_records, projects),)),
    )


def _models(
    sources: Sequence[ProjectSource],
    kinds: Sequence[RankerKind],
    folds: int | None,
    model: Path | None,
    progress: Steps,
) -> tuple[tuple[int, ...], tuple[tuple[Model, ...], ...]]:
    """Return the fold of each project, and for each fold a model of each ranker."""
    learns = any(kind.train is not None for kind in kinds)
    if folds is not None and model is not None:
        raise InputError("folds train their own models: give either folds or a model")
    if model is not None and not learns:
        raise InputError(f"{model}: none of the rankers takes a model")
    if folds is not None and learns:
        dealt = folds_of(sources, folds)
        return dealt, _trained(sources, kinds, dealt, progress)
    loaded = tuple(kind.load(model) for kind in kinds)
    return (0,) * len(sources), (loaded,)


def folds_of(sources: Sequence[ProjectSource], number: int, seed: int = 0) -> tuple[int, ...]:
    """Return the fold of each project: assigned at random, balanced within each group."""
    if number < 2:
        raise InputError(f"folds={number}: expected 2 or more")
    if len(sources) < 2:
        raise InputError("folds need 2 projects or more, to train on one of them")
    groups: dict[str, list[ProjectSource]] = {}
    for source in sorted(sources, key=lambda source: (source.group, source.name)):
        groups.setdefault(source.group, []).append(source)
    folds = dealt_in_turn(groups.values(), number, seed)
    return tuple(folds[source] for source in sources)


def _trained(
    sources: Sequence[ProjectSource],
    kinds: Sequence[RankerKind],
    folds: Sequence[int],
    progress: Steps,
) -> tuple[tuple[Model, ...], ...]:
    """Return for each fold a model of each ranker, trained on the projects of the others."""
    report = progress("Reading drafts for training")
    lists: list[tuple[int, Lists]] = []
    for done, (source, fold) in enumerate(zip(sources, folds, strict=True), start=1):
        with suppress(InputError):  # reported when the project is ranked
            project = read_project(source)
            if project.places:
                lists.append((fold, lists_of(project)))
        report(done, len(sources))
    models: list[tuple[Model, ...]] = []
    report = progress("Training")
    for fold in range(max(folds) + 1):
        others = [each for own, each in lists if own != fold]
        if not others:
            raise InputError("folds need 2 projects that cite, to train on one of them")
        models.append(tuple(kind.train(others) if kind.train else None for kind in kinds))
        report(len(models), max(folds) + 1)
    return tuple(models)


def _records(projects: Sequence[ProjectOutcome]) -> Iterator[Record]:
    """Yield the outcome at every place, by every ranker in every situation."""
    for project in projects:
        for (ranker, situation), ranks in project.ranks.items():
            for number, (item, rank) in enumerate(
                zip(project.items, ranks.tolist(), strict=True), start=1
            ):
                words = item.left if situation == "writing" else item.left + item.right
                yield {
                    "ranker": ranker,
                    "situation": situation,
                    "project": project.source.name,
                    "group": project.source.group,
                    "place": number,
                    "file": None if item.file is None else str(item.file),
                    "line": item.line,
                    "cited": list(item.keys),
                    "rank": rank,
                    "candidates": project.entries,
                    "first": item.is_first,
                    "context": " ".join(words),
                }
