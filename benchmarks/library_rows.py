"""Measure which works of a whole library stand among the first five suggestions of a draft.

    python -m benchmarks.library_rows [--data ../shared/data] [--places NUMBER] [--library NUMBER]

Of each project of the theses and of JOSS, three entries of ten, drawn with a fixed seed, are moved
into a library: with those of the other projects of the list, and so many of the ACL Anthology's.
At first citations of moved works, the library should help; at those of works that the draft has, it
should not disturb. Prints for both the share of places at which a
work of the library stands among the first five rows, and how often it is the cited one, or pushed
the cited one out of them. The packaged ranker was trained on these projects; the rule for the rows
(`pincite.project.suggestions`) was not fitted to them.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pincite.library.library import Library
from pincite.model.contexts import CitationContext, PlaceInText
from pincite.model.papers import Candidate, Candidates
from pincite.parsing.bibtex import parse_bibliography
from pincite.project.suggestions import FIRST_ROWS, merged
from pincite.ranking.learned import LearnedRanker, packaged
from pincite.text.stop_words import function_words
from pincite_evaluation.drafts.projects import Place, Project, project_sources, read_project

from .shared import DATA, options

GROUPS = {"theses": "wild/drafts.json", "JOSS": "articles/joss/drafts.json"}
MOVED = 0.3
MIN_PLACES = 10


def anthology(data: Path, number: int) -> list[Candidate]:
    """Return so many entries of the ACL Anthology."""
    text = gzip.decompress((data / "anthology/anthology.bib.gz").read_bytes()).decode()
    entries = parse_bibliography(text, Path("anthology.bib")).entries
    keys = list(entries)
    chosen = np.random.default_rng(0).choice(len(keys), min(number, len(keys)), replace=False)
    found = (entries[keys[at]] for at in chosen.tolist())
    return [Candidate(f"A:{e.key}", Library.known_text(e), e, e.surnames) for e in found]


def measured(
    project: Project, others: Sequence[Candidate], places: int
) -> Iterator[tuple[bool, bool, bool]]:
    """Yield for places whether the cited work was moved, a row is new, and how that turned out.

    The last is whether the new rows have the cited work if it was moved; else whether the first
    rows would have it without them, and do not.
    """
    candidates, number = list(project.candidates.values()), len(project.keys)
    drawn = np.random.default_rng(1).choice(number, int(MOVED * number), replace=False)
    moved = frozenset(drawn.tolist())
    own = Candidates.of(each for at, each in enumerate(candidates) if at not in moved)
    known, words = frozenset(own), function_words(project.language)
    draft = LearnedRanker(packaged(), project.language, words, lambda key: key)
    draft.fit(own)
    library = LearnedRanker(packaged())
    library.fit(Candidates.of([*(candidates[at] for at in sorted(moved)), *others]))

    def turned_out(place: Place, is_moved: bool) -> tuple[bool, bool]:
        context = CitationContext((), (), place=PlaceInText(project.text, place.start))
        ranked = draft.rank(context, library)[: 2 * FIRST_ROWS]
        more = [e for e in library.rank(context, draft)[: 4 * FIRST_ROWS] if e.key not in known]
        rows = list(merged(ranked, more[:FIRST_ROWS]))[:FIRST_ROWS]
        cited = {project.keys[at] for at in place.cited}
        new = {row.entry.key for row in rows if row.is_new}
        if is_moved:
            return bool(new), not cited.isdisjoint(new)
        remaining = {row.entry.key for row in rows if not row.is_new}
        before = {entry.key for entry in ranked[:FIRST_ROWS]}
        return bool(new), not cited.isdisjoint(before) and cited.isdisjoint(remaining)

    firsts = [place for place in project.places if place.is_first]
    for is_moved in (True, False):
        asked = [p for p in firsts if {at in moved for at in p.cited} == {is_moved}]
        chosen = np.linspace(0, len(asked) - 1, min(places, len(asked))).astype(int)
        for place in (asked[at] for at in chosen.tolist()):
            yield is_moved, *turned_out(place, is_moved)


def main() -> None:
    """Measure, and print a line for each group."""
    given = options(__doc__, data=DATA, places=40, library=5_000)
    distractors = anthology(given.data, given.library)
    for name, path in GROUPS.items():
        projects = [read_project(each) for each in project_sources([given.data / path])[0]]
        projects = [each for each in projects if len(each.places) >= MIN_PLACES]
        found: dict[bool, list[list[bool]]] = {True: [], False: []}
        for project in projects:
            others = [
                replace(each, key=f"{other.name}:{each.key}")
                for other in projects
                if other is not project
                for each in other.candidates.values()
            ]
            for is_moved, *read in measured(project, [*others, *distractors], given.places):
                found[is_moved].append(read)
        print(f"{name}, {len(projects)} projects:")
        for is_moved, what, outcome in (
            (True, "in the library", "it is the cited one"),
            (False, "in the draft", "pushed out"),
        ):
            new, out = np.mean(found[is_moved], axis=0)
            print(f"  cited work is {what}: {len(found[is_moved])} places,", end=" ")
            print(f"new row at {new:.1%}, {outcome} {out:.1%}")


if __name__ == "__main__":
    main()
