"""Cited text identification as one call: an annotated corpus in, a row for each system out.

The papers' findings are orderings of rows, each checked by the bootstrap interval of the difference
of two F1 by citances over the same papers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from pincite.library.indexing import available_processors
from pincite.matching.base import SentenceMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError, Problem
from pincite.text.tokens import words

from .. import results
from ..baselines.systems import SYSTEMS, System, chosen, with_models
from ..corpora.scisumm import AnnotatedCorpus, AnnotatedPaper, Split, read_scisumm
from ..processes import Workers, ignored
from ..results import Counts, Curve, Finding, Row, total
from ..training import ModelFolder, cached_folds
from ..vector_training import VectorRecipe, require_gensim, train_vectors
from .model_training import ENCODED, FUSED, NEAL, RERANKER, fused_trainer, neal_trainer
from .overlap import Scorer, human, rouge_s_star

FINE_TUNING = "fine-tuning helps"
#: The turn of systems with their own word vectors, the last.
_VECTORS = 5


@dataclass(frozen=True, slots=True)
class Choices:
    """A system's choices in one paper: positions and scores for each citance, best first."""

    found: Sequence[Sequence[tuple[int, float]]]
    seconds: float

    def first(self, k: int) -> Choices:
        """Return the best `k` sentences of each citance."""
        return Choices([own[:k] for own in self.found], self.seconds)

    def sids(self, paper: AnnotatedPaper) -> list[list[str]]:
        """Return the ids of the sentences, which are those of the paper's XML."""
        return [[paper.sids[position] for position, _ in own] for own in self.found]

    def texts(self, paper: AnnotatedPaper) -> list[tuple[str, ...]]:
        """Return the texts of the sentences, as readers see them."""
        sentences = paper.paper.sentences
        return [tuple(sentences[position].text for position, _ in own) for own in self.found]


def choose(
    papers: Sequence[AnnotatedPaper],
    system: System,
    vectors: Path | None = None,
    number: int | None = None,
    jobs: int = 1,
) -> list[Choices]:
    """Run a system on papers, with the word vectors of a file or, if None, the packaged ones."""
    # Enough parts to balance the load, few enough to make each matcher only a few times.
    size = math.ceil(len(papers) / (8 * jobs)) or 1
    parts = [papers[at : at + size] for at in range(0, len(papers), size)]
    shared = system, vectors, number
    found = Workers(jobs).map(_chosen, parts, *shared, name=f"Sentences by {system.name}")
    return list(chain.from_iterable(found))


def _chosen(
    papers: Sequence[AnnotatedPaper], system: System, vectors: Path | None, number: int | None
) -> list[Choices]:
    loaded = _vectors(vectors) if system.uses_vectors else None
    matchers: dict[Path | None, SentenceMatcher[Any]] = {}
    chosen = []
    for paper in papers:
        # A matcher that was not trained on the paper.
        part = None if system.model is None else system.model.part(paper.id)
        if part not in matchers:
            matchers[part] = system.matcher(loaded, paper.id)
        matcher, start = matchers[part], time.perf_counter()
        fitted = matcher.fit(paper.paper)
        found = []
        for citance in paper.citances:
            cited = fitted
            if isinstance(matcher, FusedMatcher):
                # The words in which papers other than the citing one cite it.
                cited = matcher.cited_by(fitted, paper.citances_of_others(citance))
            sentences = matcher.match(citance.text, cited, number)
            found.append([(one.position, one.score) for one in sentences])
        chosen.append(Choices(found, time.perf_counter() - start))
    return chosen


@lru_cache(maxsize=1)
def _vectors(path: Path | None) -> WordVectors:
    return WordVectors.packaged() if path is None else WordVectors.load(path)


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """A reference paper with the `counts` of each row, by citances."""

    id: str
    title: str
    citances: int
    sentences: int
    counts: tuple[Counts, ...]


@dataclass(frozen=True, kw_only=True)
class CitedTextResult(results.Result):
    """The whole table."""

    per_paper: tuple[PaperCounts, ...] = ()


def evaluate(
    corpus: Path,
    systems: Sequence[str] = (),
    *,
    split: Split = "train",
    top: int | None = None,
    parameters: Sequence[str] = (),
    models: Sequence[Path] = (),
    curves: bool = False,
    jobs: int | None = 1,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
    on_rows: Callable[[CitedTextResult], None] = ignored,
) -> CitedTextResult:
    """Score systems on Task 1A of CL-SciSumm by the schemes of `overlap` and by ROUGE-S*.

    The options are those of the command. By default, all `systems` run whose dependencies are
    installed, those that need no training first. With `curves`, the papers' figures are computed as
    well, which takes many runs. `on_problems` is called with problems as soon as they are known,
    `on_rows` with the result so far whenever a system has finished. Raises `InputError` for unknown
    names, invalid values, an unreadable corpus, and missing dependencies of a named system.
    """
    wanted = chosen(systems or SYSTEMS, parameters, top)
    wanted = with_models(wanted, [ModelFolder.read(folder) for folder in models])
    if systems and any(one.recipe for one in wanted):
        require_gensim()
    read = read_scisumm(corpus, split)
    on_problems(read.problems)
    recipes = [one.recipe for one in wanted if one.recipe and _turn(one) == _VECTORS]
    evaluation = _Evaluation(corpus, read, recipes, jobs or available_processors())
    finished: list[System] = []
    problems = list(read.problems)
    for _, alike in groupby(sorted(wanted, key=_turn), _turn):
        left_out: dict[str, list[str]] = {}
        for system in alike:
            try:
                evaluation.prepare(system)
            except InputError as error:
                if systems:
                    raise
                left_out.setdefault(str(error), []).append(system.name)
                continue
            evaluation.add(system)
            finished.append(system)
            on_rows(evaluation.result(problems))
        for reason, names in left_out.items():
            problems.append(Problem(None, None, f"left out: {', '.join(names)} ({reason})"))
            on_problems(problems[-1:])
    if curves:
        evaluation.draw(finished)
    return evaluation.result(problems)


