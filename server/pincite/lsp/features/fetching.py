"""What services are asked: about entries, for works around them, by words, and for a new work.

Nothing is sent except by a request with the plan that the author has seen, and only while the plan
is still the same: with other entries, it is another plan; or with the words for a search, which
needs the setting ``searchLiterature``. The setting ``enrich`` forbids all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from importlib.util import find_spec
from typing import Literal

from ...discovery.neighbours import neighbours_path
from ...edits.bibtex_entries import bibtex_entry
from ...enrichment import plans
from ...enrichment.enrich import Outcome
from ...enrichment.sources import SEARCHED, ServiceRequest
from ...library.index import default_index_path
from ...model.fetched import by_service
from ...model.problems import InputError
from ...project import discovering
from ...project.adding import WorkSearch
from .. import wire
from ..documents import path_of
from ..session import Document, OpenDraft, Project
from .citing import adding_to
from .keys import entry_location, place_at
from .library import cited_then_others
from .requests import discovered_work

#: Fields that name where a work appeared.
_VENUES = ("journal", "booktitle", "publisher", "school")
_Progress = Callable[[int, int], None]
Fetchable = Literal["abstracts", "citing", "references"]


def missing(here: Document, only: Fetchable | None = None) -> wire.Json | None:
    """Return what the entries of a document's draft lack, and what would be sent.

    `only` limits what is looked for: abstracts and citing sentences by default.
    """
    opened = here.opened()
    if opened is None:
        return None
    planned = _plan(here.project, opened, only)
    named = wire.answer(planned, "entries without_abstract unanswered")
    return named | _agreed_to(here.project, opened, planned.name, planned.requests)


def _agreed_to(
    project: Project, opened: OpenDraft, plan: str, sent: Iterable[ServiceRequest]
) -> wire.Json:
    """Return a plan with what the author agrees to by it."""
    email = project.settings.email
    return wire.answer(
        draft=opened.draft.root.name,
        plan=plan,
        sent=[_shown(replace(each, email=email), "dois titles") for each in sent],
        email=email or None,
        problem=_why_not(project),
    )


def _plan(project: Project, opened: OpenDraft, only: Fetchable | None) -> plans.EnrichmentPlan:
    email = project.settings.email
    library, fallbacks = opened.workspace.library(opened.draft), opened.workspace.fallback_texts
    entries = tuple(opened.bibliography.sound_entries())
    has_text = plans.text_is_known(library, fallbacks(opened.draft))
    asked = has_text, plans.sources()
    if only == "references":
        return plans.plan((), *asked, cited_then_others(opened), email=email)
    abstracts, citing = only != "citing", only != "abstracts"
    return plans.plan(entries, *asked, email=email, abstracts=abstracts, citing=citing)


def fetched(
    here: Document, plan: str, only: Fetchable | None = None, *, progress: _Progress
) -> wire.Json | None:
    """Fetch missing data, but only if the plan is still the one that the author agreed to."""
    if (opened := _permitted(here, _why_not(here.project))) is None:
        return None
    planned, outcome = _plan(here.project, opened, only), Outcome()
    changed = planned.name != plan
    if not changed:
        try:
            plans.run(planned, outcome, progress)
        except (InputError, OSError) as error:
            # What came before is reported, too.
            outcome.given_up["fetching"] = str(error)
    wrong_dois, found = [], by_service(each.fields for each in outcome.fetched)
    for wrong in outcome.wrong_dois:
        at = entry_location(here.project, opened, wrong.entry)
        wrong_dois.append(wire.answer(key=wrong.entry.key, message=str(wrong), entry=at))
    return wire.answer(
        changed=changed,
        found=[wire.answer(**asdict(each)) for each in found],
        wrong_dois=wrong_dois,
        failures=list(filter(None, (*outcome.given_up.values(), outcome.not_stored))),
    )


def planned(here: Document) -> wire.Json | None:
    """Return what would be sent to find works around those that a document's draft cites."""
    opened = here.opened()
    if opened is None:
        return None
    found = discovering.plan(opened.draft, opened.bibliography)
    named = wire.answer(found, "unidentified requests", entries=len(found.entries))
    name = found.name(here.project.settings.email)
    return named | _agreed_to(here.project, opened, name, found.sent)


