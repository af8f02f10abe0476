"""Parameters of our own requests and commands, and the form of our answers.

docs/protocol.md describes both for clients; a test compares it with this module and with answers.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from lsprotocol import types

from .jsonrpc import CONVERTER, INVALID_PARAMS, RequestError

#: Default number of works in an answer.
MAX_WORKS = 30

FindingKind = Literal[
    "undefined-key", "placeholder", "weak-support", "missing-citation", "title-only"
]
ReportFormat = Literal["html", "markdown"]
#: An answer, or a part of one.
Json = dict[str, Any]
#: LSP's largest `uinteger`.
_MAX_NUMBER: Final = 2**31 - 1
_Token = int | str | None
_UNDERSCORE = re.compile(r"_([a-z])")
_Read = TypeVar("_Read")


class Params(msgspec.Struct, frozen=True, rename="camel"):
    """Parameters; on the wire, names are in camel case."""


class InitializeParams(Params, frozen=True):
    """The parameters of ``initialize``, as far as we use them; its capabilities are JSON."""

    capabilities: dict[str, Any]
    process_id: int | None = None
    root_uri: str | None = None
    workspace_folders: list[types.WorkspaceFolder] | None = None
    initialization_options: Any = None


class RecommendationsParams(Params, frozen=True):
    """`supporting` is the number of works, from the first, that get supporting sentences.

    With `typed` text, the works are those that it finds by key, author, title or year. With
    `only`, they are all of the author's Zotero.
    """

    text_document: types.TextDocumentIdentifier
    position: types.Position
    limit: int = MAX_WORKS
    supporting: int = 0
    typed: str = ""
    only: Literal["zotero"] | None = None


class EvidenceParams(Params, frozen=True):
    """A `key`, which may be that of any entry, limits the request to its work."""

    text_document: types.TextDocumentIdentifier
    position: types.Position
    key: str | None = None


class StatusParams(Params, frozen=True):
    """Without a document, the request is about all open ones."""

    text_document: types.TextDocumentIdentifier | None = None


class LibraryParams(Params, frozen=True):
    """`base_folders` are looked into besides those of the setting, to see what they would mend."""

    text_document: types.TextDocumentIdentifier
    base_folders: tuple[str, ...] = ()


class CheckParams(Params, frozen=True):
    """Without `kinds`, for all kinds of findings. With `report`, the answer has one."""

    text_document: types.TextDocumentIdentifier
    kinds: tuple[FindingKind, ...] | None = None
    report: ReportFormat | None = None
    work_done_token: _Token = None


class MissingParams(Params, frozen=True):
    """The document of the draft."""

    text_document: types.TextDocumentIdentifier


class FetchParams(Params, frozen=True):
    """The `plan` is the one that the author has agreed to."""

    text_document: types.TextDocumentIdentifier
    plan: str
    work_done_token: _Token = None


class RecommendArguments(Params, frozen=True):
    """The argument of ``pincite.recommend``."""

    uri: str
    position: types.Position
    limit: int = MAX_WORKS
    supporting: int = 0


class EvidenceArguments(Params, frozen=True):
    """The argument of ``pincite.evidence``."""

    uri: str
    position: types.Position
    key: str | None = None


class ReindexArguments(Params, frozen=True):
    """The argument of ``pincite.reindex``; without a URI it reindexes all open drafts."""

    uri: str | None = None


class InsertCitationArguments(Params, frozen=True):
    """The argument of ``pincite.insertCitation``; the key may replace one that stands there."""

    uri: str
    position: types.Position
    key: str
    replaces: str | None = None


class PinCitationArguments(Params, frozen=True):
    """The argument of ``pincite.pinCitation``; `page_label`, the printed page, takes precedence."""

    uri: str
    position: types.Position
    key: str
    page: Annotated[int, msgspec.Meta(ge=1)]
    page_label: str | None = None


_PARAMS: dict[str, type[Params]] = {
    "initialize": InitializeParams,
    "pincite/recommendations": RecommendationsParams,
    "pincite/evidence": EvidenceParams,
    "pincite/status": StatusParams,
    "pincite/library": LibraryParams,
    "pincite/check": CheckParams,
    "pincite/missing": MissingParams,
    "pincite/fetch": FetchParams,
}


def decode(method: str, sent: object) -> Any:  # noqa: ANN401 - each method has its own
    """Return the parameters of a method; raise `RequestError` if they are wrong."""
    if method in _PARAMS:
        return read(_PARAMS[method], {} if sent is None and method == "pincite/status" else sent)
    kind: Any = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
    if kind is None:
        return sent
    if method == types.TEXT_DOCUMENT_DID_CHANGE:
        _clamp_positions(sent)
    try:
        return CONVERTER.structure(sent, kind)
    except Exception as error:
        raise RequestError(f"Invalid params: {error}", INVALID_PARAMS) from None


def read(kind: type[_Read], sent: object) -> _Read:
    """Return parameters as their type; raise `RequestError` with what is wrong."""
    if not isinstance(sent, dict):
        raise RequestError("Invalid params: an object is expected", INVALID_PARAMS)
    try:
        return msgspec.convert(sent, kind)
    except msgspec.ValidationError as error:
        raise RequestError(f"Invalid params: {error}", INVALID_PARAMS) from None


def answer(**values: object) -> Json:
    """Return an object of an answer: in camel case, and without what has no value."""
    return {
        _UNDERSCORE.sub(lambda found: found[1].upper(), name): value
        for name, value in values.items()
        if value is not None
    }


def _clamp_positions(params: object) -> None:
    """Clamp the numbers of an edit: one beyond LSP's largest would lose the whole edit.

    By the protocol, a position past the end of a line means its end.
    """
    changes = params.get("contentChanges") if isinstance(params, dict) else None
    for change in changes if isinstance(changes, list) else ():
        span = change.get("range") if isinstance(change, dict) else None
        for position in span.values() if isinstance(span, dict) else ():
            for name, number in position.items() if isinstance(position, dict) else ():
                if isinstance(number, int):
                    position[name] = max(0, min(number, _MAX_NUMBER))
