"""How strongly sentences support a citance, and which of them are shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from ..model.results import Strength, SupportingSentence

#: The least probability for each strength; below the last, a sentence is more likely not to be
#: support, and is not shown.
FROM: Final[tuple[tuple[float, Strength], ...]] = ((0.75, "strong"), (0.5, "partial"))
#: The least probability for more than one sentence.
SEVERAL_FROM: Final = 0.7
#: Among how many of the most relevant sentences those shown are chosen.
MAX_ASSESSED: Final = 10
#: Maximum number of sentences shown.
MAX_SENTENCES: Final = 4


def strength_of(probability: float) -> Strength | None:
    """Return the label for a probability, None below the least one."""
    return next((word for least, word in FROM if probability >= least), None)


def shown(
    found: Sequence[SupportingSentence],
    most: int = MAX_SENTENCES,
    highlighted: Collection[int] = (),
) -> list[SupportingSentence]:
    """Return at most `most` sentences, in their order: all that are very likely support.

    If none is, the first one with a strength. Of those at positions that the author `highlighted`,
    all with a strength as well. Their probabilities are known.
    """
    assessed = [
        replace(sentence, probability=round(known, 4), strength=strength)
        for sentence in found
        if (strength := strength_of(known := sentence.probability or 0.0)) is not None
    ]
    likely = [one for one in assessed if (one.probability or 0.0) >= SEVERAL_FROM]
    chosen = {one.position for one in likely or assessed[:1]} | {*highlighted}
    return [one for one in assessed if one.position in chosen][: max(0, most)]
