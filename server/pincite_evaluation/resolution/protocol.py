"""Citation resolution (Duma and Klein 2014, sections 3 to 5): recover removed references.

For each test paper, the papers of the collection that it lists are the candidates. All its
citations become placeholders; adjacent ones form one group with one context. A group with n
resolvable references is resolved, for all of them, when any is among the first n.
"""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from pincite.contexts.inlinks import paper_contexts
from pincite.contexts.windows import words_after, words_before
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import Candidate, InlinkContext, ReferencePaper
from pincite.model.problems import Problem
from pincite.settings import Window

if TYPE_CHECKING:
    from ..collection import Collection
    from ..corpora.papers import CollectionPaper

MIN_REFERENCES = 8
#: The text allowed between adjacent citations.
_SUCCESSION = regex.compile(r"[\s()\[\]{};,&]*+")


@dataclass(frozen=True, slots=True)
class Group:
    """Adjacent citations: the words around them, and the distinct papers they cite.

    `left` and `right` are as long as the widest window; only citations of candidates count.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    cited: tuple[str, ...]

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
    listed = {link for link in paper.links if link in collection.papers}
    return tuple(sorted(listed - {paper.id}))


def papers_under_test(
    collection: Collection, ids: Iterable[str], widest: Window, min_references: int
) -> Iterator[PaperUnderTest]:
    """Yield the papers under test that list at least `min_references` papers of the collection."""
    for paper in (collection.papers[name] for name in ids):
        candidates = candidates_of(collection, paper)
        if candidates and len(candidates) >= min_references:
            groups = tuple(_groups(paper, frozenset(candidates), widest))
            yield PaperUnderTest(paper.id, paper.paper.title, candidates, groups)


def chosen_papers(
    collection: Collection, listed: Sequence[tuple[int, str]] | None, source: Path | None
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the ids of the test papers, by default all papers, and the problems.

    `listed` are ids with the lines of the `source` that lists them.
    """
    if listed is None:
        return tuple(sorted(collection.papers)), ()
    ids: dict[str, None] = {}
    problems: list[Problem] = []
    for line, name in listed:
        if name not in collection.papers:
            problems.append(Problem(source, line, f"{name} is not a paper of the collection"))
        elif name in ids:
            problems.append(Problem(source, line, f"{name} is listed twice"))
        ids.setdefault(name)
    return tuple(name for name in ids if name in collection.papers), tuple(problems)


def inlink_contexts(
    collection: Collection, cited: Ids[str], left_out: Ids[str], widest: Window
) -> dict[str, list[InlinkContext]]:
    """Return the contexts in which papers, except those `left_out`, cite some papers."""
    found: dict[str, list[InlinkContext]] = {}
    for paper in collection.papers.values():
        if paper.id in left_out:
            continue
        for reference, context in paper_contexts(paper.paper, paper.id, widest):
            link = paper.links[reference]
            if link in cited and link != paper.id:
                found.setdefault(link, []).append(context)
    return found


def candidates(
    collection: Collection, tests: Sequence[PaperUnderTest], left_out: Ids[str], widest: Window
) -> dict[str, Candidate]:
    """Return the candidates of all test papers by id, with the inlink contexts of each.

    Papers `left_out` provide no inlink contexts.
    """
    names = sorted({name for test in tests for name in test.candidates})
    contexts = inlink_contexts(collection, frozenset(names), left_out, widest)
    return {
        name: Candidate(
            name, collection.papers[name].paper, inlink_contexts=tuple(contexts.get(name, ()))
        )
        for name in names
    }


def _groups(paper: CollectionPaper, candidates: Ids[str], widest: Window) -> Iterator[Group]:
    prose, marks = _prose(paper.paper)
    for succession, cited in _cited_together(paper, candidates, prose, marks):
        first, last = marks[succession[0]][0], marks[succession[-1]][0]
        yield Group(
            words_before(prose, first, widest.left),
            words_after(prose, last + 1, widest.right),
            cited,
        )


def groups_of_markers(
    paper: CollectionPaper, candidates: Ids[str]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each group of a paper: the number of its first marker, and the candidates it cites.

    Markers are numbered in reading order, without those that refer to nothing.
    """
    prose, marks = _prose(paper.paper)
    numbers = [number for number, (_, references) in enumerate(marks) if references]
    numbered = {number: at for at, number in enumerate(numbers)}
    for succession, cited in _cited_together(paper, candidates, prose, marks):
        yield next(numbered[number] for number in succession if number in numbered), cited


_Marks = list[tuple[int, tuple[int, ...]]]


def _cited_together(
    paper: CollectionPaper, candidates: Ids[str], prose: str, marks: _Marks
) -> Iterator[tuple[list[int], tuple[str, ...]]]:
    """Yield the numbers of adjacent marks with the candidates that they cite."""
    for succession in _successions(prose, [place for place, _ in marks]):
        references = (reference for number in succession for reference in marks[number][1])
        links = (paper.links[reference] for reference in references)
        cited = tuple(dict.fromkeys(link for link in links if link in candidates))
        if cited:
            yield succession, cited


def _prose(paper: ReferencePaper) -> tuple[str, _Marks]:
    """Return a paper's text with every citation as a mark, and the marks with their references."""
    parts: list[str] = []
    marks: _Marks = []
    length = number = 0
    for index, sentence in enumerate(paper.sentences):
        last = 0
        while number < len(paper.markers) and paper.markers[number].sentence == index:
            marker = paper.markers[number]
            piece = sentence.text[last : marker.start]
            marks.append((length + len(piece), marker.references))
            parts += (piece, CITATION_MARK)
            length += len(piece) + 1
            last, number = marker.end, number + 1
        parts += (sentence.text[last:], " ")
        length += len(sentence.text) - last + 1
    return "".join(parts), marks


def _successions(prose: str, places: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of the marks of each run of adjacent ones."""
    group: list[int] = []
    for number, place in enumerate(places):
        if group and _SUCCESSION.fullmatch(prose, places[number - 1] + 1, place) is None:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
