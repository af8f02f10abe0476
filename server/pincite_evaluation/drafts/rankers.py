"""Rankers of a project's candidates, by name: the learned one, and baselines.

A ranker returns a score for each candidate at a place, higher is better and never nan. It must use
neither keys nor positions (see `projects`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pincite.contexts.surroundings import Surroundings
from pincite.contexts.windows import words_after, words_before
from pincite.matching.coverage import unit
from pincite.model.contexts import CitationContext
from pincite.model.encoders import TextVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite.ranking.learned import PACKAGED, PACKAGED_ENCODER, LearnedModel
from pincite.ranking.tfidf import TfIdfRanker
from pincite.representations.bags import mixed as mixed_representation
from pincite.settings import RankingSettings, Window
from pincite.text.characters import folded
from pincite.text.stop_words import function_words

from ..baselines.bm25 import Bm25Matcher
from ..baselines.encoders import CachingEncoder, open_encoder
from ..baselines.fields import PLAIN
from ..ranker_training import Lists, train
from .projects import Project, ProjectEvidence, Situation

_SETTINGS = RankingSettings()
_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution")
Scores = npt.NDArray[np.float64]
Ranker: TypeAlias = Callable[[int, Situation], Scores]
#: A trained model, which can be pickled; None for rankers without training.
Model: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class RankerKind:
    """What prepares a ranker for a project, trains it on lists, and loads its model from a file.

    `has_probabilities`: a softmax over its scores gives the share of each candidate. `encodes`: its
    lists have features of meaning.
    """

    name: str
    prepare: Callable[[Project, Model], Ranker]
    train: Callable[[Sequence[Lists]], Model] | None = None
    load: Callable[[Path | None], Model] = lambda _: None
    by_default: bool = True
    has_probabilities: bool = False
    encodes: bool = False


def context(project: Project, place: int, situation: Situation, window: Window) -> CitationContext:
    """Return as many words around a place as the window has and the situation allows."""
    seen = project.seen(place, situation)
    left = words_before(seen.before, len(seen.before), window.left)
    return CitationContext(left, words_after(seen.after, 0, window.right))


@cache
def encoder() -> CachingEncoder:
    """Return the installed encoder, opened once; raise `InputError` without one."""
    return CachingEncoder(open_encoder())


def _learned(project: Project, model: Model, vectors: TextVectors | None = None) -> Ranker:
    evidence = ProjectEvidence(project, vectors=vectors)

    def scores(place: int, situation: Situation) -> Scores:
        found = evidence.at(place, situation)
        # Candidates that are not considered come after all others.
        scored = np.full(len(project.keys), -1e6)
        scored[found.positions] = model.scores(found)
        return scored

    return scores


def mixed(project: Project, _: Model = None, *, left_out: frozenset[str] | None = None) -> Ranker:
    """Rank by TF-IDF and cosine, as the product's `mixed` (Duma and Klein 2014, Table 1)."""
    ignored = function_words(project.language) if left_out is None else left_out
    ranker = TfIdfRanker(mixed_representation(_SETTINGS), ignored)
    ranker.fit(project.candidates)
    return lambda place, situation: (
        ranker.rank(context(project, place, situation, _SETTINGS.window)).scores
    )


def _alphabetical(project: Project, _model: Model) -> Ranker:
    """Rank by author, year, title: the order in which bibliographies are printed."""
    names = []
    for each in project.candidates.values():
        year = "" if each.entry is None else each.entry.year
        # A work without authors is sorted by its title.
        authors = tuple(map(folded, each.names or (each.title,)))
        names.append((authors, year, folded(each.title)))
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    scores = -np.asarray([places[name] for name in names], dtype=np.float64)
    return lambda _place, _situation: scores


def _by_places_before(update: Callable[[Any, int], Any], project: Project, _model: Model) -> Ranker:
    """Rank by the places before this one that cite each candidate, given their numbers."""

    def scores(place: int, situation: Situation) -> Scores:
        found = np.zeros(len(project.keys))
        for number, before in enumerate(project.seen(place, situation).places, start=1):
            cited = list(before.cited)
            found[cited] = update(found[cited], number)
        return found

    return scores


