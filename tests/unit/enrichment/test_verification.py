"""Which works that a service names are believed to be those of an entry."""

from pathlib import Path

import pytest

from pincite.enrichment.sources import FoundWork
from pincite.enrichment.verification import verify_match
from pincite.model.papers import BibEntry

LONG = "Prevalence of hepatitis B virus infection in blood donors"


def believed(own, other, by_doi=False):
    """Return the verdict on two works, each a title, authors in BibTeX's form, and a year."""
    (title, author, year), (other_title, other_author, other_year) = own, other
    entry = BibEntry(
        "k", "article", {"title": title, "author": author, "year": year}, Path("refs.bib")
    )
    authors = tuple(other_author.split(" and "))
    return verify_match(entry, FoundWork("w", other_title, authors, other_year), by_doi=by_doi)


@pytest.mark.parametrize(
    ("title", "other"),
    [
        (LONG, LONG.replace(" B ", " C ")),
        ("Regulation of protein kinase A in the heart", "Regulation of protein kinase C in the heart"),
        ("Ponds of the far north, Part A", "Ponds of the far north, Part B"),
        (LONG, f"{LONG}: Corrigendum"),
        (LONG, f"{LONG} (Erratum)"),
        (LONG, f"{LONG}: Reply"),
        (LONG, f"RETRACTED: {LONG}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_doi", [False, True])
def test_a_letter_or_a_notice_makes_another_work(title, other, by_doi):
    who = ("Khan, Ali", "2010")
    assert believed((title, *who), (other, *who), by_doi) == "unsure"


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Treatment of hypertension in older patients", "Treatment of hypotension in older patients"),
        ("Adsorption of dyes from water on clay", "Absorption of dyes from water on clay"),
    ],
)  # fmt: skip
def test_a_search_must_find_the_very_title(title, other):
    who = ("Khan, Ali", "2010")
    assert believed((title, *who), (other, *who)) == "unsure"
    assert believed((title, *who), (title.upper(), *who)) == "same"
    assert believed((title, *who), (f"{title}: A study of two", *who)) == "same"


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        (("Smith, John", "2010"), ("Smith, John", "2010"), "same"),
        (("Smith, J.", "2010"), ("John A. Smith", "2010"), "same"),
        (("Smith, John", "2010"), ("Smith, Anna", "2010"), "unsure"),
        (("Smith, John", "2010"), ("Smith, John", "2011"), "unsure"),
        (("Smith, John", "2010"), ("Smith, John", ""), "unsure"),
        (("Smith", "2010"), ("Smith", "2010"), "unsure"),
        (("Smith and Orr", "2010"), ("Smith and Orr", "2010"), "same"),
    ],
)
def test_a_short_title_needs_its_year_and_its_people(own, other, found):
    assert believed(("Introduction", *own), ("Introduction", *other)) == found


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("{WHO}", "{World Health Organization}"),
        ("Wang, Wei", "Wei, Wang"),
        ("{ATLAS Collaboration}", "Aad, G. and Abbott, B."),
    ],
)
def test_the_doi_of_a_work_with_the_same_title_is_not_called_wrong(own, other):
    assert believed((LONG, own, "2010"), (LONG, other, "2010"), by_doi=True) != "other"


def test_by_a_doi_the_year_may_differ_and_authors_may_be_missing():
    own = LONG, "Khan, Ali", "2010"
    assert believed(own, (LONG, "Khan, Ali", "2007"), by_doi=True) == "same"
    assert believed((LONG, "", "2010"), own, by_doi=True) == "same"
    assert believed((LONG, "", "2010"), own) == "unsure"
    assert believed(own, (LONG, "Other, Ann", "2010")) == "unsure"


def test_a_year_in_signs_is_none():
    own = LONG, "Khan, Ali", "\u00b2\u2070\u00b9\u2070"
    assert believed(own, (LONG, "Khan, Ali", "2010")) == "unsure"
    assert believed(own, (LONG, "Khan, Ali", "2010"), by_doi=True) == "same"


WHO = ("Khan, Ali and Orr, Ann", "2010")


