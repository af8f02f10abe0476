"""Queries to services and their records of works: OpenAlex, Crossref, Semantic Scholar, arXiv.

A source has the paths of one service and the places of its values, after its documentation:

- https://docs.openalex.org/api-entities/works ("Get a single work", "Filter works", "Work object")
  and https://developers.openalex.org/guides/searching: abstracts, open-access links, how often a
  work is cited;
- https://api.crossref.org (``/works/{doi}``, ``/works?query.bibliographic=``) and its "Metadata
  format": abstracts that publishers deposit, in JATS, and the DOI of a title; names and e-mail go
  into the User-Agent, as its "Etiquette" asks;
- https://api.semanticscholar.org/api-docs/graph ("Details about a paper" (``DOI:``), "Paper title
  search", "Paper relevance search", "Details about a paper's citations"): abstracts, and the
  sentences of citing works;
- https://info.arxiv.org/help/api/user-manual.html (``search_query``), which is searched by words
  alone; its answers are in Atom (`atom`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote

from ..edits.bibtex_entries import MATHEMATICS
from ..model.fetched import CITED_BY, OPEN_ACCESS, RETRACTED, written_citing
from ..model.papers import BibEntry
from ..parsing.latex.symbols import plain_text
from ..text.characters import valid, without_controls
from ..text.tags import without_tags
from .atom import entries_in

#: Asks for a path with parameters, and caches what is an answer (`is_answer`); returns its JSON,
#: None if nothing is there. Raises `ServiceError`.
Ask = Callable[..., Any]
#: arXiv registers a DOI for each of its identifiers.
ARXIV_DOI: Final = "10.48550/arxiv."
#: How many works of a search are looked at, by title and by words.
_MAX_FOUND: Final = 5
_ROWS: Final = 25
_MAX_ABSTRACT: Final = 20_000
_MAX_DOI: Final = 200
_MAX_NUMBER: Final = 200
#: How many citing works are asked for; of a classic there are tens of thousands, and of many of
#: them no sentence is known.
_MAX_CITING: Final = 500
#: Sentences of one citing work, and of all: more would only fill the disk.
_MAX_SENTENCES: Final = 5
_MAX_OF_ALL: Final = 100
_MAX_WORDS: Final = 20_000
#: Types of works, as services name them, and the fields for the journal or book they are in.
_KINDS: Final = {
    **dict.fromkeys(("article", "journal-article", "JournalArticle"), "article"),
    **dict.fromkeys(("review", "letter", "editorial"), "article"),
    **dict.fromkeys(("Review", "LettersAndComments", "Editorial", "MetaAnalysis"), "article"),
    **dict.fromkeys(("proceedings-article", "Conference"), "inproceedings"),
    **dict.fromkeys(("book", "monograph", "Book"), "book"),
    **dict.fromkeys(("book-chapter", "BookSection"), "incollection"),
    "dissertation": "phdthesis",
}
_VENUES: Final = {
    "article": "journal",
    "book": "publisher",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "phdthesis": "school",
}
#: How publishers begin the title of a work that was retracted.
_RETRACTED: Final = re.compile(r"\W*retracted(?: article| paper| chapter)?\W*:", re.I)
#: Signs that mean something in a search of OpenAlex; so do AND, OR and NOT in capitals.
_OPERATORS: Final = str.maketrans(dict.fromkeys(',|!:"()*?~^[]{}\\/+-&', " "))


class Wanted(NamedTuple):
    """All that a service learns about an entry: its DOI, or else its title.

    Instead of a DOI it may be ``pmid:…`` or ``isbn:…``, for services that know these.
    """

    doi: str
    title: str


@dataclass(frozen=True, slots=True)
class Source:
    """A service; `name` is shown to authors, `pause` are the seconds between two requests.

    `by_doi`, `by_title` and `by_id` (for citing works, if it has their sentences) are what it is
    asked, with ``{path}`` or ``{segment}`` for the quoted value and ``{value}`` for the value.
    `record` and `records` are the places of works in the answers, and `places` those of the values
    of a work in a record, in the order of `read` (see `value_at`); ``-`` is none.
    """

    name: str
    address: str
    pause: float
    by_doi: str = ""
    by_title: str = ""
    record: str = ""
    records: str = ""
    places: str = ""
    by_id: str = ""
    by_pmid: str = ""
    by_isbn: str = ""
    #: Its query for a search by words, each of which is written as `word`.
    by_words: str = ""
    word: str = "{}"
    between_words: str = " "
    #: What it is asked for of a work.
    values: str = ""
    #: Whether signs and words in capitals are operators of its searches.
    has_operators: bool = False
    #: Whether it knows DOIs whoever has registered them.
    has_all_registrars: bool = False
    #: Whether it knows retractions, volumes and pages.
    has_notices: bool = False
    #: Whether it asks for an address to write to, and charges for searches by title.
    wants_email: bool = False
    charges_for_searches: bool = False
    #: The environment variable with the user's own key, and where that is sent.
    key_variable: str = ""
    key_parameter: str = ""
    key_header: str = ""
    #: What it is asked for, and the servers to which it may send on.
    accept: str = "application/json"
    leads_to: tuple[str, ...] = ()
    #: Reads an answer; raises `ValueError`.
    decode: Callable[[bytes], Any] = json.loads

    @property
    def host(self) -> str:
        """The name of its server."""
        return self.address.partition("://")[2]

    @property
    def key(self) -> str:
        """The user's own key, which is optional."""
        return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""

    def works(self, wanted: Wanted, ask: Ask) -> Iterator[BibEntry]:
        """Yield what may be the work, best first: that of the DOI, or those with such a title."""
        return map(self.read, self.records_of(wanted, ask))

    def search(self, words: str, ask: Ask) -> list[BibEntry]:
        """Return works that it finds by words, best first."""
        asked = self.between_words.join(map(self.word.format, _without_operators(words)))
        found = values_at(_asked(self.by_words, asked, ask, self.records, list), self.records)
        return [self.read(each) for each in found[:_ROWS] if isinstance(each, dict)]

    def takes(self, wanted: Wanted) -> bool:
        """Return whether it can be asked this: not all services know PMIDs and ISBNs."""
        return not wanted.doi or bool(self._query_of(wanted)[0])

    def _query_of(self, wanted: Wanted) -> tuple[str, str]:
        """Return what it is asked, and about which value."""
        scheme, _, value = wanted.doi.partition(":")
        if scheme in ("pmid", "isbn"):
            return self.by_pmid if scheme == "pmid" else self.by_isbn, value
        if wanted.doi:
            return self.by_doi, wanted.doi
        words = _without_operators(wanted.title) if self.has_operators else [wanted.title]
        return self.by_title, " ".join(words)

    def records_of(self, wanted: Wanted, ask: Ask) -> Iterator[dict[str, Any]]:
        """Yield the records in an answer, in the form of the service."""
        # The chapters of a book may have its ISBN, too.
        is_list = not wanted.doi or wanted.doi.startswith("isbn:")
        place, kind = (self.records, list) if is_list else (self.record, dict)
        answer = _asked(*self._query_of(wanted), ask, place, kind)
        found = values_at(answer, place) if is_list else [value_at(answer, place)]
        for record in found[:_MAX_FOUND]:
            if isinstance(record, dict) and record:
                yield record

    def read(self, record: Mapping[str, Any]) -> BibEntry:
        """Return a record as an entry; its key is the service's own identifier.

        Names are as the service has them, `OPEN_ACCESS` is the address of a copy. The field with
        its DOI has one that can be sent, which one in that address may not be.
        """
        values = (value_at(record, place) for place in self.places.split())
        name, title, authors, year, doi, abstract, open_access, cited_by, *more = values
        venue, kind, is_retracted, arxiv, printed = more
        # A repository, such as arXiv, is no journal.
        if value_at(record, "primary_location.source.type") == "repository":
            venue = ""
        # Crossref has these in the record itself.
        within = printed if isinstance(printed, dict) else record
        pages = [*map(_text, map(within.get, ("page", "pages", "first_page", "last_page")))]
        if isinstance(abstract, dict):
            abstract = _written_out(abstract)
        # Only Crossref has subtitles.
        titles = filter(None, (_text(title), _text(value_at(record, "subtitle.0"))))
        title, kind = (
            _read_mathematics(prose_of(": ".join(titles))),
            _KINDS.get(_text(kind), "misc"),
        )
        arxiv = BibEntry("", "", {"eprint": _text(arxiv)}, Path()).arxiv
        people = _texts(map(_full_name, authors if isinstance(authors, list) else ()))
        fields = {
            "author": " and ".join(people),
            "title": title,
            _VENUES.get(kind, ""): prose_of(venue),
            "year": str(year) if isinstance(year, int) else "",
            "volume": _text(within.get("volume"))[:_MAX_NUMBER],
            "number": _text(within.get("issue"))[:_MAX_NUMBER],
            "pages": "-".join(dict.fromkeys(filter(None, pages)))[:_MAX_NUMBER],
            "doi": doi_of(doi),
            "eprint": arxiv,
            "archiveprefix": arxiv and "arXiv",
            "abstract": _read_mathematics(prose_of(_text(abstract))),
            OPEN_ACCESS: _text(open_access),
            CITED_BY: str(cited_by) if isinstance(cited_by, int) else "",
            RETRACTED: "yes" if is_retracted is True or _RETRACTED.match(title) else "",
        }
        return BibEntry(_text(name), kind, {n: v for n, v in fields.items() if n and v}, Path())

    def citing(self, work: BibEntry, ask: Ask) -> str:
        """Return what cites one of its works, and in which sentences, as `written_citing`."""
        answer = _asked(self.by_id, work.key, ask) if self.by_id else None
        found, left = [], _MAX_OF_ALL
        for record in values_at(answer, "data"):
            title = _text(value_at(record, "citingPaper.title"))
            contexts = tuple(dict.fromkeys(_texts(values_at(record, "contexts"))))
            if title and (sentences := contexts[: min(_MAX_SENTENCES, left)]):
                found.append((title, sentences))
                left -= len(sentences)
        return written_citing(found)


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """What a service would be sent at most: identifiers, titles, perhaps your address and key."""

    source: Source = field(repr=False)
    dois: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    email: str = ""

    @property
    def service(self) -> str:
        """The name of the service."""
        return self.source.name

    @property
    def host(self) -> str:
        """The name of its server."""
        return self.source.host

    @property
    def values(self) -> tuple[str, ...]:
        """The identifiers and titles, each once."""
        return (*self.dois, *self.titles)

    @property
    def with_email(self) -> bool:
        """Whether your address is sent along: only some services ask for one."""
        return bool(self.email) and self.source.wants_email

    @property
    def with_key(self) -> bool:
        """Whether your key is sent along."""
        return bool(self.source.key)


