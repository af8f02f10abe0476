"""Find works around those of a draft on the network, for a client that shows what is sent.

Nothing is sent but by a request with the plan that the author has seen, and only while the plan is
still the same. The setting ``enrich`` forbids it.
"""

from __future__ import annotations

from collections.abc import Callable

from ...discovery.neighbours import neighbours_path
from ...library.index import default_index_path
from ...model.problems import InputError
from ...project.discovering import plan, run
from .. import wire
from ..session import Document
from .library import sent, why_not_fetched


def planned(here: Document) -> wire.Json | None:
    """Return what would be sent to find works around those that a document's draft cites."""
    opened = here.opened()
    if opened is None:
        return None
    found, email = plan(opened.draft, opened.bibliography), here.project.settings.email
    return wire.answer(
        draft=opened.draft.root.name,
        plan=found.name(email),
        entries=len(found.entries),
        unidentified=found.unidentified,
        requests=found.requests,
        sent=sent(found.sent, email),
        email=email or None,
        problem=why_not_fetched(here.project),
    )


def discovered(
    here: Document, agreed: str, progress: Callable[[int, int], None]
) -> wire.Json | None:
    """Find works around the draft's, if what would be sent is what the author has agreed to."""
    if (problem := why_not_fetched(here.project)) is not None:
        raise InputError(problem)
    opened = here.opened()
    if opened is None:
        return None
    found, email = plan(opened.draft, opened.bibliography), here.project.settings.email
    if found.name(email) != agreed:
        return wire.answer(changed=True, works=0)
    done = run(found, neighbours_path(default_index_path(), opened.draft.root), email, progress)
    return wire.answer(
        changed=False, works=done.works, unknown=done.unknown, problem=done.ended or None
    )
