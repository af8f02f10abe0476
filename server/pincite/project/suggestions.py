"""What is suggested at a place: the draft's own entries, and those of the author's library.

Entries of the library follow the draft's own. Only one that is probably cited here stands among the
first five; the first place is always the draft's own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ..model.problems import InputError
from ..model.zotero import is_from_zotero
from ..settings import MIXED_RANKER
from .git import line_times
from .search import search

if TYPE_CHECKING:
    from ..model.contexts import CitationContext
    from ..model.results import RankedEntry
    from ..ranking.base import Ranking
    from ..recommend import Recommender
    from .open_draft import OpenDraft
    from .project import Project

#: Returns when an entry was added, as `BibEntry.added`; "" if that is not known.
Added = Callable[["RankedEntry"], str]
#: After every time: what git does not have yet was written last.
_NOT_COMMITTED: Final = "9999"
#: An entry of the library precedes one of the draft if the probability that it is cited here is at
#: least the fair share of one of five rows, and higher than the other's.
FIRST_ROWS: Final = 5
_LEAST: Final = 1.0 / FIRST_ROWS
#: How many of the library's works are considered: those that come first by the text alone.
_LOOKED_AT: Final = 50


class Suggestion(NamedTuple):
    """A ranked entry; `is_new`: it is one of the library, which the draft lacks."""

    entry: RankedEntry
    is_new: bool


def suggestions(
    project: Project,
    opened: OpenDraft,
    context: CitationContext,
    *,
    most: int,
    for_library: int,
    typed: str = "",
    taken: Collection[str] = (),
    explained: bool = True,
    newest: bool = False,
) -> list[Suggestion]:
    """Return what is suggested at a place, in order and `explained`, without the keys `taken`.

    Without `typed` text these are up to `most` entries, of which `for_library` places are for
    fitting entries of the library. With it, they are up to `most` matches in the draft, then in the
    library. The library is left out until it has been read. With `newest`, those that the author
    added last come first, whether they fit or not.
    """
    own, library = opened.recommender, project.global_library.recommender()
    added = _times(opened) if newest else None
    ranked = _found(own, own.rank(context, library), typed, taken, added)
    first = list(islice(ranked, most))
    more: list[RankedEntry] = []
    # Cosines do not show how probable a citation is, and unread entries have no score yet.
    # The settings may have changed since one of them was made.
    rankers = {each.settings.ranking.ranker for each in (own, library) if each is not None}
    is_comparable = MIXED_RANKER not in rankers and own.extent != "keys" and not newest
    if library is not None:
        by_field = _added if newest else None
        ranked = _found(library, library.rank(context, own), typed, taken, by_field)
        if not typed:
            fitting = takewhile(lambda entry: newest or entry.score > 0.0, ranked)
            # Proceedings are in a library for the sake of their parts.
            ranked = (e for e in fitting if not project.global_library.is_parent(e.key))
            if is_comparable:
                ranked = iter(own.of_library(context, islice(ranked, _LOOKED_AT)))
        lacking = project.global_library.lacking(opened.bibliography, ranked)
        more = list(islice(lacking, most if typed else max(most - len(first), for_library)))
        more = library.explain(context, more) if explained else more
    first = first if typed else first[: most - len(more)]
    first = own.explain(context, first) if explained else first
    if added is not None:
        return sorted(_in_order(first, more), key=lambda each: added(each.entry), reverse=True)
    if typed:
        return list(_in_order(first, more))
    return list(merged(first, more) if is_comparable else _in_order(first, more))


def nothing_fits(recommender: Recommender, found: Iterable[RankedEntry]) -> bool:
    """Return whether none of the first entries is probably cited there, if that is known."""
    is_known = recommender.settings.ranking.ranker != MIXED_RANKER and recommender.extent != "keys"
    return is_known and all(entry.score < _LEAST for entry in islice(found, FIRST_ROWS))


def zotero_suggestions(
    project: Project,
    opened: OpenDraft,
    context: CitationContext,
    *,
    most: int,
    typed: str = "",
    newest: bool = False,
) -> list[Suggestion]:
    """Return the works of the author's Zotero, as the draft's own if it has them.

    The best come first, or with `newest` those that were added last.
    """
    library = project.global_library.recommender()
    if library is None:
        return []
    ranking = library.rank(context, opened.recommender)
    found = _found(library, ranking, typed, (), _added if newest else None)
    of_zotero = (
        each
        for each in found
        if (entry := each.candidate.entry) is not None and is_from_zotero(entry.path)
    )
    first = list(islice(project.global_library.compared(opened.bibliography, of_zotero), most))
    explained = library.explain(context, [entry for entry, _ in first])
    own = opened.recommender.candidates
    return [
        Suggestion(entry, is_new=True)
        if (candidate := own.get(key) if key is not None else None) is None
        else Suggestion(replace(entry, candidate=candidate), is_new=False)
        for entry, (_, key) in zip(explained, first, strict=True)
    ]


def _found(
    recommender: Recommender,
    ranking: Ranking,
    typed: str,
    taken: Collection[str],
    added: Added | None,
) -> Iterator[RankedEntry]:
    """Yield the entries that match the typed text, the best first, or the last one `added`."""
    found = search(recommender, typed, ranking) if typed else iter(ranking)
    if added is not None:
        # Among entries with the same time, or without one, the last one in the file is the newest.
        places = {key: place for place, key in enumerate(recommender.candidates)}
        found = iter(sorted(found, key=lambda e: (added(e), places[e.key]), reverse=True))
    return (entry for entry in found if entry.key not in taken)


def _added(ranked: RankedEntry) -> str:
    """Return when an entry was added, as its fields note it, or ""."""
    entry = ranked.candidate.entry
    return entry.added if entry is not None else ""


def _times(opened: OpenDraft) -> Added:
    """Return what determines when an entry of a draft was added: its fields, or else git."""

    @cache
    def of_file(path: Path) -> tuple[str, Mapping[str, str]]:
        with suppress(InputError):
            return opened.workspace.read(path), line_times(path)
        return "", {}

    def added(ranked: RankedEntry) -> str:
        entry = ranked.candidate.entry
        place = None if entry is None else opened.bibliography.place(entry)
        # Items of JSON and YAML have no place.
        if entry is None or place is None or entry.added:
            return _added(ranked)
        text, times = of_file(entry.path)
        # With the key in a line of its own, all entries may begin with the same one.
        start = text.rfind("\n", 0, place.key_span.start) + 1
        line = text[start:].partition("\n")[0].strip()
        return times.get(line, _NOT_COMMITTED) if times else ""

    return added


def _in_order(own: Iterable[RankedEntry], more: Iterable[RankedEntry]) -> Iterator[Suggestion]:
    yield from (Suggestion(entry, is_new=False) for entry in own)
    yield from (Suggestion(entry, is_new=True) for entry in more)


def merged(own: Iterable[RankedEntry], more: Iterable[RankedEntry]) -> Iterator[Suggestion]:
    """Yield the draft's entries, best first, each after those that are more probably cited."""
    waiting, row = deque(more), 0
    for entry in own:
        while 0 < row < FIRST_ROWS and waiting and _fits_better(waiting[0], entry):
            yield Suggestion(waiting.popleft(), is_new=True)
            row += 1
        yield Suggestion(entry, is_new=False)
        row += 1
    yield from (Suggestion(entry, is_new=True) for entry in waiting)


def _fits_better(new: RankedEntry, own: RankedEntry) -> bool:
    return new.score >= _LEAST and new.score > own.score
