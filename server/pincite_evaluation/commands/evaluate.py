"""``pincite evaluate``: the published evaluations, and one on whole drafts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pincite.cli.help import WholeSentences
from pincite.cli.output import console, echo
from pincite.model.problems import InputError, Problem
from pincite.whole_files import replacing_text, require_writable, writing

if TYPE_CHECKING:
    from ..processes import Steps
    from ..results import Result

CorpusArgument = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS", help="The data folder of an unmodified scisumm-corpus checkout."
    ),
]
TopOption = Annotated[
    int | None,
    typer.Option(
        "--top", min=1, metavar="K", help="Sentences per citance (default: the system's own K)."
    ),
]
#: A corpus may have hundreds of problems; the first show what kinds there are.
_PROBLEMS_SHOWN = 20


@contextmanager
def progress() -> Iterator[Steps]:
    """Show the steps of a run on a terminal's stderr, each with its remaining time."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeftColumn())
    shown = Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)

    def begin(step: str) -> Callable[[int, int], None]:
        task = shown.add_task(step, total=None)
        return lambda done, total: shown.update(task, completed=done, total=total)

    with shown:
        yield begin


def report_problems(problems: Sequence[Problem]) -> None:
    """Print the first problems to stderr, starting with those that lose whole files."""
    from pincite.cli.output import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more problems", err=True)


_OUT = partial(typer.Option, metavar="OUT")
#: The options of several evaluations.
_SHARED: dict[str, Any] = {
    "json_output": Annotated[Path | None, _OUT("--json", help="Write the figures as JSON.")],
    "report": Annotated[Path | None, _OUT(help="Write a report: .html, or .md for a README.")],
    "records": Annotated[Path | None, _OUT(help="Write a JSON line for every citation.")],
    "jobs": Annotated[
        int | None,
        typer.Option(min=1, max=256, metavar="N", help="Worker processes (default: all CPUs)."),
    ],
    "scheduler": Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of a Dask cluster to compute on.")
    ],
}


class Run(NamedTuple):
    """How an evaluation is run: `options` of its function, and what to call with part results."""

    options: dict[str, Any]
    update: Callable[[Any], None]
    is_reported: bool


_FILES = ("json_output", "report", "records")
REPORTED = (*_FILES, "jobs")
_Command = Callable[..., object]


