"""Run a system over a corpus: the sentences that it chooses for each citance."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.vectors import WordVectors

from ..baselines.systems import System
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

    def sids(self, paper: AnnotatedPaper) -> list[list[str]]:
        """Return the ids of the sentences chosen for each citance of the paper."""
        return [[paper.sids[position] for position in found] for found in self.positions]

    def texts(self, paper: AnnotatedPaper) -> list[tuple[str, ...]]:
        """Return the sentences chosen for each citance of the paper."""
        sentences = paper.paper.sentences
        return [tuple(sentences[position].text for position in found) for found in self.positions]


def choose(
    path: Path,
    corpus: AnnotatedCorpus,
    system: System,
    vectors: Path | None = None,
    number: int | None = None,
    jobs: int = 1,
    progress: Progress = ignored,
) -> list[Choices]:
    """Return the choices of a system for all papers of `corpus`, in order.

    `corpus` was read from the data folder at `path`, which each process reads once. `vectors` is a
    file of word vectors, None for the packaged one; `number` is the number of sentences, None for
    the system's own K. The choices do not depend on `jobs`.
    """
    papers = len(corpus.papers)
    found: dict[int, Choices] = {}
    numbered: Iterator[tuple[int, Choices]] = (
        enumerate(_chosen(corpus.papers, system, vectors, number))
        if jobs == 1
        else _in_processes(path, corpus, system, vectors, number, jobs)
    )
    for paper, choices in numbered:
        found[paper] = choices
        progress(len(found), papers)
    return [found[paper] for paper in range(papers)]


def _in_processes(
    path: Path,
    corpus: AnnotatedCorpus,
    system: System,
    vectors: Path | None,
    number: int | None,
    jobs: int,
) -> Iterator[tuple[int, Choices]]:
    papers = len(corpus.papers)
    size = max(1, math.ceil(papers / (jobs * PARTS_PER_PROCESS)))
    parts = (
        (path, corpus.split, start, start + size, system, vectors, number)
        for start in range(0, papers, size)
    )
    for start, choices in in_processes(jobs, _part, parts):
        yield from enumerate(choices, start)


def _part(
    path: Path,
    split: Split,
    start: int,
    end: int,
    system: System,
    vectors: Path | None,
    number: int | None,
) -> tuple[int, list[Choices]]:
    papers = _read(path, split).papers[start:end]
    return start, list(_chosen(papers, system, vectors, number))


def _chosen(
    papers: Iterable[AnnotatedPaper], system: System, vectors: Path | None, number: int | None
) -> Iterator[Choices]:
    """Yield the choices for each paper, by a matcher that was not trained on it."""
    loaded = _vectors(vectors) if system.uses_vectors else None
    matchers: dict[Path | None, SentenceMatcher[Any]] = {}
    for paper in papers:
        part = None if system.model is None else system.model.part(paper.id)
        if part not in matchers:
            matchers[part] = system.matcher(loaded, paper.id)
        yield _matched(matchers[part], paper, number)


def _matched(matcher: SentenceMatcher[Any], paper: AnnotatedPaper, number: int | None) -> Choices:
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


@lru_cache(maxsize=1)
def _vectors(path: Path | None) -> WordVectors:
    return WordVectors.packaged() if path is None else WordVectors.load(path)


_read = lru_cache(maxsize=1)(read_scisumm)
