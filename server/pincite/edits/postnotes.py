"""Pin cites: put the page of a supporting sentence into the note after a key."""

from __future__ import annotations

from ..model.drafts import Citation, CitationKey, DraftFile, is_gap
from ..model.edits import TextEdit
from ..model.results import SupportingSentence
from .conventions import Conventions
from .pages import is_page, with_page

__all__ = ["page_of", "pin", "with_page"]


def page_of(sentence: SupportingSentence) -> str | None:
    """Return the page to cite a sentence by, None if its printed number is unknown."""
    return sentence.page_label or None


def pin(
    file: DraftFile, citation: Citation, key: CitationKey, page: str, ways: Conventions
) -> tuple[TextEdit, ...]:
    """Return the edits that put a page into the note after a key of a citation.

    Returns none if the page is already there, or if a note could not be printed as intended.
    `page` may be a range (``361--362``).
    """
    page = page.strip()
    if citation.listed_only or is_gap(key.key) or not is_page(page):
        return ()
    return ways.pinned(file, citation, key, page)
