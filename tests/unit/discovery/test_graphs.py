"""What OpenAlex and Semantic Scholar are asked about citations, and what becomes of the answers."""

from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import pytest

import works_around
from metadata_services import Work
from pincite.discovery import openalex, semantic_scholar
from pincite.discovery.found import Found, identified
from pincite.discovery.neighbours import CITED_BY, CITES, RETRACTED
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
        journal="Journal of Meadows", volume="3", issue="2", page="10-20",
    ),
    Work("10.2/older", "RETRACTED ARTICLE: Older meadows", [("Elder", "Di")], 1940),
]  # fmt: skip
#: Works that cite one of the author.s, a classic.
MANY = [
    Work(f"10.4/{n}", f"Work number {n} on dams", [("Many", "Al")], 2010, cites=["10.1/dams"])
    for n in range(1_500)
]
GRAPHS = {"openalex": openalex, "semantic-scholar": semantic_scholar}
of_each_graph = pytest.mark.parametrize("name", GRAPHS)


def own(bibliography=BIB):
    return identified(parse_bibliography(bibliography, Path("refs.bib")).entries.values())


def found_in(name, folder=None, works=None, found=None, **options):
    found = Found() if found is None else found
    with closing(Service(SOURCES[name], Answers(folder))) as service:
        GRAPHS[name].discover(own() if works is None else works, service, found, **options)
    return found


@of_each_graph
def test_works_around_are_found_with_their_connections(services, name):
    found = found_in(name)
    # The DOI of another work brings nothing.
    assert found.asked - found.known == {"10.1/bread", "10.1/lost"}
    found = {entry.title: entry for entry in found.entries()}
    assert found.keys() == {
        "Old meadows",
        "RETRACTED ARTICLE: Older meadows",
        "A review of dams and rivers",
        "Ice that melts early",
    }
    old = found["Old meadows"]
    assert old.fields[CITED_BY] == "10.1/dams 10.1/rivers"
    assert old.fields["author"] == "Di Elder and Ed Berg"
    assert (old.abstract, old.year, old.doi) == ("Meadows are old.", "1950", "10.2/old")
    assert (old.entry_type, old.fields["journal"]) == ("article", "Journal of Meadows")
    assert (old.fields["volume"], old.fields["pages"]) == ("3", "10-20")
    assert old.fields.get("number") == {"openalex": "2"}.get(name)
    assert found["RETRACTED ARTICLE: Older meadows"].fields[RETRACTED] == "yes"
    assert found["A review of dams and rivers"].fields[CITES] == "10.1/dams 10.1/rivers"
    assert found["Ice that melts early"].doi == "10.48550/arxiv.1901.00002"


@of_each_graph
def test_only_identifiers_are_sent(services, name):
    found_in(name)
    for path, parameters, headers in services.requests:
        assert "beavers" not in str((parameters, headers)).lower()
        if name == "openalex":
            assert path == "/works"
            assert parameters.keys() <= {"filter", "per_page", "select", "sort", "page"}
            kind, _, values = parameters["filter"].partition(":")
            starts = ("10." if kind == "doi" else "W",)
        else:
            assert path == "/graph/v1/paper/batch"
            assert parameters.keys() == {"fields", "ids"}
            values, starts = parameters["ids"], ("DOI:10.", "ARXIV:", *"0123456789abcdef")
        assert all(value.startswith(starts) for value in values.split("|")), parameters


def test_dois_that_would_change_the_question_are_not_sent():
    assert not own(
        "@misc{a, title={Title}, doi={10.1/a|b}}\n@misc{b, title={Title}, doi={10.1/c,d}}"
    )


@pytest.mark.parametrize(("name", "most"), [("openalex", 52), ("semantic-scholar", 8)])
def test_a_hundred_works_take_no_more_requests_than_are_shown(services, name, most):
    services.works = [
        Work(f"10.1/{n}", f"Work {n} on dams", [("Many", "Al")], 2000, cites=[f"10.2/{n}"])
        for n in range(100)
    ]
    services.works += [
        Work(f"10.2/{n}", f"Old work {n} on dams", [("Elder", "Di")], 1950) for n in range(100)
    ]
    hundred = identified(
        BibEntry(f"k{n}", "article", {"title": work.title, "author": "Many, Al", "doi": work.doi}, Path())
        for n, work in enumerate(services.works[:100])
    )  # fmt: skip
    steps = count()
    found = found_in(name, works=hundred, step=partial(next, steps))
    assert (len(found.known), len(found.works)) == (100, 100)
    assert GRAPHS[name].most_requests(100) == most
    assert len(services.requests) == next(steps) <= most


def test_a_classic_does_not_fill_the_disk(services):
    services.works += MANY
    assert len(found_in("openalex").entries()) <= 504
    assert len([1 for _, asked, _ in services.requests if asked["filter"].startswith("cites")]) == 5


