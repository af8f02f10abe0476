"""Measure each kind of evidence alone: rank the entries of whole drafts by one feature.

    python -m benchmarks.ranking_evidence [--data ../shared/data] [--places NUMBER]

Prints top-1 and top-5, as means over projects, of the learned ranker's features one by one, where
an author writes (text to the left, citations before the place), at all places or so many of each
project. Ties are broken by what entries say, as in `pincite evaluate drafts`. Then, for the theses
in other languages, what `mixed` reaches by text alone with the function words of English only and
with those of their language.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pincite.text.stop_words import function_words
from pincite_evaluation.drafts.projects import ProjectEvidence, project_sources, read_project
from pincite_evaluation.drafts.rankers import mixed
from pincite_evaluation.drafts.run import best_rank, ranks
from pincite_evaluation.results import found_at

from .shared import DATA, Given, measurement, table

#: Features by what they stand for. Smaller is better for those with a minus.
EVIDENCE = {
    "20 words on each side, all that is known (mixed, stems)": "mixed.both.cos",
    "the sentence so far": "mixed.sentence.cos",
    "words by their distance, and how rare they are in the draft": "mixed.rare.cos",
    "the paragraph so far, by how rare its words are": "mixed.topic.cos",
    "headings above": "mixed.headings.cos",
    "BM25 of the title, by the sentence": "title.sentence.bm25",
    "earlier citations in similar sentences": "own.sentence.best",
    "earlier citations, their words joined": "own.both.joined",
    "the words just before an earlier citation": "own.last3",
    "a name of an author nearby": "-name.any",
    "an acronym nearby": "-name.acronym",
    "cited most recently": "-cited.recency_rank",
    "cited most often": "cited.count",
    "works like those just cited": "mixed.recent.cos",
    "same authors as just cited": "author.same",
    "beside what was just cited in the .bib": "-bib.near3",
}
_TOPS = (1, 5)
#: The best rank that any of them gives, place by place: more than one who must choose can know.
BEST = "whichever of these is best, chosen by the answer"
GROUPS = {
    "theses": "wild/drafts.json",
    "JOSS": "articles/joss/drafts.json",
    "PLOS": "articles/plos/drafts.json",
    "CRAFT": "articles/craft/drafts.json",
}


def measured(path: Path, places: int) -> dict[str, list[float]]:
    """Return for each kind of evidence the macro top-1 and top-5 of the projects in a list."""
    found: dict[str, list[list[float]]] = {name: [] for name in (*EVIDENCE, BEST)}
    for source in project_sources([path])[0]:
        project = read_project(source)
        if not project.places:
            continue
        evidence = ProjectEvidence(project)
        chosen = np.linspace(0, len(project.places) - 1, min(places, len(project.places)))
        ranked: dict[str, list[int]] = {name: [] for name in EVIDENCE}
        for place in chosen.astype(int).tolist():
            features = evidence.at(place, "writing")
            for name, feature in EVIDENCE.items():
                scores = np.full(len(project.keys), -1e12)
                values = features.column(feature.lstrip("-")).astype(float)
                values = -values if feature.startswith("-") else values
                scores[features.positions] = np.where(np.isnan(values), -1e9, values)
                cited = project.places[place].cited
                ranked[name].append(best_rank(scores, cited, project.tie_order))
        ranked[BEST] = np.min(list(ranked.values()), axis=0).tolist()
        for name, own in ranked.items():
            found[name].append([found_at(np.asarray(own), top) for top in _TOPS])
    return {name: np.mean(own, axis=0).tolist() for name, own in found.items()}


def function_words_alone(path: Path) -> Iterator[tuple[str, str, list[float]]]:
    """Yield the name and language of each project that is not in English, with four shares.

    These are top-1 and top-5 without and with the function words of the language.
    """
    for source in project_sources([path])[0]:
        project = read_project(source)
        if project.places and project.language not in ("en", None):
            shares: list[float] = []
            for left_out in (frozenset[str](), function_words(project.language)):
                ranker = mixed(project, left_out=left_out)
                found = ranks(project, ranker, "text only")
                shares += [found_at(found, top) for top in _TOPS]
            yield source.name, project.language, shares


@measurement(data=DATA, places=100_000)
def main(given: Given) -> None:
    columns = {group: measured(given.data / path, given.places) for group, path in GROUPS.items()}
    figures = {name: [own[name] for own in columns.values()] for name in (*EVIDENCE, BEST)}
    rows = (
        (name, *(" ".join(map("{:.3f}".format, two)) for two in figures[name])) for name in figures
    )
    table(("evidence (top-1, top-5)", *columns), rows)
    print()
    head = ("function words of", "English: top-1", "top-5", "its language: top-1", "top-5")
    others = function_words_alone(given.data / GROUPS["theses"])
    table(head, ((f"{name} ({lang})", *map("{:.3f}".format, own)) for name, lang, own in others))
