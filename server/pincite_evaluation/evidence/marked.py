"""Citances with the sentences of the cited work that people marked as what is cited.

A source NAME is two files of JSON lines. ``NAME.papers.jsonl`` has the texts of the cited works:
``paper`` (id), ``title``, ``basis`` and ``sentences`` with ``section`` and ``text``. ``NAME.jsonl``
has the items: ``id``, ``citance``, ``paper``, ``positive`` (positions of the marked sentences, null
if none is marked or none could be placed), and ``claim_label``, whether the citation is accurate.

A matcher is scored source by source (docs/explanation/evaluation.md). Systems that do not estimate
whether a citation is accurate are judged by the probability of their first sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import numpy as np

from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import FittedSentences, SentenceFeatures
from pincite.matching.strength import MAX_ASSESSED, shown
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError, Problem
from pincite.text.stemming import stemmer

from .. import results
from ..processes import tracked
from ..report.page import Column, fraction, percent
from ..results import Finding, Floats, Row, grouped
from ..sentence_training import Sample

PAPERS = ".papers.jsonl"
#: Whether the cited work supports a claim, by the labels of claims.
_ACCURATE = {"accurate": True, "not_accurate": False, "irrelevant": False}
#: Of how many citances one is compared with a work that it does not cite, for training.
_EACH_WITH_OTHER = 3

_Line = TypeVar("_Line", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, eq=False)
class MarkedCitance:
    """A citance of the work with the id `work`; `marked` are positions of sentences, or none.

    `accurate` is whether people found the citation accurate; None if it was not asked.
    """

    id: str
    source: str
    citance: str
    work: str
    paper: ReferencePaper
    marked: frozenset[int] = frozenset()
    accurate: bool | None = None


class _Paper(msgspec.Struct):
    paper: str
    sentences: tuple[Sentence, ...]
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
        papers: dict[str, ReferencePaper] = {}
        for line, read in _lines(path, _Paper, problems):
            if read.paper in papers:
                what = f"paper {read.paper!r} is given twice; left out"
                problems.append(Problem(path, line, what))
                continue
            papers[read.paper] = ReferencePaper(read.title, read.basis, read.sentences, source=path)
        items = path.with_name(f"{source}.jsonl")
        for line, item in _lines(items, _Item, problems):
            if wrong := _wrong(item, papers):
                problems.append(Problem(items, line, f"{wrong}; the item is left out"))
                continue
            name, marked = item.id or f"{source}:{line}", frozenset(item.positive or ())
            work, accurate = papers[item.paper], _ACCURATE.get(item.claim_label or "")
            found.append(
                MarkedCitance(name, source, item.citance, item.paper, work, marked, accurate)
            )
    return found, problems


def _wrong(item: _Item, papers: dict[str, ReferencePaper]) -> str:
    """Return what is wrong with an item, nothing if it is usable."""
    if item.paper not in papers:
        return f"there is no paper {item.paper!r}"
    number = len(papers[item.paper].sentences)
    outside = ", ".join(str(at) for at in item.positive or () if not 0 <= at < number)
    is_among = f"is not among the {number:,} sentences of {item.paper!r}"
    return f"position {outside} {is_among}" if outside else ""


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
            known = full_text, read.eligible, of is item, accurate
            found.append(Sample(item.work, read.values, targets, "marked", *known))

    of_sources = by_source(items).items()
    telling = {name for name, own in of_sources if {True, False} <= {one.accurate for one in own}}
    pairs = zip(items, of_other_works(items), strict=True)
    for number, (item, other) in enumerate(tracked(pairs, "Marked sentences", len(items))):
        if features.words.reading.words(item.citance):
            add(item, item, item.accurate if item.source in telling else None)
            if other is not None and item.source in telling and number % _EACH_WITH_OTHER == 0:
                add(item, other, None)
    return found


def of_other_works(items: Sequence[MarkedCitance]) -> list[MarkedCitance | None]:
    """Return, for each item, one of another work of the same source, None if there is none."""
    random = np.random.default_rng(0)
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
    return grouped(items, lambda item: item.source)


#: The other systems that each system is compared with: plain BM25, and the model that authors have.
BASE: Final = "bm25"
PACKAGED: Final = "packaged"
#: How many sentences an author reads before giving up.
_FEW: Final = 3

SILENT: Final = ("silent_accurate", "silent_inaccurate", "silent_elsewhere")


COLUMNS: Final[Sequence[Column]] = [
    ("system", "system", str),
    ("source", "source", str),
    ("marked", "marked", str),
    *((name.replace("_", " "), name, fraction) for name in ("first", "in_three", "mrr", "auc")),
    ("first (95%)", "first_ci95", lambda of: f"{of[0]:.3f}–{of[1]:.3f}"),
    *((name.replace("_", " "), name, fraction) for name in ("claim_auc", "claim_error")),
    *((name.replace("_", " "), name, percent) for name in SILENT),
]

#: For each work, the matcher that has not seen it.
OfWork = Mapping[str, SentenceMatcher[Any]]
#: Prepared papers, by what reads them and their ids.
Fitted = dict[tuple[int, str], Any]
#: The scores of each system, by source.
Scores = Mapping[str, Mapping[str, Sequence["Score"]]]


@dataclass(frozen=True, slots=True)
class Score:
    """How a system does on one item; None where the item or the system has no such figure.

    `reciprocal` is 1 / rank of the first marked sentence, 0 if it is never returned; `probability`
    that of the citation to be accurate (`estimated`), or else of the system's first sentence.
    `silent` is whether nothing is shown, `silent_elsewhere` whether nothing is from another work.
    """

    work: str
    reciprocal: float | None
    auc: float | None
    probability: float
    accurate: bool | None
    estimated: bool = False
    silent: bool | None = None
    silent_elsewhere: bool | None = None

    def within(self, number: int) -> bool:
        """Return whether a marked sentence is among the first `number`."""
        return self.reciprocal is not None and self.reciprocal * number >= 1.0


def score(
    items: Sequence[MarkedCitance],
    of_work: OfWork,
    assessing: Mapping[str, FusedMatcher],
    name: str,
    fitted: Fitted,
) -> list[Score]:
    """Return the scores of a system; `assessing` estimates the probability of its sentences.

    `fitted` are papers of these items that were prepared before, for other systems.
    """

    def prepared(matcher: SentenceMatcher[Any], item: MarkedCitance) -> Any:  # noqa: ANN401
        # The text of a paper is the same to all models of `fused`.
        reader = matcher.encoder if isinstance(matcher, FusedMatcher) else matcher
        key = id(reader), item.work
        if key not in fitted:
            fitted[key] = matcher.fit(item.paper)
        return fitted[key]

    found = []
    pairs = zip(items, of_other_works(items), strict=True)
    for item, other in tracked(pairs, name, len(items)):
        number = len(item.paper.sentences)
        matcher, judge = of_work[item.work], assessing[item.work]
        returned = matcher.match(item.citance, prepared(matcher, item), number)
        order = [one.position for one in returned]
        accurate = silent = elsewhere = None
        if isinstance(matcher, FusedMatcher):
            accurate = matcher.accurate(item.citance, prepared(matcher, item))
            silent = not shown(returned[:MAX_ASSESSED])
            if other is not None:
                own = matcher.match(item.citance, prepared(matcher, other), MAX_ASSESSED)
                elsewhere = not shown(own)
        probability = accurate or 0.0
        if accurate is None and order:
            known = judge.probabilities(item.citance, prepared(judge, item))
            probability = known.get(order[0], 0.0)
        reciprocal = auc = None
        if item.marked:
            # Sentences that are not returned share the last place.
            ranks = {at: rank for rank, at in enumerate(order, start=1)}
            reciprocal = 1 / min(ranks.get(at, np.inf) for at in item.marked)
            auc = separation([(-ranks.get(at, np.inf), at in item.marked) for at in range(number)])
        of_claim = probability, item.accurate, accurate is not None, silent, elsewhere
        found.append(Score(item.work, reciprocal, auc, *of_claim))
    return found


def rows(scores: Scores) -> Iterator[Row]:
    """Yield a row for each source and system."""
    for source, of_system in scores.items():
        for system, own in of_system.items():
            parts, wholes = _sums(own, 1)
            figures = {
                "system": system,
                "source": source,
                "items": len(own),
                "marked": int(wholes.sum()),
                "works": len(wholes),
                "first": _share(parts, wholes),
                "in_three": _share(*_sums(own, _FEW)),
                "mrr": _mean(one.reciprocal for one in own) or 0.0,
                "auc": _mean(one.auc for one in own) or 0.0,
                "first_ci95": list(results.interval(parts, wholes)),
                "in_three_ci95": list(results.interval(*_sums(own, _FEW))),
                "claim_auc": claim_auc(own),
                "claim_error": _claim_error(own),
                "silent_accurate": _mean(one.silent for one in own if one.accurate is True),
                "silent_inaccurate": _mean(one.silent for one in own if one.accurate is False),
                "silent_elsewhere": _mean(one.silent_elsewhere for one in own),
            }
            yield Row(system, figures)


def findings(scores: Scores) -> Iterator[Finding]:
    """Yield how each system compares with `bm25` and the packaged model on the same works."""
    for source, of_system in scores.items():
        pairs = ((one, other) for other in (BASE, PACKAGED) for one in of_system if one != other)
        for one, other in (pair for pair in pairs if pair[1] in of_system):
            for name, number in (("first", 1), ("in_three", _FEW)):
                ahead, behind = _sums(of_system[one], number), _sums(of_system[other], number)
                gain = _share(*ahead) - _share(*behind)
                claim = f"{source}: {name} of {one} > {other}"
                ci95 = results.interval_of_difference(ahead, behind)
                yield Finding.of(claim, one, other, gain, ci95)


def claim_auc(scores: Sequence[Score]) -> float | None:
    """Return how often an accurate citation has a better sentence than one that is not."""
    known = [(one.probability, one.accurate) for one in scores if one.accurate is not None]
    return separation(known)


def _claim_error(scores: Sequence[Score]) -> float | None:
    """Return the calibration error of the probabilities that citations are accurate."""
    asked = [one for one in scores if one.accurate is not None and one.estimated]
    if len({one.accurate for one in asked}) < 2:
        return None
    right = [bool(one.accurate) for one in asked]
    return results.calibration_error(results.reliability([one.probability for one in asked], right))


def separation(known: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a right one has a higher value than a wrong one; None without either."""
    right = np.array([value for value, is_right in known if is_right])
    wrong = np.array([value for value, is_right in known if not is_right])
    if not len(right) or not len(wrong):
        return None
    pairs = right[:, None], wrong[None]
    return float(np.greater(*pairs).mean() + np.equal(*pairs).mean() / 2)


def _sums(scores: Sequence[Score], number: int) -> tuple[Floats, Floats]:
    """Return, by work, the items with a marked sentence among the first, and those with marks."""
    marked = (one for one in scores if one.reciprocal is not None)
    of_works = grouped(marked, lambda one: one.work).values()
    found = np.array([[sum(one.within(number) for one in own), len(own)] for own in of_works])
    parts, wholes = found.reshape(-1, 2).T.astype(np.float64)
    return parts, wholes


def _share(parts: Floats, wholes: Floats) -> float:
    return float(parts.sum() / max(1.0, float(wholes.sum())))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
