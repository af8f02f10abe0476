"""``pincite evaluate``: the published evaluations, and one on whole drafts."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pincite.cli.options import WholeSentences, option
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
#: A corpus may have hundreds of problems; the first show what kinds there are.
_PROBLEMS_SHOWN = 20


@contextmanager
def progress() -> Iterator[None]:
    """Show the steps of a run on a terminal's stderr, each with its remaining time."""
    from rich.console import Console
    from rich.progress import Progress

    from ..processes import showing

    errors = Console(stderr=True)
    shown = Progress(console=errors, transient=True, disable=not errors.is_terminal)

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


_Parameter = tuple[Any, Any]


def _given(
    kind: Any,  # noqa: ANN401
    usage: str,
    help: str,
    default: Any = None,  # noqa: ANN401
    **limits: Any,  # noqa: ANN401
) -> _Parameter:
    """Return the annotation and the default of an option."""
    return Annotated[kind, option(usage, help, **limits)], default


#: The options of evaluations that write a report, and of others.
_JSON = _given(Path | None, "--json OUT", "Write the figures as JSON.")
_JOBS = _given(int | None, "--jobs N", "Worker processes (default: all CPUs).", min=1, max=256)
_REPORTED = {
    "json_output": _JSON,
    "report": _given(Path | None, "--report OUT", "Write a report: .html, or .md for a README."),
    "records": _given(Path | None, "--records OUT", "Write a JSON line for every citation."),
    "jobs": _JOBS,
}
_SCHEDULER = _given(str | None, "--scheduler ADDRESS", "Address of a Dask cluster to compute on.")
_TEST_PAPERS = _given(
    Path | None, "--test-papers FILE", "Ids of the test papers, one per line (default: all)."
)
_TOP = _given(int | None, "--top K", "Sentences per citance (default: the system's own K).", min=1)
#: Typer takes no list of literals.
Ranker = Enum("Ranker", {"table_1": "table-1", "mixed": "mixed", "learned": "learned"}, type=str)


def _evaluation(
    name: str, help: str, modules: Sequence[str], width: int | None, /, **of: _Parameter
) -> None:
    """Add a command with the parameters of `evaluate` of the first of the `modules`.

    The last module shows the result; where that is no terminal, it is `width` columns wide.
    """

    def run(**given: Any) -> None:  # noqa: ANN401
        if given.get("jobs") is not None and given.get("scheduler") is not None:
            raise InputError("--jobs and --scheduler cannot be combined")
        names = modules[0], modules[-1]
        evaluate, report = (import_module(f"pincite_evaluation.{one}") for one in names)
        files = ("json_output", "report", "records")
        outputs = Outputs(*(given.pop(name, None) for name in files))
        callbacks = {
            "on_problems": report_problems,
            "on_rows": outputs.update,
            "curves": outputs.report is not None,
        }
        taken = inspect.signature(evaluate.evaluate).parameters
        # Without a number of jobs, there is one for each CPU; of others, None is the default.
        options = {n: value for n, value in given.items() if value is not None or n == "jobs"}
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

    parameters = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for n, (annotation, default) in of.items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    app.command(name, help=help)(run)


class Outputs:
    """The files of a command: figures and records are written as they arrive."""

    def __init__(self, json_output: Path | None, report: Path | None, records: Path | None) -> None:
        """Raise `InputError` before the work begins if its results could not be written."""
        self.json, self.records, self.report = json_output, records, report
        self.latest: Result | None = None
        self._parts = 0
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


def _argument(kind: Any, metavar: str, help: str) -> _Parameter:  # noqa: ANN401
    return Annotated[kind, typer.Argument(metavar=metavar, help=help)], inspect.Parameter.empty