def discovered(here: Document, plan: str, *, progress: _Progress) -> wire.Json | None:
    """Find works around the draft's, if what would be sent is what the author has agreed to."""
    if (opened := _permitted(here, _why_not(here.project))) is None:
        return None
    found, email = discovering.plan(opened.draft, opened.bibliography), here.project.settings.email
    if found.name(email) != plan:
        return wire.answer(changed=True, works=0)
    path = neighbours_path(default_index_path(), opened.draft.root)
    done = discovering.run(found, path, email, progress)
    return wire.answer(done, "works unknown", changed=False, problem=done.ended or None)


def proposed(here: Document, offset: int) -> wire.Json | None:
    """Return rare words of the sentence at a place, and to whom a search would send them."""
    opened = here.opened()
    if opened is None:
        return None
    context = opened.context(place_at(opened.file, offset).span.start)
    email = here.project.settings.email
    return wire.answer(
        words=discovering.words_for(opened.draft, context.citance),
        sent=[_shown(ServiceRequest(source, email=email)) for source in SEARCHED.values()],
        email=email or None,
        problem=_why_not_searched(here.project),
    )


def searched(
    here: Document, offset: int, words: str, limit: int = wire.MAX_WORKS
) -> wire.Json | None:
    """Send words to services; return what they find and the author lacks, ranked for a place."""
    if (opened := _permitted(here, _why_not_searched(here.project))) is None:
        return None
    own = here.project.global_library.bibliography
    library = own.entries.values() if own is not None else ()
    email = here.project.settings.email
    found, failures = discovering.searched(opened, words, SEARCHED.values(), email, library)
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


def found_work(
    here: Document, text: str | None = None, file: str | None = None, plan: str | None = None
) -> wire.Json | None:
    """Return the works that a text or the URI of a paper may mean.

    Services are asked for a `plan` that the author has agreed to.
    """
    email = here.project.settings.email
    search = WorkSearch(adding_to(here), (text or "") if file is None else path_of(file), email)
    problem = _why_not(here.project) if search.requests else None
    planned = search.plan
    if search.requests and plan == planned:
        _permit(problem)
        search.look_up()
    meant = search.meant
    names = "key title author_year origin entry"
    return wire.answer(
        works=[
            wire.answer(work, names, there=work.there or None, meant=work in meant)
            for work in search.works
        ],
        sent=[_shown(each, "values") for each in search.requests],
        plan=planned,
        remarks=search.remarks,
        email=email or None,
        problem=problem,
    )


def _permitted(here: Document, problem: str | None) -> OpenDraft | None:
    """Return the draft of a document; raise `InputError` if services may not be asked."""
    _permit(problem)
    return here.opened()


def _permit(problem: str | None) -> None:
    if problem is not None:
        raise InputError(problem)


def _why_not(project: Project) -> str | None:
    """Return why no service can be asked, in Markdown; None if one can."""
    if project.settings.enrich == "off":
        return "The setting `pincite.enrich` is off: nothing is sent."
    if find_spec("httpx") is None:
        return "httpx is not installed: `pip install 'pincite[enrich]'` gets it."
    return None


def _why_not_searched(project: Project) -> str | None:
    if not project.settings.search_literature:
        return "The setting `pincite.searchLiterature` is off: nothing is sent."
    return _why_not(project)


def _shown(sent: ServiceRequest, values: str = "") -> wire.Json:
    """Return what a service would be sent."""
    names = f"service host {values}"
    return wire.answer(sent, names, has_email=sent.with_email, has_key=sent.with_key)
