"""Features of earlier citations: how often, how recently, with what, for what; of habits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..representations.entry_terms import NO_IDS, Ids
from .at_place import AtPlace, Floats, relative
from .draft_citations import LAST_WORDS
from .windows import OWN_WINDOWS

_NEVER: Final = 99_999.0
_NEVER_CHARACTERS: Final = 1e7
_NEVER_RANK: Final = 9_999.0
#: From this correlation on, the .bib is in the order of citation.
_IN_ORDER_OF_CITATION: Final = 0.95
_MIN_FOR_ORDER: Final = 8
_NEIGHBOURS_OF: Final = 8
_PAIRS_LOOKED_AT: Final = 40
#: Of habits: how far back a citation counts 1/e of the last one, and how far back one counts.
_HABIT_DECAY: Final = 20.0
_MAX_HABIT: Final = 300
#: A work that was cited so few citations before is cited again.
_SOON: Final = 5
_MIN_PAIRS: Final = 3


def add_own(at: AtPlace, dots: Floats) -> Floats:
    """Add how similar this place is to those where each entry was cited before.

    `dots` are those of `windows_at`. Return the share of each selected entry in all similarity of
    earlier citations to this place.
    """
    best, joined = np.zeros((2, len(OWN_WINDOWS), at.number))
    last, vote = np.zeros(at.number), np.zeros(at.number)
    pairs, entries = at.pairs
    if len(pairs):
        by_entry, seen = _Grouped.of(pairs, entries), at.seen
        likeness = dots / seen.norms
        lengths = np.sqrt(by_entry.sums(seen.norms**2))
        best[:, by_entry.entries] = by_entry.best(likeness)
        joined[:, by_entry.entries] = by_entry.sums(dots) / lengths
        for name in ("sentence", "far"):
            squared = likeness[OWN_WINDOWS.index(name)] ** 2
            vote[by_entry.entries] += by_entry.sums(squared) / (squared.sum() + 1e-9)
        here = at.ids.of(at.left[-LAST_WORDS:])
        if len(here):
            last[by_entry.entries] = by_entry.best(_last_words(at, here))
    at.add("own.last3", last)
    at.add_all([f"own.{name}.best" for name in OWN_WINDOWS], best)
    at.add_all([f"own.{name}.joined" for name in OWN_WINDOWS], joined)
    at.add_all([f"own.{name}.rel" for name in OWN_WINDOWS], relative(best))
    at.add("own.vote", vote)
    return vote


def _last_words(at: AtPlace, here: Ids) -> Floats:
    """Return for each citation the IDF of the words just before it that stand just before here."""
    citations, seen = at.citations, at.seen
    starts = citations.last.starts[: at.before + 1]
    terms = citations.last.values[: int(starts[-1])]
    is_here = np.zeros(len(seen.counts), np.bool_)
    is_here[here] = True
    shared = np.flatnonzero(is_here[terms])
    owner = np.searchsorted(starts, shared, side="right") - 1
    return np.bincount(owner, seen.idf(terms[shared]), minlength=at.before).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Grouped:
    """Citations grouped by the entries that they cite; where each group starts, and its entry."""

    citations: npt.NDArray[np.int64]
    first: npt.NDArray[np.intp]
    entries: npt.NDArray[np.intp]

    @classmethod
    def of(cls, citations: npt.NDArray[np.int64], entries: npt.NDArray[np.intp]) -> _Grouped:
        """Group pairs of a citation and an entry."""
        order = np.argsort(entries, kind="stable")
        grouped = entries[order]
        first = np.flatnonzero(np.diff(grouped, prepend=-1))
        return cls(citations[order], first, grouped[first])

    def best(self, values: Floats) -> Floats:
        """Return the best value of the citations of each entry; the last axis is of citations."""
        found: Floats = np.maximum.reduceat(values[..., self.citations], self.first, axis=-1)
        return found

    def sums(self, values: Floats) -> Floats:
        """Return the sum of the values of the citations of each entry."""
        found: Floats = np.add.reduceat(values[..., self.citations], self.first, axis=-1)
        return found


def add_cited(at: AtPlace) -> None:
    """Add how often and how recently each entry was cited, and together with what."""
    number, before, citations = at.number, at.before, at.citations
    count, follow, first_since = np.zeros((3, number))
    since, characters = np.full(number, _NEVER), np.full(number, _NEVER_CHARACTERS)
    recency = np.full(number, _NEVER_RANK)
    total, distinct = 1.0, len(at.cited)
    if before:
        pairs, entries = at.pairs
        count = np.bincount(entries, minlength=number).astype(np.float64)
        total = float(citations.pair_start[before])
        last = np.full(number, -1, np.int64)
        last[entries] = pairs  # in reading order, so the latest remains
        first = np.full(number, -1, np.int64)
        first[entries[::-1]] = pairs[::-1]
        known = last >= 0
        since[known] = before - last[known]
        first_since = np.where(known, before - first, 0).astype(np.float64)
        characters[known] = at.place.offset - citations.starts[last[known]]
        recency[known] = np.searchsorted(np.sort(-last[known]), -last[known])
        is_latest = np.zeros(number, np.bool_)
        is_latest[at.slots(citations.cited_by(before - 1))] = True
        follows = np.zeros(before + 1, np.bool_)
        follows[pairs[is_latest[entries]] + 1] = True
        follow = np.bincount(entries[follows[pairs]], minlength=number).astype(np.float64)
    at.add("cited.count", count)
    at.add("cited.share", count / total)
    at.add("cited.since_events", np.log1p(since))
    at.add("cited.since_chars", np.log1p(characters))
    at.add("cited.first_since", np.log1p(first_since))
    at.add("cited.recency_rank", recency)
    at.add("cocited.follow", follow)
    _add_together(at)
    _add_in_library(at)
    entries_in_all = len(at.fields)
    at.add_same("list.entries", np.log1p(entries_in_all))
    at.add_same("list.distinct", distinct / max(1, entries_in_all))
    at.add_same("list.uncited", np.log1p(entries_in_all - distinct))


def _add_together(at: AtPlace) -> None:
    """Add how often the paragraphs before cite each entry together with what was just cited."""
    citations = at.citations
    together = np.zeros(at.number)
    if at.before:
        pairs, entries = at.pairs
        end = int(citations.pair_start[at.before])
        paragraphs = citations.paragraphs[citations.pair_citation[:end]]
        cited, here = citations.pair_entry[:end], citations.paragraphs[pairs]
        is_before = pairs < citations.before(at.place.text.start(at.place.offset))
        counts = np.maximum(1, np.bincount(entries, minlength=at.number))
        for recent in at.recent.tolist():
            own = paragraphs[cited == recent]
            shared = np.bincount(entries[is_before & np.isin(here, own)], minlength=at.number)
            likeness = shared / np.sqrt(counts * len(own))
            likeness[at.positions == recent] = 0.0
            together = np.maximum(together, likeness)
    at.add("cocited.paragraph", together)


def _add_in_library(at: AtPlace) -> None:
    """Add how often papers of the library cite each entry together with what was just cited."""
    shared = np.zeros(at.number)
    citing = at.fields.citing
    sizes = np.maximum(1, citing.sizes_of(at.positions))
    for recent in at.recent.tolist():
        own = citing[recent]
        found, _ = at.fields.cited_in.of_several(own.astype(np.intp))
        together = np.bincount(at.slots(found), minlength=at.number)
        likeness = together / np.sqrt(max(1, len(own)) * sizes)
        likeness[at.positions == recent] = 0.0
        shared = np.maximum(shared, likeness)
    at.add("cocited.library", shared)


def add_authors(at: AtPlace) -> None:
    """Add whether works of the same authors were cited, and how many years later it appeared."""
    fields = at.fields
    same = [NO_IDS]
    for recent in at.recent.tolist():
        found, _ = fields.by_author.of_several(fields.authors[recent])
        same.append(found[found != recent])
    at.add("author.same", np.bincount(at.slots(np.concatenate(same)), minlength=at.number))
    later = np.full(at.number, np.nan)
    citations = at.citations
    if at.before:
        last = fields.years[citations.cited_by(at.before - 1)[-1]]
        years = fields.years[at.positions].astype(np.float64)
        later = np.where((years > 0) & (last > 0), years - float(last), np.nan)
    at.add("year.last", later)


def add_neighbours(at: AtPlace, vote: Floats) -> None:
    """Add the distance in the .bib of each entry to cited ones; NaN where it means nothing.

    Entries exported or added together are often cited together. `vote` is what `add_own` returns.
    """
    near = {number: np.full(at.number, np.nan) for number in (1, 3, 8)}
    weighted, neighbour, votes = (np.full(at.number, np.nan) for _ in range(3))
    citations = at.citations
    if at.before and _order_counts(at):
        end = int(citations.pair_start[at.before])
        latest = citations.pair_entry[max(0, end - _PAIRS_LOOKED_AT) : end][::-1].tolist()
        recent = np.asarray(list(dict.fromkeys(latest))[:_NEIGHBOURS_OF], np.float64)
        apart = np.abs(at.positions[:, None] - recent)
        apart[apart == 0.0] = np.inf
        for number in near:
            closest = apart[:, :number].min(axis=1)
            near[number] = np.where(np.isfinite(closest), closest, np.nan)
        ages = np.exp(-np.arange(len(recent)) / 3.0)
        weighted = (np.exp(-apart / 2.0) * ages).sum(axis=1)
        # How recently neighbours were cited, and at how similar places.
        everywhere = np.full(len(at.fields) + 6, np.log1p(_NEVER))
        everywhere[at.positions + 3] = at.got("cited.since_events")
        beside = [everywhere[at.positions + 3 + step] for step in (-2, -1, 1, 2)]
        neighbour = np.minimum.reduce(beside)
        spread = np.zeros(len(at.fields) + 6)
        spread[at.positions + 3] = vote
        votes = np.zeros(at.number)
        for step in (-3, -2, -1, 1, 2, 3):
            votes += np.exp(-abs(step) / 2.0) * spread[at.positions + 3 + step]
    for number, values in near.items():
        at.add(f"bib.near{number}", values)
    at.add("bib.weighted", weighted)
    at.add("bib.neighbour", neighbour)
    at.add("bib.vote", votes)


def _order_counts(at: AtPlace) -> bool:
    citations = at.citations
    if not at.has_order:
        return False
    first = citations.first_cited(at.before)
    if len(first) < _MIN_FOR_ORDER:
        return True
    order, apart = (each - each.mean() for each in (np.arange(len(first)), first))
    spread = np.sqrt((order**2).sum() * (apart**2).sum())
    return not abs((order * apart).sum()) > _IN_ORDER_OF_CITATION * spread


def add_habits(at: AtPlace) -> None:
    """Add how much of earlier titles was written, and how often works are cited again, and soon.

    Authors differ: one writes the words of titles, one repeats five works. These features are the
    same for all entries; the trees weigh the other evidence by them.
    """
    titled = soon = known = np.nan
    citations = at.citations
    first = max(0, at.before - _MAX_HABIT)
    begin, end = citations.pair_start[[first, at.before]].tolist()
    if end - begin >= _MIN_PAIRS:
        citing, earlier = citations.pair_citation, citations.earlier[begin:end]
        recent = citing[begin:end]
        weights = np.exp((recent - at.before) / _HABIT_DECAY)
        is_known = earlier >= 0
        titled = np.average(_written(at, begin, end), weights=weights)
        known = np.average(is_known, weights=weights)
        if is_known.any():
            is_soon = (recent - citing[earlier])[is_known] <= _SOON
            soon = np.average(is_soon, weights=weights[is_known])
    at.add_same("habit.titled", titled)
    at.add_same("habit.soon", soon)
    at.add_same("habit.known", known)


def _written(at: AtPlace, begin: int, end: int) -> Floats:
    """Return the share of the title of each of some pairs that is around its citation."""
    citations = at.citations
    titles, pair = at.fields.titles.of_several(citations.pair_entry[begin:end])
    citing = citations.pair_citation[begin:end]
    width, owner, terms = len(at.seen.counts), at.seen.owner, at.seen.terms
    around = slice(int(np.searchsorted(owner, citing[0])), None)
    # Behind nothing, so that there is always one.
    written = np.sort(np.append(owner[around] * width + terms[around], -1))
    asked = citing[pair] * width + titles
    is_written = written.take(np.searchsorted(written, asked), mode="clip") == asked
    idf, number = at.fields.idf[titles], end - begin
    total = np.bincount(pair, idf, minlength=number)
    found = np.bincount(pair, idf * is_written, minlength=number)
    return np.asarray(found / np.where(total > 0.0, total, 1.0), np.float64)
