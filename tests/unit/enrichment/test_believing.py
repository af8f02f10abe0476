"""Which works that a service names are believed to be those of an entry."""

from pathlib import Path

import pytest

from pincite.enrichment.believing import belief
from pincite.enrichment.sources import FoundWork
from pincite.model.papers import BibEntry

LONG = "Prevalence of hepatitis B virus infection in blood donors"


def believed(own, other, by_doi=False):
    """Return the belief for two works, each a title, authors in BibTeX's form, and a year."""
    (title, author, year), (other_title, other_author, other_year) = own, other
    entry = BibEntry(
        "k", "article", {"title": title, "author": author, "year": year}, Path("refs.bib")
    )
    authors = tuple(other_author.split(" and "))
    return belief(entry, FoundWork("w", other_title, authors, other_year), by_doi=by_doi)


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


def test_a_year_in_signs_is_none():
    assert (
        believed((LONG, "Khan, Ali", "\u00b2\u2070\u00b9\u2070"), (LONG, "Khan, Ali", "2010"))
        == "same"
    )
