"""Scores of discourse facets: on gold sentences, and by the organisers' script.

The script (``2018-evaluation-script/program/task1_eval.py``, Task 1B) counts a facet only if the
submission has a right sentence for the same pair of papers. Otherwise all gold facets are missed
and no answer is wrong, so the score of any constant answer rises with the number of sentences
returned. Scores on gold sentences do not have this flaw.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from pincite.model.problems import Problem

from ..cited_text.choices import Choices
from ..cited_text.overlap import judged_rows, official_rows, papers_of
from ..corpora.annotations import (
    NOT_JUDGED,
    AnnotatedCorpus,
    AnnotatedPaper,
    Answers,
    GoldFile,
    Key,
    citance_key,
    listed_ids,
    numbers,
    without_tags,
)
from ..measures import Counts, Measure

Facet = Literal["Aim", "Hypothesis", "Implication", "Method", "Results"]
FACETS: Final[tuple[Facet, ...]] = get_args(Facet)

_WORD: Final = re.compile(r"[a-z]+")
#: Gold files of the test set write ``Result_Citation``, training files ``Results_Citation``.
_NAMES: Final[Mapping[str, Facet]] = {
    **{facet.lower(): facet for facet in FACETS},
    "result": "Results",
}
_RESULTS: Final = re.compile(r"results?[ _]citation")


@dataclass(frozen=True, slots=True)
class Sample:
    """A citance as one annotator judged it; `paper` is the id of its reference paper."""

    paper: str
    citing: str
    citance: str
    sentences: tuple[str, ...]
    facets: tuple[Facet, ...]


def facets_in(field: str | None) -> tuple[Facet, ...]:
    """Return the facets in an annotator's field, in any spelling."""
    named = {_NAMES[word] for word in _WORD.findall((field or "").lower()) if word in _NAMES}
    return tuple(facet for facet in FACETS if facet in named)


def samples(
    corpus: AnnotatedCorpus, choices: Sequence[Choices] | None = None
) -> tuple[Sample, ...]:
    """Return a sample for every citance to which an annotator gave sentences and a facet."""
    found: list[Sample] = []
    for number, paper in enumerate(corpus.papers):
        texts = dict(zip(paper.sids, (each.text for each in paper.paper.sentences), strict=True))
        chosen: dict[Key, tuple[str, ...]] = {}
        if choices is not None:
            keys = (citance_key(one.citing, one.written) for one in paper.citances)
            chosen = dict(zip(keys, choices[number].texts(paper), strict=True))
        for file in paper.gold:
            for key, row in judged_rows(file).items():
                facets = facets_in(row.facet)
                if not facets:
                    continue
                if choices is None:
                    wanted = numbers(row.reference_offset)
                    sentences = tuple(text for sid, text in texts.items() if sid in wanted)
                else:
                    sentences = chosen.get(key, ())
                citance = without_tags(row.citation_text)
                found.append(Sample(paper.id, key[0], citance, sentences, facets))
    return tuple(found)


def unknown_facets(corpus: AnnotatedCorpus) -> Iterator[Problem]:
    """Yield a problem for each row with sentences but no known facet, which is not a sample."""
    for paper in corpus.papers:
        for file in paper.gold:
            for row in judged_rows(file).values():
                if not facets_in(row.facet):
                    where = f"{file.name}, citance {row.number}"
                    yield Problem(
                        paper.paper.source, None, f"{where}: {row.facet!r} is not a known facet"
                    )


def written(facet: Facet, corpus: AnnotatedCorpus) -> str:
    """Return a facet in the form that the organisers' script compares: ``method_citation``."""
    if facet != "Results":
        return f"{facet.lower()}_citation"
    spelled = Counter(
        spelling.replace(" ", "_")
        for paper in corpus.papers
        for file in paper.gold
        for row in file.rows
        for spelling in _RESULTS.findall((row.facet or "").lower())
    )
    return max(spelled, key=lambda name: (spelled[name], name), default="results_citation")


Marks = npt.NDArray[np.bool_]
_NO_ROW: Final = ((), ())
#: The ids of the sentences and the facets of a row, as the script reads them.
_Row = tuple[Sequence[str], Sequence[str]]


def official_facets(
    paper: AnnotatedPaper, answers: Answers, facets: Sequence[Sequence[str]]
) -> tuple[Counts, ...]:
    """Return the counts of the organisers' script for each gold file of a paper."""
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
    """Return how often a citance with gold facet i (row) has the `first` answer j (column)."""
    answered = np.eye(wanted.shape[1], dtype=np.int64)[first]
    counts: list[list[int]] = (wanted.T.astype(np.int64) @ answered).tolist()
    return counts
