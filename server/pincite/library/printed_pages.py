"""Find the printed page number of a sentence, from the PDF and its entry."""

from __future__ import annotations

import re
from typing import Final

_RANGE: Final = re.compile(r"\s*(\d{1,6})\s*(?:-{1,3}|–|—)\s*(\d{1,6})\s*")


def printed_page(label: str | None, page: int, page_count: int | None, pages: str) -> str | None:
    """Return the number to cite a page by; None if it is uncertain.

    `label` is the number printed on the page or declared for it, `page` its 1-based number in a PDF
    of `page_count` pages, and `pages` the entry's field. A label outside that range comes from a
    preprint or counts the pages of the file; if the file has as many pages as the range, the page
    is counted from its start.
    """
    found = _RANGE.fullmatch(pages)
    if found is None:
        return label
    first = int(found[1])
    # "423--30" ends at 430.
    last = int(found[1][: -len(found[2])] + found[2])
    if label is not None and (not label.isdecimal() or first <= int(label) <= last):
        return label
    return str(first + page - 1) if page_count == last - first + 1 else None