_OPENALEX_VALUES: Final = (
    "id,doi,title,publication_year,authorships,primary_location,type,abstract_inverted_index,"
    "cited_by_count,is_retracted,open_access,biblio"
)
_OPENALEX: Final = f"select={_OPENALEX_VALUES},locations"
_CROSSREF: Final = (
    "select=DOI,title,subtitle,author,issued,abstract,is-referenced-by-count,type,container-title"
)
_SEMANTIC_VALUES: Final = (
    "title,year,authors,abstract,externalIds,citationCount,openAccessPdf,venue,publicationTypes"
)
_SEMANTIC: Final = f"fields={_SEMANTIC_VALUES}"
#: By the names under which authors choose them.
SOURCES: Final = {
    "openalex": Source(
        "OpenAlex",
        "https://api.openalex.org",
        pause=0.15,
        by_doi=f"/works/doi:{{path}}?{_OPENALEX}",
        by_title=f"/works?search={{value}}&per_page={_MAX_FOUND}&{_OPENALEX}",
        records="results",
        places="id title authorships publication_year doi abstract_inverted_index"
        " open_access.oa_url cited_by_count primary_location.source.display_name type is_retracted"
        " - biblio",
        by_words=f"/works?search={{value}}&per_page={_ROWS}&select={_OPENALEX_VALUES}",
        values=_OPENALEX_VALUES,
        by_pmid=f"/works/pmid:{{segment}}?{_OPENALEX}",
        has_operators=True,
        has_all_registrars=True,
        has_notices=True,
        wants_email=True,
        charges_for_searches=True,
        key_variable="OPENALEX_API_KEY",
        key_parameter="api_key",
    ),
    "crossref": Source(
        "Crossref",
        "https://api.crossref.org",
        pause=0.35,
        by_doi="/works/{segment}",
        by_title=f"/works?query.bibliographic={{value}}&rows={_MAX_FOUND}&{_CROSSREF}",
        record="message",
        records="message.items",
        places="DOI title.0 author issued.date-parts.0.0 DOI abstract - is-referenced-by-count"
        " container-title.0 type - - -",
        by_words=f"/works?query.bibliographic={{value}}&rows={_ROWS}&{_CROSSREF},volume,issue,page",
        by_isbn=f"/works?filter=isbn:{{value}}&rows={_MAX_FOUND}",
        has_notices=True,
        wants_email=True,
    ),
    "semantic-scholar": Source(
        "Semantic Scholar",
        "https://api.semanticscholar.org",
        pause=1.1,  # without a key, one request a second
        by_doi=f"/graph/v1/paper/DOI:{{path}}?{_SEMANTIC}",
        by_title=f"/graph/v1/paper/search/match?query={{value}}&{_SEMANTIC}",
        records="data",
        places="paperId title authors year externalIds.DOI abstract openAccessPdf.url"
        " citationCount venue publicationTypes.0 - externalIds.ArXiv journal",
        by_words=f"/graph/v1/paper/search?query={{value}}&limit={_ROWS}&{_SEMANTIC},journal",
        values=f"{_SEMANTIC_VALUES},journal",
        by_id=f"/graph/v1/paper/{{segment}}/citations?fields=contexts,title&limit={_MAX_CITING}",
        by_pmid=f"/graph/v1/paper/PMID:{{segment}}?{_SEMANTIC}",
        has_all_registrars=True,
        key_variable="SEMANTIC_SCHOLAR_API_KEY",
        key_header="x-api-key",
    ),
}
#: Those that are searched by words.
SEARCHED: Final = {
    **SOURCES,
    "arxiv": Source(
        "arXiv",
        "https://export.arxiv.org",
        pause=3.0,
        records="entries",
        places="id title authors year doi summary pdf - journal - - id -",
        by_words=f"/api/query?search_query={{value}}&max_results={_ROWS}",
        word="all:{}",
        between_words=" OR ",
        accept="application/atom+xml",
        decode=entries_in,
    ),
}


