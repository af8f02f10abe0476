"""The records of works that an author names, from services on the network.

- https://citation.doi.org/docs.html: doi.org leads to the registrar of a DOI (Crossref, DataCite,
  mEDRA), which answers with CSL JSON ("content negotiation"); of arXiv's DOIs that is DataCite;
- https://api.crossref.org: ``/works?query.bibliographic=`` and ``filter=isbn:``, whose records have
  the names of CSL with lists for texts;
- https://docs.openalex.org: works by ``pmid:`` or ``pmcid:``, and by title and DOI where the others
  have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from ..library.same_work import WorkMatcher
from ..library.same_work.titles import letters_of
from ..model.papers import BibEntry, Reference
from ..model.problems import InputError
from ..parsing.bibliographies import csl
from .named_works import NamedWork, named_work
from .service import Answers, NotAskedError, Service, ServiceError, opened
from .sources import (
    ARXIV_DOI,
    SOURCES,
    ServiceRequest,
    Source,
    doi_of,
    prose_of,
    sent_doi,
    value_at,
    values_at,
)

DOI_ORG: Final = Source(
    "doi.org",
    "https://doi.org",
    pause=0.35,
    wants_email=True,
    accept="application/vnd.citationstyles.csl+json",
    leads_to=(
        *("api.crossref.org", "data.crossref.org", "data.crosscite.org", "api.datacite.org"),
        *("data.datacite.org", "data.medra.org"),
    ),
)
_CROSSREF, _OPENALEX = SOURCES["crossref"], SOURCES["openalex"]
_BY_KIND: Final[Mapping[str, tuple[Source, ...]]] = {
    "DOI": (DOI_ORG, _OPENALEX),
    "arXiv id": (DOI_ORG, _OPENALEX),
    "PMID": (_OPENALEX, DOI_ORG),
    "PMCID": (_OPENALEX, DOI_ORG),
    "ISBN": (_CROSSREF,),
    "title": (_CROSSREF, _OPENALEX),
}
_MAX_FOUND: Final = 5
_ROWS: Final = "20"
#: After this time, who had nothing is asked again.
_NOTHING_SECONDS: Final = 12 * 3600.0
#: Crossref's types; it has its own names for them also in what it calls CSL.
_TYPES: Final = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "conference-paper": "paper-conference",
    "book-chapter": "chapter",
    **dict.fromkeys(("book-section", "book-part", "reference-entry"), "chapter"),
    **dict.fromkeys(("monograph", "edited-book", "reference-book", "book-set"), "book"),
    "review": "article-journal",
    "dissertation": "thesis",
    **dict.fromkeys(("report-component", "report-series"), "report"),
}
_BOOKS: Final = ("book", "monograph", "edited-book", "reference-book")
_TEXTS: Final = (
    *("container-title", "collection-title", "volume", "issue", "page", "number", "edition"),
    *("publisher", "publisher-place", "genre"),
)
_PEOPLE: Final = ("author", "editor", "translator")
_RANGE: Final = re.compile(r"(?<=\w)\s*[-–—]+\s*(?=\w)")
_PATH: Final = re.compile(r".*/isbn/")


def asked_for(names: Sequence[NamedWork], email: str) -> tuple[ServiceRequest, ...]:
    """Return what would be sent to whom at most to find a work with these names."""
    sent: dict[Source, dict[str, None]] = {}
    for name in names:
        for source in _BY_KIND[name.kind]:
            value = f"DOI {name.doi}" if name.doi else str(name)
            if name.kind in ("PMID", "PMCID") and source is DOI_ORG:
                value = "the DOI that OpenAlex has for it"
            sent.setdefault(source, {})[value] = None
    return tuple(
        ServiceRequest(source, tuple(values), (), email) for source, values in sent.items()
    )


def records(
    name: NamedWork, answers: Answers, email: str = "", *, offline: bool = False
) -> list[tuple[BibEntry, str]]:
    """Return the works that a name may mean, best first, each with the service that has it.

    Their keys are empty. With an identifier there is one. Raises `NotAskedError` if this is
    `offline` and an answer is not cached, `ServiceError` if no service could be asked, and
    `InputError` if none has the work, or one answers with another.
    """
    # A work of today may be registered tomorrow.
    newest = Answers(answers.folder, _NOTHING_SECONDS)
    with opened(_BY_KIND[name.kind], newest, email, offline=offline) as services:
        return _Asking({each.source.name: each for each in services}, name).found()


def look_up_name(entry: BibEntry) -> str:
    """Return what to look up the work of an entry by: its identifier, else its title."""
    return sent_doi(entry) or entry.title


def answered_record(entry: BibEntry, answers: Answers) -> BibEntry | None:
    """Return the record of an entry's work, if services have answered for it; this sends nothing.

    Identifiers in reference lists may be wrong: title, authors and year must agree.
    """
    described = Reference(entry.title, entry.surnames, entry.year)
    with suppress(InputError):
        for record, _ in records(named_work(look_up_name(entry)), answers, offline=True):
            if WorkMatcher((record,)).find(described) is not None:
                return record
    return None


class _Asking:
    def __init__(self, services: Mapping[str, Service], name: NamedWork) -> None:
        self._services, self._name = services, name
        self._failures: list[ServiceError] = []

    def found(self) -> list[tuple[BibEntry, str]]:
        name = self._name
        if name.kind == "title":
            found = self._titled()
        elif name.kind == "ISBN":
            parameters = {"filter": f"isbn:{name.value}", "rows": _ROWS}
            # Chapters have the ISBN of their book.
            books = self._listed(_CROSSREF, parameters, lambda each: each.get("type") in _BOOKS)
            found = books[:1]
        else:
            found = next(filter(None, self._identified()), [])
        if found:
            return found
        if self._failures:
            raise self._failures[0]
        asked = " and ".join(self._services)
        have = "has" if len(self._services) == 1 else "have"
        raise InputError(
            f"{asked} {have} no work with the {name}"
            if name.kind != "title"
            else f"{asked} {have} no work with a title like {name}"
        )

    def _identified(self) -> Iterator[list[tuple[BibEntry, str]]]:
        name = self._name
        if name.doi:
            yield self._alone(DOI_ORG, f"/{quote(name.doi)}", name.doi)
            yield self._alone(_OPENALEX, f"/works/doi:{quote(name.doi)}", name.doi)
            return
        number = name.value.removeprefix("PMC")
        at_openalex = self._alone(_OPENALEX, f"/works/{name.kind.lower()}:{number}")
        for entry, _ in at_openalex:
            if entry.doi:
                yield self._alone(DOI_ORG, f"/{quote(entry.doi)}", entry.doi)
        yield at_openalex

    def _titled(self) -> list[tuple[BibEntry, str]]:
        """Return works with such a title: of OpenAlex only if Crossref has none with just this."""
        title = self._name.value
        asked = {"query.bibliographic": title, "rows": str(_MAX_FOUND)}
        found = self._listed(_CROSSREF, asked)
        if not any(is_titled(entry.title, title) for entry, _ in found):
            known = {entry.doi for entry, _ in found} - {""}
            words = " ".join(word.lower() for word in re.findall(r"\w+", title))
            others = self._listed(_OPENALEX, {"search": words, "per_page": str(_MAX_FOUND)})
            found += [each for each in others if each[0].doi not in known]
        found.sort(key=lambda each: not is_titled(each[0].title, title))
        return found[:_MAX_FOUND]

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except NotAskedError:
            raise
        except ServiceError as error:
            self._failures.append(error)

    def _alone(self, source: Source, path: str, doi: str = "") -> list[tuple[BibEntry, str]]:
        """Return the work that a service has at a path; it must be the one that has the DOI."""
        found = []
        with self._noted():
            record = self._services[source.name].ask(path, {})
            found += [] if record is None else [(entry_of(record, source), source.name)]
        for entry, name in found:
            if doi and entry.doi and entry.doi != doi:
                raise InputError(
                    f"{name} answered for {doi} with a different work: “{entry.title}”"
                    f" ({entry.author_year}), DOI {entry.doi}; nothing was added"
                )
        return found

    def _listed(
        self,
        source: Source,
        asked: Mapping[str, str],
        is_wanted: Callable[[dict[str, Any]], bool] = lambda _: True,
    ) -> list[tuple[BibEntry, str]]:
        """Return the works that a service lists, without records that have no title."""
        found = []
        with self._noted():
            answer = self._services[source.name].ask("/works", asked)
            for record in values_at(answer, source.records):
                with suppress(ServiceError):
                    if isinstance(record, dict) and is_wanted(record):
                        found.append((entry_of(record, source), source.name))
        return found


def is_titled(title: str, asked: str) -> bool:
    """Return whether a title is the one asked for, but for spaces, signs and a subtitle."""
    return letters_of(asked) in (letters_of(title), letters_of(title.split(": ")[0]))


def entry_of(record: object, source: Source) -> BibEntry:
    """Return a record of a service as an entry without a key; raise `ServiceError`.

    Records of other services than OpenAlex are in CSL JSON, or as Crossref has it.
    """
    record = _from_openalex(record) if source.name == _OPENALEX.name else record
    found = record if isinstance(record, dict) else {}

    def text(name: str) -> str:
        value = found.get(name)
        value = next(iter(value), "") if isinstance(value, list) else value
        return str(value) if isinstance(value, int) else prose_of(value)

    title, subtitle = text("title"), text("subtitle")
    if subtitle and letters_of(subtitle) not in letters_of(title):
        title = f"{title}: {subtitle}"
    if not title:
        raise ServiceError(f"{source.name} sent a record without a title")
    kind = _TYPES.get(text("type"), text("type"))
    if kind not in (*csl.TYPES, "proceedings"):
        kind = "article-journal" if text("container-title") else "document"
    item = {
        "id": "record",
        "title": title,
        "type": kind,
        **{name: text(name) for name in _TEXTS},
        "page": text("page") or text("article-number"),
        "publisher": prose_of(value_at(found, "institution.0.name")) or text("publisher"),
        **{name: [*map(_person, values_at(found, name))] for name in _PEOPLE},
        "DOI": doi_of(found.get("DOI")),
        "ISBN": _PATH.sub("", text("ISBN")),
        "issued": _issued(found),
    }
    series, *books = map(prose_of, values_at(found, "container-title") or [""])
    if books and kind in ("chapter", "paper-conference"):
        item |= {"collection-title": series, "container-title": books[-1]}
    read: Any = {name: value for name, value in item.items() if value}
    return _tidy(csl.described(read, str, Path("record.json")), text("URL"))


def _tidy(entry: BibEntry, url: str) -> BibEntry:
    """Return an entry without what authors do not write, and with arXiv's identifier."""
    fields, kind = dict(entry.fields), entry.entry_type
    fields.pop("date", None)
    is_arxiv = entry.doi.startswith(ARXIV_DOI)
    if is_arxiv or (kind == "article" and "journal" in fields):
        fields.pop("publisher", None)
        fields.pop("isbn", None)
    if not entry.doi and url.startswith(("http://", "https://")):
        fields["url"] = url
    if is_arxiv:
        fields |= {"eprint": entry.doi.removeprefix(ARXIV_DOI), "archiveprefix": "arXiv"}
    if is_arxiv or (kind == "article" and "journal" not in fields):
        # Preprints, and software of DataCite: the publisher is the place where they are.
        kind = "misc"
    if fields.get("pages", "").startswith("n/a"):
        del fields["pages"]
    elif "pages" in fields:
        fields["pages"] = _RANGE.sub("--", fields["pages"])
    return BibEntry("", kind, fields, entry.path)


