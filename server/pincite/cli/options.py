"""Options that several commands share, each declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

import typer

from ..settings import DEFAULT_RANKER, DEFAULT_SYSTEM


class OutputFormat(str, Enum):
    """How results are printed."""

    text = "text"
    json = "json"


class ZoteroUse(str, Enum):
    """Whether the author's Zotero is read."""

    auto = "auto"
    off = "off"


DraftArgument = Annotated[
    Path, typer.Argument(metavar="DRAFT", help="The draft: its main file, or one part of it.")
]
_Paths = list[Path] | None


class _Shared:
    """The shared options by the parameters of `pincite.open`, in the order of ``--help``."""

    bibliographies: Annotated[
        _Paths,
        typer.Option("--bib", metavar="FILE", help="Add a bibliography's entries (repeatable)."),
    ] = None
    library: Annotated[
        _Paths,
        typer.Option("--library", metavar="DIR", help="Add a folder of papers (repeatable)."),
    ] = None
    base_folders: Annotated[
        _Paths,
        typer.Option(
            "--base-folder",
            metavar="DIR",
            help="Folder that the paths in file fields may start from (repeatable).",
        ),
    ] = None
    drafts: Annotated[
        _Paths,
        typer.Option(
            "--drafts",
            metavar="DIR",
            help="Folder of your earlier papers, used for their citation contexts (repeatable).",
        ),
    ] = None
    zotero: Annotated[
        ZoteroUse,
        typer.Option(
            "--zotero",
            help="Take abstracts, files and highlights from Zotero on this computer, where it is.",
        ),
    ] = ZoteroUse.auto
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            metavar="DIR",
            help="Folder whose other drafts provide citation contexts (default: the draft's).",
        ),
    ] = None
    ranker: Annotated[
        str,
        typer.Option(
            "--ranker",
            metavar="NAME",
            help="The ranker: learned, or mixed (Duma and Klein 2014).",
        ),
    ] = DEFAULT_RANKER
    vectors: Annotated[
        Path | None,
        typer.Option(
            "--vectors",
            metavar="FILE",
            help="Your own word vectors (pincite vectors train) for finding supporting sentences.",
        ),
    ] = None
    system: Annotated[
        str,
        typer.Option(
            "--system",
            metavar="NAME",
            help="The matcher of supporting sentences: asymmetric, symmetric, bm25-2field, ... "
            "(docs/evaluation.md).",
        ),
    ] = DEFAULT_SYSTEM
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="DIR",
            help="A trained model (pincite train) for a --system that needs one.",
        ),
    ] = None
    output: Annotated[OutputFormat, typer.Option("--format", help="How to print results.")] = (
        OutputFormat.text
    )


LIBRARY: Final = ("bibliographies", "library", "base_folders", "drafts", "zotero", "workspace")
MATCHING: Final = ("vectors", "system", "model")
#: Named parameters of `pincite.open`.
Options = dict[str, Any]
_Command = Callable[..., None]


def shared_options(*names: str) -> Callable[[_Command], _Command]:
    """Give a command some of the shared options, and ``--format``.

    The command gets `options`, the named parameters of `pincite.open`, and `as_json`.
    """
    kinds = get_type_hints(_Shared, include_extras=True)
    shared = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(_Shared, name),
            annotation=kind,
        )
        for name, kind in kinds.items()
        if name in (*names, "output")
    ]

    def with_options(command: _Command) -> _Command:
        signature = inspect.signature(command, eval_str=True)
        own = [
            each
            for name, each in signature.parameters.items()
            if name not in ("options", "as_json")
        ]

        @wraps(command)
        def run(output: OutputFormat, **given: Any) -> None:  # noqa: ANN401 - of any option
            values = {name: given.pop(name) for name in names}
            if "zotero" in values:
                values["zotero"] = values["zotero"].value
            options = {name: value for name, value in values.items() if value is not None}
            command(**given, options=options, as_json=output is OutputFormat.json)

        parameters = [*own, *shared]
        # Typer reads the declarations of options from these.
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return with_options
