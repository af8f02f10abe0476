"""Fetch the works around a bibliography from OpenAlex.

What is asked, after https://developers.openalex.org (``works``, "Filter", "Page through results"):

1. the author's works by their DOIs, for what they cite (``referenced_works``);
2. the works that cite these (``filter=cites:``), the most cited first, and of these so many pages:
   of a classic there are tens of thousands;
3. titles, authors and abstracts of what is cited, that which most of the author's works cite first.

Only DOIs and OpenAlex's own identifiers are sent. Answers are cached: what was interrupted goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..cancellation import check
from ..enrichment.enrich import questions
from ..enrichment.service import Service, ServiceError
from ..enrichment.sources import SOURCES, FoundWork
from ..enrichment.verification import verify_match
from ..model.papers import BibEntry
from .neighbours import CITED_BY, CITES, COUNT, RETRACTED

MAX_WORKS: Final = 5_000
OPENALEX: Final = SOURCES["openalex"]
_WORKS: Final = "/works"
#: The numbers of DOIs and of identifiers in one request, and of works in one answer.
_DOIS: Final = 50
_IDS: Final = 100
_PAGE: Final = 100
#: The number of pages of works that cite a batch of own works.
_MAX_PAGES: Final = 5
#: The number of own works whose citing works are asked for at once.
_CITED: Final = 50
#: Of so many cited works, titles and abstracts are asked for.
_MAX_CITED: Final = 4_000
_RECORD: Final = (
    "id,doi,title,publication_year,authorships,primary_location,type,abstract_inverted_index,"
    "cited_by_count,is_retracted,open_access"
)
#: Signs that end a value of a filter.
_SEPARATORS: Final = frozenset("|,&+")
_TYPES: Final = {
    "article": "article",
    "book": "book",
    "book-chapter": "incollection",
    "dissertation": "phdthesis",
}


@dataclass(slots=True)
class Discovery:
    """What was found; `unknown` are keys of own works that OpenAlex lacks, or has as others."""

    entries: list[BibEntry] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    #: Why the service could not be asked for the rest, "" if it was.
    ended: str = ""


def identified(entries: Iterable[BibEntry]) -> dict[str, BibEntry]:
    """Return the entries with a DOI, or that which arXiv registers, by DOI."""
    return {
        each.wanted.doi: each.entry
        for each in questions(entries)
        if each.wanted.doi and _SEPARATORS.isdisjoint(each.wanted.doi)
    }


def most_requests(works: int, most: int = MAX_WORKS) -> int:
    """Return how many requests are sent at most for so many own works."""
    batches = -(-works // _CITED)
    return -(-works // _DOIS) + batches * _MAX_PAGES + -(-min(most, _MAX_CITED) // _IDS)


def discover(
    own: dict[str, BibEntry],
    service: Service,
    found: Discovery,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    most: int = MAX_WORKS,
) -> None:
    """Fetch the neighbours of own works, by DOI; what came in is in `found` even if this ends."""
    run = _Run(service, progress, most_requests(len(own), most))
    works: dict[str, _Neighbour] = {}
    try:
        ids, cited = _own_works(own, run, found)
        # What most of the author's works cite, first.
        wanted = [name for name, _ in cited.most_common() if name not in ids]
        _citing(ids, run, works, most // 2)
        _details(wanted[: min(most - len(works), _MAX_CITED)], run, works)
    except ServiceError as error:
        found.ended = str(error)
    for doi, names in run.references.items():
        for name in names:
            if name in works:
                works[name].cited_by.add(doi)
    found.entries = [each.entry() for each in works.values() if each.work.title]
    run.end()


@dataclass(slots=True)
class _Neighbour:
    work: FoundWork
    venue: str
    kind: str
    is_retracted: bool
    cited_by: set[str] = field(default_factory=set)
    cites: set[str] = field(default_factory=set)

    def entry(self) -> BibEntry:
        work = self.work
        fields = {
            "author": " and ".join(work.authors),
            "title": work.title,
            "journal" if self.kind == "article" else "publisher": self.venue,
            "year": work.year,
            "doi": work.doi,
            "abstract": work.abstract,
            "url": work.open_access,
            CITED_BY: " ".join(sorted(self.cited_by)),
            CITES: " ".join(sorted(self.cites)),
            COUNT: str(work.cited_by or ""),
            RETRACTED: "yes" if self.is_retracted else "",
        }
        name = work.id.rpartition("/")[2]
        return BibEntry(name, self.kind, {n: v for n, v in fields.items() if v}, Path())


class _Run:
    """The requests, which are counted."""

    def __init__(
        self, service: Service, progress: Callable[[int, int], None], requests: int
    ) -> None:
        self._service, self._progress, self._requests = service, progress, requests
        self._done = 0
        #: What own works cite, as OpenAlex's identifiers, by their DOIs.
        self.references: dict[str, list[str]] = {}

    def ask(self, condition: str, select: str, **parameters: str) -> list[dict[str, Any]]:
        """Return the works that meet a condition."""
        check()
        self._progress(self._done, self._requests)
        self._done += 1
        given = {"filter": condition, "per_page": str(_PAGE), "select": select, **parameters}
        answer = self._service.ask(_WORKS, given, is_answer=_lists_works)
        return [record for record in answer["results"] if isinstance(record, dict)]

    def end(self) -> None:
        self._progress(self._requests, self._requests)


def _own_works(
    own: dict[str, BibEntry], run: _Run, found: Discovery
) -> tuple[dict[str, str], Counter[str]]:
    """Return the DOIs of own works by identifier, and how many of them cite which works."""
    ids: dict[str, str] = {}
    select = "id,doi,title,publication_year,authorships,referenced_works"
    for batch in _batches([*own], _DOIS):
        for record in run.ask(f"doi:{'|'.join(batch)}", select):
            work = OPENALEX.read(record)
            entry = own.get(work.doi)
            # The DOI of another work would bring its neighbours.
            if entry is not None and verify_match(entry, work, by_doi=True) != "other":
                ids[_id(record)] = work.doi
                run.references[work.doi] = [*_ids(record)]
    known = {*ids.values()}
    found.unknown = [entry.key for doi, entry in own.items() if doi not in known]
    return ids, Counter(name for names in run.references.values() for name in names)


def _citing(ids: dict[str, str], run: _Run, works: dict[str, _Neighbour], most: int) -> None:
    """Add works that cite own works."""
    for batch in _batches([*ids], _CITED):
        for page in range(1, _MAX_PAGES + 1):
            if len(works) >= most:
                return
            records = run.ask(
                f"cites:{'|'.join(batch)}",
                f"{_RECORD},referenced_works",
                sort="cited_by_count:desc",
                page=str(page),
            )
            for record in records:
                _add(record, ids, works).cites.update(
                    ids[name] for name in _ids(record) if name in ids
                )
            if len(records) < _PAGE:
                break


def _details(names: Sequence[str], run: _Run, works: dict[str, _Neighbour]) -> None:
    """Add works that own works cite."""
    for batch in _batches([name for name in names if name not in works], _IDS):
        for record in run.ask(f"openalex:{'|'.join(batch)}", _RECORD):
            _add(record, {}, works)


def _add(record: dict[str, Any], ids: dict[str, str], works: dict[str, _Neighbour]) -> _Neighbour:
    location = record.get("primary_location")
    source = location.get("source") if isinstance(location, dict) else None
    venue = source.get("display_name") if isinstance(source, dict) else None
    new = _Neighbour(
        OPENALEX.read(record),
        " ".join(venue.split()) if isinstance(venue, str) else "",
        _TYPES.get(str(record.get("type")), "misc"),
        record.get("is_retracted") is True,
    )
    name = _id(record)
    # An own work may cite another.
    return new if not name or name in ids else works.setdefault(name, new)


def _lists_works(answer: object) -> bool:
    return isinstance(answer, dict) and isinstance(answer.get("results"), list)


def _id(record: dict[str, Any]) -> str:
    name = str(record.get("id") or "").rpartition("/")[2]
    return name if name.startswith("W") and name[1:].isdecimal() else ""


def _ids(record: dict[str, Any]) -> Iterator[str]:
    """Yield the identifiers of what a work cites."""
    listed = record.get("referenced_works")
    for each in listed if isinstance(listed, list) else ():
        if name := _id({"id": each}):
            yield name


def _batches(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
