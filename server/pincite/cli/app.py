"""The commands and their options.

Each command is imported when it is called, so that ``pincite serve`` loads nothing it does not
need before it answers.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__, extensions
from ..model.problems import InputError
from ..settings import DEFAULT_RANKER, DEFAULT_SYSTEM, EMAIL
from .options import DraftOptions

#: Errors of a write to a full disk (not every system has quotas).
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))

app = typer.Typer(
    name="pincite",
    help="Ranked citations and supporting sentences for drafts. Local: no network, but for enrich.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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
BibOption = Annotated[
    list[Path] | None,
    typer.Option("--bib", metavar="FILE", help="Add a bibliography's entries (repeatable)."),
]
LibraryOption = Annotated[
    list[Path] | None,
    typer.Option("--library", metavar="DIR", help="Add a folder of papers (repeatable)."),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="Folder whose other drafts provide citation contexts (default: the draft's).",
    ),
]
VectorsOption = Annotated[
    Path | None,
    typer.Option(
        "--vectors",
        metavar="FILE",
        help="Your own word vectors (pincite vectors train) for finding supporting sentences.",
    ),
]
RankerOption = Annotated[
    str,
    typer.Option(
        "--ranker",
        metavar="NAME",
        help="The ranker: learned, or mixed (Duma and Klein 2014).",
    ),
]
SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        metavar="NAME",
        help="The matcher of supporting sentences: asymmetric, symmetric, bm25-2field, ... "
        "(docs/evaluation.md).",
    ),
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="DIR",
        help="A trained model (pincite train) for a --system that needs one.",
    ),
]
BaseOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--base-folder",
        metavar="DIR",
        help="Folder that the paths in file fields may start from (repeatable).",
    ),
]
DraftsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--drafts",
        metavar="DIR",
        help="Folder of your earlier papers, used for their citation contexts (repeatable).",
    ),
]
ZoteroOption = Annotated[
    ZoteroUse,
    typer.Option(
        "--zotero",
        help="Take abstracts, files and highlights from Zotero on this computer, where it is.",
    ),
]
FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How to print results.")]


def _options(
    bib: list[Path] | None,
    library: list[Path] | None,
    base_folder: list[Path] | None,
    drafts: list[Path] | None,
    workspace: Path | None,
    vectors: Path | None = None,
    system: str = DEFAULT_SYSTEM,
    model: Path | None = None,
    ranker: str = DEFAULT_RANKER,
    *,
    zotero: ZoteroUse,
) -> DraftOptions:
    return DraftOptions(
        tuple(bib or ()),
        tuple(library or ()),
        tuple(base_folder or ()),
        tuple(drafts or ()),
        workspace,
        vectors,
        system,
        model,
        ranker,
        zotero.value,
    )


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"pincite {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Ranked citations and supporting sentences for drafts. Local: no network."""


@app.command()
def recommend(
    draft: DraftArgument,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="[FILE:]LINE:COL", help="Rank for this position instead."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Treat every citation as a placeholder; show the ranks of its own entries.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            min=1,
            metavar="N",
            help="Entries per placeholder (default: 5; in JSON all, or 10 with --all).",
        ),
    ] = None,
    bib: BibOption = None,
    library: LibraryOption = None,
    base_folder: BaseOption = None,
    drafts: DraftsOption = None,
    zotero: ZoteroOption = ZoteroUse.auto,
    workspace: WorkspaceOption = None,
    ranker: RankerOption = DEFAULT_RANKER,
    vectors: VectorsOption = None,
    system: SystemOption = DEFAULT_SYSTEM,
    model: ModelOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """Rank the entries of the bibliography for every citation placeholder of a draft."""
    from .recommend import run

    folders = (bib, library, base_folder, drafts, workspace)
    options = _options(*folders, vectors, system, model, ranker, zotero=zotero)
    raise typer.Exit(run(draft, at, every, top, options, output.value))


@app.command()
def evidence(
    draft: DraftArgument,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="Only the citations of this key.")
    ] = None,
    sentences: Annotated[
        int | None,
        typer.Option(
            "--sentences", min=1, metavar="N", help="Sentences per citation (default: 2)."
        ),
    ] = None,
    bib: BibOption = None,
    library: LibraryOption = None,
    base_folder: BaseOption = None,
    drafts: DraftsOption = None,
    zotero: ZoteroOption = ZoteroUse.auto,
    workspace: WorkspaceOption = None,
    vectors: VectorsOption = None,
    system: SystemOption = DEFAULT_SYSTEM,
    model: ModelOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """Print the sentences of the cited works that support each citation of a draft."""
    from .evidence import run

    folders = (bib, library, base_folder, drafts, workspace)
    options = _options(*folders, vectors, system, model, zotero=zotero)
    raise typer.Exit(run(draft, key, sentences, options, output.value))


@app.command()
def citations(
    draft: DraftArgument,
    bib: BibOption = None,
    workspace: WorkspaceOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """List every citation of a draft; exit with status 1 if a key is undefined."""
    from .citations import run

    options = DraftOptions(tuple(bib or ()), workspace=workspace)
    raise typer.Exit(run(draft, options, output.value))


@app.command("check")
def check_command(
    draft: DraftArgument,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Check only this: undefined-key, placeholder, weak-support, missing-citation or "
            "title-only (repeatable).",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Write a report: FILE.html, or FILE.md for Markdown."
        ),
    ] = None,
    bib: BibOption = None,
    library: LibraryOption = None,
    base_folder: BaseOption = None,
    drafts: DraftsOption = None,
    zotero: ZoteroOption = ZoteroUse.auto,
    workspace: WorkspaceOption = None,
    vectors: VectorsOption = None,
    system: SystemOption = DEFAULT_SYSTEM,
    model: ModelOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """Check a whole draft before submission; exit with status 1 if anything is found."""
    from .check import run

    folders = (bib, library, base_folder, drafts, workspace)
    options = _options(*folders, vectors, system, model, zotero=zotero)
    raise typer.Exit(run(draft, tuple(kind or ()), report, options, output.value))


