"""The server: the requests that it answers, and how it starts and ends.

Nothing heavy is imported here, so that ``initialize`` is answered at once; a thread then imports
``features/``. Only the event loop writes to the client; other threads compute.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from lsprotocol import types

from .. import __version__
from ..model.problems import InputError
from ..project.background import collect_rarely, keep_one_heap
from ..project.open_draft import Progress
from . import commands, log, wire
from .client_files import ClientFiles
from .configuration import ClientSettings
from .documents import place_of
from .language_server import PinciteServer
from .publishing import STEPS, IndexProgress, Publisher, RequestProgress
from .session import Client, Session, function_of
from .streams import NotAMessageError, Writer, read_message, read_next
from .watching import Watching

logger = logging.getLogger(__name__)


class Feature(NamedTuple):
    """The function of ``features/`` that answers a request about a document, or the project.

    `unhurried`: no author waits for it. `network`: it asks services, and stores what they answer.
    `edits`: it edits files that are not open, so they are checked for changes first.
    """

    function: str
    unhurried: bool = False
    network: bool = False
    edits: bool = False
    #: The title of its progress.
    progress: str = ""


#: Requests about a document, and those about the whole project.
ABOUT_DOCUMENTS = {
    types.TEXT_DOCUMENT_COMPLETION: Feature("completion.complete"),
    types.TEXT_DOCUMENT_HOVER: Feature("evidence.hover"),
    types.TEXT_DOCUMENT_DEFINITION: Feature("navigation.definition"),
    types.TEXT_DOCUMENT_REFERENCES: Feature("navigation.references"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Feature("navigation.prepare_rename"),
    types.TEXT_DOCUMENT_RENAME: Feature("navigation.rename", edits=True),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Feature("navigation.highlight"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Feature("links.document_links", unhurried=True),
    types.TEXT_DOCUMENT_INLAY_HINT: Feature("links.inlay_hints", unhurried=True),
    types.TEXT_DOCUMENT_CODE_ACTION: Feature("code_actions.code_actions", unhurried=True),
    "pincite/recommendations": Feature("requests.recommendations"),
    "pincite/evidence": Feature("requests.evidence"),
    "pincite/library": Feature("library.health", unhurried=True),
    "pincite/check": Feature(
        "library.check", unhurried=True, progress="Pincite: checking citations"
    ),
    "pincite/decide": Feature("library.decide", unhurried=True),
    "pincite/missing": Feature("fetching.missing", unhurried=True),
    "pincite/fetch": Feature("fetching.fetched", network=True, progress="Pincite: asking services"),
    "pincite/discovery": Feature("fetching.planned", unhurried=True),
    "pincite/discover": Feature(
        "fetching.discovered", network=True, progress="Pincite: discovering works"
    ),
    "pincite/literature": Feature("fetching.proposed"),
    "pincite/searchLiterature": Feature("fetching.searched", network=True),
    "pincite/merging": Feature("library.merging", unhurried=True, edits=True),
}
_FIND_WORK = Feature("fetching.found_work", edits=True)
ABOUT_PROJECT = {
    types.COMPLETION_ITEM_RESOLVE: Feature("completion.resolve"),
    types.CODE_ACTION_RESOLVE: Feature("code_actions.resolve", edits=True),
    types.WORKSPACE_SYMBOL: Feature("navigation.symbols"),
}
#: What the server does for every client.
_CAPABILITIES = {
    "textDocumentSync": {"openClose": True, "change": 2, "save": True},
    "completionProvider": {"triggerCharacters": ["{", ",", "<", "@", "`"], "resolveProvider": True},
    "hoverProvider": True,
    "definitionProvider": True,
    "referencesProvider": True,
    "documentHighlightProvider": True,
    "documentLinkProvider": {"resolveProvider": False},
    "codeActionProvider": {
        "codeActionKinds": ["quickfix", "refactor.rewrite"],
        "resolveProvider": True,
    },
    "executeCommandProvider": {"commands": [*commands.NAMES]},
    "workspaceSymbolProvider": {"resolveProvider": False},
    "inlayHintProvider": {"resolveProvider": False},
    "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False},
    "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
}
#: How long a thread may hold the interpreter lock; Python's default is ten times as long.
_SWITCHING_SECONDS = 0.0005
_LOOK_FOR_CLIENT_SECONDS = 2.0
_IDLE_LOOK_SECONDS = 10.0
#: The index is pruned so long after the start: the first requests come first.
_EVICT_SECONDS = 120.0


class Server(PinciteServer):
    """The server with all its handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.session.on_change = partial(self.on_loop, self.report_change)
        self.session.report = lambda *read: self.on_loop(partial(self._papers_read, *read))
        self._reported: tuple[str, int] | None = None
        self.client_files = ClientFiles(self)
        self.watching = Watching(self, self.client_files)
        self.publisher = Publisher(self, self.client_files)
        self.settings = ClientSettings(self)
        self.progress = IndexProgress(self)
        self.connection.handlers |= {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.EXIT: self._exit,
            types.TEXT_DOCUMENT_DID_OPEN: self._did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._did_change,
            types.TEXT_DOCUMENT_DID_CLOSE: self._did_close,
            types.TEXT_DOCUMENT_DID_SAVE: self._did_save,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._change_folders,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self.watching.changed,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self.settings.changed,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self.progress.cancel,
            **{method: partial(self._answer, each) for method, each in ABOUT_DOCUMENTS.items()},
            **{method: partial(self._resolve, each) for method, each in ABOUT_PROJECT.items()},
            types.TEXT_DOCUMENT_DIAGNOSTIC: self.publisher.pull,
            types.WORKSPACE_EXECUTE_COMMAND: commands.Commands(self).execute,
            "pincite/status": self._status,
            "pincite/findWork": self._find_work,
            "pincite/addWork": self._add_work,
        }

    def report_change(self, uri: str | None = None) -> None:
        """Have diagnostics, watchers and settings follow, and the client show all anew."""
        self.publisher.changed(uri)
        if uri is not None:
            return
        self.watching.follow()
        self.settings.check()
        if self.session.client.refreshes_inlay_hints:
            self.connection.request(types.WORKSPACE_INLAY_HINT_REFRESH)
        if self.session.client.refreshes_diagnostics:
            self.connection.request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    async def answer(self, work: Callable[..., Any] | str, *arguments: object) -> Any:  # noqa: ANN401
        """Also watch the bibliographies of another draft that the request may have read."""
        try:
            return await super().answer(work, *arguments)
        finally:
            self.watching.follow_new()

    def _papers_read(self, draft: str, progress: Progress) -> None:
        """Report to the client, and check again what depends on the papers of a draft."""
        step = draft, int(progress.done * STEPS)
        if step == self._reported and not progress.ended:
            return
        self._reported = step
        self.progress.report(draft, progress)
        if self.session.client.follows_status:
            known = {"done": progress.done, "read": progress.read, "papers": progress.papers}
            self.connection.notify("pincite/statusChanged", {"draft": draft, **known})
        if progress.ended:
            # By now it is known which system can be had.
            self.settings.check()
            self.publisher.papers_read()

    async def _answer(self, feature: Feature, sent: Any) -> Any:  # noqa: ANN401
        """Answer a request about a document."""
        asked: Any = wire.convert(sent, wire.DocumentParams) if isinstance(sent, dict) else sent
        about = partial(self.answer_about, feature.function, asked.text_document.uri, sent)
        turn = self.network if feature.network else self.unhurried if feature.unhurried else None
        try:
            if not feature.progress:
                return await about(turn=turn, looks=feature.edits)
            with RequestProgress(self, asked.work_done_token, feature.progress) as progress:
                return await about(turn=turn, progress=progress)
        finally:
            if feature.network:
                self._use_fetched()

    def _use_fetched(self) -> None:
        """Have all drafts use what was fetched."""
        from ..library.index import default_index_path
        from ..model.fetched import fetched_path

        self.session.changed_on_disk((fetched_path(default_index_path()),))
        self.report_change()

    async def _resolve(self, feature: Feature, params: Any) -> Any:  # noqa: ANN401
        """Answer a request about the project."""
        if feature.edits:
            await self.look_at_files()
        return await self.answer(feature.function, params)

    async def _find_work(self, sent: wire.Json) -> Any:  # noqa: ANN401 - JSON
        """Answer ``pincite/findWork``; with a plan, services are asked."""
        return await self._answer(_FIND_WORK._replace(network=bool(sent.get("plan"))), sent)

    async def _add_work(self, sent: object) -> Any:  # noqa: ANN401 - JSON
        """Answer ``pincite/addWork``: have the client add the works, and return their keys."""
        uri = wire.convert(sent, wire.DocumentParams).text_document.uri
        return await self.make_edit("citing.adding_works_edit", uri, sent)

    async def _status(self, sent: object) -> Any:  # noqa: ANN401 - JSON
        """Answer ``pincite/status``, about a document or all open ones."""
        document = wire.convert(sent, wire.StatusParams).text_document
        path = None if document is None else self.session.documents.now.path(document.uri)
        return await self.answer("requests.status", path)

    def _initialize(self, params: wire.InitializeParams) -> wire.Json:
        session = self.session
        self.loop = asyncio.get_running_loop()
        session.client = Client.of(params.capabilities)
        session.documents.set_encoding(session.client.position_encoding)
        folders = [folder.uri for folder in params.workspace_folders or []]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        _set_folders(session, [place_of(uri) for uri in folders])
        self.settings.configure("initialize", params.initialization_options)
        client = params.process_id
        # One that is not visible from here (on another host, outside a container) is not watched,
        # and none is on Windows, where testing a process with a signal would end it. This is found
        # out before the answer: a client that ends soon is not taken for one elsewhere.
        if client is not None and os.name != "nt" and _is_running(client):
            self.start(_end_with(client, self))
        self.connection.initialized = True
        own = {
            "positionEncoding": session.client.position_encoding,
            "renameProvider": {"prepareProvider": True} if session.client.prepares_rename else True,
        }
        server = {"name": "pincite", "version": __version__}
        return {"capabilities": {**_CAPABILITIES, **own}, "serverInfo": server}

    async def _initialized(self, _params: object) -> None:
        self.session.background.do("load", _load)
        self.session.background.do("evict", self.session.evict, after=_EVICT_SECONDS)
        self.start(self._look_while_idle())
        self.watching.begin()
        await self.settings.begin()

    async def _look_while_idle(self) -> None:
        """Look for changes that no client reports, also while no request comes."""
        while not self.session.stopped:
            await asyncio.sleep(_IDLE_LOOK_SECONDS)
            self.session.look()

    def _shut_down(self, _params: object) -> None:
        self.session.stop()
        self.connection.end()

    def _exit(self, _params: object) -> None:
        if self.writer is not None:
            self.writer.close()
        _end(self)

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document, documents = params.text_document, self.session.documents
        documents.open(document.uri, document.text, document.version, document.language_id)
        self.report_change(document.uri)
        path = documents.now.path(document.uri)
        self.client_files.look_again(path)
        if documents.now.may_cite(path):
            # The first request finds it read.
            self.start(self.answer_unasked(self.session.prepare, path))

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self.session.documents.change(document.uri, params.content_changes, document.version)
        self.report_change(document.uri)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        documents, uri = self.session.documents, params.text_document.uri
        path = documents.now.path(uri)
        documents.close(uri)
        self.client_files.look_again(path)
        self.report_change(uri)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        path = self.session.documents.now.path(params.text_document.uri)
        self.publisher.saved(path)
        self.client_files.look_again(path)

    def _change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        removed = {place_of(folder.uri) for folder in params.event.removed}
        folders = [folder for folder in self.session.folders if folder not in removed]
        folders += [place_of(folder.uri) for folder in params.event.added]
        _set_folders(self.session, folders)
        self.report_change()


