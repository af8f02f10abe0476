"""Measure what makes the learned ranker good on drafts, in trees that have not seen them.

    python -m benchmarks.ranking_models PATH... --projects N,N [--folds N]
    python -m benchmarks.ranking_models PATH... --families [--folds N]
    python -m benchmarks.ranking_models PATH... --probabilities [--folds N]

A PATH names projects, as for `pincite evaluate drafts`. They are dealt in folds; those of each are
ranked by trees that were grown on the others, at up to 80 places where an author writes (text to
the left, citations before the place). Figures are means over projects.

`--projects` is a learning curve: trees of so many projects, drawn at random. `--families` leaves
out one family of features after the other, with 95 % intervals of the differences (bootstrap over
projects), in trees of a third of the lists. `--probabilities` compares the probabilities of the
first entries, calibrated on the projects of other folds, with how often these are cited, in ten
bins with equal numbers.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pincite.ranking.features import Features
from pincite.ranking.learned import Calibration, LearnedModel
from pincite.ranking.learned import list_logits as logits
from pincite_evaluation.drafts import projects as reading
from pincite_evaluation.drafts.projects import Place, Project, ProjectEvidence, ProjectSource
from pincite_evaluation.drafts.run import best_rank, folds_of
from pincite_evaluation.ranker_training import Lists, platt, train
from pincite_evaluation.results import calibration_error, interval, reliability

from .shared import Given, measurement, numbers, table

_TOPS = (1, 5, 10)
_MAX_PLACES = 80
#: The lists of a project that are learned from where families are compared, which takes long.
_THIRD = slice(None, None, 3)
#: Families of features by what their names begin with.
_FAMILIES = {
    "words of the text in the entry": ("mixed", "title", "cover"),
    "passages and inlink contexts": ("passages", "inlink"),
    "contexts of earlier citations": ("own",),
    "names, years and acronyms in the text": ("name",),
    "what was cited, how often, how recently": ("cited", "author", "year", "place"),
    "works cited together": ("cocited",),
    "order of the bibliography": ("bib",),
    "what has worked in the draft": ("habit",),
    "the entry itself": ("entry",),
    "how the list as a whole looks": ("list",),
}


class _Measured(NamedTuple):
    """A project in its fold, with the features at its places, the same for every model."""

    fold: int
    project: Project
    places: list[tuple[Place, Features]]
    lists: Lists


def _measured(source: ProjectSource, fold: int) -> _Measured:
    print(f"reading {source.name}", file=sys.stderr)
    project = reading.read_project(source)
    evidence, random = ProjectEvidence(project), np.random.default_rng(len(project.places))
    drawn = np.sort(random.permutation(len(project.places))[:_MAX_PLACES]).tolist()
    places = [(project.places[at], evidence.at(at, "writing")) for at in drawn]
    return _Measured(fold, project, places, reading.lists_of(project))


def _shares(one: _Measured, model: LearnedModel) -> npt.NDArray[np.float64]:
    """Return the shares of places with a cited work among the first ones."""
    ranks = []
    for place, features in one.places:
        scores = np.full(len(one.project.keys), -1e6)
        scores[features.positions] = model.scores(features)
        ranks.append(best_rank(scores, place.cited, one.project.tie_order))
    return np.asarray([np.mean(np.asarray(ranks) <= top) for top in _TOPS])


def _held_out(
    measured: Sequence[_Measured], chosen: Callable[[list[Lists], int], list[Lists]]
) -> Iterator[tuple[_Measured, LearnedModel]]:
    """Yield each project with a model of lists chosen from those outside its fold."""
    for fold in sorted({each.fold for each in measured}):
        others = [each.lists for each in measured if each.fold != fold]
        print(f"training for fold {fold + 1}", file=sys.stderr)
        model = train(chosen(others, fold))
        yield from ((each, model) for each in measured if each.fold == fold)


def _figures(held_out: Iterable[tuple[_Measured, LearnedModel]]) -> npt.NDArray[np.float64]:
    """Return the shares of each project (P×3)."""
    found = {each.project.name: _shares(each, model) for each, model in held_out}
    return np.stack([found[name] for name in sorted(found)])


def _curve(measured: Sequence[_Measured], given: Given) -> None:
    def drawn(number: int) -> Callable[[list[Lists], int], list[Lists]]:
        def of(others: list[Lists], fold: int) -> list[Lists]:
            order = np.random.default_rng([fold, number]).permutation(len(others))
            return [others[at] for at in np.sort(order[:number]).tolist()]

        return of

    head = ("projects to learn from", *(f"top-{top}" for top in _TOPS))
    means = ((n, _figures(_held_out(measured, drawn(n))).mean(axis=0)) for n in given.projects)
    table(head, ((n, *(f"{mean:.3f}" for mean in own)) for n, own in means))


def _families(measured: Sequence[_Measured]) -> None:
    names = measured[0].lists.lists[0].names
    few = [each._replace(lists=Lists("", each.lists.lists[_THIRD])) for each in measured]
    everything = _figures(_held_out(few, lambda others, _: others))

    def difference(family: Sequence[str]) -> Iterator[str]:
        own = [name for name in names if name.split(".")[0] in family]
        without = _figures(_held_out(few, lambda others, _: [each.without(own) for each in others]))
        yield str(len(own))
        for change in (without - everything).T:
            low, high = interval(change, np.ones(len(change)))
            yield f"{change.mean():+.3f} ({low:+.3f} to {high:+.3f})"

    table(
        ("without", "features", *(f"top-{top}" for top in _TOPS)),
        ((title, *difference(family)) for title, family in _FAMILIES.items()),
    )
    print(f"\nwith all {len(names)}: " + " / ".join(f"{m:.3f}" for m in everything.mean(axis=0)))


def _probabilities(measured: Sequence[_Measured]) -> None:
    """Print predicted and observed shares by size of the bibliography and by language."""
    held_out = list(_held_out(measured, lambda others, _: others))
    known = [
        (each.fold, logits(model.trees.predict(own.values)), own.cited)
        for each, model in held_out
        for own in each.lists.lists
    ]

    def calibration(held: int) -> Calibration:
        _, odds, cited = zip(*(one for one in known if one[0] != held), strict=True)
        return platt(np.concatenate(odds), np.concatenate(cited))

    calibrations = {fold: calibration(fold) for fold in {each.fold for each in measured}}
    found = []
    for each, model in held_out:
        entries = len(each.project.keys)
        size = "1-99" if entries < 100 else "100-299" if entries < 300 else "300 and more"
        language = "English" if each.project.language == "en" else "other languages"
        for place, features in each.places:
            probable = calibrations[each.fold].probabilities(model.scores(features))
            for rank, at in enumerate(np.argsort(-probable, kind="stable")[: _TOPS[1]].tolist()):
                is_cited = int(features.positions[at]) in place.cited
                found.append(({"all", size, language}, rank, float(probable[at]), is_cited))

    def row(group: str, ranks: int) -> Iterator[str]:
        own = [(p, cited) for groups, rank, p, cited in found if group in groups and rank < ranks]
        predicted, cited = zip(*own, strict=True)
        yield from (str(len(own)), f"{np.mean(predicted):.3f}", f"{np.mean(cited):.3f}")
        yield f"{calibration_error(reliability(predicted, cited, 10)):.3f}"

    groups = ("all", "1-99", "100-299", "300 and more", "English", "other languages")
    table(
        ("entries", *("number", "predicted", "observed", "error") * 2),
        ((group, *row(group, 1), *row(group, _TOPS[1])) for group in groups),
    )


@measurement("paths+", projects="", families=False, probabilities=False, folds=5)
def main(given: Given) -> None:
    sources = reading.project_sources(given.paths)[0]
    measured = list(map(_measured, sources, folds_of(sources, given.folds)))
    print(f"{len(measured)} projects in {given.folds} folds\n")
    if given.projects:
        given.projects = numbers(given.projects)
        _curve(measured, given)
    if given.families:
        _families(measured)
    if given.probabilities:
        _probabilities(measured)
