"""Score matchers by the sentences that people marked, source by source.

*first* is how often the first sentence is marked (precision at 1), *in_three* how often one of the
first three is, over the items with marks; *auc* is how often a marked sentence stands before
another of the same work. *claim_auc* is how often an accurate citation has a higher probability
than one that is not accurate, and *claim_error* the calibration error of this probability; systems
that do not estimate it are judged by the probability of their first sentence. *silent* are the
shares for which nothing is shown: of accurate citations, of others, and from works that are not
cited.

People mark one or two sentences of a paper where several would do, and not the same ones, so the
figures of one reader against the others (docs/explanation/evaluation.md) are what a matcher can
reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.strength import strength_of
from pincite.model.results import SupportingSentence

from ..processes import tracked
from ..report.page import Column, fraction, percent
from ..results import (
    Finding,
    Row,
    calibration_error,
    interval,
    interval_of_difference,
    reliability,
)
from .marked import MarkedCitance, of_other_works

#: The other systems that each system is compared with: plain BM25, and the model that authors have.
BASE: Final = "bm25"
PACKAGED: Final = "packaged"
#: How many sentences an author reads before giving up.
_FEW: Final = 3

SILENT: Final = ("silent_accurate", "silent_inaccurate", "silent_elsewhere")


def _known(shown: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda of: "-" if of is None else shown(of)


COLUMNS: Final[Sequence[Column]] = [
    ("system", "system", str),
    ("source", "source", str),
    ("marked", "marked", str),
    *((name.replace("_", " "), name, fraction) for name in ("first", "in_three", "mrr", "auc")),
    ("first (95%)", "first_ci95", lambda of: f"{of[0]:.3f}–{of[1]:.3f}"),
    *((name.replace("_", " "), name, _known(fraction)) for name in ("claim_auc", "claim_error")),
    *((name.replace("_", " "), name, _known(percent)) for name in SILENT),
]

Floats = npt.NDArray[np.float64]
#: For each work, the matcher that has not seen it.
OfWork = Mapping[str, SentenceMatcher[Any]]
#: Prepared papers, by what reads them and their ids.
Fitted = dict[tuple[int, str], Any]
#: The scores of each system, by source.
Scores = Mapping[str, Mapping[str, Sequence["Score"]]]


@dataclass(frozen=True, slots=True)
class Score:
    """How a system does on one item; None where the item or the system does not say.

    `reciprocal` is 1 / rank of the first marked sentence, 0 if it is never returned; `probability`
    that of the citation to be accurate (`estimated`), or else of the system's first sentence.
    `silent` says whether nothing is shown, `silent_elsewhere` whether nothing is from another work.
    """

    work: str
    reciprocal: float | None
    auc: float | None
    probability: float
    accurate: bool | None
    estimated: bool = False
    silent: bool | None = None
    silent_elsewhere: bool | None = None

    def within(self, number: int) -> bool:
        """Return whether a marked sentence is among the first `number`."""
        return self.reciprocal is not None and self.reciprocal * number >= 1.0


def score(
    items: Sequence[MarkedCitance],
    of_work: OfWork,
    assessing: Mapping[str, FusedMatcher],
    name: str = "Marked sentences",
    fitted: Fitted | None = None,
) -> list[Score]:
    """Return the scores of a system; `assessing` estimates the probability of its sentences.

    `fitted` are papers of these items that were prepared before, for other systems.
    """
    known_papers: Fitted = {} if fitted is None else fitted

    def prepared(matcher: SentenceMatcher[Any], item: MarkedCitance) -> Any:  # noqa: ANN401
        # What a paper says is the same to all models of `fused`.
        reader = matcher.encoder if isinstance(matcher, FusedMatcher) else matcher
        key = id(reader), item.work
        if key not in known_papers:
            known_papers[key] = matcher.fit(item.paper)
        return known_papers[key]

    found = []
    pairs = zip(items, of_other_works(items), strict=True)
    for item, other in tracked(pairs, name, len(items)):
        number = len(item.paper.sentences)
        matcher, judge = of_work[item.work], assessing[item.work]
        returned = matcher.match(item.citance, prepared(matcher, item), number)
        order = [one.position for one in returned]
        accurate = silent = elsewhere = None
        if isinstance(matcher, FusedMatcher):
            accurate = matcher.accurate(item.citance, prepared(matcher, item))
            silent = _is_silent(returned)
            if other is not None:
                elsewhere = _is_silent(matcher.match(item.citance, prepared(matcher, other), 1))
        probability = 0.0
        if accurate is not None:
            probability = accurate
        elif order:
            known = judge.probabilities(item.citance, prepared(judge, item))
            probability = known.get(order[0], 0.0)
        reciprocal = auc = None
        if item.marked:
            ranks = [rank for rank, at in enumerate(order, start=1) if at in item.marked]
            reciprocal = 1 / ranks[0] if ranks else 0.0
            auc = _before(ranks, len(item.marked), len(order), number)
        of_claim = probability, item.accurate, accurate is not None, silent, elsewhere
        found.append(Score(item.work, reciprocal, auc, *of_claim))
    return found


def _is_silent(returned: Sequence[SupportingSentence]) -> bool:
    """Return whether none of the sentences has a strength, best first."""
    return not returned or strength_of(returned[0].score) is None


def _before(ranks: Sequence[int], marked: int, returned: int, sentences: int) -> float | None:
    """Return the share of pairs of a marked and another sentence in which the marked one is first.

    `ranks` are those of the marked sentences among the `returned`; the others of the `sentences`
    share the last place.
    """
    others = sentences - marked
    if not others:
        return None
    last = (sentences - returned) - (marked - len(ranks))
    # Of the marked sentences with a rank, those before have to be taken off the sentences before.
    ahead = sum(others - (rank - 1 - before) for before, rank in enumerate(ranks))
    return float(ahead + (marked - len(ranks)) * last / 2) / (marked * others)


def rows(scores: Scores) -> Iterator[Row]:
    """Yield a row for each source and system."""
    for source, of_system in scores.items():
        for system, own in of_system.items():
            parts, wholes = _sums(own, 1)
            figures = {
                "system": system,
                "source": source,
                "items": len(own),
                "marked": int(wholes.sum()),
                "works": len(wholes),
                "first": _share(parts, wholes),
                "in_three": _share(*_sums(own, _FEW)),
                "mrr": _mean([one.reciprocal for one in own]),
                "auc": _mean([one.auc for one in own]),
                "first_ci95": list(interval(parts, wholes)),
                "in_three_ci95": list(interval(*_sums(own, _FEW))),
                "claim_auc": claim_auc(own),
                "claim_error": _claim_error(own),
            }
            figures |= zip(SILENT, _silent(own), strict=True)
            yield Row(system, figures)


def findings(scores: Scores) -> Iterator[Finding]:
    """Yield how each system compares with `bm25` and the packaged model on the same works."""
    for source, of_system in scores.items():
        pairs = ((one, other) for other in (BASE, PACKAGED) for one in of_system if one != other)
        for one, other in (pair for pair in pairs if pair[1] in of_system):
            for name, number in (("first", 1), ("in_three", _FEW)):
                ahead, behind = _sums(of_system[one], number), _sums(of_system[other], number)
                gain = _share(*ahead) - _share(*behind)
                undecided = f"{'holds' if gain >= 0 else 'does not hold'}, not significantly"
                ci95 = interval_of_difference(ahead, behind)
                claim = f"{source}: {name} of {one} > {other}"
                yield Finding.of(claim, one, other, gain, ci95, undecided)


def claim_auc(scores: Sequence[Score]) -> float | None:
    """Return how often an accurate citation has a better sentence than one that is not."""
    known = [(one.probability, one.accurate) for one in scores if one.accurate is not None]
    return separation(known)


def _claim_error(scores: Sequence[Score]) -> float | None:
    """Return the calibration error of the probabilities that citations are accurate."""
    asked = [one for one in scores if one.accurate is not None and one.estimated]
    if len({one.accurate for one in asked}) < 2:
        return None
    right = [bool(one.accurate) for one in asked]
    return calibration_error(reliability([one.probability for one in asked], right))


def _silent(scores: Sequence[Score]) -> Iterator[float | None]:
    """Yield the shares for which nothing is shown; None where there are none."""
    for accurate in (True, False):
        yield _share_of([one.silent for one in scores if one.accurate is accurate])
    yield _share_of([one.silent_elsewhere for one in scores])


def _share_of(answers: Sequence[bool | None]) -> float | None:
    known = [answer for answer in answers if answer is not None]
    return float(np.mean(known)) if known else None


def separation(known: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a right one has a higher value than a wrong one; None without either."""
    right = np.array([value for value, is_right in known if is_right])
    wrong = np.array([value for value, is_right in known if not is_right])
    if not len(right) or not len(wrong):
        return None
    differences = right[:, None] - wrong[None]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def _sums(scores: Sequence[Score], number: int) -> tuple[Floats, Floats]:
    """Return, by work, the items with a marked sentence among the first, and those with marks."""
    works = dict.fromkeys(one.work for one in scores if one.reciprocal is not None)
    places = {work: place for place, work in enumerate(works)}
    found = np.zeros((2, len(places)))
    for one in scores:
        if one.reciprocal is not None:
            found[:, places[one.work]] += one.within(number), 1
    return found[0], found[1]


def _share(parts: Floats, wholes: Floats) -> float:
    return float(parts.sum() / max(1.0, float(wholes.sum())))


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else 0.0