def _turn(system: System) -> int:
    """Return when a system runs: those that need no training come first."""
    trained = (FUSED, NEAL, RERANKER)
    if system.model is None and system.kind in trained:
        return trained.index(system.kind) + 1
    if system.uses_encoder:
        return _VECTORS - 1
    return 0 if system.recipe is None else _VECTORS


class _Evaluation:
    """Systems on the papers of one corpus; `result` returns all rows that are finished."""

    def __init__(
        self, path: Path, corpus: AnnotatedCorpus, recipes: Sequence[VectorRecipe], jobs: int
    ) -> None:
        self.corpus, self._path, self._jobs = corpus, path, jobs
        #: All recipes of word vectors that systems need, and the trained files.
        self.recipes = recipes
        self.trained: dict[VectorRecipe, Path] = {}
        #: Trained models by their kind, for the systems that have none of their own.
        self.models: dict[str, ModelFolder] = {}
        #: Finished rows, and the choices and counts behind them, by paper.
        self._scored: list[tuple[Row, Sequence[Choices], Sequence[Counts]]] = []
        #: Curves by name, as in the JSON.
        named = ("f1_by_d", "recall_by_k", "f1_by_mix")
        self._curves: dict[str, list[dict[str, Any]]] = {name: [] for name in named}
        self._scorers = [Scorer(paper) for paper in corpus.papers]
        self._human = human(corpus.papers)
        self._lengths = [
            [len(words(sentence.text)) for sentence in paper.paper.sentences]
            for paper in corpus.papers
        ]

    def add(self, system: System) -> None:
        choices = self._choose(system)
        counts = self._by_citance(choices)
        self._scored.append((self._row(system, choices, counts), choices, counts))

    def prepare(self, system: System) -> None:
        """Train what a system needs, unless it is cached; raise `InputError` if it cannot run."""
        if system.recipe in self.recipes and not self.trained:
            self.trained = train_vectors(self._path, self.recipes, self._jobs)
        kind, is_train = system.kind, self.corpus.split == "train"
        if system.uses_encoder or kind == RERANKER:
            system.matcher(WordVectors.empty())
        is_trained_here = kind == NEAL or (kind in (FUSED, ENCODED) and is_train)
        if system.model is None and kind not in self.models and is_trained_here:
            trainer = neal_trainer() if kind == NEAL else fused_trainer(kind)
            papers = (self.corpus if is_train else read_scisumm(self._path, "train")).papers
            self.models[kind] = cached_folds(papers, trainer)

    def draw(self, systems: Sequence[System]) -> None:
        depths = range(1, 11)

        def f1_by(name: str, value: float, system: System) -> float:
            return self._total(self._choose(system.having({name: str(value)}))).f1

        def add(curve: str, system: System, points: Iterable[tuple[float, float]]) -> None:
            found = Curve(system.name, tuple(points))
            self._curves[curve].append(found._asdict())

        for one in systems:
            # Figure 3 of Ricci et al. (2022): F1 by the power d.
            if one.name in ("asymmetric", "asymmetric-reverse"):
                add("f1_by_d", one, ((float(d), f1_by("d", d, one)) for d in depths))
            # Figure 4: recall by the number of sentences.
            if one.name in ("symmetric", "asymmetric-d1", "asymmetric"):
                deepest = self._choose(one, number=max(depths))
                by_k = ((k, self._total([each.first(k) for each in deepest])) for k in depths)
                add("recall_by_k", one, ((float(k), measure.recall) for k, measure in by_k))
            # Figure 4 of Nomoto (2016), whose λ is our `mix`.
            if one.kind == NEAL:
                add("f1_by_mix", one, ((n / 10, f1_by("mix", n / 10, one)) for n in range(11)))

    def _total(self, choices: Sequence[Choices]) -> results.Measure:
        return total(self._by_citance(choices)).measure

    def result(self, problems: Sequence[Problem] = ()) -> CitedTextResult:
        rows = tuple(row for row, *_ in self._scored)
        by_paper = zip(*(counts for *_, counts in self._scored), strict=True)
        every = by_paper if rows else ((),) * len(self.corpus.papers)
        per_paper = tuple(
            PaperCounts(own.id, own.paper.title, len(own.citances), len(own.sids), counts)
            for own, counts in zip(self.corpus.papers, every, strict=True)
        )
        more = {"human": self._human, **self._curves}
        return CitedTextResult(
            facts={
                "corpus": str(self._path),
                "split": self.corpus.split,
                "papers": len(self.corpus.papers),
                "citances": self.corpus.citances,
            },
            rows=rows,
            more={name: found for name, found in more.items() if found},
            findings=tuple(findings(rows, per_paper)),
            per_paper=per_paper,
            problems=tuple(problems),
            parts=tuple(partial(self._records, row.name, own) for row, own, _ in self._scored),
        )

    def _records(self, system: str, chosen: Sequence[Choices]) -> Iterator[results.Record]:
        for paper, choices in zip(self.corpus.papers, chosen, strict=True):
            sentences = paper.paper.sentences
            for citance, found in zip(paper.citances, choices.found, strict=True):
                yield {
                    "system": system,
                    "paper": paper.id,
                    "citance": citance.number,
                    "citing": citance.citing,
                    "text": citance.text,
                    "chosen": [
                        {"sid": paper.sids[at], "score": score, "text": sentences[at].text}
                        for at, score in found
                    ],
                }

    def _choose(self, system: System, number: int | None = None) -> list[Choices]:
        if system.model is None and system.kind in self.models:
            system = system.with_model(self.models[system.kind])
        vectors = None if system.recipe is None else self.trained[system.recipe]
        return choose(self.corpus.papers, system, vectors, number, self._jobs)

    def _row(self, system: System, choices: Sequence[Choices], counts: Sequence[Counts]) -> Row:
        """Return the figures of a system, named by its base and the parameters set by hand."""
        pairs = self._answers(choices)
        lengths = [
            length[position]
            for length, one in zip(self._lengths, choices, strict=True)
            for position, _ in chain.from_iterable(one.found)
        ]
        base, changes = system.base, [f"{n}={value}" for n, value in system.changed.items()]
        written = ", ".join(filter(None, (base, *changes)))
        repaired = (file for s, a in pairs for file in s.official_pairs(a, written=False))
        ci95 = list(results.interval(*results.f1_parts(counts)))
        figures = {
            "system": system.name,
            "params": dict(system.params),
            **({"base": base} if base else {}),
            "k": int(system.params["k"]),
            "official": total(s.official(a) for s, a in pairs).measure._asdict(),
            "citance": {**total(counts).measure._asdict(), "ci95": ci95},
            "union": total(s.union(a) for s, a in pairs).measure._asdict(),
            "rouge_s": rouge_s_star(file for s, a in pairs for file in s.official_pairs(a)),
            "rouge_s_repaired": rouge_s_star(repaired, irregular=True),
            "sentences_per_citance": len(lengths) / max(1, self.corpus.citances),
            "mean_length": sum(lengths) / max(1, len(lengths)),
            "seconds": sum(one.seconds for one in choices),
        }
        return Row(
            f"{system.name} ({written})" if written else system.name, figures, system.changed
        )

    def _by_citance(self, choices: Sequence[Choices]) -> list[Counts]:
        return [scorer.citance(answers) for scorer, answers in self._answers(choices)]

    def _answers(self, choices: Sequence[Choices]) -> list[tuple[Scorer, list[list[str]]]]:
        papers = zip(self._scorers, choices, self.corpus.papers, strict=True)
        return [(scorer, one.sids(paper)) for scorer, one, paper in papers]