def _without_operators(words: str) -> list[str]:
    return words.translate(_OPERATORS).lower().split()


def _asked(query: str, value: str, ask: Ask, place: str = "", kind: type = object) -> Any:  # noqa: ANN401 - any JSON
    """Return the answer to a query of a source about a value.

    It has a value of a `kind` at a place, or is None if there is no such work.
    """

    def is_answer(answer: object) -> bool:
        return answer is None or isinstance(value_at(answer, place), kind)

    path, _, parameters = query.partition("?")
    path = path.format(path=quote(value), segment=quote(value, safe=""))
    given = {name: each.format(value=value) for name, each in parse_qsl(parameters)}
    return ask(path, given, is_answer=is_answer)


def value_at(answer: object, place: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value at a place such as ``issued.date-parts.0.0``; None if there is none."""
    for name in place.split(".") if place else ():
        if isinstance(answer, list) and name.isdecimal():
            answer = next(iter(answer[int(name) :]), None)
        else:
            answer = answer.get(name) if isinstance(answer, dict) else None
    return answer


def values_at(answer: object, place: str) -> list[Any]:
    """Return the list at a place; an empty one if there is none."""
    found = value_at(answer, place)
    return found if isinstance(found, list) else []


def _full_name(record: object) -> str:
    family, given = _text(value_at(record, "family")), _text(value_at(record, "given"))
    if family:
        return f"{family}, {given}" if given else family
    # An institution has only a name.
    return _text(value_at(record, "name") or value_at(record, "author.display_name"))


def _written_out(index: dict[str, Any]) -> str:
    """Return the text whose words an index lists with their positions."""
    words: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if isinstance(position, int) and len(words) < _MAX_WORDS:
                words[position] = word
    return " ".join(words[position] for position in sorted(words))


def _text(value: object) -> str:
    """Return a text on one line without signs that no text file may have; else ""."""
    if not isinstance(value, str):
        return ""
    return " ".join(valid(without_controls(value)).split())[:_MAX_ABSTRACT]


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, values)))


def prose_of(value: object) -> str:
    """Return a title or an abstract of an answer without tags: as a bibliography's is read."""
    return _text(without_tags(_text(value), is_markup=True))


def _read_mathematics(text: str) -> str:
    """Return a text with mathematics in TeX as a bibliography's is read."""
    return MATHEMATICS.sub(lambda found: plain_text(f"${found[1]}$"), text)


def doi_of(value: object) -> str:
    """Return a DOI in lower case, without a resolver's address; "" for one that cannot be sent."""
    doi = BibEntry("", "", {"doi": value}, Path()).doi if isinstance(value, str) else ""
    return doi if is_sendable(doi) else ""


def sent_doi(entry: BibEntry) -> str:
    """Return the DOI of an entry, or that which arXiv registers; "" if none can be sent."""
    doi = entry.doi or (f"{ARXIV_DOI}{entry.arxiv}" if entry.arxiv else "")
    return doi if is_sendable(doi) else ""


def plan_name(email: str, sent: Iterable[ServiceRequest]) -> str:
    """Return a hash of what would be sent to whom, with the e-mail address."""
    what = [(each.source.name, *each.values, bool(each.source.key)) for each in sent]
    return blake2b(repr((email, what)).encode("utf-8", "replace"), digest_size=16).hexdigest()


def is_sendable(doi: str) -> bool:
    """Return whether a DOI can be part of a file of text, and of an address on one server."""
    leads_elsewhere = not {".", ".."}.isdisjoint(doi.split("/"))
    return doi.isprintable() and len(doi) <= _MAX_DOI and not leads_elsewhere