def evaluation(
    reports: str, *shared: str, width: int | None = None
) -> Callable[[_Command], Callable[..., None]]:
    """Give a command the `shared` options: it gets a `run`, and the module `reports` its result."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=None, annotation=_SHARED[name]) for name in shared
    ]

    def with_options(command: _Command) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = [*(one for one in signature.parameters.values() if one.name != "run"), *added]

        @wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401
            if given.get("jobs") is not None and given.get("scheduler") is not None:
                raise InputError("--jobs and --scheduler cannot be combined")
            report = import_module(f"pincite_evaluation.{reports}")
            files = [given.pop(name, None) for name in _FILES]
            options = {name: given.pop(name) for name in shared if name not in _FILES}
            outputs = Outputs(*files)
            try:
                with progress() as bars:
                    options["progress"] = bars
                    is_reported = outputs.report is not None
                    result: Any = command(**given, run=Run(options, outputs.update, is_reported))
                    outputs.update(result, is_final=True)
                    if outputs.report is not None:
                        is_text = outputs.report.suffix.lower() == ".md"
                        text = report.markdown(result) if is_text else report.html(result)
                        with writing(outputs.report) as file:
                            file.write(text)
            finally:
                # Also of an interrupted run; a file has room for more columns than a terminal.
                screen = console()
                if width is not None and not screen.is_terminal:
                    screen.width = width
                for part in report.text(outputs.latest) if outputs.latest is not None else ():
                    screen.print(part)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return with_options


class Outputs:
    """The files of a command: figures and records are written as they arrive."""

    def __init__(self, json_output: Path | None, report: Path | None, records: Path | None) -> None:
        check_outputs(json_output, report, records)
        self.json, self.records, self.report = json_output, records, report
        self.latest: Result | None = None
        self._parts = 0

    def update(self, result: Result, *, is_final: bool = False) -> None:
        """Write a result, unless it is not final and to a pipe; each record is written once."""
        self.latest = result
        if (path := self.json) is not None and (is_final or path.is_file() or not path.exists()):
            with replacing_text(path) as file:
                file.write(json.dumps(result.json(), indent=2, ensure_ascii=False) + "\n")
        if self.records is not None:
            for part in result.parts[self._parts :]:
                with writing(self.records, "a" if self._parts else "w") as file:
                    file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in part())
                self._parts += 1


def check_outputs(json_output: Path | None, report: Path | None, records: Path | None) -> None:
    """Raise `InputError` before the work begins if its results could not be written."""
    if report is not None:
        from ..report.page import require

        kind = report.suffix.lower()
        if kind not in (".html", ".htm", ".md"):
            raise InputError(f"{report}: a report must end in .html or .md")
        require(figures=kind != ".md")
    files: set[Path] = set()
    for path in filter(None, (json_output, report, records)):
        require_writable(path)
        if path.resolve() in files:
            raise InputError(f"{path}: two outputs cannot share a file")
        if path.is_file() or not path.exists():
            files.add(path.resolve())


def require_model_file(path: Path, load: Callable[[Path], object], what: str) -> None:
    """Raise `InputError` if writing would fail, or overwrite something that does not load."""
    require_writable(path)
    if path.exists() and not path.is_file():  # writing would replace even a device
        raise InputError(f"{path}: cannot be written")
    if path.is_file() and path.stat().st_size:
        try:
            load(path)
        except InputError:
            raise InputError(f"{path}: exists and is not {what}") from None


app = typer.Typer(
    cls=WholeSentences,
    help="Run the evaluations of the papers behind Pincite.",
    epilog="Example: pincite evaluate drafts thesis.tex",
    no_args_is_help=True,
)

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
@evaluation("resolution.report", *REPORTED, "scheduler")
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


@app.command()
@evaluation("discovery", "json_output", width=120)
def discover(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Papers, as for evaluate resolution.")
    ],
    run: Run,
    test_papers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ids of the test papers, one per line (default: all)."),
    ] = None,
    share: Annotated[float, typer.Option(help="The share of references that is hidden.")] = 0.3,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit the weight of connections on the other papers.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is hidden.")] = 0,
) -> object:
    """Works that an author does not have: hidden references, looked for around the others."""
    from ..discovery import evaluate

    return evaluate(
        corpus,
        test_papers=test_papers,
        share=share,
        fit=fit,
        seed=seed,
        on_problems=report_problems,
        **run.options,
    )


@app.command("cited-text")
@evaluation("cited_text.report", *REPORTED, width=160)
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
@evaluation("facets.report", *REPORTED, width=150)
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
@evaluation("drafts.report", *REPORTED, "scheduler")
def drafts(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Main files in LaTeX, Markdown or Typst, articles in JATS or TEI (.xml), "
            "papers of S2ORC, unarXive or CiteRAG (.json, .jsonl), "
            'JSON files with projects: {"name": "main file, relative to the JSON file"}, '
            "folders of any of these (with a drafts.json, only what it names).",
        ),
    ],
    run: Run,
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="learned, mixed, alphabetical, most-cited, most-recent, bm25, dense (repeatable; "
            "default: all but dense, which needs pincite[transformers]).",
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
    nothing_fits: Annotated[
        bool,
        typer.Option(
            "--nothing-fits",
            help="Also leave out the works of first citations: is it seen that they are missing?",
        ),
    ] = False,
) -> object:
    """Whole drafts: recover every citation from what its author knew at that place."""
    from ..drafts.run import evaluate

    if folds is not None and model is not None:
        raise InputError("--folds and --model cannot be combined")
    given: dict[str, Any] = {"folds": folds, "model": model, "nothing_fits": nothing_fits}
    result = evaluate(paths, ranker or (), **given, **run.options)
    report_problems(result.problems)
    return result


@app.command()
@evaluation("evidence.run", "json_output", "jobs", width=170)
def evidence(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Folders with the texts of judged pairs (wild, articles, pdf-library), and "
            "cl-scisumm for training; or with sources of marked sentences, NAME.jsonl and "
            "NAME.papers.jsonl, also in DATA/evidence.",
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
    """Supporting sentences compared with readers' judgements and with what people marked."""
    from ..evidence.run import evaluate

    return evaluate(
        data, judgements, system or (), seed=seed, on_problems=report_problems, **run.options
    )
