"""Evidence for each entry at a place, as numbers: what the learned ranker looks at.

Each feature has a name whose first part says what kind of evidence it is: the text of a field by a
window (``title.sentence.cos``), the words of earlier citations (``own``), names (``name``), what
was cited before (``cited``, ``cocited``, ``author``, ``bib``), and what is known of the entry and
of the list. A feature that cannot be known is nan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ..contexts.surroundings import SurroundedText
from ..representations.entry_terms import NO_IDS, OTHER_KIND, Ids, TermIds
from ..representations.fields import K1, TEXT_FIELDS, EntryFields, Field
from ..text.folding import folded
from ..text.tokens import composed
from .draft_citations import JUST_CITED, LAST_WORDS, NEIGHBOURS, RATES, DraftCitations

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]

#: The parts of the text that are compared with every field, in the order of columns.
WINDOWS: Final = (
    *("near", "left", "sentence", "paragraph", "headings", "recent", "both", "decay", "like"),
)
_OWN_WINDOWS: Final = ("near", "left", "sentence", "paragraph", "both", "decay")
_DECAY: Final = WINDOWS.index("decay")
_NEAR_WORDS: Final = 6
_LEFT_WORDS: Final = 20
_PARAGRAPH_WORDS: Final = 80
_DECAY_WORDS: Final = 40
#: A word counts by e^(-d / 8), d words before the place.
_DECAY_LENGTH: Final = 8.0
_NAME_WORDS: Final = 30
_NAME_WORDS_RIGHT: Final = 8
#: The distance in words of what is not named near the place.
FAR: Final = 40.0
#: How far back, in characters, what was cited is still recent, of this paragraph, of this section.
_RECENT: Final = 3_000
_PARAGRAPH: Final = 2_500
_SECTION: Final = 12_000
#: What was cited at the places most like this one.
_MOST_LIKE: Final = 3
_NEVER: Final = 99_999.0
_NEVER_CHARACTERS: Final = 1e7
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
#: Where this share of neighbouring keys is in order, the .bib is sorted by key.
_SORTED: Final = 0.9
#: A .bib correlated so with the order of citation is written in it.
_IN_ORDER_OF_CITATION: Final = 0.95
_FEWEST_FOR_ORDER: Final = 8
#: Lists of no more entries are looked at whole.
MOST_WHOLE: Final = 400
_MOST_BY_TEXT: Final = 300
_BIGRAM: Final = 1_000_003


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place to cite: the text, the offset, and what is known there.

    `citations` are those of the whole text, of which only those before the place count; None where
    nothing is to be known of them. `right` says whether the text behind the place is known.
    """

    text: SurroundedText
    offset: int
    citations: DraftCitations | None = None
    right: bool = True


@dataclass(frozen=True, eq=False)
class Features:
    """The features of some entries: `values` (float32) has a row for each of the `positions`.

    `names` are those of the columns. `inside` and `outside` are the parts of each entry's TF-IDF
    cosine with the words on both sides: what it says itself, and what others say. `best` are the
    best values in the list of those features that are shares of it.
    """

    positions: Positions
    names: tuple[str, ...]
    values: npt.NDArray[np.float32]
    inside: Floats
    outside: Floats
    best: Mapping[str, float]

    @property
    def has_evidence(self) -> npt.NDArray[np.bool_]:
        """Tell of each entry whether anything speaks for it but what all entries have."""
        found = self.column("name.any") < FAR
        for name in ("name.acronym", "name.key"):
            found |= self.column(name) < FAR
        found |= self.column("cited.count") > 0.0
        found |= self.column("bib.near3") <= NEIGHBOURS
        for window in WINDOWS:
            found |= self.column(f"mixed.{window}.cos") > 0.0
        return found

    def column(self, name: str) -> npt.NDArray[np.float32]:
        """Return one feature of all entries."""
        return self.values[:, self.columns[name]]

    @cached_property
    def columns(self) -> Mapping[str, int]:
        """The columns of `values` by name."""
        return {name: column for column, name in enumerate(self.names)}


