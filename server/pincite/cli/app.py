"""The commands, and what becomes of their failures."""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

from .. import __version__, extensions
from ..model.problems import InputError, PinciteError
from ..text.characters import with_controls_shown
from .add import add
from .check import check
from .discover import discover
from .enrich import enrich
from .index import index
from .library import library
from .options import WholeSentences, ZoteroUse, option
from .places import citations, evidence, recommend

#: Errors of a write to a full disk (not every system has quotas).
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))


def serve(
    socket: Annotated[
        Path | None, option("--socket PATH", "Listen on a Unix socket that only you can open.")
    ] = None,
) -> None:
    """Run the language server over stdio (what editors start)."""
    from ..lsp.server import serve as run

    run(socket)


def mcp(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FOLDER...", help="Folders of drafts (default: the current folder)."
        ),
    ] = None,
    allow_fetch: Annotated[
        bool, option("--allow-fetch", "Also offer a tool that asks services on the network.")
    ] = False,
    library: Annotated[
        list[Path] | None, option("--library DIR", "Add a folder of papers (repeatable).")
    ] = None,
    zotero: Annotated[
        ZoteroUse,
        option("--zotero", "Take abstracts and files from Zotero, if it is on this computer."),
    ] = ZoteroUse.off,
) -> None:
    """Serve assistants that write with you, over stdio (Model Context Protocol)."""
    from ..agents import Assistant, server_for

    assistant = Assistant(
        folders or [Path()], allow_fetch=allow_fetch, library=library or [], zotero=zotero.value
    )
    server_for(assistant).run("stdio")


#: How each command is called, for its help.
_EXAMPLES: Final[dict[Callable[..., None], str]] = {
    recommend: "pincite recommend thesis.tex --at chapters/intro.tex:12:40",
    evidence: "pincite evidence thesis.tex --key knuth1984",
    add: "pincite add 10.1162/coli.2008.34.1.1 --bib refs.bib",
    serve: "pincite serve --socket ~/.pincite.sock",
    mcp: "pincite mcp ~/thesis",
    check: "pincite check thesis.tex --report check.html",
    citations: "pincite citations thesis.tex --format json",
    library: "pincite library thesis.tex --library ~/papers",
    index: "pincite index thesis.tex ~/papers",
    enrich: "pincite enrich refs.bib --show",
    discover: "pincite discover thesis.tex --show",
}


class _Commands(WholeSentences):
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Write": ("recommend", "evidence", "add", "serve", "mcp"),
        "Check": ("check", "citations"),
        "Library": ("library", "index", "enrich", "discover"),
        "Research": extensions.COMMANDS,
    }


app = typer.Typer(
    name="pincite",
    cls=_Commands,
    help="Ranked citations and supporting sentences for drafts. No network, unless you agree.",
    epilog="Example: pincite check thesis.tex",
    no_args_is_help=True,
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


for _command, _example in _EXAMPLES.items():
    app.command(epilog=f"Example: {_example}")(_command)


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
    if sys.stdout is None:  # closed by the calling process
        sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
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
        if isinstance(error, OSError) and error.strerror:
            if error.filename is not None:
                _fail(f"{error.filename}: {error.strerror}", 74)
            if error.errno in _FULL:
                _fail(f"the output: {error.strerror}", 74)
        _fail(
            f"internal error: {type(error).__name__}: {error}\n"
            "(set PINCITE_DEBUG=1 for a traceback; please report this)",
            70,
        )


def _fail(message: str, status: int) -> None:
    typer.echo(f"pincite: {with_controls_shown(message)}", err=True)
    sys.exit(status)
