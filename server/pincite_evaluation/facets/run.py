"""Evaluate discourse facets: answering methods on gold sentences, and by the official script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pincite.library.indexing import available_processors
from pincite.model.problems import InputError, Problem

from ..baselines.systems import chosen
from ..cited_text.choices import Choices, choose
from ..cited_text.overlap import Scorer
from ..cited_text.trained_vectors import train_vectors
from ..corpora.annotations import AnnotatedCorpus, AnnotatedPaper
from ..corpora.scisumm import read_scisumm
from ..measures import (
    Counts,
    Floats,
    Measure,
    f1_parts,
    interval,
    interval_of_difference,
    total,
)
from ..processes import Progress, Steps, ignored, silent
from ..results import Record, Records, Result, Row
from ..training import FOLDS
from ..vector_training import require_gensim
from .scoring import (
    FACETS,
    Facet,
    Sample,
    by_facet,
    confusion,
    macro,
    marks,
    official_facets,
    samples,
    unknown_facets,
    written,
)
from .training import CrossValidated, cross_validate, decided, fit, require_trainer, truth

#: The official counts of each gold file of a paper.
_Files = tuple[Counts, ...]
#: Answers for a citance with these sentences, in a reference paper with this id.
Answer = Callable[[str, str, Sequence[str]], tuple[Facet, ...]]

PERCEPTRONS: Final = "perceptrons"
SELECTED: Final = "perceptrons, selected sentences"
RANDOM_FOLDS: Final = "perceptrons, random folds"
CONSTANT: Final = "always Method"
MAJORITY: Final = "majority"
#: The numbers of sentences to score officially, to show how the score depends on them.
DEPTHS: Final = tuple(range(1, 9))


def evaluate(
    corpus: Path,
    *,
    split: Literal["train", "test"] = "train",
    system: str = "asymmetric",
    top: int | None = None,
    seed: int = 0,
    jobs: int | None = 1,
    progress: Steps = silent,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
) -> Result:
    """Score answers to Task 1B of CL-SciSumm on gold sentences and by the official script.

    `corpus` is the data folder of the scisumm-corpus. On its training papers the perceptrons are
    cross-validated by reference paper; for the test set they are trained on the former. `system`
    chooses the sentences of a citance, `top` of them (None: its own K), in `jobs` processes (None:
    one for each CPU). `seed` is that of the random numbers.

    `progress` is called for every step, `on_problems` with the defects of the corpus as soon as it
    is read. Raises `InputError` for an unknown system, for a corpus without facets, and without
    scikit-learn or simplemma.
    """
    (selecting,) = chosen([system], (), top)
    require_trainer()
    read = read_scisumm(corpus, split, progress("Reading papers"))
    problems = (*read.problems, *unknown_facets(read))
    on_problems(problems)
    jobs = jobs or available_processors()
    vectors: Path | None = None
    if selecting.recipe is not None:
        require_gensim()
        vectors = train_vectors(corpus, [selecting.recipe], jobs, progress)[selecting.recipe]

    def choose_in(papers: Sequence[AnnotatedPaper], number: int | None = None) -> list[Choices]:
        step = progress(f"Sentences by {selecting.name}")
        return choose(papers, selecting, vectors, number, jobs, step)

    choices = choose_in(read.papers)
    gold, selected = samples(read), samples(read, choices)
    if not gold:
        raise InputError(f"{corpus}: no annotator gave a citance a facet")
    training = gold, selected
    if split != "train":
        others = read_scisumm(corpus, "train", progress("Training papers"))
        training = samples(others), samples(others, choose_in(others.papers))
    trained = cross_validate(*training, seed, progress("Training"))
    answers: dict[str, Answer] = {
        PERCEPTRONS: lambda paper, *found: trained.of(paper).facets(*found),
        CONSTANT: lambda *_found: ("Method",),
        MAJORITY: _majority(trained),
    }
    files_of = partial(_official_files, read, {facet: written(facet, read) for facet in FACETS})
    official = {name: files_of(answer, choices) for name, answer in answers.items()}
    decisions = {PERCEPTRONS: _decisions(trained, gold), SELECTED: _decisions(trained, selected)}
    if split == "train":
        decisions[RANDOM_FOLDS] = _by_random_folds(gold, seed, progress("Training on random folds"))
    for name in (CONSTANT, MAJORITY):
        facets = (answers[name](one.paper, one.citance, one.sentences) for one in gold)
        decisions[name] = marks(facets).astype(np.float64)
    pair = (PERCEPTRONS, CONSTANT)
    compared = {
        "F1 on gold sentences": [_parts(gold, decisions[one]) for one in pair],
        "official F1": [f1_parts(list(map(total, official[one]))) for one in pair],
    }
    deepest = choose_in(read.papers, max(DEPTHS))
    by_k = {
        name: [
            (k, total(map(total, files_of(answers[name], [one.first(k) for one in deepest]))))
            for k in DEPTHS
        ]
        for name in pair
    }
    of_task_1a = total(
        Scorer(paper).official(found.sids(paper))
        for paper, found in zip(read.papers, choices, strict=True)
    )
    return Result(
        facts={
            "corpus": str(corpus),
            "split": split,
            "system": selecting.name,
            "k": int(selecting.params["k"]),
            "seed": seed,
            "papers": len(read.papers),
            "samples": len(gold),
            "sentences": of_task_1a.measure._asdict(),
            "facets": list(FACETS),
        },
        rows=tuple(
            _row(name, gold, found, official.get(name)) for name, found in decisions.items()
        ),
        more={
            "differences": [_difference(name, *parts) for name, parts in compared.items()],
            "confident": list(_confident(trained, selected, split)),
            "official_f1_by_k": [
                {"system": name, "points": [[float(k), of.measure.f1] for k, of in by_depth]}
                for name, by_depth in by_k.items()
            ],
        },
        problems=problems,
        records=Records((partial(_records, trained, gold, selected),)),
    )


def _records(
    trained: CrossValidated, gold: Sequence[Sample], selected: Sequence[Sample]
) -> Iterator[Record]:
    for sample, by_system in zip(gold, selected, strict=True):
        classifier = trained.of(sample.paper)
        decisions = classifier.decisions(sample.citance, sample.sentences)
        rounded = [round(value, 6) for value in decisions.tolist()]
        selection = by_system.citance, by_system.sentences
        yield {
            "paper": sample.paper,
            "citing": sample.citing,
            "text": sample.citance,
            "gold": list(sample.facets),
            "answered": list(decided(decisions)),
            "decisions": dict(zip(FACETS, rounded, strict=True)),
            "selected": list(classifier.facets(*selection)),
            "confident": list(classifier.confident(*selection)),
        }


def _decisions(trained: CrossValidated, of: Sequence[Sample]) -> Floats:
    return np.asarray([trained.of(one.paper).decisions(one.citance, one.sentences) for one in of])


def _by_random_folds(gold: Sequence[Sample], seed: int, progress: Progress) -> Floats:
    """Cross-validate by citance, as in Table 3 of Aumiller et al.: papers are in both parts."""
    folds = np.random.default_rng(seed).permutation(len(gold)) % FOLDS
    decisions = np.zeros((len(gold), len(FACETS)))
    for fold in range(FOLDS):
        classifier = fit([one for one, own in zip(gold, folds, strict=True) if own != fold], seed)
        for place in np.flatnonzero(folds == fold).tolist():
            decisions[place] = classifier.decisions(gold[place].citance, gold[place].sentences)
        progress(fold + 1, FOLDS)
    return decisions


def _row(
    name: str, gold: Sequence[Sample], decisions: Floats, official: Sequence[_Files] | None
) -> Row:
    """Return a row: on gold sentences over facets, and by the organisers' script.

    `accuracy` is the share of citances with exactly the gold facets. `confusion` has a line for
    each gold facet and a column for each first answer. `official` is None for answers that are
    no submission; its micro and macro scores are over gold files.
    """
    wanted, answered = truth(gold), marks(map(decided, decisions))
    counts = list(by_facet(wanted, answered))
    measures = [one.measure for one in counts]
    numbers = wanted.sum(axis=0).tolist()
    exact = (wanted == answered).all(axis=1)
    ci95 = interval(_by_paper(gold, exact), _by_paper(gold, np.ones(len(exact))))
    figures: dict[str, Any] = {
        "answers": name,
        "accuracy": {"value": float(exact.mean()), "ci95": list(ci95)},
        "micro": _with_interval(total(counts), _parts(gold, decisions)),
        "macro": Measure(*(sum(of) / len(of) for of in zip(*measures, strict=True)))._asdict(),
        "facets": {
            facet: {**measure._asdict(), "samples": number}
            for facet, measure, number in zip(FACETS, measures, numbers, strict=True)
        },
        "confusion": confusion(wanted, np.argmax(decisions, axis=1)),
        "official": None,
    }
    if official is not None:
        by_paper = list(map(total, official))
        figures["official"] = {
            "micro": _with_interval(total(by_paper), f1_parts(by_paper)),
            "macro": macro([file.measure for paper in official for file in paper])._asdict(),
            "counts": asdict(total(by_paper)),
        }
    return Row(name, figures)


def _official_files(
    corpus: AnnotatedCorpus,
    spelled: Mapping[Facet, str],
    answer: Answer,
    choices: Sequence[Choices],
) -> list[_Files]:
    """Return the official counts of each gold file, by paper; facets are `spelled` as in these."""
    found = []
    for paper, own in zip(corpus.papers, choices, strict=True):
        texts = zip(paper.citances, own.texts(paper), strict=True)
        facets = [answer(paper.id, citance.text, sentences) for citance, sentences in texts]
        named = [[spelled[facet] for facet in each] for each in facets]
        found.append(official_facets(paper, own.sids(paper), named))
    return found


def _confident(
    trained: CrossValidated, selected: Sequence[Sample], split: str
) -> Iterator[dict[str, Any]]:
    """Yield how many answers are confident for each facet, and how many of these are right."""
    if split == "train":
        confident = trained.margins >= trained.limits
    else:
        named = (trained.of_all.confident(one.citance, one.sentences) for one in selected)
        confident = marks(named)[None]
    wanted = truth(selected)
    for row, facet in enumerate(FACETS):
        sure, true = confident[..., row], wanted[:, row]
        answers, right = (float(some.sum() / len(confident)) for some in (sure, sure & true))
        yield {
            "facet": facet,
            "answers": answers,
            "right": right,
            "precision": right / answers if answers else None,
            "citances": int(true.sum()),
            "of": len(true),
        }


def _parts(gold: Sequence[Sample], decisions: Floats) -> tuple[Floats, Floats]:
    wanted, answered = truth(gold), marks(map(decided, decisions))
    right = 2 * (wanted & answered).sum(axis=1)
    chosen = wanted.sum(axis=1) + answered.sum(axis=1)
    return _by_paper(gold, right), _by_paper(gold, chosen)


def _by_paper(gold: Sequence[Sample], values: npt.ArrayLike) -> Floats:
    _, papers = np.unique([sample.paper for sample in gold], return_inverse=True)
    sums: Floats = np.bincount(papers, np.asarray(values, np.float64)).astype(np.float64)
    return sums


def _majority(trained: CrossValidated) -> Answer:
    """Return an answer that is always the most frequent set of facets in the training folds."""

    def most(held_out: frozenset[str]) -> tuple[Facet, ...]:
        seen = Counter(one.facets for one in trained.selected if one.paper not in held_out)
        return max(seen, key=lambda facets: (seen[facets], facets))

    of_fold = {paper: most(fold.held_out) for fold in trained.folds for paper in fold.held_out}
    of_all = most(frozenset())
    return lambda paper, _citance, _sentences: of_fold.get(paper, of_all)


def _with_interval(counts: Counts, parts: tuple[Floats, Floats]) -> dict[str, Any]:
    return {**counts.measure._asdict(), "ci95": list(interval(*parts))}


def _difference(
    measure: str, ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]
) -> dict[str, Any]:
    ahead, behind = (parts.sum() / wholes.sum() for parts, wholes in (ours, theirs))
    ci95 = interval_of_difference(ours, theirs)
    better = f"{PERCEPTRONS if ci95[0] > 0.0 else CONSTANT} is better"
    return {
        "measure": measure,
        "first": PERCEPTRONS,
        "second": CONSTANT,
        "difference": float(ahead - behind),
        "ci95": list(ci95),
        "verdict": better if ci95[0] > 0.0 or ci95[1] < 0.0 else "cannot be told apart",
    }
