"""Baselines for rankers: orders in which any editor can list entries, and BM25."""

from __future__ import annotations

import unicodedata
from collections import Counter

import numpy as np
import numpy.typing as npt

from pincite.model.papers import Candidate, ReferencePaper, Sentence
from pincite.settings import Window

from ..baselines.bm25 import Bm25Matcher
from ..baselines.fields import PLAIN
from .mixed import context
from .projects import Project, Situation

Scores = npt.NDArray[np.float64]

_WINDOW = Window(20, 20)


class Alphabetical:
    """Author, year, title: the order in which bibliographies are printed.

    Editors list keys instead. Generated keys number the entries in the order of citation, so their
    order would reveal the next citation.
    """

    def __init__(self, project: Project, _model: object = None) -> None:
        """Sort a project's candidates; equal entries are ties."""
        names = [_printed(candidate) for candidate in project.candidates.values()]
        places = {name: place for place, name in enumerate(sorted(set(names)))}
        self._scores = -np.asarray([places[name] for name in names], dtype=np.float64)

    def scores(self, project: Project, place: int, situation: Situation) -> Scores:
        """Return the same order at every place."""
        return self._scores


def _printed(candidate: Candidate) -> tuple[tuple[str, ...], str, str]:
    entry = candidate.entry
    year = "" if entry is None else entry.year
    # A work without authors is sorted by its title.
    names = candidate.names or (candidate.title,)
    return tuple(map(_sorted_as, names)), year, _sorted_as(candidate.title)


def _sorted_as(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


class _Unprepared:
    """Ranks by the places before, for which there is nothing to prepare."""

    def __init__(self, _project: Project, _model: object = None) -> None:
        pass


class MostCited(_Unprepared):
    """Ranks by how often an entry was cited before the place."""

    def scores(self, project: Project, place: int, situation: Situation) -> Scores:
        """Return the number of places before this one that cite each candidate."""
        counts = np.zeros(len(project.keys))
        for before in project.seen(place, situation).places:
            counts[list(before.cited)] += 1.0
        return counts


class MostRecent(_Unprepared):
    """Ranks by how recently before the place an entry was cited."""

    def scores(self, project: Project, place: int, situation: Situation) -> Scores:
        """Return the number, from 1, of the last place before this one that cites a candidate."""
        latest = np.zeros(len(project.keys))
        for number, before in enumerate(project.seen(place, situation).places, start=1):
            latest[list(before.cited)] = number
        return latest


class Bm25Ranker:
    """BM25 (`baselines.bm25`, k1 = 1.2, b = 0.75) of the words around the place.

    A document is the title of an entry followed by its text or its abstract.
    """

    def __init__(self, project: Project, _model: object = None) -> None:
        """Index a project's candidates."""
        documents = tuple(Sentence(_document(each)) for each in project.candidates.values())
        matcher = Bm25Matcher(fields=(PLAIN,), k1=1.2, b=0.75, boost=1.0, mask_math=False)
        self._index = matcher.fit(ReferencePaper("", "full text", documents)).fields[0]

    def scores(self, project: Project, place: int, situation: Situation) -> Scores:
        """Return the score of each candidate's document."""
        words = context(project, place, situation, _WINDOW).words
        found, _ = self._index.scores(Counter(PLAIN.analyse(" ".join(words)).places))
        return found


def _document(candidate: Candidate) -> str:
    paper = candidate.paper
    text = " ".join(sentence.text for sentence in paper.sentences)
    return f"{candidate.title}\n{text or paper.abstract}"
