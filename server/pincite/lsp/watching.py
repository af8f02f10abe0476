"""File watching: the client reports files that change on disk.

Polls in the background notice changes that no client reports (`project/polling.py`); a client that
watches makes them visible at once, also those that keep time and size. Bibliographies outside of
the workspace are watched by name, and of a symbolic link both the link and its target.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from .documents import path_of

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from .session import Session

#: Bibliographies, drafts and papers.
_INSIDE = "**/*.{bib,tex,ltx,pdf,md,markdown,txt,text,xml,nxml,tei,json}"
#: What has a meaning in the protocol's patterns, which know no escaping.
_SPECIAL = re.compile(r"[*?{}\[\],]")


class Watching:
    """What the client was asked to watch; used by the event loop only."""

    def __init__(
        self, client: LanguageServer, session: Session, tell_changed: Callable[[], None]
    ) -> None:
        """Watch the files that `session` reads; `tell_changed` is called when any has changed."""
        self._client = client
        self._session = session
        self._tell_changed = tell_changed
        self._numbers = count(1)
        self._outside: frozenset[Path] = frozenset()
        self._registered: str | None = None
        #: The symbolic links that lead to a file, by its path in events.
        self._links: dict[Path, set[Path]] = {}

    def begin(self) -> None:
        """Ask the client to watch the workspace, and the bibliographies outside of it."""
        if self._dynamic is not None:
            self._register([types.FileSystemWatcher(_INSIDE)])
            self.follow()

    def follow(self) -> None:
        """Watch the bibliographies that are in use, and no others."""
        session, dynamic = self._session, self._dynamic
        files, links = _with_destinations(session.bibliographies())
        self._links = links
        # A folder may itself be reached by a link.
        folders = {*session.folders, *(folder.resolve() for folder in session.folders)}
        outside = frozenset(path for path in files if not any(map(path.is_relative_to, folders)))
        if dynamic is None or not dynamic.relative_pattern_support or outside == self._outside:
            return
        before, self._outside, self._registered = self._registered, outside, None
        if outside:
            self._registered = self._register([_watcher(path) for path in sorted(outside)])
        # Only now, so that no change is missed in between.
        if before is not None:
            gone = types.Unregistration(before, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
            self._client.client_unregister_capability(types.UnregistrationParams([gone]))

    def changed(self, uris: Iterable[str]) -> None:
        """Note that files may have changed."""
        paths = {path_of(uri) for uri in uris}
        paths.update(*(self._links.get(path, ()) for path in tuple(paths)))
        self._session.changed_on_disk(paths)
        # A link may have a new target.
        self.follow()
        self._tell_changed()

    @property
    def _dynamic(self) -> types.DidChangeWatchedFilesClientCapabilities | None:
        """How the client watches, None where it cannot be asked to."""
        workspace = self._client.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        return watched if watched is not None and watched.dynamic_registration else None

    def _register(self, watchers: list[types.FileSystemWatcher]) -> str:
        name = f"pincite-files-{next(self._numbers)}"
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration(name, method, options)
        self._client.client_register_capability(types.RegistrationParams([registration]))
        return name


def _with_destinations(paths: Iterable[Path]) -> tuple[set[Path], dict[Path, set[Path]]]:
    """Return files with the targets of links among them, and the links to each target."""
    files: set[Path] = set()
    links: dict[Path, set[Path]] = {}
    for path in paths:
        files.add(path)
        try:
            destination = path.resolve()
        except (OSError, RuntimeError):  # a link that leads to itself
            continue
        if destination != path:
            files.add(destination)
            links.setdefault(destination, set()).add(path)
    return files, links


def _watcher(path: Path) -> types.FileSystemWatcher:
    # Watching the folder for the name also catches a file that is moved there.
    pattern = _SPECIAL.sub("?", path.name)
    return types.FileSystemWatcher(types.RelativePattern(path.parent.as_uri(), pattern))
