"""The server: which requests it answers, and the session behind them.

Nothing heavy is imported here, so that ``initialize`` is answered at once; the rest is loaded by
a thread after it.
"""

from __future__ import annotations

import logging
import sys
import threading

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from .. import __version__
from .documents import Documents, path_of
from .features import completion, hover
from .progress import IndexProgress
from .session import Session, ShowsMarkdown

logger = logging.getLogger(__name__)

_HOST = "127.0.0.1"


class PinciteServer(LanguageServer):
    """The language server with its one session."""

    def __init__(self) -> None:
        super().__init__("pincite", __version__)
        self.session = Session(Documents())
        self.session.report = IndexProgress(self)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error; a pop-up would interrupt the author."""
        logger.error("%s", error, exc_info=error)


def create_server() -> PinciteServer:
    """Return a server with all features registered."""
    server = PinciteServer()

    @server.feature(types.INITIALIZE)
    def initialize(ls: PinciteServer, params: types.InitializeParams) -> None:
        folders = [folder.uri for folder in params.workspace_folders or []]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        ls.session.folders = tuple(path_of(uri) for uri in folders)
        ls.session.shows_markdown = _shows_markdown(params.capabilities.text_document)
        for problem in ls.session.configure(params.initialization_options):
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, problem))

    @server.feature(types.INITIALIZED)
    def initialized(ls: PinciteServer, _params: types.InitializedParams) -> None:
        ls.session.documents.encoding = (
            ls.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        )
        threading.Thread(target=_load, name="pincite-load", daemon=True).start()
        _watch_files(ls)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: PinciteServer, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        ls.session.documents.open(document.uri, document.text)
        if document.uri.lower().endswith((".tex", ".ltx")):
            ls.thread_pool.submit(ls.session.open_draft, path_of(document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: PinciteServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.session.documents.change(params.text_document.uri, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: PinciteServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.session.documents.close(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(
        ls: PinciteServer, _params: types.DidChangeWatchedFilesParams
    ) -> None:
        ls.session.changed_on_disk()

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, completion.OPTIONS)
    @server.thread()
    def complete(ls: PinciteServer, params: types.CompletionParams) -> types.CompletionList | None:
        return completion.complete(ls.session, params)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    @server.thread()
    def resolve(ls: PinciteServer, item: types.CompletionItem) -> types.CompletionItem:
        return completion.resolve(ls.session, item)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @server.thread()
    def show_hover(ls: PinciteServer, params: types.HoverParams) -> types.Hover | None:
        return hover.hover(ls.session, params)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: PinciteServer, *_: object) -> None:
        ls.session.stop()

    return server


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
    watchers = [types.FileSystemWatcher("**/*.{bib,tex,pdf,md,txt}")]
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


def serve(tcp: int | None = None) -> None:
    """Serve on stdio, or on a port of this machine's own address."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="pincite: %(message)s")
    server = create_server()
    if tcp is None:
        server.start_io()
    else:
        server.start_tcp(_HOST, tcp)
