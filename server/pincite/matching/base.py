"""The protocol of sentence matchers."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ..model.papers import ReferencePaper
from ..model.results import SupportingSentence

Fitted = TypeVar("Fitted")


class SentenceMatcher(Protocol[Fitted]):
    """Finds the sentences of a reference paper that a citance reflects.

    `fit` prepares one paper and is cached by its caller; `match` is pure and returns sentences of
    that paper, best first, ties in the order of the paper. A matcher is a frozen dataclass whose
    fields have the names used in its paper.
    """

    @property
    def k(self) -> int:
        """The number of sentences per citance in the matcher's paper (K)."""

    def fit(self, paper: ReferencePaper) -> Fitted:
        """Prepare a paper for matching."""

    def match(
        self, citance: str, fitted: Fitted, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return at most `number` sentences (by default K), perhaps without matched words."""
