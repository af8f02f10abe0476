"""The record of a work that a reference list names, as far as services have answered."""

from pathlib import Path

import pytest

from metadata_services import Work, serving
from pincite.enrichment.named_works import named_work
from pincite.enrichment.records import answered_record, look_up_name, records
from pincite.enrichment.service import Answers
from pincite.model.papers import BibEntry

pytest.importorskip("httpx", reason="httpx is not installed")

TITLE = "Meadows on old sediment"
WORKS = [
    Work("10.2/reply", f"{TITLE}: a reply", [("Zhou", "Li")], 1951),
    Work("10.2/meadows", TITLE, [("Elder", "Di")], 1950, journal="Journal of Meadows"),
    Work("10.2/bread", "Prices of bread in the north", [("Baker", "Cy")], 1990),
]


def listed(title=TITLE, author="Elder", year="1950", doi=""):
    fields = {"title": title, "author": author, "year": year, "doi": doi}
    return BibEntry("home-1", "misc", {n: v for n, v in fields.items() if v}, Path())


@pytest.fixture(name="answers")
def answers_of_services(tmp_path, monkeypatch):
    answers = Answers(tmp_path)
    with serving(WORKS) as services:
        monkeypatch.setenv("PINCITE_SERVICES", services.address)
        for name in (TITLE, "10.2/bread"):
            records(named_work(name), answers)
    return answers


def test_the_work_with_the_title_people_and_year_is_taken(answers):
    record = answered_record(listed(), answers)
    assert (record.doi, record.entry_type) == ("10.2/meadows", "article")
    assert record.fields["journal"] == "Journal of Meadows"


def test_an_identifier_counts_before_the_title():
    assert look_up_name(listed(doi="10.2/bread")) == "10.2/bread"
    assert look_up_name(listed()) == TITLE


@pytest.mark.parametrize(
    "entry",
    [
        listed(author="Okafor", year="1911"),
        listed(doi="10.2/bread"),
        listed(title="A title about which nobody was asked"),
        listed(title="..."),
    ],
    ids=["other people", "identifier of another work", "not asked", "no title"],
)
def test_another_work_is_not_taken(answers, entry):
    assert answered_record(entry, answers) is None
