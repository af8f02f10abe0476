"""Agreement between annotators, and the best score that any answer can reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from ..corpora.annotations import AnnotatedPaper
from ..measures import Counts, total
from .overlap import Scheme, Scorer


def human(papers: Sequence[AnnotatedPaper]) -> dict[str, Any] | None:
    """Return agreement and oracle of some papers; None if each has at most one annotator.

    Agreement scores each annotator's file as answers against every other file of the paper, with
    the counts of all ordered pairs summed. The oracle is the best F1 that one set of answers can
    have against the files of all annotators. `annotators` is the largest number for a paper.
    """
    annotators = max((len(paper.gold) for paper in papers), default=0)
    if annotators < 2:
        return None
    scorers = [Scorer(paper) for paper in papers]
    by_name = {
        "official": [one.official for one in scorers],
        "citance": [one.citance for one in scorers],
    }
    return {
        "annotators": annotators,
        "agreement": {name: _agreement(schemes) for name, schemes in by_name.items()},
        "oracle": {name: _oracle(papers, schemes) for name, schemes in by_name.items()},
    }


def _agreement(schemes: Iterable[Scheme]) -> dict[str, Any]:
    return total(
        scheme.compared(theirs, mine)
        for scheme in schemes
        for mine, theirs in permutations(scheme.gold, 2)
    ).measure.json()


def _oracle(papers: Sequence[AnnotatedPaper], schemes: Sequence[Scheme]) -> dict[str, Any]:
    choices = (
        choice
        for paper, scheme in zip(papers, schemes, strict=True)
        for choice in _choices(paper, scheme)
    )
    return best(choices, sum(scheme.wanted for scheme in schemes)).measure.json()


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
