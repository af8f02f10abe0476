"""Parameters of our own requests and commands, form of answers: docs/reference/protocol.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import msgspec
from lsprotocol import types

from .jsonrpc import CONVERTER, INVALID_PARAMS, RequestError

if TYPE_CHECKING:
    from ..checking.verdicts import Verdict

#: Default number of works in an answer.
MAX_WORKS = 30
#: Works that are added at once.
MAX_ADDED = 100

FindingKind = Literal[
    "undefined-key",
    "placeholder",
    "weak-support",
    "missing-citation",
    "title-only",
    "retracted",
    "wrong-identifier",
    "not-found",
    "published",
    "entry-differs",
]
ReportFormat = Literal["html", "markdown"]
Fetchable = Literal["abstracts", "citing", "references"]
#: An answer, or a part of one.
Json = dict[str, Any]
#: LSP's largest `uinteger`.
_MAX_NUMBER: Final = 2**31 - 1
_Token = int | str | None
_UNDERSCORE = re.compile(r"_([a-z])")
_Read = TypeVar("_Read")


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
    """Without a document, the request is about all open ones."""

    text_document: types.TextDocumentIdentifier | None = None


class DocumentParams(Params):
    """The document of the draft."""

    text_document: types.TextDocumentIdentifier


class MissingParams(DocumentParams):
    """`only` limits what is looked for: abstracts and citing sentences by default."""

    only: Fetchable | None = None


class RecommendationsParams(DocumentParams):
    """`supporting` is the number of works, from the first, that get supporting sentences.

    With `typed` text, the works are those that it finds by key, author, title or year. With
    `only`, they are all of the author's Zotero, or works that the author does not have. With
    `newest`, those that the author added last come first.
    """

    position: types.Position
    limit: int = MAX_WORKS
    supporting: int = 0
    typed: str = ""
    only: Literal["zotero", "discovered"] | None = None
    newest: bool = False


class EvidenceParams(DocumentParams):
    """A `key`, which may be that of any entry, limits the request to its work."""

    position: types.Position
    key: str | None = None


class LibraryParams(DocumentParams):
    """`base_folders` are looked into besides those of the setting, to see what they would mend."""

    base_folders: tuple[str, ...] = ()


class MergingParams(DocumentParams):
    """With `aliases`, keys that go stay as aliases, for biber."""

    aliases: bool = False


class CheckParams(DocumentParams):
    """Without `kinds`, for all kinds of findings. With `report`, the answer has one."""

    kinds: tuple[FindingKind, ...] | None = None
    report: ReportFormat | None = None
    work_done_token: _Token = None


class DecidedFinding(Params):
    """What a decision is about, as the answer to ``pincite/check`` has it."""

    id: str
    kind: FindingKind
    key: str
    work: str
    about: str


class DecideParams(DocumentParams):
    """Findings that the author has accepted, with a `note`, or accepts no longer."""

    findings: tuple[DecidedFinding, ...]
    accepted: bool = True
    note: str = ""


class FetchParams(DocumentParams):
    """The `plan` is the one that the author has agreed to, for the same `only`."""

    plan: str
    only: Fetchable | None = None
    work_done_token: _Token = None


class DiscoverParams(DocumentParams):
    """The `plan` is the one that the author has agreed to."""

    plan: str
    work_done_token: _Token = None


class LiteratureParams(DocumentParams):
    """The place for which works are searched for."""

    position: types.Position


class SearchLiteratureParams(LiteratureParams):
    """The `words` are those that the author has seen, and agreed to send."""

    words: str
    limit: int = MAX_WORKS


class FindWorkParams(DocumentParams):
    """A `text` naming a work, or the URI of a paper; services are asked for an agreed `plan`."""

    text: str | None = None
    file: str | None = None
    plan: str | None = None


class AddWorkParams(DocumentParams):
    """The `entries` that were found; the first is cited where a key is typed at a position."""

    entries: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MAX_ADDED)]
    position: types.Position | None = None


class ReindexArguments(Params):
    """The argument of ``pincite.reindex``; without a URI it reindexes all open drafts."""

    uri: str | None = None


class EvidenceArguments(Params):
    """The argument of ``pincite.evidence``."""

    uri: str
    position: types.Position
    key: str | None = None


class RecommendArguments(Params):
    """The argument of ``pincite.recommend``."""

    uri: str
    position: types.Position
    limit: int = MAX_WORKS
    supporting: int = 0


class InsertCitationArguments(Params):
    """The argument of ``pincite.insertCitation``; the key may replace one that stands there.

    With an `entry`, which the same edit adds, that entry's key is cited.
    """

    uri: str
    position: types.Position
    key: str
    replaces: str | None = None
    entry: str | None = None


class PinCitationArguments(Params):
    """The argument of ``pincite.pinCitation``; `page_label`, the printed page, takes precedence."""

    uri: str
    position: types.Position
    key: str
    page: Annotated[int, msgspec.Meta(ge=1)]
    page_label: str | None = None


class CreateBibliographyArguments(Params):
    """The argument of ``pincite.createBibliography``."""

    uri: str


class NameBibliographyArguments(Params):
    """The argument of ``pincite.nameBibliography``; the path is absolute."""

    uri: str
    path: str


PARAMS: dict[str, type[Params]] = {
    "initialize": InitializeParams,
    "pincite/recommendations": RecommendationsParams,
    "pincite/evidence": EvidenceParams,
    "pincite/status": StatusParams,
    "pincite/library": LibraryParams,
    "pincite/check": CheckParams,
    "pincite/decide": DecideParams,
    "pincite/missing": MissingParams,
    "pincite/merging": MergingParams,
    "pincite/fetch": FetchParams,
    "pincite/discovery": DocumentParams,
    "pincite/discover": DiscoverParams,
    "pincite/literature": LiteratureParams,
    "pincite/searchLiterature": SearchLiteratureParams,
    "pincite/findWork": FindWorkParams,
    "pincite/addWork": AddWorkParams,
    # Of commands.
    "pincite.recommend": RecommendArguments,
    "pincite.evidence": EvidenceArguments,
    "pincite.reindex": ReindexArguments,
    "pincite.insertCitation": InsertCitationArguments,
    "pincite.pinCitation": PinCitationArguments,
    "pincite.createBibliography": CreateBibliographyArguments,
    "pincite.nameBibliography": NameBibliographyArguments,
}


def decode(method: str, sent: object) -> Any:  # noqa: ANN401 - each method has its own
    """Return the parameters of a method or command; raise `RequestError` if they are wrong."""
    if method in PARAMS:
        sent = {} if sent is None and method == "pincite/status" else sent
        if not isinstance(sent, dict):
            raise RequestError("Invalid params: an object is expected", INVALID_PARAMS)
    elif method == types.TEXT_DOCUMENT_DID_CHANGE:
        _clamp_positions(sent)
    try:
        if method in PARAMS:
            return msgspec.convert(sent, PARAMS[method])
        kind: Any = types.METHOD_TO_TYPES[method][2] if method in types.METHOD_TO_TYPES else None
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
