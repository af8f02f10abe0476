"""What is around a bibliography, from reference lists and from what was fetched."""

from pathlib import Path

import numpy as np
import pytest

from pincite.discovery import order
from pincite.discovery.neighbours import (
    CITED_BY,
    CITES,
    RETRACTED,
    neighbourhood,
    neighbours_path,
    read_neighbours,
    write_neighbours,
)
from pincite.model.papers import BibEntry, Reference


def entry(key, title, doi="", **fields):
    fields = {"title": title, "author": "Writer, Ann", "year": "2001", "doi": doi} | fields
    return BibEntry(key, "article", {n: v for n, v in fields.items() if v}, Path("refs.bib"))


def listed(title, surname="Okafor", year="1999", **more):
    return Reference(title=title, surnames=(surname,), year=year, **more)


RIVERS = entry("rivers", "Sediment in rivers of the north", "10.1/rivers")
DAMS = entry("dams", "Dams that beavers build in winter", "10.1/dams")


def test_what_several_papers_list_is_one_work_with_their_connections():
    meadows = listed("Meadows behind the dams of beavers")
    found = neighbourhood(
        [RIVERS, DAMS],
        [("rivers", [meadows]), ("dams", [listed("Meadows behind the Dams of Beavers.")])],
    )
    assert [each.entry.title for each in found] == ["Meadows behind the dams of beavers"]
    assert found[0].connected == {"rivers", "dams"}
    assert found[0].reason == "cited by 2 of the works you cite"
    assert found[0].entry.author_year == "Okafor 1999"


def test_what_the_author_has_is_left_out():
    own = listed("Sediment in rivers of the north", "Writer", "2001")
    found = neighbourhood([RIVERS, DAMS], [("dams", [own, listed("Ponds that freeze in winter")])])
    assert [each.entry.title for each in found] == ["Ponds that freeze in winter"]


@pytest.mark.parametrize(
    "reference",
    [
        Reference(title="", surnames=("Okafor",), year="1999"),
        Reference(title="Meadows behind the dams of beavers", year="1999"),
        Reference(title="Meadows behind the dams of beavers", surnames=("Okafor",)),
        listed("Ibid."),
        listed("…" * 40),
    ],
    ids=["no title", "no names", "no year", "short", "no letters"],
)
def test_what_cannot_be_distinguished_from_other_works_is_no_work(reference):
    assert neighbourhood([DAMS], [("dams", [reference])]) == []


def test_a_name_of_several_words_stays_one_name():
    (found,) = neighbourhood(
        [DAMS], [("dams", [listed("Meadows behind the dams", "van der Berg")])]
    )
    assert found.entry.surnames == ("van der Berg",)


def test_fetched_works_are_connected_by_the_dois_of_works_that_are_there():
    fetched = [
        entry("W1", "Meadows behind the dams of beavers", **{CITED_BY: "10.1/dams 10.1/gone"}),
        entry("W2", "A review of beavers and rivers", **{CITES: "10.1/dams 10.1/rivers"}),
        entry("W3", "Nobody here knows this work of mine", **{CITED_BY: "10.1/gone"}),
        entry("W4", "Results that were not true at all", **{CITES: "10.1/dams", RETRACTED: "yes"}),
    ]
    found = {each.entry.key: each for each in neighbourhood([RIVERS, DAMS], (), fetched)}
    assert {key: each.reason for key, each in found.items()} == {
        "W1": "cited by a work you cite",
        "W2": "cites 2 of the works you cite",
        "W4": "cites a work you cite; retracted",
    }
    assert found["W4"].is_retracted


def test_fetched_works_with_short_titles_are_works_each_of_its_own():
    fetched = [
        entry("W1", "Random Forests", "10.2/forests", **{CITED_BY: "10.1/dams"}),
        entry("W2", "Editorial", "10.2/first", **{CITED_BY: "10.1/dams"}),
        entry("W3", "Editorial", "10.2/second", **{CITED_BY: "10.1/rivers"}),
        entry("W4", "", "10.2/nothing", **{CITED_BY: "10.1/rivers"}),
    ]
    # The draft speaks of random forests: it is not the work of this title for that.
    found = neighbourhood([RIVERS, DAMS], (), fetched, front="Dams and random forests")
    assert [each.entry.key for each in found] == ["W1", "W2", "W3"]


def test_both_ways_of_connection_are_named():
    fetched = [
        entry("W1", "A long study of beavers", **{CITES: "10.1/dams", CITED_BY: "10.1/rivers"})
    ]
    (found,) = neighbourhood([RIVERS, DAMS], (), fetched)
    assert found.reason == "cited by a work you cite; cites 1 of them"


def test_what_is_fetched_and_listed_is_one_work_as_it_was_fetched():
    fetched = [entry("W1", "Meadows behind the dams of beavers", **{CITES: "10.1/dams"})]
    home = [("rivers", [listed("Meadows behind the dams of beavers")])]
    (found,) = neighbourhood([RIVERS, DAMS], home, fetched)
    assert (found.entry.key, found.cited_by, found.cites) == ("W1", {"rivers"}, {"dams"})


def test_neighbours_are_written_and_read(tmp_path):
    path = neighbours_path(tmp_path / "index.sqlite", Path("/home/ann/paper.tex"))
    assert read_neighbours(path) == ()
    work = entry("W1", "Meadows & 50 % of {dams}", "10.1/x", **{CITES: "10.1/dams 10.1/rivers"})
    write_neighbours(path, [work])
    (found,) = read_neighbours(path)
    assert dict(found.fields) == dict(work.fields)


def test_other_drafts_have_other_neighbours(tmp_path):
    index = tmp_path / "index.sqlite"
    assert neighbours_path(index, Path("/a/b.tex")) != neighbours_path(index, Path("/b/b.tex"))


def scores(probabilities, connections, here=(0, 0), age=(3, 3), cited=(5, 5)):
    numbers = (np.array(each, float) for each in (connections, here, age, cited))
    return order.scores(probabilities, order.facts(*numbers))


def test_connections_decide_between_works_that_fit_alike():
    alike, better = scores([0.2, 0.2], [3, 1]), scores([0.2, 0.6], [1, 1])
    assert alike[0] > alike[1]
    assert better[1] > better[0]
    assert scores([0.0, 1.0], [0, 0])[1] < float("inf")


def test_what_the_paragraph_cites_age_and_citations_decide_between_works_that_are_alike():
    for more in ({"here": (1, 0)}, {"age": (1, 9)}, {"cited": (20, 5)}):
        first, second = scores([0.2, 0.2], [2, 2], **more)
        assert first > second, more


def test_what_is_unknown_is_as_usual_and_fame_is_bounded():
    known = order.facts(
        *(np.array(each, float) for each in ([1, 1, 1], [0] * 3, [np.nan] * 3, [1, np.nan, 7]))
    )
    assert known[1, 3] == (known[0, 3] + known[2, 3]) / 2
    assert np.isfinite(known).all()
    famous = scores([0.2, 0.2], [1, 1], cited=(60, 100_000))
    assert famous[0] == famous[1]
