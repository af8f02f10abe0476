"""``pincite evaluate``: the published evaluations, and one on whole drafts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.help import WholeSentences
from pincite.cli.options import option
from pincite.cli.output import console, echo
from pincite.model.problems import InputError, Problem
from pincite.whole_files import replacing_text, require_writable, writing

if TYPE_CHECKING:
    from ..results import Result

CorpusArgument = Annotated[
    Path,
    typer.Argument(
        metavar="CORPUS", help="The data folder of an unmodified scisumm-corpus checkout."
    ),
]
TopOption = Annotated[
    int | None,
    option("--top K", "Sentences per citance (default: the system's own K).", min=1),
]
TestPapersOption = Annotated[
    Path | None,
    option("--test-papers FILE", "Ids of the test papers, one per line (default: all)."),
]
#: A corpus may have hundreds of problems; the first show what kinds there are.
_PROBLEMS_SHOWN = 20


@contextmanager
def progress() -> Iterator[None]:
    """Show the steps of a run on a terminal's stderr, each with its remaining time."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn

    from ..processes import showing

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeLeftColumn())
    shown = Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)

    def begin(step: str) -> Callable[[int, int], None]:
        task = shown.add_task(step, total=None)
        return lambda done, total: shown.update(task, completed=done, total=total)

    with shown, showing(begin):
        yield


def report_problems(problems: Sequence[Problem]) -> None:
    """Print the first problems to stderr, starting with those that lose whole files."""
    from pincite.cli.output import report

    distinct = sorted(dict.fromkeys(problems), key=lambda problem: not problem.broken)
    report(distinct[:_PROBLEMS_SHOWN])
    if len(distinct) > _PROBLEMS_SHOWN:
        echo(f"pincite: and {len(distinct) - _PROBLEMS_SHOWN:,} more problems", err=True)


#: The options of several evaluations.
_SHARED: dict[str, Any] = {
    "json_output": Annotated[Path | None, option("--json OUT", "Write the figures as JSON.")],
    "report": Annotated[
        Path | None, option("--report OUT", "Write a report: .html, or .md for a README.")
    ],
    "records": Annotated[
        Path | None, option("--records OUT", "Write a JSON line for every citation.")
    ],
    "jobs": Annotated[
        int | None,
        option("--jobs N", "Worker processes (default: all CPUs).", min=1, max=256),
    ],
    "scheduler": Annotated[
        str | None, option("--scheduler ADDRESS", "Address of a Dask cluster to compute on.")
    ],
}


_FILES = ("json_output", "report", "records")
REPORTED = (*_FILES, "jobs")
_Command = Callable[..., None]


