"""Evaluate discourse facets: from an annotated corpus to a row for each answering method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pincite.library.indexing import available_processors
from pincite.model.problems import Problem

from ..baselines.systems import chosen
from ..corpora.scisumm import read_scisumm
from ..progress import Steps, ignored, silent
from .results import FacetsResult
from .samples import unknown_facets
from .table import FacetsEvaluation
from .training import require_trainer


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
) -> FacetsResult:
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
    return FacetsEvaluation(corpus, read, selecting, jobs, seed, progress).result(problems)