@pytest.mark.parametrize(
    "added",
    [
        *(": Part II", ". Part two of a study of rivers", ": II", " - II", ". 2. Applications in ponds"),
        *(": Supplementary material", ": Discussion", ": Rejoinder", ": Expression of concern"),
        *(": Second edition", ": Book review", ": Abstract", ": Berichtigung", " [Decision letter]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_doi", [False, True])
def test_what_is_added_to_a_title_may_make_another_work(added, by_doi):
    title = "Dams that beavers build in northern rivers"
    assert believed((title, *WHO), (title + added, *WHO), by_doi) == "unsure"
    assert believed((title, *WHO), (f"{title}: evidence from ponds", *WHO), by_doi) == "same"


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Unemployment and wages of workers in the UK", "Unemployment and wages of workers in the US"),
        ("Treatment of hypertension in older patients", "Treatment of hypotension in older patients"),
        ("Adsorption of dyes from water on clay", "Absorption of dyes from water on clay"),
        ("Role of HSP70 in the ageing of muscle", "Role of HSP90 in the ageing of muscle"),
        ("Transport within intracellular networks", "Transport within intercellular networks"),
        ("Networks of the north: part one", "Networks of the north: part two"),
        ("Supervised parsing of Dutch sentences", "Unsupervised parsing of Dutch sentences"),
    ],
)  # fmt: skip
def test_similar_titles_of_the_same_people_are_not_one_by_a_doi_either(title, other):
    assert believed((title, *WHO), (other, *WHO), by_doi=True) == "unsure"


def test_a_word_may_be_spelled_in_two_ways():
    one, two = "Modelling the colour of ponds in spring", "Modeling the color of ponds in spring"
    assert believed((one, *WHO), (two, *WHO), by_doi=True) == "same"
    assert believed((one, *WHO), (two, *WHO)) == "unsure"


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        ((LONG, "Smith, John", "2010"), (LONG, "Smith, Anna", "2010"), "unsure"),
        ((LONG, "Smith, John", "2010"), (LONG, "Smithson, John", "2010"), "unsure"),
        ((LONG, "Wang, Wei", "2010"), (LONG, "Li, Wang and Zhou, Hui", "2010"), "unsure"),
        ((LONG, "Smith, John", ""), (LONG, "Smith, John", "2010"), "unsure"),
        ((LONG, "Smith, John", "2010"), (LONG, "Smith, J.", "2011"), "same"),
    ],
)
def test_what_is_found_by_its_title_has_the_same_first_author_and_year(own, other, found):
    assert believed(own, other) == found


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        # In another language, or the two titles of a volume.
        (("Zur Elektrodynamik bewegter Körper", "Einstein, Albert", "1905"),
         ("On the electrodynamics of moving bodies", "Einstein, Albert", "1905"), "unsure"),
        (("$e^+e^-$", "Khan, Ali", "2010"), ("Pairs of pions in beams of electrons", "Khan, Ali", "2010"), "unsure"),
        (("Очерк теории плотин", "Чебышёв, П.", "1950"), ("Theory of dams", "Chebyshev, P.", "1950"), "unsure"),
        (("Frogs of the northern ponds in spring", "Khan, Ali", "2010"),
         ("Prices of bread in the winter of cities", "Khan, Ali", "2010"), "other"),
        (("Frogs of the northern ponds", "Khan, Ali", "2010"), ("Prices of bread", "Orr, Ann", "2010"), "other"),
    ],
)  # fmt: skip
def test_only_what_contradicts_in_title_and_people_is_called_another_work(own, other, found):
    assert believed(own, other, by_doi=True) == found


def test_the_doi_of_the_whole_is_not_called_wrong():
    fields = {"title": "Seminumerical algorithms", "maintitle": "The art of computer programming",
              "author": "Knuth, Donald", "year": "1997"}  # fmt: skip
    work = FoundWork("w", "The Art of Computer Programming", ("Donald Knuth",), "1997")
    assert (
        verify_match(BibEntry("k", "book", fields, Path("refs.bib")), work, by_doi=True) == "unsure"
    )
