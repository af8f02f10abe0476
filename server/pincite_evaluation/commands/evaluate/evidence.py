"""``pincite evaluate evidence``: score the sentences that systems show on judged pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import (
    JobsOption,
    JsonOption,
    check_outputs,
    percent,
    progress,
    table,
    wide_console,
    write_json,
)

if TYPE_CHECKING:
    from ...evidence.run import EvidenceResult


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
    from ...evidence.run import evaluate

    check_outputs(json_output, None, None)
    with progress() as bars:
        result = evaluate(data, judgements, system or (), seed=seed, jobs=jobs, progress=bars)
    if json_output is not None:
        write_json(json_output, result.json())
    _show(result)


def _show(result: EvidenceResult) -> None:
    from ...measures.calibration import calibration_error

    shares = ("first relevant", "first helps", "irrelevant", "answered", "silence right")
    others = ("silent elsewhere", "nDCG", "for each", "unjudged")
    rows = table(("percent", "text", "sentences"), (*shares, *others))
    for row in result.rows:
        silence = "-" if row.silence_right is None else percent(row.silence_right)
        figures = (row.first_relevant, row.first_helps, row.irrelevant, row.answered)
        rows.add_row(
            row.system,
            row.basis,
            row.sentences,
            *map(percent, figures),
            silence,
            percent(row.silent_elsewhere),
            f"{row.ndcg:.3f}",
            f"{row.shown_for_each:.2f}",
            str(row.unjudged),
        )
    screen = wide_console(columns=170)
    screen.print(rows)
    readers = "one reader" if result.kappa is None else f"two readers (κ {result.kappa:.2f})"
    screen.print(f"{result.pairs:,} pairs of {result.citances:,} citances, judged by {readers}")
    if result.missing:
        screen.print(
            f"{result.missing:,} more pairs are not in the data, or their text has changed"
        )
    for basis, curve in result.curves.items():
        points = ", ".join(f"{each.predicted:.2f} → {each.observed:.2f}" for each in curve)
        screen.print(f"{basis}: calibration error {calibration_error(curve):.3f} ({points})")
