"""Commands that clients may execute (``workspace/executeCommand``).

Each takes one object. Invalid arguments are answered with an error: unlike an author who types,
whoever executes a command expects an effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from . import wire
from .jsonrpc import INVALID_PARAMS, RequestError

if TYPE_CHECKING:
    from .language_server import PinciteServer

_LOOK_AGAIN_SECONDS = 0.2


async def recommend(server: PinciteServer, asked: wire.RecommendArguments) -> wire.Json | None:
    """Answer as ``pincite/recommendations`` does."""
    work, place = "requests.recommendations", (asked.uri, asked.position)
    found: wire.Json | None = await server.answer_about(work, *place, asked.limit, asked.supporting)
    return found


async def evidence(server: PinciteServer, asked: wire.EvidenceArguments) -> wire.Json | None:
    """Answer as ``pincite/evidence`` does."""
    place = asked.uri, asked.position
    found: wire.Json | None = await server.answer_about("requests.evidence", *place, asked.key)
    return found


async def reindex(server: PinciteServer, asked: wire.ReindexArguments) -> wire.Json | None:
    """Read the papers of one or all open drafts again; return the status once they are read."""
    path = None if asked.uri is None else server.session.documents.now.path(asked.uri)
    if not await server.answer("citing.reindex", path) and asked.uri is not None:
        raise RequestError(f"{asked.uri} is not a draft", INVALID_PARAMS)
    # Papers are read in the background, with progress shown to the author.
    while (known := await server.answer("requests.status", path))["state"] == "reading":
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    status: wire.Json = known
    return status


async def insert_citation(server: PinciteServer, asked: wire.InsertCitationArguments) -> bool:
    """Cite a work at a place, and add its entry to the bibliography; return whether it was done."""
    arguments = asked.key, asked.replaces
    return await _edit(server, asked, "citing.citing_edit", f"Cite {asked.key}", *arguments)


async def pin_citation(server: PinciteServer, asked: wire.PinCitationArguments) -> bool:
    """Add a page to the postnote of a key; return whether it was done."""
    page = asked.page_label or str(asked.page)
    return await _edit(server, asked, "citing.pinning_edit", f"Cite page {page}", asked.key, page)


async def _edit(
    server: PinciteServer,
    asked: wire.InsertCitationArguments | wire.PinCitationArguments,
    work: str,
    label: str,
    *arguments: object,
) -> bool:
    """Ask the client to make the edit that `work` returns, or refuse with the text it returns."""
    documents = server.session.documents
    if (lines := documents.now.lines(asked.uri)) is None:
        raise RequestError(f"{asked.uri} is not open", INVALID_PARAMS)
    if not server.session.client.applies_edits:
        raise RequestError("The editor does not accept edits from a server.")
    path = documents.now.path(asked.uri)
    await server.look_at_files()
    edit = await server.answer(work, path, lines, asked.position, *arguments)
    if isinstance(edit, str):
        raise RequestError(edit)
    now = documents.now.lines(asked.uri)
    if edit is None or now is None or now.text != lines.text:
        raise RequestError("The text has changed in the meantime; nothing was done.")
    return await server.apply_edit(edit, label)


async def add_entry(server: PinciteServer, shown: set[str], *arguments: object) -> Any:  # noqa: ANN401
    """Add an entry of the library to a draft's bibliography, and say so.

    Return what was added. Why nothing was is `shown` once while keys are completed, and each time
    if the entry alone was asked for.
    """
    match arguments:
        case ({"path": str(path), "key": str(key), **more},):
            pass
        case _:
            return None
    client = server.session.client
    await server.look_at_files()
    added = await server.answer("citing.addition", Path(path), key)
    message = "" if added is None else added.message
    if added is not None and added.edit is not None:
        if not client.applies_edits:
            message = "Your editor does not let a server add to a .bib file."
        elif not await server.apply_edit(added.edit, added.label):
            message = f"The editor did not add {key}."
        else:
            if not client.announces_added_entries:
                server.show_message(message, types.MessageType.Info)
            uri = server.session.documents.now.uri(added.path)
            return wire.answer(key=key, uri=uri, text=added.text)
    if message and not ("cited" in more and message in shown):
        shown.add(message)
        server.show_message(message, types.MessageType.Info)
    return None


ADD_ENTRY = "pincite.addEntry"
_COMMANDS: dict[str, tuple[type[wire.Params], Callable[..., Awaitable[Any]]]] = {
    "pincite.recommend": (wire.RecommendArguments, recommend),
    "pincite.evidence": (wire.EvidenceArguments, evidence),
    "pincite.reindex": (wire.ReindexArguments, reindex),
    "pincite.insertCitation": (wire.InsertCitationArguments, insert_citation),
    "pincite.pinCitation": (wire.PinCitationArguments, pin_citation),
}
NAMES = (ADD_ENTRY, *_COMMANDS)


def executor(server: PinciteServer) -> Callable[[types.ExecuteCommandParams], Awaitable[Any]]:
    """Return the handler of ``workspace/executeCommand``."""
    adds = partial(add_entry, server, set())

    async def execute(params: types.ExecuteCommandParams) -> Any:  # noqa: ANN401 - JSON
        name, given = params.command, params.arguments or ()
        if name == ADD_ENTRY:
            return await adds(*given)
        if name not in _COMMANDS:
            raise RequestError(f"Invalid params: command {name!r} is not defined", INVALID_PARAMS)
        if name == "pincite.reindex" and not given:
            given = ({},)
        if len(given) != 1:
            what = f"one argument is expected, not {len(given)}"
            raise RequestError(f"Invalid params: {what}", INVALID_PARAMS)
        kind, command = _COMMANDS[name]
        return await command(server, wire.read(kind, given[0]))

    return execute
