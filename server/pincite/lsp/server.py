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
from .client import Client
from .client_settings import ClientSettings
from .documents import path_of
from .jsonrpc import PARSE_ERROR, RequestError
from .language_server import PinciteServer, function_of
from .progress import IndexProgress, RequestProgress
from .publishing import Publisher
from .session import Session
from .streams import NotAMessageError, Writer, read_message, read_next
from .watching import Watching

logger = logging.getLogger(__name__)


class Feature(NamedTuple):
    """The function of ``features/`` that answers a request, and the parameters that it gets.

    Behind the project, the document's path and its lines, or the project alone. `unhurried`: no
    author waits for it. `edits`: it edits files that are not open, so they are looked at before.
    """

    function: str
    parameters: str = ""
    unhurried: bool = False
    edits: bool = False
    #: The title of its progress.
    progress: str = ""


#: Requests about a document, and those about the whole project.
ABOUT_DOCUMENTS = {
    types.TEXT_DOCUMENT_COMPLETION: Feature("completion.complete", "position"),
    types.TEXT_DOCUMENT_HOVER: Feature("hover.hover", "position"),
    types.TEXT_DOCUMENT_DEFINITION: Feature("navigation.definition", "position"),
    types.TEXT_DOCUMENT_REFERENCES: Feature("navigation.references", "position context"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Feature("navigation.prepare_rename", "position"),
    types.TEXT_DOCUMENT_RENAME: Feature("navigation.rename", "position new_name", edits=True),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Feature("navigation.highlight", "position"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Feature("links.document_links", unhurried=True),
    types.TEXT_DOCUMENT_INLAY_HINT: Feature("links.inlay_hints", "range", unhurried=True),
    types.TEXT_DOCUMENT_CODE_ACTION: Feature(
        "code_actions.code_actions", "range context", unhurried=True
    ),
    "pincite/recommendations": Feature(
        "requests.recommendations", "position limit supporting typed only"
    ),
    "pincite/evidence": Feature("requests.evidence", "position key"),
    "pincite/library": Feature("library.health", "base_folders", unhurried=True),
    "pincite/check": Feature(
        "library.check", "kinds report", unhurried=True, progress="Pincite: checking citations"
    ),
    "pincite/missing": Feature("enrich.missing", unhurried=True),
}
ABOUT_PROJECT = {
    types.COMPLETION_ITEM_RESOLVE: Feature("completion.resolve"),
    types.CODE_ACTION_RESOLVE: Feature("code_actions.resolve", edits=True),
    types.WORKSPACE_SYMBOL: Feature("navigation.symbols"),
    "pincite/status": Feature("requests.asked_status"),
}
#: In the order in which the first requests come.
_MODULES = dict.fromkeys(
    feature.function for feature in (*ABOUT_DOCUMENTS.values(), Feature("diagnostics.diagnostics"))
)
#: How long a thread may hold the interpreter lock; Python's default is ten times as long.
_SWITCHING_SECONDS = 0.0005
_LOOK_FOR_CLIENT_SECONDS = 2.0
_IDLE_LOOK_SECONDS = 10.0
#: The index is pruned so long after the start: the first requests come first.
_EVICT_SECONDS = 120.0


def create_server() -> PinciteServer:
    """Return a server with all its handlers."""
    server = PinciteServer()
    watching, progress, publisher = Watching(server), IndexProgress(server), Publisher(server)
    settings = ClientSettings(server, watching)
    server.when_changed += [settings.check, publisher.changed]
    server.when_read += [
        progress,
        settings.papers_read,
        partial(_report_status, server),
        publisher.papers_read,
    ]
    server.when_answered = watching.follow_new
    lifecycle: dict[str, Callable[[Any], Any]] = {
        types.INITIALIZE: partial(_initialize, server, settings),
        types.INITIALIZED: partial(_initialized, server, settings, watching),
        types.SHUTDOWN: partial(_shutdown, server),
        types.EXIT: partial(_exit, server),
    }
    changes: dict[str, Callable[[Any], Any]] = {
        types.TEXT_DOCUMENT_DID_OPEN: partial(_did_open, server),
        types.TEXT_DOCUMENT_DID_CHANGE: partial(_did_change, server),
        types.TEXT_DOCUMENT_DID_CLOSE: partial(_did_close, server),
        types.TEXT_DOCUMENT_DID_SAVE: publisher.saved,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: partial(_change_folders, server, watching),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: watching.changed,
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: settings.changed,
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL: progress.cancel,
    }
    requests: dict[str, Callable[[Any], Any]] = {
        **{method: partial(_answer, server, each) for method, each in ABOUT_DOCUMENTS.items()},
        **{method: partial(_resolve, server, each) for method, each in ABOUT_PROJECT.items()},
        types.TEXT_DOCUMENT_DIAGNOSTIC: publisher.pull,
        types.WORKSPACE_EXECUTE_COMMAND: commands.Commands(server).execute,
        "pincite/fetch": partial(_fetch, server),
    }
    server.connection.handlers |= lifecycle | changes | requests
    return server


# Requests


async def _answer(server: PinciteServer, feature: Feature, params: Any) -> Any:  # noqa: ANN401
    """Answer a request about a document."""
    arguments = [getattr(params, name) for name in feature.parameters.split()]
    about = partial(server.answer_about, feature.function, params.text_document.uri, *arguments)
    if feature.progress:
        with RequestProgress(server, params.work_done_token, feature.progress) as progress:
            return await about(progress, turn=server.unhurried)
    turn = server.unhurried if feature.unhurried else None
    return await about(turn=turn, looks=feature.edits)


async def _resolve(server: PinciteServer, feature: Feature, params: Any) -> Any:  # noqa: ANN401
    """Answer a request about the project."""
    if feature.edits:
        await server.look_at_files()
    return await server.answer(feature.function, params)


async def _fetch(server: PinciteServer, params: wire.FetchParams) -> Any:  # noqa: ANN401 - JSON
    """Answer ``pincite/fetch``, which takes minutes, and let all drafts use what was fetched."""
    from ..library.index import default_index_path
    from ..model.fetched import fetched_path

    await server.answer("enrich.require_allowed")
    uri, title = params.text_document.uri, "Pincite: asking services"
    try:
        with RequestProgress(server, params.work_done_token, title) as progress:
            work, turn = "enrich.fetched", server.network
            return await server.answer_about(work, uri, params.plan, progress, turn=turn)
    finally:
        server.session.changed_on_disk((fetched_path(default_index_path()),))
        server.report_change()


# Begin and end


def _initialize(
    server: PinciteServer, settings: ClientSettings, params: wire.InitializeParams
) -> wire.Json:
    session = server.session
    server.loop = asyncio.get_running_loop()
    session.client = Client.of(params.capabilities)
    session.documents.set_encoding(session.client.position_encoding)
    folders = [folder.uri for folder in params.workspace_folders or []]
    if not folders and params.root_uri:
        folders = [params.root_uri]
    _set_folders(session, [path_of(uri) for uri in folders])
    settings.configure("initialize", params.initialization_options)
    if params.process_id is not None:
        server.start(_end_with(params.process_id, server))
    server.connection.initialized = True
    capabilities = {
        "positionEncoding": session.client.position_encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": True},
        "completionProvider": {
            "triggerCharacters": ["{", ",", "<", "@", "`"],
            "resolveProvider": True,
        },
        "hoverProvider": True,
        "definitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentLinkProvider": {"resolveProvider": False},
        "codeActionProvider": {
            "codeActionKinds": ["quickfix", "refactor.rewrite"],
            "resolveProvider": True,
        },
        "renameProvider": {"prepareProvider": True} if session.client.prepares_rename else True,
        "executeCommandProvider": {"commands": list(commands.NAMES)},
        "workspaceSymbolProvider": {"resolveProvider": False},
        "inlayHintProvider": {"resolveProvider": False},
        "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    server_info = {"name": "pincite", "version": __version__}
    return {"capabilities": capabilities, "serverInfo": server_info}


async def _initialized(
    server: PinciteServer, settings: ClientSettings, watching: Watching, _params: object
) -> None:
    server.session.background.do("load", _load)
    server.session.background.do("evict", server.session.evict, after=_EVICT_SECONDS)
    server.start(_look_while_idle(server))
    watching.begin()
    await settings.begin()


def _load() -> None:
    """Import what the first requests need."""
    from ..project import builder, global_library, workspace  # noqa: F401

    for name in _MODULES:
        function_of(name)


async def _look_while_idle(server: PinciteServer) -> None:
    """Look for changes that no client reports, also while no request comes."""
    while not server.session.stopped:
        await asyncio.sleep(_IDLE_LOOK_SECONDS)
        server.session.look()


def _shutdown(server: PinciteServer, _params: object) -> None:
    server.session.stop()
    server.connection.end()


def _exit(server: PinciteServer, _params: object) -> None:
    if server.writer is not None:
        server.writer.close()
    _end(server)


async def _end_with(client: int, server: PinciteServer) -> None:
    """Exit when the client's process is gone, even if its end of the pipe is still open.

    A process that is not visible from here (on another host, outside a container) is not watched,
    and none is on Windows, where testing a process with a signal would end it.
    """
    if os.name == "nt" or not _is_running(client):
        return
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


# Documents and folders


def _did_open(server: PinciteServer, params: types.DidOpenTextDocumentParams) -> None:
    document, documents = params.text_document, server.session.documents
    documents.open(document.uri, document.text, document.version, document.language_id)
    server.report_change(document.uri)
    path = documents.now.path(document.uri)
    if documents.now.may_cite(path):
        # The first request finds it read.
        server.start(server.answer_unasked(server.session.prepare, path))


def _did_change(server: PinciteServer, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    server.session.documents.change(document.uri, params.content_changes, document.version)
    server.report_change(document.uri)


def _did_close(server: PinciteServer, params: types.DidCloseTextDocumentParams) -> None:
    server.session.documents.close(params.text_document.uri)
    server.report_change(params.text_document.uri)


def _change_folders(
    server: PinciteServer, watching: Watching, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    removed = {path_of(folder.uri) for folder in params.event.removed}
    folders = [folder for folder in server.session.folders if folder not in removed]
    folders += [path_of(folder.uri) for folder in params.event.added]
    _set_folders(server.session, folders)
    watching.follow()
    server.report_change()


def _set_folders(session: Session, folders: list[Path]) -> None:
    # The root of the file system is no project.
    absolute = (folder for folder in folders if folder.is_absolute() and folder != folder.parent)
    session.folders = tuple(dict.fromkeys(absolute))
    session.documents.set_home(session.folders[0] if session.folders else None)


def _report_status(server: PinciteServer, draft: str, progress: Progress) -> None:
    """Report to clients that follow the status how many of a draft's papers are read."""
    reported = draft, progress.done
    if server.session.client.follows_status and reported != server.reported_status:
        server.reported_status = reported
        changed = {"draft": draft, "done": progress.done, "read": progress.read}
        params = {**changed, "papers": progress.papers}
        server.connection.notify("pincite/statusChanged", params)


# Streams


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
    server = create_server()
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
            server.connection.refuse(None, RequestError(str(error), PARSE_ERROR))
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
