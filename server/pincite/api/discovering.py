"""Find works that a draft does not have, on the network: a plan first, which sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..discovery import openalex
from ..discovery.neighbours import neighbours_path, write_neighbours
from ..enrichment.plans import places
from ..enrichment.service import Service
from ..library.index import default_index_path
from ..model.papers import BibEntry
from ..model.problems import InputError
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
    _run: Callable[..., Any] = field(repr=False)


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
    draft, bibliography = project._draft, project._bibliography
    entries = bibliography.entries
    if cited_only:
        keys = (key.key for file in draft.files for c in file.citations for key in c.keys)
        cited = dict.fromkeys(filter(None, map(bibliography.key_of, keys)))
        entries = {key: entries[key] for key in cited if key in entries} or entries
    own = openalex.identified(entries.values())
    named = {entry.key for entry in own.values()}
    source = openalex.OPENALEX
    path = neighbours_path(default_index_path(), draft.root)
    return DiscoveryPlan(
        entries=len(entries),
        dois=tuple(own),
        unidentified=tuple(key for key in entries if key not in named),
        service=source.name,
        host=source.address.removeprefix("https://"),
        requests=openalex.most_requests(len(own)) if own else 0,
        with_email=bool(email) and source.wants_email,
        with_key=bool(source.key),
        _run=lambda progress: _discovered(own, path, email, progress),
    )


def discover(plan: DiscoveryPlan, *, progress: Progress = no_progress) -> Discovered:
    """Send what a plan shows, and cache the works around the draft's.

    Call this only once the author agrees. If the service fails half-way, what came in is used, and
    the same plan goes on from there. Raises `PinciteError` if httpx is missing, nothing can be
    cached, or there is nothing to ask for.
    """
    if not plan.dois:
        raise InputError("no work has a DOI or an identifier at arXiv, by which it could be asked")
    found: Discovered = plan._run(progress)
    return found


def _discovered(own: dict[str, BibEntry], path: Path, email: str, progress: Progress) -> Discovered:
    found = openalex.Discovery()
    _, answers = places()
    with closing(Service(openalex.OPENALEX, answers, email)) as service:
        openalex.discover(own, service, found, progress)
    if found.entries:
        try:
            write_neighbours(path, found.entries)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    return Discovered(len(found.entries), tuple(found.unknown), found.ended)
