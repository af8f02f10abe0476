"""Run the evaluation on whole drafts: ranks of cited entries, and figures as means over projects.

Each worker reads its projects from their paths, so that no large data is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.model.problems import InputError, Problem
from pincite.ranking.base import rounded
from pincite.settings import Window

from .. import results
from ..processes import ignored, open_workers, tracked
from ..ranker_training import Lists
from ..results import Ranks, Row, found_at
from ..training import dealt_in_turn
from . import missing_works
from . import projects as reading
from . import rankers as named
from .missing_works import Signals
from .projects import Project, ProjectSource, Situation
from .rankers import Model, Ranker, RankerKind, Scores, context

#: The group of all projects, whatever their PATHs.
ALL = "all"
TOP = (1, 3, 5, 10)
#: The values of k in the figures of first citations and repeats.
PART_TOP = (1, 5)
#: With more groups than this, tables only have the rows of `ALL`.
MAX_GROUPS = 8


class Item(NamedTuple):
    """A citation to recover; `keys` are the true ones, `left` and `right` up to 20 words."""

    keys: tuple[str, ...]
    is_first: bool
    left: tuple[str, ...]
    right: tuple[str, ...]
    file: Path | None = None
    line: int | None = None


@dataclass(frozen=True)
class ProjectOutcome:
    """The outcome of a project; without items, or if unreadable, it has no ranks.

    `signals` are those of each ranker by name, if asked for.
    """

    source: ProjectSource
    items: tuple[Item, ...] = ()
    ranks: Mapping[tuple[str, Situation], Ranks] = field(default_factory=dict)
    entries: int = 0
    with_abstract: float = 0.0
    cited_share: float = 0.0
    language: str | None = None
    problems: tuple[Problem, ...] = ()
    signals: Mapping[tuple[str, str], Signals] = field(default_factory=dict)

    @cached_property
    def figures(self) -> dict[tuple[str, Situation], dict[str, Any]]:
        """The shares of items with a true key among the first k, and their MRR."""
        is_first = np.asarray([item.is_first for item in self.items], dtype=np.bool_)

        def of_part(ranks: Ranks) -> dict[str, Any]:
            shares = {f"top{k}": found_at(ranks, k) if len(ranks) else None for k in PART_TOP}
            return {"items": len(ranks), **shares}

        return {
            key: {
                "items": len(ranks),
                **{f"top{k}": found_at(ranks, k) for k in TOP},
                "mrr": results.mean_reciprocal_rank(ranks),
                "first": of_part(ranks[is_first]),
                "repeat": of_part(ranks[~is_first]),
            }
            for key, ranks in self.ranks.items()
        }

    def _json(self) -> dict[str, Any]:
        return {
            "name": self.source.name,
            "group": self.source.group,
            "items": len(self.items),
            "entries": self.entries,
            "with_abstract": self.with_abstract,
            "cited_share": self.cited_share,
            "language": self.language,
            "rows": [
                {"ranker": ranker, "situation": situation, **figures}
                for (ranker, situation), figures in self.figures.items()
            ],
        }


@dataclass(frozen=True, kw_only=True)
class DraftsResult(results.Result):
    """The whole evaluation; `skipped` are the projects without an item, `folds` 0 for none."""

    projects: tuple[ProjectOutcome, ...]
    skipped: tuple[ProjectSource, ...] = ()
    folds: int = 0

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that tables show beside `ALL`: none if there is one, or too many."""
        groups = tuple(dict.fromkeys(row["group"] for row in self.rows if row["group"] != ALL))
        return groups if 1 < len(groups) <= MAX_GROUPS else ()

    @property
    def items(self) -> int:
        """The number of citations of all projects."""
        return sum(len(project.items) for project in self.projects)


