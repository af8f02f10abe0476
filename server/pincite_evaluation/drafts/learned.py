"""The learned ranker in the evaluation on whole drafts: its evidence and its training lists."""

from __future__ import annotations

import numpy as np

from pincite.contexts.surroundings import SurroundedText
from pincite.ranking.base import Keys
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.representations.entry_terms import TermIds, read_entry
from pincite.representations.fields import EntryFields
from pincite.text.stemming import stemmer
from pincite.text.stop_words import function_words

from ..ranker_training import KNOWLEDGE, CitingList, Lists, without
from .projects import SITUATIONS, Project, Situation

#: Training lists per project: more lists of one thesis teach little about others.
_MAX_LISTS = 600


class ProjectEvidence:
    """The features of a project's candidates at its places."""

    def __init__(self, project: Project, knowledge: np.random.Generator | None = None) -> None:
        """Read the candidates; with `knowledge`, drop some of what is known of each at random."""
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
