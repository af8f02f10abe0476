"""Features of the text: the similarity of each window and the fields of an entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..representations.columns import Postings, sums_of_cells
from ..representations.entry_terms import Ids
from ..representations.fields import K1, TEXT_FIELDS, EntryFields, Single
from ..representations.lists import ranges
from .at_place import AtPlace, EntryWords, Floats, Positions, relative
from .windows import WINDOWS, Window, counted

#: The windows that each field is compared with.
FIELD_WINDOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": WINDOWS,
    "abstract": ("left", "sentence"),
    "passages": ("left", "sentence", "both", "rare"),
    "inlinks": ("left", "sentence", "both", "rare"),
    "inlink": ("left", "sentence", "since", "rare"),
    "venue": ("left", "headings"),
}
#: The fields whose dot products with all windows are needed, for `mixed`.
_MIXED: Final = ("passages", "inlinks")
#: The fields and the number of terms by which the entries of a long list are selected.
_ROUGH_FIELDS: Final = ("title", "passages", "inlinks")
_ROUGH_WINDOWS: Final = [WINDOWS.index(name) for name in WINDOWS if name not in ("left", "both")]
_ROUGH_TERMS: Final = 48
#: Words that at least one in this number of entries contains say little.
_ROUGH_SHARE: Final = 10
_RANKED: Final = ("sentence", "left", "rare")
_COVERING: Final = ("left", "since", "far")
#: The number of terms before the place among whose pairs those of a title are looked for.
_PAIRED: Final = 40
_BIGRAM: Final = 1_000_003

_COLUMN: Final = {window: column for column, window in enumerate(WINDOWS)}
#: The field and the window, by their numbers, of each pair that is compared.
_PAIRS: Final = tuple(
    np.asarray(
        [
            (field, _COLUMN[window])
            for field, name in enumerate(TEXT_FIELDS)
            for window in FIELD_WINDOWS[name]
        ]
    ).T
)
#: Which windows are needed of each field (fields by windows).
_NEEDED: Final = np.asarray(
    [
        [name in _MIXED or window in FIELD_WINDOWS[name] for window in WINDOWS]
        for name in TEXT_FIELDS
    ]
)


def _named(windows: Mapping[str, Sequence[str]], score: str) -> list[str]:
    return [f"{name}.{window}.{score}" for name, own in windows.items() for window in own]


_SCORES: Final = [name for score in ("cos", "bm25", "rel") for name in _named(FIELD_WINDOWS, score)]
#: Trained models depend on the order of features.
_IN_ORDER: Final = [
    f"{name}.{window}.{score}"
    for name in TEXT_FIELDS
    for scores in (("cos", "bm25"), ("rel",))
    for window in FIELD_WINDOWS[name]
    for score in scores
]
_ORDER: Final = np.asarray([_SCORES.index(name) for name in _IN_ORDER])
_MIXED_COSINES, _MIXED_RELATIVE = (_named({"mixed": WINDOWS}, score) for score in ("cos", "rel"))
_MIXED_RANKS: Final = _named({"mixed": _RANKED}, "rank")
_COVERED: Final = [f"cover.{window}.{score}" for window in _COVERING for score in ("share", "best")]


class Query:
    """The terms of all windows, ready to be compared with any field.

    `counts`, `weights` (counts times IDF) and `unit` (of length one, by `lengths`) have a row for
    each window and a column for each of the distinct `terms`.
    """

    def __init__(self, fields: EntryFields, windows: Mapping[str, Window]) -> None:
        self._fields = fields
        terms, counts = counted([windows[name] for name in WINDOWS])
        # No entry has words whose numbers are above those of the fields.
        known = int(np.searchsorted(terms, len(fields.idf)))
        self.terms, self.counts = terms[:known], counts[:, :known]
        self.idf = fields.idf[self.terms]
        self.weights = self.counts * self.idf
        self.lengths = np.sqrt((self.weights**2).sum(axis=1))
        self.lengths[self.lengths == 0.0] = 1.0
        self.unit = self.weights / self.lengths[:, None]

    def rough_scores(self) -> Single:
        """Return for each entry a rough score by which entries are selected (float32).

        It uses only the most telling words: others are in too many entries of a long list.
        """
        weights = self.unit[_ROUGH_WINDOWS].sum(axis=0) * self.idf
        chosen = np.argsort(-weights, kind="stable")[:_ROUGH_TERMS]
        common = 1.0 + np.log((1.0 + len(self._fields)) / (1.0 + len(self._fields) / _ROUGH_SHARE))
        telling = chosen[self.idf[chosen] >= common]
        chosen = np.sort(telling if len(telling) else chosen)
        total = np.zeros(len(self._fields), np.float32)
        for name in _ROUGH_FIELDS:
            field = self._fields.text[name]
            found = field.postings(self.terms[chosen])
            if not len(found.rows):
                continue
            scores = found.sums(weights[chosen], len(field.norms)).astype(np.float32)
            scores /= field.norms
            if len(scores) != len(total):
                scores = np.maximum.reduceat(scores, field.first)
            scores /= scores.max()
            total += scores
        return total


class _Compared:
    """The similarities of all fields of some entries to all windows.

    The rows of all fields follow one another: those of field f start at ``begins[f]``. `dots` and
    `bm25` have a row for each window and a column for each row of a field. The title, of which the
    postings are given, is the first field.
    """

    def __init__(
        self, fields: EntryFields, query: Query, positions: Positions, titles: Postings
    ) -> None:
        text = [fields.text[name] for name in TEXT_FIELDS]
        self.rows, self.first = zip(*(field.rows_of(positions) for field in text), strict=True)
        self.begins = np.cumsum([0, *map(len, self.rows)])
        number = int(self.begins[-1])
        used = query.counts > 0.0
        lists = [titles]
        for field, rows, needed in zip(text[1:], self.rows[1:], _NEEDED[1:], strict=True):
            asked = np.flatnonzero(used[needed].any(axis=0))
            found = field.postings_in(query.terms[asked], rows)
            lists.append(Postings(found.rows, found.counts, found.sizes, asked[found.asked]))
        found = Postings.joined(lists)
        of_field = np.repeat(np.arange(len(text)), [len(each.sizes) for each in lists])
        row = found.rows + np.repeat(self.begins[:-1], [len(each.rows) for each in lists])
        saturation = np.concatenate(
            [field.saturation[rows] for field, rows in zip(text, self.rows, strict=True)]
        )
        counts = found.counts.astype(np.float64)
        saturated = counts * (K1 + 1.0) / (counts + saturation[row])
        # Each list of postings, once for each window that contains its term.
        which, window = np.nonzero(used.T[found.asked] & _NEEDED[of_field])
        sizes = found.sizes[which]
        at = ranges((np.cumsum(found.sizes) - found.sizes)[which], sizes)
        cell = row[at] + np.repeat(window * number, sizes)
        term = found.asked[which]

        def summed(weights: Floats, values: Floats) -> Floats:
            shares = np.repeat(weights, sizes) * values[at]
            return sums_of_cells(cell, shares, (len(WINDOWS), number))

        self._terms, self._rows, self._counts = found.terms, row, counts
        self.dots = summed(query.unit[window, term] * query.idf[term], counts)
        self.bm25 = summed(query.unit[window, term], saturated) * query.lengths[:, None]
        self.norms = np.concatenate(
            [field.norms[rows] for field, rows in zip(text, self.rows, strict=True)]
        )

    def best(self, values: Floats) -> Floats:
        """Return the best value of each entry's rows, by field and window (pairs by entries)."""
        entries = len(self.rows[0])
        best = np.empty((len(WINDOWS), len(TEXT_FIELDS), entries))
        for field, first in enumerate(self.first):
            own = values[:, self.begins[field] : self.begins[field + 1]]
            several = own.shape[1] != entries
            best[:, field] = np.maximum.reduceat(own, first, axis=1) if several else own
        field, window = _PAIRS
        return np.asarray(best[window, field])

    def words(self, query: Query, names: Sequence[str]) -> EntryWords:
        """Return the query's terms that some fields of each entry contain."""
        fields = [TEXT_FIELDS.index(name) for name in names]
        begins, ends = self.begins[fields], self.begins[1:][fields]
        number = len(self.rows[0])
        owner = np.full(int(self.begins[-1]), -1, np.intp)
        for field, begin, end in zip(fields, begins.tolist(), ends.tolist(), strict=True):
            sizes = np.diff(self.first[field], append=end - begin)
            owner[begin:end] = np.repeat(np.arange(number), sizes)
        kept = np.flatnonzero(owner[self._rows] >= 0)
        rows, terms = self._rows[kept], self._terms[kept]
        shares = self._counts[kept] * query.idf[terms] ** 2 / self.norms[rows]
        return EntryWords(query.terms[terms], owner[rows], shares)

    def dots_of(self, name: str) -> Floats:
        """Return the dot products of one field (windows by rows)."""
        field = TEXT_FIELDS.index(name)
        return self.dots[:, self.begins[field] : self.begins[field + 1]]


