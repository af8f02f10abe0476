"""The server: the requests that it answers, and the session behind them.

Nothing heavy is imported here, so that ``initialize`` is answered at once; a thread then imports
the rest. Only the event loop writes to the client; other threads compute.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcParseError

from ..model.problems import InputError
from ..project.memory import collect_rarely, keep_one_heap
from . import log
from .client import Client
from .documents import path_of
from .features import (
    claim_check,
    code_actions,
    commands,
    completion,
    configuration,
    definition,
    diagnostics,
    document_highlight,
    document_links,
    enrich,
    hover,
    inlay_hints,
    library,
    references,
    rename,
    requests,
    workspace_symbols,
)
from .language_server import PinciteServer
from .session import Session
from .transport import NotAMessageError, Writer, read_message, read_next

logger = logging.getLogger(__name__)

#: One module each; its `register` adds handlers to a server.
FEATURES = (
    configuration,
    completion,
    hover,
    code_actions,
    commands,
    requests,
    library,
    enrich,
    claim_check,
    definition,
    references,
    rename,
    document_highlight,
    document_links,
    inlay_hints,
    workspace_symbols,
    diagnostics,
)
#: How long a thread may hold the interpreter lock; Python's default is ten times as long.
_SWITCHING_SECONDS = 0.0005
_LOOK_FOR_CLIENT_SECONDS = 2.0
_IDLE_LOOK_SECONDS = 10.0
#: The index is pruned so long after the start: the first requests come first.
_EVICT_SECONDS = 120.0


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
        # As negotiated by pygls: the client's first encoding that we support, else UTF-16.
        encoding = ls.workspace.position_encoding
        session.documents.set_encoding(encoding or types.PositionEncodingKind.Utf16)
        folders = [folder.uri for folder in params.workspace_folders or []]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        _set_folders(session, [path_of(uri) for uri in folders])
        session.client = Client.of(params.capabilities)
        configuration.configure(ls, "initialize", params.initialization_options)
        if params.process_id is not None:
            ls.start(_end_with(params.process_id, ls))

    @server.feature(types.INITIALIZED)
    async def initialized(ls: PinciteServer, _params: types.InitializedParams) -> None:
        ls.session.background.do("load", _load)
        ls.session.background.do("evict", ls.session.evict, after=_EVICT_SECONDS)
        ls.start(_look_while_idle(ls))
        ls.watching.begin()
        await configuration.follow(ls)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: PinciteServer, *_: object) -> None:
        ls.session.stop()

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(ls: PinciteServer, params: types.WorkDoneProgressCancelParams) -> None:
        ls.index_progress.cancel(params.token)


def _follow_documents(server: PinciteServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: PinciteServer, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        documents = ls.session.documents
        documents.open(document.uri, document.text, document.version, document.language_id)
        ls.report_change(document.uri)
        if documents.now.may_cite(documents.now.path(document.uri)):
            ls.start(ls.prepare(document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: PinciteServer, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        ls.session.documents.change(document.uri, params.content_changes, document.version)
        ls.report_change(document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: PinciteServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.session.documents.close(params.text_document.uri)
        ls.report_change(params.text_document.uri)


def _follow_workspace(server: PinciteServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(
        ls: PinciteServer, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        removed = {path_of(folder.uri) for folder in params.event.removed}
        folders = [folder for folder in ls.session.folders if folder not in removed]
        folders += [path_of(folder.uri) for folder in params.event.added]
        _set_folders(ls.session, folders)
        ls.watching.follow()
        ls.report_change()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(ls: PinciteServer, params: types.DidChangeWatchedFilesParams) -> None:
        ls.watching.changed(change.uri for change in params.changes)


def _set_folders(session: Session, folders: list[Path]) -> None:
    # The root of the file system is no project.
    absolute = (folder for folder in folders if folder.is_absolute() and folder != folder.parent)
    session.folders = tuple(dict.fromkeys(absolute))
    session.documents.set_home(session.folders[0] if session.folders else None)


def _load() -> None:
    """Import what the first request needs."""
    from ..project import builder, global_library, workspace  # noqa: F401


async def _look_while_idle(server: PinciteServer) -> None:
    """Look for changes that no client reports, also while no request comes."""
    while not server.session.stopped:
        await asyncio.sleep(_IDLE_LOOK_SECONDS)
        server.session.look()


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


def serve(socket_path: Path | None = None) -> NoReturn:
    """Serve on stdio, or on a Unix socket that only this user can open, until the client leaves."""
    keep_one_heap()
    log.begin()
    # There is nothing to clean up, and pygls would wait for another line on stdin.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A request passes from the event loop to a thread and back. While papers are read, each step
    # may wait this long for the interpreter lock.
    sys.setswitchinterval(_SWITCHING_SECONDS)
    collect_rarely()
    server = create_server()
    # `exit` raises `SystemExit`.
    with suppress(SystemExit):
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
    server.protocol.set_writer(Writer(writer, lambda: _end(server)))
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
            server.protocol.refuse(None, JsonRpcParseError(str(error)))
            read = read_next
            continue
        if body is None:
            break
        read = read_message
        server.protocol.handle_body(body)
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
