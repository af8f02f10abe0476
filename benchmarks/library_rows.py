"""Measure which works of a whole library stand among the first five suggestions of a draft.

    python -m benchmarks.library_rows --halves FOLDER [--data ../shared/data]
    pincite train ranker FOLDER/train.json DATA/articles/plos/drafts.json \\
        DATA/articles/craft/drafts.json -o held.npz
    python -m benchmarks.library_rows --model held.npz --fit FOLDER/fit.json
    python -m benchmarks.library_rows --model held.npz [--places NUMBER] [--library NUMBER]

The first two commands make a ranker that has seen neither the theses, nor JOSS, nor half of the
drafts; the third fits the prior of works of the library (`pincite.ranking.library_prior`) to that
half, and prints it. The last measures.

Of each project, three entries of ten, drawn with a fixed seed, are moved into a library: among so
many foreign works, which are drawn from the other projects and the ACL Anthology, without those
that the project has. At first citations of moved works, the library should help; at those of works
that the draft has, it should not disturb. Prints for both, with and without the prior, the share of
places at which a work of the library stands among the first five rows, a foreign one does, and how
often it is the cited one, or pushed the cited one out of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, takewhile
from operator import attrgetter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from pincite.library.library import Library
from pincite.library.same_work import WorkMatcher, as_reference
from pincite.model.contexts import CitationContext, PlaceInText
from pincite.model.papers import Candidate, Candidates
from pincite.model.results import RankedEntry
from pincite.project.suggestions import FIRST_ROWS, merged
from pincite.ranking.learned import PACKAGED, LearnedModel, LearnedRanker
from pincite.ranking.library_prior import Familiar, logit
from pincite.text.stop_words import function_words
from pincite_evaluation.drafts.projects import Place, Project, project_sources, read_project

from .shared import DATA, Given, anthology, measurement

GROUPS = {"theses": "wild/drafts.json", "JOSS": "articles/joss/drafts.json"}
MOVED = 0.3
MIN_PLACES = 10
LOOKED_AT = 50
#: Places of each kind in a project to which the prior is fitted, and works of the library at each.
FITTED_PLACES, FITTED_WORKS = 25, 15


def of_the_anthology(data: Path, number: int) -> list[Candidate]:
    """Return so many entries of the ACL Anthology."""
    entries = list(anthology(data / "anthology/anthology.bib.gz").entries.values())
    most = min(number, len(entries))
    chosen = np.random.default_rng(0).choice(len(entries), most, replace=False)
    found = (entries[at] for at in chosen.tolist())
    return [Candidate(f"A:{e.key}", Library.known_text(e), e, e.surnames) for e in found]


def projects_of(path: Path) -> list[Project]:
    """Return the projects with enough places that a list names."""
    projects = [read_project(each) for each in project_sources([path])[0]]
    return [each for each in projects if len(each.places) >= MIN_PLACES]


@dataclass(frozen=True)
class Divided:
    """A project some of whose works were moved into a library of foreign ones."""

    project: Project
    model: LearnedModel
    foreign: Sequence[Candidate]

    @classmethod
    def of(
        cls, project: Project, model: LearnedModel, works: Sequence[Candidate], number: int
    ) -> Divided:
        """Draw so many of the works of others that the project lacks."""
        own = [each.entry for each in project.candidates.values() if each.entry is not None]
        same = WorkMatcher(own)
        order = np.random.default_rng(1).permutation(len(works)).tolist()
        drawn = (works[at] for at in order)
        lacking = (e for e in drawn if e.entry and same.find(as_reference(e.entry)) is None)
        return cls(project, model, list(islice(lacking, number)))

    @cached_property
    def moved(self) -> frozenset[int]:
        """The positions of the moved works."""
        number = len(self.project.keys)
        drawn = np.random.default_rng(1).choice(number, int(MOVED * number), replace=False)
        return frozenset(drawn.tolist())

    @cached_property
    def draft(self) -> LearnedRanker:
        """The ranker of what the draft has."""
        words = function_words(self.project.language)
        ranker = LearnedRanker(self.model, self.project.language, words, lambda key: key)
        works = enumerate(self.project.candidates.values())
        ranker.fit(Candidates.of(each for at, each in works if at not in self.moved))
        return ranker

    @cached_property
    def library(self) -> LearnedRanker:
        """The ranker of the library."""
        ranker, works = LearnedRanker(self.model), list(self.project.candidates.values())
        ranker.fit(Candidates.of([*(works[at] for at in sorted(self.moved)), *self.foreign]))
        return ranker

    def places(self, number: int) -> Iterator[tuple[bool, Place]]:
        """Yield places that first cite works, and whether these were moved: so many of each."""
        firsts = [place for place in self.project.places if place.is_first]
        for is_moved in (True, False):
            asked = [p for p in firsts if {at in self.moved for at in p.cited} == {is_moved}]
            chosen = np.linspace(0, len(asked) - 1, min(number, len(asked))).astype(int)
            yield from ((is_moved, asked[at]) for at in chosen.tolist())

    def context(self, place: Place) -> CitationContext:
        """Return the context of a place."""
        return CitationContext((), (), place=PlaceInText(self.project.text, place.start))

    def ranked(self, context: CitationContext) -> tuple[list[RankedEntry], list[RankedEntry]]:
        """Return the first works of the draft and of the library, without the prior."""
        own = self.draft.rank(context, self.library)[: 2 * FIRST_ROWS]
        more = self.library.rank(context, self.draft)[:LOOKED_AT]
        return own, list(takewhile(lambda entry: entry.score > 0.0, more))

    def turned_out(
        self, place: Place, own: list[RankedEntry], more: list[RankedEntry], is_moved: bool
    ) -> tuple[bool, bool, bool]:
        """Return whether a row is new, one is foreign, and how that turned out."""
        rows = list(merged(own, more[:FIRST_ROWS]))[:FIRST_ROWS]
        cited = {self.project.keys[at] for at in place.cited}
        new = {row.entry.key for row in rows if row.is_new}
        is_foreign = not new <= set(self.project.keys)
        if is_moved:
            return bool(new), is_foreign, not cited.isdisjoint(new)
        remaining = {row.entry.key for row in rows if not row.is_new}
        before = {entry.key for entry in own[:FIRST_ROWS]}
        return bool(new), is_foreign, not cited.isdisjoint(before) and cited.isdisjoint(remaining)


def fit(divided: Sequence[Divided]) -> None:
    """Fit the prior to projects, and print it."""
    rows, is_cited = [], []
    for one in divided:
        for _, place in one.places(FITTED_PLACES):
            cited = {one.project.keys[at] for at in place.cited}
            context = one.context(place)
            for entry in one.ranked(context)[1][:FITTED_WORKS]:
                familiar = one.draft.familiar(context, entry.candidate)
                rows.append((logit(entry.score), *familiar))
                is_cited.append(entry.key in cited)
    fitted = LogisticRegression(C=np.inf).fit(np.asarray(rows, np.float64), is_cited)
    slope, *weights = fitted.coef_[0].tolist()
    shift = fitted.intercept_[0]
    print(f"{len(rows)} works at places of {len(divided)} projects, {sum(is_cited)} cited there")
    named = (f"{name}={each:.2f}" for name, each in zip(Familiar._fields, weights, strict=True))
    print(f"slope={slope:.2f}, {', '.join(named)}, shift={shift:.2f}")


def measure(name: str, divided: Sequence[Divided], places: int) -> None:
    """Print how the rows of projects turn out."""
    found: dict[tuple[bool, bool], list[tuple[bool, bool, bool]]] = {}
    for one in divided:
        for is_moved, place in one.places(places):
            context = one.context(place)
            own, more = one.ranked(context)
            for has_prior, listed in ((False, more), (True, one.draft.of_library(context, more))):
                turned = one.turned_out(place, own, listed, is_moved)
                found.setdefault((is_moved, has_prior), []).append(turned)
    print(f"{name}, {len(divided)} projects:")
    for (is_moved, has_prior), rows in sorted(found.items()):
        what = "in the library" if is_moved else "in the draft"
        outcome = "it is the cited one" if is_moved else "pushed out"
        new, foreign, out = np.mean(rows, axis=0)
        print(f"  cited work is {what}, {'with' if has_prior else 'without'} the prior:", end=" ")
        print(f"{len(rows)} places, new row {new:.1%}, foreign {foreign:.1%}, {outcome} {out:.1%}")


def write_halves(data: Path, folder: Path) -> None:
    """Write two lists with every other draft each, by name."""
    sources = sorted(project_sources([data / "drafts/drafts.json"])[0], key=attrgetter("name"))
    folder.mkdir(parents=True, exist_ok=True)
    for number, half in enumerate(("train", "fit")):
        chosen = {source.name: str(source.main) for source in sources[number::2]}
        (folder / f"{half}.json").write_text(json.dumps(chosen, indent=1))


@measurement(data=DATA, places=40, library=5_000, model=Path, fit=Path, halves=Path)
def main(given: Given) -> None:
    if given.halves:
        write_halves(given.data.absolute(), given.halves)
        return
    model = LearnedModel.load(given.model or PACKAGED)
    paths = {"fit": given.fit} if given.fit else GROUPS
    groups = {name: projects_of(given.data / path) for name, path in paths.items()}
    everything = [project for projects in groups.values() for project in projects]
    distractors = of_the_anthology(given.data, given.library)

    def divided(project: Project) -> Divided:
        others = [
            replace(each, key=f"{other.name}:{each.key}")
            for other in everything
            if other is not project
            for each in other.candidates.values()
        ]
        return Divided.of(project, model, [*others, *distractors], given.library)

    for name, projects in groups.items():
        if given.fit:
            fit([divided(each) for each in projects])
        else:
            measure(name, [divided(each) for each in projects], given.places)
