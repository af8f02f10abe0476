"""``pincite/missing`` and ``pincite/fetch``: what would be sent to services, and to have it sent.

Nothing is sent but by a request with the plan that the author has seen, and only while the plan is
still the same: other entries are another plan. The setting ``enrich`` forbids it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ...model.problems import InputError
from .. import wire
from .. import wire_enrichment as messages
from ..documents import Lines
from ..language_server import PinciteServer
from ..progress import RequestProgress
from ..session import OpenDraft, Project
from ..to_proto import Locations

if TYPE_CHECKING:
    from ...enrichment.enrich import Outcome, WrongDoi
    from ...enrichment.missing import Plan

_FORBIDDEN: Final = "The setting `pincite.enrich` forbids to fetch anything."
_NOT_INSTALLED: Final = "httpx is not installed: `pip install 'pincite[enrich]'` gets it."


def register(server: PinciteServer) -> None:
    """Answer ``pincite/missing`` and ``pincite/fetch``."""

    @server.feature(wire.MISSING)
    async def shows_missing(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(messages.MissingParams, params)
        return wire.written(await ls.answer_about(missing, asked.text_document.uri))

    @server.feature(wire.FETCH)
    async def fetches(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(messages.FetchParams, params)
        if (problem := _problem(ls.session.project())) is not None:
            raise JsonRpcException(problem, types.LSPErrorCodes.RequestFailed.value)
        uri, token = asked.text_document.uri, asked.work_done_token
        try:
            with RequestProgress(ls, token, "Pincite: asking services") as progress:
                done = ls.answer_about(fetched, uri, asked.plan, progress, network=True)
                return wire.written(await done)
        finally:
            ls.fetched()


def _problem(project: Project) -> str | None:
    """Return why nothing can be fetched."""
    if project.settings.enrich == "off":
        return _FORBIDDEN
    return _NOT_INSTALLED if find_spec("httpx") is None else None


def missing(project: Project, path: Path, _lines: Lines) -> messages.Missing | None:
    """Return what is missing of the entries of a document's draft, and what would be sent."""
    opened = project.open_draft(path)
    if opened is None:
        return None
    from ...enrichment.running import name_of
    from ...enrichment.service import has_key

    plan, email = _plan(opened), project.settings.email
    return messages.Missing(
        draft=opened.draft.root.name,
        plan=name_of(plan, email),
        entries=plan.entries,
        without_abstract=plan.without_abstract,
        unanswered=plan.unanswered,
        sent=tuple(
            messages.Sent(
                each.source.name,
                each.source.address.removeprefix("https://"),
                tuple(each.dois),
                tuple(each.titles),
                has_email=bool(email) and each.source.wants_email,
                has_key=has_key(each.source),
            )
            for each in plan.sent
        ),
        email=email or None,
        problem=_problem(project),
    )


def _plan(opened: OpenDraft) -> Plan:
    from ...enrichment.missing import plan, text_is_known
    from ...enrichment.running import places, sources

    library, lent = opened.workspace.library(opened.draft), opened.workspace.lent_texts
    entries = tuple(opened.bibliography.sound_entries())
    has_text = text_is_known(library, lent(opened.draft))
    return plan(entries, has_text, sources(), places()[1])


def fetched(
    project: Project, path: Path, _lines: Lines, agreed: str, progress: RequestProgress
) -> messages.Fetched | None:
    """Fetch what is missing, if what would be sent is what the author has agreed to."""
    opened = project.open_draft(path)
    if opened is None:
        return None
    from ...enrichment.enrich import Outcome
    from ...enrichment.running import name_of, places, run, sources

    plan, (kept, answers) = _plan(opened), places()
    email = project.settings.email
    if name_of(plan, email) != agreed:
        return messages.Fetched(changed=True, found=(), wrong_dois=(), failures=())
    outcome = Outcome()
    try:
        run(plan, sources(), answers, kept, outcome, email=email, progress=progress)
    except (InputError, OSError) as error:
        # What came before is told, too.
        outcome.given_up["fetching"] = str(error)
    return _written(project, opened, outcome)


def _written(project: Project, opened: OpenDraft, outcome: Outcome) -> messages.Fetched:
    return messages.Fetched(
        changed=False,
        found=outcome.by_service(),
        wrong_dois=tuple(_wrong(project, opened, each) for each in outcome.wrong_dois),
        failures=tuple(filter(None, (*outcome.given_up.values(), outcome.not_kept))),
    )


def _wrong(project: Project, opened: OpenDraft, wrong: WrongDoi) -> messages.WrongDoi:
    entry, place = wrong.entry, opened.bibliography.place(wrong.entry)
    location = Locations(project).of(entry.path, place.key_span) if place is not None else None
    return messages.WrongDoi(entry.key, str(wrong), location)
