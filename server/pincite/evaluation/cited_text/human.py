"""Agreement between annotators, and the best score that any answer can reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from ..corpora.annotations import AnnotatedPaper
from ..corpora.annotators_fields import Key
from .overlap import Chosen, Counts, Scorer, judged, overlap, total
from .results import Human


class Choice(NamedTuple):
    """A sentence that may be chosen for a row, with the counts that it adds over annotators."""

    right: int
    wrong: int


def human(papers: Sequence[AnnotatedPaper]) -> Human | None:
    """Return agreement and oracle of some papers; None if each has at most one annotator.

    Agreement scores each annotator's file as answers against every other file of the paper, with
    the counts of all ordered pairs summed. The oracle is the best F1 that one set of answers can
    have against the files of all annotators.
    """
    annotators = max((len(paper.gold) for paper in papers), default=0)
    if annotators < 2:
        return None
    scorers = [Scorer(paper) for paper in papers]
    official = [chosen for scorer in scorers for chosen in permutations(scorer.official_gold, 2)]
    citance = [chosen for scorer in scorers for chosen in permutations(scorer.citance_gold, 2)]
    return Human(
        annotators,
        agreement_official=total(overlap(theirs, mine) for mine, theirs in official).measure,
        agreement_citance=total(
            overlap(theirs, judged(theirs, mine)) for mine, theirs in citance
        ).measure,
        oracle_official=best(
            (choice for pair in zip(papers, scorers, strict=True) for choice in _official(*pair)),
            wanted=_wanted(gold for scorer in scorers for gold in scorer.official_gold),
        ).measure,
        oracle_citance=best(
            (choice for pair in zip(papers, scorers, strict=True) for choice in _by_citance(*pair)),
            wanted=_wanted(gold for scorer in scorers for gold in scorer.citance_gold),
        ).measure,
    )


def best(choices: Iterable[Choice], wanted: int) -> Counts:
    """Return the counts of the subset of choices with the best F1.

    F1 = 2 Σright / (Σright + Σwrong + wanted) is a ratio of sums, so at its maximum λ a choice is
    worth taking exactly if 2 right > λ (right + wrong): if its share of agreeing annotators
    exceeds λ/2. The best subset is therefore a prefix of the choices sorted by that share.
    """
    ordered = sorted(choices, key=lambda each: each.right / (each.right + each.wrong), reverse=True)
    reached = counts = Counts(fn=wanted)
    for right, wrong in ordered:
        counts += Counts(right, wrong, -right)
        if counts.measure.f1 > reached.measure.f1:
            reached = counts
    return reached


def _official(paper: AnnotatedPaper, scorer: Scorer) -> Iterator[Choice]:
    for key in dict.fromkeys(scorer.official_keys):
        yield from _choices(paper, key, scorer.official_gold)


def _by_citance(paper: AnnotatedPaper, scorer: Scorer) -> Iterator[Choice]:
    for key in dict.fromkeys(scorer.citance_keys):
        yield from _choices(paper, key, [gold for gold in scorer.citance_gold if key in gold])


def _choices(paper: AnnotatedPaper, key: Key, golds: Sequence[Chosen]) -> Iterator[Choice]:
    """Yield the sentences of the paper that any of `golds` has; others never increase F1."""
    lists = [list(gold.get(key, ())) for gold in golds]
    for sid in {sid for sids in lists for sid in sids}.intersection(paper.sids):
        times = [sids.count(sid) for sids in lists]
        yield Choice(sum(times), times.count(0))


def _wanted(golds: Iterable[Chosen]) -> int:
    return sum(len(sids) for gold in golds for sids in gold.values())
