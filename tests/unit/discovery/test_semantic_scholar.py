"""What Semantic Scholar is asked, and what becomes of its answers."""

from contextlib import closing
from copy import deepcopy
from functools import partial
from itertools import count
from pathlib import Path

import pytest

import works_around
from metadata_services import Work, serving
from pincite.discovery import openalex, semantic_scholar
from pincite.discovery.found import Found, identified
from pincite.discovery.neighbours import CITED_BY, CITES, RETRACTED
from pincite.discovery.semantic_scholar import MAX_WORKS, discover
from pincite.enrichment.service import Answers, Service, ServiceError
from pincite.enrichment.sources import SOURCES
from pincite.model.papers import BibEntry
from pincite.parsing.bibtex import parse_bibliography
from works_around import BIB

pytest.importorskip("httpx", reason="httpx is not installed")

WORKS = [
    *works_around.WORKS,
    Work(
        "10.48550/arxiv.2001.00001", "Ponds and their ice", [("Ice", "Ida")], 2020,
        cites=["10.48550/arxiv.1901.00002"],
    ),
    Work("10.48550/arxiv.1901.00002", "Ice that melts early", [("Melt", "Mo")], 2019),
    Work(
        "10.2/old", "Old meadows", [("Elder", "Di"), ("Berg", "Ed")], 1950, "Meadows are old.",
        journal="Journal of Meadows",
    ),
    Work("10.2/older", "RETRACTED ARTICLE: Older meadows", [("Elder", "Di")], 1940),
]  # fmt: skip


@pytest.fixture(name="services")
def served(monkeypatch):
    monkeypatch.setattr("pincite.enrichment.service._FIRST_WAIT_SECONDS", 0.0)
    with serving(deepcopy(WORKS)) as services:
        monkeypatch.setenv("PINCITE_SERVICES", services.address)
        yield services


def own(bibliography=BIB):
    return identified(parse_bibliography(bibliography, Path("refs.bib")).entries.values())


def found_in(folder=None, found=None):
    found = Found() if found is None else found
    service = Service(SOURCES["semantic-scholar"], Answers(folder))
    try:
        discover(own(), service, found)
    finally:
        service.close()
    return found


def test_works_around_are_found_with_their_connections(services):
    found = {entry.title: entry for entry in found_in().entries()}
    assert found.keys() == {
        "Old meadows",
        "RETRACTED ARTICLE: Older meadows",
        "A review of dams and rivers",
        "Ice that melts early",
    }
    old = found["Old meadows"]
    assert old.fields[CITED_BY] == "10.1/dams 10.1/rivers"
    assert (old.abstract, old.year, old.doi) == ("Meadows are old.", "1950", "10.2/old")
    assert (old.entry_type, old.fields["journal"]) == ("article", "Journal of Meadows")
    assert found["RETRACTED ARTICLE: Older meadows"].fields[RETRACTED] == "yes"
    assert found["A review of dams and rivers"].fields[CITES] == "10.1/dams 10.1/rivers"
    assert found["Ice that melts early"].arxiv == "1901.00002"


def test_the_doi_of_another_work_brings_nothing(services):
    found = found_in()
    assert found.asked - found.known == {"10.1/bread", "10.1/lost"}


def test_only_identifiers_are_sent(services):
    found_in()
    for path, parameters, headers in services.requests:
        assert path == "/graph/v1/paper/batch"
        assert parameters.keys() == {"fields", "ids"}
        for value in parameters["ids"].split("|"):
            assert value.startswith(("DOI:10.", "ARXIV:")) or bytes.fromhex(value), parameters
        assert "beavers" not in str((parameters, headers)).lower()


def test_a_hundred_works_take_no_more_requests_than_are_shown(services):
    services.works = [
        Work(f"10.1/{n}", f"Work {n} on dams", [("Many", "Al")], 2000, cites=[f"10.2/{n}"])
        for n in range(100)
    ]
    services.works += [
        Work(f"10.2/{n}", f"Old work {n} on dams", [("Elder", "Di")], 1950) for n in range(100)
    ]
    entries = (
        BibEntry(f"k{n}", "article", {"title": work.title, "author": "Many, Al", "doi": work.doi}, Path())
        for n, work in enumerate(services.works[:100])
    )  # fmt: skip
    hundred = identified(entries)
    for name, module, most in (
        ("openalex", openalex, 52),
        ("semantic-scholar", semantic_scholar, 8),
    ):
        found, steps = Found(), count()
        with closing(Service(SOURCES[name], Answers(None))) as service:
            module.discover(hundred, service, found, partial(next, steps))
        assert (len(found.known), len(found.works)) == (100, 100)
        assert module.most_requests(100) == most
        assert len(services.requests) == next(steps) <= most
        services.requests.clear()