def evaluate(
    paths: Sequence[Path],
    rankers: Sequence[str | RankerKind] = (),
    *,
    folds: int | None = None,
    model: Path | None = None,
    nothing_fits: bool = False,
    jobs: int | None = 1,
    scheduler: str | None = None,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
) -> DraftsResult:
    """Rank at every citation of the projects that `paths` name (`project_sources`).

    With `folds`, whole projects are held out, and trainable rankers are trained on the others;
    without, they load `model` from a file, or the packaged one. With `nothing_fits`, first
    citations are also ranked without their works (`missing_works`). Projects are ranked in `jobs`
    processes or on the Dask cluster at `scheduler`, with the same figures. Raises `InputError` for
    an unknown ranker, and if no project cites an entry of its bibliography.
    """
    given = (named.chosen([one])[0] if isinstance(one, str) else one for one in rankers)
    kinds = tuple(dict.fromkeys(given)) or named.chosen()
    sources, problems = reading.project_sources(paths)
    learns = any(kind.train is not None for kind in kinds)
    if folds is not None and model is not None:
        raise InputError("--folds and --model cannot be combined: folds train their own models")
    if model is not None and not learns:
        raise InputError(f"{model}: none of the rankers takes a model")
    # The fold of each project, and for each fold a model of each ranker.
    dealt: Sequence[int] = (0,) * len(sources)
    if folds is not None and learns:
        dealt = folds_of(sources, folds)
        models = _trained(sources, kinds, dealt)
    else:
        models = [tuple(kind.load(model) for kind in kinds)]
    tasks = [(source, models[fold]) for source, fold in zip(sources, dealt, strict=True)]
    with open_workers(jobs, scheduler) as workers:
        given_to_all = kinds, nothing_fits
        ranked = workers.map(outcome_of, tasks, *given_to_all, name="Ranking at every citation")
        outcomes = list(ranked)
    projects = tuple(outcome for outcome in outcomes if outcome.items)
    if not projects:
        reason = outcomes[0].problems[-1]
        raise InputError(f"no draft cites anything that its bibliography has ({reason})")
    skipped = [outcome for outcome in outcomes if not outcome.items]
    # Report problems that lose a whole project first.
    problems += (outcome.problems[-1] for outcome in skipped)
    problems += (problem for outcome in outcomes for problem in outcome.problems)
    problems = list(dict.fromkeys(problems))
    on_problems(problems)
    by_signal = {"nothing_fits": list(signal_figures(projects))} if nothing_fits else {}
    return DraftsResult(
        facts={},
        rows=tuple(rows(by_group(projects))),
        more={**by_signal, "projects": [project._json() for project in projects]},
        projects=projects,
        skipped=tuple(outcome.source for outcome in skipped),
        problems=tuple(problems),
        folds=len(models) if len(models) > 1 else 0,
        parts=(partial(_records, projects),),
    )


def folds_of(sources: Sequence[ProjectSource], number: int, seed: int = 0) -> tuple[int, ...]:
    """Return the fold of each project: assigned at random, balanced within each group."""
    if number < 2:
        raise InputError(f"folds={number}: expected 2 or more")
    if len(sources) < 2:
        raise InputError("folds need 2 projects or more, to train on one of them")
    ordered = sorted(sources, key=lambda source: (source.group, source.name))
    groups = results.grouped(ordered, lambda source: source.group)
    folds = dealt_in_turn(groups.values(), number, seed)
    return tuple(folds[source] for source in sources)


def _trained(
    sources: Sequence[ProjectSource],
    kinds: Sequence[RankerKind],
    folds: Sequence[int],
) -> list[tuple[Model, ...]]:
    vectors = named.encoder() if any(kind.encodes for kind in kinds) else None
    lists: list[tuple[int, Lists]] = []
    dealt = zip(sources, folds, strict=True)
    for source, fold in tracked(dealt, "Reading drafts for training", len(sources)):
        with suppress(InputError):  # reported when the project is ranked
            project = reading.read_project(source)
            if project.places:
                lists.append((fold, reading.lists_of(project, vectors=vectors)))
    models: list[tuple[Model, ...]] = []
    for fold in range(max(folds) + 1):
        others = [each for own, each in lists if own != fold]
        if not others:
            raise InputError("folds need 2 projects that cite, to train on one of them")
        models.append(tuple(kind.train(others) if kind.train else None for kind in kinds))
    return models


def outcome_of(
    task: tuple[ProjectSource, Sequence[Model]],
    kinds: Sequence[RankerKind],
    with_signals: bool = False,
) -> ProjectOutcome:
    """Rank at every citation of a project with each kind and its model; errors become problems."""
    source, models = task
    try:
        project = reading.read_project(source)
    except InputError as error:
        message = str(error).removeprefix(f"{source.main}: ")
        return ProjectOutcome(source, problems=(Problem(source.main, None, message, broken=True),))
    problems = project.problems
    if not project.places:
        reason = "it cites nothing that its bibliography has, and is left out"
        problems += (Problem(source.main, None, reason),)
    items = []
    for number, at in enumerate(project.places):
        shown = context(project, number, "revising", Window(20, 20))
        keys = tuple(project.keys[position] for position in at.cited)
        items.append(Item(keys, at.is_first, shown.left, shown.right, at.file, at.line))
    found: dict[tuple[str, Situation], Ranks] = {}
    signals: dict[tuple[str, str], Signals] = {}
    for kind, model in zip(kinds, models, strict=True) if items else ():
        ranker = kind.prepare(project, model)
        found |= {(kind.name, one): ranks(project, ranker, one) for one in reading.SITUATIONS}
        of_kind = missing_works.signals_of(project, kind, model) if with_signals else {}
        signals |= {(kind.name, name): each for name, each in of_kind.items()}
    known = len(project.keys), project.with_abstract, project.cited_share, project.language
    return ProjectOutcome(source, tuple(items), found, *known, problems, signals)


