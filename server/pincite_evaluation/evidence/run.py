"""Score systems on judged pairs: how much of what they show is support, how often silence is right.

`fused` and the probabilities come from models trained without the cited paper or, if only abstracts
are known, without the draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pincite.library.indexing import available_processors
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.strength import shown
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence

from ..baselines.encoders import CachingEncoder, open_encoder
from ..baselines.systems import System, chosen, named
from ..cited_text.fused_training import samples_of_papers
from ..corpora.annotations import AnnotatedPaper
from ..corpora.scisumm import read_scisumm
from ..matcher_training import dealt, train
from ..measures.calibration import Bin, calibration_error, reliability
from ..progress import Steps, silent
from .corpus import CitedPassage, cited_passages
from .judgements import JudgedCitance, agreement, judged, read_judgements
from .samples import of_others, samples_of_judged

#: The default systems: those that need neither training nor a transformer.
SYSTEMS = ("fused", "asymmetric", "symmetric", "bm25-2field", "bm25-3field-sum", "bm25", "tfidf")
_CORPUS = "cl-scisumm/data"
_FUSED = "fused"
_DEPTH = 10
_FIRST = 2


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """Figures of a system on texts of one basis, all fractions.

    `sentences` says which are shown: the first two regardless of probability, or those with a
    strength, as authors see them. `first_relevant` and `first_helps` (at least partly) refer to the
    first sentence of citances that get one, `irrelevant` to all sentences shown. `answered` is the
    share of citances with a helpful sentence that get an answer, `silence_right` the share of
    unanswered citances without one, `silent_elsewhere` the share of citances for which nothing is
    shown from another, randomly drawn work. `unjudged` sentences count nowhere else. nDCG is over
    the judged ones.
    """

    system: str
    basis: str
    sentences: str
    citances: int
    first_relevant: float
    first_helps: float
    irrelevant: float
    answered: float
    silence_right: float | None
    silent_elsewhere: float
    ndcg: float
    shown_for_each: float
    unjudged: int


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """The figures, and the reliability of the probabilities by basis."""

    citances: int
    pairs: int
    missing: int
    kappa: float | None
    rows: tuple[EvidenceRow, ...]
    curves: Mapping[str, tuple[Bin, ...]]

    def json(self) -> dict[str, Any]:
        """Return what `--json` writes."""
        return {
            "citances": self.citances,
            "pairs": self.pairs,
            "missing": self.missing,
            "kappa": self.kappa,
            "rows": [asdict(row) for row in self.rows],
            "calibration": {
                basis: {
                    "error": calibration_error(curve),
                    "curve": [asdict(each) for each in curve],
                }
                for basis, curve in self.curves.items()
            },
        }


def evaluate(
    data: Path,
    judgements: Path,
    systems: Sequence[str] = (),
    *,
    seed: int = 0,
    jobs: int | None = 1,
    progress: Steps = silent,
) -> EvidenceResult:
    """Score systems on the pairs of a file of judgements, whose texts are in the folder `data`.

    If `data` has the CL-SciSumm corpus (``cl-scisumm/data``), `fused` is trained on it as well,
    like the packaged model. Raises `InputError` for missing files and unknown systems, and without
    scikit-learn.
    """
    wanted = chosen(systems or SYSTEMS)
    read = read_judgements(judgements)
    known, missing = judged(cited_passages(data, jobs or available_processors()), read)
    if not known:
        raise InputError(f"{data}: contains none of the citances of {judgements}")
    vectors = WordVectors.packaged()
    corpus = data / _CORPUS
    papers = read_scisumm(corpus, "train").papers if corpus.is_dir() else ()
    held_out = {
        one.name: _held_out(one, known, papers, vectors, seed, progress)
        for one in {_FUSED: named(_FUSED), **{one.name: one for one in wanted}}.values()
        if issubclass(one.matcher_class, FusedMatcher)
    }
    rows: list[EvidenceRow] = []
    curves: dict[str, tuple[Bin, ...]] = {}
    for basis in dict.fromkeys(each.passage.paper.basis for each in known):
        own = [each for each in known if each.passage.paper.basis == basis]
        others = of_others(own, seed)
        assessed = {
            name: (
                [_probabilities(of_work[each.work], each, each.passage) for each in own],
                [
                    _probabilities(of_work[each.work], each, other)
                    for each, other in zip(own, others, strict=True)
                ],
            )
            for name, of_work in held_out.items()
        }
        for system in wanted:
            step = progress(f"{system.name}, {basis}")
            of_work = held_out.get(system.name)
            matcher = None if of_work else system.matcher(vectors)
            found: list[list[SupportingSentence]] = []
            elsewhere: list[list[SupportingSentence]] = []
            for number, (each, other) in enumerate(zip(own, others, strict=True), start=1):
                one = of_work[each.work] if of_work else matcher
                assert one is not None
                found.append(_found(one, each, each.passage))
                elsewhere.append(_found(one, each, other))
                step(number, len(own))
            strength, of_other = assessed.get(system.name, assessed[_FUSED])
            rows += _rows(system.name, basis, own, (found, strength), (elsewhere, of_other))
        pairs = [
            (known_of[at], grade >= 1)
            for each, known_of in zip(own, assessed[_FUSED][0], strict=True)
            for at, grade in each.grades.items()
            if at in known_of
        ]
        predicted, came_true = zip(*pairs, strict=True)
        curves[basis] = tuple(reliability(predicted, came_true))
    total = sum(len(each.grades) for each in known)
    return EvidenceResult(len(known), total, missing, agreement(read), tuple(rows), curves)


def _held_out(
    system: System,
    known: Sequence[JudgedCitance],
    papers: Sequence[AnnotatedPaper],
    vectors: WordVectors,
    seed: int,
    progress: Steps,
) -> dict[str, FusedMatcher]:
    """Return for each work a matcher of a kind of `fused` that was not trained on it."""
    encoder = CachingEncoder(open_encoder()) if system.uses_encoder else None
    given: dict[str, Any] = {"vectors": vectors, **system.parameters}
    if encoder is not None:
        given["encoder"] = encoder
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    reading = progress(f"Reading judged pairs, {system.name}")
    samples = samples_of_judged(known, features, seed, reading)
    reading = progress(f"Reading annotated papers, {system.name}")
    samples += samples_of_papers(papers, features, reading, seed=seed)
    step = progress(f"Training {system.name}")
    folds = dealt((each.work for each in known), seed)
    found: dict[str, FusedMatcher] = {}
    for number, fold in enumerate(folds):
        step(number, len(folds))
        model = train(samples, features.names, seed=seed, held_out=fold)
        found |= dict.fromkeys(fold, system.matcher_class(**given, sentence_model=model))
    step(len(folds), len(folds))
    return found


def _probabilities(
    matcher: FusedMatcher, each: JudgedCitance, passage: CitedPassage | None
) -> dict[int, float]:
    if passage is None:
        return {}
    return matcher.probabilities(each.passage.context.asked, _fitted(matcher, passage))


def _found(
    matcher: SentenceMatcher[Any], each: JudgedCitance, passage: CitedPassage | None
) -> list[SupportingSentence]:
    """Return all sentences that a matcher finds and that have a marked word."""
    if passage is None:
        return []
    asked, fitted = each.passage.context.asked, _fitted(matcher, passage)
    found = matcher.match(asked, fitted, len(passage.paper.sentences))
    return [one for one in found if one.matched]


def _fitted(matcher: SentenceMatcher[Any], passage: CitedPassage) -> Any:  # noqa: ANN401 - as the matcher made it
    fitted = matcher.fit(passage.paper)
    if isinstance(matcher, FusedMatcher):
        return matcher.cited_by(fitted, passage.others)
    return fitted


#: What was found for each citance, and the probabilities of the sentences by position.
_Given = tuple[Sequence[Sequence[SupportingSentence]], Sequence[Mapping[int, float]]]


def _rows(
    system: str, basis: str, own: Sequence[JudgedCitance], given: _Given, elsewhere: _Given
) -> list[EvidenceRow]:
    found, _ = given
    pairs = zip(own, found, strict=True)
    ndcg = float(np.mean([_ndcg(each, sentences) for each, sentences in pairs]))
    first, first_elsewhere = ([each[:_FIRST] for each in some] for some, _ in (given, elsewhere))
    return [
        _row((system, basis, "first two"), own, first, first_elsewhere, ndcg),
        _row((system, basis, "as shown"), own, _as_shown(given), _as_shown(elsewhere), ndcg),
    ]


def _as_shown(given: _Given) -> list[list[SupportingSentence]]:
    return [
        shown(found[:_DEPTH], [known.get(one.position, 0.0) for one in found[:_DEPTH]])
        for found, known in zip(*given, strict=True)
    ]


def _row(
    what: tuple[str, str, str],
    own: Sequence[JudgedCitance],
    given: Sequence[Sequence[SupportingSentence]],
    elsewhere: Sequence[Sequence[SupportingSentence]],
    ndcg: float,
) -> EvidenceRow:
    grades = [
        [each.grades.get(one.position) for one in some]
        for each, some in zip(own, given, strict=True)
    ]
    firsts = [some[0] for some in grades if some and some[0] is not None]
    every = [grade for some in grades for grade in some if grade is not None]
    with_support = [bool(some) for each, some in zip(own, given, strict=True) if each.supporting]
    silent_right = [not each.supporting for each, some in zip(own, given, strict=True) if not some]
    answered = sum(map(bool, given))
    return EvidenceRow(
        *what,
        citances=len(own),
        first_relevant=_share(grade > 1 for grade in firsts),
        first_helps=_share(grade >= 1 for grade in firsts),
        irrelevant=_share(grade < 1 for grade in every),
        answered=_share(with_support),
        silence_right=_share(silent_right) if silent_right else None,
        silent_elsewhere=_share(not some for some in elsewhere),
        ndcg=ndcg,
        shown_for_each=sum(map(len, given)) / max(1, answered),
        unjudged=sum(grade is None for some in grades for grade in some),
    )


def _ndcg(each: JudgedCitance, found: Sequence[SupportingSentence]) -> float:
    """Return the nDCG of the judged sentences in a system's order; those it leaves out are last."""
    order = [one.position for one in found if one.position in each.grades]
    gains = [each.grades[position] for position in order]
    gains += [0.0] * (len(each.grades) - len(gains))
    ideal = sorted(each.grades.values(), reverse=True)
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 1.0


def _discounted(gains: Sequence[float]) -> float:
    return float(sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains[:_DEPTH])))


def _share(of: Iterable[bool]) -> float:
    listed = [bool(each) for each in of]
    return sum(listed) / max(1, len(listed))
