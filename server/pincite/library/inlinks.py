"""The inlink graph: which papers and other drafts cite which entries, and in what words.

Which entries a paper or draft cites is cached until an entry changes (`Links`), and the contexts of
drafts until a file of the draft changes (`citing_drafts`). The graph is held in memory; the words
are loaded when an entry is looked up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from ..contexts.inlinks import citing_paper
from ..contexts.windows import words_after, words_before
from ..model.drafts import Draft
from ..model.fetched import CITING, read_citing
from ..model.papers import BibEntry, CitingPaper, InlinkContext, Lazy, Reference
from ..model.problems import InputError
from ..parsing.paths import Stamp, file_stamp
from ..settings import STORED_WINDOW, Window
from ..text.characters import letters_of
from ..text.markers import blanked, marker_spans
from ..text.tokens import words
from .index import SETTLED_NS, PaperIndex
from .same_work import WorkMatcher
from .same_work.titles import name_words, same_name
from .stored import CONTEXTS, DRAFT, LinkedPaper, Name, Placed, packed_contexts, unpacked

#: The words left and right of a citation.
Words = tuple[tuple[str, ...], tuple[str, ...]]
#: The inlink contexts of the entries that have some, by key.
Inlinks = Mapping[str, Sequence[InlinkContext]]
#: Reads the draft with this main file and its entries by key; None if the file is not a main file.
ReadDraft = Callable[[Path], tuple[Draft, Mapping[str, BibEntry]] | None]

#: Entries whose contexts are cached in memory.
_ENTRIES_HELD = 32


@dataclass(frozen=True, slots=True)
class CitingSource:
    """A paper or draft: which of its references are entries, and what reads their contexts."""

    name: str
    cited: Sequence[tuple[int, str]]
    contexts: Callable[[Sequence[int]], Placed]
    own_key: str | None = None


def inlinks_from(
    sources: Iterable[CitingSource],
    window: Window,
    left_out: Callable[[], Collection[int]] = frozenset,
) -> Inlinks:
    """Return the inlink contexts of every cited entry, cut to a window, each distinct one once.

    Those whose hashes of `Words` `left_out` returns are of the current draft, or of a copy; it is
    called when contexts are read.
    """
    held: list[CitingSource] = []
    #: For each key, pairs of a source's number and the index of one of its references.
    places: dict[str, list[tuple[int, int]]] = {}
    for number, source in enumerate(sources):
        held.append(replace(source, cited=()))
        for reference, key in source.cited:
            if key != source.own_key:
                places.setdefault(key, []).append((number, reference))
    read = lru_cache(_ENTRIES_HELD)(partial(_gathered, held, places, window, left_out))
    return {key: Lazy(partial(read, key)) for key in places}


def _gathered(
    sources: Sequence[CitingSource],
    places: Mapping[str, Sequence[tuple[int, int]]],
    window: Window,
    left_out: Callable[[], Collection[int]],
    key: str,
) -> tuple[InlinkContext, ...]:
    own = left_out()
    gathered: dict[Words, InlinkContext] = {}
    for number, pairs in groupby(places[key], key=itemgetter(0)):
        source = sources[number]
        for _, context in source.contexts([reference for _, reference in pairs]):
            if hash((context.left, context.right)) in own:
                continue
            left = context.left[-window.left :] if window.left else ()
            right = context.right[: window.right]
            if (left, right) not in gathered:
                cut = replace(context, citing_paper=source.name, left=left, right=right)
                gathered[left, right] = cut
    return tuple(gathered.values())


def held_packed(citing: CitingPaper) -> Callable[[Sequence[int]], Placed]:
    """Return a reader for the contexts of a source outside the index, packed in memory."""
    held = packed_contexts(citing)

    def contexts(references: Sequence[int]) -> Placed:
        found: Placed = []
        for number in references:
            # Skip contexts that are too long: a huge paragraph, repeated for many citations.
            with suppress(ValueError):
                placed = unpacked(CONTEXTS, held[number])
                found += placed
        return sorted(found, key=itemgetter(0))

    return contexts


# Which entries are cited


def cited_entries(
    references: Sequence[Reference], cited: Iterable[int], works: WorkMatcher
) -> tuple[tuple[int, str], ...]:
    """Return those of the references `cited` that are entries, with their keys."""
    found = ((number, references[number]) for number in cited)
    keyed = ((number, works.find(each, each.label)) for number, each in found)
    return tuple((number, key) for number, key in keyed if key is not None)


class Links:
    """The cached links of papers and drafts to entries, of which `state` is a digest."""

    def __init__(self, index: PaperIndex, bibliography: str = "", state: str = "") -> None:
        self._index, self._bibliography, self._state = index, bibliography, state
        self._known = index.links(bibliography, state) if state else {}

    def known(self, path: Path, name: Name) -> LinkedPaper | None:
        """Return the stored links of a file with this name in the index, if there are any."""
        linked = self._known.get(path)
        return linked if linked is not None and linked.name == name else None

    def store(self, found: Mapping[Path, LinkedPaper]) -> None:
        """Store the links of files."""
        if self._state and found:
            self._index.put_links(self._bibliography, self._state, found)

    def of_draft(self, path: Path, citing: CitingPaper, works: WorkMatcher) -> LinkedPaper:
        """Return which entries a draft cites, in the files of it that are left."""
        cited = dict.fromkeys(number for number, _ in citing.contexts)
        graph = repr((citing.references, tuple(cited))).encode("utf-8", "replace")
        name = (blake2b(graph, digest_size=20).hexdigest(), DRAFT)
        linked = self.known(path, name)
        if linked is None:
            entries = cited_entries(citing.references, cited, works)
            linked = LinkedPaper(name, None, entries, len(citing.contexts))
            self.store({path: linked})
        return linked


# Other drafts


def citing_drafts(
    paths: Iterable[Path],
    read: ReadDraft,
    index: PaperIndex,
    *,
    left_out: Collection[Path] = (),
    unsaved: Collection[Path] = (),
) -> Iterator[tuple[Path, CitingPaper]]:
    """Yield the drafts that cite anything; each file counts once."""
    seen = set(left_out)
    for path in paths:
        if path in seen:
            continue
        known = index.citing_draft(path)
        has_changed = known is None or any(file_stamp(p) != s for p, s in known[0].items())
        if known is None or has_changed or not known[0].keys().isdisjoint(unsaved):
            known = _read_citing_draft(path, read)
            if known[0].keys().isdisjoint(unsaved):
                index.put_citing_draft(path, *known)
        stamps, citing = known
        names = {str(path) for path in seen}
        contexts = tuple(c for c in citing.contexts if c[1].citing_paper not in names)
        if contexts:
            seen.update(stamps)
            yield path, replace(citing, contexts=contexts)


def _read_citing_draft(root: Path, read: ReadDraft) -> tuple[dict[Path, Stamp], CitingPaper]:
    """Read a draft; return its inputs with their stamps, and its contexts."""
    started = time.time_ns()
    inputs, citing = [root], CitingPaper()
    with suppress(InputError):
        if (found := read(root)) is not None:
            citing = citing_paper(*found, STORED_WINDOW)
            inputs += sorted(found[0].own_paths)
            inputs += (source.path for source in found[0].bibliographies)
    stamps = {path: file_stamp(path) for path in inputs}
    for path, stamp in stamps.items():
        # The stamp of a file that may be changing never matches.
        if stamp is not None and stamp[0] > started - SETTLED_NS:
            stamps[path] = None
    return stamps, citing


# Citing sentences that were fetched from the network


def fetched_sources(
    fallbacks: Mapping[str, Sequence[BibEntry]], known: Collection[str] = ()
) -> Iterator[CitingSource]:
    """Yield the works that cite entries, by what was fetched, but for those with `known` titles."""
    left_out = set(map(letters_of, known))
    #: By title, what is cited there: the key of an entry, the sentence, and its first author.
    by_title: dict[str, list[tuple[str, str, str]]] = {}
    for key, others in fallbacks.items():
        for other in others:
            surname = next(iter(name_words(other.surnames[:1])), "")
            for title, sentences in read_citing(other.fields.get(CITING, "")):
                if letters_of(title) not in left_out:
                    found = ((key, sentence, surname) for sentence in sentences)
                    by_title.setdefault(title, []).extend(found)
    for title, cited in sorted(by_title.items()):
        keys = [(number, key) for number, (key, _, _) in enumerate(cited)]
        yield CitingSource(title, keys, partial(_fetched_contexts, title, cited))


def _fetched_contexts(
    title: str, cited: Sequence[tuple[str, str, str]], references: Sequence[int]
) -> Placed:
    return [(number, _fetched_context(title, *cited[number][1:])) for number in sorted(references)]


def _fetched_context(title: str, sentence: str, surname: str) -> InlinkContext:
    """Return a sentence as the context of the marker with a surname, else the first one."""
    spans = marker_spans(sentence)
    text = blanked(sentence, spans)
    if not spans:
        all_words = tuple(words(text))
        half = (len(all_words) + 1) // 2
        return InlinkContext(title, all_words[:half], all_words[half:], sentence)
    last = surname.rpartition(" ")[2]
    naming = (
        (start, end)
        for start, end in spans
        if last and any(same_name(last, word) for word in name_words(sentence[start:end].split()))
    )
    start, end = next(naming, spans[0])
    left = words_before(text, start, STORED_WINDOW.left)
    return InlinkContext(title, left, words_after(text, end, STORED_WINDOW.right), sentence)
