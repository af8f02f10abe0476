"""``pincite evaluate facets``: Task 1B of CL-SciSumm, on gold sentences and by official score."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from .common import (
    CorpusArgument,
    JobsOption,
    JsonOption,
    Outputs,
    RecordsOption,
    ReportOption,
    TopOption,
    progress,
    report_problems,
)


class SplitName(str, Enum):
    """Parts of the corpus that have facets."""

    train = "train"
    test = "test"


def facets(
    corpus: CorpusArgument,
    split: Annotated[
        SplitName,
        typer.Option("--split", help="Training papers, cross-validated, or the test set."),
    ] = SplitName.train,
    system: Annotated[
        str,
        typer.Option(
            "--system", metavar="NAME", help="The matcher that chooses the sentences of a citance."
        ),
    ] = "asymmetric",
    top: TopOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
) -> None:
    """Discourse facets (CL-SciSumm, Task 1B): perceptrons compared with a constant answer."""
    from ...facets.report import html, markdown, text
    from ...facets.run import evaluate

    with Outputs(text, json_output, report, records, width=150) as outputs, progress() as bars:
        result = evaluate(
            corpus,
            split=split.value,
            system=system,
            top=top,
            seed=seed,
            jobs=jobs,
            progress=bars,
            on_problems=report_problems,
        )
        outputs.finish(result, html=html, markdown=markdown)
