"""The works around the bibliography of a draft, ranked in one list with it.

The author does not have them: they are in the reference lists of the bibliography's papers, or
were fetched from services. A suggested work gets a key in the style of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ..discovery import order
from ..discovery.neighbours import (
    OWN_FIELDS,
    Neighbour,
    neighbourhood,
    neighbours_path,
    read_neighbours,
)
from ..edits.new_keys import Manner, manner_of, own_key
from ..enrichment.plans import places
from ..enrichment.records import answered_record, look_up_name
from ..model.contexts import CitationContext
from ..model.fetched import CITED_BY as COUNT
from ..model.papers import BibEntry, Candidate
from ..model.results import RankedEntry, SupportingSentence
from ..parsing.paths import file_stamp
from .open_draft import Place
from .search import matching_names, searchable

if TYPE_CHECKING:
    from ..library.library import Linked
    from ..recommend import Recommender

#: Where a draft's own title is: in the front of its file, or behind a long preamble, after what
#: declares it.
_FRONT_CHARACTERS: Final = 5_000
_TITLE: Final = re.compile(
    r"(?:\\(?:the|thesis|doc|paper)?title\s*[\[{]|^[^\w\n]{0,9}title\W{0,3}[:=]).{0,400}",
    re.I | re.M | re.S,
)
#: Fields left out of an entry that the author adds: long ones, and those for our own use.
_NOT_COPIED: Final = frozenset(("abstract", *OWN_FIELDS))


def around(place: Place) -> Around:
    """Return the works around a draft, from its papers as far as they are read."""
    workspace, draft, bibliography = place.workspace, place.draft, place.bibliography
    index = workspace.caches.index.path
    path = None if index is None else neighbours_path(index, draft.root)
    linked = workspace.linked(draft)
    stamp = None if path is None else file_stamp(path)
    state = id(bibliography.entries), len(linked.papers), stamp
    before, found = workspace.caches.around.get(draft.root, (None, None))
    if found is None or before != state:
        # An open draft would keep its recommender in memory.
        place = Place(workspace, draft, bibliography)
        # The author may choose a work of a list that was shown before another paper was read.
        names = {} if found is None else found.names
        found = Around(place, partial(_neighbours, place, linked, path), names)
        workspace.caches.around[draft.root] = state, found
    made: Around = found
    return made


def _neighbours(place: Place, linked: Linked, path: Path | None) -> Iterable[Neighbour]:
    draft = place.draft
    fetched = () if path is None else read_neighbours(path)
    texts = [each.text for each in (*draft.files, *draft.others)]
    titles = (found for text in texts for found in _TITLE.findall(text))
    front = "\n".join((texts[0][:_FRONT_CHARACTERS], *titles))
    return neighbourhood(place.bibliography.entries.values(), linked.references(), fetched, front)


def suggested(place: Place) -> Around | None:
    """Return the works around a draft, if any were suggested; never waits."""
    found: Around | None = place.workspace.caches.around.get(place.draft.root, (None, None))[1]
    return found


def _number(value: str) -> float:
    """Return a number that a field has; NaN for another value."""
    return float(value) if value.isascii() and value.isdecimal() else np.nan


class Around:
    """Works that a draft does not have, ranked in one list with its bibliography."""

    def __init__(
        self,
        place: Place,
        neighbours: Callable[[], Iterable[Neighbour]],
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Store a draft, a function that finds the works when they are needed, and their names."""
        self._place, self._bibliography = place, place.bibliography
        self._find = neighbours
        #: The keys under which works are suggested.
        taken = self._bibliography.entries
        self.names = {key: name for key, name in names.items() if name not in taken}
        self._named = {name: key for key, name in self.names.items()}

    @cached_property
    def neighbours(self) -> Mapping[str, Neighbour]:
        """The works, each by a key that the draft does not have."""
        taken = self._bibliography.entries
        return {each.entry.key: each for each in self._find() if each.entry.key not in taken}

    @cached_property
    def recommender(self) -> Recommender:
        """A recommender over them and the bibliography."""
        found = {key: each.entry for key, each in self.neighbours.items()}
        every = replace(self._bibliography, entries={**self._bibliography.entries, **found})
        return self._place.workspace.recommender(self._place.draft, every)

    def ranked(
        self, context: CitationContext, top: int | None, typed: str = ""
    ) -> list[RankedEntry]:
        """Return the works that fit a context best, under new keys; with all words `typed`.

        The first reason is how they are connected. A retracted work is never first.
        """
        found = self.neighbours
        if not found:
            return []
        recommender = self.recommender
        ranking = recommender.rank(context)
        # The candidates are the bibliography and, behind it, the neighbours.
        first = len(self._bibliography.entries)
        connections, age, cited, retracted = self._facts
        here = self._connected_with(self._cited_around(context))
        known = order.facts(connections, here, age, cited)
        scores = order.scores(ranking.scores[first:], known)
        best = np.lexsort((-scores, retracted))
        if typed:
            best = best[self._having(typed)[best]]
        best = best[:top].tolist()
        explained = recommender.explain(context, [ranking.at(first + at) for at in best])
        return [
            self._renamed(replace(each, score=float(scores[at])), found[each.key])
            for each, at in zip(explained, best, strict=True)
        ]

    def _having(self, typed: str) -> npt.NDArray[np.bool_]:
        """Return which neighbours have all words typed, also in the keys that were suggested."""
        *_, found = searchable(self.recommender).masks(typed)
        known = {self._named[name] for name in matching_names(typed, "", self._named) if name}
        named = np.fromiter((key in known for key in self.neighbours), np.bool_)
        return found[len(self._bibliography.entries) :] | named

    @cached_property
    def _manner(self) -> Manner:
        return manner_of(self._bibliography.entries)

    @cached_property
    def _facts(self) -> tuple[order.Floats, order.Floats, order.Floats, npt.NDArray[np.bool_]]:
        """With how many works each is connected, its age, how often it is cited, if retracted."""
        found = [*self.neighbours.values()]
        every = (*self._bibliography.entries.values(), *(each.entry for each in found))
        newest = max((_number(entry.year) for entry in every if entry.year), default=np.nan)
        age = newest - np.array([_number(each.entry.year) for each in found])
        cited = np.array([_number(each.entry.fields.get(COUNT, "")) for each in found])
        connections = np.array([len(each.connected) for each in found], np.float64)
        retracted = np.array([each.is_retracted for each in found], np.bool_)
        return connections, age, cited / order.CITED_BY_ALL, retracted

    def _cited_around(self, context: CitationContext) -> set[str]:
        """Return the keys of the entries that the paragraph of a context cites."""
        keys = (
            () if context.place is None else context.place.text.cited_around(context.place.offset)
        )
        return {name for key in keys if (name := self._bibliography.key_of(key)) is not None}

    @cached_property
    def _neighbours_of(self) -> Mapping[str, list[int]]:
        """The numbers of the neighbours with which each of the author's works is connected."""
        found: dict[str, list[int]] = {}
        for number, each in enumerate(self.neighbours.values()):
            for key in each.connected:
                found.setdefault(key, []).append(number)
        return found

    def _connected_with(self, keys: set[str]) -> order.Floats:
        """Return with how many of some works each neighbour is connected."""
        numbers = [number for key in keys for number in self._neighbours_of.get(key, ())]
        return np.bincount(numbers, minlength=len(self.neighbours)).astype(np.float64)

    def _renamed(self, ranked: RankedEntry, neighbour: Neighbour) -> RankedEntry:
        entry = neighbour.entry
        if (name := self.names.get(entry.key)) is None:
            name = own_key(self._manner.key(entry), {*self._bibliography.entries, *self._named})
            self.names[entry.key], self._named[name] = name, entry.key
        reasons = (neighbour.reason, *ranked.reasons)
        return replace(ranked, candidate=self._candidate(name), reasons=reasons)

    def _candidate(self, key: str) -> Candidate:
        known = self._named[key]
        entry = replace(self.neighbours[known].entry, key=key)
        return replace(self.recommender.candidates[known], key=key, entry=entry)

    def _found(self, key: str) -> Neighbour | None:
        return self.neighbours.get(self._named.get(key, ""))

    def candidate(self, key: str) -> Candidate | None:
        """Return a work that was suggested under a key."""
        return None if self._found(key) is None else self._candidate(key)

    def look_up_name(self, key: str) -> str:
        """Return by what to look up a work that only reference lists describe; "" for others."""
        found = self._found(key)
        return look_up_name(found.entry) if found is not None and found.is_only_listed else ""

    def record(self, key: str) -> BibEntry | None:
        """Return the record of such a work, if services have answered for it."""
        found = self._found(key)
        if found is None or not self.look_up_name(key):
            return None
        return answered_record(found.entry, places()[1])

    def entry(self, key: str) -> BibEntry | None:
        """Return the entry of a work that was suggested under a key, for a bibliography."""
        if (found := self._found(key)) is None:
            return None
        entry = self.record(key) or found.entry
        # A DOI leads to the publisher's page; a service's address is of some copy.
        left_out = {*_NOT_COPIED, *(("url",) if entry.doi else ())}
        fields = {name: value for name, value in entry.fields.items() if name not in left_out}
        return replace(entry, key=key, source=fields)

    def supporting(self, context: CitationContext, key: str) -> list[SupportingSentence]:
        """Return the sentences of the abstract that support a context."""
        found = self._found(key)
        return [] if found is None else self.recommender.supporting(context, found.entry.key)