def test_a_classic_with_50_000_citations_is_asked_for_one_page(services):
    services.works[0].more = {"cited": 50_000}
    services.works += MANY
    found = found_in("semantic-scholar")
    assert len(found.works) <= semantic_scholar.MAX_WORKS
    pages = [asked for path, asked, _ in services.requests if path.endswith("/citations")]
    assert pages == [{"fields": "paperId", "limit": "1000"}]
    # What more of the author's works are connected with is not lost among them.
    assert {"Old meadows", "A review of dams and rivers"} <= {
        work.title for work in found.works.values()
    }


def test_citations_are_asked_for_in_as_many_batches_as_answers_have_room(services):
    for work in services.works[:2]:
        work.more = {"cited": 8_000}
    found_in("semantic-scholar")
    asked = [given["ids"] for _, given, _ in services.requests if given["fields"].startswith("cit")]
    assert len(asked) == 2 <= semantic_scholar.most_requests(1)


def test_works_that_it_does_not_know_are_no_failure(services):
    services.works = [work for work in services.works if not work.doi.startswith(("10.1/", "10.4"))]
    found = found_in("semantic-scholar")
    assert found.asked == {*own()}
    assert not found.known
    assert len(services.requests) == 1


@pytest.mark.parametrize("fault", [(400, {}, b'{"error":"Bad fields"}'), (404, {}, b"{}")])
def test_a_question_that_it_does_not_take_is_a_failure(services, fault):
    services.faults += [fault]
    with pytest.raises(ServiceError, match=f"status {fault[0]}"):
        found_in("semantic-scholar")


def test_a_preprint_and_its_publication_are_both_known_by_one_identifier(services):
    publication = Work("10.1/ice", "Ponds and their ice", [("Ice", "Ida")], 2021)
    services.works += [publication, Work("10.3/new", "Ice anew", [], 2022, cites=["10.1/ice"])]
    preprint = next(work for work in services.works if "2001.00001" in work.doi)
    preprint.for_semantic_scholar = publication.for_semantic_scholar
    both = own(
        BIB + "@article{ice, title={Ponds and their ice}, author={Ice, Ida}, doi={10.1/ice}}"
    )
    found = found_in("semantic-scholar", works=both)
    dois = {"10.1/ice", "10.48550/arxiv.2001.00001"}
    assert dois <= found.known
    (new,) = (each for each in found.entries() if each.title == "Ice anew")
    assert {*new.fields[CITES].split()} == dois


@of_each_graph
@pytest.mark.parametrize(
    "fault",
    [
        (500, {}, b""),
        (200, {}, b"<html>"),
        (200, {}, b'{"results": 3, "data": []}'),
        (200, {}, b"[]"),
        (403, {}, b""),
        (429, {"Retry-After": "999"}, b""),
        (0, {}, b""),
    ],
)
def test_what_came_before_a_failure_is_used_and_not_asked_again(services, tmp_path, name, fault):
    answer = services.answer

    def fails_later(path, parameters):
        if len(services.requests) == 1:
            services.faults += [fault] * 4
        return answer(path, parameters)

    services.answer = fails_later
    found = Found()
    with pytest.raises(ServiceError):
        found_in(name, tmp_path, found=found)
    assert found.known == {"10.1/dams", "10.1/rivers", "10.48550/arxiv.2001.00001"}
    services.faults.clear()
    services.requests.clear()
    services.answer = answer
    assert len(found_in(name, tmp_path).entries()) == 4
    assert len(services.requests) == 2


@of_each_graph
def test_hostile_records_do_no_harm(services, name):
    services.works += [
        Work("10.5/a", "", [], 2010, cites=["10.1/dams"]),
        Work("10.5/b", "x" * 100_000, [], None, cites=["10.1/dams"]),
        Work("10.5/c", "{\\input{x}} % $ & #", [("A", "B")] * 5_000, 2010, cites=["10.1/dams"]),
        Work("10.5/e", "Cycle", [], 2010, cites=["10.1/dams", "10.5/e"]),
    ]
    if name == "openalex":
        services.works += [
            Work("10.5/f", "Types", [], 2010, cites=["10.1/dams"], type=["x"], primary_location="y"),
            Work("10.5/g", "No list", [], 2010, cites=["10.1/dams"], referenced_works=7),
            Work("10.5/h", "Elsewhere", [], None, cites=["10.1/dams"], id="https://a.example/W1|doi:x"),
        ]  # fmt: skip
    else:
        services.works[0].more = {
            "references": [None, 3, {}, {"paperId": None}, {"paperId": "../../x"}, {"paperId": 7}]
        }
        services.works[1].more = {"references": None}
    titles = {entry.title for entry in found_in(name).entries()}
    assert titles >= ({"Cycle", "Types", "No list"} if name == "openalex" else {"Cycle"})
