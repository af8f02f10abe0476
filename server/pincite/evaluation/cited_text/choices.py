"""Run a system over a corpus: the sentences that it chooses for each citance."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...baselines.systems import System
from ...matching.base import SentenceMatcher
from ...matching.fused import FusedMatcher
from ...matching.vectors import WordVectors
from ..corpora.annotations import AnnotatedCorpus, AnnotatedPaper, Citance, Split
from ..corpora.scisumm import read_scisumm
from ..processes import PARTS_PER_PROCESS, in_processes
from ..progress import Progress, ignored


@dataclass(frozen=True, slots=True)
class Choices:
    """A system's choices in one paper: positions and scores for each citance, best first.

    `seconds` is the time for preparing the paper and matching its citances.
    """

    positions: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    seconds: float

    def first(self, k: int) -> Choices:
        """Return the first k of every choice."""
        return Choices(
            tuple(found[:k] for found in self.positions),
            tuple(found[:k] for found in self.scores),
            self.seconds,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a corpus; each process reads it once."""

    corpus: Path
    split: Split


def choose(
    place: Place,
    corpus: AnnotatedCorpus,
    system: System,
    vectors: Path | None = None,
    number: int | None = None,
    jobs: int = 1,
    progress: Progress = ignored,
) -> list[Choices]:
    """Return the choices of a system for all papers of `corpus`, in order.

    `corpus` is the corpus at `place`. `vectors` is a file of word vectors, None for the packaged
    one; `number` is the number of sentences, None for the system's own K. The choices do not depend
    on `jobs`.
    """
    papers = len(corpus.papers)
    found: dict[int, Choices] = {}
    for number_of_paper, choices in (
        _here(corpus, system, vectors, number)
        if jobs == 1
        else _in_processes(place, papers, system, vectors, number, jobs)
    ):
        found[number_of_paper] = choices
        progress(len(found), papers)
    return [found[paper] for paper in range(papers)]


def _here(
    corpus: AnnotatedCorpus, system: System, vectors: Path | None, number: int | None
) -> Iterator[tuple[int, Choices]]:
    matchers = _Matchers(system, vectors)
    for position, paper in enumerate(corpus.papers):
        yield position, _chosen(matchers.of(paper), paper, number)


def _in_processes(
    place: Place,
    papers: int,
    system: System,
    vectors: Path | None,
    number: int | None,
    jobs: int,
) -> Iterator[tuple[int, Choices]]:
    size = max(1, math.ceil(papers / (jobs * PARTS_PER_PROCESS)))
    parts = (
        (place, start, start + size, system, vectors, number) for start in range(0, papers, size)
    )
    for part in in_processes(jobs, _part, parts):
        yield from part


def _part(
    place: Place, start: int, end: int, system: System, vectors: Path | None, number: int | None
) -> list[tuple[int, Choices]]:
    matchers = _Matchers(system, vectors)
    papers = _read(place).papers[start:end]
    return [
        (position, _chosen(matchers.of(paper), paper, number))
        for position, paper in enumerate(papers, start)
    ]


def _chosen(matcher: SentenceMatcher[Any], paper: AnnotatedPaper, number: int | None) -> Choices:
    start = time.perf_counter()
    fitted = matcher.fit(paper.paper)
    found = [
        matcher.match(citance.text, _cited(matcher, fitted, paper, citance), number)
        for citance in paper.citances
    ]
    seconds = time.perf_counter() - start
    return Choices(
        tuple(tuple(sentence.position for sentence in sentences) for sentences in found),
        tuple(tuple(sentence.score for sentence in sentences) for sentences in found),
        seconds,
    )


def _cited(
    matcher: SentenceMatcher[Any],
    fitted: Any,  # noqa: ANN401 - as the matcher made it
    paper: AnnotatedPaper,
    citance: Citance,
) -> Any:  # noqa: ANN401
    """Return the paper with the words in which papers other than the citing one cite it."""
    if not isinstance(matcher, FusedMatcher):
        return fitted
    return matcher.cited_by(fitted, paper.citances_of_others(citance))


class _Matchers:
    """The matchers of a system: one, or one for each part of its trained model."""

    def __init__(self, system: System, vectors: Path | None) -> None:
        self._system = system
        self._vectors = _vectors(vectors) if system.uses_vectors else None
        self._made: dict[Path | None, SentenceMatcher[Any]] = {}

    def of(self, paper: AnnotatedPaper) -> SentenceMatcher[Any]:
        """Return the matcher that was not trained on a paper."""
        model = self._system.model
        part = None if model is None else model.part(paper.id)
        if part not in self._made:
            self._made[part] = self._system.matcher(self._vectors, paper.id)
        return self._made[part]


@lru_cache(maxsize=1)
def _vectors(path: Path | None) -> WordVectors:
    return WordVectors.packaged() if path is None else WordVectors.load(path)


@lru_cache(maxsize=1)
def _read(place: Place) -> AnnotatedCorpus:
    return read_scisumm(place.corpus, place.split)
