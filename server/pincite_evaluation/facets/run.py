"""Evaluate discourse facets: answering methods on gold sentences, and by the official script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pincite.library.indexing import available_processors
from pincite.model.problems import InputError, Problem

from ..baselines.systems import System, chosen
from ..cited_text.choices import Choices, choose
from ..cited_text.overlap import Scorer
from ..cited_text.trained_vectors import train_vectors
from ..corpora.annotations import AnnotatedCorpus
from ..corpora.scisumm import read_scisumm
from ..folds import FOLDS
from ..intervals import interval, interval_of_difference
from ..measures import Counts, Floats, Measure, f1_parts, mean_of_measures, total
from ..progress import Steps, ignored, silent
from ..results import Curve, Record, Records, Result, Row
from ..vector_training import require_gensim
from .classifier import FACETS, Facet, decided
from .samples import Sample, samples, unknown_facets, written
from .scoring import by_facet, confusion, macro, marks, official_facets
from .training import CrossValidated, cross_validate, fit, require_trainer, truth

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
    return _Evaluation(corpus, read, selecting, jobs, seed, progress).result(problems)


class _Evaluation:
    """Facets of the papers of one split, by classifiers not trained on these papers."""

    def __init__(
        self,
        path: Path,
        corpus: AnnotatedCorpus,
        system: System,
        jobs: int,
        seed: int,
        steps: Steps,
    ) -> None:
        """Train; `corpus` was read from the folder at `path`, `system` chooses the sentences."""
        self._path, self._corpus, self._system = path, corpus, system
        self._jobs, self._seed, self._steps = jobs, seed, steps
        self._vectors: Path | None = None
        if system.recipe is not None:
            require_gensim()
            self._vectors = train_vectors(path, [system.recipe], jobs, steps)[system.recipe]
        self._written = {facet: written(facet, corpus) for facet in FACETS}
        self._choices = self._choose(corpus)
        self._gold = samples(corpus)
        if not self._gold:
            raise InputError(f"{path}: no annotator gave a citance a facet")
        self._selected = samples(corpus, self._choices)
        gold, selected = self._gold, self._selected
        if corpus.split != "train":
            training = read_scisumm(path, "train", steps("Training papers"))
            gold, selected = samples(training), samples(training, self._choose(training))
        self._trained = cross_validate(gold, selected, seed, steps("Training"))

    def result(self, problems: Sequence[Problem] = ()) -> Result:
        """Return all figures; `problems` are the defects of the corpus."""
        answers: dict[str, Answer] = {
            PERCEPTRONS: lambda paper, *found: self._trained.of(paper).facets(*found),
            CONSTANT: lambda *_found: ("Method",),
            MAJORITY: _majority(self._trained),
        }
        official = {
            name: self._official_files(answer, self._choices) for name, answer in answers.items()
        }
        gold, constant = self._decide(self._gold), self._constant(answers[CONSTANT])
        rows = [
            self._row(PERCEPTRONS, gold, official[PERCEPTRONS]),
            self._row(SELECTED, self._decide(self._selected)),
            self._row(CONSTANT, constant, official[CONSTANT]),
            self._row(MAJORITY, self._constant(answers[MAJORITY]), official[MAJORITY]),
        ]
        if self._corpus.split == "train":
            rows.insert(2, self._row(RANDOM_FOLDS, self._randomly()))
        by_scheme = {
            "F1 on gold sentences": [self._parts(one) for one in (gold, constant)],
            "official F1": [
                f1_parts(list(map(total, official[name]))) for name in (PERCEPTRONS, CONSTANT)
            ],
        }
        return Result(
            facts={
                "corpus": str(self._path),
                "split": self._corpus.split,
                "system": self._system.name,
                "k": int(self._system.params["k"]),
                "seed": self._seed,
                "papers": len(self._corpus.papers),
                "samples": len(self._gold),
                "sentences": self._sentences().json(),
                "facets": list(FACETS),
            },
            rows=tuple(rows),
            more={
                "differences": [_difference(name, *parts) for name, parts in by_scheme.items()],
                "confident": list(self._confident()),
                "official_f1_by_k": [curve.json() for curve in self._by_k(answers)],
            },
            problems=tuple(problems),
            records=Records((self._records,)),
        )

    def _records(self) -> Iterator[Record]:
        """Yield the decisions for every citance that an annotator judged."""
        for gold, selected in zip(self._gold, self._selected, strict=True):
            classifier = self._trained.of(gold.paper)
            decisions = classifier.decisions(gold.citance, gold.sentences)
            yield {
                "paper": gold.paper,
                "citing": gold.citing,
                "text": gold.citance,
                "gold": list(gold.facets),
                "answered": list(decided(decisions)),
                "decisions": {
                    facet: round(value, 6)
                    for facet, value in zip(FACETS, decisions.tolist(), strict=True)
                },
                "selected": list(classifier.facets(selected.citance, selected.sentences)),
                "confident": list(classifier.confident(selected.citance, selected.sentences)),
            }

    def _choose(self, corpus: AnnotatedCorpus, number: int | None = None) -> list[Choices]:
        progress = self._steps(f"Sentences by {self._system.name}")
        return choose(corpus.papers, self._system, self._vectors, number, self._jobs, progress)

    def _randomly(self) -> Floats:
        """Cross-validate by citance, as in Table 3 of Aumiller et al.: papers are in both parts."""
        numbers = np.random.default_rng(self._seed).permutation(len(self._gold)) % FOLDS
        decisions = np.zeros((len(self._gold), len(FACETS)))
        progress = self._steps("Training on random folds")
        for number in range(FOLDS):
            training = [one for one, n in zip(self._gold, numbers, strict=True) if n != number]
            classifier = fit(training, self._seed)
            for place in np.flatnonzero(numbers == number).tolist():
                sample = self._gold[place]
                decisions[place] = classifier.decisions(sample.citance, sample.sentences)
            progress(number + 1, FOLDS)
        return decisions

    # Answers --------------------------------------------------------------------------------------

    def _decide(self, of: Sequence[Sample]) -> Floats:
        """Return the decisions (n×F) on n samples."""
        return np.asarray(
            [self._trained.of(one.paper).decisions(one.citance, one.sentences) for one in of]
        )

    def _constant(self, answer: Answer) -> Floats:
        """Return an answer as decisions (n×F): 1 for its facets."""
        found = marks(answer(one.paper, one.citance, one.sentences) for one in self._gold)
        return found.astype(np.float64)

    # Figures --------------------------------------------------------------------------------------

    def _row(self, name: str, decisions: Floats, official: Sequence[_Files] | None = None) -> Row:
        """Return a row: on gold sentences over facets, and by the organisers' script.

        `accuracy` is the share of citances with exactly the gold facets. `confusion` has a line for
        each gold facet and a column for each first answer. `official` is None for answers that are
        no submission; its micro and macro scores are over gold files.
        """
        wanted, answered = truth(self._gold), marks(map(decided, decisions))
        counts = list(by_facet(wanted, answered))
        measures = [one.measure for one in counts]
        numbers = wanted.sum(axis=0).tolist()
        exact = (wanted == answered).all(axis=1)
        ci95 = interval(self._by_paper(exact), self._by_paper(np.ones(len(exact))))
        figures = {
            "answers": name,
            "accuracy": {"value": float(exact.mean()), "ci95": list(ci95)},
            "micro": _with_interval(total(counts), self._parts(decisions)),
            "macro": mean_of_measures(measures).json(),
            "facets": {
                facet: {**measure.json(), "samples": number}
                for facet, measure, number in zip(FACETS, measures, numbers, strict=True)
            },
            "confusion": confusion(wanted, np.argmax(decisions, axis=1)),
            "official": None if official is None else _official(official),
        }
        return Row(name, figures)

    def _official_files(self, answer: Answer, choices: Sequence[Choices]) -> list[_Files]:
        """Return the official counts of each gold file, by paper."""
        found = []
        for paper, own in zip(self._corpus.papers, choices, strict=True):
            facets = [
                answer(paper.id, citance.text, sentences)
                for citance, sentences in zip(paper.citances, own.texts(paper), strict=True)
            ]
            named = [[self._written[facet] for facet in each] for each in facets]
            found.append(official_facets(paper, own.sids(paper), named))
        return found

    def _sentences(self) -> Measure:
        """Return the official score of the sentences themselves (Task 1A)."""
        return total(
            Scorer(paper).official(chosen.sids(paper))
            for paper, chosen in zip(self._corpus.papers, self._choices, strict=True)
        ).measure

    def _by_k(self, answers: Mapping[str, Answer]) -> Iterator[Curve]:
        deepest = self._choose(self._corpus, max(DEPTHS))
        for name in (PERCEPTRONS, CONSTANT):
            points = []
            for k in DEPTHS:
                files = self._official_files(answers[name], [one.first(k) for one in deepest])
                points.append((float(k), total(map(total, files)).measure.f1))
            yield Curve(name, tuple(points))

    def _confident(self) -> Iterator[dict[str, Any]]:
        """Yield how many answers are confident for each facet, and how many of these are right.

        Both are means over partitions of the papers in cross-validation: a single one is
        unreliable. Annotators gave the facet to `citances` of the `of` judged ones.
        """
        if self._corpus.split == "train":
            said = self._trained.margins >= self._trained.limits
        else:
            named = (
                self._trained.of_all.confident(one.citance, one.sentences) for one in self._selected
            )
            said = marks(named)[None]
        wanted = truth(self._selected)
        for row, facet in enumerate(FACETS):
            sure, true = said[..., row], wanted[:, row]
            answers, right = (float(some.sum() / len(said)) for some in (sure, sure & true))
            yield {
                "facet": facet,
                "answers": answers,
                "right": right,
                "precision": right / answers if answers else None,
                "citances": int(true.sum()),
                "of": len(true),
            }

    def _parts(self, decisions: Floats) -> tuple[Floats, Floats]:
        """Return the numerators and denominators of F1 on gold sentences, by paper."""
        wanted, answered = truth(self._gold), marks(map(decided, decisions))
        right = 2 * (wanted & answered).sum(axis=1)
        chosen = wanted.sum(axis=1) + answered.sum(axis=1)
        return self._by_paper(right), self._by_paper(chosen)

    def _by_paper(self, values: npt.ArrayLike) -> Floats:
        """Return the sums of the samples' values for each paper that has any."""
        _, papers = np.unique([sample.paper for sample in self._gold], return_inverse=True)
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


def _official(papers: Sequence[_Files]) -> dict[str, Any]:
    by_paper = list(map(total, papers))
    counts = total(by_paper)
    return {
        "micro": _with_interval(counts, f1_parts(by_paper)),
        "macro": macro([file.measure for paper in papers for file in paper]).json(),
        "counts": asdict(counts),
    }


def _with_interval(counts: Counts, parts: tuple[Floats, Floats]) -> dict[str, Any]:
    return {**counts.measure.json(), "ci95": list(interval(*parts))}


def _difference(
    measure: str, ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]
) -> dict[str, Any]:
    """Compare the perceptrons with the constant answer over the same papers."""
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
