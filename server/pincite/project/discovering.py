"""Find works that a draft lacks on the network: what would be sent, and sending it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from ..cancellation import check
from ..discovery import openalex, semantic_scholar
from ..discovery.found import MAX_WORKS, Found, identified, merged, rare_words, search
from ..discovery.neighbours import CITED_BY, CITES, lacking, read_neighbours, write_neighbours
from ..enrichment.plans import places, sources
from ..enrichment.service import Service, ServiceError, opened
from ..enrichment.sources import SOURCES, ServiceRequest, Source, plan_name, sent_doi
from ..model.drafts import Draft
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..recommend import function_words_of
from .around import Around
from .bibliographies import DraftBibliography
from .open_draft import Place

_Most = Callable[[int], int]
_Discover = Callable[[Mapping[str, BibEntry], Service, Found, Callable[[], None]], None]
_ASK: Final[Mapping[str, tuple[_Most, _Discover]]] = {
    "openalex": (openalex.most_requests, openalex.discover),
    "semantic-scholar": (semantic_scholar.most_requests, semantic_scholar.discover),
}
#: The services with citation graphs; descriptions of works by the first one are preferred.
GRAPHS: Final = {name: SOURCES[name] for name in _ASK}


@dataclass(frozen=True, slots=True)
class Discovered:
    """What was found: `works` around the draft's, `unknown` keys of works that nobody knows.

    `ended` is why the run ended early; empty if it did not.
    """

    works: int
    unknown: tuple[str, ...]
    ended: str


class Plan(NamedTuple):
    """The works of a draft: all `entries`, and by DOI those about which `services` are asked."""

    entries: Mapping[str, BibEntry]
    own: dict[str, BibEntry]
    services: Sequence[str]

    @property
    def unidentified(self) -> tuple[str, ...]:
        """The keys of works without a DOI or an identifier at arXiv."""
        return tuple(key for key, it in self.entries.items() if sent_doi(it) not in self.own)

    @property
    def requests(self) -> int:
        """How many requests are sent at most."""
        return sum(_ASK[name][0](len(self.own)) for name in self.services) if self.own else 0

    @property
    def sent(self) -> tuple[ServiceRequest, ...]:
        """What is sent to whom."""
        return tuple(
            ServiceRequest(SOURCES[name], tuple(self.own)) for name in self.services if self.own
        )

    def name(self, email: str) -> str:
        """Return a hash of what it sends, with the e-mail address."""
        return plan_name(email, self.sent)


def plan(
    draft: Draft,
    bibliography: DraftBibliography,
    services: Iterable[str] = (),
    *,
    cited_only: bool = True,
) -> Plan:
    """Return what would be asked about: what the draft cites, or else all in its bibliographies.

    Raises `InputError` for `services` that are not in `GRAPHS`, which are all by default.
    """
    chosen = sources(services, GRAPHS)
    asked = [name for name, source in GRAPHS.items() if source in chosen]
    entries = bibliography.entries
    if cited_only:
        keys = (key.key for file in draft.files for each in file.citations for key in each.keys)
        cited = dict.fromkeys(filter(None, map(bibliography.key_of, keys)))
        entries = {key: entries[key] for key in cited if key in entries} or entries
    return Plan(entries, identified(entries.values()), asked)


def run(
    planned: Plan,
    path: Path,
    email: str = "",
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Discovered:
    """Carry out a plan, and cache the works around the draft's at a path.

    Results are cached even if a service fails half-way, then with those of the run before. Raises
    `InputError` if nothing can be cached, or there is nothing to ask about.
    """
    if not planned.own:
        raise InputError(
            "none of the works has a DOI or an arXiv identifier, so no service can be asked"
        )
    requests = count()

    def step() -> None:
        check()
        progress(next(requests), planned.requests)

    _, answers = places()
    every, failures = [], []
    for name in planned.services:
        every.append(found := Found())
        _, discover = _ASK[name]
        with opened([SOURCES[name]], answers, email) as (service,):
            try:
                discover(planned.own, service, found, step)
            except ServiceError as error:
                failures.append(str(error))
    progress(planned.requests, planned.requests)
    before = read_neighbours(path) if failures else ()
    if entries := _most_connected((*(found.entries() for found in every), before)):
        try:
            write_neighbours(path, entries)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
    return Discovered(len(entries), _unknown(planned.own, every), "; ".join(failures))


def _most_connected(lists: Iterable[Sequence[BibEntry]]) -> list[BibEntry]:
    """Return the works of several lists, those connected with most own works first."""

    def connections(entry: BibEntry) -> int:
        return sum(len(entry.fields.get(name, "").split()) for name in (CITED_BY, CITES))

    return sorted(merged(lists), key=connections, reverse=True)[:MAX_WORKS]


def _unknown(own: Mapping[str, BibEntry], every: Sequence[Found]) -> tuple[str, ...]:
    asked = {doi for found in every for doi in found.asked}
    known = {doi for found in every for doi in found.known}
    return tuple(entry.key for doi, entry in own.items() if doi in asked - known)


def words_for(draft: Draft, sentence: str) -> str:
    """Return the rarest words of a sentence of a draft, to search the literature for."""
    text = "\n".join(each.prose.text for each in draft.files)
    return rare_words(sentence, text, function_words_of(draft))


def searched(
    place: Place, words: str, asked: Iterable[Source], email: str, library: Iterable[BibEntry] = ()
) -> tuple[Around, dict[str, str]]:
    """Send words to services; return the works that they find and draft and `library` lack.

    Why a service gave no answer comes with them, by its name. Raises `InputError` without words.
    """
    words = " ".join(words.split())
    if not any(map(str.isalnum, words)):
        raise InputError("enter the words to search for")
    _, answers = places()
    failures: dict[str, str] = {}
    with opened(asked, answers, email) as services:
        found = search(words, services, failures)
    new = lacking(chain(place.bibliography.entries.values(), library), found)
    return Around(place, lambda: new), failures