def order_of_keys(keys: Sequence[str]) -> bool:
    """Tell whether a bibliography is sorted by key, up or down: its order says nothing then."""
    lowered = [key.lower() for key in keys]
    rising = sum(one <= other for one, other in pairwise(lowered))
    share = rising / max(1, len(lowered) - 1)
    return share >= _SORTED or share <= 1.0 - _SORTED


class Evidence:
    """What is known of the entries of one bibliography; asked for one place after the other.

    Safe to use from several threads.
    """

    def __init__(self, fields: EntryFields, ids: TermIds, *, has_order: bool) -> None:
        """Take the entries; `has_order` says that entries added together stand together."""
        self.fields = fields
        self.ids = ids
        self._has_order = has_order and len(fields) >= 5
        years = fields.years[fields.years > 0].astype(np.float64)
        #: Works of the future are mistakes.
        self._newest = float(np.quantile(years, 0.98)) if len(years) else 0.0
        self._authors = np.log1p(np.diff(fields.authors.starts).astype(np.float64))
        self._title_terms = np.log1p(np.diff(fields.titles.starts).astype(np.float64))
        self._inlinks = np.log1p(np.diff(fields.citing.starts).astype(np.float64))
        number = int(fields.citing.values.max(initial=-1)) + 1
        self._cited_in = fields.citing.inverted(number)

    def at(self, place: Place, beside: Features | None = None) -> Features:
        """Return the features of the entries that may be meant at a place.

        Where they are compared with those of another list at the same place, `beside`, its best
        count for theirs.

        Of a list with more than `MOST_WHOLE` entries, these are the few hundred that fit the text
        best by a rough measure, all that the draft cites before, and all that are named.
        """
        return _AtPlace(self, place, beside).features()

    def matched(self, context: Sequence[str], positions: Positions) -> list[list[str]]:
        """Return for each entry the words of a context that it has, by falling weight."""
        word_of: dict[int, str] = {}
        for word in context:
            word_of.setdefault(self.ids[word], composed(word).lower())
        terms = np.asarray(sorted(t for t in word_of if 0 <= t < len(self.fields.idf)), np.int32)
        weights = np.zeros((len(positions), len(terms)))
        slot = np.full(len(self.fields), -1, np.intp)
        slot[positions] = np.arange(len(positions))
        for name in ("passages", "inlinks"):
            field = self.fields.text[name]
            rows, counts, found = field.postings(terms)
            own = slot[field.owner[rows]]
            kept = own >= 0
            shares = counts * self.fields.idf[terms[found]] ** 2 / field.norms[rows]
            np.maximum.at(weights, (own[kept], found[kept]), shares[kept])
        ordered = np.argsort(-weights, axis=1, kind="stable")
        return [
            [word_of[int(terms[at])] for at in order.tolist() if own[at] > 0.0]
            for own, order in zip(weights, ordered, strict=True)
        ]

    def names_entry(self, word: str, position: int) -> bool:
        """Tell whether a word names an author of an entry, or the work itself."""
        number = self.fields.names.get(folded(word))
        if number is None:
            return False
        lists = [self.fields.by_acronym] if sum(map(str.isupper, word)) >= 2 else []
        if word[:1].isupper() or not word[:1].isascii():
            lists += [self.fields.by_author, self.fields.by_key_word]
        return any(position in own[number] for own in lists)

    def let_go(self) -> None:
        """Let go of what was looked at in files."""
        for field in self.fields.text.values():
            field.columns.let_go()


