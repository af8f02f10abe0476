"""The inlink graph: which papers and other drafts cite which entries, and in what words.

The graph is held in memory; the words are loaded when an entry is looked up.
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
#: Contexts with their positions in the citing paper or draft.
Placed = Iterable[tuple[int, InlinkContext]]

#: Entries whose contexts are cached in memory.
_ENTRIES_HELD = 32


@dataclass(frozen=True, slots=True)
class CitingSource:
    """A paper or draft that cites entries, with its display name.

    `cited` are the indices of its references that are entries, with their keys, and `contexts`
    reads the contexts of some of them, in order. `own_key` is the key of the source's own entry,
    if it has one: a work is not an inlink of itself.
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
    """Return a reader for the contexts of a source outside the index, packed in memory."""
    return partial(_unpacked, dump_contexts(citing))


def _unpacked(packed: Mapping[int, bytes], references: Sequence[int]) -> Placed:
    contexts: list[tuple[int, InlinkContext]] = []
    for number in references:
        # Skip contexts that are too long: a huge paragraph, repeated for thousands of citations.
        with suppress(ValueError):
            contexts += load_contexts(packed[number])
    return sorted(contexts, key=itemgetter(0))


class Inlinks(Mapping[str, InlinkContexts]):
    """The inlink contexts of every cited entry by key, cut to a window.

    A context that several sources share (a paper and its preprint) counts once. Contexts in
    `left_out`, given by the hashes of their uncut `Words`, do not count: they are those of the
    current draft, of which there may be a copy. An entry may have no contexts left.
    """

    def __init__(
        self, sources: Iterable[CitingSource], window: Window, left_out: Collection[int] = ()
    ) -> None:
        self._sources: list[CitingSource] = []
        #: For each key, pairs of a source's number and the index of one of its references.
        self._places: dict[str, array[int]] = {}
        for number, source in enumerate(sources):
            self._sources.append(replace(source, cited=()))
            for reference, key in source.cited:
                if key != source.own_key:
                    self._places.setdefault(key, array("i")).extend((number, reference))
        # Not a cached method, as the cache would keep this object alive.
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
