"""Scores of discourse facets: on gold sentences, and by the organisers' script.

The script (``2018-evaluation-script/program/task1_eval.py``, Task 1B) counts a facet only if the
submission has a right sentence for the same pair of papers. Otherwise all gold facets are missed
and no answer is wrong, so the score of any constant answer rises with the number of sentences
returned. Scores on gold sentences do not have this flaw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..cited_text.overlap import official_rows, papers_of
from ..corpora.annotations import AnnotatedPaper, Answers, GoldFile
from ..corpora.annotators_fields import NOT_JUDGED, Key, listed_ids
from ..measures import Counts, Measure
from .classifier import FACETS, Facet

Marks = npt.NDArray[np.bool_]
_NO_ROW: Final = ((), ())
#: The ids of the sentences and the facets of a row, as the script reads them.
_Row = tuple[Sequence[str], Sequence[str]]


def official_facets(
    paper: AnnotatedPaper, answers: Answers, facets: Sequence[Sequence[str]]
) -> tuple[Counts, ...]:
    """Return the counts of the organisers' script for each gold file of a paper.

    `answers` are the ids of sentences, `facets` those of the citances (``method_citation``), both
    aligned with the citances; a citance without sentences is not a row. Raises `ValueError` if
    either has a different length.
    """
    keys = ((paper.id, citance.citing) for citance in paper.citances)
    rows = zip(keys, answers, facets, strict=True)
    submitted: dict[Key, _Row] = {
        key: (sids, tuple(map(_normalised, named))) for key, sids, named in rows if sids
    }
    return tuple(_count(_gold_rows(file), submitted) for file in paper.gold)


def _count(gold: Mapping[Key, _Row], submitted: Mapping[Key, _Row]) -> Counts:
    tp = fp = 0
    for key, (sids, named) in submitted.items():
        gold_sids, gold_named = gold.get(key, _NO_ROW)
        if not set(sids).isdisjoint(gold_sids):
            tp += sum(facet in named for facet in gold_named)
        if key not in gold or not set(sids).isdisjoint(gold_sids):
            fp += sum(facet not in gold_named for facet in named)
    return Counts(tp, fp, sum(len(named) for _, named in gold.values()) - tp)


def _gold_rows(file: GoldFile) -> dict[Key, _Row]:
    """Return the last usable row for each pair of papers, an empty one if there is none."""
    judged = (row for row in file.rows if row.reference_text != NOT_JUDGED)
    rows: dict[Key, _Row] = dict.fromkeys(map(papers_of, judged), _NO_ROW)
    for key, row in official_rows(file).items():
        named = listed_ids(row.facet) if row.facet else ()
        rows[key] = (listed_ids(row.reference_offset), tuple(map(_normalised, named)))
    return rows


def _normalised(written: str) -> str:
    return written.lower().replace(" ", "_")


def macro(files: Sequence[Measure]) -> Measure:
    """Return the mean precision and recall, and their F1, as in the script."""
    number = max(1, len(files))
    precision = sum(one.precision for one in files) / number
    recall = sum(one.recall for one in files) / number
    both = precision + recall
    return Measure(precision, recall, 2 * precision * recall / both if both else 0.0)


def marks(named: Iterable[Sequence[Facet]]) -> Marks:
    """Return which facets (F) are named for each of n samples (n×F)."""
    found = [[facet in each for facet in FACETS] for each in named]
    return np.asarray(found, np.bool_).reshape(-1, len(FACETS))


def by_facet(wanted: Marks, answered: Marks) -> Iterator[Counts]:
    """Yield the counts of each of F facets; both are n×F."""
    for theirs, ours in zip(wanted.T, answered.T, strict=True):
        tp = int((theirs & ours).sum())
        yield Counts(tp, int(ours.sum()) - tp, int(theirs.sum()) - tp)


def confusion(wanted: Marks, first: npt.NDArray[np.intp]) -> list[list[int]]:
    """Return how often a citance with gold facet i (row) has the `first` answer j (column).

    `wanted` is n×F, `first` (n) the index of the facet with the highest decision. A citance with
    several gold facets counts in the row of each.
    """
    answered = np.eye(wanted.shape[1], dtype=np.int64)[first]
    counts: list[list[int]] = (wanted.T.astype(np.int64) @ answered).tolist()
    return counts