_evaluation(
    "resolution",
    "Citation resolution (Duma and Klein 2014): Table 1 on a collection of papers.",
    ("resolution.run", "resolution.report"),
    None,
    corpus=_argument(
        Path,
        "CORPUS",
        "Papers in the S2ORC JSON schema, articles in JATS or TEI, or LaTeX projects.",
    ),
    test_papers=_TEST_PAPERS,
    min_references=_given(
        int,
        "--min-references N",
        "Only test papers that list at least N papers of the collection.",
        8,
        min=1,
    ),
    representations=_given(
        list[str] | None,
        "--representation NAME",
        "full-text, passage-350, inlink-20, mixed-inlink-20-passage-350, ... (repeatable; "
        "default: all of the paper's Table 1).",
    ),
    windows=_given(list[str] | None, "--window L,R", "Words left and right (repeatable)."),
    rankers=_given(
        list[Ranker] | None,
        "--ranker",
        "table-1 (also mixed): the paper's Table 1 (default); learned: the learned "
        "ranker, trained on the collection in five folds, which takes minutes (repeatable).",
    ),
    model=_given(Path | None, "--model FILE", "A model for --ranker learned (no folds)."),
    inlinks=_given(
        Literal["exclude-test", "leave-one-out"],
        "--inlinks",
        "Inlink contexts from all papers but the test papers, or all but the one under "
        "test (what a running editor sees).",
        "exclude-test",
    ),
    **_REPORTED,
    scheduler=_SCHEDULER,
)
_evaluation(
    "discover",
    "Works that an author does not have: hidden references, looked for around the others.",
    ("discovery",),
    120,
    corpus=_argument(Path, "CORPUS", "Papers, as for evaluate resolution."),
    test_papers=_TEST_PAPERS,
    share=_given(float, "--share", "The share of references that is hidden.", 0.3),
    fit=_given(
        bool,
        "--fit",
        "Fit the weights of connections, age and citations on the other papers.",
        False,
    ),
    seed=_given(int, "--seed", "Seed of what is hidden.", 0, min=0),
    json_output=_JSON,
)
_evaluation(
    "cited-text",
    "Cited text identification (CL-SciSumm, Task 1A): systems by several scoring schemes.",
    ("cited_text.run", "cited_text.report"),
    160,
    corpus=(CorpusArgument, inspect.Parameter.empty),
    systems=_given(
        list[str] | None,
        "--system NAME",
        "asymmetric, symmetric, bm25-2field, ... (repeatable; default: all).",
    ),
    split=_given(
        Literal["train", "scisummnet", "test"],
        "--split",
        "The annotated papers, ScisummNet's, or the test set.",
        "train",
    ),
    top=_TOP,
    parameters=_given(
        list[str] | None,
        "--set PARAM=VALUE",
        "Change a parameter of the systems that have it: d=2, truncation=none, "
        "cased=false, min_count=50, ... (repeatable).",
    ),
    models=_given(
        list[Path] | None,
        "--model DIR",
        "A model made by pincite train; adds a row for each system that takes it (repeatable).",
    ),
    **_REPORTED,
)
_evaluation(
    "facets",
    "Discourse facets (CL-SciSumm, Task 1B): perceptrons compared with a constant answer.",
    ("facets.run", "facets.report"),
    150,
    corpus=(CorpusArgument, inspect.Parameter.empty),
    split=_given(
        Literal["train", "test"],
        "--split",
        "Training papers, cross-validated, or the test set.",
        "train",
    ),
    system=_given(
        str, "--system NAME", "The matcher that chooses the sentences of a citance.", "asymmetric"
    ),
    top=_TOP,
    seed=_given(int, "--seed", "Seed of the random numbers.", 0, min=0),
    **_REPORTED,
)
_evaluation(
    "drafts",
    "Whole drafts: recover every citation from what its author knew at that place.",
    ("drafts.run", "drafts.report"),
    None,
    paths=_argument(
        list[Path],
        "PATH...",
        "Main files in LaTeX, Markdown or Typst, articles in JATS or TEI (.xml), "
        "papers of S2ORC, unarXive or CiteRAG (.json, .jsonl), "
        'JSON files with projects: {"name": "main file, relative to the JSON file"}, '
        "folders of any of these (with a drafts.json, only what it names).",
    ),
    rankers=_given(
        list[str] | None,
        "--ranker NAME",
        "learned, learned-encoder, mixed, alphabetical, most-cited, most-recent, bm25, dense "
        "(repeatable; default: all but learned-encoder and dense, which need "
        "pincite[transformers]).",
    ),
    folds=_given(
        int | None, "--folds N", "Cross-validate trainable rankers with N folds of projects.", min=2
    ),
    model=_given(Path | None, "--model FILE", "A trained model for trainable rankers."),
    nothing_fits=_given(
        bool,
        "--nothing-fits",
        "Also leave out the works of first citations: is it seen that they are missing?",
        False,
    ),
    **_REPORTED,
    scheduler=_SCHEDULER,
)
_evaluation(
    "evidence",
    "Supporting sentences compared with readers' judgements and with what people marked.",
    ("evidence.run",),
    170,
    data=_argument(
        list[Path],
        "DATA...",
        "Folders with the texts of judged pairs (wild, articles, pdf-library), and "
        "cl-scisumm for training; or with sources of marked sentences, NAME.jsonl and "
        "NAME.papers.jsonl, also in DATA/evidence.",
    ),
    judgements=_given(
        Path,
        "--judgements FILE",
        "The readers' judgements of the pairs.",
        Path("benchmarks/data/judged_evidence.json"),
    ),
    systems=_given(
        list[str] | None,
        "--system NAME",
        "fused, asymmetric, bm25-2field, ... (repeatable; default: those that need no "
        "training and no transformer).",
    ),
    seed=_given(int, "--seed", "Seed of the folds.", 0, min=0),
    json_output=_JSON,
    jobs=_JOBS,
)
