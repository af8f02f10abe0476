"""What is reported of an entry, from the answers of services in the forms that they document."""

from pathlib import Path

import pytest
from benchmarks.reference_checks import INVENTED, planted, real_entries

from metadata_services import Work
from pincite.checking.references import Asked, judge
from pincite.enrichment.enrich import Outcome, Run
from pincite.enrichment.known_works import look_up, record_from
from pincite.enrichment.named_works import isbns_of
from pincite.enrichment.sources import SOURCES
from pincite.model.papers import BibEntry
from recorded_references import Recorded, Works, entries_of
from where import SHARED

DRAFTS = SHARED / "data" / "drafts"
BEAVERS = Work(
    "10.1000/beavers",
    "Dams that beavers build in northern rivers",
    [("Naiman", "Robert J."), ("Melillo", "Jerry")],
    1996,
)
FROGS = Work(
    "10.1000/frogs", "How frogs sing at night in shallow ponds", [("Gerhardt", "Carl")], 1994
)


class Answered:
    """Works that all services know, as `Recorded` asks for them."""

    def __init__(self, *works):
        self.works = works

    def of_doi(self, name, doi):
        found = (each for each in self.works if doi in (each.doi, each.more.get("as")))
        return next((_in_form(each, name) for each in found), None)

    def of_title(self, name, title):
        words = set(title.lower().split())
        return [
            _in_form(e, name) for e in self.works if len(words & set(e.title.lower().split())) > 2
        ]


def _in_form(work, name):
    return getattr(work, f"for_{name.replace('-', '_')}")()


def entry(kind="article", **fields):
    fields = {
        "title": BEAVERS.title,
        "author": "Naiman, R. J. and Melillo, J.",
        "year": "1996",
        **fields,
    }
    return BibEntry("key", kind, fields, Path("refs.bib"))


def found_of(entry, *works, retractions=lambda *_: ()):
    asked = []
    run = Run([Recorded(name, Answered(*works), asked) for name in SOURCES], Outcome())
    return list(judge(look_up(entry, run), retractions))


def only(entry, *works):
    (found,) = found_of(entry, *works)
    return found


def beavers(doi=BEAVERS.doi, title=BEAVERS.title, **more):
    """Return the work of `entry` under another identifier or title, or with more in its records."""
    return Work(doi, title, BEAVERS.authors, 1996, **more)


def updated(kind, **more):
    when = {"date-time": "2020-05-04T00:00:00Z"}
    update = {"type": kind, "DOI": "10.1000/notice", "updated": when}
    return beavers(crossref={"updated-by": [update]}, **more)


ARXIV = {"eprint": "2401.00001", "archiveprefix": "arXiv"}
#: What OpenAlex knows of the publication of a preprint.
PUBLISHED = {"locations": [{
    "version": "publishedVersion", "source": {"type": "journal", "display_name": "Rivers"},
    "landing_page_url": "https://doi.org/10.1000/journal",
}]}  # fmt: skip
PREPRINT = beavers("10.48550/arxiv.2401.00001", openalex=PUBLISHED)
WHALES = "Songs of whales that nobody has recorded"


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("retraction", "This work was retracted on 2020-05-04"),
        ("withdrawal", "This work was withdrawn on 2020-05-04"),
        ("expression_of_concern", "This work has an expression of concern on 2020-05-04"),
        ("correction", "This work was corrected on 2020-05-04"),
    ],
)
def test_a_notice_about_a_work_is_shown_with_its_address(kind, start):
    found = only(entry(doi=BEAVERS.doi), updated(kind))
    assert found.kind == "retracted"
    assert found.message.startswith(start)
    assert found.notice == "https://doi.org/10.1000/notice"


def test_a_retraction_counts_more_than_a_correction_and_openalex_is_named_too():
    work = updated("correction", openalex={"is_retracted": True})
    assert "retracted, according to OpenAlex" in only(entry(doi=BEAVERS.doi), work).message


def test_a_title_that_begins_with_retracted_is_a_notice():
    work = beavers(title=f"RETRACTED: {BEAVERS.title}")
    assert only(entry(doi=BEAVERS.doi), work).message.startswith("This work was retracted")


def test_who_cites_the_notice_itself_knows_it():
    title = f"Retraction: {BEAVERS.title}"
    of = {"update-to": [{"type": "retraction", "DOI": BEAVERS.doi}]}
    notice = beavers("10.1000/notice", title, crossref=of)
    assert found_of(entry(doi=notice.doi, title=title), notice) == []
    assert only(entry(doi=notice.doi), notice).kind == "retracted"


def test_a_work_without_a_doi_is_found_by_its_title_and_was_retracted():
    assert only(entry(), updated("retraction")).kind == "retracted"


