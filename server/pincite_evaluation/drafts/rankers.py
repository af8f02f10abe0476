"""Rankers of the entries of a draft's bibliography, by name.

A ranker is made for the candidates of one project. It gets the number of a place, whose
``project.seen(place, situation)`` is what may be known there, and returns a score for each
candidate, higher is better and never nan. To add a ranker, add a line to `_KINDS`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.contexts.surroundings import SurroundedText
from pincite.contexts.windows import words_after, words_before
from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidate, ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite.ranking.base import Keys
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.ranking.learned import PACKAGED, LearnedModel
from pincite.ranking.tfidf import TfIdfRanker
from pincite.representations.entry_terms import TermIds, read_entry
from pincite.representations.fields import EntryFields
from pincite.representations.mixed import mixed as mixed_representation
from pincite.settings import RankingSettings, Window
from pincite.text.stemming import stemmer
from pincite.text.stop_words import function_words

from ..baselines.bm25 import Bm25Matcher
from ..baselines.fields import PLAIN
from ..ranker_training import KNOWLEDGE, CitingList, Lists, train, without
from .projects import SITUATIONS, Project, Situation

#: Training lists per project: more lists of one thesis teach little about others.
_MAX_LISTS = 600


class ProjectEvidence:
    """The features of a project's candidates at its places."""

    def __init__(self, project: Project, knowledge: np.random.Generator | None = None) -> None:
        language = project.language
        ids = TermIds(stemmer(language), left_out=function_words(language))
        names: dict[str, int] = {}
        self._project = project
        entries = (read_entry(each, ids, names) for each in project.candidates.values())
        if knowledge is not None:
            entries = (without(entry, knowledge) for entry in entries)
        fields = EntryFields.of(entries, ids, names)
        self._evidence = Evidence(fields, ids, has_order=not Keys.of(project.keys).in_order)
        self._text = SurroundedText(project.text)
        places = project.places
        self._citations = DraftCitations.of(
            self._text, [each.start for each in places], [each.cited for each in places], ids
        )

    def at(self, place: int, situation: Situation) -> Features:
        """Return the features of the candidates at a place."""
        return self._evidence.at(
            Place(
                self._text,
                self._project.places[place].start,
                None if situation == "text only" else self._citations,
                right=situation != "writing",
            )
        )


def lists_of(project: Project, seed: int = 0) -> Lists:
    """Return a project's training lists: a random sample of its places in every situation."""
    random = np.random.default_rng([seed, *project.name.encode()])
    number = len(project.places) * len(SITUATIONS)
    drawn = np.sort(random.choice(number, min(number, _MAX_LISTS), replace=False))
    complete, dropped = ProjectEvidence(project), ProjectEvidence(project, random)
    found: list[CitingList] = []
    for place, situation in zip(*np.divmod(drawn, len(SITUATIONS)), strict=True):
        evidence = dropped if random.random() < KNOWLEDGE else complete
        features = evidence.at(int(place), SITUATIONS[situation])
        found.append(CitingList.of(features, project.places[place].cited, random))
    return Lists(project.group, project.name, tuple(found))


Scores = npt.NDArray[np.float64]
Ranker: TypeAlias = Callable[[int, Situation], Scores]
#: A trained model, which can be pickled; None for rankers without training.
Model: TypeAlias = Any

_SETTINGS = RankingSettings()
_WINDOW = Window(20, 20)


@dataclass(frozen=True, slots=True)
class RankerKind:
    """A ranker by name."""

    name: str
    prepare: Callable[[Project, Model], Ranker]
    train: Callable[[Sequence[Lists]], Model] | None = None
    load: Callable[[Path | None], Model] = lambda _: None


def context(project: Project, place: int, situation: Situation, window: Window) -> CitationContext:
    """Return the words around a place that a ranker may know in a situation, up to a window."""
    seen = project.seen(place, situation)
    left = words_before(seen.before, len(seen.before), window.left)
    return CitationContext(left, words_after(seen.after, 0, window.right))


