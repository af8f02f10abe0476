"""The inlink graph: which papers and other drafts cite which entries, and in what words.

Who cites an entry is held in memory; the words are read when somebody looks at the entry.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter

from ..model.papers import CitingPaper, InlinkContext, InlinkContexts, Reference
from ..settings import Window
from .paper_codec import dump_contexts, load_contexts
from .same_work import WorkMatcher

#: The words left and right of a citation.
Words = tuple[tuple[str, ...], tuple[str, ...]]
#: Contexts with their places in the paper or draft they stand in.
Placed = Iterable[tuple[int, InlinkContext]]

#: Entries whose contexts are held in memory.
_ENTRIES_HELD = 32


@dataclass(frozen=True, slots=True)
class CitingSource:
    """A paper or draft that cites entries, under the name it is known by.

    `cited` are the indices of its references that are entries, with their keys, and `contexts`
    reads what it says about some of them, in order. `own_key` is the source's own entry, where it
    has one: a work is no inlink of itself.
    """

    name: str
    cited: Sequence[tuple[int, str]]
    contexts: Callable[[Sequence[int]], Placed]
    own_key: str | None = None


def cited_entries(
    references: Sequence[Reference], cited: Iterable[int], works: WorkMatcher
) -> tuple[tuple[int, str], ...]:
    """Return those of the references `cited` that are entries, with their keys."""
    found = ((number, references[number]) for number in cited)
    keyed = ((number, works.find(each, each.label)) for number, each in found)
    return tuple((number, key) for number, key in keyed if key is not None)


def held_packed(citing: CitingPaper) -> Callable[[Sequence[int]], Placed]:
    """Return a reader of the contexts of a source that is in no index: packed, in memory."""
    return partial(_unpacked, dump_contexts(citing))


def _unpacked(packed: Mapping[int, bytes], references: Sequence[int]) -> Placed:
    said: list[tuple[int, InlinkContext]] = []
    for number in references:
        # A paragraph of many megabytes, said with each of its thousands of citations, is too much.
        with suppress(ValueError):
            said += load_contexts(packed[number])
    return sorted(said, key=itemgetter(0))


class Inlinks(Mapping[str, InlinkContexts]):
    """The inlink contexts of every entry that is cited, by key, cut to a window.

    A context that several sources share (a paper and its preprint) counts once. Contexts in
    `left_out` do not count, because a copy of the current draft is no other draft; they are given
    by the hashes of their `Words`, uncut. An entry may be left with none.
    """

    def __init__(
        self, sources: Iterable[CitingSource], window: Window, left_out: Collection[int] = ()
    ) -> None:
        self._sources: list[CitingSource] = []
        #: For each key the numbers of sources, each followed by the index of a reference there.
        self._places: dict[str, array[int]] = {}
        for number, source in enumerate(sources):
            self._sources.append(replace(source, cited=()))
            for reference, key in source.cited:
                if key != source.own_key:
                    self._places.setdefault(key, array("i")).extend((number, reference))
        # Not a method of this object: the cache would keep it alive.
        self._read = lru_cache(_ENTRIES_HELD)(
            partial(_gathered, self._sources, self._places, window, left_out)
        )

    def __getitem__(self, key: str) -> InlinkContexts:
        places = self._places[key]
        names = frozenset(self._sources[number].name for number in places[::2])
        return InlinkContexts(partial(self._read, key), names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _gathered(
    sources: Sequence[CitingSource],
    places: Mapping[str, array[int]],
    window: Window,
    left_out: Collection[int],
    key: str,
) -> tuple[InlinkContext, ...]:
    gathered: dict[Words, InlinkContext] = {}
    flat = iter(places[key])
    for number, pairs in groupby(zip(flat, flat, strict=True), key=itemgetter(0)):
        source = sources[number]
        for _, context in source.contexts([reference for _, reference in pairs]):
            if left_out and hash((context.left, context.right)) in left_out:
                continue
            left = context.left[-window.left :] if window.left else ()
            right = context.right[: window.right]
            if (left, right) not in gathered:
                gathered[left, right] = InlinkContext(
                    source.name, left, right, context.citance, context.page
                )
    return tuple(gathered.values())
