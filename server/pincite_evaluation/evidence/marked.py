"""Citances with the sentences of the cited work that people marked as what is cited.

A source NAME is two files of JSON lines. ``NAME.papers.jsonl`` has the texts of the cited works:
``paper`` (id), ``title``, ``basis`` and ``sentences`` with ``section`` and ``text``. ``NAME.jsonl``
has the items: ``id``, ``citance``, ``paper``, ``positive`` (positions of the marked sentences, null
if none is marked or none could be placed), and ``claim_label``, whether the citation is accurate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np

from pincite.matching.sentence_features import FittedSentences, SentenceFeatures
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError, Problem
from pincite.text.stemming import stemmer

from ..processes import tracked
from ..sentence_training import Sample

PAPERS = ".papers.jsonl"
_ITEMS = ".jsonl"
#: Labels of claims that the cited work supports, and of claims that it does not support.
_ACCURATE = "accurate"
_INACCURATE = ("not_accurate", "irrelevant")
#: Of how many citances one is compared with a work that it does not cite, for training.
_EACH_WITH_OTHER = 3

_Line = TypeVar("_Line", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, eq=False)
class MarkedCitance:
    """A citance of the work with the id `work`; `marked` are positions of sentences, or none.

    `accurate` says whether people found the citation accurate; None if it was not asked.
    """

    id: str
    source: str
    citance: str
    work: str
    paper: ReferencePaper
    marked: frozenset[int] = frozenset()
    accurate: bool | None = None


class _Sentence(msgspec.Struct):
    text: str
    section: str | None = None


class _Paper(msgspec.Struct):
    paper: str
    sentences: list[_Sentence]
    title: str = ""
    basis: Literal["full text", "abstract"] = "full text"


class _Item(msgspec.Struct):
    citance: str
    paper: str
    id: str = ""
    positive: list[int] | None = None
    claim_label: str | None = None


def has_marked(folder: Path) -> bool:
    """Return whether a folder has sources of this form."""
    return any(folder.glob(f"*{PAPERS}"))


def read_marked(folder: Path) -> tuple[list[MarkedCitance], list[Problem]]:
    """Return the items of all sources of a folder, and what could not be used, by file and line.

    Raises `InputError` if a folder has no source or a file cannot be read.
    """
    found: list[MarkedCitance] = []
    problems: list[Problem] = []
    files = sorted(folder.glob(f"*{PAPERS}"))
    if not files:
        raise InputError(f"{folder}: no sources of marked sentences (NAME.jsonl, NAME{PAPERS})")
    for path in files:
        source = path.name.removesuffix(PAPERS)
        papers = _papers(path, problems)
        items = path.with_name(source + _ITEMS)
        for line, item in _lines(items, _Item, problems):
            wrong = _wrong(item, papers)
            if wrong is not None:
                problems.append(Problem(items, line, f"{wrong}; the item is left out"))
                continue
            label = item.claim_label
            found.append(
                MarkedCitance(
                    item.id or f"{source}:{line}",
                    source,
                    item.citance,
                    item.paper,
                    papers[item.paper],
                    frozenset(item.positive or ()),
                    True if label == _ACCURATE else False if label in _INACCURATE else None,
                )
            )
    return found, problems


def _papers(path: Path, problems: list[Problem]) -> dict[str, ReferencePaper]:
    papers: dict[str, ReferencePaper] = {}
    for line, read in _lines(path, _Paper, problems):
        if read.paper in papers:
            problems.append(Problem(path, line, f"paper {read.paper!r} is given twice; left out"))
            continue
        sentences = tuple(Sentence(one.text, section=one.section) for one in read.sentences)
        papers[read.paper] = ReferencePaper(read.title, read.basis, sentences, source=path)
    return papers


def _wrong(item: _Item, papers: dict[str, ReferencePaper]) -> str | None:
    """Return what is wrong with an item, None if nothing is."""
    if item.paper not in papers:
        return f"there is no paper {item.paper!r}"
    number = len(papers[item.paper].sentences)
    outside = [at for at in item.positive or () if not 0 <= at < number]
    if outside:
        listed = ", ".join(map(str, outside))
        return f"position {listed} is not among the {number:,} sentences of {item.paper!r}"
    return None


def _lines(path: Path, kind: type[_Line], problems: list[Problem]) -> Iterator[tuple[int, _Line]]:
    """Yield the lines of a file with their 1-based numbers; broken ones become problems."""
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.isspace():
                    continue
                try:
                    yield number, decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                    message = f"not a line of this form ({error}); left out"
                    problems.append(Problem(path, number, message))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def samples_of_marked(items: Sequence[MarkedCitance], features: SentenceFeatures) -> list[Sample]:
    """Return the training samples of items with marks or claims; `work` is the cited work.

    Of sources with accurate and inaccurate claims, every third citance has a second sample with the
    sentences of a work that it does not cite.
    """
    fitted: dict[tuple[str, str], FittedSentences] = {}
    found: list[Sample] = []

    def add(item: MarkedCitance, of: MarkedCitance, accurate: bool | None) -> None:
        key = of.source, of.work
        if key not in fitted:
            fitted[key] = features.fit(of.paper, stemmer("en"))
        positions = fitted[key].paper.words.positions
        right = np.isin(positions, list(item.marked)).astype(np.float64)
        is_marked = of is item and right.any()
        if is_marked or (len(positions) and (of is not item or accurate is not None)):
            read, full_text = features.of(item.citance, fitted[key]), of.paper.basis == "full text"
            targets = right if is_marked else np.full(len(positions), np.nan)
            sample = Sample.of(item.work, read, targets, "marked", full_text=full_text)
            found.append(replace(sample, cited=of is item, accurate=accurate))

    telling = {
        source
        for source, own in by_source(items).items()
        if {True, False} <= {item.accurate for item in own}
    }
    pairs = zip(items, of_other_works(items), strict=True)
    for number, (item, other) in enumerate(tracked(pairs, "Marked sentences", len(items))):
        if features.words.reading.words(item.citance):
            add(item, item, item.accurate if item.source in telling else None)
            if other is not None and item.source in telling and number % _EACH_WITH_OTHER == 0:
                add(item, other, None)
    return found


def of_other_works(items: Sequence[MarkedCitance], seed: int = 0) -> list[MarkedCitance | None]:
    """Return, for each item, one of another work of the same source, None if there is none."""
    random = np.random.default_rng(seed)
    works = {
        source: list({item.work: item for item in own}.values())
        for source, own in by_source(items).items()
    }
    found: list[MarkedCitance | None] = []
    for item in items:
        others = [other for other in works[item.source] if other.work != item.work]
        found.append(others[int(random.integers(len(others)))] if others else None)
    return found


def by_source(items: Sequence[MarkedCitance]) -> dict[str, list[MarkedCitance]]:
    """Return the items of each source, in their order."""
    found: dict[str, list[MarkedCitance]] = {}
    for item in items:
        found.setdefault(item.source, []).append(item)
    return found
