"""Features of the draft: which kind of evidence found the works that it cites before the place.

Authors differ: one writes the words of titles, one repeats five works. These features are the same
for all entries; the trees weigh the other evidence by them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .at_place import AtPlace, Floats
from .draft_citations import DraftCitations

#: How far back a citation counts 1/e of the last one.
_DECAY: Final = 20.0
#: Citations further back than this do not count.
_MAX_CITATIONS: Final = 300
#: A work that was cited so few citations before is cited again.
_SOON: Final = 5
_MIN_PAIRS: Final = 3


def add_habits(at: AtPlace) -> None:
    """Add how much of earlier titles was written, and how often works are cited again, and soon."""
    titled = soon = known = np.nan
    citations = at.place.citations
    first = max(0, at.before - _MAX_CITATIONS)
    begin, end = (0, 0) if citations is None else citations.pair_start[[first, at.before]].tolist()
    if citations is not None and end - begin >= _MIN_PAIRS:
        citing, earlier = citations.pair_citation, citations.earlier[begin:end]
        recent = citing[begin:end]
        weights = np.exp((recent - at.before) / _DECAY)
        is_known = earlier >= 0
        titled = np.average(_written(at, citations, begin, end), weights=weights)
        known = np.average(is_known, weights=weights)
        if is_known.any():
            is_soon = (recent - citing[earlier])[is_known] <= _SOON
            soon = np.average(is_soon, weights=weights[is_known])
    at.add_same("habit.titled", titled)
    at.add_same("habit.soon", soon)
    at.add_same("habit.known", known)


def _written(at: AtPlace, citations: DraftCitations, begin: int, end: int) -> Floats:
    """Return the share of the title of each of some pairs that is around its citation."""
    titles, pair = at.facts.titles.of_several(citations.pair_entry[begin:end])
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
