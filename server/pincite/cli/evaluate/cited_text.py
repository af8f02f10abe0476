"""``pincite evaluate cited-text``: CL-SciSumm Task 1A, each system in each scoring scheme."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...model.problems import InputError
from .common import (
    Bars,
    JobsOption,
    JsonOption,
    RecordsOption,
    ReportOption,
    check_outputs,
    progress,
    report_problems,
    write_json,
    write_records,
    writing,
)

if TYPE_CHECKING:
    from ...baselines.systems import System
    from ...evaluation.cited_text.table import Evaluation


#: A file has room for all columns.
_WIDTH = 160


class SplitName(str, Enum):
    """Parts of the corpus."""

    train = "train"
    scisummnet = "scisummnet"
    test = "test"


def cited_text(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS", help="The data folder of the scisumm-corpus, as it stands upstream."
        ),
    ],
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
    top: Annotated[
        int | None,
        typer.Option(
            "--top", min=1, metavar="K", help="Sentences per citance (default: each paper's own K)."
        ),
    ] = None,
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
            help="A model of pincite train, for a further row of each system that takes it "
            "(repeatable).",
        ),
    ] = None,
    json_output: JsonOption = None,
    report: ReportOption = None,
    records: RecordsOption = None,
    jobs: JobsOption = None,
) -> None:
    """Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes."""
    from ...baselines.model_folder import ModelFolder
    from ...baselines.systems import SYSTEMS, chosen, with_models
    from ...evaluation.cited_text.choices import Place
    from ...evaluation.cited_text.table import Evaluation
    from ...evaluation.corpora.scisumm import read_scisumm
    from ...library.indexing import available_processors

    systems = chosen(system or SYSTEMS, parameters or (), top)
    systems = with_models(systems, [ModelFolder.read(folder) for folder in models or ()])
    check_outputs(json_output, report, records)
    with progress() as bar:
        read = read_scisumm(corpus, split.value, bar("Reading papers"))
    report_problems(read.problems)
    evaluation = Evaluation(Place(corpus, split.value), read, jobs or available_processors())
    finished: list[System] = []
    try:
        with progress() as bar:
            for one in _in_turn(evaluation, systems, bar, is_asked=bool(system)):
                evaluation.add(one, bar(f"{len(finished) + 1}/{len(systems)} {one.name}"))
                finished.append(one)
                if json_output is not None:
                    write_json(json_output, _json(evaluation), is_final=False)
                if records is not None:
                    write_records(records, evaluation.records(), append=len(finished) > 1)
            if report is not None:
                evaluation.draw(finished, bar("Figures"))
                _write_report(report, evaluation)
        if json_output is not None:
            write_json(json_output, _json(evaluation))
    finally:
        # Also of a run that does not come to its end.
        if finished:
            _show(evaluation)


def _nothing() -> None:
    pass


def _try(systems: Sequence[System]) -> None:
    """Raise `InputError` where what systems need is not installed."""
    from ...matching.vectors import WordVectors

    for system in systems:
        system.matcher(WordVectors.empty())


def _in_turn(
    evaluation: Evaluation, systems: Sequence[System], bar: Bars, *, is_asked: bool
) -> Iterator[System]:
    """Yield the systems that need no training, then train, and yield the others.

    Where there can be no training, these are left out with a word, unless they were asked for.
    """
    from ...evaluation.cited_text.neal_training import KIND as NEAL
    from ...evaluation.cited_text.reranker_training import KIND as RERANKER
    from ...evaluation.cited_text.trained_vectors import require_training

    recipes = [system.recipe for system in systems if system.recipe is not None]
    if recipes and is_asked:
        require_training()
    of_vectors = [system for system in systems if system.recipe is not None]
    of_neal = [system for system in systems if system.kind == NEAL and system.model is None]
    of_encoder = [system for system in systems if system.uses_encoder]
    of_model = [system for system in systems if system.kind == RERANKER and system.model is None]
    later = (*of_vectors, *of_neal, *of_encoder, *of_model)
    for waiting, prepare in (
        ([system for system in systems if system not in later], _nothing),
        (of_neal, lambda: evaluation.train_neal(bar("Training NEAL"))),
        (of_model, lambda: _try(of_model)),
        (of_encoder, lambda: _try(of_encoder)),
        (of_vectors, lambda: evaluation.train(recipes, bar)),
    ):
        if not waiting:
            continue
        try:
            prepare()
        except InputError as error:
            if is_asked:
                raise
            names = ", ".join(system.name for system in waiting)
            typer.echo(f"pincite: left out: {names} ({error})", err=True)
        else:
            yield from waiting


def _json(evaluation: Evaluation) -> dict[str, Any]:
    from ...evaluation.cited_text.findings import findings

    result = evaluation.result
    return {**result.json(), "findings": [finding.json() for finding in findings(result)]}


def _write_report(path: Path, evaluation: Evaluation) -> None:
    from ...evaluation.cited_text.findings import findings
    from ...evaluation.cited_text.report import html, markdown

    result = evaluation.result
    trained = [row.name for row in result.rows if "min_count" in row.params]
    vectors = "The packaged ones."
    if trained:
        vectors = (
            f"The packaged ones; those of {', '.join(trained)}: trained on the training papers."
        )
    if path.suffix.lower() == ".md":
        text = markdown(result)
    else:
        text = html(result, tuple(findings(result)), {"Word vectors": vectors})
    with writing(path) as file:
        file.write(text)


def _show(evaluation: Evaluation) -> None:
    """Print a line for each system, in percent, and how the paper's orderings hold."""
    from rich.table import Table

    from ...evaluation.cited_text.findings import findings
    from ..output import console

    result = evaluation.result
    table = Table(box=None, pad_edge=False)
    table.add_column("percent", no_wrap=True)
    for column in ("K", "P official", "R", "F1", "F1 citance", "95 %", "F1 union"):
        table.add_column(column, justify="right")
    for column in ("ROUGE-S*", "sentences", "words", "seconds"):
        table.add_column(column, justify="right")
    for row in result.rows:
        low, high = row.ci95
        table.add_row(
            row.name,
            str(row.k),
            *(f"{100 * value:.1f}" for value in dataclasses.astuple(row.official)),
            f"{100 * row.citance.f1:.1f}",
            f"{100 * low:.1f}-{100 * high:.1f}",
            f"{100 * row.union.f1:.1f}",
            f"{100 * row.rouge_s:.1f}",
            f"{row.sentences_per_citance:.2f}",
            f"{row.mean_length:.1f}",
            f"{row.seconds:.1f}",
        )
    screen = console()
    if not screen.is_terminal:
        screen.width = _WIDTH
    screen.print(table)
    screen.print(
        f"{result.citances:,} citances of {result.papers:,} reference papers ({result.split})"
    )
    if (human := result.human) is not None:
        screen.print(
            f"human against human: official {100 * human.agreement_official.f1:.1f}, citance "
            f"{100 * human.agreement_citance.f1:.1f}; best possible: official "
            f"{100 * human.oracle_official.f1:.1f}, citance {100 * human.oracle_citance.f1:.1f}"
        )
    for finding in findings(result):
        low, high = finding.ci95
        screen.print(
            f"{finding.claim}: {finding.verdict} ({finding.first} against {finding.second}: "
            f"{100 * finding.difference:+.1f}, {100 * low:+.1f} to {100 * high:+.1f})"
        )
