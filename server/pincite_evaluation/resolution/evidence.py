"""The learned ranker's evidence at the citations of a collection's papers.

A paper's candidates and places are those of `protocol`. Each paper of the collection is
read once, for all papers that list it. Ids are not used: the order of candidates and the random
seeds depend on the papers' texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Collection as Ids
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Final, Literal

import numpy as np

from pincite.contexts.citing_text import text_of_paper
from pincite.contexts.surroundings import SurroundedText
from pincite.model.papers import Candidate, InlinkContext, ReferencePaper
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.representations.entry_terms import EntryTerms, TermIds, read_entry
from pincite.representations.fields import EntryFields
from pincite.settings import Window
from pincite.text.languages import identified
from pincite.text.stemming import stemmer

from ..collection import Collection
from ..ranker_training import CitingList, Lists
from .protocol import candidates_of, groups, inlink_contexts

#: What is known of candidates: their titles and abstracts; their full texts, too; and how other
#: papers cite them.
Knowledge = Literal["bibliography", "full texts", "full texts and inlinks"]
KNOWLEDGE: Final[tuple[Knowledge, ...]] = ("bibliography", "full texts", "full texts and inlinks")
#: The text on both sides, alone or with what the paper cites before the place.
Situation = Literal["text only", "citations before"]
SITUATIONS: Final[tuple[Situation, ...]] = ("text only", "citations before")

#: Papers with fewer references in the collection are not used for training.
MIN_TRAINING_REFERENCES: Final = 6
#: Tuned on the papers of the collection that are not test papers.
_MAX_LISTS: Final = 96
_INLINKS: Final = Window(20, 20)


@dataclass(frozen=True, slots=True, eq=False)
class CitingPaper:
    """A paper with its `candidates`, and its groups of citations in reading order.

    Group i is at offset ``starts[i]`` of the text and cites the candidates at the positions
    ``cited[i]``.
    """

    id: str
    candidates: tuple[str, ...]
    text: SurroundedText
    starts: tuple[int, ...]
    cited: tuple[tuple[int, ...], ...]


class CollectionEvidence:
    """The features of the papers of a collection.

    Papers `left_out` provide no inlink contexts; no paper provides any for itself.
    """

    def __init__(self, collection: Collection, left_out: Ids[str] = frozenset()) -> None:
        self.collection = collection
        self._left_out = left_out
        abstracts = (each.paper.abstract or each.paper.title for each in collection.papers.values())
        self._ids = TermIds(stemmer(identified(" ".join(abstracts))))
        self._names: dict[str, int] = {}
        self._read: dict[tuple[str, bool], EntryTerms] = {}
        papers = collection.papers.items()
        self._fingerprints = {name: _fingerprint(each.paper) for name, each in papers}

    @cached_property
    def _contexts(self) -> dict[str, tuple[InlinkContext, ...]]:
        papers = self.collection.papers
        return inlink_contexts(self.collection, papers.keys(), self._left_out, _INLINKS)

    def fingerprint(self, name: str) -> bytes:
        """Return a digest of a paper's text, independent of its id."""
        return self._fingerprints[name]

    def citing(self, name: str) -> CitingPaper:
        """Return a paper with its candidates and places."""
        paper = self.collection.papers[name]
        candidates = tuple(sorted(candidates_of(self.collection, paper), key=self.fingerprint))
        text = text_of_paper(paper.paper, str)
        found = list(groups(paper, candidates, Window(0, 0)))
        return CitingPaper(
            name,
            candidates,
            SurroundedText(text),
            tuple(text.places[group.marker].start for group in found),
            tuple(tuple(map(candidates.index, group.cited)) for group in found),
        )

    def of(self, paper: CitingPaper, knowledge: Knowledge) -> Callable[[int, Situation], Features]:
        """Return the features of a paper's candidates, at a level of knowledge, at its groups."""
        entries = (self._entry(name, paper.id, knowledge) for name in paper.candidates)
        fields = EntryFields.of(entries, self._ids, self._names)
        evidence = Evidence(fields, self._ids, has_order=False)
        before = DraftCitations.of(paper.text, paper.starts, paper.cited, self._ids)

        def at(group: int, situation: Situation) -> Features:
            citations = before if situation == "citations before" else None
            return evidence.at(Place(paper.text, paper.starts[group], citations))

        return at

    def _entry(self, name: str, citing: str, knowledge: Knowledge) -> EntryTerms:
        full_text = knowledge != "bibliography"
        if (name, full_text) not in self._read:
            contexts = self._contexts[name] if full_text else ()
            paper = self.collection.papers[name].paper
            candidate = Candidate(name, paper, names=paper.surnames, inlink_contexts=contexts)
            self._read[name, full_text] = read_entry(
                candidate, self._ids, self._names, full_text=full_text
            )
        entry = self._read[name, full_text]
        inlinks = zip(entry.inlinks, entry.citing, strict=True)
        kept = [own for own in inlinks if knowledge == KNOWLEDGE[-1] and own[1] != citing]
        return replace(
            entry,
            inlinks=tuple(inlink for inlink, _ in kept),
            citing=tuple(other for _, other in kept),
        )


def _fingerprint(paper: ReferencePaper) -> bytes:
    fields = (paper.title, " and ".join(paper.surnames), paper.year, paper.abstract)
    text = "\0".join((*fields, *(sentence.text for sentence in paper.sentences)))
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def lists_of_papers(
    evidence: CollectionEvidence,
    group: str,
    names: Sequence[str],
    seed: int = 0,
) -> Iterator[Lists]:
    """Yield the training lists of each paper, none if it cites no candidate.

    They are a random sample of a paper's places, in both situations and all levels of knowledge.
    """
    shape = (len(SITUATIONS), len(KNOWLEDGE))
    for name in names:
        paper = evidence.citing(name)
        random = np.random.default_rng([seed, *evidence.fingerprint(name)])
        number = len(paper.starts) * len(SITUATIONS) * len(KNOWLEDGE)
        drawn = np.sort(random.choice(number, min(number, _MAX_LISTS), replace=False))
        places, situations, known = np.unravel_index(drawn, (len(paper.starts), *shape))
        candidates = {at: evidence.of(paper, KNOWLEDGE[at]) for at in sorted({*known.tolist()})}
        found = []
        for place, situation, at in zip(places.tolist(), situations, known.tolist(), strict=True):
            features = candidates[at](place, SITUATIONS[situation])
            found.append(CitingList.of(features, paper.cited[place], random))
        yield Lists(group, name, tuple(found))


def papers_to_learn_from(collection: Collection) -> tuple[str, ...]:
    """Return the ids of papers that list at least `MIN_TRAINING_REFERENCES` others, as read."""
    return tuple(
        name
        for name, paper in collection.papers.items()
        if len(candidates_of(collection, paper)) >= MIN_TRAINING_REFERENCES
    )