def _load() -> None:
    """Import what the first requests need, in the order in which they come."""
    from ..project import builder, global_library, workspace  # noqa: F401

    for name in (*(each.function for each in ABOUT_DOCUMENTS.values()), "diagnostics.diagnostics"):
        function_of(name)


async def _end_with(client: int, server: PinciteServer) -> None:
    """Exit when the client's process is gone, even if its end of the pipe is still open."""
    while _is_running(client):
        await asyncio.sleep(_LOOK_FOR_CLIENT_SECONDS)
    _end(server)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _set_folders(session: Session, folders: list[Path]) -> None:
    # The root of the file system is not a project.
    absolute = (folder for folder in folders if folder.is_absolute() and folder != folder.parent)
    session.folders = tuple(dict.fromkeys(absolute))
    session.documents.set_home(session.folders[0] if session.folders else None)


def serve(socket_path: Path | None = None) -> NoReturn:
    """Serve on stdio, or on a Unix socket that only this user can open, until the client leaves."""
    keep_one_heap()
    log.begin()
    # There is nothing to clean up.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A request passes from the event loop to a thread and back. While papers are read, each step
    # may wait this long for the interpreter lock.
    sys.setswitchinterval(_SWITCHING_SECONDS)
    collect_rarely()
    server = Server()
    if socket_path is None:
        asyncio.run(_follow(server, sys.stdin.buffer, _stdout_for_the_protocol(), resumes=True))
    else:
        with _connection(socket_path) as connection:
            reader, writer = connection.makefile("rb"), connection.makefile("wb")
            asyncio.run(_follow(server, reader, writer, resumes=False))
    _end(server)


