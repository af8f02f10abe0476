"""Evaluate discourse facets: answering methods on gold sentences, and by the official script.

The organisers' script (Task 1B) counts a facet only if the submission has a right sentence for the
same papers; otherwise no answer is wrong. So the score of any constant answer rises with the number
of sentences returned. Scores on gold sentences do not have this flaw.
"""

from __future__ import annotations

import itertools
import re
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

from .. import results
from ..baselines.systems import chosen
from ..cited_text.overlap import Scorer, official_rows, papers_of
from ..cited_text.run import Choices, choose
from ..corpora import scisumm
from ..corpora.scisumm import AnnotatedCorpus, AnnotatedPaper, Answers, listed_ids, read_scisumm
from ..processes import ignored, tracked
from ..results import Counts, Curve, Floats, Measure, Result, Row, f1_parts, interval, total
from ..training import FOLDS
from ..vector_training import require_gensim, train_vectors
from . import training
from .training import FACETS, CrossValidated, Facet, Marks, Sample, decided, marks, truth

#: The official counts of each gold file of a paper.
_Files = tuple[Counts, ...]
#: Answers for a citance and its sentences, in a reference paper with this id.
Answer = Callable[[str, tuple[str, ...]], tuple[Facet, ...]]

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
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
) -> Result:
    """Score answers to Task 1B of CL-SciSumm on gold sentences and by the official script.

    On the training papers the perceptrons are cross-validated by reference paper; for the test set
    they are trained on the former. `system` chooses `top` sentences of a citance (None: its own K).
    Raises `InputError` for an unknown system, a corpus without facets, and without scikit-learn or
    simplemma.
    """
    (selecting,) = chosen([system], (), top)
    training.require_trainer()
    read = read_scisumm(corpus, split)
    problems = (*read.problems, *training.unknown_facets(read))
    on_problems(problems)
    jobs = jobs or available_processors()
    vectors: Path | None = None
    if selecting.recipe is not None:
        require_gensim()
        vectors = train_vectors(corpus, [selecting.recipe], jobs)[selecting.recipe]

    def choose_in(papers: Sequence[AnnotatedPaper], number: int | None = None) -> list[Choices]:
        return choose(papers, selecting, vectors, number, jobs)

    choices = choose_in(read.papers)
    gold, selected = training.samples(read), training.samples(read, choices)
    if not gold:
        raise InputError(f"{corpus}: no annotator gave a citance a facet")
    learned = gold if split == "train" else training.samples(read_scisumm(corpus, "train"))
    trained = training.cross_validate(learned, seed)
    answers: dict[str, Answer] = {
        PERCEPTRONS: lambda paper, texts: trained.of(paper).facets(texts),
        CONSTANT: lambda _paper, _texts: ("Method",),
        MAJORITY: _majority(trained, learned),
    }
    files_of = partial(_official_files, read, {facet: written(facet, read) for facet in FACETS})
    official = {name: files_of(answer, choices) for name, answer in answers.items()}
    decisions = {
        name: np.asarray([trained.of(one.paper).decisions(one.texts) for one in of])
        for name, of in ((PERCEPTRONS, gold), (SELECTED, selected))
    }
    if split == "train":
        # By citance, as in Table 3 of Aumiller et al.: papers are in both parts.
        folds = np.random.default_rng(seed).permutation(len(gold)) % FOLDS
        decisions[RANDOM_FOLDS] = np.zeros((len(gold), len(FACETS)))
        for fold in tracked(range(FOLDS), "Training on random folds", FOLDS):
            others_of = [one for one, own in zip(gold, folds, strict=True) if own != fold]
            classifier = training.fit(others_of, seed)
            for at in np.flatnonzero(folds == fold).tolist():
                decisions[RANDOM_FOLDS][at] = classifier.decisions(gold[at].texts)
    for name in (CONSTANT, MAJORITY):
        facets = (answers[name](one.paper, one.texts) for one in gold)
        decisions[name] = marks(facets).astype(np.float64)
    pair = (PERCEPTRONS, CONSTANT)
    compared = {
        "F1 on gold sentences": [_parts(gold, decisions[one]) for one in pair],
        "official F1": [f1_parts(list(map(total, official[one]))) for one in pair],
    }
    deepest = choose_in(read.papers, max(DEPTHS))

    def f1_by_k(name: str) -> Iterator[tuple[float, float]]:
        for k in DEPTHS:
            files = files_of(answers[name], [one.first(k) for one in deepest])
            yield float(k), total(map(total, files)).measure.f1

    papers = zip(read.papers, choices, strict=True)
    of_task_1a = total(Scorer(paper).official(found.sids(paper)) for paper, found in papers)
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
            "official_f1_by_k": [Curve(name, tuple(f1_by_k(name)))._asdict() for name in pair],
        },
        problems=problems,
        parts=(partial(_records, trained, gold, selected),),
    )