def test_a_doi_of_another_work_is_wrong_and_the_right_one_is_named():
    found = only(entry(doi=FROGS.doi), BEAVERS, FROGS)
    assert found.kind == "wrong-identifier"
    assert f"belongs to “{FROGS.title}” (Gerhardt 1994)" in found.message
    assert found.values == (("doi", BEAVERS.doi),)


def test_an_arxiv_identifier_and_a_pmid_of_another_work_are_wrong():
    arxiv = Work("10.48550/arxiv.2401.00001", FROGS.title, FROGS.authors, 2024)
    message = only(entry(**ARXIV), arxiv).message
    assert message.startswith("The arXiv identifier 2401.00001 belongs to")
    pubmed = Work(FROGS.doi, FROGS.title, FROGS.authors, 1994, **{"as": "pmid:123"})
    assert only(entry(pmid="123"), pubmed).message.startswith("The PMID 123 belongs to")


def test_an_isbn_of_another_book_is_wrong_but_its_chapters_are_no_other_book():
    book = Work("10.1000/b", FROGS.title, FROGS.authors, 1994, **{"as": "isbn:9783161484100"})
    given = entry("book", isbn="978-3-16-148410-0")
    assert only(given, book).message.startswith("The ISBN 9783161484100 belongs to")
    chapter = Work(
        "10.1000/c", FROGS.title, FROGS.authors, 1994,
        crossref={"container-title": [BEAVERS.title]}, **{"as": "isbn:9783161484100"},
    )  # fmt: skip
    assert [each.kind for each in found_of(given, chapter)] == []


def test_isbns_have_a_check_digit():
    assert isbns_of(entry(isbn="0-306-40615-2 (paper), 12")) == ["0306406152"]
    assert isbns_of(entry(isbn="978-3-16-148410-1")) == []


def test_a_work_that_no_service_knows_could_not_be_found():
    found = only(entry(title="Songs that whales never sang in frozen lakes"), BEAVERS)
    assert found.kind == "not-found"
    names = "Crossref, Semantic Scholar or OpenAlex"
    assert found.message == f"This title could not be found in {names}."
    unknown = only(
        entry(doi="10.1000/none", title="Songs that whales never sang in lakes"), BEAVERS
    )
    assert unknown.kind == "not-found"


def test_a_title_with_other_people_could_not_be_found_with_these():
    found = only(entry(author="Smith, Anna and Jones, Peter"), BEAVERS)
    assert found.kind == "not-found"
    assert (
        "has “Dams that beavers build in northern rivers” (Naiman and Melillo 1996)"
        in found.message
    )


@pytest.mark.parametrize(
    "given",
    [
        entry("software", title=WHALES),
        entry("misc", title=WHALES),
        entry("book", title=WHALES),
        entry(title=WHALES, year="1911"),
        entry(title="Песни китов, которых никто не записал"),
        entry(title=WHALES, note="In press"),
        entry(title=WHALES, url="https://github.com/a/b"),
        entry(title="Whale songs"),
    ],
    ids=lambda given: f"{given.entry_type} {given.title[:20]} {given.year}",
)
def test_works_that_services_need_not_know_are_never_missing(given):
    assert found_of(given, BEAVERS) == []


def test_a_published_preprint_is_named_with_its_publication():
    found = only(entry(**ARXIV, journal="arXiv preprint"), PREPRINT)
    assert (found.kind, found.values) == ("published", (("doi", "10.1000/journal"),))
    publication = [{"id-type": "doi", "id": "10.1000/Journal"}]
    related = {"relation": {"is-preprint-of": publication}}
    for doi in ("10.1101/2020.01.02.123456", "10.64898/2026.01.02.123456"):
        biorxiv = beavers(doi, crossref=related)
        assert only(entry(doi=doi), biorxiv).values == (("doi", "10.1000/journal"),)


@pytest.mark.parametrize("crossref", [True, False], ids=["Crossref", "OpenAlex alone"])
def test_the_published_version_of_a_preprint_is_asked_for(crossref):
    published = Work(
        "10.1000/journal", BEAVERS.title, BEAVERS.authors, 1998,
        journal="Rivers", volume="7", page="12-20", openalex=PUBLISHED,
    )  # fmt: skip
    if not crossref:
        published.for_crossref = dict
    found = only(entry("misc", **ARXIV), PREPRINT, published)
    assert found.entry_type == "article"
    expected = {"journal": "Rivers", "year": "1998", "volume": "7", "pages": "12--20"}
    values = dict(found.values)
    assert {**values, **expected, "doi": "10.1000/journal"} == values
    assert found.message.startswith("This preprint was published in Rivers (1998) as https://doi.org/10.1000/journal, according to")  # fmt: skip
    # What another work has under this DOI is not taken.
    other = Work("10.1000/journal", FROGS.title, FROGS.authors, 1994)
    found = only(entry(**ARXIV), PREPRINT, other)
    assert (found.entry_type, found.values) == ("", (("doi", "10.1000/journal"),))


