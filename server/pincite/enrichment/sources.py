"""Queries to services and their records of works: OpenAlex, Crossref, Semantic Scholar.

A source knows the paths and answers of one service, after its documentation, and nothing of the
network:

- https://docs.openalex.org/api-entities/works ("Get a single work", "Filter works", "Work object")
  and https://developers.openalex.org/guides/searching: abstracts, open-access links, how often a
  work is cited;
- https://api.crossref.org (``/works/{doi}``, ``/works?query.bibliographic=``) and its "Metadata
  format": abstracts that publishers deposit, in JATS, and the DOI of a title; names and e-mail go
  into the User-Agent, as its "Etiquette" asks;
- https://api.semanticscholar.org/api-docs/graph ("Details about a paper" (``DOI:``), "Paper title
  search", "Details about a paper's citations"): abstracts, and the sentences of citing works.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from ..model.papers import BibEntry
from ..text.controls import without_controls
from ..text.escaping import valid
from ..text.tags import without_tags

#: Asks for a path with parameters; returns the JSON of the answer, None if nothing is there.
#: Raises `ServiceError`.
Ask = Callable[[str, Mapping[str, str]], Any]
#: How many works of a search are looked at.
_MAX_FOUND: Final = 5
_MAX_ABSTRACT: Final = 20_000
_MAX_DOI: Final = 200
#: How many citing works are asked for; of a classic there are tens of thousands, and of many of
#: them no sentence is known.
_MAX_CITING: Final = 500
#: Sentences of one citing work, and of all: more would only fill the disk.
_MAX_SENTENCES: Final = 5
_MAX_OF_ALL: Final = 100
_MAX_WORDS: Final = 20_000
#: The heading "Abstract" of an abstract.
_HEADING: Final = re.compile(r"<(?:jats:)?title>\s*(?:abstract|summary)\s*</(?:jats:)?title>", re.I)
#: Signs that mean something in a search of OpenAlex; so do AND, OR and NOT in capitals.
_OPERATORS: Final = str.maketrans(dict.fromkeys(',|!:"()*?~^[]{}\\/+-&', " "))


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a service learns of an entry: its DOI, or else its title."""

    doi: str
    title: str