def findings(rows: Sequence[Row], papers: Sequence[PaperCounts]) -> Iterator[Finding]:
    """Yield the claims whose two rows are both there with the paper's parameters."""
    # A system with its default parameters, with a trained model or without.
    places = {
        (row["system"], row.changed.get("model")): place
        for place, row in enumerate(rows)
        if row.changed.keys() <= {"model"}
    }
    models = list(dict.fromkeys(model for _, model in places))
    asked = [(claim, (ahead, None), (behind, None)) for claim, ahead, behind in results.CLAIMS]
    for model in models:
        asked += [(claim, (one, model), (other, model)) for claim, one, other in results.STEPS]
    asked += [(FINE_TUNING, (system, model), (system, None)) for system, model in places if model]
    # UniHD's, with every model that re-ranks.
    claim, alone, re_ranked = "BM25 alone beats re-ranking", "bm25-2field", "bm25-rerank"
    asked += [(claim, (alone, None), (re_ranked, model)) for model in models]
    for claim, ahead, behind in asked:
        if ahead in places and behind in places:
            first, second = places[ahead], places[behind]
            parts = (results.f1_parts([own.counts[at] for own in papers]) for at in (first, second))
            ci95 = results.interval_of_difference(*parts)
            gain = rows[first]["citance"]["f1"] - rows[second]["citance"]["f1"]
            yield Finding.of(claim, rows[first].name, rows[second].name, gain, ci95)