class _AtPlace:
    """The features at one place, put together part by part."""

    def __init__(self, evidence: Evidence, place: Place, beside: Features | None) -> None:
        self.evidence = evidence
        self.fields = evidence.fields
        self.place = place
        self.before = 0 if place.citations is None else place.citations.before(place.offset)
        self.words, self.at = place.text.words(place.offset)
        self.left = self.words[: self.at]
        self.right = self.words[self.at :] if place.right else ()
        self.recent = self._recent()
        #: The terms round earlier citations, and the citation of each.
        self.seen, self.seen_at = NO_IDS, np.empty(0, np.int64)
        if place.citations is not None:
            self.seen, self.seen_at = place.citations.seen_terms(place.offset)
        self.windows, self.decay = self._windows()
        self.found: dict[str, npt.ArrayLike] = {}
        #: The best value in the list of what is given as a share of it.
        self.best = dict(beside.best) if beside is not None else {}

    # Queries

    def _recent(self) -> Positions:
        """Return the entries just cited, the latest first."""
        if (citations := self.place.citations) is None:
            return np.empty(0, np.intp)
        numbers = range(self.before - 1, max(-1, self.before - 1 - JUST_CITED), -1)
        near = (n for n in numbers if self.place.offset - citations.starts[n] < _RECENT)
        return np.asarray(
            list(dict.fromkeys(e for n in near for e in citations.cited_by(n).tolist())), np.intp
        )

    def _windows(self) -> tuple[tuple[Ids, ...], Floats]:
        """Return the terms of each window, and the weights of those that decay."""
        of, left, right = self.evidence.ids.of, self.left, self.right
        around = self.place.text.around(self.place.offset, right=self.place.right)
        sentence = left[len(left) - around.sentence_left :] + right[: around.sentence_right]
        numbers = np.fromiter(
            map(self.evidence.ids.__getitem__, left[-_DECAY_WORDS:]),
            np.int32,
            min(len(left), _DECAY_WORDS),
        )
        weights = np.exp(-np.arange(len(numbers))[::-1] / _DECAY_LENGTH)
        titles, _ = self.fields.titles.of_several(self.recent)
        left_terms = of(left[-_LEFT_WORDS:])
        windows = (
            of((*left[-_NEAR_WORDS:], *right[:_NEAR_WORDS])),
            left_terms,
            of(sentence),
            of(left[-_PARAGRAPH_WORDS:]),
            of(around.headings),
            titles,
            of((*around.before, *around.after)),
            numbers[numbers >= 0],
            self._like(left_terms),
        )
        return windows, weights[numbers >= 0]

    def _like(self, query: Ids) -> Ids:
        """Return the title terms of what was cited where the text was most like here."""
        citations = self.place.citations
        if citations is None or not self.before or not len(query):
            return NO_IDS
        terms, owner = self.seen, self.seen_at
        idf = _idf_of(terms, query, self.before)
        sought = np.zeros(len(idf))
        sought[query] = idf[query]
        norms = np.sqrt(np.bincount(owner, idf[terms] ** 2, minlength=self.before)) + 1e-9
        likeness = np.bincount(owner, idf[terms] * sought[terms], minlength=self.before) / norms
        best = np.argsort(-likeness, kind="stable")[:_MOST_LIKE]
        entries = dict.fromkeys(
            entry
            for number in best[likeness[best] > 0.0].tolist()
            for entry in citations.cited_by(number).tolist()
        )
        found, _ = self.fields.titles.of_several(np.asarray(list(entries), np.intp))
        return found

    # The entries that are looked at

    def features(self) -> Features:
        """Return all features."""
        query = _Query(self.fields, self.windows, self.decay)
        named = self._named()
        self.positions = self._chosen(query, named)
        self.number = len(self.positions)
        #: The place of each entry among those chosen, -1 for others.
        self.slot = np.full(len(self.fields), -1, np.intp)
        self.slot[self.positions] = np.arange(self.number)
        inside, outside = self._text(query)
        self._titles()
        self._own()
        self._names(named)
        self._history()
        self._entries()
        values = np.empty((len(self.found), self.number), np.float32)
        for row, column in zip(values, self.found.values(), strict=True):
            row[:] = column
        return Features(self.positions, tuple(self.found), values.T, inside, outside, self.best)

    def _chosen(self, query: _Query, named: Mapping[str, Floats]) -> Positions:
        entries = len(self.fields)
        if entries <= MOST_WHOLE:
            return np.arange(entries)
        rough = query.rough_scores()
        for distances in (named["any"], named["acronym"], named["key"]):
            rough += distances < _NAME_WORDS
        if self.evidence._has_order and len(self.recent):
            beside = np.abs(np.arange(entries)[:, None] - self.recent).min(axis=1) <= 5
            rough += beside
        chosen = np.zeros(entries, np.bool_)
        best = np.argpartition(-rough, _MOST_BY_TEXT)[:_MOST_BY_TEXT]
        chosen[best[rough[best] > 0.0]] = True
        if (citations := self.place.citations) is not None:
            chosen[citations.pair_entry[: int(citations.pair_start[self.before])]] = True
        return np.flatnonzero(chosen)

    def _add(self, name: str, values: npt.ArrayLike) -> None:
        self.found[name] = values

    def _add_relative(self, name: str, values: Floats) -> None:
        """Add what shares of the best in the list the values are."""
        top = self.best[name] = max(self.best.get(name, 0.0), float(values.max(initial=0.0)))
        self._add(name, values / top if top > 0.0 else values)

    # Text

    def _text(self, query: _Query) -> tuple[Floats, Floats]:
        dots: dict[str, Floats] = {}
        for name in TEXT_FIELDS:
            scores = query.scores(self.fields.text[name], self.positions)
            dots[name] = scores.dots
            for at, window in enumerate(WINDOWS):
                self._add(f"{name}.{window}.cos", scores.cosines[:, at])
                self._add(f"{name}.{window}.bm25", scores.bm25[:, at])
                self._add_relative(f"{name}.{window}.rel", scores.bm25[:, at])
        passages = self.fields.text["passages"]
        rows, first = _rows_of(passages.first, len(passages.norms), self.positions)
        owner = np.repeat(np.arange(self.number), np.diff(np.append(first, len(rows))))
        norms = self.fields.mixed_norms[rows][:, None]
        mixed = np.maximum.reduceat(
            (dots["passages"] + dots["inlinks"][owner]) / norms, first, axis=0
        )
        for at, window in enumerate(WINDOWS):
            self._add(f"mixed.{window}.cos", mixed[:, at])
            self._add_relative(f"mixed.{window}.rel", mixed[:, at])
        for window in ("sentence", "left", "decay"):
            values = mixed[:, WINDOWS.index(window)]
            ranks = np.empty(self.number)
            ranks[np.argsort(-values, kind="stable")] = np.arange(self.number)
            self._add(f"mixed.{window}.rank", np.log1p(np.where(values > 0.0, ranks, self.number)))
        both = WINDOWS.index("both")
        inside = np.maximum.reduceat(dots["passages"][:, both] / norms[:, 0], first)
        return inside, np.maximum(mixed[:, both] - inside, 0.0)

    def _titles(self) -> None:
        """Add how much of each title stands in the text as it is, two words at a time."""
        fields, terms = self.fields, self.windows[_DECAY]
        titles, owner = fields.titles.of_several(self.positions)
        is_pair = owner[:-1] == owner[1:]
        pairs = (titles[:-1].astype(np.int64) * _BIGRAM + titles[1:])[is_pair]
        idf = (fields.idf[titles[:-1]] + fields.idf[titles[1:]])[is_pair]
        written = np.isin(pairs, terms[:-1].astype(np.int64) * _BIGRAM + terms[1:])
        of_pair = owner[:-1][is_pair]
        self._add("title.bigrams", np.bincount(of_pair, written * idf, minlength=self.number))
        number = np.maximum(1, np.bincount(of_pair, minlength=self.number))
        share = np.bincount(of_pair, written, minlength=self.number) / number
        self._add("title.bigram_share", share)

    # The words of earlier citations

    def _own(self) -> None:
        citations = self.place.citations
        last, last_word = np.zeros(self.number), np.zeros(self.number)
        best = {window: np.zeros(self.number) for window in _OWN_WINDOWS}
        joined = {window: np.zeros(self.number) for window in _OWN_WINDOWS}
        if citations is not None and self.before:
            terms, owner, before = self.seen, self.seen_at, self.before
            queries = [self.windows[WINDOWS.index(window)] for window in _OWN_WINDOWS]
            idf = _idf_of(terms, np.concatenate(queries), before)
            weights = idf[terms]
            norms = np.sqrt(np.bincount(owner, weights**2, minlength=before))
            norms[norms == 0.0] = 1.0
            pairs, entries = self._pairs()
            lengths = np.sqrt(np.bincount(entries, norms[pairs] ** 2, minlength=self.number))
            lengths[lengths == 0.0] = 1.0
            for window, query in zip(_OWN_WINDOWS, queries, strict=True):
                if not len(query):
                    continue
                sought = np.bincount(query, minlength=len(idf)) * idf
                sought /= np.sqrt((sought**2).sum()) or 1.0
                dots = np.bincount(owner, weights * sought[terms], minlength=before)
                np.maximum.at(best[window], entries, (dots / norms)[pairs])
                joined[window] = np.bincount(entries, dots[pairs], minlength=self.number) / lengths
            here = self.evidence.ids.of(self.left[-LAST_WORDS:])
            if len(here):
                final = self.evidence.ids[self.left[-1]]
                shared = np.zeros(before)
                ends_alike = np.zeros(before)
                sought_last = {term: _at(idf, term) for term in here.tolist()}
                for number, own in enumerate(citations.last[:before]):
                    if len(own):
                        shared[number] = sum(
                            sought_last.get(term, 0.0) for term in set(own.tolist())
                        )
                        ends_alike[number] = final >= 0 and int(own[-1]) == final
                np.maximum.at(last, entries, shared[pairs])
                weight = _at(idf, final)
                np.maximum.at(last_word, entries, ends_alike[pairs] * weight)
        self._add("own.last3", last)
        self._add_relative("own.last3_rel", last)
        self._add("own.last_word", last_word)
        for window in _OWN_WINDOWS:
            self._add(f"own.{window}.best", best[window])
            self._add(f"own.{window}.joined", joined[window])
            self._add_relative(f"own.{window}.rel", best[window])

    def _pairs(self) -> tuple[npt.NDArray[np.int64], Positions]:
        """Return the citation and the entry, by its place among those chosen, of earlier pairs."""
        citations = self.place.citations
        if citations is None:
            return np.empty(0, np.int64), np.empty(0, np.intp)
        end = int(citations.pair_start[self.before])
        return citations.pair_citation[:end], self.slot[citations.pair_entry[:end]]

    # Names

    def _named(self) -> dict[str, Floats]:
        """Return how many words from the place each entry is named, in several ways."""
        fields, entries = self.fields, len(self.fields)
        distances = {
            kind: np.full(entries, FAR) for kind in ("any", "first", "acronym", "key", "year")
        }
        number, rare = np.zeros(entries), np.zeros(entries)
        right = enumerate(self.right[:_NAME_WORDS_RIGHT])
        words = [
            *((word, float(at)) for at, word in enumerate(reversed(self.left[-_NAME_WORDS:]))),
            *((word, at + 0.5) for at, word in right),
        ]
        #: A common word is no key.
        most_keys = max(3.0, 0.2 * entries)
        seen: set[str] = set()

        def note(kind: str, named: Ids, distance: float) -> None:
            distances[kind][named] = np.minimum(distances[kind][named], distance)

        for word, distance in words:
            name = folded(word)
            if name in seen:
                continue
            seen.add(name)
            if _YEAR.fullmatch(word):
                note("year", np.flatnonzero(fields.years == int(word)).astype(np.int32), distance)
            if (numbered := fields.names.get(name)) is None:
                continue
            if word[:1].isupper() or not word[:1].isascii():
                own = fields.by_author[numbered]
                note("any", own, distance)
                number[own] += 1.0
                note("first", fields.by_first_author[numbered], distance)
            own = fields.by_acronym[numbered]
            if len(own) and sum(map(str.isupper, word)) >= 2:
                note("acronym", own, distance)
                rare[own] = np.maximum(rare[own], 1.0 / len(own))
            own = fields.by_key_word[numbered]
            if len(own) < most_keys:
                note("key", own, distance)
        return {**distances, "number": number, "acronym_rare": rare}

    def _names(self, named: Mapping[str, Floats]) -> None:
        chosen = self.positions
        for kind, values in named.items():
            self._add(f"name.{kind}", values[chosen])
        name, year = named["any"][chosen], named["year"][chosen]
        is_both = (name < FAR) & (year < FAR)
        self._add("name.year_and_name", np.where(is_both, np.maximum(name, year), FAR))
        # "GAE" within the initials of "… Using Generalized Advantage Estimation".
        short = [
            word.lower()
            for word in reversed(self.left[-25:])
            if 3 <= len(word) <= 6 and word.isupper()
        ]
        within = np.zeros(self.number)
        for slot, position in enumerate(chosen.tolist() if short else ()):
            initials = self.fields.initials[position]
            at = next((at for at, acronym in enumerate(short) if acronym in initials), None)
            within[slot] = 0.0 if at is None else 1.0 / (1 + at)
        total = within.sum()
        self._add("name.initials", within)
        self._add("name.initials_rare", within / total if total else within)

    # What was cited before

    def _history(self) -> None:
        zeros = np.zeros(self.number)
        names = ("count", "paragraph", "section", "adjacent")
        cited = dict.fromkeys(names, zeros)
        since, characters = np.full(self.number, _NEVER), np.full(self.number, _NEVER_CHARACTERS)
        recency = np.full(self.number, 9_999.0)
        cocited = dict.fromkeys(("paragraph", "event", "follow"), zeros)
        citations, offset, before = self.place.citations, self.place.offset, self.before
        total, distinct = 1.0, 0
        if citations is not None and before:
            pairs, entries = self._pairs()
            starts, text = citations.starts[pairs], self.place.text

            def count(chosen: npt.NDArray[np.bool_]) -> Floats:
                return np.bincount(entries[chosen], minlength=self.number).astype(np.float64)

            cited["count"] = np.bincount(entries, minlength=self.number).astype(np.float64)
            total, distinct = float(len(pairs)), int((cited["count"] > 0).sum())
            last = np.full(self.number, -1, np.int64)
            last[entries] = pairs  # in reading order: the latest stays
            known = last >= 0
            since[known] = before - last[known]
            characters[known] = offset - citations.starts[last[known]]
            order = np.argsort(-last[known], kind="stable")
            ranks = np.empty(len(order))
            ranks[order] = np.arange(len(order))
            recency[known] = ranks
            paragraph, section = text.paragraph(offset), text.section(offset)
            paragraphs = citations.paragraphs[pairs]
            cited["paragraph"] = count((paragraphs == paragraph) & (offset - starts < _PARAGRAPH))
            cited["section"] = count(
                (citations.sections[pairs] == section) & (offset - starts < _SECTION)
            )
            between = text.citing.text[int(citations.starts[before - 1]) + 1 : offset]
            if len(between) <= 3 and not any(map(str.isalnum, between)):
                adjacent = zeros.copy()
                adjacent[self.slot[citations.cited_by(before - 1)]] = 1.0
                cited["adjacent"] = adjacent
            is_recent = np.zeros(self.number, np.bool_)
            is_recent[self.slot[self.recent]] = True
            hits = is_recent[entries]
            others = np.unique(paragraphs[hits & (paragraphs != paragraph)])
            cocited["paragraph"] = count(np.isin(paragraphs, others))
            cocited["event"] = count(np.isin(pairs, np.unique(pairs[hits])))
            is_last = np.zeros(self.number, np.bool_)
            is_last[self.slot[citations.cited_by(before - 1)]] = True
            following = np.unique(pairs[is_last[entries]]) + 1
            cocited["follow"] = count(np.isin(pairs, following))
        self._add("cited.count", cited["count"])
        self._add("cited.share", cited["count"] / total)
        self._add("cited.since_events", np.log1p(since))
        self._add("cited.since_chars", np.log1p(characters))
        self._add("cited.recency_rank", recency)
        for name in names[1:]:
            self._add(f"cited.{name}", cited[name])
        for name, values in cocited.items():
            self._add(f"cocited.{name}", values)
        self._in_library()
        self._same_authors()
        self._neighbours()
        rates = np.zeros(len(RATES)) if citations is None else citations.rates[before]
        for name, rate in zip(RATES, rates.tolist(), strict=True):
            self._add(f"rate.{name}", rate if before >= 3 else np.nan)
        entries_in_all = len(self.fields)
        self._add("list.entries", np.log1p(entries_in_all))
        self._add("list.citations", np.log1p(before))
        self._add("list.distinct", distinct / max(1, entries_in_all))
        self._add("list.uncited", np.log1p(entries_in_all - distinct))

    def _in_library(self) -> None:
        """Add how often papers of the library cite an entry together with what was just cited."""
        shared, shared_last = np.zeros(self.number), np.zeros(self.number)
        citing = self.fields.citing
        sizes = np.diff(citing.starts)
        for number, recent in enumerate(self.recent.tolist()):
            own = citing[recent]
            if not len(own):
                continue
            found, _ = self.evidence._cited_in.of_several(own.astype(np.intp))
            together = np.bincount(found, minlength=len(self.fields))[self.positions]
            likeness = together / np.sqrt(len(own) * np.maximum(1, sizes[self.positions]))
            likeness[self.positions == recent] = 0.0
            shared = np.maximum(shared, likeness)
            if number == 0:
                shared_last = likeness
        self._add("cocited.library", shared)
        self._add("cocited.library_last", shared_last)

    def _same_authors(self) -> None:
        fields = self.fields
        same, same_first = np.zeros(len(fields)), np.zeros(len(fields))
        for recent in self.recent.tolist():
            found, _ = fields.by_author.of_several(fields.authors[recent].astype(np.intp))
            np.add.at(same, found[found != recent], 1.0)
            if (first := int(fields.first_authors[recent])) >= 0:
                others = fields.by_first_author[first]
                same_first[others[others != recent]] += 1.0
        self._add("author.same", same[self.positions])
        self._add("author.same_first", same_first[self.positions])

    def _neighbours(self) -> None:
        near = {number: np.full(self.number, np.nan) for number in (1, 3, 8)}
        signed = np.full(self.number, np.nan)
        citations = self.place.citations
        if citations is not None and self.before and self._order_counts(citations):
            end = int(citations.pair_start[self.before])
            latest = citations.pair_entry[max(0, end - 40) : end][::-1].tolist()
            recent = np.asarray(list(dict.fromkeys(latest))[:8], np.float64)
            apart = np.abs(self.positions[:, None] - recent)
            apart[apart == 0.0] = np.inf
            for number in near:
                closest = apart[:, :number].min(axis=1)
                near[number] = np.where(np.isfinite(closest), closest, np.nan)
            signed = np.clip(self.positions - recent[0], -20.0, 20.0)
        for number, values in near.items():
            self._add(f"bib.near{number}", values)
        self._add("bib.signed", signed)

    def _order_counts(self, citations: DraftCitations) -> bool:
        if not self.evidence._has_order:
            return False
        end = int(citations.pair_start[self.before])
        first = np.asarray(list(dict.fromkeys(citations.pair_entry[:end].tolist())))
        if len(first) < _FEWEST_FOR_ORDER:
            return True
        correlation = np.corrcoef(np.arange(len(first)), first)[0, 1]
        return not abs(correlation) > _IN_ORDER_OF_CITATION

    # What is known of the entries

    def _entries(self) -> None:
        fields, evidence, chosen = self.fields, self.evidence, self.positions
        self._add("entry.has_abstract", fields.has_abstract[chosen])
        self._add("entry.has_full_text", fields.has_full_text[chosen])
        self._add("entry.inlinks", evidence._inlinks[chosen])
        self._add("entry.authors", evidence._authors[chosen])
        self._add("entry.title_terms", evidence._title_terms[chosen])
        years = fields.years[chosen].astype(np.float64)
        age = np.clip(evidence._newest - years, -5.0, 80.0)
        self._add("entry.age", np.where(years > 0, age, np.nan))
        for kind in range(OTHER_KIND + 1):
            self._add(f"entry.kind{kind}", fields.kinds[chosen] == kind)