def add_text(
    at: AtPlace, query: Query, windows: Mapping[str, Window]
) -> tuple[Floats, Floats, EntryWords]:
    """Add the scores of all fields.

    Return the internal and external parts of the `both` cosine, and the words that the entries
    share with the windows.
    """
    titles = _Titles.of(at, query)
    found = _Compared(at.fields, query, at.positions, titles.postings)
    cosines, bm25 = found.best(found.dots / found.norms), found.best(found.bm25)
    at.add_all(_IN_ORDER, np.concatenate([cosines, bm25, relative(bm25)])[_ORDER])
    field = TEXT_FIELDS.index("passages")
    rows, first = found.rows[field], found.first[field]
    owner = np.repeat(np.arange(at.number), np.diff(first, append=len(rows)))
    norms, dots = at.fields.mixed_norms[rows], found.dots_of("passages")
    mixed = (dots + found.dots_of("inlinks")[:, owner]) / norms
    if len(rows) != at.number:
        mixed = np.maximum.reduceat(mixed, first, axis=1)
    at.add_all(_MIXED_COSINES, mixed)
    at.add_all(_MIXED_RELATIVE, relative(mixed))
    ranked = [_COLUMN[window] for window in _RANKED]
    at.add_all(_MIXED_RANKS, ranks(mixed[ranked]))
    _add_titles(at, query, titles, windows["topic"].terms[-_PAIRED:])
    both = _COLUMN["both"]
    inside = np.maximum.reduceat(dots[both] / norms, first)
    return inside, np.maximum(mixed[both] - inside, 0.0), found.words(query, _MIXED)


