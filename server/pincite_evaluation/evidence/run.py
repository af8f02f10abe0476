"""Supporting sentences: how much of what is shown is support, silence, and marked sentences.

Two kinds of people's answers: the grades of pairs of a citance and a sentence (`judged`), and
sources in which people marked the sentences that a citance reflects (`marked`). `fused` and the
probabilities come from models trained without the cited work or, if only abstracts are known,
without the draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import RenderableType

from pincite.library.indexing import available_processors
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.strength import FROM, MAX_ASSESSED, shown, strength_of
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError, Problem
from pincite.model.results import SupportingSentence

from ..baselines.encoders import CachingEncoder, open_encoder
from ..baselines.systems import System, chosen, named
from ..cited_text.model_training import samples_of_papers
from ..corpora.scisumm import AnnotatedPaper, read_scisumm
from ..processes import ignored, tracked
from ..report import page
from ..report.page import Column, Table, fraction, percent
from ..results import Result, Row, calibration_error, grouped, ndcg, reliability
from ..sentence_training import Sample, train
from ..training import FOLDS, dealt_in_turn
from . import judged as judging
from . import marked as marking

#: The default systems: those that need neither training nor a transformer.
SYSTEMS = ("fused", "asymmetric", "symmetric", "bm25-2field", "bm25-3field-sum", "bm25", "tfidf")
_FUSED = "fused"
#: The number of sentences that are scored in order, and those that count as the first.
_DEPTH = 10
_FIRST = 2
#: What a system found for a citance, and if it knows them the probabilities by position.
_Answer = tuple[list[SupportingSentence], Mapping[int, float]]
_Works = Sequence["judging.CitedPassage | None"]


@dataclass(frozen=True, eq=False)
class Material:
    """All that people have answered: judged citances, marked ones, and annotated papers."""

    judged: Sequence[judging.CitedPassage] = ()
    marked: Sequence[marking.MarkedCitance] = ()
    annotated: Sequence[AnnotatedPaper] = ()
    missing: int = 0
    kappa: float | None = None

    @classmethod
    def read(
        cls,
        folders: Sequence[Path],
        judgements: Path,
        jobs: int = 1,
        on_problems: Callable[[Sequence[Problem]], None] = ignored,
    ) -> Material:
        """Read folders of data, or of sources of marked sentences; each part may be missing.

        Raises `InputError` if a folder has neither, or a file cannot be read.
        """
        marked: list[marking.MarkedCitance] = []
        texts: list[Path] = []
        for folder in folders:
            within = folder if marking.has_marked(folder) else folder / "evidence"
            if marking.has_marked(within):
                own, problems = marking.read_marked(within)
                on_problems(problems)
                marked += own
            if within != folder:
                texts.append(folder)
        if not texts:
            return cls(marked=marked)
        read = judging.read_judgements(judgements)
        passages = (one for data in texts for one in judging.cited_passages(data, jobs))
        known, missing = judging.judged(passages, read)
        corpora = (data / "cl-scisumm" / "data" for data in texts)
        read_corpora = (read_scisumm(corpus, "train") for corpus in corpora if corpus.is_dir())
        papers = [paper for corpus in read_corpora for paper in corpus.papers]
        if not known and not marked:
            listed = ", ".join(map(str, texts))
            raise InputError(f"{listed}: contains none of the citances of {judgements}")
        return cls(known, marked, papers, missing, judging.agreement(read))

    def samples(self, features: SentenceFeatures, seed: int = 0) -> list[Sample]:
        """Return the training samples of judged and of marked citances."""
        found = judging.samples_of_judged(self.judged, features, seed)
        return found + marking.samples_of_marked(self.marked, features)

    @property
    def works(self) -> list[list[str]]:
        """The works that are held out together, by their kind."""
        sources = marking.by_source(self.marked).values()
        kinds = (sorted({one.work for one in own}) for own in sources)
        return [sorted({one.work for one in self.judged}), *kinds]


def evaluate(
    data: Path | Sequence[Path],
    judgements: Path,
    systems: Sequence[str] = (),
    *,
    seed: int = 0,
    jobs: int | None = 1,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
) -> Result:
    """Score systems on judged pairs, whose texts are in the folders `data`, and marked sentences.

    There are two rows for each system on texts of one basis: `sentences` are the first two, or
    those with a strength, as authors see them. `answered` is the share of citances with a helpful
    sentence that get an answer, `silence_right` that of unanswered ones without, `silent_elsewhere`
    that for which nothing is shown from another, random work. Of each source of marked sentences
    (`marked`), in `data` or its folder ``evidence``, there is a row for each system.
    `fused` is trained on all of it, and on the CL-SciSumm corpus, without the works of a fold.
    Raises `InputError` for missing files, unknown systems, and without scikit-learn.
    """
    wanted = chosen(systems or SYSTEMS)
    folders = [data] if isinstance(data, Path) else data
    material = Material.read(folders, judgements, jobs or available_processors(), on_problems)
    vectors = WordVectors.packaged()
    all_works = {work for kind in material.works for work in kind}
    fused = {marking.PACKAGED: dict.fromkeys(all_works, FusedMatcher(vectors))}
    matchers: dict[str, marking.OfWork] = {}
    for one in {one.name: one for one in (named(_FUSED), named(marking.BASE), *wanted)}.values():
        if issubclass(one.matcher_class, FusedMatcher):
            fused[one.name] = held_out(one, material, material.works, vectors, seed)
        else:
            matchers[one.name] = dict.fromkeys(all_works, one.matcher(vectors))
    matchers |= fused
    names = [one.name for one in wanted]
    known, rows = material.judged, []
    calibration: dict[str, Any] = {}
    by_source: dict[str, Any] = {}
    for basis, own in grouped(known, lambda each: each.paper.basis).items():
        # Each citance is asked of the work that it cites, and of another one.
        works: tuple[_Works, _Works] = (own, judging.of_others(own, seed))
        answers: dict[str, list[list[_Answer]]] = {}
        for name in dict.fromkeys((*names, _FUSED)):
            steps = tracked(works, f"{name}, {basis}", len(works))
            answers[name] = [list(_answers(matchers[name], own, some)) for some in steps]
        for name in names:
            rating = answers[name if name in fused else _FUSED]
            rows += _rows(name, basis, own, answers[name], rating)
        estimates = [
            (each.group, known_of[at], grade >= 1)
            for each, (_, known_of) in zip(own, answers[_FUSED][0], strict=True)
            for at, grade in each.grades.items()
            if at in known_of
        ]
        calibration[basis] = _calibration([(share, helps) for _, share, helps in estimates])
        for group, of_group in grouped(estimates, lambda one: one[0]).items():
            by_source[group] = _calibration([(share, helps) for _, share, helps in of_group])
    scores: dict[str, dict[str, list[marking.Score]]] = {}
    for source, items in marking.by_source(material.marked).items():
        fitted: marking.Fitted = {}
        scores[source] = {
            name: marking.score(
                items, matchers[name], fused.get(name, fused[_FUSED]), f"{name}, {source}", fitted
            )
            for name in dict.fromkeys((*names, marking.BASE, marking.PACKAGED))
        }
    facts = {
        "citances": len(known),
        "pairs": sum(len(each.grades) for each in known),
        "missing": material.missing,
        "kappa": material.kappa,
    }
    rows += marking.rows(scores)
    found = tuple(marking.findings(scores)) if scores else None
    return Result(
        facts=facts, rows=tuple(rows), more={"calibration": calibration | by_source}, findings=found
    )


def _calibration(pairs: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Return how right the probabilities of pairs are, given whether each of these helps."""
    curve = reliability([share for share, _ in pairs], [helps for _, helps in pairs])
    helping = grouped(pairs, lambda pair: strength_of(pair[0]))
    words = {word: [helps for _, helps in helping.get(word, ())] for _, word in FROM}
    return {
        "error": calibration_error(curve),
        "auc": marking.separation(pairs),
        "curve": [each._asdict() for each in curve],
        "words": {word: [len(helps), sum(helps)] for word, helps in words.items()},
    }


