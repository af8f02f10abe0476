"""Sentence overlap between the answers of a system and those of annotators: three scoring schemes.

`official` counts like the organisers' script ``2018-evaluation-script/program/task1_eval.py``,
which gave the scores of 2018, 2019 and 2020 and those of Ricci et al. (2022):

- An answer is scored against each annotator's file separately. A sentence that one of three
  annotators chose is right once and wrong twice.
- A row is identified by reference paper and citing paper only. If a paper cites twice, its last
  usable row replaces the others, in the gold as in the answers.
- A row in which no ``<S>`` has a text (``NA``, say) is not usable and replaces nothing.
- Ids are strings: one quote at each end is dropped, and an id listed twice counts twice.
- A row whose reference paper is misspelt never matches.

`citance` scores every citance against each annotator separately; `union` against the sentences
that any annotator chose, as the released code of CitRet (Pandey et al. 2022) does. Both join rows
on citing paper and citation text, since the numbers of citances are not reliable, treat ids as
sets, and leave out the answers to unjudged citances. They are not official scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..corpora.annotations import AnnotatedPaper, Answers, GoldFile, Row
from ..corpora.annotators_fields import (
    NOT_JUDGED,
    Key,
    citance_key,
    is_usable,
    listed_ids,
    numbers,
    paper_id,
)
from ..corpora.markup import marked_sentences
from .results import Measure

#: The ids of the sentences chosen for each row.
Chosen = Mapping[Key, Collection[str]]
#: Gold and chosen sentences of a row by their ids.
TextPair = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Counts:
    """Right sentences chosen (`tp`), wrong ones chosen (`fp`), and right ones not chosen."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def measure(self) -> Measure:
        """Precision, recall and F1; 0 if nothing is chosen or wanted."""
        tp = self.tp
        precision = tp / (tp + self.fp) if tp else 0.0
        recall = tp / (tp + self.fn) if tp else 0.0
        f1 = 2 * precision * recall / (precision + recall) if tp else 0.0
        return Measure(precision, recall, f1)


class Scorer:
    """Scores answers to the citances of one reference paper; its gold is read once.

    `official_gold` and `citance_gold` are the annotators' choices, by file, as the two schemes
    read them; `union_gold` is the union of the latter. `official_keys` and `citance_keys` are
    aligned with the citances, and so are answers; an empty answer is not a row. Methods raise
    `ValueError` if the number of answers is not that of the citances.
    """

    def __init__(self, paper: AnnotatedPaper) -> None:
        self.official_keys = tuple((paper.id, each.citing) for each in paper.citances)
        self.citance_keys = tuple(citance_key(each.citing, each.written) for each in paper.citances)
        self._official_rows = tuple(_official_rows(file) for file in paper.gold)
        self.official_gold: tuple[Chosen, ...] = tuple(
            {key: listed_ids(row.reference_offset) for key, row in rows.items()}
            for rows in self._official_rows
        )
        self.citance_gold: tuple[Chosen, ...] = tuple(_by_citance(file) for file in paper.gold)
        self.union_gold: Chosen = _union(self.citance_gold)
        texts = [sentence.text for sentence in paper.paper.sentences]
        self._sentences = dict(zip(paper.sids, texts, strict=True))
        self._written = dict(zip(paper.sids, paper.written or texts, strict=True))

    def official(self, answers: Answers) -> Counts:
        """Return the counts of the organisers' script, summed over annotators."""
        chosen = _answered(self.official_keys, answers)
        return total(overlap(gold, chosen) for gold in self.official_gold)

    def citance(self, answers: Answers) -> Counts:
        """Return the counts over every citance, summed over annotators."""
        chosen = _answered(self.citance_keys, answers)
        return total(overlap(gold, judged(gold, chosen)) for gold in self.citance_gold)

    def union(self, answers: Answers) -> Counts:
        """Return the counts over every citance against what any annotator chose."""
        chosen = _answered(self.citance_keys, answers)
        return overlap(self.union_gold, judged(self.union_gold, chosen))

    def official_pairs(
        self, answers: Answers, *, written: bool = True
    ) -> tuple[tuple[TextPair, ...], ...]:
        """Return, for each gold file, the sentences that ROUGE compares.

        There is a pair for each row of `official` with text on both sides: gold sentences as the
        annotator copied them, chosen ones from the reference paper. With `written`, entities stay
        encoded, as in the organisers' script; otherwise they are decoded.
        """
        sentences = self._written if written else self._sentences
        chosen = {
            key: {sid: sentences[sid] for sid in sids if sid in sentences}
            for key, sids in _answered(self.official_keys, answers).items()
        }
        return tuple(
            tuple((texts, chosen[key]) for key, texts in gold.items() if texts and chosen.get(key))
            for gold in (self._gold_written if written else self._gold_texts)
        )

    @cached_property
    def _gold_texts(self) -> tuple[Mapping[Key, Mapping[str, str]], ...]:
        """Texts of the gold rows, by file; used only by ROUGE."""
        return self._of_gold(_texts)

    @cached_property
    def _gold_written(self) -> tuple[Mapping[Key, Mapping[str, str]], ...]:
        return self._of_gold(_written)

    def _of_gold(
        self, texts: Callable[[str], dict[str, str]]
    ) -> tuple[Mapping[Key, Mapping[str, str]], ...]:
        return tuple(
            {key: texts(row.reference_text) for key, row in rows.items()}
            for rows in self._official_rows
        )


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sum of some counts."""
    return sum(counts, Counts())


def overlap(gold: Chosen, chosen: Chosen) -> Counts:
    """Compare row by row; ids listed twice count twice.

    A row in only one of the two counts as all missed, or all wrong.
    """
    tp = sum(sid in chosen.get(key, ()) for key, sids in gold.items() for sid in sids)
    fp = sum(sid not in gold.get(key, ()) for key, sids in chosen.items() for sid in sids)
    return Counts(tp, fp, sum(map(len, gold.values())) - tp)


def judged(gold: Chosen, chosen: Chosen) -> Chosen:
    """Return the rows of `chosen` that are in `gold`, with their ids as sets."""
    return {key: frozenset(sids) for key, sids in chosen.items() if key in gold}


# How rows are read --------------------------------------------------------------------------------


def _official_rows(file: GoldFile) -> dict[Key, Row]:
    """Return the last usable row for each pair of papers."""
    return {
        (paper_id(row.reference), paper_id(row.citing)): row for row in file.rows if is_usable(row)
    }


def _by_citance(file: GoldFile) -> dict[Key, frozenset[str]]:
    return {
        citance_key(row.citing, row.citation_text): sids
        for row in file.rows
        if row.reference_text != NOT_JUDGED and (sids := numbers(row.reference_offset))
    }


def _union(golds: Iterable[Chosen]) -> dict[Key, frozenset[str]]:
    union: dict[Key, frozenset[str]] = {}
    for gold in golds:
        for key, sids in gold.items():
            union[key] = union.get(key, frozenset()).union(sids)
    return union


def _answered(keys: Iterable[Key], answers: Answers) -> Chosen:
    """Return the answers that have sentences by key, the last one for each."""
    return {key: answer for key, answer in zip(keys, answers, strict=True) if answer}


def _texts(reference_text: str) -> dict[str, str]:
    """Return the sentences that an annotator copied, by id, the last one for each."""
    sentences = marked_sentences(reference_text)
    return {sentence.sid: sentence.text for sentence in sentences if sentence.text}


def _written(reference_text: str) -> dict[str, str]:
    sentences = marked_sentences(reference_text)
    return {sentence.sid: sentence.written for sentence in sentences if sentence.text}
