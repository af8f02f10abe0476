"""``pincite evaluate evidence``: score the sentences that systems show on judged pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import JobsOption, JsonOption, Outputs, progress


def evidence(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="The folder with the texts: wild, articles, pdf-library, and cl-scisumm for "
            "training.",
        ),
    ],
    judgements: Annotated[
        Path,
        typer.Option("--judgements", metavar="FILE", help="The readers' judgements of the pairs."),
    ] = Path("benchmarks/data/judged_evidence.json"),
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="fused, asymmetric, bm25-2field, ... (repeatable; default: those that need no "
            "training and no transformer).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    json_output: JsonOption = None,
    jobs: JobsOption = None,
) -> None:
    """Supporting sentences compared with readers' judgements; silence and calibration."""
    from ...evidence.report import text
    from ...evidence.run import evaluate

    with Outputs(text, json_output, width=170) as outputs, progress() as bars:
        outputs.finish(
            evaluate(data, judgements, system or (), seed=seed, jobs=jobs, progress=bars)
        )
