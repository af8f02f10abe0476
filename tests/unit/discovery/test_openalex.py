"""What OpenAlex is asked, and what becomes of its answers."""

from pathlib import Path

import pytest

import works_around
from metadata_services import Work, number_of, serving
from pincite.discovery.found import MAX_WORKS, Found, identified
from pincite.discovery.neighbours import CITED_BY, CITES, RETRACTED
from pincite.discovery.openalex import discover, most_requests
from pincite.enrichment.service import Answers, Service, ServiceError
from pincite.enrichment.sources import SOURCES
from pincite.parsing.bibtex import parse_bibliography

pytest.importorskip("httpx", reason="httpx is not installed")

BIB = f"{works_around.BIB}@misc{{none, title = {{Without any identifier}}, author = {{Nobody, No}}, year = 1970}}\n"
WORKS = [
    *works_around.WORKS,
    Work("10.48550/arxiv.2001.00001", "Ponds and their ice", [("Ice", "Ida")], 2020),
    Work(
        "10.2/old", "Old meadows", [("Elder", "Di"), ("Berg", "Ed")], 1950, "Meadows are old.",
        type="article", primary_location={"source": {"display_name": "Journal of Meadows"}},
    ),
    Work("10.2/older", "Older meadows", [("Elder", "Di")], 1940, is_retracted=True),
]  # fmt: skip


@pytest.fixture(name="services")
def served(monkeypatch):
    with serving(WORKS) as services:
        monkeypatch.setenv("PINCITE_SERVICES", services.address)
        yield services


def own():
    return identified(parse_bibliography(BIB, Path("refs.bib")).entries.values())


def found_in(folder=None, **options):
    found = Found()
    service = Service(SOURCES["openalex"], Answers(folder))
    discover(own(), service, found, **options)
    service.close()
    return found


def test_works_around_are_found_with_their_connections(services):
    found = {entry.title: entry for entry in found_in().entries()}
    assert found.keys() == {"Old meadows", "Older meadows", "A review of dams and rivers"}
    old = found["Old meadows"]
    assert old.fields[CITED_BY] == "10.1/dams 10.1/rivers"
    assert old.fields["author"] == "Di Elder and Ed Berg"
    assert (old.abstract, old.year, old.doi) == ("Meadows are old.", "1950", "10.2/old")
    assert (old.entry_type, old.fields["journal"]) == ("article", "Journal of Meadows")
    assert old.key == number_of("10.2/old")
    assert found["Older meadows"].fields[RETRACTED] == "yes"
    assert found["A review of dams and rivers"].fields[CITES] == "10.1/dams 10.1/rivers"


def test_the_doi_of_another_work_brings_nothing(services):
    found = found_in()
    assert found.asked - found.known == {"10.1/bread", "10.1/lost"}
    assert "10.2/flour" not in {entry.doi for entry in found.entries()}


def test_only_identifiers_are_sent(services):
    found_in()
    for path, parameters, headers in services.requests:
        assert path == "/works"
        assert set(parameters) <= {"filter", "per_page", "select", "sort", "page"}
        name, _, values = parameters["filter"].partition(":")
        for value in values.split("|"):
            assert value.startswith("10." if name == "doi" else "W"), parameters
        assert "beavers" not in str((parameters, headers)).lower()


def test_requests_are_few_and_bounded(services):
    found_in()
    assert len(services.requests) == 3
    assert most_requests(100) <= 60
    assert most_requests(1, 100) == 1 + 5 + 1


def test_a_classic_does_not_fill_the_disk(services):
    services.works += [
        Work(f"10.4/{n}", f"Work number {n} on dams", [("Many", "Al")], 2010, cites=["10.1/dams"])
        for n in range(700)
    ]
    assert len(found_in().entries()) <= 503
    assert len([1 for _, asked, _ in services.requests if asked["filter"].startswith("cites")]) == 5
    services.requests.clear()
    assert len(found_in(most=10).entries()) <= 110
    assert MAX_WORKS == 5_000


@pytest.mark.parametrize(
    "fault",
    [
        (500, {}, b"") ,
        (200, {}, b"<html>"),
        (200, {}, b'{"results": 3}'),
        (200, {}, b"[]"),
        (403, {}, b""),
        (429, {"Retry-After": "999"}, b""),
        (0, {}, b""),
    ],
)  # fmt: skip
def test_what_came_before_a_failure_is_used_and_the_rest_resumed(
    services, tmp_path, monkeypatch, fault
):
    monkeypatch.setattr("pincite.enrichment.service._FIRST_WAIT_SECONDS", 0.0)
    first = Service(SOURCES["openalex"], Answers(tmp_path))
    # The first two kinds of requests are answered, the third fails.
    original = first.ask

    def ask(path, parameters, **options):
        if parameters["filter"].startswith("openalex"):
            services.faults += [fault] * 4
        return original(path, parameters, **options)

    monkeypatch.setattr(first, "ask", ask)
    found = Found()
    with pytest.raises(ServiceError):
        discover(own(), first, found)
    first.close()
    assert [entry.title for entry in found.entries()] == ["A review of dams and rivers"]
    services.faults.clear()
    services.requests.clear()
    assert len(found_in(tmp_path).entries()) == 3
    assert len(services.requests) == 1


def test_hostile_records_do_no_harm(services):
    services.works += [
        Work("10.5/a", "", [], 2010, cites=["10.1/dams"]),
        Work("10.5/b", "x" * 100_000, [], None, cites=["10.1/dams"], id="https://evil.example/W1|doi:x"),
        Work("10.5/c", "{\\input{x}} % $ & #", [("A", "B")] * 5_000, 2010, cites=["10.1/dams"]),
        Work("10.5/d", "Types", [], 2010, cites=["10.1/dams"], type=["x"], primary_location="y"),
        Work("10.5/e", "Cycle", [], 2010, cites=["10.1/dams", "10.5/e"], referenced_works=7),
    ]  # fmt: skip
    titles = {entry.title for entry in found_in().entries()}
    assert {"Types", "Cycle"} <= titles


def test_dois_that_would_change_the_question_are_not_sent():
    text = (
        "@misc{a, title={Some title}, doi={10.1/a|b}}\n@misc{b, title={Some title}, doi={10.1/c,d}}"
    )
    assert not identified(parse_bibliography(text, Path("refs.bib")).entries.values())