def test_an_entry_that_names_its_journal_is_no_preprint():
    preprint = beavers(PREPRINT.doi, openalex={"doi": "https://doi.org/10.1000/journal"})
    assert found_of(entry(**ARXIV, journal="Journal of Rivers"), preprint) == []


def test_fields_differ_only_from_services_that_agree():
    biblio = {"volume": "7", "first_page": "12", "last_page": "20"}
    work = beavers(crossref={"volume": "7", "page": "12-20"}, openalex={"biblio": biblio})
    right = {"doi": BEAVERS.doi, "volume": "7", "pages": "12--20"}
    assert found_of(entry(**right), work) == []
    found = only(entry(**(right | {"year": "2003", "volume": "9", "pages": "1--8"})), work)
    assert found.kind == "entry-differs"
    assert found.values == (("year", "1996"), ("volume", "7"), ("pages", "12-20"))
    message = "year 2003 instead of 1996; volume 9 instead of 7; pages 1--8 instead of 12-20."
    assert found.message.endswith(message)
    fewer = only(entry(**right, author="Melillo, Jerry"), work)
    assert fewer.values == (("author", "Naiman, Robert J. and Melillo, Jerry"),)
    assert found_of(entry(**(right | {"volume": "9"})), beavers(crossref={"volume": "7"})) == []


@pytest.mark.parametrize(
    "people",
    ["Naiman, R. J. and Melillo, J.", "Jerry Melillo and Robert Naiman", "Naïman, R. and others",
     "The\u00a0Beaver\u00a0Group", "NAIMAN, R J and MELILLO, J"],
)  # fmt: skip
def test_names_are_written_in_many_ways(people):
    found = found_of(entry(doi=BEAVERS.doi, author=people), BEAVERS)
    assert not {each.kind for each in found} & {*INVENTED}
    assert "first author" not in str(found) or people.startswith("Jerry")


def test_a_year_online_before_print_is_no_difference():
    assert found_of(entry(doi=BEAVERS.doi, year="1997"), BEAVERS) == []
    assert only(entry(doi=BEAVERS.doi, year="2004"), BEAVERS).values == (("year", "1996"),)


def test_what_was_asked_is_counted_with_the_days_of_the_answers():
    asked = []
    run = Run([Recorded(name, Answered(BEAVERS), asked) for name in SOURCES], Outcome())
    known = [look_up(entry(doi=BEAVERS.doi), run)]
    text = (
        "Entries for which services answered: Crossref (1), OpenAlex (1); answers dated 2026-09-21"
    )
    assert str(Asked.of(known)) == text
    assert str(Asked.of([])) == "No service was asked"


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize(
    "raw",
    [
        {"title": 3},
        {"updated-by": "no", "update-to": [None, 3, {}], "relation": [], "locations": {"a": 1}},
        {"issued": {"date-parts": [[None]]}, "published-print": {"date-parts": []}, "biblio": []},
        {"locations": [None, {"source": None, "version": "publishedVersion"}], "externalIds": 4},
    ],
)
def test_records_of_any_form_are_read(source, raw):
    record = record_from(source, raw, "2026-01-01")
    assert not record.published
    assert all(not each.kind for each in record.updates)


@pytest.mark.parametrize("sign", ["\x1b", "\ud800", "\u202e"])
def test_no_value_of_a_record_has_signs_that_no_text_has(sign):
    raw = BEAVERS.for_crossref() | {
        "page": f"13{sign}-21",
        "volume": f"7{sign}",
        "container-title": [f"Dams{sign}"],
        "biblio": {"first_page": f"1{sign}"},
        "updated-by": [
            {"type": f"retraction{sign}", "updated": {"date-time": f"2020{sign}-05-04"}}
        ],
    }
    record = record_from(SOURCES["crossref"], raw, "2026-01-01")
    (update,) = record.updates
    values = (*record.work.fields.values(), *record.larger, update.kind, update.date)
    assert {"pages", "volume"} <= record.work.fields.keys()
    assert all(values)
    assert not any(sign in value for value in values)


@pytest.mark.skipif(not DRAFTS.exists(), reason="the drafts are not there")
def test_few_real_entries_are_called_invented_and_planted_faults_are_found():
    entries = entries_of(DRAFTS.iterdir(), 100)
    kinds = [each.kind for _, each in real_entries(entries, Works(entries))]
    assert sum(kind in INVENTED for kind in kinds) <= 0.02 * len(entries)
    for name, expected, changed, found in planted(entries, Works(entries, lacking=0.0)):
        number = sum(bool(each & expected) for each in found)
        # A subtitle that the services lack cannot be compared.
        assert number >= len(changed) - 1, name
        if name == "a wrong year alone":
            assert not any(each & {*INVENTED} for each in found)