@app.command("library")
def library_command(
    draft: DraftArgument,
    bib: BibOption = None,
    library: LibraryOption = None,
    base_folder: BaseOption = None,
    drafts: DraftsOption = None,
    zotero: ZoteroOption = ZoteroUse.auto,
    workspace: WorkspaceOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """Show what is known of each entry of a draft, what is wrong with it, and what to do."""
    from .library import run

    options = _options(bib, library, base_folder, drafts, workspace, zotero=zotero)
    raise typer.Exit(run(draft, options, output.value))


@app.command()
def index(
    targets: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DRAFT|FOLDER|FILE.bib]...",
            help="Drafts, folders or bibliographies to index (default: the current folder).",
        ),
    ] = None,
    contexts: Annotated[
        Path | None,
        typer.Option("--contexts", metavar="FILE", help="Write the inlink contexts as JSON lines."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, max=256, metavar="N", help="Reading processes (default: all CPUs)."
        ),
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Show what the index holds and where it is.")
    ] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Empty the index.")] = False,
    bib: BibOption = None,
    library: LibraryOption = None,
    base_folder: BaseOption = None,
    drafts: DraftsOption = None,
    zotero: ZoteroOption = ZoteroUse.auto,
    workspace: WorkspaceOption = None,
    output: FormatOption = OutputFormat.text,
) -> None:
    """Read the papers of a library ahead of time; count entries with full text or abstract."""
    from .index import empty, run, show_status

    if status and clear:
        raise InputError("--status and --clear cannot be combined")
    if (status or clear) and (targets or contexts):
        raise InputError("--status and --clear apply to the whole index: name no draft or folder")
    if status:
        raise typer.Exit(show_status(output.value))
    if clear:
        raise typer.Exit(empty())
    options = _options(bib, library, base_folder, drafts, workspace, zotero=zotero)
    raise typer.Exit(run(tuple(targets or ()), contexts, jobs, options, output.value))


@app.command()
def enrich(
    bibliographies: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE.bib...", help="The bibliographies.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Ask only this: openalex, crossref or semantic-scholar (repeatable).",
        ),
    ] = None,
    email: Annotated[
        str,
        typer.Option(
            "--email", metavar="ADDRESS", help="Say who asks, as OpenAlex and Crossref wish."
        ),
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Send without asking.")] = False,
    only_show: Annotated[
        bool, typer.Option("--show", help="Show what would be sent to whom, and send nothing.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option("--write", help="Add abstracts and missing DOIs to the .bib files, too."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Ask each service for one well-known work.")
    ] = False,
) -> None:
    """Fetch abstracts and citing sentences from the network, once you agree to what is sent."""
    from .enrich import check as run_check
    from .enrich import run

    names = tuple(source or ())
    if email and EMAIL.fullmatch(email) is None:
        raise InputError(f"--email: {email!r} is no e-mail address")
    if check:
        raise typer.Exit(run_check(names, email))
    if not bibliographies:
        raise InputError("name a bibliography, such as refs.bib")
    files = tuple(bibliographies)
    raise typer.Exit(run(files, names, email, agreed=yes, only_show=only_show, write=write))


@app.command()
def serve(
    socket: Annotated[
        Path | None,
        typer.Option(
            "--socket", metavar="PATH", help="Listen on a Unix socket that only you can open."
        ),
    ] = None,
) -> None:
    """Run the language server over stdio (what editors start)."""
    from ..lsp.server import serve as run

    run(socket)


def _add_research(arguments: list[str]) -> None:
    """Add the command groups of the research package that the arguments call or list."""
    listed = arguments in ([], ["--help"])
    for name in extensions.COMMANDS:
        if listed or arguments[:1] == [name]:
            try:
                app.add_typer(extensions.load("commands", name, f"pincite {name}"), name=name)
            except InputError:
                if not listed:
                    raise


def main() -> None:
    """Run the command line; every failure is one line on stderr and a non-zero exit status."""
    for stream in (sys.stdout, sys.stderr):
        # Replace characters that the terminal cannot show instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if not os.environ.get("PINCITE_DEBUG"):
        # Problems are printed for the author; the server configures its own logging.
        logging.getLogger("pincite").addHandler(logging.NullHandler())
    try:
        _add_research(sys.argv[1:])
        app()
    except InputError as error:
        _fail(str(error), 2)
    except BrokenPipeError:
        # The output pipe was closed (`| head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except Exception as error:
        if os.environ.get("PINCITE_DEBUG"):
            raise
        if isinstance(error, OSError) and (what := _cannot_be_written(error)):
            _fail(f"{what}: {error.strerror}", 74)
        _fail(
            f"internal error: {type(error).__name__}: {error}\n"
            "(set PINCITE_DEBUG=1 for a traceback; please report this)",
            70,
        )


def _cannot_be_written(error: OSError) -> str:
    """Return which path cannot be read or written; empty for an error without a path."""
    if error.filename is not None and error.strerror:
        return str(error.filename)
    return "the output" if error.errno in _FULL else ""


def _fail(message: str, status: int) -> None:
    from ..text.controls import with_controls_shown

    typer.echo(f"pincite: {with_controls_shown(message)}", err=True)
    sys.exit(status)
