"""Cited text identification as one call: an annotated corpus in, a row for each system out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pincite.library.indexing import available_processors
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError, Problem

from ..baselines.model_folder import ModelFolder
from ..baselines.systems import SYSTEMS, System, chosen, with_models
from ..corpora.annotations import Split
from ..corpora.scisumm import read_scisumm
from ..progress import Steps, ignored, silent
from ..vector_training import VectorRecipe, require_gensim
from .fused_training import ENCODED
from .fused_training import KIND as FUSED
from .neal_training import KIND as NEAL
from .reranker_training import KIND as RERANKER
from .results import CitedTextResult
from .table import Evaluation

#: What systems need besides models of their own kind.
_ENCODER, _VECTORS = "encoder", "vectors"


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
    read = read_scisumm(corpus, split, progress("Reading papers"))
    on_problems(read.problems)
    evaluation = Evaluation(corpus, read, jobs or available_processors())
    finished: list[System] = []
    problems = list(read.problems)

    def leave_out(waiting: Sequence[System], error: InputError) -> None:
        if systems:
            raise error
        names = ", ".join(system.name for system in waiting)
        problems.append(Problem(None, None, f"left out: {names} ({error})"))
        on_problems(problems[-1:])

    if systems and _recipes(wanted):
        require_gensim()
    for system in _in_turn(evaluation, wanted, progress, leave_out):
        evaluation.add(system, progress(f"{len(finished) + 1}/{len(wanted)} {system.name}"))
        finished.append(system)
        on_row(evaluation.result(problems))
    if curves:
        evaluation.draw(finished, progress("Figures"))
    return evaluation.result(problems)


def _in_turn(
    evaluation: Evaluation,
    systems: Sequence[System],
    progress: Steps,
    leave_out: Callable[[Sequence[System], InputError], None],
) -> Iterator[System]:
    """Yield the systems that need no training, then train and yield the others.

    `leave_out` is called with those that cannot be trained or opened, and the reason.
    """
    steps: dict[str, Callable[[Sequence[System]], None]] = {
        "": ignored,
        FUSED: lambda _: evaluation.train_fused(FUSED, progress("Training fused")),
        NEAL: lambda _: evaluation.train_neal(progress("Training NEAL")),
        RERANKER: _try,
        _ENCODER: _try,
        _VECTORS: lambda waiting: evaluation.train(_recipes(waiting), progress),
    }
    for need, prepare in steps.items():
        waiting = [system for system in systems if _need(system) == need]
        if not waiting:
            continue
        try:
            prepare(waiting)
        except InputError as error:
            leave_out(waiting, error)
            continue
        for system in waiting:
            try:
                if system.kind == ENCODED and system.model is None:
                    evaluation.train_fused(ENCODED, progress("Training fused-encoder"))
            except InputError as error:
                leave_out([system], error)
            else:
                yield system


def _need(system: System) -> str:
    """Return what has to be trained or opened before a system runs, "" for nothing."""
    if system.model is None and system.kind in (FUSED, NEAL, RERANKER):
        return system.kind
    if system.uses_encoder:
        return _ENCODER
    return "" if system.recipe is None else _VECTORS


def _recipes(systems: Sequence[System]) -> list[VectorRecipe]:
    return [recipe for system in systems if (recipe := system.recipe) is not None]


def _try(systems: Sequence[System]) -> None:
    """Raise `InputError` if dependencies of the systems are not installed."""
    for system in systems:
        system.matcher(WordVectors.empty())