def ranks(project: Project, ranker: Ranker, situation: Situation) -> Ranks:
    """Return the rank of the best cited candidate at each place."""
    found = (
        best_rank(ranker(place, situation), at.cited, project.tie_order)
        for place, at in enumerate(project.places)
    )
    return np.fromiter(found, np.int32, len(project.places))


def best_rank(scores: Scores, cited: Sequence[int], tie_order: npt.NDArray[np.intp]) -> int:
    """Return the 1-based rank of the best of the `cited` candidates by falling score.

    Of equal ones (only a key could distinguish duplicates), the cited one comes last.
    """
    if scores.shape != tie_order.shape or np.isnan(scores).any():
        raise ValueError("a ranker gives one number for each candidate")
    is_cited = np.isin(np.arange(len(scores)), cited)
    order = np.lexsort((is_cited, tie_order, -rounded(scores)))
    return 1 + int(np.argmax(is_cited[order]))


def rows(groups: Mapping[str, Sequence[ProjectOutcome]]) -> Iterator[Row]:
    """Yield the means over the projects of each group, with equal weights."""
    figures_of_one = next(iter(groups.values()))[0].figures
    # By situation, then by ranker.
    keys = sorted(figures_of_one, key=lambda key: reading.SITUATIONS.index(key[1]))
    for ranker, situation in keys:
        for group, members in groups.items():
            own = [project.figures[ranker, situation] for project in members]
            top1 = np.asarray([figures["top1"] for figures in own])
            figures = {
                "ranker": ranker,
                "situation": situation,
                "group": group,
                "projects": len(own),
                **_means(own),
                # A mean is the sum over projects divided by their number.
                "top1_ci95": list(results.interval(top1, np.ones(len(top1)))),
            }
            yield Row(ranker, figures)


def signal_figures(projects: Sequence[ProjectOutcome]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each signal (`missing_works`), in each group and in all projects."""
    for ranker, signal in projects[0].signals:
        at = ranker, missing_works.AT
        for group, members in by_group(projects).items():
            known = tuple((own.signals[ranker, signal], own.ranks[at]) for own in members)
            if found := missing_works.figures(known):
                yield {"ranker": ranker, "signal": signal, "group": group, **found}


def by_group(projects: Sequence[ProjectOutcome]) -> dict[str, Sequence[ProjectOutcome]]:
    """Return the projects of each group, and all projects as the group `ALL`."""
    return {**results.grouped(projects, lambda project: project.source.group), ALL: projects}


def _means(own: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    means: dict[str, Any] = {}
    for name, one in own[0].items():
        known = [figures[name] for figures in own if figures[name] is not None]
        if name == "items":
            means[name] = sum(known)
        elif isinstance(one, Mapping):
            means[name] = _means(known)
        else:
            means[name] = float(np.mean(known)) if known else None
    return means


def short_names(groups: Sequence[str]) -> dict[str, str]:
    """Return short names of groups: their PATHs without the parts that all share."""
    parts = {group: Path(group).parts for group in groups}
    if len(parts) < 2:
        return {group: own[-1] for group, own in parts.items()}

    def shared(paths: Iterable[Sequence[str]]) -> int:
        return len(list(takewhile(lambda same: len(set(same)) == 1, zip(*paths, strict=False))))

    before = shared(parts.values())
    behind = shared(own[before:][::-1] for own in parts.values())
    return {
        group: "/".join(own[before : len(own) - behind]) or group for group, own in parts.items()
    }


def _records(projects: Sequence[ProjectOutcome]) -> Iterator[results.Record]:
    for project in projects:
        for (ranker, situation), ranks in project.ranks.items():
            for number, (item, rank) in enumerate(zip(project.items, ranks, strict=True), start=1):
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
                    "rank": int(rank),
                    "candidates": project.entries,
                    "first": item.is_first,
                    "context": " ".join(words),
                }