async def _follow(
    server: PinciteServer, reader: BinaryIO, writer: BinaryIO, *, resumes: bool
) -> None:
    """Handle messages until the stream ends, then exit.

    After bytes that are not a message, continue with the next message if it `resumes`, else end: on
    a socket, whoever sends them is not a client.
    """
    loop = asyncio.get_running_loop()
    server.writer = Writer(writer, lambda: _end(server))
    server.connection.write = server.writer.write
    # One thread, which keeps messages in the order of arrival.
    reading = ThreadPoolExecutor(1, thread_name_prefix="pincite-read")
    read = read_message
    while True:
        try:
            body = await loop.run_in_executor(reading, read, reader)
        except NotAMessageError as error:
            logger.warning("%s; %s", error, "looking for the next message" if resumes else "closed")
            if not resumes:
                break
            server.connection.refuse(None, str(error))
            read = read_next
            continue
        if body is None:
            break
        read = read_message
        server.connection.handle_body(body)
    # At once: asyncio would wait for the threads that answer.
    _end(server)


def _connection(path: Path) -> socket.socket:
    """Listen on a Unix socket of mode 0600, and return the first connection."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("--socket needs Unix sockets, which this system lacks: serve on stdio")
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            # A umask, as another user could open the socket between `bind` and a `chmod`.
            earlier = os.umask(0o177)
            try:
                listening.bind(str(path))
            finally:
                os.umask(earlier)
            try:
                listening.listen(1)
                return listening.accept()[0]
            finally:
                path.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot listen on {path}: {reason}") from None


def _end(server: PinciteServer) -> NoReturn:
    """Exit at once, after a shutdown or without; do not wait for papers that are being read."""
    code = 0 if server.session.stopped else 1
    server.session.stop()
    log.end()
    os._exit(code)


def _stdout_for_the_protocol() -> BinaryIO:
    """Return stdout for the protocol alone; everything else that is printed goes to stderr."""
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stdout
