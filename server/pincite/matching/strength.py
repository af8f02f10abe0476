"""How strongly sentences support a citance, and which of them are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..model.results import Strength, SupportingSentence

#: The least probability for each strength; below the last, a sentence is more likely not to be
#: support, and is not shown.
FROM: Final[tuple[tuple[float, Strength], ...]] = ((0.75, "strong"), (0.5, "partial"))
#: Maximum number of sentences shown.
MAX_SENTENCES: Final = 4


def strength_of(probability: float) -> Strength | None:
    """Return the label for a probability, None below the least one."""
    return next((word for least, word in FROM if probability >= least), None)


def shown(
    found: Sequence[SupportingSentence], probabilities: Sequence[float], most: int = MAX_SENTENCES
) -> list[SupportingSentence]:
    """Return at most `most` sentences that have a strength, strongest first."""
    assessed = [
        replace(sentence, probability=round(probability, 4), strength=strength)
        for sentence, probability in zip(found, probabilities, strict=True)
        if (strength := strength_of(probability)) is not None
    ]
    assessed.sort(key=lambda sentence: -(sentence.probability or 0.0))
    return assessed[: max(0, most)]
