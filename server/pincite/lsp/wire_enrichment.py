"""What ``pincite/missing`` and ``pincite/fetch`` ask and answer; see `wire` for all others."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from ..model.health import FromService


@dataclass(frozen=True, slots=True)
class MissingParams:
    """The document whose draft is meant."""

    text_document: types.TextDocumentIdentifier


@dataclass(frozen=True, slots=True)
class FetchParams:
    """The document whose draft is meant, and the `plan` that the author has agreed to.

    Progress is reported for the `work_done_token`.
    """

    text_document: types.TextDocumentIdentifier
    plan: str
    work_done_token: int | str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What would be sent to a service, at most."""

    service: str
    host: str
    dois: tuple[str, ...]
    titles: tuple[str, ...]
    has_email: bool
    has_key: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing of a draft's entries, and what would be sent: see `enrichment.missing.Plan`.

    `plan` names what would be sent; `problem` says why nothing can be fetched. `email` is sent
    with it, as the author wishes; `Sent.has_email` says to whom, and `has_key` whether the
    author's own key goes along.
    """

    draft: str
    plan: str
    entries: int
    without_abstract: int
    unanswered: int
    sent: tuple[Sent, ...]
    email: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class WrongDoi:
    """A DOI that is not that of its entry; `entry` is the place of its key."""

    key: str
    message: str
    entry: types.Location | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched; if `changed`, the plan is another by now, and nothing was sent.

    `failures` says, for each service that did not answer, why.
    """

    changed: bool
    found: tuple[FromService, ...]
    wrong_dois: tuple[WrongDoi, ...]
    failures: tuple[str, ...]
