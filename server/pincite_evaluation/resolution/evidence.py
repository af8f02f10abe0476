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
from pincite.model.papers import Candidate, InlinkContext
from pincite.model.problems import InputError
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.ranking.learned import LearnedModel
from pincite.representations.entry_terms import EntryTerms, TermIds, read_entry
from pincite.representations.fields import EntryFields
from pincite.settings import Window
from pincite.text.languages import identified
from pincite.text.stemming import stemmer

from ..collection import Collection
from ..measures import Ranks
from ..processes import Steps, silent
from ..ranker_training import CitingList, Lists, train
from ..training import dealt_in_turn
from .protocol import candidates_of, groups, inlink_contexts
from .table import FinishedRows, PapersUnderTest

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
    """A paper with its `candidates`, and its groups of citations in reading order."""

    id: str
    candidates: tuple[str, ...]
    text: SurroundedText
    starts: tuple[int, ...]
    cited: tuple[tuple[int, ...], ...]


class CollectionEvidence:
    """The features of the papers of a collection."""

    def __init__(self, collection: Collection, left_out: Ids[str] = frozenset()) -> None:
        self.collection = collection
        self._left_out = left_out
        abstracts = (each.paper.abstract or each.paper.title for each in collection.papers.values())
        self._ids = TermIds(stemmer(identified(" ".join(abstracts))))
        self._names: dict[str, int] = {}
        self._read: dict[tuple[str, bool], EntryTerms] = {}
        #: Digests of the papers' texts, independent of their ids.
        self.fingerprints: dict[str, bytes] = {}
        for name, each in collection.papers.items():
            paper = each.paper
            fields = (paper.title, " and ".join(paper.surnames), paper.year, paper.abstract)
            text = "\0".join((*fields, *(sentence.text for sentence in paper.sentences)))
            digest = blake2b(text.encode("utf-8", "replace"), digest_size=16)
            self.fingerprints[name] = digest.digest()

    @cached_property
    def _contexts(self) -> dict[str, tuple[InlinkContext, ...]]:
        papers = self.collection.papers
        return inlink_contexts(self.collection, papers.keys(), self._left_out, _INLINKS)

    def citing(self, name: str) -> CitingPaper:
        """Return a paper with its candidates and places."""
        paper = self.collection.papers[name]
        candidates = tuple(
            sorted(candidates_of(self.collection, paper), key=self.fingerprints.__getitem__)
        )
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


def lists_of_papers(
    evidence: CollectionEvidence, group: str, names: Sequence[str], seed: int = 0
) -> Iterator[Lists]:
    """Yield the training lists of each paper, none if it cites no candidate."""
    shape = (len(SITUATIONS), len(KNOWLEDGE))
    for name in names:
        paper = evidence.citing(name)
        random = np.random.default_rng([seed, *evidence.fingerprints[name]])
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


NAME: Final = "learned"
FOLDS: Final = 5


def learned_rows(
    evidence: CollectionEvidence,
    tests: PapersUnderTest,
    *,
    model: LearnedModel | None = None,
    progress: Steps = silent,
) -> FinishedRows:
    """Rank at all groups of all test papers, for each of `SITUATIONS` and `KNOWLEDGE`."""
    names = [paper.id for paper in tests.papers]
    models = dict.fromkeys(names, model) if model else _trained(evidence, names, progress)
    report = progress("Ranking with the trained models")
    found: list[Ranks] = []
    for paper in tests.papers:
        report(len(found), len(tests.papers))
        citing, model_of = evidence.citing(paper.id), models[paper.id]
        known = [evidence.of(citing, knows) for knows in KNOWLEDGE]
        # For each situation and level of knowledge, the ranks of the test paper's outcomes.
        ranks = [_ranks(citing, at, one, model_of) for one in SITUATIONS for at in known]
        found.append(np.asarray(ranks, dtype=np.int32))
    report(len(found), len(tests.papers))
    conditions = [(situation, knows) for situation in SITUATIONS for knows in KNOWLEDGE]
    labels = ({"window": None, "situation": one, "knows": knows} for one, knows in conditions)
    return tests.finished(NAME, found, labels)


def _ranks(
    paper: CitingPaper,
    features_at: Callable[[int, Situation], Features],
    situation: Situation,
    model: LearnedModel,
) -> list[int]:
    found = [features_at(group, situation) for group in range(len(paper.starts))]
    if not found:
        return []
    # All places of a paper are scored in one pass over the trees, which is faster.
    parts = np.cumsum([len(own.positions) for own in found])[:-1]
    predicted = model.trees.predict(np.concatenate(list(map(model.matrix, found))))
    ranks: list[int] = []
    for own, cited, scored in zip(found, paper.cited, np.split(predicted, parts), strict=True):
        scores = np.full(len(paper.candidates), -np.inf)
        scores[own.positions] = scored
        ranks += (np.argsort(np.argsort(-scores, kind="stable"))[list(cited)] + 1).tolist()
    return ranks


def _trained(
    evidence: CollectionEvidence, tests: Ids[str], progress: Steps
) -> dict[str, LearnedModel]:
    names = tuple(dict.fromkeys((*tests, *papers_to_learn_from(evidence.collection))))
    dealt = folds_of(evidence, names, frozenset(tests), FOLDS)
    report = progress("Reading papers for training")
    lists = []
    for own in lists_of_papers(evidence, NAME, names):
        lists.append(own)
        report(len(lists), len(names))
    report = progress("Training")
    models: list[LearnedModel] = []
    number = max(dealt.values()) + 1
    for fold in range(number):
        others = [own for own in lists if own.lists and dealt[own.name] != fold]

        def part(done: int, total: int, before: int = fold) -> None:
            report(before * total + done, number * total)

        models.append(train(others, progress=part))
    return {name: models[dealt[name]] for name in tests}


def folds_of(
    evidence: CollectionEvidence, names: Sequence[str], tests: Ids[str], number: int
) -> dict[str, int]:
    """Assign papers to folds at random, balanced for test papers; `InputError` for one paper."""
    if len(names) < 2:
        raise InputError("the learned ranker needs at least 2 papers, to train on one of them")
    ordered = sorted(names, key=evidence.fingerprints.__getitem__)
    kinds = ([n for n in ordered if n in tests], [n for n in ordered if n not in tests])
    return dealt_in_turn(kinds, min(number, len(names)))