@dataclass(frozen=True, slots=True, eq=False)
class _FieldScores:
    """Scores of entries by windows: `dots` and the others have a column for each window.

    `dots` has a row for each row of the field, the others one for each entry.
    """

    dots: Floats
    cosines: Floats
    bm25: Floats


class _Query:
    """The words of all windows, ready to be compared with any field."""

    def __init__(self, fields: EntryFields, windows: Sequence[Ids], decay: Floats) -> None:
        self.fields = fields
        terms = np.unique(np.concatenate([*windows, NO_IDS]))
        self.terms = terms[terms < len(fields.idf)]
        counts = np.zeros((len(self.terms), len(windows)))
        for number, window in enumerate(windows):
            is_known = window < len(fields.idf)
            weights = decay[is_known] if number == _DECAY else None
            at = np.searchsorted(self.terms, window[is_known])
            if len(at):
                counts[:, number] = np.bincount(at, weights, minlength=len(self.terms))
        self.weights = counts * fields.idf[self.terms][:, None]
        lengths = np.sqrt((self.weights**2).sum(axis=0))
        lengths[lengths == 0.0] = 1.0
        self.unit = self.weights / lengths

    def rough_scores(self) -> Floats:
        """Return for each entry how well it fits the text, roughly: what is looked at closer."""
        chosen = [WINDOWS.index(name) for name in ("left", "sentence", "paragraph", "recent")]
        near = [WINDOWS.index(name) for name in ("near", "headings", "like", "decay")]
        weights = self.unit[:, chosen].sum(axis=1) + self.unit[:, near].sum(axis=1)
        weights *= self.fields.idf[self.terms]
        total = np.zeros(len(self.fields))
        for name in ("title", "passages", "inlinks"):
            field = self.fields.text[name]
            sums = field.columns.sums(self.terms.tolist(), weights, len(field.norms))
            scores = sums / field.norms
            if len(scores) != len(total):
                scores = np.maximum.reduceat(scores, field.first)
            top = scores.max(initial=0.0)
            if top > 0.0:
                total += scores / top
        return total

    def scores(self, field: Field, positions: Positions) -> _FieldScores:
        """Return the scores of the entries at some positions."""
        rows, counts, terms = field.postings(self.terms)
        wanted, first = _rows_of(field.first, len(field.norms), positions)
        if len(wanted) < len(field.norms):
            slot = np.full(len(field.norms), -1, np.intp)
            slot[wanted] = np.arange(len(wanted))
            rows = slot[rows]
            kept = rows >= 0
            rows, counts, terms = rows[kept], counts[kept], terms[kept]
        number, windows = len(wanted), self.unit.shape[1]
        weighted = counts * self.fields.idf[self.terms[terms]]
        saturated = counts * (K1 + 1.0) / (counts + field.saturation[wanted[rows]])
        dots, bm25 = np.empty((number, windows)), np.empty((number, windows))
        for window in range(windows):
            unit, plain = self.unit[:, window], self.weights[:, window]
            dots[:, window] = np.bincount(rows, weighted * unit[terms], minlength=number)
            bm25[:, window] = np.bincount(rows, saturated * plain[terms], minlength=number)
        cosines = dots / field.norms[wanted][:, None]
        if number != len(positions):
            cosines = np.maximum.reduceat(cosines, first, axis=0)
            bm25 = np.maximum.reduceat(bm25, first, axis=0)
        return _FieldScores(dots, cosines, bm25)


def _rows_of(
    first: npt.NDArray[np.int64], rows: int, positions: Positions
) -> tuple[Positions, Positions]:
    """Return the rows of some entries one after the other, and where those of each begin."""
    ends = np.append(first[1:], rows)
    sizes = ends[positions] - first[positions]
    begin = np.cumsum(sizes) - sizes
    found = np.repeat(first[positions] - begin, sizes) + np.arange(int(sizes.sum()))
    return found, begin


def _idf_of(terms: Ids, further: Ids, citations: int) -> Floats:
    """Return the IDF of terms over the words round so many citations."""
    width = int(max(terms.max(initial=-1), further.max(initial=-1))) + 1
    present = np.minimum(np.bincount(terms, minlength=width), citations)
    idf: Floats = np.log((1.0 + citations) / (1.0 + present)) + 1.0
    return idf


def _at(values: Floats, index: int) -> float:
    return float(values[index]) if 0 <= index < len(values) else 0.0
