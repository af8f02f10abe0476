"""Find works that a draft lacks on the network, for a client that shows what is sent.

Nothing is sent except by a request with the plan that the author has seen, and only while the plan
is still the same; or with the words for a search, which needs the setting ``searchLiterature``. The
setting ``enrich`` forbids both.
"""

from __future__ import annotations

from collections.abc import Callable

from ...discovery.neighbours import neighbours_path
from ...edits.bibtex_entries import bibtex_entry
from ...enrichment.sources import SEARCHED
from ...library.index import default_index_path
from ...model.problems import InputError
from ...project.discovering import plan as plan_for
from ...project.discovering import run, words_for
from ...project.discovering import searched as search
from .. import wire
from ..session import Document, Project
from .keys import place_at
from .library import sent, shared, why_not_fetched
from .requests import discovered_work

#: Fields that name where a work appeared.
_VENUES = ("journal", "booktitle", "publisher", "school")


def planned(here: Document) -> wire.Json | None:
    """Return what would be sent to find works around those that a document's draft cites."""
    opened = here.opened()
    if opened is None:
        return None
    found, email = plan_for(opened.draft, opened.bibliography), here.project.settings.email
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
    here: Document, plan: str, *, progress: Callable[[int, int], None]
) -> wire.Json | None:
    """Find works around the draft's, if what would be sent is what the author has agreed to."""
    if (problem := why_not_fetched(here.project)) is not None:
        raise InputError(problem)
    opened = here.opened()
    if opened is None:
        return None
    found, email = plan_for(opened.draft, opened.bibliography), here.project.settings.email
    if found.name(email) != plan:
        return wire.answer(changed=True, works=0)
    done = run(found, neighbours_path(default_index_path(), opened.draft.root), email, progress)
    return wire.answer(
        changed=False, works=done.works, unknown=done.unknown, problem=done.ended or None
    )


def proposed(here: Document, offset: int) -> wire.Json | None:
    """Return rare words of the sentence at a place, and to whom a search would send them."""
    opened = here.opened()
    if opened is None:
        return None
    context = opened.context(place_at(opened.file, offset).span.start)
    email = here.project.settings.email
    return wire.answer(
        words=words_for(opened.draft, context.citance),
        sent=[shared(source, email) for source in SEARCHED.values()],
        email=email or None,
        problem=_why_not_searched(here.project),
    )


def searched(
    here: Document, offset: int, words: str, limit: int = wire.MAX_WORKS
) -> wire.Json | None:
    """Send words to services; return what they find and the author lacks, ranked for a place."""
    if (problem := _why_not_searched(here.project)) is not None:
        raise InputError(problem)
    opened = here.opened()
    if opened is None:
        return None
    email = here.project.settings.email
    global_library = here.project.global_library.bibliography
    library = global_library.entries.values() if global_library is not None else ()
    found, failures = search(opened, words, SEARCHED.values(), email, library)
    context = opened.context(place_at(opened.file, offset).span.start)
    items = []
    for ranked in found.ranked(context, max(limit, 0)):
        entry = found.entry(ranked.key)
        assert entry is not None  # it was just named
        more = {
            "venue": next((entry.fields[each] for each in _VENUES if each in entry.fields), None),
            "bibtex": bibtex_entry(entry, protects_capitals=True),
        }
        items.append(discovered_work(found, context, ranked, **more))
    return wire.answer(items=items, failures=list(failures.values()))


def _why_not_searched(project: Project) -> str | None:
    if not project.settings.search_literature:
        return "The setting `pincite.searchLiterature` is off: nothing is sent."
    return why_not_fetched(project)
