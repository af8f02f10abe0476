"""Features of the text: how much of each window the fields of an entry have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from ..representations.columns import Postings
from ..representations.entry_terms import NO_IDS
from ..representations.fields import K1, EntryFields, Field
from ..representations.segments import TEXT_FIELDS
from .at_place import AtPlace, Floats, Positions
from .windows import WINDOWS, Window

#: The windows that each field is compared with.
FIELD_WINDOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": WINDOWS,
    "abstract": ("left", "sentence", "paragraph", "decay"),
    "passages": ("left", "sentence", "paragraph", "both", "decay", "rare"),
    "inlinks": ("left", "sentence", "paragraph", "both", "decay", "rare"),
    "inlink": ("left", "sentence", "both", "decay", "since", "rare"),
    "venue": ("left", "headings"),
}
#: Those by which the best of a long list are found, with the fields that are asked.
_ROUGH_FIELDS: Final = ("title", "passages", "inlinks")
_ROUGH_TERMS: Final = 48
#: Words that one in so many entries has tell little.
_ROUGH_SHARE: Final = 10
_RANKED: Final = ("sentence", "left", "decay", "rare")
_COVERING: Final = ("left", "paragraph", "since", "far")
_BIGRAM: Final = 1_000_003


class Query:
    """The terms of all windows, ready to be compared with any field.

    `counts`, `weights` (counts times IDF) and `unit` (of length one, by `lengths`) have a row for
    each of the distinct `terms` and a column for each window.
    """

    def __init__(self, fields: EntryFields, windows: Mapping[str, Window]) -> None:
        self._fields = fields
        terms = np.unique(np.concatenate([*(each.terms for each in windows.values()), NO_IDS]))
        self.terms = terms[terms < len(fields.idf)]
        self.counts = np.zeros((len(self.terms), len(WINDOWS)))
        for column, name in enumerate(WINDOWS):
            window = windows[name]
            is_known = window.terms < len(fields.idf)
            at = np.searchsorted(self.terms, window.terms[is_known])
            np.add.at(self.counts[:, column], at, window.weights[is_known])
        self.idf = fields.idf[self.terms]
        self.weights = self.counts * self.idf[:, None]
        self.lengths = np.sqrt((self.weights**2).sum(axis=0))
        self.lengths[self.lengths == 0.0] = 1.0
        self.unit = self.weights / self.lengths
        self._found: dict[str, tuple[Positions, Postings]] = {}

    def postings(self, name: str, rows: Positions) -> Postings:
        """Return the counts of the terms in some rows of a field; the latest of each are kept."""
        known = self._found.get(name)
        if known is None or known[0] is not rows:
            found = self._fields.text[name].postings_in(self.terms, rows)
            self._found[name] = known = (rows, found)
        return known[1]

    def rough_scores(self) -> Floats:
        """Return for each entry how well it fits the text, roughly: what is looked at closer.

        Only the words that tell most are asked for: others are in too many entries of a long list.
        """
        weights = self.unit.sum(axis=1) * self.idf
        chosen = np.argsort(-weights, kind="stable")[:_ROUGH_TERMS]
        common = 1.0 + np.log((1.0 + len(self._fields)) / (1.0 + len(self._fields) / _ROUGH_SHARE))
        telling = chosen[self.idf[chosen] >= common]
        chosen = np.sort(telling if len(telling) else chosen)
        total = np.zeros(len(self._fields))
        for name in _ROUGH_FIELDS:
            field = self._fields.text[name]
            found = field.postings(self.terms[chosen])
            if not len(found.rows):
                continue
            scores = found.sums(weights[chosen], len(field.norms)) / field.norms
            if len(scores) != len(total):
                scores = np.maximum.reduceat(scores, field.first)
            total += scores / scores.max()
        return total


def add_text(at: AtPlace, query: Query) -> tuple[Floats, Floats]:
    """Add the scores of all fields; return the parts inside and outside of the `both` cosine."""
    dots: dict[str, Floats] = {}
    for name in TEXT_FIELDS:
        dots[name] = _add_field(at, query, name)
    passages = at.fields.text["passages"]
    rows, first = rows_of(passages, at.positions)
    owner = np.repeat(np.arange(at.number), np.diff(np.append(first, len(rows))))
    norms = at.fields.mixed_norms[rows][:, None]
    mixed = np.maximum.reduceat((dots["passages"] + dots["inlinks"][owner]) / norms, first, axis=0)
    for column, window in enumerate(WINDOWS):
        at.add(f"mixed.{window}.cos", mixed[:, column])
    at.add_all_relative([f"mixed.{window}.rel" for window in WINDOWS], mixed)
    for window in _RANKED:
        at.add(f"mixed.{window}.rank", ranks(mixed[:, WINDOWS.index(window)]))
    both = WINDOWS.index("both")
    inside = np.maximum.reduceat(dots["passages"][:, both] / norms[:, 0], first)
    return inside, np.maximum(mixed[:, both] - inside, 0.0)


def _add_field(at: AtPlace, query: Query, name: str) -> Floats:
    """Add the scores of one field; return its dot products, rows of the field by windows."""
    field = at.fields.text[name]
    rows, first = rows_of(field, at.positions)
    asked = FIELD_WINDOWS[name]
    columns = [WINDOWS.index(window) for window in asked]
    number = len(rows)
    if not len(field.columns):
        for window in asked:
            for score in ("cos", "bm25", "rel"):
                at.add(f"{name}.{window}.{score}", 0.0)
        return np.zeros((number, len(WINDOWS)))
    found = query.postings(name, rows)
    # Row by row, so that all windows of a row are summed up at once.
    order = np.argsort(found.rows, kind="stable")
    own, terms = found.rows[order], found.terms[order]
    counts = found.counts[order].astype(np.float64)
    first_of_row = np.flatnonzero(np.diff(own, prepend=-1))
    unit = query.unit[terms]
    saturated = counts * (K1 + 1.0) / (counts + field.saturation[rows[own]])
    dots, bm25 = np.zeros((number, len(WINDOWS))), np.zeros((number, len(asked)))
    if len(own):
        # The dot products of all windows are asked for by `add_text`.
        for sums, parts, values in (
            (dots, unit, counts * query.idf[terms]),
            (bm25, unit[:, columns], saturated),
        ):
            sums[own[first_of_row]] = np.add.reduceat(parts * values[:, None], first_of_row)
    bm25 *= query.lengths[columns]
    cosines = dots[:, columns] / field.norms[rows][:, None]
    if number != at.number:
        cosines = np.maximum.reduceat(cosines, first, axis=0)
        bm25 = np.maximum.reduceat(bm25, first, axis=0)
    for column, window in enumerate(asked):
        at.add(f"{name}.{window}.cos", cosines[:, column])
        at.add(f"{name}.{window}.bm25", bm25[:, column])
    at.add_all_relative([f"{name}.{window}.rel" for window in asked], bm25)
    return dots


def add_titles(at: AtPlace, query: Query, windows: Mapping[str, Window]) -> None:
    """Add how much of each title stands in the text: its words, and pairs of them as they are."""
    fields = at.fields
    titles, owner = fields.facts.titles.of_several(at.positions)
    total = np.bincount(owner, fields.idf[titles], minlength=at.number)
    total[total == 0.0] = 1.0
    found = query.postings("title", at.positions)
    for window in _COVERING:
        is_there = query.counts[found.terms, WINDOWS.index(window)] > 0.0
        own = np.where(is_there, query.idf[found.terms], 0.0)
        best = np.zeros(at.number)
        np.maximum.at(best, found.rows, own)
        covered = np.bincount(found.rows, own, minlength=at.number)
        at.add(f"cover.{window}.share", covered / total)
        at.add(f"cover.{window}.best", best / query.idf.max(initial=1.0))
    terms = windows["decay"].terms
    is_pair = owner[:-1] == owner[1:]
    pairs = (titles[:-1].astype(np.int64) * _BIGRAM + titles[1:])[is_pair]
    idf = (fields.idf[titles[:-1]] + fields.idf[titles[1:]])[is_pair]
    written = np.isin(pairs, terms[:-1].astype(np.int64) * _BIGRAM + terms[1:])
    at.add("title.bigrams", np.bincount(owner[:-1][is_pair], written * idf, minlength=at.number))


def ranks(values: Floats) -> Floats:
    """Return the logarithm of how many values are better than each; nothing is behind all.

    Equal values rank alike: the order of a bibliography often is that of citation.
    """
    better = np.searchsorted(np.sort(-values), -values)
    return np.asarray(np.log1p(np.where(values > 0.0, better, len(values))), np.float64)


def rows_of(field: Field, positions: Positions) -> tuple[Positions, npt.NDArray[np.int64]]:
    """Return the rows of some entries one after the other, and where those of each begin."""
    if len(field.norms) == len(field.first):
        return positions, np.arange(len(positions))
    ends = np.append(field.first[1:], len(field.norms))
    sizes = ends[positions] - field.first[positions]
    begin = np.cumsum(sizes) - sizes
    found = np.repeat(field.first[positions] - begin, sizes) + np.arange(int(sizes.sum()))
    return found, begin