def _bm25(project: Project, _model: Model) -> Ranker:
    """Rank by BM25 (`baselines.bm25`, k1 = 1.2, b = 0.75) of the sentence, as far as it is known.

    Of a candidate, all that a reader of the bibliography sees is searched, and its text.
    """
    documents = []
    for candidate in project.candidates.values():
        paper, fields = candidate.paper, {} if candidate.entry is None else candidate.entry.fields
        venue = next(filter(None, map(fields.get, _VENUES)), "")
        year = "" if candidate.entry is None else candidate.entry.year
        known = (candidate.title, " ".join(candidate.names), year, venue)
        text = " ".join(sentence.text for sentence in paper.sentences)
        documents.append("\n".join((*known, text or paper.abstract)))
    search = searching(documents)
    return lambda place, situation: search(_sentence(project, place, situation))


def searching(documents: Iterable[str]) -> Callable[[Iterable[str]], Scores]:
    """Return what scores some documents for words, by BM25 with k1 = 1.2 and b = 0.75."""
    matcher = Bm25Matcher(fields=(PLAIN,), k1=1.2, b=0.75, boost=1.0, mask_math=False)
    sentences = tuple(map(Sentence, documents))
    index = matcher.fit(ReferencePaper("", "full text", sentences)).fields[0]
    return lambda words: index.scores(Counter(PLAIN.analyse(" ".join(words)).places))[0]


def _sentence(project: Project, place: int, situation: Situation) -> tuple[str, ...]:
    """Return the words of the sentence of a place that are known in a situation."""
    start = project.places[place].start
    return sentence_of(project.surrounded.around(start, right=situation != "writing"))


def sentence_of(around: Surroundings) -> tuple[str, ...]:
    """Return the words of the sentence around a place."""
    left, right = around.left, around.right
    return (*left[len(left) - around.sentence_left :], *right[: around.sentence_right])


def _dense(project: Project, _model: Model) -> Ranker:
    """Rank by the reciprocal ranks of BM25 and of a sentence encoder (Cormack et al. 2009, k = 60).

    The encoder is MiniLM: the cosine of the sentence with title and abstract.
    """
    encoder, bm25 = open_encoder(), _bm25(project, None)
    works = project.candidates.values()
    entries = unit(encoder.sentences([f"{each.title}. {each.paper.abstract}" for each in works]))

    @cache
    def ranks(sentence: str) -> Scores:
        return _ranks(entries @ unit(encoder.sentences([sentence]))[0])

    def scores(place: int, situation: Situation) -> Scores:
        dense = ranks(" ".join(_sentence(project, place, situation)))
        return 1.0 / (60.0 + dense) + 1.0 / (60.0 + _ranks(bm25(place, situation)))

    return scores


def _ranks(scores: npt.NDArray[np.floating]) -> Scores:
    """Return 1-based ranks by falling score; equal ones have the best of their ranks."""
    return 1.0 + np.searchsorted(np.sort(-scores), -scores).astype(np.float64)


_KINDS = {
    kind.name: kind
    for kind in (
        RankerKind(
            "learned",
            _learned,
            train,
            lambda path: LearnedModel.load(path or PACKAGED),
            has_probabilities=True,
        ),
        # Needs the extra `transformers`.
        RankerKind(
            "learned-encoder",
            lambda project, model: _learned(project, model, encoder()),
            partial(train, with_meaning=True),
            lambda path: LearnedModel.load(path or PACKAGED_ENCODER),
            by_default=False,
            has_probabilities=True,
            encodes=True,
        ),
        RankerKind("mixed", mixed),
        RankerKind("alphabetical", _alphabetical),
        RankerKind("most-cited", partial(_by_places_before, lambda scores, _number: scores + 1.0)),
        RankerKind("most-recent", partial(_by_places_before, lambda _scores, number: number)),
        RankerKind("bm25", _bm25),
        # So does this.
        RankerKind("dense", _dense, by_default=False),
    )
}


def chosen(names: Sequence[str] = ()) -> tuple[RankerKind, ...]:
    """Return the rankers with these names, by default all; `InputError` for an unknown name."""
    for name in names:
        if name not in _KINDS:
            raise InputError(f"unknown ranker {name!r}; choose from {', '.join(_KINDS)}")
    default = [kind.name for kind in _KINDS.values() if kind.by_default]
    return tuple(_KINDS[name] for name in dict.fromkeys(names or default))