def _records(
    trained: CrossValidated, gold: Sequence[Sample], selected: Sequence[Sample]
) -> Iterator[results.Record]:
    for sample, by_system in zip(gold, selected, strict=True):
        classifier = trained.of(sample.paper)
        decisions = classifier.decisions(sample.texts)
        rounded = [round(value, 6) for value in decisions.tolist()]
        yield {
            "paper": sample.paper,
            "citing": sample.citing,
            "text": sample.citance,
            "gold": list(sample.facets),
            "answered": list(decided(decisions)),
            "decisions": dict(zip(FACETS, rounded, strict=True)),
            "selected": list(classifier.facets(by_system.texts)),
        }


def _row(
    name: str, gold: Sequence[Sample], decisions: Floats, official: Sequence[_Files] | None
) -> Row:
    """Return a row; a line of `confusion` is a gold facet, a column a first answer."""
    wanted, answered = truth(gold), marks(map(decided, decisions))
    counts = list(by_facet(wanted, answered))
    measures = [one.measure for one in counts]
    exact = (wanted == answered).all(axis=1)
    ci95 = interval(_by_paper(gold, exact), _by_paper(gold, np.ones(len(exact))))
    figures: dict[str, Any] = {
        "answers": name,
        "accuracy": {"value": float(exact.mean()), "ci95": list(ci95)},
        "micro": _with_interval(total(counts), _parts(gold, decisions)),
        "macro": Measure(*(sum(of) / len(of) for of in zip(*measures, strict=True)))._asdict(),
        "facets": {
            facet: {**measure._asdict(), "samples": number}
            for facet, measure, number in zip(
                FACETS, measures, wanted.sum(axis=0).tolist(), strict=True
            )
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


def _with_interval(counts: Counts, parts: tuple[Floats, Floats]) -> dict[str, Any]:
    return {**counts.measure._asdict(), "ci95": list(interval(*parts))}


def _parts(gold: Sequence[Sample], decisions: Floats) -> tuple[Floats, Floats]:
    wanted, answered = truth(gold), marks(map(decided, decisions))
    right = 2 * (wanted & answered).sum(axis=1)
    chosen = wanted.sum(axis=1) + answered.sum(axis=1)
    return _by_paper(gold, right), _by_paper(gold, chosen)


def _by_paper(gold: Sequence[Sample], values: npt.ArrayLike) -> Floats:
    _, papers = np.unique([sample.paper for sample in gold], return_inverse=True)
    sums: Floats = np.bincount(papers, np.asarray(values, np.float64)).astype(np.float64)
    return sums


def _majority(trained: CrossValidated, learned: Sequence[Sample]) -> Answer:
    """Return an answer that is always the most frequent set of facets in the training folds."""

    def most(held_out: frozenset[str]) -> tuple[Facet, ...]:
        seen = Counter(one.facets for one in learned if one.paper not in held_out)
        return max(seen, key=lambda facets: (seen[facets], facets))

    of_fold = {paper: most(fold.held_out) for fold in trained.folds for paper in fold.held_out}
    of_all = most(frozenset())
    return lambda paper, _texts: of_fold.get(paper, of_all)


def _difference(
    measure: str, ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]
) -> dict[str, Any]:
    ahead, behind = (parts.sum() / wholes.sum() for parts, wholes in (ours, theirs))
    ci95 = results.interval_of_difference(ours, theirs)
    better = f"{PERCEPTRONS if ci95[0] > 0.0 else CONSTANT} is better"
    return {
        "measure": measure,
        "first": PERCEPTRONS,
        "second": CONSTANT,
        "difference": float(ahead - behind),
        "ci95": list(ci95),
        "verdict": better if ci95[0] > 0.0 or ci95[1] < 0.0 else "cannot be told apart",
    }


def written(facet: Facet, corpus: AnnotatedCorpus) -> str:
    """Return a facet in the form that the organisers' script compares: ``method_citation``."""
    if facet != "Results":
        return f"{facet.lower()}_citation"
    spelled = Counter(
        spelling.replace(" ", "_")
        for paper in corpus.papers
        for file in paper.gold
        for row in file.rows
        for spelling in re.findall(r"results?[ _]citation", (row.facet or "").lower())
    )
    return max(spelled, key=lambda name: (spelled[name], name), default="results_citation")


def _official_files(
    corpus: AnnotatedCorpus,
    spelled: Mapping[Facet, str],
    answer: Answer,
    choices: Sequence[Choices],
) -> list[_Files]:
    """Return the official counts of each gold file, by paper; facets are `spelled` as in these."""
    found = []
    for paper, selected in zip(corpus.papers, choices, strict=True):
        texts = zip(paper.citances, selected.texts(paper), strict=True)
        facets = (answer(paper.id, (citance.text, *own)) for citance, own in texts)
        named = [[spelled[facet] for facet in each] for each in facets]
        found.append(official_facets(paper, selected.sids(paper), named))
    return found


def official_facets(
    paper: AnnotatedPaper, answers: Answers, facets: Sequence[Sequence[str]]
) -> _Files:
    """Return the counts of the organisers' script for each gold file of a paper."""

    def normalised(named: Sequence[str]) -> tuple[str, ...]:
        return tuple(each.lower().replace(" ", "_") for each in named)

    keys = ((paper.id, citance.citing) for citance in paper.citances)
    rows = zip(keys, answers, facets, strict=True)
    submitted = {key: (sids, normalised(named)) for key, sids, named in rows if sids}
    counts = []
    for file in paper.gold:
        # The last usable row for each pair of papers, an empty one if there is none.
        judged = (row for row in file.rows if row.reference_text != scisumm.NOT_JUDGED)
        nothing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        gold = dict.fromkeys(map(papers_of, judged), nothing)
        for key, row in official_rows(file).items():
            named = listed_ids(row.facet) if row.facet else ()
            gold[key] = (listed_ids(row.reference_offset), normalised(named))
        compared = {
            key: named
            for key, (sids, named) in submitted.items()
            if key not in gold or not set(sids).isdisjoint(gold[key][0])
        }
        counts.append(results.overlap(compared, {key: named for key, (_, named) in gold.items()}))
    return tuple(counts)


def macro(files: Sequence[Measure]) -> Measure:
    """Return the mean precision and recall, and their F1, as in the script."""
    number = max(1, len(files))
    precision = sum(one.precision for one in files) / number
    return Measure.of(precision, sum(one.recall for one in files) / number)


def by_facet(wanted: Marks, answered: Marks) -> Iterator[Counts]:
    """Yield the counts of each facet over n samples (n×F)."""
    parts = (wanted & answered, ~wanted & answered, wanted & ~answered)
    return itertools.starmap(Counts, zip(*(of.sum(axis=0).tolist() for of in parts), strict=True))


def confusion(wanted: Marks, first: npt.NDArray[np.intp]) -> list[list[int]]:
    """Return how often a citance with gold facet i (row) has the `first` answer j (column)."""
    answered = np.eye(wanted.shape[1], dtype=np.int64)[first]
    counts: list[list[int]] = (wanted.T.astype(np.int64) @ answered).tolist()
    return counts
