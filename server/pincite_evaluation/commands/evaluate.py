"""``pincite evaluate``: the published evaluations, and one on whole drafts."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pincite.model.problems import InputError

from .outputs import REPORTED, CorpusArgument, Run, TopOption, evaluation, report_problems

app = typer.Typer(help="Run the evaluations of the papers behind Pincite.", no_args_is_help=True)


#: What ranks the candidates: Table 1 of Duma and Klein (two names), or the learned ranker.
Ranker = Enum("Ranker", {"table_1": "table-1", "mixed": "mixed", "learned": "learned"}, type=str)
#: Which papers provide inlink contexts.
Inlinks = Enum(
    "Inlinks", {"exclude_test": "exclude-test", "leave_one_out": "leave-one-out"}, type=str
)
#: Parts of the CL-SciSumm corpus, and those that have facets.
SplitName = Enum(
    "SplitName", {"train": "train", "scisummnet": "scisummnet", "test": "test"}, type=str
)
FacetSplit = Enum("FacetSplit", {"train": "train", "test": "test"}, type=str)


@app.command()
@evaluation("resolution", *REPORTED, "scheduler")
def resolution(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="Papers in the S2ORC JSON schema, articles in JATS or TEI, or LaTeX projects.",
        ),
    ],
    run: Run,
    test_papers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ids of the test papers, one per line (default: all)."),
    ] = None,
    min_references: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Only test papers that list at least N papers of the collection.",
        ),
    ] = 8,
    representation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="full-text, passage-350, inlink-20, mixed-inlink-20-passage-350, ... (repeatable; "
            "default: all of the paper's Table 1).",
        ),
    ] = None,
    window: Annotated[
        list[str] | None, typer.Option(metavar="L,R", help="Words left and right (repeatable).")
    ] = None,
    ranker: Annotated[
        list[Ranker] | None,
        typer.Option(
            help="table-1 (also mixed): the paper's Table 1 (default); learned: the learned "
            "ranker, trained on the collection in five folds, which takes minutes (repeatable)."
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A model for --ranker learned (no folds).")
    ] = None,
    inlinks: Annotated[
        Inlinks,
        typer.Option(
            help="Inlink contexts from all papers but the test papers, or all but the one under "
            "test (what a running editor sees)."
        ),
    ] = Inlinks.exclude_test,
) -> object:
    """Citation resolution (Duma and Klein 2014): Table 1 on a collection of papers."""
    from ..resolution.protocol import TABLE_1, WINDOWS
    from ..resolution.run import evaluate

    asked = ranker or [Ranker.table_1]
    return evaluate(
        corpus,
        test_papers=test_papers,
        min_references=min_references,
        rankers=tuple({"learned" if one is Ranker.learned else "table-1" for one in asked}),
        representations=representation or TABLE_1,
        windows=window or WINDOWS,
        model=model,
        inlinks=inlinks.value,
        on_problems=report_problems,
        on_rows=run.update,
        **run.options,
    )


@app.command("cited-text")
@evaluation("cited_text", *REPORTED, width=160)
def cited_text(
    corpus: CorpusArgument,
    run: Run,
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="asymmetric, symmetric, bm25-2field, ... (repeatable; default: all).",
        ),
    ] = None,
    split: Annotated[
        SplitName, typer.Option(help="The annotated papers, ScisummNet's, or the test set.")
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
) -> object:
    """Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes."""
    from ..cited_text.run import evaluate

    return evaluate(
        corpus,
        system or (),
        split=split.value,
        top=top,
        parameters=parameters or (),
        models=models or (),
        curves=run.is_reported,
        on_problems=report_problems,
        on_row=run.update,
        **run.options,
    )


@app.command()
@evaluation("facets", *REPORTED, width=150)
def facets(
    corpus: CorpusArgument,
    run: Run,
    split: Annotated[
        FacetSplit, typer.Option(help="Training papers, cross-validated, or the test set.")
    ] = FacetSplit.train,
    system: Annotated[
        str,
        typer.Option(metavar="NAME", help="The matcher that chooses the sentences of a citance."),
    ] = "asymmetric",
    top: TopOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
) -> object:
    """Discourse facets (CL-SciSumm, Task 1B): perceptrons compared with a constant answer."""
    from ..facets.run import evaluate

    return evaluate(
        corpus,
        split=split.value,
        system=system,
        top=top,
        seed=seed,
        on_problems=report_problems,
        **run.options,
    )


@app.command()
@evaluation("drafts", *REPORTED, "scheduler")
def drafts(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Main files in LaTeX, Markdown or Typst, articles in JATS or TEI (.xml), "
            'JSON files with projects: {"name": "main file, relative to the JSON file"}, '
            "folders of any of these (with a drafts.json, only what it names).",
        ),
    ],
    run: Run,
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="learned, mixed, alphabetical, most-cited, most-recent, bm25 (repeatable; "
            "default: all).",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="Cross-validate trainable rankers with N folds of projects."
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A trained model for trainable rankers.")
    ] = None,
) -> object:
    """Whole drafts: recover every citation from what its author knew at that place."""
    from ..drafts.run import evaluate

    if folds is not None and model is not None:
        raise InputError("--folds and --model cannot be combined")
    result = evaluate(paths, ranker or (), folds=folds, model=model, **run.options)
    report_problems(result.problems)
    return result


@app.command()
@evaluation("evidence", "json_output", "jobs", width=170)
def evidence(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="The folder with the texts: wild, articles, pdf-library, and cl-scisumm for "
            "training.",
        ),
    ],
    run: Run,
    judgements: Annotated[
        Path, typer.Option(metavar="FILE", help="The readers' judgements of the pairs.")
    ] = Path("benchmarks/data/judged_evidence.json"),
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="fused, asymmetric, bm25-2field, ... (repeatable; default: those that need no "
            "training and no transformer).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
) -> object:
    """Supporting sentences compared with readers' judgements; silence and calibration."""
    from ..evidence.run import evaluate

    return evaluate(data, judgements, system or (), seed=seed, **run.options)
