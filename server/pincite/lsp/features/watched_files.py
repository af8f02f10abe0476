"""``workspace/didChangeWatchedFiles``: the client reports files that changed on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Follow ``workspace/didChangeWatchedFiles``."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(
        ls: PinciteServer, params: types.DidChangeWatchedFilesParams
    ) -> None:
        ls.watching.changed(change.uri for change in params.changes)
