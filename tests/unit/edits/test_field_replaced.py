"""One value of an entry is replaced, and nothing else."""

from pathlib import Path

import pytest

from pincite.edits.bibtex_entries import field_replaced
from pincite.model.edits import applied
from pincite.parsing.bibtex import parse_bibliography

PATH = Path("refs.bib")
BIB = """% Größe
@string{x = {Journal}}
@article{one, title = {A year = 1990 title}, year = 1990, journal = x # " of",
  Doi="10.1000/one", month = jan}
@article{two, title = {Other}, year = {1990}}
"""


def replaced(key, name, value):
    span = parse_bibliography(BIB, PATH).place(key).key_span
    edit = field_replaced(PATH, BIB, span, name, value)
    return None if edit is None else applied(BIB, [edit])


def test_the_value_of_a_field():
    assert replaced("two", "year", "1996") == BIB.replace("{1990}", "{1996}")
    assert replaced("one", "doi", "10.1000/two_3") == BIB.replace(
        '"10.1000/one"', "{10.1000/two_3}"
    )


@pytest.mark.parametrize(
    ("key", "name"), [("one", "year"), ("one", "journal"), ("two", "volume"), ("one", "month")]
)
def test_what_is_not_certain_is_not_changed(key, name):
    assert replaced(key, name, "7") is None
