"""What would be sent to services to fetch what is missing of a draft's entries, and to send it.

Nothing is sent but by a request with the plan that the author has seen, and only while the plan is
still the same: other entries are another plan. The setting ``enrich`` forbids it.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ...enrichment.enrich import Outcome
from ...enrichment.plans import Plan, places, plan, run, sources, text_is_known
from ...model.problems import InputError
from .. import wire
from ..documents import Lines
from ..jsonrpc import RequestError
from ..progress import RequestProgress
from ..session import OpenDraft, Project

_FORBIDDEN: Final = "The setting `pincite.enrich` forbids to fetch anything."
_NOT_INSTALLED: Final = "httpx is not installed: `pip install 'pincite[enrich]'` gets it."


def _problem(project: Project) -> str | None:
    """Return why nothing can be fetched."""
    if project.settings.enrich == "off":
        return _FORBIDDEN
    return _NOT_INSTALLED if find_spec("httpx") is None else None


def require_allowed(project: Project) -> None:
    """Raise `RequestError` if nothing can be fetched."""
    if (problem := _problem(project)) is not None:
        raise RequestError(problem)


def missing(project: Project, path: Path, _lines: Lines) -> wire.Json | None:
    """Return what is missing of the entries of a document's draft, and what would be sent."""
    opened = project.open_draft(path)
    if opened is None:
        return None
    planned, email = _plan(opened), project.settings.email
    return wire.answer(
        draft=opened.draft.root.name,
        plan=planned.name(email),
        entries=planned.entries,
        without_abstract=planned.without_abstract,
        unanswered=planned.unanswered,
        sent=[
            wire.answer(
                service=each.source.name,
                host=each.source.address.removeprefix("https://"),
                dois=each.dois,
                titles=each.titles,
                has_email=bool(email) and each.source.wants_email,
                has_key=bool(each.source.key),
            )
            for each in planned.sent
        ],
        email=email or None,
        problem=_problem(project),
    )


def _plan(opened: OpenDraft) -> Plan:
    library, fallbacks = opened.workspace.library(opened.draft), opened.workspace.fallback_texts
    entries = tuple(opened.bibliography.sound_entries())
    has_text = text_is_known(library, fallbacks(opened.draft))
    return plan(entries, has_text, sources(), places()[1])


def fetched(
    project: Project, path: Path, _lines: Lines, agreed: str, progress: RequestProgress
) -> wire.Json | None:
    """Fetch what is missing, if what would be sent is what the author has agreed to."""
    opened = project.open_draft(path)
    if opened is None:
        return None
    planned, (path, answers) = _plan(opened), places()
    email, outcome = project.settings.email, Outcome()
    changed = planned.name(email) != agreed
    if not changed:
        try:
            run(planned, sources(), answers, path, outcome, email=email, progress=progress)
        except (InputError, OSError) as error:
            # What came before is reported, too.
            outcome.given_up["fetching"] = str(error)
    wrong_dois = []
    for wrong in outcome.wrong_dois:
        place = opened.bibliography.place(wrong.entry)
        at = project.location(wrong.entry.path, place.key_span) if place is not None else None
        wrong_dois.append(wire.answer(key=wrong.entry.key, message=str(wrong), entry=at))
    return wire.answer(
        changed=changed,
        found=[wire.answer(**asdict(each)) for each in outcome.by_service()],
        wrong_dois=wrong_dois,
        failures=list(filter(None, (*outcome.given_up.values(), outcome.not_stored))),
    )
