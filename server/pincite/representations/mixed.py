"""Mixed representations: internal and external bags concatenated (Duma and Klein 2014)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..model.papers import Candidate
from ..settings import RankingSettings
from . import external, internal
from .internal import Words


@dataclass(frozen=True, slots=True)
class Bag:
    """One bag of a candidate, its two parts apart so that a score can be explained.

    All bags of a candidate have the same external part.
    """

    candidate: int
    internal: Words
    external: Words


@dataclass(frozen=True, slots=True)
class Representation:
    """How candidates become bags: every internal bag joined with the one external bag."""

    internal: internal.Internal
    external: external.External

    def bags(self, candidates: Iterable[Candidate]) -> Iterator[Bag]:
        """Yield the bags of all candidates, each candidate's together and in order.

        One candidate's text is in memory at a time.
        """
        for index, candidate in enumerate(candidates):
            outside = self.external(candidate)
            for inside in self.internal(internal.words_of(candidate)):
                yield Bag(index, inside, outside)


def mixed(settings: RankingSettings) -> Representation:
    """Return the paper's best representation: passages with inlink contexts (Table 1)."""
    return Representation(
        internal.passages(settings.passage_words), external.inlink_contexts(settings.inlink_window)
    )
