"""Files that change on disk, as far as the client tells of them.

Every request looks at the time stamps of the draft's files, and a poll behind the requests at the
library folders, so that nothing depends on this; but what was read before is brought up to date
sooner, and a change that leaves time and size as they were is seen. Bibliographies outside of the
workspace are watched by name, and of a symbolic link both the link and the file that it leads to.
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
        """Watch what `session` rests on; `tell_changed` is called when some of it has changed."""
        self._client = client
        self._session = session
        self._tell_changed = tell_changed
        self._numbers = count(1)
        self._outside: frozenset[Path] = frozenset()
        self._registered: str | None = None
        #: The links that lead to a file, as it is called in events.
        self._links: dict[Path, set[Path]] = {}

    def begin(self) -> None:
        """Ask the client to tell when files of the workspace change, and those outside by now."""
        if self._dynamic is not None:
            self._register([types.FileSystemWatcher(_INSIDE)])
            self.follow()

    def follow(self) -> None:
        """Watch the bibliographies that are read by now; those read no more are let go."""
        session, dynamic = self._session, self._dynamic
        files, links = _with_destinations(session.bibliographies())
        self._links = links
        # A folder may itself be known by a link.
        folders = {*session.folders, *(folder.resolve() for folder in session.folders)}
        outside = frozenset(path for path in files if not any(map(path.is_relative_to, folders)))
        if dynamic is None or not dynamic.relative_pattern_support or outside == self._outside:
            return
        before, self._outside, self._registered = self._registered, outside, None
        if outside:
            self._registered = self._register([_watcher(path) for path in sorted(outside)])
        # Only now, so that no change falls between the two.
        if before is not None:
            gone = types.Unregistration(before, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
            self._client.client_unregister_capability(types.UnregistrationParams([gone]))

    def changed(self, uris: Iterable[str]) -> None:
        """Note that files may have changed."""
        paths = {path_of(uri) for uri in uris}
        paths.update(*(self._links.get(path, ()) for path in tuple(paths)))
        self._session.changed_on_disk(paths)
        # A link may lead elsewhere by now.
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
    """Return files with those that they lead to, and the links to each of the latter."""
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
    # A folder that is watched for the name sees a file that is moved there, too.
    pattern = _SPECIAL.sub("?", path.name)
    return types.FileSystemWatcher(types.RelativePattern(path.parent.as_uri(), pattern))
