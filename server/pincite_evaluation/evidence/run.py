"""Score systems on judged pairs: how much of what they show is support, how often silence is right.

`fused` and the probabilities come from models trained without the cited paper or, if only abstracts
are known, without the draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
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
from ..cited_text.model_training import samples_of_papers
from ..corpora.annotations import AnnotatedPaper
from ..corpora.scisumm import read_scisumm
from ..matcher_training import dealt, train
from ..measures import calibration_error, ndcg, reliability
from ..processes import Steps, silent
from ..results import Result, Row
from .corpus import (
    CitedPassage,
    agreement,
    cited_passages,
    judged,
    of_others,
    read_judgements,
    samples_of_judged,
)

#: The default systems: those that need neither training nor a transformer.
SYSTEMS = ("fused", "asymmetric", "symmetric", "bm25-2field", "bm25-3field-sum", "bm25", "tfidf")
_CORPUS = "cl-scisumm/data"
_FUSED = "fused"
_DEPTH = 10
_FIRST = 2

#: What a system found for each citance.
_Run = list[list[SupportingSentence]]
_Works = Sequence[CitedPassage | None]


def evaluate(
    data: Path,
    judgements: Path,
    systems: Sequence[str] = (),
    *,
    seed: int = 0,
    jobs: int | None = 1,
    progress: Steps = silent,
) -> Result:
    """Score systems on the pairs of a file of judgements, whose texts are in the folder `data`.

    There are two rows for each system on texts of one basis. `sentences` indicates which are shown:
    the first two regardless of probability, or those with a strength, as authors see them.
    `first_relevant` and `first_helps` (at least partly) refer to the first sentence of citances
    that get one, `irrelevant` to all sentences shown. `answered` is the share of citances with a
    helpful sentence that get an answer, `silence_right` the share of unanswered citances without
    one, `silent_elsewhere` the share of citances for which nothing is shown from another, randomly
    drawn work. `unjudged` sentences count nowhere else. nDCG is over the judged ones.

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
    rows: list[Row] = []
    calibration: dict[str, Any] = {}
    for basis in dict.fromkeys(each.paper.basis for each in known):
        own = [each for each in known if each.paper.basis == basis]
        # Each citance is asked of the work that it cites, and of another one.
        works = (own, of_others(own, seed))
        strengths = {
            name: [
                [
                    matchers[each.work].probabilities(
                        each.context.asked, _fitted(matchers[each.work], work)
                    )
                    if work
                    else {}
                    for each, work in zip(own, some, strict=True)
                ]
                for some in works
            ]
            for name, matchers in held_out.items()
        }
        for system in wanted:
            step = progress(f"{system.name}, {basis}")
            of_work: Mapping[str, SentenceMatcher[Any]] = held_out.get(system.name) or (
                dict.fromkeys((each.work for each in own), system.matcher(vectors))
            )
            runs: list[_Run] = []
            for some in works:
                step(len(runs), len(works))
                runs.append(_run(of_work, own, some))
            step(len(runs), len(works))
            strength = strengths.get(system.name, strengths[_FUSED])
            rows += _rows(system.name, basis, own, runs, strength)
        pairs = [
            (known_of[at], grade >= 1)
            for each, known_of in zip(own, strengths[_FUSED][0], strict=True)
            for at, grade in each.grades.items()
            if at in known_of
        ]
        curve = reliability([share for share, _ in pairs], [helps for _, helps in pairs])
        calibration[basis] = {
            "error": calibration_error(curve),
            "curve": [asdict(each) for each in curve],
        }
    facts = {
        "citances": len(known),
        "pairs": sum(len(each.grades) for each in known),
        "missing": missing,
        "kappa": agreement(read),
    }
    return Result(facts=facts, rows=tuple(rows), more={"calibration": calibration})


def _held_out(
    system: System,
    known: Sequence[CitedPassage],
    papers: Sequence[AnnotatedPaper],
    vectors: WordVectors,
    seed: int,
    progress: Steps,
) -> dict[str, FusedMatcher]:
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


def _run(
    of_work: Mapping[str, SentenceMatcher[Any]], asked: Sequence[CitedPassage], works: _Works
) -> _Run:
    run: _Run = []
    for each, work in zip(asked, works, strict=True):
        found: Sequence[SupportingSentence] = ()
        if work is not None:
            matcher, number = of_work[each.work], len(work.paper.sentences)
            found = matcher.match(each.context.asked, _fitted(matcher, work), number)
        run.append([one for one in found if one.matched])
    return run


def _fitted(matcher: SentenceMatcher[Any], passage: CitedPassage) -> Any:  # noqa: ANN401 - as the matcher made it
    fitted = matcher.fit(passage.paper)
    if isinstance(matcher, FusedMatcher):
        return matcher.cited_by(fitted, passage.others)
    return fitted


def _rows(
    system: str,
    basis: str,
    own: Sequence[CitedPassage],
    runs: Sequence[_Run],
    strengths: Sequence[Sequence[Mapping[int, float]]],
) -> list[Row]:
    """Return the rows of the run for the cited works, and of that for other works."""
    scores = []
    for each, found in zip(own, runs[0], strict=True):
        # Of the judged sentences in a system's order; those it leaves out are last.
        gains = [each.grades[one.position] for one in found if one.position in each.grades]
        gains += [0.0] * (len(each.grades) - len(gains))
        scores.append(ndcg(gains, sorted(each.grades.values(), reverse=True), _DEPTH))
    score = float(np.mean(scores))
    names = {"system": system, "basis": basis}
    first = ([found[:_FIRST] for found in run] for run in runs)
    as_shown = (
        [
            shown(found[:_DEPTH], [known.get(one.position, 0.0) for one in found[:_DEPTH]])
            for found, known in zip(run, strength, strict=True)
        ]
        for run, strength in zip(runs, strengths, strict=True)
    )
    return [
        Row(system, {**names, "sentences": sentences, **_figures(own, given, elsewhere, score)})
        for sentences, (given, elsewhere) in (("first two", first), ("as shown", as_shown))
    ]


def _figures(
    own: Sequence[CitedPassage], given: _Run, elsewhere: _Run, score: float
) -> dict[str, Any]:
    grades = [
        [each.grades.get(one.position) for one in some]
        for each, some in zip(own, given, strict=True)
    ]
    firsts = [some[0] for some in grades if some and some[0] is not None]
    every = [grade for some in grades for grade in some if grade is not None]
    with_support = [bool(some) for each, some in zip(own, given, strict=True) if each.supporting]
    silent_right = [not each.supporting for each, some in zip(own, given, strict=True) if not some]
    answered = sum(map(bool, given))
    return {
        "citances": len(own),
        "first_relevant": _share(grade > 1 for grade in firsts),
        "first_helps": _share(grade >= 1 for grade in firsts),
        "irrelevant": _share(grade < 1 for grade in every),
        "answered": _share(with_support),
        "silence_right": _share(silent_right) if silent_right else None,
        "silent_elsewhere": _share(not some for some in elsewhere),
        "ndcg": score,
        "shown_for_each": sum(map(len, given)) / max(1, answered),
        "unjudged": sum(grade is None for some in grades for grade in some),
    }


def _share(of: Iterable[bool]) -> float:
    listed = [bool(each) for each in of]
    return sum(listed) / max(1, len(listed))
