"""Which works that a service names are believed to be those of an entry."""

from pathlib import Path

import pytest

from pincite.enrichment.verification import verify_match
from pincite.model.papers import BibEntry

LONG = "Prevalence of hepatitis B virus infection in blood donors"
DAMS = "Dams that beavers build in northern rivers"
WHO = ("Khan, Ali and Orr, Ann", "2010")


def believed(own, other, by_doi=False, **more):
    """Return the verdict on two works, each a title, authors in BibTeX's form, and a year."""
    (title, author, year), (other_title, other_author, other_year) = own, other
    fields = {"title": title, "author": author, "year": year} | more
    entry = BibEntry("k", "article", fields, Path("refs.bib"))
    record = {"title": other_title, "author": other_author, "year": other_year}
    return verify_match(entry, BibEntry("w", "misc", record, Path()), by_doi=by_doi)


@pytest.mark.parametrize(
    ("title", "other"),
    [
        (LONG, LONG.replace(" B ", " C ")),
        (LONG, f"{LONG}: Corrigendum"),
        (LONG, f"RETRACTED: {LONG}"),
        *((DAMS, f"{DAMS}{added}") for added in (
            ": Part II", ". Part two of a study of rivers", ": II", " - II", ". 2. Applications in ponds",
            ": Supplementary material", ": Discussion", ": Rejoinder", ": Expression of concern",
            ": Second edition", ": Book review", ": Abstract", ": Berichtigung", " [Decision letter]",
        )),
        ("Regulation of protein kinase A in the heart", "Regulation of protein kinase C in the heart"),
        ("Unemployment and wages of workers in the UK", "Unemployment and wages of workers in the US"),
        ("Treatment of hypertension in older patients", "Treatment of hypotension in older patients"),
        ("Transport within intracellular networks", "Transport within intercellular networks"),
        ("Networks of the north: part one", "Networks of the north: part two"),
        ("Supervised parsing of Dutch sentences", "Unsupervised parsing of Dutch sentences"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_doi", [False, True])
def test_a_similar_title_may_be_that_of_another_work(title, other, by_doi):
    assert believed((title, *WHO), (other, *WHO), by_doi) == "unsure"
    assert believed((title, *WHO), (title.upper(), *WHO), by_doi) == "same"


@pytest.mark.parametrize("by_doi", [False, True])
def test_a_subtitle_may_be_missing(by_doi):
    assert believed((DAMS, *WHO), (f"{DAMS}: evidence from ponds", *WHO), by_doi) == "same"


def test_a_word_may_be_spelled_in_two_ways():
    one, two = "Modelling the colour of ponds in spring", "Modeling the color of ponds in spring"
    assert believed((one, *WHO), (two, *WHO), by_doi=True) == "same"
    assert believed((one, *WHO), (two, *WHO)) == "unsure"


@pytest.mark.parametrize(
    ("title", "own", "other", "found"),
    [
        ("Introduction", ("Smith, John", "2010"), ("Smith, John", "2010"), "same"),
        ("Introduction", ("Smith, John", "2010"), ("Smith, Anna", "2010"), "unsure"),
        ("Introduction", ("Smith, John", "2010"), ("Smith, John", "2011"), "unsure"),
        ("Introduction", ("Smith", "2010"), ("Smith", "2010"), "unsure"),
        ("Introduction", ("Smith and Orr", "2010"), ("Smith and Orr", "2010"), "same"),
        (LONG, ("Smith, John", "2010"), ("Smith, Anna", "2010"), "unsure"),
        (LONG, ("Wang, Wei", "2010"), ("Li, Wang and Zhou, Hui", "2010"), "unsure"),
        (LONG, ("Smith, John", ""), ("Smith, John", "2010"), "unsure"),
        (LONG, ("Smith, John", "2010"), ("Smith, J.", "2011"), "same"),
        (LONG, ("Khan, Ali", "\u00b2\u2070\u00b9\u2070"), ("Khan, Ali", "2010"), "unsure"),
        (LONG, ("", "2010"), ("Khan, Ali", "2010"), "unsure"),
        (LONG, ("Khan, Ali", "2010"), ("Other, Ann", "2010"), "unsure"),
    ],
)  # fmt: skip
def test_what_is_found_by_its_title_has_the_same_people_and_year(title, own, other, found):
    assert believed((title, *own), (title, *other)) == found


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        # The year may differ, and authors be missing or written otherwise.
        ((LONG, "Khan, Ali", "2010"), (LONG, "Khan, Ali", "2007"), "same"),
        ((LONG, "Khan, Ali", "\u00b2\u2070\u00b9\u2070"), (LONG, "Khan, Ali", "2010"), "same"),
        ((LONG, "", "2010"), (LONG, "Khan, Ali", "2010"), "same"),
        ((LONG, "{WHO}", "2010"), (LONG, "{World Health Organization}", "2010"), "unsure"),
        ((LONG, "Wang, Wei", "2010"), (LONG, "Wei, Wang", "2010"), "unsure"),
        ((LONG, "{ATLAS Collaboration}", "2010"), (LONG, "Aad, G. and Abbott, B.", "2010"), "unsure"),
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
def test_of_a_doi_only_what_contradicts_in_title_and_people_is_another_work(own, other, found):
    assert believed(own, other, by_doi=True) == found


def test_the_doi_of_the_whole_is_not_called_wrong():
    own = "Seminumerical algorithms", "Knuth, Donald", "1997"
    whole = "The Art of Computer Programming", "Donald Knuth", "1997"
    assert (
        believed(own, whole, by_doi=True, maintitle="The art of computer programming") == "unsure"
    )
