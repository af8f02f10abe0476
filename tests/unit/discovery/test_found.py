"""One list of what several services know, and the words that are proposed for a search."""

from pathlib import Path

import pytest

from pincite.discovery.found import merged, rare_words
from pincite.discovery.neighbours import CITED_BY, CITES, FOUND_BY, RETRACTED
from pincite.model.papers import BibEntry


def entry(key, title, doi="", author="Writer, Ann", year="2001", **fields):
    fields = {"title": title, "author": author, "year": year, "doi": doi} | fields
    return BibEntry(key, "article", {n: v for n, v in fields.items() if v}, Path())


def test_a_work_of_two_services_is_one_with_the_connections_of_both():
    one = entry("W1", "Meadows behind the dams of beavers", "10.1/m", **{CITED_BY: "10.2/a 10.2/b"})
    other = entry(
        "ab12", "Meadows behind the Dams of Beavers.", "10.1/m", abstract="They grow.",
        **{CITED_BY: "10.2/b 10.2/c", CITES: "10.2/d", RETRACTED: "yes"},
    )  # fmt: skip
    (found,) = merged([[one], [other]])
    assert found.key == "W1"
    assert found.fields[CITED_BY] == "10.2/a 10.2/b 10.2/c"
    assert (found.fields[CITES], found.fields[RETRACTED]) == ("10.2/d", "yes")
    assert found.abstract == "They grow."


def test_one_identifier_is_one_work_however_its_title_is_written():
    one = entry("W1", "Meadows behind dams", "10.1/m")
    other = entry("ab12", "Meadows behind dams: a study of the north", "10.1/m")
    assert [each.key for each in merged([[one], [other]])] == ["W1"]


def test_a_preprint_and_what_it_became_are_one_work():
    one = entry("W1", "Meadows behind the dams of beavers", "10.1/m")
    other = entry("ab12", "Meadows behind the dams of beavers", eprint="2001.00001")
    assert [each.key for each in merged([[one], [other]])] == ["W1"]
    preprint = entry("W2", "Meadows behind the dams of beavers", "10.48550/arxiv.2001.00001")
    for lists in ([[one, preprint]], [[preprint, one]], [[preprint], [one]], [[one], [preprint]]):
        (found,) = merged(lists)
        assert (found.key, found.doi) == ("W1", "10.1/m")


def test_works_with_one_short_title_are_several():
    one = entry("W1", "Editorial", "10.1/a")
    other = entry("W2", "Editorial", "10.1/b", "Okafor, Bo", "1990")
    assert [each.key for each in merged([[one, other]])] == ["W1", "W2"]
    assert [each.key for each in merged([[one], [other]])] == ["W1", "W2"]


def test_services_that_found_a_work_are_named_once():
    lists = [
        [entry(name, "Meadows behind the dams of beavers", **{FOUND_BY: name})] * 2
        for name in ("OpenAlex", "Crossref", "arXiv")
    ]
    (found,) = merged(lists)
    assert found.fields[FOUND_BY] == "OpenAlex, Crossref, arXiv"


@pytest.mark.parametrize(
    ("sentence", "proposed"),
    [
        ("The beavers build dams in a wide river.", "beavers build dams wide river"),
        # Where each word would do, the commonest is left out: the sentence stays here.
        ("Beavers build river dams.", "Beavers build dams"),
        ("Beavers", "Beavers"),
        ("", ""),
    ],
)
def test_the_rarest_words_are_proposed_and_never_the_sentence(sentence, proposed):
    draft = "The river, a wide river, has dams. Each river does. Beavers build."
    assert rare_words(sentence, draft, {"the", "in", "a"}) == proposed