def _from_openalex(record: object) -> dict[str, Any]:
    at = partial(value_at, record)
    journal, kind = _appeared_in(record)
    pages = [page for name in ("first_page", "last_page") if (page := at(f"biblio.{name}"))]
    return {
        "title": at("title") or at("display_name"),
        "type": kind if at("type") == "article" else at("type"),
        "author": [
            _divided(value_at(each, "author.display_name") or value_at(each, "raw_author_name"))
            for each in values_at(record, "authorships")
        ],
        "issued": {"date-parts": [[at("publication_year")]]},
        "container-title": journal,
        "volume": at("biblio.volume"),
        "issue": at("biblio.issue"),
        "page": "-".join(dict.fromkeys(map(str, pages))),
        "DOI": at("doi"),
        "URL": at("primary_location.landing_page_url"),
    }


def _appeared_in(record: object) -> tuple[object, str]:
    """Return in which journal or book an article appeared, and what it is then."""
    places = values_at(record, "locations")
    published = (each for each in places if value_at(each, "version") == "publishedVersion")
    for place in (value_at(record, "primary_location"), *published):
        name, kind = (value_at(place, f"source.{each}") for each in ("display_name", "type"))
        if name and kind != "repository":
            return name, "paper-conference" if kind == "conference" else "article-journal"
    return None, "article-journal"


def _person(value: object) -> dict[str, str]:
    found = value if isinstance(value, dict) else {}
    family, given, suffix = (prose_of(found.get(name)) for name in ("family", "given", "suffix"))
    if family:
        return {"family": family, "given": given, "suffix": suffix}
    return {"literal": prose_of(found.get("literal") or found.get("name")) or given}


def _divided(name: object) -> dict[str, str]:
    """Return the parts of a name in its usual order: the family's begins with a particle."""
    family, comma, given = name.partition(",") if isinstance(name, str) else ("", "", "")
    if comma:
        return {"family": family, "given": given.strip()}
    words = family.split()
    particles = (at for at, word in enumerate(words[:-1]) if at and word.islower())
    at = next(particles, len(words) - 1)
    return {"family": " ".join(words[at:]), "given": " ".join(words[:at])}


def _issued(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the year in which a work was printed, rather than online before."""
    for name in ("published-print", "issued", "published", "published-online"):
        first = value_at(record, f"{name}.date-parts.0")
        if isinstance(first, list) and first and first[0]:
            return {"date-parts": [[str(first[0])]]}
    return {}
