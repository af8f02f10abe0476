"""What a PDF says about itself on its first page and in its metadata: DOI, arXiv id, year."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import closing

import pypdfium2 as pdfium

from ....model.papers import Reference
from ..identifiers import arxiv_in, doi_in
from .lines import Line

#: arXiv's stamp in the left margin: "arXiv:1706.03762v5 [cs.CL] 2 Aug 2023".
_STAMP = re.compile(
    r"arXiv:\s?(?P<id>\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?"
    r"\s{0,4}\[[\w.-]{2,20}\]\s{0,4}\d{1,2}\s{1,2}[A-Z][a-z]{2}\s{1,2}(?P<year>(?:19|20)\d\d)"
)
_XMP_DOI = re.compile(
    rb"<(?:prism|pdfx|crossmark):(?:doi|DOI)>\s{0,9}(?:doi:)?\s?(10\.[^<\s]{5,150})\s{0,9}<"
    rb"|<dc:identifier>\s{0,9}(?:doi:|https?://doi\.org/)\s?(10\.[^<\s]{5,150})\s{0,9}<"
)
_INFO_FIELDS = ("Subject", "Title", "Keywords", "doi", "DOI", "WPS-ARTICLEDOI")
#: A line that says when and where the paper was published, with its year.
_NOTICE = re.compile(
    r"Proceedings of|©|\(c\)\s?(?=\d)|Copyright|Published|Workshop on|Conference on"
)
_YEAR = re.compile(r"(?<![\d.:/–-])(?P<year>(?:19|20)\d\d)(?![\d–-])")
#: Head and foot of a page, with notices; the rest may cite other works by their DOI.
_HEAD, _FOOT = 0.16, 0.8
_DATA_REPOSITORIES = ("10.5281/", "10.6084/", "10.5061/", "10.17605/")


def stamp_of(page: pdfium.PdfPage) -> str:
    """Return arXiv's stamp on a page, which is rotated and thus not in a line."""
    with closing(page.get_textpage()) as textpage:
        found = _STAMP.search(textpage.get_text_range())
    return found[0] if found else ""


def metadata_doi(document: pdfium.PdfDocument, data: bytes) -> str:
    """Return the DOI in the document's metadata."""
    if found := _XMP_DOI.search(data):
        return doi_in((found[1] or found[2]).decode("utf-8", "replace"))
    for name in _INFO_FIELDS:
        if doi := doi_in(document.get_metadata_value(name)):
            return doi
    return ""


def front_of(first_page: Sequence[Line], own: Iterable[Line], stamp: str, doi: str) -> Reference:
    """Return what identifies the paper, from the lines of the first page: DOI, arXiv id, year.

    `own` are the lines above the abstract, `stamp` is arXiv's, `doi` the DOI of the metadata. If
    two DOIs might be the paper's own, neither is used.
    """
    above = {id(line) for line in own}
    outer = [
        line for line in first_page if line.depth < _HEAD or line.depth > _FOOT or id(line) in above
    ]
    if not doi:
        named = {found for line in outer if (found := doi_in(line.text))}
        named = {found for found in named if not found.startswith(_DATA_REPOSITORIES)}
        doi = named.pop() if len(named) == 1 else ""
    noticed = (_YEAR.search(line.text) for line in outer if _NOTICE.search(line.text))
    year = _STAMP.search(stamp) or next(filter(None, noticed), None)
    return Reference(year=year["year"] if year else "", doi=doi, arxiv=arxiv_in(stamp))
