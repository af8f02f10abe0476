"""Features of the draft: which kind of evidence found the works that it cites before the place.

Authors differ: one writes the words of titles, one repeats five works. These features are the same
for all entries; the trees weigh the other evidence by them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .at_place import AtPlace, Floats
from .draft_citations import DraftCitations

#: A citation so many before the place counts 1/e of the last one.
_DECAY: Final = 20.0
#: A work that was cited so few citations before is cited again.
_SOON: Final = 5
_MIN_PAIRS: Final = 3


def add_habits(at: AtPlace) -> None:
    """Add how much of earlier titles was written, and how often works are cited again, and soon."""
    titled = soon = known = np.nan
    citations = at.place.citations
    end = 0 if citations is None else int(citations.pair_start[at.before])
    if citations is not None and end >= _MIN_PAIRS:
        citing, earlier = citations.pair_citation[:end], citations.earlier[:end]
        weights = np.exp((citing - at.before) / _DECAY)
        is_known = earlier >= 0
        titled = np.average(_written(at, citations, end), weights=weights)
        known = np.average(is_known, weights=weights)
        if is_known.any():
            is_soon = (citing - citing[earlier])[is_known] <= _SOON
            soon = np.average(is_soon, weights=weights[is_known])
    at.add_same("habit.titled", titled)
    at.add_same("habit.soon", soon)
    at.add_same("habit.known", known)


def _written(at: AtPlace, citations: DraftCitations, end: int) -> Floats:
    """Return the share of the title of each of the first pairs that is around its citation."""
    titles, pair = at.facts.titles.of_several(citations.pair_entry[:end])
    width = len(at.seen.counts)
    of_titles = citations.pair_citation[pair] * width + titles
    is_written = np.isin(of_titles, at.seen.owner * width + at.seen.terms)
    idf = at.fields.idf[titles]
    total = np.bincount(pair, idf, minlength=end)
    written = np.bincount(pair, idf * is_written, minlength=end)
    return np.asarray(written / np.where(total > 0.0, total, 1.0), np.float64)
