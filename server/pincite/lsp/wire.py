"""Parameters and results of our own requests, commands and notifications.

docs/protocol.md describes them for clients, and a test compares its schemas with this module. On
the wire, names are in camel case and fields that are None are omitted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union

from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.v import format_exception
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ..model.basis import Basis, TextBasis
from ..model.health import CommonFolder, FromService, LibraryCounts

RECOMMENDATIONS = "pincite/recommendations"
EVIDENCE = "pincite/evidence"
STATUS = "pincite/status"
LIBRARY = "pincite/library"
CHECK = "pincite/check"
MISSING = "pincite/missing"
FETCH = "pincite/fetch"
STATUS_CHANGED = "pincite/statusChanged"
WRONG_SETTINGS = "pincite/wrongSettings"

REQUESTS = frozenset({RECOMMENDATIONS, EVIDENCE, STATUS, LIBRARY, CHECK, MISSING, FETCH})
#: Default number of works in an answer.
MOST_WORKS = 30

FindingKind = Literal[
    "undefined-key", "placeholder", "weak-support", "missing-citation", "title-only"
]

ReportFormat = Literal["html", "markdown"]

_UNDERSCORE = re.compile(r"_([a-z])")
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Request:
    """One of our own requests, as received."""

    id: Any
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@dataclass(frozen=True, slots=True)
class RecommendationsParams:
    """`supporting` is the number of works, from the first, that get supporting sentences.

    With `typed` text, the works are those that it finds by key, author, title or year. With
    `only`, they are all of the author's Zotero.
    """

    text_document: types.TextDocumentIdentifier
    position: types.Position
    limit: int = MOST_WORKS
    supporting: int = 0
    typed: str = ""
    only: Literal["zotero"] | None = None


@dataclass(frozen=True, slots=True)
class EvidenceParams:
    """A `key`, which may be that of any entry, limits the request to its work."""

    text_document: types.TextDocumentIdentifier
    position: types.Position
    key: str | None = None


@dataclass(frozen=True, slots=True)
class StatusParams:
    """Without a document, the request is about all open ones."""

    text_document: types.TextDocumentIdentifier | None = None


@dataclass(frozen=True, slots=True)
class LibraryParams:
    """The document whose draft is meant.

    `base_folders` are looked into besides those of the setting, to learn what they would mend.
    """

    text_document: types.TextDocumentIdentifier
    base_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckParams:
    """The document whose draft is checked; without `kinds`, for all kinds of findings.

    Progress is reported for the `work_done_token`. With `report`, the answer has one.
    """

    text_document: types.TextDocumentIdentifier
    kinds: tuple[FindingKind, ...] | None = None
    report: ReportFormat | None = None
    work_done_token: int | str | None = None


@dataclass(frozen=True, slots=True)
class RecommendArguments:
    """The argument of ``pincite.recommend``."""

    uri: str
    position: types.Position
    limit: int = MOST_WORKS
    supporting: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceArguments:
    """The argument of ``pincite.evidence``."""

    uri: str
    position: types.Position
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ReindexArguments:
    """The argument of ``pincite.reindex``; without a URI it reindexes all open drafts."""

    uri: str | None = None


@dataclass(frozen=True, slots=True)
class InsertCitationArguments:
    """The argument of ``pincite.insertCitation``; the key may replace one that stands there."""

    uri: str
    position: types.Position
    key: str
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class PinCitationArguments:
    """The argument of ``pincite.pinCitation``; `page_label`, the printed page, takes precedence."""

    uri: str
    position: types.Position
    key: str
    page: int
    page_label: str | None = None

    def __post_init__(self) -> None:
        if self.page < 1:
            raise ValueError("a page is 1 or more")


@dataclass(frozen=True, slots=True)
class AddedEntry:
    """An entry of the library that was copied into a bibliography, with the `text` put in there."""

    key: str
    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Supporting:
    """A supporting sentence; `matched` are offsets into `text` in UTF-16 code units."""

    text: str
    score: float
    matched: tuple[tuple[int, int], ...]
    strength: str | None = None
    probability: float | None = None
    page: int | None = None
    page_label: str | None = None
    section: str | None = None
    highlighted: bool = False
    comment: str = ""
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """A work that is cited at a place or could be; `score` to `reason` describe its rank.

    `remark` says what the evidence lacks. `basis` is empty for a key that no bibliography has.
    `from_library` marks a work of the author's library that the draft's own bibliography lacks.
    """

    key: str
    author_year: str
    title: str
    basis: tuple[Basis, ...]
    supporting: tuple[Supporting, ...] | None = None
    remark: str | None = None
    doi: str | None = None
    file: str | None = None
    entry: types.Location | None = None
    from_library: bool = False
    score: float | None = None
    internal: float | None = None
    external: float | None = None
    matched: tuple[str, ...] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The ranked works for a place; `cited` are the keys that are already there."""

    range: types.Range
    citance: str
    placeholder: bool
    cited: tuple[str, ...]
    complete: bool
    items: tuple[Work, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The works of a citation with supporting sentences; `key` is the key at the position."""

    range: types.Range
    citance: str
    placeholder: bool
    complete: bool
    works: tuple[Work, ...]
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How many papers are read, of those that there are."""

    read: int
    papers: int


@dataclass(frozen=True, slots=True)
class Status:
    """What is known about the entries of a draft; `reading` while its papers are read."""

    state: Literal["reading", "ready"]
    entries: int
    full_texts: int
    abstracts: int
    titles: int
    broken: int
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class LibraryProblem:
    """What is wrong, and what the author can do about it; `location` where it is in a text.

    `file` is the path of the file concerned, a missing one as the entry names it.
    """

    kind: str
    what: str
    advice: str
    file: str | None = None
    location: types.Location | None = None


@dataclass(frozen=True, slots=True)
class EntryHealth:
    """What is known of an entry; `entry` is the place of its key."""

    key: str
    author_year: str
    title: str
    basis: TextBasis
    cited: bool
    problems: tuple[LibraryProblem, ...]
    file: str | None = None
    entry: types.Location | None = None
    from_zotero: bool = False
    open_access: str | None = None
    cited_by: int | None = None


@dataclass(frozen=True, slots=True)
class LibraryHealth:
    """What is known of all entries of a draft, and what is wrong; `others` belong to no entry."""

    draft: str
    complete: bool
    entries: tuple[EntryHealth, ...]
    counts: LibraryCounts
    others: tuple[LibraryProblem, ...]
    fetched: tuple[FromService, ...]
    common_folder: CommonFolder | None = None


@dataclass(frozen=True, slots=True)
class DraftFinding:
    """A finding: `line` and `column` are 1-based and count code points.

    `location` is the same place in the units of the client; `file` is relative to the draft's
    folder. `sentence` is the sentence there, without citations.
    """

    file: str
    line: int
    column: int
    kind: FindingKind
    key: str
    message: str
    excerpt: str
    sentence: str
    location: types.Location


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """What the claim check found in a draft, in reading order; `report` is its text if asked."""

    draft: str
    complete: bool
    findings: tuple[DraftFinding, ...]
    report: str | None = None


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """How many of a draft's papers are read; when `done` is 1, they are put to use, too."""

    draft: str
    done: float
    read: int
    papers: int


@dataclass(frozen=True, slots=True)
class WrongSetting:
    """A value of a setting that cannot be used, and what is wrong with it."""

    setting: str
    value: str
    problem: str


@dataclass(frozen=True, slots=True)
class WrongSettings:
    """All that is wrong with the settings as they stand; nothing once it is mended."""

    settings: tuple[WrongSetting, ...]


def read(kind: type[Read], sent: object) -> Read:
    """Return parameters as their type; raise `JsonRpcInvalidParams` with what is wrong."""
    try:
        if not isinstance(sent, Mapping):
            raise JsonRpcInvalidParams("Invalid params: an object is expected")
        return _converter().structure(sent, kind)
    except JsonRpcInvalidParams:
        raise
    except Exception as error:  # an exception group with the problems of all fields
        problems = "; ".join(transform_error(error, format_exception=_problem))
        problems = problems.replace(" @ $.", " at ").removesuffix(" @ $")
        raise JsonRpcInvalidParams(f"Invalid params: {_camel(problems)}") from None


def written(result: object) -> Any:  # noqa: ANN401 - JSON
    """Return a result as JSON."""
    return _converter().unstructure(result)


@cache
def _converter() -> Converter:
    converter = Converter()
    # By default, cattrs accepts any value as a string and "3" as a number.
    for kind in (str, int):
        converter.register_structure_hook(kind, _strict)
    # A token; ruff's form of the union is another type to cattrs.
    for union in (int | str | None, Union[int, str, None]):  # noqa: UP007
        converter.register_structure_hook(union, _token)
    converter.register_structure_hook_factory(
        is_dataclass, lambda kind: make_dict_structure_fn(kind, converter, **_names(kind))
    )
    converter.register_unstructure_hook_factory(
        is_dataclass,
        lambda kind: make_dict_unstructure_fn(
            kind, converter, _cattrs_omit_if_default=True, **_names(kind)
        ),
    )
    return converter


def _names(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    return {name: override(rename=_camel(name)) for name in (field.name for field in fields(kind))}


def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name)


def _problem(error: BaseException, kind: type | None) -> str:
    # A message from our own types is the most precise one.
    return str(error) if type(error) is ValueError else format_exception(error, kind)


def _token(value: object, _kind: object) -> object:
    if value is not None and type(value) not in (int, str):
        raise TypeError(f"{value!r} is neither a number nor a string")
    return value


def _strict(value: object, kind: type[Any]) -> object:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value
