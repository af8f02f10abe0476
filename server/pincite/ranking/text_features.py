"""Features of the text: the similarity of each window and what is known about an entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from ..representations.columns import sums_of_cells
from ..representations.fields import K1, EntryFields, Single, Texts
from ..text.characters import folded
from .at_place import AtPlace, EntryWords, Floats, Positions, relative
from .windows import WINDOWS, Window, counted

#: The windows and the number of terms by which the entries of a long list are selected.
_ROUGH_WINDOWS: Final = [WINDOWS.index(name) for name in WINDOWS if name != "both"]
_ROUGH_TERMS: Final = 48
#: Words that at least one in this number of entries contains are weak evidence.
_ROUGH_SHARE: Final = 10
_RANKED: Final = ("sentence", "rare")
#: The windows that passages alone, and single inlink contexts, are compared with.
_APART: Final = {"passages": ("sentence", "both", "rare"), "inlink": ("sentence", "rare")}
#: Words with this many first letters in common are often the same word in several languages.
_START: Final = 5
_COGNATES: Final = ("sentence", "far", "topic")
_COLUMN: Final = {window: column for column, window in enumerate(WINDOWS)}


class Query:
    """The terms of all windows, ready to be compared with entries.

    `counts`, `weights` (counts times IDF) and `unit` (of length one) have a row for each window and
    a column for each of the distinct `terms`.
    """

    def __init__(self, fields: EntryFields, windows: Mapping[str, Window]) -> None:
        self._fields = fields
        terms, counts = counted([windows[name] for name in WINDOWS])
        # No entry has words whose numbers are above those of the fields.
        known = int(np.searchsorted(terms, len(fields.idf)))
        self.terms, self.counts = terms[:known], counts[:, :known]
        self.idf = fields.idf[self.terms]
        self.weights = self.counts * self.idf
        lengths = np.sqrt((self.weights**2).sum(axis=1, keepdims=True))
        self.unit = self.weights / np.where(lengths > 0.0, lengths, 1.0)

    def rough_scores(self) -> Single:
        """Return for each entry a rough score by which entries are selected (float32).

        It uses only the most telling words: others are in too many entries of a long list.
        """
        fields, number = self._fields, len(self._fields)
        weights = self.unit[_ROUGH_WINDOWS].sum(axis=0) * self.idf
        chosen = np.argsort(-weights, kind="stable")[:_ROUGH_TERMS]
        common = 1.0 + np.log((1.0 + number) / (1.0 + number / _ROUGH_SHARE))
        telling = chosen[self.idf[chosen] >= common]
        chosen = np.sort(telling if len(telling) else chosen)
        terms, weights = self.terms[chosen], weights[chosen]
        entries, which = fields.titled.of_several(terms)
        shares = np.bincount(entries, weights[which], minlength=number)
        titles = np.asarray(shares / np.sqrt(fields.saturation), np.float64)
        inside, outside = fields.passages, fields.inlinks
        dots = inside.columns.postings(terms).sums(weights, len(inside.norms))
        if len(outside.columns):
            cited = outside.columns.postings(terms).sums(weights, len(outside.norms))
            sizes = np.diff(inside.first, append=len(inside.norms))
            dots += np.repeat(np.add.reduceat(cited, outside.first), sizes)
        best = np.maximum.reduceat(dots / fields.norms, inside.first)
        total = relative(titles) + 2.0 * relative(best)
        return total.astype(np.float32)


def add_text(
    at: AtPlace, query: Query, windows: Mapping[str, Window]
) -> tuple[Floats, Floats, EntryWords]:
    """Add the scores of the windows.

    Return the internal and external parts of the `both` cosine, and the words that the entries
    share with the windows.
    """
    fields = at.fields
    inside = _Compared(fields.passages, at.positions, query)
    outside = _Compared(fields.inlinks, at.positions, query)
    norms = fields.norms[inside.rows].astype(np.float64)
    cited = np.add.reduceat(outside.dots, outside.first, axis=1)
    best = inside.best((inside.dots + cited[:, inside.owner]) / norms)
    at.add_all([f"mixed.{window}.cos" for window in WINDOWS], best)
    at.add_all([f"mixed.{window}.rel" for window in WINDOWS], relative(best))
    ranked = ranks(best[[_COLUMN[window] for window in _RANKED]])
    at.add_all([f"mixed.{window}.rank" for window in _RANKED], ranked)
    for name, compared in (("passages", inside), ("inlink", outside)):
        cosines = compared.best(compared.cosines)[[_COLUMN[each] for each in _APART[name]]]
        at.add_all([f"{name}.{window}.cos" for window in _APART[name]], cosines)
        at.add_all([f"{name}.{window}.rel" for window in _APART[name]], relative(cosines))
    _add_titles(at, query)
    both = _COLUMN["both"]
    internal = inside.best(inside.dots / norms)[both]
    own, others = inside.words(query), outside.words(query)
    shared = EntryWords(
        np.concatenate([own.terms, others.terms]),
        np.concatenate([own.entries, others.entries]),
        np.concatenate([own.shares, others.shares]),
    )
    return internal, np.maximum(best[both] - internal, 0.0), shared


class _Compared:
    """The texts of some entries compared with all windows.

    `rows` are those of the texts, `owner` the index of the entry of each, `first` where those of
    each entry begin. `dots` and `cosines` have a row for each window and a column for each text.
    """

    def __init__(self, texts: Texts, positions: Positions, query: Query) -> None:
        self.rows, self.first = texts.rows_of(positions)
        number = len(self.rows)
        self.owner = np.repeat(np.arange(len(positions)), np.diff(self.first, append=number))
        slots = np.full(len(texts.norms), -1, np.int32)
        slots[self.rows] = np.arange(number, dtype=np.int32)
        self._norms = texts.norms[self.rows].astype(np.float64)
        self._found = found = texts.columns.postings_in(query.terms, slots)
        weights = query.unit * query.idf
        window, posting = np.nonzero(weights[:, found.terms])
        shares = weights[window, found.terms[posting]] * found.counts[posting]
        cells = window * number + found.rows[posting]
        self.dots = sums_of_cells(cells, shares, (len(WINDOWS), number))
        self.cosines = self.dots / self._norms

    def best(self, values: Floats) -> Floats:
        """Return the best value of the texts of each entry (windows by entries)."""
        return np.asarray(np.maximum.reduceat(values, self.first, axis=1), np.float64)

    def words(self, query: Query) -> EntryWords:
        """Return the terms of the query that the texts contain."""
        found, terms = self._found, self._found.terms
        shares = found.counts * query.idf[terms] ** 2 / self._norms[found.rows]
        return EntryWords(query.terms[terms], self.owner[found.rows], shares)


def _add_titles(at: AtPlace, query: Query) -> None:
    """Add BM25 of each title, and the share of its words that are in the text."""
    fields, number = at.fields, at.number
    titles, owner = at.fields.titles.of_several(at.positions)
    column = np.full(len(fields.idf), -1, np.int64)
    column[query.terms] = np.arange(len(query.terms))
    known = np.flatnonzero(column[titles] >= 0)
    cells, counts = np.unique(column[titles[known]] * number + owner[known], return_counts=True)
    term, entry = np.divmod(cells, max(1, number))
    saturated = counts * (K1 + 1.0) / (counts + fields.saturation[at.positions][entry])
    window, which = np.nonzero(query.weights[:, term])
    shares = query.weights[window, term[which]] * saturated[which]
    shape = len(WINDOWS), number
    bm25 = sums_of_cells(window * number + entry[which], shares, shape)
    at.add_all([f"title.{window}.bm25" for window in WINDOWS], bm25)
    total = np.bincount(owner, fields.idf[titles], minlength=number)
    covered = query.idf[term] * (query.counts[_COLUMN["far"], term] > 0.0)
    share = np.bincount(entry, covered, minlength=number) / np.where(total > 0.0, total, 1.0)
    at.add("cover.far.share", share)


def ranks(values: Floats) -> Floats:
    """Return ``log(1 + n)`` for the n better values in the row of each; values of 0 are last.

    Equal values have equal ranks: the order of a bibliography is often that of citation.
    """
    number = values.shape[-1]
    ordered = np.sort(-values, axis=-1)
    better = [np.searchsorted(own, -row) for own, row in zip(ordered, values, strict=True)]
    return np.log1p(np.where(values > 0.0, np.reshape(better, values.shape), number))


class Cognates:
    """Titles by the first letters of their words, which related languages share; immutable.

    `of_terms` has for each term of a title the number of its first letters; the last number stands
    for all that no title begins a word with. `idf` has a value for each, 0 for the last.
    """

    def __init__(self, fields: EntryFields) -> None:
        titled = np.diff(fields.titled.starts) > 0
        starts = {
            term: start
            for term, stem in enumerate(fields.terms)
            if titled[term] and (start := _start(stem))
        }
        self._numbers = {start: n for n, start in enumerate(dict.fromkeys(starts.values()))}
        other = len(self._numbers)
        self.of_terms = np.full(len(fields.idf), other, np.int32)
        for term, start in starts.items():
            self.of_terms[term] = self._numbers[start]
        entries = np.bincount(self.of_terms[fields.titles.values], minlength=other + 1)
        self.idf = np.log((1.0 + len(fields)) / (1.0 + np.minimum(entries, len(fields)))) + 1.0
        self.idf[-1] = 0.0

    def numbers(self, stems: Iterable[str]) -> Positions:
        """Return the number of the first letters of each stem."""
        other = len(self._numbers)
        return np.asarray([self._numbers.get(_start(stem), other) for stem in stems], np.intp)


def _start(stem: str) -> str:
    """Return the first letters of a stem, without accents; empty if it has too few."""
    start = folded(stem)[:_START]
    return start if len(start) == _START and start.isalpha() else ""


def add_cognates(at: AtPlace, windows: Mapping[str, Window], cognates: Cognates) -> None:
    """Add how many words of each title begin as a word of the windows does."""
    titles, owner = at.fields.titles.of_several(at.positions)
    starts, values = cognates.of_terms[titles], []
    for name in _COGNATES:
        terms = windows[name].terms.tolist()
        weights = np.zeros(len(cognates.idf))
        here = cognates.numbers(map(at.ids.stem_of.__getitem__, terms))
        np.maximum.at(weights, here, windows[name].weights)
        shares = (weights * cognates.idf)[starts]
        values.append(np.bincount(owner, shares, minlength=at.number))
    at.add_all([f"title.{name}.start" for name in _COGNATES], np.asarray(values))
    at.add_all([f"title.{name}.start.rel" for name in _COGNATES], relative(np.asarray(values)))
