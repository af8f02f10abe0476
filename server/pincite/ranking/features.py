"""Evidence for each entry at a place, as numbers: the input of the learned ranker.

The first part of a feature's name is its kind of evidence: the similarity of a window and all that
is known of an entry (``mixed.sentence.cos``), its title (``title.sentence.bm25``), its best passage
(``passages``) or inlink context (``inlink``), the words around earlier citations (``own``), names
(``name``), what was cited before (``cited``, ``cocited``, ``author``, ``year``, ``bib``), what has
worked in the draft so far (``habit``), and facts about the entry, the list and the place. A feature
that cannot be known is NaN. Of the text after the place, only the words on the right are used,
where these are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from ..contexts.surroundings import SurroundedText
from ..model.citing_text import PartCache
from ..representations.entry_terms import NO_IDS, TermIds
from ..representations.fields import EntryFields, Single
from ..text.characters import folded
from ..text.tokens import composed, words
from .at_place import (
    FAR,
    AtPlace,
    Features,
    Floats,
    Place,
    Positions,
    relative,
)
from .draft_citations import DraftTerms, PartTerms
from .history_features import add_authors, add_cited, add_habits, add_neighbours, add_own
from .library_prior import Familiar
from .meaning_features import Meanings, add_meaning
from .name_features import Naming, add_names, named
from .text_features import Cognates, Query, add_cognates, add_text, ranks
from .windows import OWN_WINDOWS, WINDOWS, windows_at

__all__ = ["FAR", "MAX_WHOLE", "Evidence", "Features", "Place"]

#: In bibliographies of at most this size, all entries are scored; in larger ones, those that fit
#: the text best, and those that the draft cites: all of them, in most drafts.
MAX_WHOLE: Final = 400
_MAX_BY_TEXT: Final = 150
_MAX_CITED: Final = 100
_MAX_BY_MEANING: Final = 50
#: The number of works after which having been cited counts half.
_RECENT_WORKS: Final = 10.0
_BESIDE: Final = 5
_MIN_WITH_ORDER: Final = 5
_LISTED: Final = ("words", "wide", "own", "every", "title")


class Evidence:
    """The evidence for the entries of one bibliography, at any place.

    Safe to use from several threads.
    """

    def __init__(
        self,
        fields: EntryFields,
        ids: TermIds,
        *,
        has_order: bool,
        meanings: Meanings | None = None,
    ) -> None:
        """Take the entries, and the numbers of their terms.

        `has_order` is whether the order of the entries is that in which they were added. Only
        with `meanings`, there are features of meaning.
        """
        self.fields = fields
        self.ids = ids
        self._meanings = meanings
        self._parts = PartCache[PartTerms]()
        self._cognates = Cognates(fields)
        #: Of the latest text.
        self._draft: DraftTerms | None = None
        years = fields.years[fields.years > 0].astype(np.float64)
        #: Years far in the future are mistakes.
        self._newest = float(np.quantile(years, 0.98)) if len(years) else 0.0
        self._authors = np.log1p(np.diff(fields.authors.starts).astype(np.float64))
        self._title_terms = np.log1p(np.diff(fields.titles.starts).astype(np.float64))
        self._has_order = has_order and len(fields) >= _MIN_WITH_ORDER

    def at(self, place: Place) -> Features:
        """Return the features of the entries that may be cited at a place.

        Of more than `MAX_WHOLE` entries, these are the few hundred that fit the text best by a
        rough score, which includes names, and those that the draft cites before the place; if these
        are very many, those cited most recently.
        """
        draft = self._terms(place.text)
        at = AtPlace(self.fields, self.ids, draft, place, has_order=self._has_order)
        windows, dots = windows_at(at)
        query = Query(self.fields, windows)
        naming = named(at)
        cosines = None if self._meanings is None else self._meanings.cosines(at)
        at.select(self._chosen(at, query, naming, cosines))
        inside, outside, words = add_text(at, query, windows)
        add_cognates(at, windows, self._cognates)
        vote = add_own(at, dots)
        add_names(at, naming)
        add_cited(at)
        add_authors(at)
        add_neighbours(at, vote)
        add_habits(at)
        self._add_entries(at)
        _add_lists(at)
        if cosines is not None:
            add_meaning(at, cosines)
        return at.features(inside, outside, words)

    def _terms(self, text: SurroundedText) -> DraftTerms:
        """Return how rare terms are in a text."""
        known = self._draft
        if known is None or known.text is not text:
            parts = self._parts.of(text.citing, lambda part: PartTerms.of(part, self.ids))
            self._draft = known = DraftTerms(text, parts)
        return known

    def _chosen(
        self, at: AtPlace, query: Query, found: Sequence[Naming], cosines: Floats | None
    ) -> Positions:
        if len(self.fields) <= MAX_WHOLE:
            return np.arange(len(self.fields))
        rough = query.rough_scores()
        for kind in ("any", "acronym", "key"):
            near = [own.entries for own in found if own.kind == kind]
            rough[np.concatenate([NO_IDS, *near])] += 1.0  # once for each kind
        if self._has_order and len(at.recent):
            beside = at.recent[:, None] + np.arange(-_BESIDE, _BESIDE + 1)
            rough[beside[(beside >= 0) & (beside < len(rough))]] += 1.0
        is_chosen = np.zeros(len(rough), np.bool_)
        # Most entries have next to nothing in common with the text.
        high = np.flatnonzero(rough > 0.25 * rough.max())
        by_text = high if len(high) >= _MAX_BY_TEXT else np.flatnonzero(rough)
        is_chosen[_best(by_text, rough, _MAX_BY_TEXT)] = True
        if len(at.cited):
            rough[at.cited] += 1.0 / (1.0 + np.arange(len(at.cited)) / _RECENT_WORKS)
            is_chosen[_best(at.cited, rough, _MAX_CITED)] = True
            is_chosen[at.recent] = True
        if cosines is not None:
            known = np.flatnonzero(~np.isnan(cosines))
            is_chosen[_best(known, cosines, _MAX_BY_MEANING)] = True
        return np.flatnonzero(is_chosen)

    def _add_entries(self, at: AtPlace) -> None:
        fields, chosen = self.fields, at.positions
        at.add("entry.authors", self._authors[chosen])
        at.add("entry.title_terms", self._title_terms[chosen])
        years = fields.years[chosen].astype(np.float64)
        age = np.clip(self._newest - years, -5.0, 80.0)
        at.add("entry.age", np.where(years > 0, age, np.nan))
        at.add("entry.is_book", fields.is_book[chosen])
        since = np.nan
        if at.before:
            since = float(at.place.offset - at.citations.starts[at.before - 1])
        at.add_same("place.since", np.log1p(since))

    def matched(self, context: Sequence[str], found: Features, slots: Positions) -> list[list[str]]:
        """Return for some entries the words of a context that each contains, by falling weight.

        `slots` are the rows of the entries in `found`.
        """
        word_of: dict[int, str] = {}
        for word in context:
            word_of.setdefault(self.ids[word], composed(word).lower())
        # Words of equal weight are in alphabetical order.
        terms = sorted(word_of, key=word_of.__getitem__)
        column = {term: number for number, term in enumerate(terms)}
        row = np.full(len(found.positions), -1, np.intp)
        row[slots] = np.arange(len(slots))
        rows = row[found.words.entries]
        own = np.flatnonzero(rows >= 0)
        columns = np.asarray(
            [column.get(term, -1) for term in found.words.terms[own].tolist()], np.intp
        )
        # The last column is of the words that are not in the context.
        weights = np.zeros((len(slots), len(terms) + 1))
        np.maximum.at(weights, (rows[own], columns), found.words.shares[own])
        weights = weights[:, :-1]
        ordered = np.argsort(-weights, axis=1, kind="stable")
        return [
            [word_of[terms[at]] for at in order.tolist() if own[at] > 0.0]
            for own, order in zip(weights, ordered, strict=True)
        ]

    def familiar(self, title: str, names: Iterable[str], place: Place) -> Familiar:
        """Return what the entries and a place have in common with another work."""
        terms = np.unique(self.ids.of(words(title)))
        known = self._titles_with[terms[terms < len(self._titles_with)]]
        titles = float(np.sqrt(known.sum() / max(1, len(terms))))
        paragraph = self._terms(place.text).of_paragraph(place.text.paragraph(place.offset))
        shared = int(np.isin(terms, paragraph).sum())
        numbers = (self.fields.names.get(folded(name), -1) for name in names)
        has_author = any(n >= 0 and len(self.fields.by_author[n]) for n in numbers)
        return Familiar(titles, shared, has_author)

    @cached_property
    def _titles_with(self) -> Floats:
        """Of each term, the logarithm of one more than the number of titles that have it."""
        return np.log1p(np.diff(self.fields.titled.starts).astype(np.float64))

    def named_by(self, word: str) -> frozenset[int]:
        """Return the positions of the entries that a word names, by an author or by the work.

        A word of a key that the title has as well is shared, but names nobody.
        """
        fields = self.fields
        is_acronym, is_name = sum(map(str.isupper, word)) >= 2, not word[:1].islower()
        # Most words are in lower case.
        number = fields.names.get(folded(word)) if is_acronym or is_name else None
        if number is None:
            return frozenset()
        found = {*fields.by_acronym[number].tolist()} if is_acronym else set()
        if is_name:
            term, titles = self.ids[word], fields.titles
            found.update(fields.by_author[number].tolist())
            found.update(at for at in fields.by_key_word[number].tolist() if term not in titles[at])
        return frozenset(found)


def _best(positions: Positions, values: Single | Floats, most: int) -> Positions:
    """Return the positions with the highest values."""
    if len(positions) > most:
        positions = positions[np.argpartition(-values[positions], most - 1)[:most]]
    return positions


def _add_lists(at: AtPlace) -> None:
    """Add ranks within the list, and margins to the best other entry, of the strongest evidence."""
    titles = {name: relative(at.got(f"title.{name}.bm25")) for name in WINDOWS}
    words = np.mean(
        [
            each
            for name in ("sentence", "rare")
            for each in (at.got(f"mixed.{name}.rel"), titles[name])
        ],
        axis=0,
    )
    wide = np.mean(
        [each for name in ("topic", "far") for each in (at.got(f"mixed.{name}.rel"), titles[name])],
        axis=0,
    )
    wide = 0.8 * wide + 0.2 * at.got("mixed.headings.rel")
    own = np.mean([at.got(f"own.{name}.rel") for name in OWN_WINDOWS], axis=0)
    distance = at.got("name.any")
    name = (distance < 12) * np.exp(-distance / 4.0) + 0.5 * (at.got("name.acronym") < 20)
    name = name + 0.5 * (at.got("name.first") < 12)
    beside = np.nan_to_num(at.got("bib.weighted"))
    beside = beside / (beside.max(initial=0.0) or 1.0)
    recent = np.exp(-at.got("cited.recency_rank") / 5.0)
    every = words + 0.5 * wide + 0.5 * own + name + 0.7 * beside + 0.4 * recent
    values = np.stack([words, wide, own, every, titles["rare"]])
    at.add_all([f"list.{label}" for label in _LISTED], values)
    at.add_all([f"list.{label}.rank" for label in _LISTED], ranks(values))
    at.add_all([f"list.{label}.margin" for label in _LISTED], _margins(values))


def _margins(values: Floats) -> Floats:
    """Return the difference of each value to the best of the others in its row."""
    if values.shape[1] < 2:
        return values
    second, best = np.partition(values, -2, axis=1)[:, -2:].T
    margins = values - best[:, None]
    margins[np.arange(len(values)), np.argmax(values, axis=1)] = best - second
    return np.asarray(margins, np.float64)