def learned(project: Project, model: Model) -> Ranker:
    """Rank with the learned ranker's model."""
    evidence = ProjectEvidence(project)

    def scores(place: int, situation: Situation) -> Scores:
        found = evidence.at(place, situation)
        # Candidates that are not considered come after all others.
        scored = np.full(len(project.keys), -1e6)
        scored[found.positions] = model.scores(found)
        return scored

    return scores


def mixed(
    project: Project, _model: Model = None, *, left_out: frozenset[str] | None = None
) -> Ranker:
    """Rank by TF-IDF and cosine, as the product's `mixed` (Duma and Klein 2014, Table 1)."""
    ignored = function_words(project.language) if left_out is None else left_out
    ranker = TfIdfRanker(mixed_representation(_SETTINGS), ignored)
    ranker.fit(project.candidates)
    return lambda place, situation: (
        ranker.rank(context(project, place, situation, _SETTINGS.window)).scores
    )


def alphabetical(project: Project, _model: Model = None) -> Ranker:
    """Rank by author, year, title: the order in which bibliographies are printed."""
    names = [_printed(candidate) for candidate in project.candidates.values()]
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    scores = -np.asarray([places[name] for name in names], dtype=np.float64)
    return lambda _place, _situation: scores


def _printed(candidate: Candidate) -> tuple[tuple[str, ...], str, str]:
    entry = candidate.entry
    year = "" if entry is None else entry.year
    # A work without authors is sorted by its title.
    names = candidate.names or (candidate.title,)
    return tuple(map(_sorted_as, names)), year, _sorted_as(candidate.title)


def _sorted_as(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def most_cited(project: Project, _model: Model = None) -> Ranker:
    """Rank by the number of places before this one that cite each candidate."""
    return partial(_by_places_before, project, lambda scores, _number: scores + 1.0)


def most_recent(project: Project, _model: Model = None) -> Ranker:
    """Rank by the last place before this one that cites each candidate."""
    return partial(_by_places_before, project, lambda _scores, number: number)


def _by_places_before(
    project: Project, update: Callable[[Any, int], Any], place: int, situation: Situation
) -> Scores:
    scores = np.zeros(len(project.keys))
    for number, before in enumerate(project.seen(place, situation).places, start=1):
        cited = list(before.cited)
        scores[cited] = update(scores[cited], number)
    return scores


def bm25(project: Project, _model: Model = None) -> Ranker:
    """Rank by BM25 (`baselines.bm25`, k1 = 1.2, b = 0.75) of the words around the place."""
    documents = []
    for candidate in project.candidates.values():
        paper = candidate.paper
        text = " ".join(sentence.text for sentence in paper.sentences)
        documents.append(Sentence(f"{candidate.title}\n{text or paper.abstract}"))
    matcher = Bm25Matcher(fields=(PLAIN,), k1=1.2, b=0.75, boost=1.0, mask_math=False)
    index = matcher.fit(ReferencePaper("", "full text", tuple(documents))).fields[0]

    def scores(place: int, situation: Situation) -> Scores:
        words = context(project, place, situation, _WINDOW).words
        found, _ = index.scores(Counter(PLAIN.analyse(" ".join(words)).places))
        return found

    return scores


_KINDS = {
    kind.name: kind
    for kind in (
        RankerKind("learned", learned, train, lambda path: LearnedModel.load(path or PACKAGED)),
        RankerKind("mixed", mixed),
        RankerKind("alphabetical", alphabetical),
        RankerKind("most-cited", most_cited),
        RankerKind("most-recent", most_recent),
        RankerKind("bm25", bm25),
    )
}


def chosen(names: Sequence[str] = ()) -> tuple[RankerKind, ...]:
    """Return rankers by name, by default all; raises `InputError` for unknown names."""
    for name in names:
        if name not in _KINDS:
            raise InputError(f"no ranker {name!r}; there are {', '.join(_KINDS)}")
    return tuple(_KINDS[name] for name in dict.fromkeys(names or _KINDS))
