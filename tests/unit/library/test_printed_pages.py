"""Which page a sentence is cited by: a wrong one is worse than none."""

import pytest

from pincite.library.printed_pages import printed_page


@pytest.mark.parametrize(
    ("label", "page", "count", "pages", "expected"),
    [
        ("361", 1, 10, "361--370", "361"),
        # Nothing is printed, and the file has the pages of the entry.
        (None, 3, 10, "361--370", "363"),
        (None, 3, 10, "361–370", "363"),
        # The file counts its pages, and so does the entry.
        ("3", 3, 10, "361--370", "363"),
        # A preprint: other numbers, another length.
        ("3", 3, 12, "361--370", None),
        (None, 3, None, "361--370", None),
        # The entry has no page numbers.
        ("3", 3, 12, "", "3"),
        (None, 3, 12, "", None),
        ("3", 3, 12, "e1000359", "3"),
        ("iv", 4, 12, "1--8", "iv"),
        ("5", 5, 3, "370--361", None),
    ],
)
def test_the_number_to_cite_a_page_by(label, page, count, pages, expected):
    assert printed_page(label, page, count, pages) == expected
