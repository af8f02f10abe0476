"""What services know about the works of entries: to check the entries, not to add to them.

The answers are those that `enrich` asks for and caches, so a bibliography that was enriched is
mostly checked without a question. Places of the values: ``updated-by``, ``update-to``, ``relation``
and the dates of Crossref's works (https://api.crossref.org, "Metadata format" and "Crossmark");
``is_retracted``, ``biblio`` and ``locations`` of OpenAlex's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Final, NamedTuple

from ..library.same_work.titles import TELLING_WORDS, letters_of
from ..model.papers import PREPRINT_DOI, BibEntry, is_of_preprints
from ..text.languages import identified
from .enrich import Run
from .named_works import isbns_of, pmid_of
from .records import entry_of
from .service import Service, ServiceError
from .sources import (
    ARXIV_DOI,
    Source,
    Wanted,
    doi_of,
    prose_of,
    sent_doi,
    value_at,
    values_at,
)
from .verification import verify_match

#: Types of works that services know whatever their publisher, from this year on.
_COVERED: Final = frozenset(("article", "inproceedings", "conference", "incollection"))
_COVERED_FROM: Final = 1990
#: Fields that show that an article is something else, and the words that show it.
_KIND_FIELDS: Final = ("type", "howpublished", "journal", "journaltitle", "note", "url", "school")
_UNCOVERED: Final = re.compile(
    r"\b(?:thes[ei]s|dissertation|manual|software|github|gitlab|bitbucket|zenodo|website|blog|"
    r"newspaper|magazine|working paper|technical report|white ?paper|package|submitted|"
    r"in preparation|forthcoming|in press|to appear|accepted|under review|patent|personal comm\w*|"
    r"unpublished|wikipedia|the guardian|new york times|press release|news)\b",
    re.IGNORECASE,
)
_VENUES: Final = ("journal", "journaltitle", "booktitle")
_DATES: Final = ("issued", "published", "published-print", "published-online")


class Update(NamedTuple):
    """A notice about a work: its kind (``retraction``), date, DOI and reason, as far as known."""

    kind: str
    date: str = ""
    notice: str = ""
    reason: str = ""


class Record(NamedTuple):
    """What a service knows about a work, with the day of its answer (ISO 8601).

    `years` are all that it has: online and in print. `updates` are notices about the work;
    `notice_of` is the DOI of the work that it is itself a notice about, `published` the DOI of the
    publication of a preprint, `larger` the titles of that which the work is in. `raw` is the record
    in the form of the service.
    """

    service: str
    day: str
    work: BibEntry
    raw: Mapping[str, Any]
    doi: str
    years: frozenset[int]
    updates: tuple[Update, ...]
    notice_of: Update | None
    published: str
    larger: tuple[str, ...]


@dataclass(slots=True)
class Known:
    """What services know about the work of an entry.

    `by_identifier` is what the entry's identifier leads to, `by_title` what searches found, and
    `of_work` what the DOI of the same work leads to, which a search has found. `unknown_to` are the
    services that lack the identifier, `searched` those that were asked for the title. `publication`
    is the published version of a preprint, as an entry without a key. It is `complete` if all
    questions were answered.
    """

    entry: BibEntry
    identifier: str
    by_identifier: list[Record] = field(default_factory=list)
    unknown_to: list[Source] = field(default_factory=list)
    by_title: list[Record] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    of_work: list[Record] = field(default_factory=list)
    publication: BibEntry | None = None
    complete: bool = True


def identifier_of(entry: BibEntry) -> str:
    """Return the DOI of an entry, that of its preprint, ``pmid:…`` or ``isbn:…``; else ""."""
    if entry.doi or entry.arxiv:
        return sent_doi(entry)
    if pmid := pmid_of(entry):
        return f"pmid:{pmid}"
    # Those of the book are no chapter's.
    is_book = "book" in entry.entry_type and "in" not in entry.entry_type
    return next((f"isbn:{isbn}" for isbn in isbns_of(entry)), "") if is_book else ""


def is_covered(entry: BibEntry) -> bool:
    """Return whether services would know the work of an entry by its title, if it exists.

    They know articles, papers, books and preprints of the last decades, mostly in English.
    """
    words, kind = entry.title.split(), entry.entry_type
    if len(words) < TELLING_WORDS or not entry.surnames:
        return False
    has_identifier = bool(identifier_of(entry))
    is_book = "book" in kind and "in" not in kind
    if kind not in _COVERED and not (has_identifier and (is_book or entry.arxiv)):
        return False
    if any(_UNCOVERED.search(entry.fields.get(name, "")) for name in _KIND_FIELDS):
        return False
    if not letters_of(entry.title).isascii() or identified(entry.title) not in ("en", None):
        return False
    return has_identifier or (entry.year.isdecimal() and int(entry.year) >= _COVERED_FROM)


def look_up(entry: BibEntry, run: Run) -> Known:
    """Ask services for the work of an entry: by its identifier, and by its title if that fails.

    An identifier fails if no service knows it, or all know another work by it; titles are searched
    only if the entry `is_covered`. Of a work that is found by its title, the DOI is asked for, as
    only that shows whether it was retracted, and of a preprint that of its publication.
    """
    known = _look_up_work(entry, run)
    if (found := published_as(entry, known)) is not None:
        _ask_for_publication(known, found[0], run)
    return known


def published_as(entry: BibEntry, known: Known) -> tuple[str, Record] | None:
    """Return the DOI of the publication of a preprint, and the record that has it."""
    venue = " ".join(entry.fields.get(name, "") for name in _VENUES).strip()
    own = entry.doi or known.identifier
    if not PREPRINT_DOI.match(own) or (venue and not is_of_preprints(venue)):
        return None
    for record in (*known.by_identifier, *known.of_work):
        is_same = verify_match(entry, record.work, by_doi=True) == "same"
        doi = record.published or record.doi
        if is_same and doi and not PREPRINT_DOI.match(doi):
            return doi, record
    return None


def _look_up_work(entry: BibEntry, run: Run) -> Known:
    known = Known(entry, identifier_of(entry))
    wanted = Wanted(known.identifier, "")
    for service in run.services if known.identifier else ():
        source = service.source
        is_elsewhere = known.identifier.startswith(ARXIV_DOI) and not source.has_all_registrars
        with_people = sum(bool(each.work.surnames) for each in known.by_identifier)
        is_enough = with_people > 1 and not source.has_notices
        if is_elsewhere or is_enough or not source.takes(wanted):
            continue
        found = _records(known, service, wanted, run)
        known.by_identifier += found or ()
        if found == []:
            known.unknown_to.append(source)
    verdicts = [verify_match(entry, each.work, by_doi=True) for each in known.by_identifier]
    # One alone, as of an ISBN, may have it wrong.
    settled = "same" in verdicts or (len(verdicts) > 1 and {*verdicts} != {"other"})
    if settled or not is_covered(entry):
        return known
    for service in sorted(run.services, key=lambda each: each.source.charges_for_searches):
        found = _records(known, service, Wanted("", entry.title), run)
        if found is None:
            continue
        known.searched.append(service.source.name)
        known.by_title += found
        same = [each for each in found if verify_match(entry, each.work, by_doi=False) == "same"]
        if same:
            doi = same[0].doi
            for other in run.services if doi else ():
                if other.source.has_notices:
                    known.of_work += _records(known, other, Wanted(doi, ""), run, doi) or ()
            break
    return known


def _ask_for_publication(known: Known, doi: str, run: Run) -> None:
    # Crossref has more of it, and only works that are registered there.
    for service in sorted(run.services, key=lambda each: each.source.has_all_registrars):
        source = service.source
        if known.publication is not None or not source.has_notices:
            continue
        for record in _records(known, service, Wanted(doi, ""), run, doi) or ():
            with suppress(ServiceError):  # a record without a title
                if verify_match(known.entry, record.work, by_doi=True) == "same":
                    known.publication = entry_of(record.raw, source)


def _records(
    known: Known, service: Service, wanted: Wanted, run: Run, found_doi: str = ""
) -> list[Record] | None:
    """Return the records in an answer; None if there is no answer."""
    found = None
    with run.asking(service, wanted, found_doi) as ask:
        answered = [*service.source.records_of(wanted, ask)]
        day = datetime.fromtimestamp(service.answered_at, timezone.utc).date().isoformat()
        found = [record_from(service.source, each, day) for each in answered]
    known.complete &= found is not None
    return found


def record_from(source: Source, raw: Mapping[str, Any], day: str) -> Record:
    """Return a record of a service, whose `day` is that of the answer."""
    work = source.read(raw)
    doi = work.fields.get("doi", "")
    years = {_year(value_at(raw, f"{name}.date-parts")) for name in _DATES}
    years |= {_year(raw.get("publication_year")), _year(raw.get("year"))}
    updates = [_update(each) for each in values_at(raw, "updated-by")]
    # OpenAlex knows neither day nor notice.
    updates += [Update("retraction")] if raw.get("is_retracted") is True else []
    notices = [_update(each) for each in values_at(raw, "update-to")]
    # Some publishers replace the text of a work by the notice.
    updates += [each for each in notices if each.notice == doi]
    others = [each for each in notices if each.notice != doi]
    return Record(
        service=source.name,
        day=day,
        work=work,
        raw=raw,
        doi=doi,
        years=frozenset(years - {0}),
        updates=tuple(updates),
        notice_of=others[0] if others else None,
        published=_published(raw, doi),
        larger=tuple(map(_first, values_at(raw, "container-title"))),
    )


def _published(raw: Mapping[str, Any], own: str) -> str:
    """Return the DOI under which a preprint was published, if a record has one."""
    related = values_at(raw, "relation.is-preprint-of")
    dois = [doi_of(each.get("id")) for each in related if isinstance(each, dict)]
    for place in values_at(raw, "locations"):
        if isinstance(place, dict) and value_at(place, "source.type") in ("journal", "conference"):
            is_published = place.get("version") == "publishedVersion"
            dois += [doi_of(place.get("landing_page_url"))] * is_published
    if value_at(raw, "externalIds.ArXiv"):
        dois.append(doi_of(value_at(raw, "externalIds.DOI")))
    found = (doi for doi in dois if doi and not doi.startswith(ARXIV_DOI))
    return next((doi for doi in found if doi != own or value_at(raw, "externalIds.ArXiv")), "")


def _update(raw: object) -> Update:
    kind, date = _first(value_at(raw, "type")), _first(value_at(raw, "updated.date-time"))
    return Update(kind.replace("_", "-").lower(), date[:10], doi_of(value_at(raw, "DOI")))


def _first(value: object) -> str:
    return prose_of(value)[:200]


def _year(value: object) -> int:
    while isinstance(value, list):
        value = value[0] if value else None
    with suppress(TypeError, ValueError):
        return year if 1000 < (year := int(value)) < 3000 else 0  # type: ignore[call-overload]
    return 0
