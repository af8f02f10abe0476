"""The server: which requests it answers, and the session behind them.

Nothing heavy is imported here, so that ``initialize`` is answered at once; the rest is loaded by
a thread after it. The event loop alone writes to the client; other threads only compute.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

from lsprotocol import types

from ..model.problems import InputError
from .documents import path_of
from .features import (
    code_actions,
    commands,
    completion,
    definition,
    diagnostics,
    document_highlight,
    document_links,
    hover,
    inlay_hints,
    references,
    rename,
    requests,
    workspace_symbols,
)
from .language_server import PinciteServer
from .session import Session, ShowsMarkdown

#: A file each; `register` adds what it answers to a server.
FEATURES = (
    completion,
    hover,
    code_actions,
    commands,
    requests,
    definition,
    references,
    rename,
    document_highlight,
    document_links,
    inlay_hints,
    workspace_symbols,
    diagnostics,
)
_HOST = "127.0.0.1"
_LATEX = frozenset({"latex", "tex", "plaintex", "context"})


def create_server() -> PinciteServer:
    """Return a server with all features registered."""
    server = PinciteServer()
    _begin_and_end(server)
    _follow_documents(server)
    _follow_workspace(server)
    for feature in FEATURES:
        feature.register(server)
    return server


def _begin_and_end(server: PinciteServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: PinciteServer, params: types.InitializeParams) -> None:
        session = ls.session
        ls.loop = asyncio.get_running_loop()
        folders = [folder.uri for folder in params.workspace_folders or []]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        _set_folders(session, [path_of(uri) for uri in folders])
        session.shows_markdown = _shows_markdown(params.capabilities.text_document)
        if (problem := session.configure(params.initialization_options)) is not None:
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, problem))

    @server.feature(types.INITIALIZED)
    def initialized(ls: PinciteServer, _params: types.InitializedParams) -> None:
        ls.session.documents.encoding = (
            ls.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        )
        threading.Thread(target=_load, name="pincite-load", daemon=True).start()
        _watch_files(ls)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: PinciteServer, *_: object) -> None:
        ls.session.stop()


def _follow_documents(server: PinciteServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: PinciteServer, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        ls.session.documents.open(document.uri, document.text, document.version)
        is_tex = document.uri.lower().endswith((".tex", ".ltx"))
        if is_tex or document.language_id in _LATEX:
            ls.prepare(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: PinciteServer, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        ls.session.documents.change(document.uri, params.content_changes, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: PinciteServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.session.documents.close(params.text_document.uri)


def _follow_workspace(server: PinciteServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(
        ls: PinciteServer, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        removed = {path_of(folder.uri) for folder in params.event.removed}
        folders = [folder for folder in ls.session.folders if folder not in removed]
        folders += [path_of(folder.uri) for folder in params.event.added]
        _set_folders(ls.session, folders)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(
        _ls: PinciteServer, _params: types.DidChangeConfigurationParams
    ) -> None:
        """Leave the settings alone: editors send those of other servers here, too."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(
        ls: PinciteServer, params: types.DidChangeWatchedFilesParams
    ) -> None:
        ls.session.changed_on_disk(path_of(change.uri) for change in params.changes)


def _set_folders(session: Session, folders: list[Path]) -> None:
    session.folders = tuple(dict.fromkeys(folder for folder in folders if folder.is_absolute()))
    session.documents.home = session.folders[0] if session.folders else None


def _shows_markdown(client: types.TextDocumentClientCapabilities | None) -> ShowsMarkdown:
    markdown = types.MarkupKind.Markdown
    hover = client.hover if client else None
    completion_item = client.completion.completion_item if client and client.completion else None
    return ShowsMarkdown(
        hover=markdown in ((hover and hover.content_format) or ()),
        documentation=markdown
        in ((completion_item and completion_item.documentation_format) or ()),
    )


def _load() -> None:
    """Import what the first request will need."""
    from .. import workspace  # noqa: F401


def _watch_files(ls: PinciteServer) -> None:
    """Ask the client to tell when bibliographies, drafts or papers change on disk."""
    capabilities = ls.client_capabilities.workspace
    watched = capabilities.did_change_watched_files if capabilities else None
    if watched is None or not watched.dynamic_registration:
        return
    watchers = [
        types.FileSystemWatcher("**/*.{bib,tex,ltx,pdf,md,markdown,txt,text,xml,nxml,tei,json}")
    ]
    ls.client_register_capability(
        types.RegistrationParams(
            [
                types.Registration(
                    "pincite-files",
                    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    types.DidChangeWatchedFilesRegistrationOptions(watchers),
                )
            ]
        )
    )


def serve(tcp: int | None = None) -> NoReturn:
    """Serve on stdio, or on a port of this machine's own address, until the client goes."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="pincite: %(message)s")
    # It warns of every notification it does not know and every cancellation that comes late.
    logging.getLogger("pygls").setLevel(logging.ERROR)
    # There is nothing to tidy up, and pygls would wait for one more line on stdin.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server = create_server()
    # It raises `SystemExit` when the client says so, on stdio it ends by itself.
    with suppress(SystemExit):
        if tcp is None:
            server.start_io(stdout=_stdout_for_the_protocol())
        else:
            try:
                server.start_tcp(_HOST, tcp)
            except OSError as error:
                reason = error.strerror or str(error)
                raise InputError(f"cannot listen on {_HOST}:{tcp}: {reason}") from None
    # At once, with or without a goodbye: papers may still be read, and nobody waits for them.
    code = 0 if server.session.stopped else 1
    server.session.stop()
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)


def _stdout_for_the_protocol() -> BinaryIO:
    """Return stdout for the protocol alone: what anything else prints goes to stderr."""
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stdout
