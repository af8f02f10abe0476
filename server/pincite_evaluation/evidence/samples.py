"""Judged pairs as training samples for the model of `fused`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pincite.matching.sentence_features import SentenceFeatures
from pincite.text.stemming import stemmer

from ..matcher_training import Sample
from ..progress import Progress, ignored
from .corpus import CitedPassage

#: The number of negative sentences from a work that is not cited.
_OF_OTHERS = 3


def samples_of_judged(
    judged: Sequence[CitedPassage],
    features: SentenceFeatures,
    seed: int = 0,
    progress: Progress = ignored,
) -> list[Sample]:
    """Return samples of judged sentences, and of the best ones of works that are not cited.

    The latter are those that cover the citance best (Ricci et al. 2022), taken from another judged
    work of the same basis: without them, a model learns to rank the sentences of one work, but not
    whether any of them is support.
    """
    found: list[Sample] = []
    others = of_others(judged, seed)
    for number, (each, other) in enumerate(zip(judged, others, strict=True), start=1):
        asked = each.context.asked
        full_text = each.paper.basis == "full text"
        if features.words.reading.words(asked):
            fitted = features.fit(each.paper, stemmer("en"))
            row_of = {position: row for row, position in enumerate(fitted.paper.words.positions)}
            known = [(row_of[at], grade) for at, grade in each.grades.items() if at in row_of]
            if known:
                rows, grades = zip(*known, strict=True)
                read = features.cited_by(fitted, each.others)
                values = features.of(asked, read).values[list(rows)]
                found.append(Sample(each.work, values, np.array(grades) / 2, True, full_text))
            if other is not None:
                read = features.fit(other.paper, stemmer("en"))
                values = features.of(asked, features.cited_by(read, other.others)).values
                best = values[np.argsort(-values[:, 0], kind="stable")[:_OF_OTHERS]]
                right = np.zeros(len(best))
                found.append(Sample(each.work, best, right, True, full_text, cited=False))
        progress(number, len(judged))
    return found


def of_others(judged: Sequence[CitedPassage], seed: int = 0) -> list[CitedPassage | None]:
    """Return, for each citance, a citation of another work with the same basis."""
    random = np.random.default_rng(seed)
    found: list[CitedPassage | None] = []
    for each in judged:
        basis, cited = each.paper.basis, each.cited
        same = [other for other in judged if other.paper.basis == basis and other.cited != cited]
        found.append(same[int(random.integers(len(same)))] if same else None)
    return found