def held_out(
    system: System,
    material: Material,
    works: Sequence[Sequence[str]],
    vectors: WordVectors,
    seed: int = 0,
) -> dict[str, FusedMatcher]:
    """Return, for each of the works, by kind, a matcher whose model was trained without it."""
    encoder = CachingEncoder(open_encoder()) if system.uses_encoder else None
    given = {"vectors": vectors, "encoder": encoder, **system.parameters}
    features = SentenceFeatures(AsymmetricMatcher(vectors), encoder)
    samples = material.samples(features, seed)
    samples += samples_of_papers(material.annotated, features, seed)
    dealt = dealt_in_turn(works, FOLDS, seed)
    folds = grouped(dealt, dealt.__getitem__).values()
    found: dict[str, FusedMatcher] = {}
    for fold in tracked(folds, f"Training {system.name}", len(folds)):
        model = train(samples, features.names, seed=seed, held_out=fold)
        found |= dict.fromkeys(fold, system.matcher_class(**given, sentence_model=model))
    return found


def _answers(
    of_work: Mapping[str, SentenceMatcher[Any]],
    asked: Sequence[judging.CitedPassage],
    works: _Works,
) -> Iterator[_Answer]:
    papers: dict[int, Any] = {}
    for each, work in zip(asked, works, strict=True):
        found: list[SupportingSentence] = []
        known: dict[int, float] = {}
        if work is not None:
            matcher, text = of_work[each.work], each.context.asked
            # The text of a paper is the same to all models of `fused`.
            if id(work.paper) not in papers:
                papers[id(work.paper)] = matcher.fit(work.paper)
            fitted = papers[id(work.paper)]
            if isinstance(matcher, FusedMatcher):
                fitted = matcher.cited_by(fitted, work.others)
                known = matcher.probabilities(text, fitted)
            found = matcher.match(text, fitted, len(work.paper.sentences))
        yield [one for one in found if one.matched], known


