"""Find works around those of a draft on the network: what would be sent, and sending it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ..discovery.neighbours import write_neighbours
from ..discovery.openalex import OPENALEX, Discovery, discover, identified, most_requests
from ..enrichment.plans import places
from ..enrichment.service import Service
from ..model.drafts import Draft
from ..model.papers import BibEntry
from ..model.problems import InputError
from .bibliographies import DraftBibliography


class Plan(NamedTuple):
    """The works of a draft: all `entries`, and by DOI those that can be asked about."""

    entries: Mapping[str, BibEntry]
    own: dict[str, BibEntry]

    @property
    def unidentified(self) -> tuple[str, ...]:
        """The keys of works without a DOI or an identifier at arXiv."""
        named = {entry.key for entry in self.own.values()}
        return tuple(key for key in self.entries if key not in named)

    @property
    def requests(self) -> int:
        """How many requests are sent at most."""
        return most_requests(len(self.own)) if self.own else 0

    def name(self, email: str) -> str:
        """Return a hash of what it sends, with the e-mail address."""
        sent = repr((email, [*self.own], bool(OPENALEX.key)))
        return blake2b(sent.encode("utf-8", "replace"), digest_size=16).hexdigest()


def plan(draft: Draft, bibliography: DraftBibliography, *, cited_only: bool = True) -> Plan:
    """Return what would be asked about: what the draft cites, or else all in its bibliographies."""
    entries = bibliography.entries
    if cited_only:
        keys = (key.key for file in draft.files for each in file.citations for key in each.keys)
        cited = dict.fromkeys(filter(None, map(bibliography.key_of, keys)))
        entries = {key: entries[key] for key in cited if key in entries} or entries
    return Plan(entries, identified(entries.values()))


def run(
    planned: Plan,
    path: Path,
    email: str = "",
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Discovery:
    """Carry out a plan, and cache the works around the draft's at a path.

    What came in is cached even if the service ends half-way. Raises `InputError` if nothing can be
    cached, or there is nothing to ask about.
    """
    if not planned.own:
        raise InputError("no work has a DOI or an identifier at arXiv, by which it could be asked")
    found = Discovery()
    _, answers = places()
    with closing(Service(OPENALEX, answers, email)) as service:
        discover(planned.own, service, found, progress)
    if found.entries:
        try:
            write_neighbours(path, found.entries)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    return found
