"""Find works that a draft does not have, on the network: a plan first, which sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..discovery.neighbours import neighbours_path
from ..enrichment.sources import SEARCHED, ServiceRequest
from ..library.index import default_index_path
from ..project.discovering import Discovered as Discovered
from ..project.discovering import plan, run, searched, words_for
from .enriching import check_email, chosen_sources
from .nouns import Place, Progress, Suggestion, discovered, no_progress
from .project import Project


@dataclass(frozen=True, slots=True)
class DiscoveryPlan:
    """What would be sent to whom: the DOIs of a draft's works, and a service's own identifiers.

    `entries` is the number of the draft's works, `unidentified` are the keys of those without a DOI
    or an identifier at arXiv. There are `most` requests at most.
    """

    entries: int
    unidentified: tuple[str, ...]
    requests: tuple[ServiceRequest, ...]
    most: int
    _run: Callable[[Progress], Discovered] = field(repr=False)


def plan_discovery(
    project: Project,
    *,
    cited_only: bool = True,
    services: Iterable[str] = (),
    email: str = "",
) -> DiscoveryPlan:
    """Return what `discover` would send to find works around those of a draft; this sends nothing.

    Only identifiers are sent: of the works that the draft cites, or else of all in its
    bibliographies. `services` are ``openalex`` and ``semantic-scholar``, by default both; OpenAlex
    asks for an `email`. Raises `PinciteError` if there are no entries, or for a wrong name.
    """
    check_email(email)
    project.require_entries()
    planned = plan(project._draft, project._bibliography, services, cited_only=cited_only)
    path = neighbours_path(default_index_path(), project._draft.root)
    return DiscoveryPlan(
        entries=len(planned.entries),
        unidentified=planned.unidentified,
        requests=tuple(replace(each, email=email) for each in planned.sent),
        most=planned.requests,
        _run=lambda progress: run(planned, path, email, progress),
    )


def discover(plan: DiscoveryPlan, *, progress: Progress = no_progress) -> Discovered:
    """Send what a plan shows, and cache the works around the draft's.

    Call this only once the author agrees. If the service fails half-way, its answers so far are
    used, and the same plan resumes from there. Raises `PinciteError` if httpx is missing, nothing
    can be cached, or there is nothing to ask about.
    """
    return plan._run(progress)


@dataclass(frozen=True, slots=True)
class Literature:
    """Works that services found by words, best first; `failures` are those that gave no answer."""

    works: tuple[Suggestion, ...]
    failures: Mapping[str, str]


def proposed_words(project: Project, place: Place) -> str:
    """Return the rarest words of the sentence at a place, to search the literature for."""
    return words_for(project._draft, project._context(place, project._matching).citance)


def searched_services(services: Iterable[str] = (), email: str = "") -> tuple[ServiceRequest, ...]:
    """Return the services that `search_literature` asks, and what they learn beside the words."""
    asked = chosen_sources(services, email, SEARCHED)
    return tuple(ServiceRequest(source, email=email) for source in asked)


def search_literature(
    project: Project,
    place: Place,
    words: str,
    *,
    top: int | None = 10,
    services: Iterable[str] = (),
    email: str = "",
) -> Literature:
    """Send words to services, and rank the works that they find for a place.

    Call this only once the author has seen the `words` and agreed. The draft's own works are left
    out. `services` are those of `plan_enrichment` and ``arxiv``, by default all. Raises
    `PinciteError` if there are no words or no entries, or if httpx is missing.
    """
    project.require_entries()
    asked = chosen_sources(services, email, SEARCHED)
    new, failures = searched(project._place, words, asked, email)
    project.read_papers()
    works = discovered(new, project._draft, *project._citing_offset(place), top)
    return Literature(tuple(works), failures)
