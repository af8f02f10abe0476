"""``pincite evaluate facets``: Task 1B of CL-SciSumm, on gold sentences and by official score."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from .common import (
    CorpusArgument,
    JobsOption,
    JsonOption,
    Outputs,
    RecordsOption,
    ReportOption,
    TopOption,
    percent,
    progress,
    report_problems,
    table,
    wide_console,
)

if TYPE_CHECKING:
    from ...facets.results import FacetsResult


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
    from ...facets.report import html, markdown
    from ...facets.run import evaluate

    outputs: Outputs[FacetsResult] = Outputs(json_output, report, records)
    with progress() as bars:
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
    outputs.finish(result, html, markdown)
    _show(result)


def _show(result: FacetsResult) -> None:
    """Print a line for each answering method, in percent, and the comparisons."""
    from ...facets.classifier import FACETS

    columns = ("accuracy", "P", "R", "F1", "95 %", "macro F1", *FACETS, "official F1")
    rows = table(("percent",), columns)
    for row in result.rows:
        micro, (low, high) = row.micro, row.micro_ci95
        rows.add_row(
            row.name,
            *map(percent, (row.accuracy, micro.precision, micro.recall, micro.f1)),
            f"{percent(low)}-{percent(high)}",
            percent(row.macro.f1),
            *(percent(one.f1) for one in row.facets),
            "" if row.official is None else percent(row.official.micro.f1),
        )
    screen = wide_console(columns=150)
    screen.print(rows)
    screen.print(
        f"{result.samples:,} judged citances of {result.papers:,} reference papers "
        f"({result.split}); official: with {result.k} sentences by {result.system}, "
        f"whose own official F1 is {percent(result.sentences.f1)}"
    )
    for one in result.differences:
        low, high = one.ci95
        screen.print(
            f"{one.measure}, {one.first} minus {one.second}: {100 * one.difference:+.1f} "
            f"({100 * low:+.1f} to {100 * high:+.1f}): {one.verdict}"
        )
    for sure in result.confident:
        if sure.precision is not None:
            screen.print(
                f"confident of {sure.facet}: {sure.answers:.0f} of {sure.of:,}, "
                f"{percent(sure.precision)} right (it is the facet of "
                f"{percent(sure.citances / sure.of)})"
            )