def evaluation(
    module: str, reports: str, *shared: str, width: int | None = None
) -> Callable[[_Command], _Command]:
    """Give a command the `shared` options; it runs `evaluate` of a module, and `reports` shows it.

    The parameters of the command are those of `evaluate`, which has their defaults.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=None, annotation=_SHARED[name]) for name in shared
    ]

    def with_options(command: _Command) -> _Command:
        signature = inspect.signature(command, eval_str=True)
        parameters = [*signature.parameters.values(), *added]

        @wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401
            if given.get("jobs") is not None and given.get("scheduler") is not None:
                raise InputError("--jobs and --scheduler cannot be combined")
            evaluate, report = (
                import_module(f"pincite_evaluation.{name}") for name in (module, reports)
            )
            outputs = Outputs(*(given.pop(name, None) for name in _FILES))
            options = {
                name: _plain(value)
                for name, value in given.items()
                if value is not None or name in shared
            }
            callbacks = {
                "on_problems": report_problems,
                "on_rows": outputs.update,
                "curves": outputs.report is not None,
            }
            taken = inspect.signature(evaluate.evaluate).parameters
            options |= {name: callbacks[name] for name in callbacks if name in taken}
            try:
                with progress():
                    result = evaluate.evaluate(**options)
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


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return choices by their names."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.value if isinstance(value, Enum) else value


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
@evaluation("resolution.run", "resolution.report", *REPORTED, "scheduler")
def resolution(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="Papers in the S2ORC JSON schema, articles in JATS or TEI, or LaTeX projects.",
        ),
    ],
    test_papers: TestPapersOption = None,
    min_references: Annotated[
        int,
        option(
            "--min-references N",
            "Only test papers that list at least N papers of the collection.",
            min=1,
        ),
    ] = 8,
    representations: Annotated[
        list[str] | None,
        option(
            "--representation NAME",
            "full-text, passage-350, inlink-20, mixed-inlink-20-passage-350, ... (repeatable; "
            "default: all of the paper's Table 1).",
        ),
    ] = None,
    windows: Annotated[
        list[str] | None, option("--window L,R", "Words left and right (repeatable).")
    ] = None,
    rankers: Annotated[
        list[Ranker] | None,
        option(
            "--ranker",
            "table-1 (also mixed): the paper's Table 1 (default); learned: the learned "
            "ranker, trained on the collection in five folds, which takes minutes (repeatable).",
        ),
    ] = None,
    model: Annotated[
        Path | None, option("--model FILE", "A model for --ranker learned (no folds).")
    ] = None,
    inlinks: Annotated[
        Inlinks,
        option(
            "--inlinks",
            "Inlink contexts from all papers but the test papers, or all but the one under "
            "test (what a running editor sees).",
        ),
    ] = Inlinks.exclude_test,
) -> None:
    """Citation resolution (Duma and Klein 2014): Table 1 on a collection of papers."""


@app.command()
@evaluation("discovery", "discovery", "json_output", width=120)
def discover(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Papers, as for evaluate resolution.")
    ],
    test_papers: TestPapersOption = None,
    share: Annotated[float, option("--share", "The share of references that is hidden.")] = 0.3,
    fit: Annotated[
        bool,
        option("--fit", "Fit the weights of connections, age and citations on the other papers."),
    ] = False,
    seed: Annotated[int, option("--seed", "Seed of what is hidden.", min=0)] = 0,
) -> None:
    """Works that an author does not have: hidden references, looked for around the others."""


@app.command("cited-text")
@evaluation("cited_text.run", "cited_text.report", *REPORTED, width=160)
def cited_text(
    corpus: CorpusArgument,
    systems: Annotated[
        list[str] | None,
        option(
            "--system NAME", "asymmetric, symmetric, bm25-2field, ... (repeatable; default: all)."
        ),
    ] = None,
    split: Annotated[
        SplitName, option("--split", "The annotated papers, ScisummNet's, or the test set.")
    ] = SplitName.train,
    top: TopOption = None,
    parameters: Annotated[
        list[str] | None,
        option(
            "--set PARAM=VALUE",
            "Change a parameter of the systems that have it: d=2, truncation=none, "
            "cased=false, min_count=50, ... (repeatable).",
        ),
    ] = None,
    models: Annotated[
        list[Path] | None,
        option(
            "--model DIR",
            "A model made by pincite train; adds a row for each system that takes it (repeatable).",
        ),
    ] = None,
) -> None:
    """Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes."""


@app.command()
@evaluation("facets.run", "facets.report", *REPORTED, width=150)
def facets(
    corpus: CorpusArgument,
    split: Annotated[
        FacetSplit, option("--split", "Training papers, cross-validated, or the test set.")
    ] = FacetSplit.train,
    system: Annotated[
        str, option("--system NAME", "The matcher that chooses the sentences of a citance.")
    ] = "asymmetric",
    top: TopOption = None,
    seed: Annotated[int, option("--seed", "Seed of the random numbers.", min=0)] = 0,
) -> None:
    """Discourse facets (CL-SciSumm, Task 1B): perceptrons compared with a constant answer."""


@app.command()
@evaluation("drafts.run", "drafts.report", *REPORTED, "scheduler")
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
    rankers: Annotated[
        list[str] | None,
        option(
            "--ranker NAME",
            "learned, learned-encoder, mixed, alphabetical, most-cited, most-recent, bm25, dense "
            "(repeatable; default: all but learned-encoder and dense, which need "
            "pincite[transformers]).",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        option("--folds N", "Cross-validate trainable rankers with N folds of projects.", min=2),
    ] = None,
    model: Annotated[
        Path | None, option("--model FILE", "A trained model for trainable rankers.")
    ] = None,
    nothing_fits: Annotated[
        bool,
        option(
            "--nothing-fits",
            "Also leave out the works of first citations: is it seen that they are missing?",
        ),
    ] = False,
) -> None:
    """Whole drafts: recover every citation from what its author knew at that place."""


@app.command()
@evaluation("evidence.run", "evidence.run", "json_output", "jobs", width=170)
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
    judgements: Annotated[
        Path, option("--judgements FILE", "The readers' judgements of the pairs.")
    ] = Path("benchmarks/data/judged_evidence.json"),
    systems: Annotated[
        list[str] | None,
        option(
            "--system NAME",
            "fused, asymmetric, bm25-2field, ... (repeatable; default: those that need no "
            "training and no transformer).",
        ),
    ] = None,
    seed: Annotated[int, option("--seed", "Seed of the folds.", min=0)] = 0,
) -> None:
    """Supporting sentences compared with readers' judgements and with what people marked."""
