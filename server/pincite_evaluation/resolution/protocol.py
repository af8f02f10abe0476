"""Citation resolution (Duma and Klein 2014, sections 3 to 5): recover removed references.

For each test paper, the papers of the collection that it lists are the candidates. All its
citations become placeholders; adjacent ones form one group with one context. A group with n
resolvable references is resolved, for all of them, when any is among the first n.

The learned ranker has more evidence at the same places. Ids are not used: the order of candidates
and the random seeds depend on the papers' texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as Ids
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, groupby, pairwise, product
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
import regex

from pincite.contexts.inlinks import paper_contexts
from pincite.contexts.surroundings import SurroundedText
from pincite.contexts.windows import words_after, words_before
from pincite.model.contexts import CitationContext
from pincite.model.drafts import CITATION_MARK
from pincite.model.encoders import TextVectors
from pincite.model.papers import Candidate, InlinkContext, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.ranking.draft_citations import DraftCitations
from pincite.ranking.features import Evidence, Features, Place
from pincite.ranking.learned import LearnedModel
from pincite.ranking.meaning_features import Meanings, described
from pincite.representations import bags
from pincite.representations.entry_terms import EntryReader, EntryTerms, TermIds
from pincite.representations.fields import EntryFields
from pincite.settings import Window
from pincite.text.languages import identified
from pincite.text.stemming import stemmer

from ..collection import Collection, CollectionPaper, read_test_papers, text_of_paper
from ..processes import tracked
from ..ranker_training import CitingList, Lists, train
from ..results import Ranks, grouped
from ..training import FOLDS, dealt_in_turn

MIN_REFERENCES = 8
#: The text allowed between adjacent citations.
_SUCCESSION = regex.compile(r"[\s()\[\]{};,&]*+")


@dataclass(frozen=True, slots=True)
class Group:
    """Adjacent citations: the words around them, and the distinct papers they cite."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    cited: tuple[str, ...]
    marker: int

    def context(self, window: Window) -> CitationContext:
        """Return as many of the words on each side as the window has."""
        left = self.left[-window.left :] if window.left else ()
        return CitationContext(left, self.right[: window.right])


@dataclass(frozen=True, slots=True)
class PaperUnderTest:
    """A test paper: the ids of the papers that it may cite, and its groups in reading order."""

    id: str
    title: str
    candidates: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def outcomes(self) -> int:
        """The number of resolvable citations: each reference counts once per group."""
        return sum(len(group.cited) for group in self.groups)


def candidates_of(collection: Collection, paper: CollectionPaper) -> tuple[str, ...]:
    """Return the other papers of the collection that a paper lists, ordered by id."""
    return tuple(sorted({link for link in paper.links if link in collection.papers} - {paper.id}))


def groups(paper: CollectionPaper, candidates: Ids[str], widest: Window) -> Iterator[Group]:
    """Yield the groups of a paper in reading order, without those that cite no candidate."""
    text, places = _with_marks(paper.paper)
    markers = paper.paper.markers
    named = list(accumulate((bool(each.references) for each in markers), initial=0))
    apart = (not _SUCCESSION.fullmatch(text, one + 1, other) for one, other in pairwise(places))
    numbers = list(accumulate(apart, initial=0))
    for _, together in groupby(range(len(places)), numbers.__getitem__):
        own = list(together)
        links = (paper.links[reference] for at in own for reference in markers[at].references)
        if cited := tuple(dict.fromkeys(link for link in links if link in candidates)):
            left = words_before(text, places[own[0]], widest.left)
            right = words_after(text, places[own[-1]] + 1, widest.right)
            yield Group(left, right, cited, named[own[0]])


def _with_marks(paper: ReferencePaper) -> tuple[str, list[int]]:
    """Return a paper's text with every citation as a mark, and the offsets of the marks."""
    markers = grouped(paper.markers, lambda marker: marker.sentence)
    text, places = "", []
    for number, sentence in enumerate(paper.sentences):
        end = 0
        for marker in markers.get(number, ()):
            text += sentence.text[end : marker.start]
            places.append(len(text))
            text += CITATION_MARK
            end = marker.end
        text += sentence.text[end:] + " "
    return text, places