def _rows(
    system: str,
    basis: str,
    own: Sequence[judging.CitedPassage],
    runs: Sequence[Sequence[_Answer]],
    rating: Sequence[Sequence[_Answer]],
) -> list[Row]:
    """Return the rows of the run for the cited works, and of that for other works.

    What is shown depends on the probabilities of the `rating` runs.
    """
    scores = []
    for each, (found, _) in zip(own, runs[0], strict=True):
        # Of the judged sentences in a system's order; those it leaves out gain nothing.
        gains = [each.grades[one.position] for one in found if one.position in each.grades]
        scores.append(ndcg(gains, sorted(each.grades.values(), reverse=True), _DEPTH))
    first = ([found[:_FIRST] for found, _ in run] for run in runs)
    as_shown = (
        [
            shown(
                [replace(one, probability=known.get(one.position)) for one in found[:MAX_ASSESSED]]
            )
            for (found, _), (_, known) in zip(run, rated, strict=True)
        ]
        for run, rated in zip(runs, rating, strict=True)
    )

    def share(of: Iterable[object]) -> float:
        listed = [bool(each) for each in of]
        return sum(listed) / max(1, len(listed))

    rows = []
    for sentences, (given, elsewhere) in (("first two", first), ("as shown", as_shown)):
        both = list(zip(own, given, strict=True))
        grades = [[each.grades.get(one.position) for one in some] for each, some in both]
        firsts = [some[0] for some in grades if some and some[0] is not None]
        silent_right = [not each.supporting for each, some in both if not some]
        figures = {
            "system": system,
            "source": "judged pairs",
            "basis": basis,
            "sentences": sentences,
            "citances": len(own),
            "first_relevant": share(grade > 1 for grade in firsts),
            "first_helps": share(grade >= 1 for grade in firsts),
            "irrelevant": share(one < 1 for some in grades for one in some if one is not None),
            "answered": share(some for each, some in both if each.supporting),
            "silence_right": share(silent_right) if silent_right else None,
            "silent_elsewhere": share(not some for some in elsewhere),
            "ndcg": float(np.mean(scores)),
            "shown_for_each": sum(map(len, given)) / max(1, sum(map(bool, given))),
            "unjudged": sum(one is None for some in grades for one in some),
        }
        rows.append(Row(system, figures))
    return rows


def text(result: Result) -> Iterator[RenderableType]:
    """Yield the tables, the sizes and the calibration for a terminal."""
    kinds = grouped(result.rows, lambda row: "basis" in row.figures)
    of_pairs, of_sources = kinds.get(True), kinds.get(False)
    if of_pairs:
        yield from _text_of_pairs(result, of_pairs)
    if of_sources:
        yield Table.of("", marking.COLUMNS, of_sources, words=2).text()
        yield from (found.text("{:+.3f}".format) for found in result.findings or ())


def _text_of_pairs(result: Result, rows: Sequence[Row]) -> Iterator[RenderableType]:
    shares = ("first_relevant", "first_helps", "irrelevant", "answered")
    columns: list[Column] = [
        ("percent", "system", str),
        ("text", "basis", str),
        ("sentences", "sentences", str),
        *((name.replace("_", " "), name, percent) for name in shares),
        ("silence right", "silence_right", percent),
        ("silent elsewhere", "silent_elsewhere", percent),
        ("nDCG", "ndcg", fraction),
        ("for each", "shown_for_each", page.number(2)),
        ("unjudged", "unjudged", str),
    ]
    yield Table.of("", columns, rows, words=3).text()
    of = result.facts
    readers = "one reader" if of["kappa"] is None else f"two readers (κ {of['kappa']:.2f})"
    yield f"{of['pairs']:,} pairs of {of['citances']:,} citances, judged by {readers}"
    if of["missing"]:
        yield f"{of['missing']:,} more pairs are not in the data, or their text has changed"
    for basis, found in result.more["calibration"].items():
        points = (f"{each['predicted']:.2f} → {each['observed']:.2f}" for each in found["curve"])
        auc = "" if found["auc"] is None else f", AUC {found['auc']:.3f}"
        yield f"{basis}: calibration error {found['error']:.3f} ({', '.join(points)}){auc}"
        right = (f"{word} {helps} of {number}" for word, (number, helps) in found["words"].items())
        yield f"{basis}: sentences that help: {', '.join(right)}"