@dataclass(frozen=True, slots=True)
class CitingWork:
    """A work that cites, with the sentences in which it does."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundWork:
    """The record of a work in a service; unknown values are empty.

    `id` is the service's own name for it; `authors` are full names, `open_access` is an address.
    """

    id: str
    title: str
    authors: tuple[str, ...] = ()
    year: str = ""
    doi: str = ""
    abstract: str = ""
    open_access: str = ""
    cited_by: int | None = None

    def entry(self) -> BibEntry:
        """Return it as an entry of a bibliography, with what references to it have."""
        fields = {"author": " and ".join(self.authors), "title": self.title, "year": self.year}
        return BibEntry(self.id, "misc", fields, Path())


class Source(ABC):
    """A service; `name` is shown to authors, `address` is where it is, `pause` in seconds."""

    name: str
    address: str
    #: Between two requests.
    pause: float
    #: Whether it knows the sentences of citing works, and DOIs whoever has registered them.
    has_citing = False
    has_all_registrars = False
    #: Whether it asks for an address to write to, and charges for searches by title.
    wants_email = False
    charges_for_searches = False
    #: The environment variable with the user's own key, which is optional, and the
    #: parameter or the header in which it is sent.
    key_variable = ""
    key_parameter = ""
    key_header = ""

    def works(self, wanted: Wanted, ask: Ask) -> Iterator[FoundWork]:
        """Yield what may be the work, best first: that of the DOI, or those with such a title."""
        found = [self._of_doi(wanted.doi, ask)] if wanted.doi else self._titled(wanted.title, ask)
        for each in found[:_MAX_FOUND]:
            if isinstance(each, dict) and each:
                yield self._work(each)

    @abstractmethod
    def _of_doi(self, doi: str, ask: Ask) -> object:
        """Return the record of the work with a DOI; None if the service has none."""

    @abstractmethod
    def _titled(self, title: str, ask: Ask) -> list[Any]:
        """Return the records of works with such a title, best first."""

    @abstractmethod
    def _work(self, record: dict[str, Any]) -> FoundWork:
        """Make a work from a record of the service."""

    def citing(self, work: FoundWork, ask: Ask) -> Sequence[CitingWork]:
        """Return the works that cite one of its works; none unless it `has_citing`."""
        return ()


class OpenAlex(Source):
    """The works of OpenAlex."""

    name = "OpenAlex"
    address = "https://api.openalex.org"
    pause = 0.15
    has_all_registrars = True
    wants_email = True
    charges_for_searches = True
    key_variable = "OPENALEX_API_KEY"
    key_parameter = "api_key"
    _selected = (
        "id,doi,title,publication_year,authorships,abstract_inverted_index,cited_by_count,"
        "open_access"
    )

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return ask(f"/works/doi:{quote(doi)}", {"select": self._selected})

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        words = " ".join(title.translate(_OPERATORS).lower().split())
        asked = {"search": words, "per_page": str(_MAX_FOUND), "select": self._selected}
        return _items(ask("/works", asked), "results")

    def _work(self, record: dict[str, Any]) -> FoundWork:
        authors = (
            _part(each, "author").get("display_name") for each in _items(record, "authorships")
        )
        return FoundWork(
            id=_text(record.get("id")),
            title=prose_of(record.get("title")),
            authors=_texts(authors),
            year=str(record.get("publication_year") or ""),
            doi=doi_of(record.get("doi")),
            abstract=prose_of(_written_out(_part(record, "abstract_inverted_index"))),
            open_access=_text(_part(record, "open_access").get("oa_url")),
            cited_by=_number(record.get("cited_by_count")),
        )


class Crossref(Source):
    """The works of Crossref."""

    name = "Crossref"
    address = "https://api.crossref.org"
    pause = 0.35
    wants_email = True
    _selected = "DOI,title,subtitle,author,issued,abstract,is-referenced-by-count"

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return _part(ask(f"/works/{quote(doi, safe='')}", {}), "message")

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        rows = str(_MAX_FOUND)
        asked = {"query.bibliographic": title, "rows": rows, "select": self._selected}
        return _items(_part(ask("/works", asked), "message"), "items")

    def _work(self, record: dict[str, Any]) -> FoundWork:
        titles = _texts(each for n in ("title", "subtitle") for each in _items(record, n)[:1])
        dates = _items(_part(record, "issued"), "date-parts")
        year = dates[0][0] if dates and isinstance(dates[0], list) and dates[0] else None
        return FoundWork(
            id=_text(record.get("DOI")),
            title=prose_of(": ".join(titles)),
            authors=_texts(map(_full_name, _items(record, "author"))),
            year=str(year) if isinstance(year, int) else "",
            doi=doi_of(record.get("DOI")),
            abstract=prose_of(_HEADING.sub(" ", _text(record.get("abstract")))),
            cited_by=_number(record.get("is-referenced-by-count")),
        )


class SemanticScholar(Source):
    """The papers of Semantic Scholar."""

    name = "Semantic Scholar"
    address = "https://api.semanticscholar.org"
    #: Without a key, one request a second.
    pause = 1.1
    has_all_registrars = True
    has_citing = True
    key_variable = "SEMANTIC_SCHOLAR_API_KEY"
    key_header = "x-api-key"
    _selected = "title,year,authors,abstract,externalIds,citationCount,openAccessPdf"

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return ask(f"/graph/v1/paper/DOI:{quote(doi)}", {"fields": self._selected})

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        asked = {"query": title, "fields": self._selected}
        return _items(ask("/graph/v1/paper/search/match", asked), "data")[:1]

    def _work(self, record: dict[str, Any]) -> FoundWork:
        authors = (each.get("name") for each in _items(record, "authors") if isinstance(each, dict))
        return FoundWork(
            id=_text(record.get("paperId")),
            title=prose_of(record.get("title")),
            authors=_texts(authors),
            year=str(record.get("year") or ""),
            doi=doi_of(_part(record, "externalIds").get("DOI")),
            abstract=prose_of(record.get("abstract")),
            open_access=_text(_part(record, "openAccessPdf").get("url")),
            cited_by=_number(record.get("citationCount")),
        )

    def citing(self, work: FoundWork, ask: Ask) -> Sequence[CitingWork]:
        """Return works that cite it, with their sentences."""
        place = f"/graph/v1/paper/{quote(work.id, safe='')}/citations"
        answer = ask(place, {"fields": "contexts,title", "limit": str(_MAX_CITING)})
        found, left = [], _MAX_OF_ALL
        for record in _items(answer, "data"):
            title = _text(_part(record, "citingPaper").get("title"))
            contexts = tuple(dict.fromkeys(_texts(_items(record, "contexts"))))
            if title and (sentences := contexts[: min(_MAX_SENTENCES, left)]):
                found.append(CitingWork(title, sentences))
                left -= len(sentences)
        return tuple(found)


def _full_name(record: object) -> str:
    if not isinstance(record, dict):
        return ""
    family, given = _text(record.get("family")), _text(record.get("given"))
    # An institution has only a name.
    return f"{family}, {given}" if family and given else family or _text(record.get("name"))


def _written_out(index: dict[str, Any]) -> str:
    """Return the text of which an index has the positions of each word."""
    words: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if isinstance(position, int) and len(words) < _MAX_WORDS:
                words[position] = word
    return " ".join(words[position] for position in sorted(words))


def _text(value: object) -> str:
    """Return a value of an answer that should be a text, on one line; else an empty string.

    Signs that no file of text may have are left out: one would spoil a whole bibliography.
    """
    if not isinstance(value, str):
        return ""
    return " ".join(valid(without_controls(value)).split())[:_MAX_ABSTRACT]


def _texts(values: Iterator[object] | Sequence[object]) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, values)))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def prose_of(value: object) -> str:
    """Return a title or an abstract of an answer without tags: as a bibliography's is read."""
    return _text(without_tags(_text(value), is_markup=True))


def _items(answer: object, name: str) -> list[Any]:
    """Return the list that an answer has under a name; an empty one if it has none."""
    items = answer.get(name) if isinstance(answer, dict) else None
    return items if isinstance(items, list) else []


def _part(answer: object, name: str) -> dict[str, Any]:
    """Return the object that an answer has under a name; an empty one if it has none."""
    part = answer.get(name) if isinstance(answer, dict) else None
    return part if isinstance(part, dict) else {}


def doi_of(value: object) -> str:
    """Return a DOI in lower case, without a resolver's address; "" for one that cannot be sent."""
    doi = BibEntry("", "", {"doi": value}, Path()).doi if isinstance(value, str) else ""
    return doi if is_sendable(doi) else ""


def is_sendable(doi: str) -> bool:
    """Return whether a DOI is fit to be part of an address, and of a file of text.

    It must not lead to another place of a service.
    """
    leads_elsewhere = not {".", ".."}.isdisjoint(doi.split("/"))
    return doi.isprintable() and len(doi) <= _MAX_DOI and not leads_elsewhere