def papers_under_test(
    collection: Collection, ids: Iterable[str], widest: Window, min_references: int
) -> Iterator[PaperUnderTest]:
    """Yield the papers under test that list at least `min_references` papers of the collection."""
    for paper in (collection.papers[name] for name in ids):
        listed = candidates_of(collection, paper)
        if len(listed) >= max(1, min_references):
            own = tuple(groups(paper, frozenset(listed), widest))
            yield PaperUnderTest(paper.id, paper.paper.title, listed, own)


def chosen_papers(
    collection: Collection, source: Path | None
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the ids of the test papers that a file lists, by default all, and the problems."""
    if source is None:
        return tuple(sorted(collection.papers)), ()
    ids: list[str] = []
    problems: list[Problem] = []
    for line, name in read_test_papers(source):
        if name in ids:
            problems.append(Problem(source, line, f"{name} is listed twice"))
        elif name in collection.papers:
            ids.append(name)
        else:
            problems.append(Problem(source, line, f"{name} is not a paper of the collection"))
    return tuple(ids), tuple(problems)


def inlink_contexts(
    collection: Collection, cited: Ids[str], left_out: Ids[str], widest: Window
) -> dict[str, tuple[InlinkContext, ...]]:
    """Return the contexts in which papers, except those `left_out`, cite some papers."""
    linked: dict[str, list[InlinkContext]] = {name: [] for name in cited}
    for paper in collection.papers.values():
        if paper.id not in left_out:
            for reference, context in paper_contexts(paper.paper, paper.id, widest):
                if paper.links[reference] in linked:
                    linked[paper.links[reference]].append(context)
    return {name: tuple(contexts) for name, contexts in linked.items()}


def candidates(
    collection: Collection, tests: Sequence[PaperUnderTest], left_out: Ids[str], widest: Window
) -> dict[str, Candidate]:
    """Return the candidates of all test papers by id, with the inlink contexts of each."""
    names = sorted({name for test in tests for name in test.candidates})
    contexts = inlink_contexts(collection, names, left_out, widest)
    return {
        name: Candidate(name, collection.papers[name].paper, inlink_contexts=contexts[name])
        for name in names
    }


_INSIDE = r"full-text|title-abstract|passage-[1-9]\d{0,5}"
_OUTSIDE = r"inlink-\d{1,4}(?:-\d{1,4})?"
_NAME = re.compile(
    rf"(?P<inside>{_INSIDE})|(?P<outside>{_OUTSIDE})|mixed-(?P<both>{_OUTSIDE})-(?P<with>{_INSIDE})"
)
_WINDOW = re.compile(r"\(?(?P<left>\d{1,4}),\s*(?P<right>\d{1,4})\)?")

TABLE_1 = (
    *("full-text", "title-abstract"),
    *(f"passage-{length}" for length in (250, 300, 350, 400)),
    *("inlink-5", "inlink-10", "inlink-10-5", "inlink-20", "inlink-30"),
    *(
        f"mixed-inlink-{window}-{inside}"
        for window in (10, 20, 30)
        for inside in ("full-text", "title-abstract", "passage-250", "passage-350")
    ),
)
WINDOWS = (Window(5, 5), Window(10, 10), Window(10, 5), Window(20, 20), Window(30, 30))

_INTERNAL: dict[str, bags.Internal] = {
    "full-text": bags.full_text,
    "title-abstract": bags.title_abstract,
}


class NamedRepresentation(NamedTuple):
    """What computes the bags of a candidate, and the window of its inlink contexts."""

    name: str
    representation: bags.Representation
    window: Window | None


def named(name: str) -> NamedRepresentation:
    """Parse the name of a representation; raises `InputError`, with examples, for any other."""
    match = _NAME.fullmatch(name)
    if match is None:
        examples = ", ".join((*TABLE_1[:3], "inlink-20", "inlink-10-5", TABLE_1[-1]))
        what = f"{name or 'an empty name'} is not a representation"
        raise InputError(f"{what}; examples are {examples}")
    inside, outside = match["inside"] or match["with"], match["outside"] or match["both"]
    found = bags.Representation()
    if inside is not None:
        length = inside.removeprefix("passage-")
        found = replace(found, internal=_INTERNAL.get(inside) or bags.passages(int(length)))
    if outside is None:
        return NamedRepresentation(name, found, None)
    sides = [int(side) for side in outside.split("-")[1:]]
    width = Window(sides[0], sides[-1])
    found = replace(found, external=bags.inlink_contexts(width))
    return NamedRepresentation(name, found, width)


def window(written: str) -> Window:
    """Parse a window as ``left,right``; raises `InputError` for anything else, and for 0,0."""
    match = _WINDOW.fullmatch(written.strip())
    if match is None or (match["left"], match["right"]) == ("0", "0"):
        raise InputError(f"{written} is not a window; write the words left and right as in 20,20")
    return Window(int(match["left"]), int(match["right"]))


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
_MAX_LISTS: Final = 48
_INLINKS: Final = Window(20, 20)


@dataclass(frozen=True, slots=True, eq=False)
class CitingPaper:
    """A paper's text, the offset of each group in it, and the positions of the cited candidates."""

    id: str
    candidates: tuple[str, ...]
    text: SurroundedText
    groups: tuple[Group, ...]
    starts: tuple[int, ...]
    cited: tuple[tuple[int, ...], ...]


class CollectionEvidence:
    """The features of candidates; the papers `left_out` provide no inlink contexts to them.

    With `vectors` of texts, there are features of meaning.
    """

    def __init__(
        self,
        collection: Collection,
        left_out: Ids[str] = frozenset(),
        vectors: TextVectors | None = None,
    ) -> None:
        self._vectors = vectors
        self.collection = collection
        self._left_out = left_out
        abstracts = (each.paper.abstract or each.paper.title for each in collection.papers.values())
        self._ids = TermIds(stemmer(identified(" ".join(abstracts))))
        self._names: dict[str, int] = {}
        self._read: dict[tuple[str, bool], EntryTerms] = {}
        #: Digests of the papers' texts, independent of their ids.
        self.fingerprints = {n: _fingerprint(own.paper) for n, own in collection.papers.items()}

    @cached_property
    def _contexts(self) -> dict[str, tuple[InlinkContext, ...]]:
        papers = self.collection.papers
        return inlink_contexts(self.collection, papers.keys(), self._left_out, _INLINKS)

    def citing(
        self, name: str, listed: Ids[str] | None = None, unknown: Ids[str] = frozenset()
    ) -> CitingPaper:
        """Return a paper with its candidates in an order that does not depend on ids.

        These are the papers that it lists, or those `listed` here. Groups may also cite papers
        that are `unknown` to the author, so that nothing is known of these citations.
        """
        paper = self.collection.papers[name]
        known = candidates_of(self.collection, paper) if listed is None else listed
        candidates = tuple(sorted(known, key=self.fingerprints.__getitem__))
        position = {each: at for at, each in enumerate(candidates) if each not in unknown}
        text = text_of_paper(paper.paper, str)
        found = tuple(groups(paper, {*position, *unknown}, Window(0, 0)))
        return CitingPaper(
            name,
            candidates,
            SurroundedText(text),
            found,
            tuple(text.places[group.marker].start for group in found),
            tuple(tuple(position[n] for n in group.cited if n in position) for group in found),
        )

    def of(self, paper: CitingPaper, knowledge: Knowledge) -> Callable[[int, Situation], Features]:
        """Return the features of a paper's candidates, at a level of knowledge, at its groups."""
        entries = (self._entry(name, paper.id, knowledge) for name in paper.candidates)
        fields = EntryFields.of(entries, self._ids, self._names)
        meanings = None
        if self._vectors is not None:
            works = (Candidate("", self.collection.papers[name].paper) for name in paper.candidates)
            meanings = Meanings(self._vectors, list(map(described, works)))
        evidence = Evidence(fields, self._ids, has_order=False, meanings=meanings)
        before = DraftCitations.of(paper.text, paper.starts, paper.cited, self._ids)
        nothing = DraftCitations.of(paper.text, (), (), self._ids)

        def at(group: int, situation: Situation) -> Features:
            citations = before if situation == "citations before" else nothing
            return evidence.at(Place(citations, paper.starts[group]))

        return at

    def _entry(self, name: str, citing: str, knowledge: Knowledge) -> EntryTerms:
        full_text = knowledge != "bibliography"
        if (name, full_text) not in self._read:
            contexts = self._contexts[name] if full_text else ()
            paper = self.collection.papers[name].paper
            candidate = Candidate(name, paper, names=paper.surnames, inlink_contexts=contexts)
            reader = EntryReader(self._ids, self._names)
            self._read[name, full_text] = reader.read(candidate, full_text=full_text)
        entry = self._read[name, full_text]
        inlinks = zip(entry.inlinks, entry.citing, strict=True)
        known = [own for own in inlinks if knowledge == KNOWLEDGE[-1] and own[1] != citing]
        others, citers = zip(*known, strict=True) if known else ((), ())
        return replace(entry, inlinks=others, citing=citers)


def _fingerprint(paper: ReferencePaper) -> bytes:
    fields = (paper.title, " and ".join(paper.surnames), paper.year, paper.abstract)
    text = "\0".join((*fields, *(sentence.text for sentence in paper.sentences)))
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def lists_of_papers(
    evidence: CollectionEvidence, names: Sequence[str], seed: int = 0
) -> Iterator[Lists]:
    """Yield the training lists of each paper, none if it cites no candidate."""
    for name in names:
        paper = evidence.citing(name)
        random = np.random.default_rng([seed, *evidence.fingerprints[name]])
        shape = (len(paper.starts), len(SITUATIONS), len(KNOWLEDGE))
        number = math.prod(shape)
        drawn = np.sort(random.choice(number, min(number, _MAX_LISTS), replace=False))
        places, situations, known = np.unravel_index(drawn, shape)
        candidates = {at: evidence.of(paper, KNOWLEDGE[at]) for at in sorted({*known.tolist()})}
        found = (
            CitingList.of(candidates[at](place, SITUATIONS[one]), paper.cited[place], random)
            for place, one, at in zip(places.tolist(), situations, known.tolist(), strict=True)
        )
        yield Lists(name, tuple(found))


def papers_to_learn_from(collection: Collection) -> tuple[str, ...]:
    """Return the ids of the papers with enough references in the collection for training."""
    return tuple(
        name
        for name, paper in collection.papers.items()
        if len(candidates_of(collection, paper)) >= MIN_TRAINING_REFERENCES
    )


def learned_ranks(
    evidence: CollectionEvidence,
    names: Sequence[str],
    model: LearnedModel | None = None,
) -> list[Ranks]:
    """Rank at all groups of papers: for each, a line for each of `SITUATIONS` and `KNOWLEDGE`."""
    models = dict.fromkeys(names, model) if model else trained_by_folds(evidence, names)

    def ranks_of(paper: CitingPaper) -> Iterator[list[int]]:
        known = [evidence.of(paper, knows) for knows in KNOWLEDGE]
        for situation, features_at in product(SITUATIONS, known):
            ranks: list[int] = []
            for group, cited in enumerate(paper.cited):
                found = features_at(group, situation)
                scores = np.full(len(paper.candidates), -np.inf)
                scores[found.positions] = models[paper.id].scores(found)
                ranks += (np.argsort(np.argsort(-scores, kind="stable"))[list(cited)] + 1).tolist()
            yield ranks

    steps = tracked(names, "Ranking with the trained models", len(names))
    return [np.asarray(list(ranks_of(evidence.citing(name))), np.int32) for name in steps]


def trained_by_folds(evidence: CollectionEvidence, tests: Ids[str]) -> dict[str, LearnedModel]:
    """Return a model for each test paper, trained on the papers of the other folds."""
    names = tuple(dict.fromkeys((*tests, *papers_to_learn_from(evidence.collection))))
    dealt = folds_of(evidence, names, frozenset(tests), FOLDS)
    read = lists_of_papers(evidence, names)
    lists = list(tracked(read, "Reading papers for training", len(names)))
    models = [
        train([own for own in lists if own.lists and dealt[own.name] != fold])
        for fold in range(max(dealt.values()) + 1)
    ]
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
