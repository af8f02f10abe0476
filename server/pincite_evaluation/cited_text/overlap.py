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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Any

from ..corpora import annotations as markup
from ..corpora.annotations import AnnotatedPaper, Answers, GoldFile, Key, Row, citance_key, paper_id
from ..results import Counts, Judgements, Run, overlap, total

#: Gold and chosen sentences of a row by their ids.
TextPair = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Scheme:
    """The keys of the citances, and the rows of each gold file.

    With `only_judged`, answers to citances that a file does not judge are left out, and ids are
    sets.
    """

    keys: tuple[Key, ...]
    gold: tuple[Judgements, ...]
    only_judged: bool = True

    def __call__(self, answers: Answers) -> Counts:
        chosen = self.answered(answers)
        return total(self.compared(gold, chosen) for gold in self.gold)

    def answered(self, answers: Answers) -> Run:
        """Return the answers that have sentences by key, the last one for each."""
        return {key: answer for key, answer in zip(self.keys, answers, strict=True) if answer}

    def compared(self, gold: Judgements, chosen: Run) -> Counts:
        if self.only_judged:
            chosen = {key: frozenset(sids) for key, sids in chosen.items() if key in gold}
        return overlap(chosen, gold)

    @property
    def wanted(self) -> int:
        return sum(len(sids) for gold in self.gold for sids in gold.values())


class Scorer:
    """Scores answers to the citances of one reference paper by the three schemes.

    Answers are aligned with the citances; an empty one is not a row.
    """

    def __init__(self, paper: AnnotatedPaper) -> None:
        self._paper = paper
        self._official_rows = tuple(official_rows(file) for file in paper.gold)
        self.official = Scheme(
            tuple((paper.id, each.citing) for each in paper.citances),
            tuple(
                {key: markup.listed_ids(row.reference_offset) for key, row in rows.items()}
                for rows in self._official_rows
            ),
            only_judged=False,
        )
        self.citance = Scheme(
            tuple(citance_key(each.citing, each.written) for each in paper.citances),
            tuple(
                {
                    key: markup.numbers(row.reference_offset)
                    for key, row in judged_rows(file).items()
                }
                for file in paper.gold
            ),
        )
        union: dict[Key, frozenset[str]] = {}
        for gold in self.citance.gold:
            for key, sids in gold.items():
                union[key] = union.get(key, frozenset()).union(sids)
        self.union = Scheme(self.citance.keys, (union,))

    @property
    def cited(self) -> list[frozenset[int]]:
        """The positions of the sentences that any annotator chose, for each citance."""
        positions = {sid: position for position, sid in enumerate(self._paper.sids)}
        (union,) = self.union.gold
        return [
            frozenset(positions[sid] for sid in union.get(key, ()) if sid in positions)
            for key in self.union.keys
        ]

    def official_pairs(
        self, answers: Answers, *, written: bool = True
    ) -> tuple[tuple[TextPair, ...], ...]:
        """Return, for each gold file, the sentences that ROUGE compares."""
        texts = [sentence.text for sentence in self._paper.paper.sentences]
        listed = (self._paper.written or texts) if written else texts
        sentences = dict(zip(self._paper.sids, listed, strict=True))
        chosen = {
            key: {sid: sentences[sid] for sid in sids if sid in sentences}
            for key, sids in self.official.answered(answers).items()
        }
        pairs: list[tuple[TextPair, ...]] = []
        for rows in self._official_rows:
            own = []
            for key, row in rows.items():
                copied = {
                    each.sid: each.written if written else each.text
                    for each in markup.marked_sentences(row.reference_text)
                    if each.text
                }
                if copied and chosen.get(key):
                    own.append((copied, chosen[key]))
            pairs.append(tuple(own))
        return tuple(pairs)


def official_rows(file: GoldFile) -> dict[Key, Row]:
    """Return the last usable row for each pair of papers."""
    return {papers_of(row): row for row in file.rows if markup.is_usable(row)}


def papers_of(row: Row) -> Key:
    return paper_id(row.reference), paper_id(row.citing)


def judged_rows(file: GoldFile) -> dict[Key, Row]:
    """Return the last row of each citance in which the annotator chose sentences."""
    return {
        citance_key(row.citing, row.citation_text): row
        for row in file.rows
        if row.reference_text != markup.NOT_JUDGED and markup.numbers(row.reference_offset)
    }


def human(papers: Sequence[AnnotatedPaper]) -> dict[str, Any] | None:
    """Return agreement and oracle of some papers; None if each has at most one annotator."""
    annotators = max((len(paper.gold) for paper in papers), default=0)
    if annotators < 2:
        return None
    agreement, oracle = {}, {}
    scorers = [Scorer(paper) for paper in papers]
    for name in ("official", "citance"):
        schemes: list[Scheme] = [getattr(scorer, name) for scorer in scorers]
        agreement[name] = total(
            scheme.compared(theirs, mine)
            for scheme in schemes
            for mine, theirs in permutations(scheme.gold, 2)
        ).measure._asdict()
        choices = chain.from_iterable(map(_choices, papers, schemes))
        wanted = sum(scheme.wanted for scheme in schemes)
        oracle[name] = best(choices, wanted).measure._asdict()
    return {"annotators": annotators, "agreement": agreement, "oracle": oracle}


def best(choices: Iterable[Counts], wanted: int) -> Counts:
    """Return the counts of the subset of choices with the best F1.

    A choice is a sentence with the counts that it adds over annotators: right ones, wrong ones.
    F1 = 2 Σright / (Σright + Σwrong + wanted) is a ratio of sums, so at its maximum λ a choice is
    worth taking exactly if 2 right > λ (right + wrong): if its share of agreeing annotators
    exceeds λ/2. The best subset is therefore a prefix of the choices sorted by that share.
    """
    ordered = sorted(choices, key=lambda each: each.tp / (each.tp + each.fp), reverse=True)
    reached = counts = Counts(fn=wanted)
    for choice in ordered:
        counts += Counts(choice.tp, choice.fp, -choice.tp)
        if counts.measure.f1 > reached.measure.f1:
            reached = counts
    return reached


def _choices(paper: AnnotatedPaper, scheme: Scheme) -> Iterator[Counts]:
    """Yield the sentences of the paper that any file has; others never increase F1."""
    for key in dict.fromkeys(scheme.keys):
        golds = (gold for gold in scheme.gold if key in gold or not scheme.only_judged)
        lists = [list(gold.get(key, ())) for gold in golds]
        for sid in {sid for sids in lists for sid in sids}.intersection(paper.sids):
            times = [sids.count(sid) for sids in lists]
            yield Counts(sum(times), times.count(0))