@dataclass(frozen=True, slots=True, eq=False)
class _Titles:
    """The terms of the titles of the selected entries, in order, with the slots of their entries.

    `postings` are those of the query's terms in them. A few hundred titles are read faster than the
    postings of these terms in all titles of a long list.
    """

    terms: Ids
    owner: Positions
    postings: Postings

    @classmethod
    def of(cls, at: AtPlace, query: Query) -> _Titles:
        terms, owner = at.facts.titles.of_several(at.positions)
        asked = np.full(len(at.fields.idf), -1, np.int64)
        asked[query.terms] = np.arange(len(query.terms))
        which = asked[terms]
        known = np.flatnonzero(which >= 0)
        cells = which[known] * at.number + owner[known]
        found, counts = np.unique(cells, return_counts=True)
        term, rows = np.divmod(found, max(1, at.number))
        sizes = np.bincount(term, minlength=len(query.terms))
        all_terms = np.arange(len(query.terms))
        return cls(terms, owner, Postings(rows, counts, sizes, all_terms))


def _add_titles(at: AtPlace, query: Query, found: _Titles, written: Ids) -> None:
    """Add the share of each title that is in the text: its words, and pairs of adjacent words."""
    fields, number = at.fields, at.number
    titles, owner = found.terms, found.owner
    total = np.bincount(owner, fields.idf[titles], minlength=number)
    total[total == 0.0] = 1.0
    terms = found.postings.terms
    covering = [_COLUMN[window] for window in _COVERING]
    window, posting = np.nonzero(query.counts[covering][:, terms])
    cell = window * number + found.postings.rows[posting]
    idf = query.idf[terms[posting]]
    shares = sums_of_cells(cell, idf, (len(covering), number)) / total
    best = np.zeros((len(covering), number))
    np.maximum.at(best.ravel(), cell, idf)
    at.add_tables(_COVERED, shares, best / query.idf.max(initial=1.0))
    is_written = np.zeros(len(fields.idf), np.bool_)
    is_written[written[written < len(fields.idf)]] = True
    is_in_text = is_written[titles]
    first = np.flatnonzero(is_in_text[:-1] & is_in_text[1:] & (owner[:-1] == owner[1:]))
    pairs = titles[first].astype(np.int64) * _BIGRAM + titles[first + 1]
    written_pairs = written[:-1].astype(np.int64) * _BIGRAM + written[1:]
    # Both are few: comparing all is faster than sorting.
    first = first[(pairs[:, None] == written_pairs).any(axis=1)]
    idf = fields.idf[titles[first]] + fields.idf[titles[first + 1]]
    at.add("title.bigrams", np.bincount(owner[first], idf, minlength=number))


def ranks(values: Floats) -> Floats:
    """Return ``log(1 + n)`` for the n better values in the row of each; values of 0 are last.

    Equal values have equal ranks: the order of a bibliography is often that of citation.
    """
    order = np.argsort(-values, axis=-1)
    falling = np.take_along_axis(values, order, axis=-1)
    better = np.zeros(values.shape, np.intp)
    differs = falling[..., 1:] != falling[..., :-1]
    better[..., 1:] = differs * np.arange(1, values.shape[-1])
    np.maximum.accumulate(better, axis=-1, out=better)
    better[falling <= 0.0] = values.shape[-1]
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.log1p(np.arange(values.shape[-1] + 1))[better], axis=-1)
    return found
