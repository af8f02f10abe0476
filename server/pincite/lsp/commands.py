"""Commands that clients may execute (``workspace/executeCommand``); each takes one object."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types

from ..model.problems import InputError
from . import wire
from .jsonrpc import INVALID_PARAMS, RequestError
from .language_server import PinciteServer

ADD_ENTRY = "pincite.addEntry"
_REINDEX = "pincite.reindex"
#: The functions of ``features/`` that answer, and those that make an edit.
_ASKED = {"pincite.recommend": "requests.recommendations", "pincite.evidence": "requests.evidence"}
_EDITS = {
    "pincite.insertCitation": "citing.citing_edit",
    "pincite.pinCitation": "citing.pinning_edit",
    "pincite.createBibliography": "first_bibliography.creating_edit",
    "pincite.nameBibliography": "first_bibliography.naming_edit",
}
NAMES = (ADD_ENTRY, *_ASKED, _REINDEX, *_EDITS)
_LOOK_AGAIN_SECONDS = 0.2


class Commands:
    """Executes commands; on the event loop."""

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        #: Why entries were not added, shown once while keys are completed.
        self._shown: set[str] = set()

    async def execute(self, params: types.ExecuteCommandParams) -> Any:  # noqa: ANN401 - JSON
        """Answer ``workspace/executeCommand``."""
        name, given = params.command, params.arguments or ()
        if name == ADD_ENTRY:
            return await self._add_entry(*given)
        if name not in NAMES:
            raise RequestError(f"Invalid params: command {name!r} is not defined", INVALID_PARAMS)
        if name == _REINDEX and not given:
            given = ({},)
        if len(given) != 1:
            what = f"one argument is expected, not {len(given)}"
            raise RequestError(f"Invalid params: {what}", INVALID_PARAMS)
        (sent,) = given
        if name == _REINDEX:
            return await self._reindex(wire.convert(sent, wire.ReindexArguments).uri)
        uri = wire.convert(sent, wire.DocumentArguments).uri
        if name in _ASKED:
            return await self._server.answer_about(_ASKED[name], uri, sent)
        return await self._server.make_edit(_EDITS[name], uri, sent) is not None

    async def _reindex(self, uri: str | None) -> Any:  # noqa: ANN401 - JSON
        """Read the papers of one or all open drafts again; return the status once they are read."""
        path = None if uri is None else self._server.session.documents.now.path(uri)
        if not await self._server.answer("requests.reindex", path) and uri is not None:
            raise RequestError(f"{uri} is not a draft", INVALID_PARAMS)
        # Papers are read in the background, with progress shown to the author.
        while (known := await self._server.answer("requests.status", path))["state"] == "reading":
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        return known

    async def _add_entry(self, *arguments: object) -> wire.Json | None:
        """Add an entry of the library to a bibliography, show the outcome, and return the entry."""
        match arguments:
            case ({"path": str(path), "key": str(key), **more},):
                pass
            case _:
                return None
        server, client = self._server, self._server.session.client
        await server.look_at_files()
        try:
            made = await server.answer("citing.adding_edit", Path(path), key)
            if made is None:
                return None
            if not client.applies_edits:
                raise InputError("Your editor does not let a server add to a .bib file.")
            if not await server.apply_edit(made):
                raise InputError(f"The editor did not add {key}.")
        except InputError as error:
            message = str(error)
            if not ("cited" in more and message in self._shown):
                self._shown.add(message)
                server.show_message(message, types.MessageType.Info)
            return None
        if not client.announces_added_entries:
            server.show_message(made.remark, types.MessageType.Info)
        answer: wire.Json = made.answer
        return answer
