"""What ranking and matching give back, with the parts that explain it."""

from __future__ import annotations

from dataclasses import dataclass

from .basis import Basis
from .papers import Candidate
from .spans import TextSpan


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """A candidate with its score, a fraction.

    `internal` is how much of the context its own text has, `external` how much its inlink contexts
    have: the two parts of a cosine, which is the score itself where the ranker is `mixed`. Of the
    learned ranker, the score is the probability that the work is cited here, and `reasons` say
    what speaks for it most, strongest first. `matched` lists the words of the context found in it,
    strongest first; `bag` is the index of the ranker's bag (a passage, say) that scored.
    """

    candidate: Candidate
    score: float
    internal: float
    external: float
    basis: tuple[Basis, ...]
    matched: tuple[str, ...] = ()
    bag: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Citation key of the entry."""
        return self.candidate.key


@dataclass(frozen=True, slots=True)
class SupportingSentence:
    """A sentence of the cited paper that supports a citance.

    `score` is the fraction of the citance's weighted words that the sentence covers; `matched`
    marks the words that cover it, by offsets into `text`; `page` is the 1-based page of the PDF,
    `page_label` the number printed on it.
    """

    text: str
    score: float
    matched: tuple[TextSpan, ...] = ()
    page: int | None = None
    page_label: str | None = None
    section: str | None = None
    position: int = 0
