"""Cited text identification as one call: an annotated corpus in, a row for each system out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from pincite.library.indexing import available_processors
from pincite.model.problems import InputError, Problem

from ..baselines.model_folder import ModelFolder
from ..baselines.systems import SYSTEMS, System, chosen, with_models
from ..corpora.annotations import Split
from ..corpora.scisumm import read_scisumm
from ..progress import Steps, ignored, silent
from ..vector_training import require_gensim
from .findings import CitedTextResult
from .fused_training import KIND as FUSED
from .neal_training import KIND as NEAL
from .reranker_training import KIND as RERANKER
from .table import Evaluation

#: The turn of systems with their own word vectors, the last.
_VECTORS = 5


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
    progress: Steps = silent,
    on_problems: Callable[[Sequence[Problem]], None] = ignored,
    on_row: Callable[[CitedTextResult], None] = ignored,
) -> CitedTextResult:
    """Score systems on Task 1A of CL-SciSumm by the schemes of `overlap` and by ROUGE-S*.

    `corpus` is the data folder of the scisumm-corpus, `split` the part of it that is scored.
    `systems` are names of `baselines.systems`; by default, all systems run whose dependencies are
    installed, those that need no training first. `top` is the number of sentences per citance
    (None: the K of each system), `parameters` are ``name=value`` for the systems that have them,
    and `models` are folders of ``pincite train``, each adding a row for the systems that take it.
    With `curves`, the figures of the papers are computed as well, which takes many runs. `jobs`
    processes compute (None: one for each CPU), with the same scores.

    `progress` is called for every step, `on_problems` with problems as soon as they are known, and
    `on_row` with the result so far whenever a system has finished. Raises `InputError` for unknown
    names, invalid values, an unreadable corpus, and missing dependencies of a named system.
    """
    wanted = chosen(systems or SYSTEMS, parameters, top)
    wanted = with_models(wanted, [ModelFolder.read(folder) for folder in models])
    if systems and any(one.recipe for one in wanted):
        require_gensim()
    read = read_scisumm(corpus, split, progress("Reading papers"))
    on_problems(read.problems)
    evaluation = Evaluation(corpus, read, jobs or available_processors())
    evaluation.recipes = [one.recipe for one in wanted if one.recipe and _turn(one) == _VECTORS]
    finished: list[System] = []
    problems = list(read.problems)
    for _, alike in groupby(sorted(wanted, key=_turn), _turn):
        left_out: dict[str, list[str]] = {}
        for system in alike:
            try:
                evaluation.prepare(system, progress)
            except InputError as error:
                if systems:
                    raise
                left_out.setdefault(str(error), []).append(system.name)
                continue
            evaluation.add(system, progress(f"{len(finished) + 1}/{len(wanted)} {system.name}"))
            finished.append(system)
            on_row(evaluation.result(problems))
        for reason, names in left_out.items():
            problems.append(Problem(None, None, f"left out: {', '.join(names)} ({reason})"))
            on_problems(problems[-1:])
    if curves:
        evaluation.draw(finished, progress("Figures"))
    return evaluation.result(problems)


def _turn(system: System) -> int:
    """Return when a system runs: those that need no training come first."""
    untrained = system.kind if system.model is None else ""
    if untrained in (FUSED, NEAL, RERANKER):
        return (FUSED, NEAL, RERANKER).index(untrained) + 1
    if system.uses_encoder:
        return _VECTORS - 1
    return 0 if system.recipe is None else _VECTORS
