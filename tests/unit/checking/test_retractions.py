"""Retractions from the author's CSV file, in the form in which Crossref publishes it."""

import pytest

from pincite.checking.retractions import read_retractions
from pincite.model.problems import InputError

HEADS = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,"
    "RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,"
    "OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes"
)
ROWS = """1,"Frogs, loud",,,J,P,US,A B,,Research Article,5/4/2020 0:00,10.1000/Notice,0,1/1/1994 0:00,10.1000/FROGS,123,Retraction,+Duplication of Image;+Investigation by Journal/Publisher;,No,
2,"A title
of two lines",,,J,P,US,A B,,Research Article,6/7/2021 0:00,unavailable,0,1/1/1994 0:00,Unavailable,77,Expression of concern,,No,
3,Short row
"""


@pytest.fixture(name="path")
def csv_file(tmp_path):
    path = tmp_path / "retraction_watch.csv"
    path.write_text(f"{HEADS}\n{ROWS}", encoding="utf-8")
    return path


def test_works_are_found_by_doi_and_by_pmid(path):
    look_up = read_retractions(path)
    (found,) = look_up("10.1000/frogs", "")
    assert (found.kind, found.date, found.notice) == ("retraction", "2020-05-04", "10.1000/notice")
    assert found.reason == "Duplication of Image, Investigation by Journal/Publisher"
    assert look_up("", "123") == [found]
    (concern,) = look_up("", "77")
    assert (concern.kind, concern.notice) == ("expression-of-concern", "")
    assert look_up("10.1000/none", "0") == look_up("unavailable", "") == []


def test_a_file_that_has_changed_is_read_again(path):
    read_retractions(path)
    path.write_text(f"{HEADS}\n", encoding="utf-8")
    assert read_retractions(path)("10.1000/frogs", "") == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEADS.replace("RetractionNature", "Nature").encode(), "has no column RetractionNature"),
        (b"", "has no column"),
        (f"{HEADS}\n{ROWS}".encode("utf-16"), "is in utf-16; the database is published in UTF-8"),
        (f"{HEADS}\n{ROWS}é".encode("latin-1"), "the database is published in UTF-8"),
        (f"{HEADS}\n{ROWS}"[:-60].encode(), ":4: ends within a row; download it again"),
        (f'{HEADS}\n"{"x" * (2 << 20)}"'.encode(), ":2: is not valid CSV: field larger"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported_in_one_line(path, data, message):
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as raised:
        read_retractions(path)
    assert str(raised.value).startswith(str(path))


def test_a_file_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_retractions(tmp_path / "none.csv")
