"""Citation resolution (Duma and Klein 2014, sections 3 to 5): recover removed references.

For each test paper, the papers of the collection that it lists are the candidates. All its
citations become placeholders; adjacent ones form one group with one context. A group with n
resolvable references is resolved, for all of them, when any is among the first n.

The representations of Table 1 have the names that commands use: ``full-text``, ``title-abstract``,
``passage-350``; ``inlink-20``, or ``inlink-10-5`` for unequal sides; and
``mixed-inlink-20-passage-350`` for one of the latter joined with one of the former.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Ids
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from pincite.contexts.inlinks import paper_contexts
from pincite.contexts.windows import words_after, words_before
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import Candidate, InlinkContext, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.representations import external
from pincite.representations import internal as internals
from pincite.representations.mixed import Representation
from pincite.settings import Window

if TYPE_CHECKING:
    from ..collection import Collection, CollectionPaper

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

    def words(self, window: Window) -> tuple[str, ...]:
        """Return the words of the context in a window."""
        return (*(self.left[-window.left :] if window.left else ()), *self.right[: window.right])


@dataclass(frozen=True, slots=True)
class PaperUnderTest:
    """A paper under test: its candidates in the order of their ids, and its groups."""

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
    markers = {at: list(own) for at, own in groupby(paper.markers, lambda each: each.sentence)}
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
    collection: Collection, listed: Sequence[tuple[int, str]] | None, source: Path | None
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the ids of the test papers, by default all papers, and the problems."""
    if listed is None:
        return tuple(sorted(collection.papers)), ()
    ids: dict[str, None] = {}
    problems: list[Problem] = []
    for line, name in listed:
        if name not in collection.papers:
            problems.append(Problem(source, line, f"{name} is not a paper of the collection"))
        elif name in ids:
            problems.append(Problem(source, line, f"{name} is listed twice"))
        else:
            ids[name] = None
    return tuple(ids), tuple(problems)


def inlink_contexts(
    collection: Collection, cited: Ids[str], left_out: Ids[str], widest: Window
) -> dict[str, tuple[InlinkContext, ...]]:
    """Return the contexts in which papers, except those `left_out`, cite some papers."""
    found: dict[str, list[InlinkContext]] = {name: [] for name in cited}
    for paper in collection.papers.values():
        if paper.id not in left_out:
            for reference, context in paper_contexts(paper.paper, paper.id, widest):
                link = paper.links[reference]
                if link in found and link != paper.id:
                    found[link].append(context)
    return {name: tuple(contexts) for name, contexts in found.items()}


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


_INTERNAL: dict[str, internals.Internal] = {
    "full-text": internals.full_text,
    "title-abstract": internals.title_abstract,
}


@dataclass(frozen=True, slots=True)
class NamedRepresentation:
    """A representation: the name of its internal part, the window of its external one."""

    name: str
    internal: str | None
    window: Window | None

    @property
    def representation(self) -> Representation:
        """The functions for internal and external bags."""
        inside: internals.Internal = internals.nothing
        if self.internal is not None:
            length = self.internal.removeprefix("passage-")
            inside = _INTERNAL.get(length) or internals.passages(int(length))
        outside = external.nothing if self.window is None else external.inlink_contexts(self.window)
        return Representation(inside, outside)


def named(name: str) -> NamedRepresentation:
    """Return the representation with a name; raise `InputError` for an unknown name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            f"{name or 'an empty name'} is not a representation; examples are {TABLE_1[0]}, "
            f"{TABLE_1[1]}, {TABLE_1[2]}, inlink-20, inlink-10-5, {TABLE_1[-1]}"
        )
    inside, outside = match["inside"] or match["with"], match["outside"] or match["both"]
    if outside is None:
        return NamedRepresentation(name, inside, None)
    sides = [int(side) for side in outside.split("-")[1:]]
    return NamedRepresentation(name, inside, Window(sides[0], sides[-1]))


def window(written: str) -> Window:
    """Parse a window such as ``20,20``; raise `InputError` if it is not one."""
    match = _WINDOW.fullmatch(written.strip())
    if match is None or (match["left"], match["right"]) == ("0", "0"):
        raise InputError(f"{written} is not a window; write the words left and right as in 20,20")
    return Window(int(match["left"]), int(match["right"]))
