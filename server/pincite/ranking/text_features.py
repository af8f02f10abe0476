"""Features of the text: the similarity of each window and what is known of an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..representations.columns import Postings, sums_of_cells
from ..representations.entry_terms import Ids
from ..representations.fields import K1, EntryFields, Single
from .at_place import AtPlace, EntryWords, Floats, Positions, relative
from .windows import WINDOWS, Window, counted

#: The windows and the number of terms by which the entries of a long list are selected.
_ROUGH_WINDOWS: Final = [WINDOWS.index(name) for name in WINDOWS if name != "both"]
_ROUGH_TERMS: Final = 48
#: Words that at least one in this number of entries contains say little.
_ROUGH_SHARE: Final = 10
_RANKED: Final = ("sentence", "rare")
#: The number of terms before the place among whose pairs those of a title are looked for.
_PAIRED: Final = 40
_BIGRAM: Final = 1_000_003
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
        dots = fields.passages.postings(terms).sums(weights, len(fields.norms))
        if len(fields.inlinks):
            sizes = np.diff(fields.first, append=len(fields.norms))
            dots += np.repeat(fields.inlinks.postings(terms).sums(weights, number), sizes)
        best = np.maximum.reduceat(dots / fields.norms, fields.first)
        total = relative(titles) + 2.0 * relative(best)
        return total.astype(np.float32)


def add_text(
    at: AtPlace, query: Query, windows: Mapping[str, Window]
) -> tuple[Floats, Floats, EntryWords]:
    """Add the scores of the windows.

    Return the internal and external parts of the `both` cosine, and the words that the entries
    share with the windows.
    """
    fields, number = at.fields, at.number
    rows, first = fields.passages_of(at.positions)
    owner = np.repeat(np.arange(number), np.diff(first, append=len(rows)))
    norms = fields.norms[rows].astype(np.float64)
    inside = fields.passages.postings_in(query.terms, _slots(rows, len(fields.norms)))
    outside = fields.inlinks.postings_in(query.terms, _slots(at.positions, len(fields)))
    weights = query.unit * query.idf
    own = _dots(inside, weights, len(rows))
    mixed = (own + _dots(outside, weights, number)[:, owner]) / norms
    best = np.maximum.reduceat(mixed, first, axis=1)
    at.add_all([f"mixed.{window}.cos" for window in WINDOWS], best)
    at.add_all([f"mixed.{window}.rel" for window in WINDOWS], relative(best))
    ranked = ranks(best[[_COLUMN[window] for window in _RANKED]])
    at.add_all([f"mixed.{window}.rank" for window in _RANKED], ranked)
    _add_titles(at, query, windows["topic"].terms[-_PAIRED:])
    both = _COLUMN["both"]
    internal = np.maximum.reduceat(own[both] / norms, first)
    # Of an entry with inlink contexts, the norm of its first passage stands for all.
    squares = query.idf[np.concatenate([inside.terms, outside.terms])] ** 2
    counts = np.concatenate([inside.counts, outside.counts])
    lengths = np.concatenate([norms[inside.rows], norms[first][outside.rows]])
    shared = EntryWords(
        query.terms[np.concatenate([inside.terms, outside.terms])],
        np.concatenate([owner[inside.rows], outside.rows]),
        counts * squares / lengths,
    )
    return internal, np.maximum(best[both] - internal, 0.0), shared


def _slots(rows: Positions, number: int) -> Ids:
    """Return the index of each of `number` rows among the given, rising ones; -1 for others."""
    slots = np.full(number, -1, np.int32)
    slots[rows] = np.arange(len(rows), dtype=np.int32)
    return slots


def _dots(found: Postings, weights: Floats, rows: int) -> Floats:
    """Return the dot product of each row with each window (windows by rows)."""
    window, posting = np.nonzero(weights[:, found.terms])
    shares = weights[window, found.terms[posting]] * found.counts[posting]
    return sums_of_cells(window * rows + found.rows[posting], shares, (len(weights), rows))


def _add_titles(at: AtPlace, query: Query, written: Ids) -> None:
    """Add BM25 of each title, and the share of it that is in the text: words, and pairs of them."""
    fields, number = at.fields, at.number
    titles, owner = at.facts.titles.of_several(at.positions)
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
    is_written = np.zeros(len(fields.idf), np.bool_)
    is_written[written[written < len(fields.idf)]] = True
    is_in_text = is_written[titles]
    first = np.flatnonzero(is_in_text[:-1] & is_in_text[1:] & (owner[:-1] == owner[1:]))
    pairs = titles[first].astype(np.int64) * _BIGRAM + titles[first + 1]
    written_pairs = written[:-1].astype(np.int64) * _BIGRAM + written[1:]
    first = first[np.isin(pairs, written_pairs)]
    idf = fields.idf[titles[first]] + fields.idf[titles[first + 1]]
    at.add("title.bigrams", np.bincount(owner[first], idf, minlength=number))


def ranks(values: Floats) -> Floats:
    """Return ``log(1 + n)`` for the n better values in the row of each; values of 0 are last.

    Equal values have equal ranks: the order of a bibliography is often that of citation.
    """
    number = values.shape[-1]
    ordered = np.sort(-values, axis=-1)
    better = [np.searchsorted(own, -row) for own, row in zip(ordered, values, strict=True)]
    return np.log1p(np.where(values > 0.0, np.reshape(better, values.shape), number))
