"""Files that only the client can read: those beside documents of other file systems.

A draft is read at once with the files known so far. Others that it needs are requested, and once
all of them have arrived, it is read again.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ..model.problems import InputError
from ..parsing.disk import SKIPPED_FOLDERS, Listed
from ..parsing.encoding import Decoded, decoded, require_text
from ..parsing.paths import is_virtual
from . import wire
from .documents import system_of, uri_of
from .jsonrpc import RequestError

if TYPE_CHECKING:
    from .language_server import PinciteServer

_READ: Final = "pincite/readFile"
_LIST: Final = "pincite/readFolder"
#: The file system may be on the network.
_AT_ONCE: Final = 4
_SECONDS: Final = 60.0
#: The shortest time between two full readings.
_PAUSE_SECONDS: Final = 5.0
#: A repository may have any number of folders and drafts.
_MAX_FOLDERS: Final = 100
_MAX_NAMES: Final = 1_000
_MAX_FILES: Final = 200
_MAX_CHARACTERS: Final = 100_000_000


class ClientFiles:
    """Asks the client for files and folders; used by the event loop only."""

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        self._documents = server.session.documents
        self._turns = asyncio.Semaphore(_AT_ONCE)
        #: What the client is being asked for, and what has changed since everything had arrived.
        self._asked: set[Path] = set()
        self._changed: set[Path] = set()
        self._outdated: set[Path] = set()
        self._is_refreshing = False
        # Called by the threads that read drafts.
        server.session.want = lambda path, is_folder: server.on_loop(
            partial(self._want, path, is_folder)
        )

    def hide_problems(self, path: Path) -> bool:
        """Return whether what a draft names may be there all the same, as it is not read yet."""
        is_listed = self._documents.now.has_folder(path.parent)
        return is_virtual(path) and (bool(self._unread()) or not is_listed)

    def look_again(self, path: Path) -> None:
        """Read the file system of a document again, soon: something in it may have changed."""
        if not is_virtual(path):
            return
        systems = self._open_systems()
        self._documents.keep_read(systems)
        self._outdated |= {system_of(path)} & systems
        if self._outdated and not self._is_refreshing:
            self._is_refreshing = True
            self._server.start(self._refresh())

    async def _refresh(self) -> None:
        while self._outdated:
            systems, self._outdated = self._outdated, set()
            now = self._documents.now
            for path in (*now.listed, *now.read):
                if system_of(path) in systems and path not in now.documents:
                    self._ask(path, path in now.listed)
            await asyncio.sleep(_PAUSE_SECONDS)
        self._is_refreshing = False

    def _open_systems(self) -> set[Path]:
        return {system_of(path) for path in self._documents.now.documents if is_virtual(path)}

    def _want(self, path: Path, is_folder: bool) -> None:
        now = self._documents.now
        known, most = (now.listed, _MAX_FOLDERS) if is_folder else (now.read, _MAX_FILES)
        if path in known or len(known) + len(self._unread()) >= most:
            return
        if sum(len(found.text) for found in now.read.values() if found) < _MAX_CHARACTERS:
            self._ask(path, is_folder)

    def _unread(self) -> set[Path]:
        """Return what is asked for, and was not read before."""
        return self._asked - self._documents.now.read.keys() - self._documents.now.listed.keys()

    def _ask(self, path: Path, is_folder: bool) -> None:
        is_stored = not uri_of(path).startswith("untitled:")
        if self._server.session.client.reads_files and is_stored and path not in self._asked:
            self._asked.add(path)
            self._server.start(self._read(path, is_folder))

    async def _read(self, path: Path, is_folder: bool) -> None:
        method, params = _LIST if is_folder else _READ, {"uri": uri_of(path)}
        answer, stays = None, False
        try:
            async with self._turns:
                asked = self._server.connection.request(method, params)
                answer = await asyncio.wait_for(asked, _SECONDS)
        except (RequestError, asyncio.TimeoutError):
            # What was read before stays in use while the network is down.
            stays = path not in self._unread()
        found = await asyncio.to_thread(_listed if is_folder else _decoded, answer)
        self._asked.discard(path)
        is_open = system_of(path) in self._open_systems()
        if is_open and not stays and self._documents.take(path, found, is_folder=is_folder):
            self._changed.add(path)
        if not self._asked and self._changed:
            self._read_again()

    def _read_again(self) -> None:
        session, changed = self._server.session, self._changed
        self._changed = set()
        session.changed_on_disk(changed)
        session.on_change()
        for path in filter(is_virtual, self._documents.now.documents):
            if self._documents.now.may_cite(path):
                self._server.start(self._server.answer_unasked(session.prepare, path))


def _decoded(answer: object) -> Decoded | None:
    """Return the text of a file from a client's answer; None if it is not text."""
    try:
        data = msgspec.convert(answer, wire.ClientFile).base64
        require_text(data, Path())
    except (msgspec.ValidationError, InputError):
        return None
    return decoded(data)


def _listed(answer: object) -> Listed | None:
    """Return the content of a folder as a client has answered, without hidden names."""
    try:
        read = msgspec.convert(answer, wire.ClientFolder)
    except msgspec.ValidationError:
        return None

    def names(given: list[str]) -> list[str]:
        own = (name for name in given if name and name[0] != "." and not set(name) & set("/\\\0"))
        return sorted(own)[:_MAX_NAMES]

    folders = (name for name in names(read.folders) if name not in SKIPPED_FOLDERS)
    return Listed(tuple(folders), tuple(names(read.files)))
