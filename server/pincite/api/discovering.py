"""Find works that a draft does not have, on the network: a plan first, which sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..discovery.neighbours import neighbours_path
from ..discovery.openalex import OPENALEX, Discovery
from ..library.index import default_index_path
from ..project.discovering import plan, run
from .enriching import check_email
from .nouns import Progress, no_progress
from .project import Project


@dataclass(frozen=True, slots=True)
class DiscoveryPlan:
    """What would be sent to `host`: the DOIs of a draft's works, and its own identifiers of works.

    `entries` is the number of the draft's works, `unidentified` are the keys of those without a DOI
    or an identifier at arXiv. There are at most so many `requests`.
    """

    entries: int
    dois: tuple[str, ...]
    unidentified: tuple[str, ...]
    service: str
    host: str
    requests: int
    with_email: bool
    with_key: bool
    _run: Callable[[Progress], Discovery] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Discovered:
    """What was found: `works` around the draft's, `unknown` keys of works that nobody knows.

    `ended` says why not all could be asked for; empty if it was.
    """

    works: int
    unknown: tuple[str, ...]
    ended: str


def plan_discovery(project: Project, *, cited_only: bool = True, email: str = "") -> DiscoveryPlan:
    """Return what `discover` would send to find works around those of a draft; this sends nothing.

    Only identifiers are sent: of the works that the draft cites, or else of all in its
    bibliographies. OpenAlex wishes for an `email`. Raises `PinciteError` if there are no entries.
    """
    check_email(email)
    project.require_entries()
    planned = plan(project._draft, project._bibliography, cited_only=cited_only)
    path = neighbours_path(default_index_path(), project._draft.root)
    return DiscoveryPlan(
        entries=len(planned.entries),
        dois=tuple(planned.own),
        unidentified=planned.unidentified,
        service=OPENALEX.name,
        host=OPENALEX.address.removeprefix("https://"),
        requests=planned.requests,
        with_email=bool(email) and OPENALEX.wants_email,
        with_key=bool(OPENALEX.key),
        _run=lambda progress: run(planned, path, email, progress),
    )


def discover(plan: DiscoveryPlan, *, progress: Progress = no_progress) -> Discovered:
    """Send what a plan shows, and cache the works around the draft's.

    Call this only once the author agrees. If the service fails half-way, what came in is used, and
    the same plan goes on from there. Raises `PinciteError` if httpx is missing, nothing can be
    cached, or there is nothing to ask about.
    """
    found = plan._run(progress)
    return Discovered(len(found.entries), tuple(found.unknown), found.ended)
