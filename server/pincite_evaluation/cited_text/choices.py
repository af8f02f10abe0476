"""Run a system over a corpus: the sentences that it chooses for each citance."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.results import SupportingSentence

from ..baselines.systems import System
from ..corpora.annotations import AnnotatedPaper
from ..processes import Progress, Workers, ignored

#: Enough to balance the load, few enough to make each matcher only a few times.
_PARTS_PER_PROCESS = 8


@dataclass(frozen=True, slots=True)
class Choices:
    """A system's choices in one paper: positions and scores for each citance, best first."""

    positions: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    seconds: float

    def first(self, k: int) -> Choices:
        """Return the first k of every choice."""
        positions = tuple(found[:k] for found in self.positions)
        return Choices(positions, tuple(found[:k] for found in self.scores), self.seconds)

    def sids(self, paper: AnnotatedPaper) -> list[list[str]]:
        """Return the ids of the sentences chosen for each citance of the paper."""
        return [[paper.sids[position] for position in found] for found in self.positions]

    def texts(self, paper: AnnotatedPaper) -> list[tuple[str, ...]]:
        """Return the sentences chosen for each citance of the paper."""
        sentences = paper.paper.sentences
        return [tuple(sentences[position].text for position in found) for found in self.positions]


def choose(
    papers: Sequence[AnnotatedPaper],
    system: System,
    vectors: Path | None = None,
    number: int | None = None,
    jobs: int = 1,
    progress: Progress = ignored,
) -> list[Choices]:
    """Return the choices of a system for all papers, in order."""
    size = math.ceil(len(papers) / (jobs * _PARTS_PER_PROCESS)) or 1
    parts = [papers[at : at + size] for at in range(0, len(papers), size)]
    found: list[Choices] = []
    for part in Workers(jobs).map(_chosen, parts, system, vectors, number):
        found += part
        progress(len(found), len(papers))
    return found


def _chosen(
    papers: Sequence[AnnotatedPaper], system: System, vectors: Path | None, number: int | None
) -> list[Choices]:
    loaded = _vectors(vectors) if system.uses_vectors else None
    matchers: dict[Path | None, SentenceMatcher[Any]] = {}
    chosen = []
    for paper in papers:
        # A matcher that was not trained on the paper.
        part = None if system.model is None else system.model.part(paper.id)
        if part not in matchers:
            matchers[part] = system.matcher(loaded, paper.id)
        matcher, start = matchers[part], time.perf_counter()
        fitted = matcher.fit(paper.paper)
        found: list[list[SupportingSentence]] = []
        for citance in paper.citances:
            cited = fitted
            if isinstance(matcher, FusedMatcher):
                # The words in which papers other than the citing one cite it.
                cited = matcher.cited_by(fitted, paper.citances_of_others(citance))
            found.append(matcher.match(citance.text, cited, number))
        positions = tuple(tuple(one.position for one in sentences) for sentences in found)
        scores = tuple(tuple(one.score for one in sentences) for sentences in found)
        chosen.append(Choices(positions, scores, time.perf_counter() - start))
    return chosen


@lru_cache(maxsize=1)
def _vectors(path: Path | None) -> WordVectors:
    return WordVectors.packaged() if path is None else WordVectors.load(path)
