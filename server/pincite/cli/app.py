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
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__, extensions
from ..model.problems import InputError, PinciteError
from ..settings import EMAIL
from .options import LIBRARY, MATCHING, DraftArgument, Options, shared_options

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
@shared_options(*LIBRARY, "ranker", *MATCHING)
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
    *,
    options: Options,
    as_json: bool,
) -> None:
    """Rank the entries of the bibliography for every citation placeholder of a draft."""
    from .recommend import run

    raise typer.Exit(run(draft, at, every, top, options, as_json))


@app.command()
@shared_options(*LIBRARY, *MATCHING)
def evidence(
    draft: DraftArgument,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="Only the citations of this key.")
    ] = None,
    sentences: Annotated[
        int | None,
        typer.Option(
            "--sentences", min=1, metavar="N", help="Sentences per citation (default: 4)."
        ),
    ] = None,
    *,
    options: Options,
    as_json: bool,
) -> None:
    """Print the sentences of the cited works that support each citation of a draft."""
    from .evidence import run

    raise typer.Exit(run(draft, key, sentences, options, as_json))


@app.command()
@shared_options("bibliographies", "workspace")
def citations(draft: DraftArgument, *, options: Options, as_json: bool) -> None:
    """List every citation of a draft; exit with status 1 if a key is undefined."""
    from .citations import run

    raise typer.Exit(run(draft, options, as_json))


@app.command()
@shared_options(*LIBRARY, *MATCHING)
def check(
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
    *,
    options: Options,
    as_json: bool,
) -> None:
    """Check a whole draft before submission; exit with status 1 if anything is found."""
    from .check import run

    raise typer.Exit(run(draft, kind or (), report, options, as_json))


@app.command()
@shared_options(*LIBRARY)
def library(draft: DraftArgument, *, options: Options, as_json: bool) -> None:
    """Show what is known of each entry of a draft, what is wrong with it, and what to do."""
    from .library import run

    raise typer.Exit(run(draft, options, as_json))


@app.command()
@shared_options(*LIBRARY)
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
    *,
    options: Options,
    as_json: bool,
) -> None:
    """Read the papers of a library ahead of time; count entries with full text or abstract."""
    from .index import empty, run, show_status

    if status and clear:
        raise InputError("--status and --clear cannot be combined")
    if (status or clear) and (targets or contexts):
        raise InputError("--status and --clear apply to the whole index: name no draft or folder")
    if status:
        raise typer.Exit(show_status(as_json))
    if clear:
        raise typer.Exit(empty())
    raise typer.Exit(run(targets or (), contexts, jobs, options, as_json))


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
    only_check: Annotated[
        bool, typer.Option("--check", help="Ask each service for one well-known work.")
    ] = False,
) -> None:
    """Fetch abstracts and citing sentences from the network, once you agree to what is sent."""
    from .enrich import check_services, run

    if email and EMAIL.fullmatch(email) is None:
        raise InputError(f"--email: {email!r} is no e-mail address")
    if only_check:
        raise typer.Exit(check_services(source or (), email))
    if not bibliographies:
        raise InputError("name a bibliography, such as refs.bib")
    raise typer.Exit(
        run(bibliographies, source or (), email, agreed=yes, only_show=only_show, write=write)
    )


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
    except PinciteError as error:
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
