"""Options that several commands share, each declared once, and how ``--help`` lists commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import typer
from typer.core import TyperGroup

from ..settings import DEFAULT_RANKER, DEFAULT_SYSTEM

OutputFormat = Enum("OutputFormat", {"text": "text", "json": "json"}, type=str)
#: Those of findings, for programs that show them where they are.
FindingFormat = Enum(
    "FindingFormat",
    {"text": "text", "json": "json", "sarif": "sarif", "github": "github"},
    type=str,
)
ZoteroUse = Enum("ZoteroUse", {"auto": "auto", "off": "off"}, type=str)

#: Named parameters of `pincite.open`.
Options = dict[str, Any]
_Command = Callable[..., int]


def option(usage: str, help: str, *default: Any, **limits: Any) -> Any:  # noqa: ANN401
    """Return Typer's declaration of an option, whose usage is such as ``--top N``."""
    flag, _, metavar = usage.partition(" ")
    return typer.Option(*default, flag, metavar=metavar or None, help=help, **limits)


_ALONE: Final = "The draft: its main file, a part of it, or a folder that has no other draft."
DraftArgument = Annotated[Path, typer.Argument(metavar="DRAFT", help=_ALONE)]
SourceOption = Annotated[
    list[str] | None,
    option("--source NAME", "Ask only this: openalex, crossref or semantic-scholar (repeatable)."),
]
EmailOption = Annotated[
    str, option("--email ADDRESS", "Contact address, sent to the services that ask for one.")
]
YesOption = Annotated[bool, option("--yes", "Send without asking.")]
ShowOption = Annotated[bool, option("--show", "Show what would be sent to whom, and send nothing.")]


class _Shared(NamedTuple):
    usage: str
    help: str
    type: Any = list[Path] | None
    default: Any = None


_PATH: Final = Path | None
#: The shared options by the parameters of `pincite.open`, in the order of ``--help``.
_SHARED: Final = {
    "bibliographies": _Shared("--bib FILE", "Add a bibliography's entries (repeatable)."),
    "library": _Shared("--library DIR", "Add a folder of papers (repeatable)."),
    "base_folders": _Shared(
        "--base-folder DIR", "Folder that paths in file fields may be relative to (repeatable)."
    ),
    "drafts": _Shared(
        "--drafts DIR",
        "Folder of your earlier papers, used for their citation contexts (repeatable).",
    ),
    "zotero": _Shared(
        "--zotero",
        "Take abstracts, files and highlights from Zotero, if it is on this computer.",
        ZoteroUse,
        ZoteroUse.auto,
    ),
    "workspace": _Shared(
        "--workspace DIR",
        "Folder whose other drafts provide citation contexts (default: the draft's).",
        _PATH,
    ),
    "ranker": _Shared(
        "--ranker NAME",
        "The ranker: learned, learned-encoder (also by meaning; needs pincite[transformers]), or "
        "mixed (Duma and Klein 2014).",
        str,
        DEFAULT_RANKER,
    ),
    "vectors": _Shared(
        "--vectors FILE",
        "Your own word vectors (pincite vectors train) for finding supporting sentences.",
        _PATH,
    ),
    "system": _Shared(
        "--system NAME",
        "The system that finds supporting sentences (docs/explanation/evaluation.md lists them).",
        str,
        DEFAULT_SYSTEM,
    ),
    "model": _Shared(
        "--model DIR", "A trained model (pincite train) for a --system that needs one.", _PATH
    ),
    "output": _Shared("--format", "How to print results.", OutputFormat, OutputFormat.text),
}
#: Parameters that are no options of their own.
_GIVEN: Final = ("options", "as_json", "form")
LIBRARY: Final = ("bibliographies", "library", "base_folders", "drafts", "zotero", "workspace")
MATCHING: Final = ("vectors", "system", "model")


def shared_options(
    *names: str, formats: type[Enum] = OutputFormat
) -> Callable[[_Command], Callable[..., None]]:
    """Give a command some shared options, as `options` of `pincite.open`, and `--format`.

    It has the format as `as_json`, or as `form` if there are others.
    """
    shared = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option(each.usage, each.help, each.default),
            annotation=formats if name == "output" else each.type,
        )
        for name, each in _SHARED.items()
        if name in (*names, "output")
    ]

    def with_options(command: _Command) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = signature.parameters.values()
        own = [each for each in parameters if each.name not in _GIVEN]
        has_form = "form" in signature.parameters

        @wraps(command)
        def run(output: Any, **given: Any) -> None:  # noqa: ANN401 - of any option
            values = {name: given.pop(name) for name in names}
            if "zotero" in values:
                values["zotero"] = values["zotero"].value
            options = {name: value for name, value in values.items() if value is not None}
            form = {"form": output.value} if has_form else {"as_json": output.value == "json"}
            raise typer.Exit(command(**given, options=options, **form))

        # Typer reads the declarations of options from these.
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, *shared], return_annotation=None
        )
        run.__annotations__ = {each.name: each.annotation for each in (*own, *shared)}
        return run

    return with_options


class WholeSentences(TyperGroup):
    """Lists the commands under the titles of `groups`, all others under “Commands”."""

    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Click's own
        """Write the commands; Click itself would cut their sentences."""
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        grouped = {name for names in self.groups.values() for name in names}
        others = tuple(name for name in known if name not in grouped)
        width = max(map(len, known), default=0)
        for title, names in (*self.groups.items(), ("Commands", others)):
            rows = [
                (f"{name:<{width}}", " ".join((found.help or "").split("\n\n")[0].split()))
                for name in names
                if (found := known.get(name)) is not None
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
