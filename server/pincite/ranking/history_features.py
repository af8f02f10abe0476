"""Features of earlier citations: how often, how recently, together with what, for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..representations.entry_terms import NO_IDS, Ids
from .at_place import AtPlace, Floats, relative
from .draft_citations import LAST_WORDS, RATES
from .windows import OWN_WINDOWS

#: How far back, in characters, a citation still belongs to this paragraph, to this section.
_PARAGRAPH: Final = 2_500
_SECTION: Final = 12_000
_NEVER: Final = 99_999.0
_NEVER_CHARACTERS: Final = 1e7
_NEVER_RANK: Final = 9_999.0
#: The number of citations over which recent rates are computed.
_LATE: Final = 8
_FEWEST_FOR_RATES: Final = 3
_RECENT_YEARS: Final = 6
#: From this correlation on, the .bib is in the order of citation.
_IN_ORDER_OF_CITATION: Final = 0.95
_FEWEST_FOR_ORDER: Final = 8
_NEIGHBOURS_OF: Final = 8
_PAIRS_LOOKED_AT: Final = 40
_OWN: Final = [f"own.{name}.{score}" for name in OWN_WINDOWS for score in ("best", "joined", "rel")]


def add_own(at: AtPlace, dots: Floats) -> Floats:
    """Add how similar this place is to those where each entry was cited before.

    `dots` are those of `windows_at`. Return the share of each selected entry in all similarity of
    earlier citations to this place.
    """
    best, joined = np.zeros((2, len(OWN_WINDOWS), at.number))
    last, vote = np.zeros((2, at.number)), np.zeros(at.number)
    pairs, entries = at.pairs
    if len(pairs):
        by_entry, seen = _Grouped.of(pairs, entries), at.seen
        likeness = dots / seen.norms
        lengths = np.sqrt(by_entry.sums(seen.norms**2))
        best[:, by_entry.entries] = by_entry.best(likeness)
        joined[:, by_entry.entries] = by_entry.sums(dots) / lengths
        for name in ("left", "far"):
            squared = likeness[OWN_WINDOWS.index(name)] ** 2
            vote[by_entry.entries] += by_entry.sums(squared) / (squared.sum() + 1e-9)
        here = at.ids.of(at.left[-LAST_WORDS:])
        if len(here):
            last[:, by_entry.entries] = by_entry.best(_last_words(at, here))
    at.add("own.last3", last[0])
    at.add("own.last3_rel", relative(last[0]))
    at.add("own.last_word", last[1])
    at.add_tables(_OWN, best, joined, relative(best))
    at.add("own.vote", vote)
    return vote


def _last_words(at: AtPlace, here: Ids) -> Floats:
    """Return the IDF of the words just before each citation that are also just before this place.

    The first row is the sum over all of them, the second has only the last one (2 by citations).
    """
    citations, seen = at.place.citations, at.seen
    assert citations is not None, "there are citations before"
    starts = citations.last.starts[: at.before + 1]
    terms = citations.last.values[: int(starts[-1])]
    is_here = np.zeros(len(seen.counts), np.bool_)
    is_here[here] = True
    shared = np.flatnonzero(is_here[terms])
    owner = np.searchsorted(starts, shared, side="right") - 1
    found = np.zeros((2, at.before))
    found[0] = np.bincount(owner, seen.idf(terms[shared]), minlength=at.before)
    final = at.ids[at.left[-1]]
    if final >= 0:
        # The last word of each citation is the last of its terms.
        has_words = np.flatnonzero(np.diff(starts))
        is_last = terms[starts[has_words + 1] - 1] == final
        found[1, has_words] = seen.idf(np.asarray(final)) * is_last
    return found


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
    number, before, citations = at.number, at.before, at.place.citations
    zeros = np.zeros(number)
    cited = dict.fromkeys(("count", "paragraph", "section", "adjacent"), zeros)
    cocited = dict.fromkeys(("paragraph", "event", "follow"), zeros)
    since, characters = np.full(number, _NEVER), np.full(number, _NEVER_CHARACTERS)
    recency, first_since = np.full(number, _NEVER_RANK), zeros
    total, distinct = 1.0, len(at.cited)
    if citations is not None and before:
        pairs, entries = at.pairs
        text, offset = at.place.text, at.place.offset
        back = offset - citations.starts[pairs]

        def count(chosen: npt.NDArray[np.bool_]) -> Floats:
            return np.bincount(entries[chosen], minlength=number).astype(np.float64)

        cited["count"] = np.bincount(entries, minlength=number).astype(np.float64)
        total = float(citations.pair_start[before])
        last = np.full(number, -1, np.int64)
        last[entries] = pairs  # in reading order, so the latest remains
        first = np.full(number, -1, np.int64)
        first[entries[::-1]] = pairs[::-1]
        known = last >= 0
        since[known] = before - last[known]
        first_since = np.where(known, before - first, 0).astype(np.float64)
        characters[known] = offset - citations.starts[last[known]]
        recency[known] = np.searchsorted(np.sort(-last[known]), -last[known])
        paragraphs = citations.paragraphs[pairs]
        paragraph = text.paragraph(offset)
        cited["paragraph"] = count((paragraphs == paragraph) & (back < _PARAGRAPH))
        is_here = citations.sections[pairs] == text.section(offset)
        cited["section"] = count(is_here & (back < _SECTION))
        latest = at.slots(citations.cited_by(before - 1))
        between = text.citing.between(int(citations.starts[before - 1]) + 1, offset)
        if len(between) <= 3 and not any(map(str.isalnum, between)):
            cited["adjacent"] = zeros.copy()
            cited["adjacent"][latest] = 1.0
        is_recent, is_latest = np.zeros((2, number), np.bool_)
        is_recent[at.slots(at.recent)] = True
        is_latest[latest] = True
        hits = is_recent[entries]
        elsewhere = paragraphs != paragraph
        together = _with_others(paragraphs, entries, hits & elsewhere)
        cocited["paragraph"] = count(together & elsewhere)
        cocited["event"] = count(_with_others(pairs, entries, hits))
        follows = np.zeros(before + 1, np.bool_)
        follows[pairs[is_latest[entries]] + 1] = True
        cocited["follow"] = count(follows[pairs])
    at.add("cited.count", cited["count"])
    at.add("cited.share", cited["count"] / total)
    at.add("cited.since_events", np.log1p(since))
    at.add("cited.since_chars", np.log1p(characters))
    at.add("cited.first_since", np.log1p(first_since))
    at.add("cited.recency_rank", recency)
    for name in ("paragraph", "section", "adjacent"):
        at.add(f"cited.{name}", cited[name])
    for name, values in cocited.items():
        at.add(f"cocited.{name}", values)
    _add_in_library(at)
    _add_rates(at)
    entries_in_all = len(at.fields)
    at.add_same("list.entries", np.log1p(entries_in_all))
    at.add_same("list.citations", np.log1p(before))
    at.add_same("list.distinct", distinct / max(1, entries_in_all))
    at.add_same("list.uncited", np.log1p(entries_in_all - distinct))


def _with_others(
    groups: npt.NDArray[np.int64], entries: npt.NDArray[np.intp], hits: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return for each citation of an entry whether its group contains a hit that is another entry.

    Within a group, all citations of an entry are hits, or none.
    """
    number, width = (int(each.max(initial=-1)) + 1 for each in (groups, entries))
    pairs = np.unique(groups[hits] * width + entries[hits])
    in_group = np.bincount(pairs // max(1, width), minlength=number)[groups]
    return np.asarray(in_group - hits > 0)


def _add_rates(at: AtPlace) -> None:
    citations, before = at.place.citations, at.before
    rates = late = np.full(len(RATES), np.nan)
    if citations is not None and before:
        late = citations.rates(max(0, before - _LATE), before)
        if before >= _FEWEST_FOR_RATES:
            rates = citations.rates(0, before)
    for name, rate, of_late in zip(RATES, rates.tolist(), late.tolist(), strict=True):
        is_known = name != "bib" or at.entries.has_order
        at.add_same(f"rate.{name}", rate if is_known else np.nan)
        at.add_same(f"late.{name}", of_late if is_known else np.nan)


def _add_in_library(at: AtPlace) -> None:
    """Add how often papers of the library cite each entry together with what was just cited."""
    shared, shared_last = np.zeros(at.number), np.zeros(at.number)
    citing = at.facts.citing
    sizes = np.maximum(1, citing.sizes_of(at.positions))
    for number, recent in enumerate(at.recent.tolist()):
        own = citing[recent]
        if not len(own):
            continue
        found, _ = at.entries.cited_in.of_several(own.astype(np.intp))
        together = np.bincount(at.slots(found), minlength=at.number)
        likeness = together / np.sqrt(len(own) * sizes)
        likeness[at.positions == recent] = 0.0
        shared = np.maximum(shared, likeness)
        if number == 0:
            shared_last = likeness
    at.add("cocited.library", shared)
    at.add("cocited.library_last", shared_last)


def add_authors(at: AtPlace) -> None:
    """Add whether works of the same authors were cited, and how close the years are."""
    facts, named = at.facts, at.fields.named
    same, same_first = [NO_IDS], [NO_IDS]
    for recent in at.recent.tolist():
        found = np.concatenate([NO_IDS, *map(named.by_author.__getitem__, facts.authors[recent])])
        same.append(found[found != recent])
        if (first := int(facts.first_authors[recent])) >= 0:
            found = named.by_first_author[first]
            same_first.append(found[found != recent])
    for name, lists in (("author.same", same), ("author.same_first", same_first)):
        at.add(name, np.bincount(at.slots(np.concatenate(lists)), minlength=at.number))
    known = np.zeros(at.number)
    year_last, year_near = np.full(at.number, np.nan), np.full(at.number, np.nan)
    citations = at.place.citations
    if citations is not None and at.before:
        end = int(citations.pair_start[at.before])
        authors, _ = facts.authors.of_several(at.cited)
        times = np.bincount(authors, minlength=len(at.fields.names) + 1)
        own, owner = facts.authors.of_several(at.positions)
        begins = np.flatnonzero(np.diff(owner, prepend=-1))
        if len(begins):
            known[owner[begins]] = np.maximum.reduceat(times[own], begins)
        known[at.slots(at.cited)] = 0.0
        years = facts.years[at.positions].astype(np.float64)
        years[years <= 0] = np.nan
        recent_years = facts.years[citations.pair_entry[max(0, end - _RECENT_YEARS) : end]]
        if recent_years[-1] > 0:
            year_last = years - recent_years[-1]
        if (recent_years > 0).any():
            year_near = np.abs(years - recent_years[recent_years > 0].mean())
    at.add("author.known", known)
    at.add("year.last", year_last)
    at.add("year.near", year_near)


def add_neighbours(at: AtPlace, vote: Floats) -> None:
    """Add the distance in the .bib of each entry to cited ones; NaN where it means nothing.

    Entries exported or added together are often cited together. `vote` is what `add_own` returns.
    """
    near = {number: np.full(at.number, np.nan) for number in (1, 3, 8)}
    signed, weighted, neighbour, votes = (np.full(at.number, np.nan) for _ in range(4))
    citations = at.place.citations
    if citations is not None and at.before and _order_counts(at):
        end = int(citations.pair_start[at.before])
        latest = citations.pair_entry[max(0, end - _PAIRS_LOOKED_AT) : end][::-1].tolist()
        recent = np.asarray(list(dict.fromkeys(latest))[:_NEIGHBOURS_OF], np.float64)
        apart = np.abs(at.positions[:, None] - recent)
        apart[apart == 0.0] = np.inf
        for number in near:
            closest = apart[:, :number].min(axis=1)
            near[number] = np.where(np.isfinite(closest), closest, np.nan)
        signed = np.clip(at.positions - recent[0], -20.0, 20.0)
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
    at.add("bib.signed", signed)
    at.add("bib.weighted", weighted)
    at.add("bib.neighbour", neighbour)
    at.add("bib.vote", votes)


def _order_counts(at: AtPlace) -> bool:
    citations = at.place.citations
    if citations is None or not at.entries.has_order:
        return False
    first = citations.first_cited(at.before)
    if len(first) < _FEWEST_FOR_ORDER:
        return True
    order, apart = (each - each.mean() for each in (np.arange(len(first)), first))
    spread = np.sqrt((order**2).sum() * (apart**2).sum())
    return not abs((order * apart).sum()) > _IN_ORDER_OF_CITATION * spread
