"""Our own requests and commands as JSON; the form of all of them: docs/reference/protocol.md.

Their parameters are those of the function in ``features/`` that answers them, in camel case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_type_hints

import msgspec
from lsprotocol import types

from .jsonrpc import CONVERTER, INVALID_PARAMS, RequestError

if TYPE_CHECKING:
    from ..checking.verdicts import Verdict
    from .documents import Lines

#: Default number of works in an answer.
MAX_WORKS = 30

#: An answer, or a part of one.
Json = dict[str, Any]
#: LSP's largest `uinteger`.
_MAX_NUMBER: Final = 2**31 - 1
_UNDERSCORE = re.compile(r"_([a-z])")
_Kind = TypeVar("_Kind")


class Params(msgspec.Struct, rename="camel"):
    """Parameters; on the wire, names are in camel case."""


class InitializeParams(Params):
    """The parameters of ``initialize``, as far as we use them; its capabilities are JSON."""

    capabilities: dict[str, Any]
    process_id: int | None = None
    root_uri: str | None = None
    workspace_folders: list[types.WorkspaceFolder] | None = None
    initialization_options: Any = None


class ClientFile(Params):
    """What a client answers to ``pincite/readFile``; null where there is no such file."""

    base64: bytes


class ClientFolder(Params):
    """What a client answers to ``pincite/readFolder``: names; null where there is no folder."""

    folders: list[str]
    files: list[str]


class StatusParams(Params):
    """The parameters of ``pincite/status``; without a document, it is about all open ones."""

    text_document: types.TextDocumentIdentifier | None = None


class DocumentParams(Params):
    """The parameters that all other requests have, besides their own."""

    text_document: types.TextDocumentIdentifier
    work_done_token: int | str | None = None


class DocumentArguments(Params):
    """The argument that all commands have, besides their own."""

    uri: str


class ReindexArguments(Params):
    """The argument of ``pincite.reindex``; without a URI it reindexes all open drafts."""

    uri: str | None = None


#: The names that parameters have on the wire, where functions call them something else.
_NAMES = {"offset": "position", "asked": "range"}


@cache
def params_of(function: Callable[..., Any]) -> type[msgspec.Struct]:
    """Return what a client sends for a function of a document."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, each in _sent(function).items():
        default = () if each.default is Parameter.empty else (each.default,)
        place = types.Position | None if default else types.Position
        hint = place if name == "offset" else hints[name]
        fields.append((_NAMES.get(name, name), hint, *default))
    return msgspec.defstruct("Sent", fields, rename="camel")


def arguments(function: Callable[..., Any], sent: object, lines: Lines) -> dict[str, Any]:
    """Return the arguments of a function of a document, with positions as offsets in its lines."""
    if isinstance(sent, dict):
        sent = convert(sent, params_of(function))
    given = {name: getattr(sent, _NAMES.get(name, name)) for name in _sent(function)}
    return {
        name: lines.offset(value) if isinstance(value, types.Position) else value
        for name, value in given.items()
    }


def _sent(function: Callable[..., Any]) -> dict[str, Parameter]:
    _document, *others = signature(function).parameters.items()
    return {name: each for name, each in others if name != "progress"}


def convert(sent: object, kind: type[_Kind]) -> _Kind:
    """Return JSON as an object; raise `RequestError` if it is wrong."""
    if not isinstance(sent, dict):
        raise RequestError("Invalid params: an object is expected", INVALID_PARAMS)
    try:
        return msgspec.convert(sent, kind)
    except msgspec.ValidationError as error:
        raise RequestError(f"Invalid params: {error}", INVALID_PARAMS) from None


def decode(method: str, sent: object) -> Any:  # noqa: ANN401 - each method has its own
    """Return the parameters of a method: of ours as JSON, which its function decodes."""
    if method.startswith("pincite/"):
        sent = {} if sent is None and method == "pincite/status" else sent
        return convert(sent, dict)
    if method == types.INITIALIZE:
        return convert(sent, InitializeParams)
    if method == types.TEXT_DOCUMENT_DID_CHANGE:
        _clamp_positions(sent)
    kind: Any = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
    try:
        return sent if kind is None else CONVERTER.structure(sent, kind)
    except Exception as error:
        raise RequestError(f"Invalid params: {error}", INVALID_PARAMS) from None


def answer(of: object = None, names: str = "", /, **values: object) -> Json:
    """Return an object of an answer: in camel case, and without what has no value.

    It has the attributes `names` of an object, and other values.
    """
    found = {name: getattr(of, name) for name in names.split()} | values
    return {
        _UNDERSCORE.sub(lambda match: match[1].upper(), name): value
        for name, value in found.items()
        if value is not None
    }


def verdict(found: Verdict) -> Json:
    """Return a verdict on a citation, with its words."""
    numbers = [answer(one, "written status", place=one.place or None) for one in found.numbers]
    text = str(found)
    return answer(found, "kind strength sentences reason", text=text, numbers=numbers or None)


def _clamp_positions(params: object) -> None:
    """Clamp the numbers of an edit: one beyond LSP's largest would lose the whole edit."""
    changes = params.get("contentChanges") if isinstance(params, dict) else None
    for change in changes if isinstance(changes, list) else ():
        span = change.get("range") if isinstance(change, dict) else None
        for position in span.values() if isinstance(span, dict) else ():
            for name, number in position.items() if isinstance(position, dict) else ():
                if isinstance(number, int):
                    position[name] = max(0, min(number, _MAX_NUMBER))
