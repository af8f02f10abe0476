"""Whether a list could notice that nothing fits: its best entry with and without the works.

The works of first citations are left out of the bibliography, those of a tenth of the places at a
time, and everything is prepared and ranked again, as if the author did not have them: the rest of
the draft does not cite them, and their words are unknown. The text stays. A list shows that
nothing fits where a signal of its best entry is low. Thresholds are chosen on the places that the
figures are of: any chosen before would do worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from pincite.ranking.learned import list_logits

from ..results import Floats, Ranks
from .projects import Project, Situation, lacking
from .rankers import Model, RankerKind, Scores

Side = Literal["left", "right"]
#: Where an author asks what to cite.
AT: Final[Situation] = "writing"
#: The shares of the places without their works where the list shows that nothing fits.
RECALLS: Final = (0.05, 0.1, 0.2, 0.5)
#: How often it should be right where it does; and below this share, single places decide.
MIN_PRECISION, _MIN_RECALL = 0.9, 0.01
#: The rows that an author looks at.
FIRST: Final = 5


class Signals(NamedTuple):
    """A signal of the best entry: at each place, and at first citations without their works."""

    present: Floats
    absent: Floats


def signals_of(project: Project, kind: RankerKind, model: Model) -> dict[str, Signals]:
    """Return the signals of a ranker on a project by name: `score`, and `probability` if known.

    The latter stands for the calibrated probability, which rises with it: the log odds that the
    best entry is cited.
    """
    ranker = kind.prepare(project, model)
    present = [_signals(ranker(place, AT), kind) for place in range(len(project.places))]
    absent: list[Mapping[str, float]] = []
    first = [number for number, place in enumerate(project.places) if place.is_first]
    drawn = np.random.default_rng([0, *project.name.encode()]).permutation(first)
    for part in np.array_split(drawn, 10):
        left_out = {cited for place in part.tolist() for cited in project.places[place].cited}
        # A list has at least two entries.
        if left_out and len(project.keys) - len(left_out) >= 2:
            ranker = kind.prepare(lacking(project, left_out), model)
            absent += (_signals(ranker(place, AT), kind) for place in part.tolist())
    return {
        name: Signals(*(np.asarray([own[name] for own in each]) for each in (present, absent)))
        for name in present[0]
    }


def _signals(scores: Scores, kind: RankerKind) -> dict[str, float]:
    found = {"score": float(scores.max())}
    if kind.has_probabilities:
        found["probability"] = float(list_logits(scores).max())
    return found


def figures(projects: Sequence[tuple[Signals, Ranks]]) -> dict[str, Any] | None:
    """Return how well a signal separates the places; None if all or none have their works.

    The ranks are those of the works where they are `present`. Projects have equal weights, and so
    have places with and without works. `area` is the probability that the signal is higher at a
    place with its works than at one without. For each of `RECALLS`, `recall` is the share of the
    places without works where the list shows that nothing fits (a little more where signals are
    equal), `false_alarms` the share of the others where it does. A share `in_first` of these has a
    work among the first rows (None if there are none), and `precision` is how often it is right.
    `usable_recall` is the highest recall with `MIN_PRECISION`, 0 if there is none.
    """
    own = [each for each in projects if len(each[0].present) and len(each[0].absent)]
    if not own:
        return None
    present, of_present = _joined([signals.present for signals, _ in own])
    absent, of_absent = _joined([signals.absent for signals, _ in own])
    in_first = np.concatenate([ranks for _, ranks in own]) <= FIRST
    levels = np.unique(absent)
    recalls, alarms = _share(absent, of_absent, levels), _share(present, of_present, levels)
    precision = recalls / (recalls + alarms)
    is_usable = (precision >= MIN_PRECISION) & (recalls >= _MIN_RECALL)
    of_first = _share(present[in_first], of_present[in_first], levels)

    def at(share: float) -> dict[str, float | None]:
        # Sums of weights end in rounding errors.
        number = min(int(np.searchsorted(recalls, share - 1e-9)), len(levels) - 1)
        false = float(alarms[number])
        return {
            "least_recall": share,
            "recall": float(recalls[number]),
            "false_alarms": false,
            "in_first": float(of_first[number]) / false if false else None,
            "precision": float(precision[number]),
        }

    # Equal values count half.
    ends: tuple[Side, Side] = ("right", "left")
    lower = sum(_share(absent, of_absent, present, side) for side in ends) / 2.0
    return {
        "projects": len(own),
        "present": len(present),
        "absent": len(absent),
        "area": float((of_present * lower).sum()),
        "levels": [at(share) for share in RECALLS],
        "usable_recall": float(recalls[is_usable].max(initial=0.0)),
    }


def _share(values: Floats, weights: Floats, levels: Floats, side: Side = "right") -> Floats:
    """Return the weight of the values up to each level, or (`left`) below it."""
    order = np.argsort(values, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray(sums[np.searchsorted(values[order], levels, side)], np.float64)


def _joined(by_project: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return all values, and weights that add up to 1, the same for each project."""
    sizes = np.asarray([len(own) for own in by_project])
    return np.concatenate(by_project), np.repeat(1.0 / (sizes * len(sizes)), sizes)
