"""The learned ranker in the evaluation on whole drafts: its evidence, its training by folds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from pincite.contexts.surroundings import SurroundedText
from pincite.ranking.base import Keys
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.ranking.learned import PACKAGED, LearnedModel
from pincite.representations.entry_terms import Numbering, TermIds, read_entry
from pincite.representations.fields import EntryFields
from pincite.text.stemming import stemmer
from pincite.text.stop_words import function_words

from ..ranker_training import KNOWLEDGE, CitingList, Lists, train, without
from .projects import SITUATIONS, Project, Situation

#: The most training lists per project: more lists of one thesis teach little about others.
_MOST_LISTS = 600


class LearnedRanker:
    """Ranks the candidates of a project with a model."""

    def __init__(self, project: Project, model: LearnedModel) -> None:
        self._evidence = ProjectEvidence(project)
        self._model = model

    def scores(self, project: Project, place: int, situation: Situation) -> npt.NDArray[np.float64]:
        """Return one score for each candidate; those not considered come after all others."""
        found = self._evidence.at(place, situation)
        scores = np.full(len(project.keys), -1e6)
        scores[found.positions] = self._model.scores(found)
        return scores


class ProjectEvidence:
    """The features of a project's candidates at its places."""

    def __init__(self, project: Project, knowledge: np.random.Generator | None = None) -> None:
        """Read the candidates; with `knowledge`, drop some of what is known of each at random."""
        language = project.language
        ids = TermIds(stemmer(language), left_out=function_words(language))
        names = Numbering()
        self._project = project
        entries = (read_entry(each, ids, names) for each in project.candidates.values())
        if knowledge is not None:
            entries = (without(entry, knowledge) for entry in entries)
        fields = EntryFields.of(entries, ids, names)
        self._evidence = Evidence(fields, ids, has_order=not Keys.of(project.keys).in_order)
        self._text = SurroundedText(project.text)
        places = project.places
        self._citations = DraftCitations.of(
            self._text,
            [each.start for each in places],
            [each.cited for each in places],
            ids,
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


class LearnedLearning:
    """Trains or loads the model of the learned ranker."""

    def __init__(self) -> None:
        self._lists: WeakKeyDictionary[Project, Lists] = WeakKeyDictionary()

    def train(self, projects: Sequence[Project]) -> LearnedModel:
        """Return a model trained on whole projects.

        The lists of each project are cached: other folds pass the same objects again.
        """
        for project in projects:
            if project not in self._lists:
                self._lists[project] = lists_of(project)
        return train([self._lists[project] for project in projects])

    def load(self, path: Path | None) -> LearnedModel:
        """Return the model in a file, or the packaged one."""
        return LearnedModel.load(PACKAGED if path is None else path)


def lists_of(project: Project, seed: int = 0) -> Lists:
    """Return a project's training lists: a random sample of its places in every situation."""
    random = np.random.default_rng([seed, *project.name.encode()])
    number = len(project.places) * len(SITUATIONS)
    drawn = np.sort(random.choice(number, min(number, _MOST_LISTS), replace=False))
    complete, dropped = ProjectEvidence(project), ProjectEvidence(project, random)
    found: list[CitingList] = []
    for place, situation in zip(*np.divmod(drawn, len(SITUATIONS)), strict=True):
        evidence = dropped if random.random() < KNOWLEDGE else complete
        features = evidence.at(int(place), SITUATIONS[situation])
        found.append(CitingList.of(features, project.places[place].cited, random))
    return Lists(project.group, project.name, tuple(found))
