"""File watching: the client reports files that change on disk.

Looks in the background notice changes that no client reports (`Session.look`); a client that
watches files makes changes visible at once, even those that keep time and size. Bibliographies
outside the workspace are watched by name, and for a symbolic link both the link and its target.
"""

from __future__ import annotations

import os
import re
from itertools import count, filterfalse
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..parsing.markups import MARKUPS
from ..parsing.paths import is_virtual
from .documents import place_of

if TYPE_CHECKING:
    from .client_files import ClientFiles
    from .language_server import PinciteServer

_METHOD = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
_DRAFTS = (each for markup in MARKUPS for each in (*markup.suffixes, *markup.languages.values()))
#: Bibliographies, drafts with the settings of their projects, and papers. Case counts in patterns.
_INSIDE = "**/*.{{bib,{},yml,yaml,pdf,txt,text,xml,nxml,tei,json}}".format(
    ",".join(dict.fromkeys(suffix[1:] for suffix in _DRAFTS if suffix))
)
#: Special characters of the protocol's patterns, which cannot be escaped.
_SPECIAL = re.compile(r"[*?{}\[\],]")


class Watching:
    """The files that the client was asked to watch; used by the event loop only."""

    def __init__(self, server: PinciteServer, client_files: ClientFiles) -> None:
        self._server = server
        self._client_files = client_files
        self._numbers = count(1)
        #: The bibliographies in use when the watchers were last updated.
        self._followed: frozenset[Path] = frozenset()
        self._outside: frozenset[Path] = frozenset()
        self._registered: str | None = None

    def begin(self) -> None:
        """Ask the client to watch the workspace, and the bibliographies outside it."""
        if self._server.session.client.watches_files:
            self._register([types.FileSystemWatcher(_INSIDE)])
            self.follow()

    def follow_new(self) -> None:
        """Update the watchers if other bibliographies are in use."""
        if self._server.session.bibliographies() != self._followed:
            self.follow()

    def follow(self) -> None:
        """Update the watchers to the bibliographies in use."""
        session = self._server.session
        self._followed = session.bibliographies()
        on_disk = [*filterfalse(is_virtual, self._followed)]
        # A folder may itself be reached through a link.
        folders = {*session.folders, *map(_target, session.folders)}
        files = {*on_disk, *map(_target, on_disk)}
        outside = frozenset(path for path in files if not any(map(path.is_relative_to, folders)))
        if not session.client.watches_outside or outside == self._outside:
            return
        before, self._outside, self._registered = self._registered, outside, None
        if outside:
            # Watching the name within the folder also catches a file that is moved there.
            patterns = (
                (path.parent.as_uri(), _SPECIAL.sub("?", path.name)) for path in sorted(outside)
            )
            watched = (types.RelativePattern(*pattern) for pattern in patterns)
            self._registered = self._register([types.FileSystemWatcher(each) for each in watched])
        # Unregister only after registering, so that no change is missed.
        if before is not None:
            params = types.UnregistrationParams([types.Unregistration(before, _METHOD)])
            self._server.connection.request(types.CLIENT_UNREGISTER_CAPABILITY, params)

    def changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Note that files may have changed."""
        paths = {place_of(change.uri) for change in params.changes}
        for path in paths:
            self._client_files.look_again(path)
        linked = {path for path in self._followed if _target(path) in paths}
        self._server.session.changed_on_disk(paths | linked)
        self._server.session.on_change()

    def _register(self, watchers: list[types.FileSystemWatcher]) -> str:
        name = f"pincite-files-{next(self._numbers)}"
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        self._server.follow(name, _METHOD, options)
        return name


def _target(path: Path) -> Path:
    """Return what a path leads to, through symbolic links."""
    return Path(os.path.realpath(path))
