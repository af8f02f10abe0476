"""``pincite evaluate cited-text``: CL-SciSumm Task 1A, each system in each scoring scheme."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
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
    from ...cited_text.results import CitedTextResult


class SplitName(str, Enum):
    """Parts of the corpus."""

    train = "train"
    scisummnet = "scisummnet"
    test = "test"


def cited_text(
    corpus: CorpusArgument,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="asymmetric, symmetric, bm25-2field, ... (repeatable; default: all).",
        ),
    ] = None,
    split: Annotated[
        SplitName,
        typer.Option("--split", help="The annotated papers, ScisummNet's, or the test set."),
    ] = SplitName.train,
    top: TopOption = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PARAM=VALUE",
            help="Change a parameter of the systems that have it: d=2, truncation=none, "
            "cased=false, min_count=50, ... (repeatable).",
        ),
    ] = None,
    models: Annotated[
        list[Path] | None,
        typer.Option(
            "--model",
            metavar="DIR",
            help="A model made by pincite train; adds a row for each system that takes it "
            "(repeatable).",
        ),
    ] = None,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
) -> None:
    """Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes."""
    from ...cited_text.findings import findings
    from ...cited_text.report import html, markdown
    from ...cited_text.run import evaluate

    outputs: Outputs[CitedTextResult] = Outputs(json_output, report, records, findings)
    try:
        with progress() as bars:
            result = evaluate(
                corpus,
                system or (),
                split=split.value,
                top=top,
                parameters=parameters or (),
                models=models or (),
                curves=report is not None,
                jobs=jobs,
                progress=bars,
                on_problems=report_problems,
                on_row=outputs.update,
            )
        outputs.finish(result, lambda found: html(found, findings(found)), markdown)
    finally:
        # Also after an interrupted run.
        if outputs.latest is not None:
            _show(outputs.latest)


def _show(result: CitedTextResult) -> None:
    """Print a line for each system, in percent, and whether the paper's orderings hold."""
    from ...cited_text.findings import findings

    overlap = ("K", "P official", "R", "F1", "F1 citance", "95 %", "F1 union")
    others = ("ROUGE-S*", "repaired", "sentences", "words", "seconds")
    rows = table(("percent",), (*overlap, *others))
    for row in result.rows:
        low, high = row.ci95
        rows.add_row(
            row.name,
            str(row.k),
            *map(percent, row.official),
            percent(row.citance.f1),
            f"{percent(low)}-{percent(high)}",
            *map(percent, (row.union.f1, row.rouge_s, row.rouge_s_repaired)),
            f"{row.sentences_per_citance:.2f}",
            f"{row.mean_length:.1f}",
            f"{row.seconds:.1f}",
        )
    screen = wide_console(columns=160)
    screen.print(rows)
    screen.print(
        f"{result.citances:,} citances of {result.papers:,} reference papers ({result.split})"
    )
    if (human := result.human) is not None:
        screen.print(
            f"human against human: official {percent(human.agreement_official.f1)}, citance "
            f"{percent(human.agreement_citance.f1)}; best possible: official "
            f"{percent(human.oracle_official.f1)}, citance {percent(human.oracle_citance.f1)}"
        )
    for finding in findings(result):
        low, high = finding.ci95
        screen.print(
            f"{finding.claim}: {finding.verdict} ({finding.first} against {finding.second}: "
            f"{100 * finding.difference:+.1f}, {100 * low:+.1f} to {100 * high:+.1f})"
        )
