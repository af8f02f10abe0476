"""Compute the rows of cited text identification, one system at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pincite.matching.vectors import WordVectors
from pincite.model.problems import Problem
from pincite.text.tokens import words

from ..baselines.model_folder import ModelFolder
from ..baselines.systems import System
from ..corpora.annotations import AnnotatedCorpus
from ..corpora.scisumm import read_scisumm
from ..measures import Counts, f1_parts, interval, total
from ..progress import Progress, Steps, ignored
from ..results import Curve, Record, Records, Row
from ..training import Trainer, cached_folds
from ..vector_training import VectorRecipe
from .choices import Choices, choose
from .findings import CitedTextResult, PaperCounts, findings
from .fused_training import ENCODED, FusedTrainer
from .fused_training import KIND as FUSED
from .neal_training import KIND as NEAL
from .neal_training import NealTrainer
from .overlap import Scorer, human
from .reranker_training import KIND as RERANKER
from .rouge import rouge_s_star
from .trained_vectors import train_vectors

#: Figure 3 of Ricci et al. (2022): F1 by the power d, of these systems.
POWERS = tuple(range(1, 11))
POWERED = ("asymmetric", "asymmetric-reverse")
#: Figure 4: recall by the number of sentences, of these.
DEPTHS = tuple(range(1, 11))
#: Figure 4 of Nomoto (2016), whose λ is our `mix`.
MIXES = tuple(tenth / 10 for tenth in range(11))
RECALLED = ("symmetric", "asymmetric-d1", "asymmetric")


@dataclass(frozen=True, slots=True)
class _Scored:
    """A finished row, and the choices and counts behind it, by paper."""

    row: Row
    choices: tuple[Choices, ...]
    counts: tuple[Counts, ...]


class Evaluation:
    """Systems on the papers of one corpus; `result` returns all rows that are finished."""

    def __init__(self, path: Path, corpus: AnnotatedCorpus, jobs: int = 1) -> None:
        """Evaluate on `corpus`, read from the data folder at `path`, in `jobs` processes."""
        self.corpus = corpus
        #: All recipes of word vectors that systems need, and the trained files.
        self.recipes: Sequence[VectorRecipe] = ()
        self.trained: dict[VectorRecipe, Path] = {}
        #: Trained models by their kind, for the systems that have none of their own.
        self.models: dict[str, ModelFolder] = {}
        self._path = path
        self._jobs = jobs
        self._scored: list[_Scored] = []
        self._curves: dict[str, tuple[Curve, ...]] = {}
        self._scorers = [Scorer(paper) for paper in corpus.papers]
        self._human = human(corpus.papers)
        self._lengths = [
            [len(words(sentence.text)) for sentence in paper.paper.sentences]
            for paper in corpus.papers
        ]

    def add(self, system: System, progress: Progress = ignored) -> Row:
        """Run a system and return its row; with a recipe, it uses the vectors in `trained`."""
        choices = self._choose(system, progress=progress)
        counts = self._by_citance(choices)
        scored = _Scored(self._row(system, choices, counts), tuple(choices), tuple(counts))
        self._scored.append(scored)
        return scored.row

    def prepare(self, system: System, steps: Steps) -> None:
        """Train what a system needs, unless it is cached; raise `InputError` if it cannot run."""
        if system.recipe in self.recipes and not self.trained:
            self.trained = train_vectors(self._path, self.recipes, self._jobs, steps)
        if system.uses_encoder or system.kind == RERANKER:
            system.matcher(WordVectors.empty())
        kind, is_train = system.kind, self.corpus.split == "train"
        trainer: Trainer | None = None
        if system.model is None and kind not in self.models:
            if kind == NEAL:
                trainer = NealTrainer()
            elif kind in (FUSED, ENCODED) and is_train:
                trainer = FusedTrainer(kind)
        if trainer is not None:
            papers = (self.corpus if is_train else read_scisumm(self._path, "train")).papers
            self.models[kind] = cached_folds(papers, trainer, progress=steps(f"Training {kind}"))

    def draw(self, systems: Sequence[System], progress: Progress = ignored) -> None:
        """Compute the curves of the papers' figures for the `systems` that appear there."""
        powered = [system for system in systems if system.name in POWERED]
        mixed = [system for system in systems if system.kind == NEAL]
        recalled = [system for system in systems if system.name in RECALLED]
        runs = count(1)
        steps = len(powered) * len(POWERS) + len(mixed) * len(MIXES) + len(recalled)

        def f1_by(name: str, values: Sequence[float], system: System) -> Curve:
            points = []
            for value in values:
                counts = self._by_citance(self._choose(system.having({name: str(value)})))
                points.append((float(value), total(counts).measure.f1))
                progress(next(runs), steps)
            return Curve(system.name, tuple(points))

        def recall_by_k(system: System) -> Curve:
            deepest = self._choose(system, number=max(DEPTHS))
            by_k = {k: self._by_citance([one.first(k) for one in deepest]) for k in DEPTHS}
            progress(next(runs), steps)
            points = ((float(k), total(counts).measure.recall) for k, counts in by_k.items())
            return Curve(system.name, tuple(points))

        self._curves = {
            "f1_by_d": tuple(f1_by("d", POWERS, system) for system in powered),
            "recall_by_k": tuple(map(recall_by_k, recalled)),
            "f1_by_mix": tuple(f1_by("mix", MIXES, system) for system in mixed),
        }

    def result(self, problems: Sequence[Problem] = ()) -> CitedTextResult:
        """Return the result so far, rows in the order in which they finished."""
        rows = tuple(scored.row for scored in self._scored)
        per_paper = tuple(self._per_paper())
        more: dict[str, Any] = {} if self._human is None else {"human": self._human}
        more |= {
            name: [curve.json() for curve in curves]
            for name, curves in self._curves.items()
            if curves
        }
        return CitedTextResult(
            facts={
                "corpus": str(self._path),
                "split": self.corpus.split,
                "papers": len(self.corpus.papers),
                "citances": self.corpus.citances,
            },
            rows=rows,
            more=more,
            findings=tuple(findings(rows, per_paper)),
            per_paper=per_paper,
            curves=self._curves,
            problems=tuple(problems),
            records=Records(tuple(partial(self._records, scored) for scored in self._scored)),
        )

    def _records(self, scored: _Scored) -> Iterator[Record]:
        """Yield what the system of a row chose for every citance."""
        for paper, choices in zip(self.corpus.papers, scored.choices, strict=True):
            found = zip(paper.citances, choices.positions, choices.scores, strict=True)
            for citance, positions, scores in found:
                yield {
                    "system": scored.row.name,
                    "paper": paper.id,
                    "citance": citance.number,
                    "citing": citance.citing,
                    "text": citance.text,
                    "chosen": [
                        {
                            "sid": paper.sids[position],
                            "score": score,
                            "text": paper.paper.sentences[position].text,
                        }
                        for position, score in zip(positions, scores, strict=True)
                    ],
                }

    def _choose(
        self, system: System, number: int | None = None, progress: Progress = ignored
    ) -> list[Choices]:
        if system.model is None and system.kind in self.models:
            system = system.with_model(self.models[system.kind])
        recipe = system.recipe
        vectors = None if recipe is None else self.trained[recipe]
        return choose(self.corpus.papers, system, vectors, number, self._jobs, progress)

    def _row(self, system: System, choices: Sequence[Choices], counts: Sequence[Counts]) -> Row:
        """Return the figures of a system, named by its base and the parameters set by hand.

        `ci95` is of the F1 by citances over reference papers; `rouge_s` is ROUGE-S* as the
        organisers computed it, `rouge_s_repaired` with WordNet's irregular forms and decoded
        entities (`rouge`); `mean_length` is the mean number of words of the chosen sentences,
        `seconds` the time of matching, in its process. `base` is the transformer, if any.
        """
        pairs = list(zip(self._scorers, self._answers(choices), strict=True))
        lengths = [
            length[position]
            for length, one in zip(self._lengths, choices, strict=True)
            for found in one.positions
            for position in found
        ]
        written = [system.base] if system.base else []
        written += [f"{name}={value}" for name, value in system.changed.items()]
        name = f"{system.name} ({', '.join(written)})" if written else system.name
        citance = total(counts).measure.json()
        figures = {
            "system": system.name,
            "params": dict(system.params),
            **({"base": system.base} if system.base else {}),
            "k": int(system.params["k"]),
            "official": total(s.official(a) for s, a in pairs).measure.json(),
            "citance": {**citance, "ci95": list(interval(*f1_parts(counts)))},
            "union": total(s.union(a) for s, a in pairs).measure.json(),
            "rouge_s": rouge_s_star(file for s, a in pairs for file in s.official_pairs(a)),
            "rouge_s_repaired": rouge_s_star(
                (file for s, a in pairs for file in s.official_pairs(a, written=False)),
                irregular=True,
            ),
            "sentences_per_citance": len(lengths) / max(1, self.corpus.citances),
            "mean_length": sum(lengths) / max(1, len(lengths)),
            "seconds": sum(one.seconds for one in choices),
        }
        return Row(name, figures, system.changed)

    def _by_citance(self, choices: Sequence[Choices]) -> list[Counts]:
        return [
            scorer.citance(answers)
            for scorer, answers in zip(self._scorers, self._answers(choices), strict=True)
        ]

    def _answers(self, choices: Sequence[Choices]) -> list[list[list[str]]]:
        """Return the ids of the chosen sentences, by paper and citance."""
        return [one.sids(paper) for one, paper in zip(choices, self.corpus.papers, strict=True)]

    def _per_paper(self) -> Iterator[PaperCounts]:
        for number, paper in enumerate(self.corpus.papers):
            counts = [scored.counts[number] for scored in self._scored]
            yield PaperCounts(
                paper.id,
                paper.paper.title,
                len(paper.citances),
                len(paper.sids),
                tuple(c.tp for c in counts),
                tuple(c.tp + c.fp for c in counts),
                self._scorers[number].citance.wanted,
            )