def test_works_that_it_does_not_know_are_no_failure(services):
    services.works = [work for work in services.works if not work.doi.startswith(("10.1/", "10.4"))]
    found = found_in()
    assert found.asked == {*own()}
    assert not found.known
    assert len(services.requests) == 1


@pytest.mark.parametrize("fault", [(400, {}, b'{"error":"Bad fields"}'), (404, {}, b"{}")])
def test_a_question_that_it_does_not_take_is_a_failure(services, fault):
    services.faults += [fault]
    with pytest.raises(ServiceError, match=f"status {fault[0]}"):
        found_in()


def test_a_preprint_and_its_publication_are_both_known_by_one_identifier(services, monkeypatch):
    publication = Work("10.1/ice", "Ponds and their ice", [("Ice", "Ida")], 2021)
    services.works += [publication, Work("10.3/new", "Ice anew", [], 2022, cites=["10.1/ice"])]
    preprint = next(work for work in services.works if "2001.00001" in work.doi)
    monkeypatch.setattr(preprint, "for_semantic_scholar", publication.for_semantic_scholar)
    both = BIB + "@article{ice, title={Ponds and their ice}, author={Ice, Ida}, doi={10.1/ice}}"
    found = Found()
    with closing(Service(SOURCES["semantic-scholar"], Answers(None))) as service:
        discover(own(both), service, found)
    dois = {"10.1/ice", "10.48550/arxiv.2001.00001"}
    assert dois <= found.known
    (new,) = (each for each in found.entries() if each.title == "Ice anew")
    assert {*new.fields[CITES].split()} == dois


def test_a_classic_with_50_000_citations_is_asked_for_one_page(services):
    services.works[0].more = {"cited": 50_000}
    services.works += [
        Work(f"10.4/{n}", f"Work number {n} on dams", [("Many", "Al")], 2010, cites=["10.1/dams"])
        for n in range(1_500)
    ]
    found = found_in()
    assert len(found.works) <= MAX_WORKS
    pages = [asked for path, asked, _ in services.requests if path.endswith("/citations")]
    assert pages == [{"fields": "paperId", "limit": "1000"}]
    # What more of the author's works are connected with is not lost among them.
    assert {"Old meadows", "A review of dams and rivers"} <= {
        work.title for work in found.works.values()
    }


def test_citations_are_asked_for_in_as_many_batches_as_answers_have_room(services):
    for work in services.works[:2]:
        work.more = {"cited": 8_000}
    found_in()
    asked = [given["ids"] for _, given, _ in services.requests if given["fields"].startswith("cit")]
    assert len(asked) == 2
    assert len(asked) <= semantic_scholar.most_requests(1)


@pytest.mark.parametrize(
    "fault",
    [
        (500, {}, b""),
        (200, {}, b"<html>"),
        (200, {}, b'{"data": []}'),
        (200, {}, b"[]"),
        (403, {}, b""),
        (429, {"Retry-After": "999"}, b""),
        (0, {}, b""),
    ],
)
def test_what_came_before_a_failure_is_not_asked_again(services, tmp_path, fault):
    answer = services.answer

    def fails_later(path, parameters):
        if len(services.requests) == 1:
            services.faults += [fault] * 4
        return answer(path, parameters)

    services.answer = fails_later
    found = Found()
    with pytest.raises(ServiceError, match="Semantic Scholar"):
        found_in(tmp_path, found)
    assert found.known == {"10.1/dams", "10.1/rivers", "10.48550/arxiv.2001.00001"}
    services.faults.clear()
    services.requests.clear()
    services.answer = answer
    assert len(found_in(tmp_path).entries()) == 4
    assert len(services.requests) == 2


def test_after_a_short_break_it_is_asked_again(services):
    services.faults += [(429, {"Retry-After": "0"}, b"")]
    assert len(found_in().entries()) == 4


def test_hostile_records_do_no_harm(services):
    services.works += [
        Work("10.5/a", "", [], 2010, cites=["10.1/dams"]),
        Work("10.5/b", "x" * 100_000, [], None, cites=["10.1/dams"]),
        Work("10.5/c", "{\\input{x}} % $ & #", [("A", "B")] * 5_000, 2010, cites=["10.1/dams"]),
        Work("10.5/e", "Cycle", [], 2010, cites=["10.1/dams", "10.5/e"]),
    ]
    services.works[0].more = {
        "references": [None, 3, {}, {"paperId": None}, {"paperId": "../../x"}, {"paperId": 7}]
    }
    services.works[1].more = {"references": None}
    titles = {entry.title for entry in found_in().entries()}
    assert "Cycle" in titles
    assert "Old meadows" not in titles
