"""What a report of citation resolution says of papers: by how many candidates each has, by name."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..page import (
    BAR,
    MIN_OUTCOMES,
    count,
    element,
    figure,
    fraction,
    listing,
    worst_and_best,
)
from .results import PaperOutcome, ResolutionResult, Row

if TYPE_CHECKING:
    from lxml import etree
    from matplotlib.axes import Axes

_BIN_STARTS = (1, 5, 8, 9, 10, 12, 15, 20, 30)


@dataclass(slots=True)
class _Bin:
    """Test papers with about as many candidates; `right` and `guessed` count outcomes."""

    label: str
    papers: int = 0
    outcomes: int = 0
    right: int = 0
    guessed: float = 0.0

    @property
    def accuracy(self) -> float:
        return self.right / self.outcomes

    @property
    def chance(self) -> float:
        return self.guessed / self.outcomes


def _bins(papers: Iterable[PaperOutcome], row: int) -> list[_Bin]:
    labels = [
        f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(_BIN_STARTS)
    ]
    bins = [_Bin(label) for label in (*labels, f"{_BIN_STARTS[-1]}+")]
    for paper in papers:
        group = bins[max(bisect(_BIN_STARTS, paper.candidates) - 1, 0)]
        group.papers += 1
        group.outcomes += paper.outcomes
        group.right += paper.correct[row]
        group.guessed += paper.chance
    return [group for group in bins if group.outcomes]


def candidates_section(result: ResolutionResult, best: Row) -> list[etree._Element]:
    """Return the accuracy of a row by number of candidates, nothing without papers."""
    bins = _bins(result.per_paper, result.rows.index(best))
    if not bins:
        return []
    heads = ["Candidates", "Test papers", "Resolvable citations", "Right", "Accuracy", "Chance"]
    records = [
        [
            group.label,
            *(f"{count:,}" for count in (group.papers, group.outcomes, group.right)),
            *map(fraction, (group.accuracy, group.chance)),
        ]
        for group in bins
    ]
    alternative = "Bars of the accuracies in the table below, each with a mark at chance."
    size = (1.4 + 1.05 * len(bins), 3.3)
    return [
        element("h2", "Accuracy by number of candidates"),
        figure(lambda axes: _draw_bins(axes, bins), size, alternative),
        listing(f"By {best.said}", heads, records),
    ]


def papers_section(result: ResolutionResult, best: Row) -> list[etree._Element]:
    """Return the papers for which a row is worst and best."""
    row = result.rows.index(best)

    def accuracy(paper: PaperOutcome) -> float:
        return paper.correct[row] / paper.outcomes

    papers = [paper for paper in result.per_paper if paper.outcomes >= MIN_OUTCOMES]
    papers.sort(key=lambda paper: (-paper.outcomes, paper.id))
    heads = ["Paper", "Title", "Candidates", "Citations", "Right", "Accuracy", "Chance"]
    tables = [
        listing(
            caption,
            heads,
            [
                [
                    paper.id,
                    " ".join(paper.title.split()),
                    *(f"{n:,}" for n in (paper.candidates, paper.outcomes, paper.correct[row])),
                    *map(fraction, (accuracy(paper), paper.chance / paper.outcomes)),
                ]
                for paper in listed
            ],
            words=2,
        )
        for caption, listed in worst_and_best(papers, accuracy).items()
    ]
    note = (
        f"By {best.said}; of the {count(len(papers), 'paper')} "
        f"with at least {MIN_OUTCOMES} resolvable citations."
    )
    return [element("h2", "Worst and best papers"), element("p", note), *tables]


def _draw_bins(axes: Axes, bins: Sequence[_Bin]) -> None:
    places = range(len(bins))
    bars = axes.bar(places, [group.accuracy for group in bins], 0.7, color=BAR, label="accuracy")
    axes.bar_label(bars, [fraction(group.accuracy) for group in bins], padding=2)
    axes.hlines(
        [group.chance for group in bins],
        [place - 0.42 for place in places],
        [place + 0.42 for place in places],
        colors=axes.xaxis.label.get_color(),
        linewidth=2,
        label="chance",
    )
    axes.set_xticks(
        places,
        [
            f"{group.label}\n{count(group.papers, 'paper')}\n{count(group.outcomes, 'citation')}"
            for group in bins
        ],
    )
    axes.set_xlabel("candidates of the test paper")
    axes.set_ylabel("top-1 accuracy")
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.legend(frameon=False)
