"""Extract lines, page labels and metadata from a PDF with PDFium."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ....model.papers import MOST_PAGES
from ....model.problems import InputError, ProtectedError
from .front import metadata_doi, stamp_of
from .line_numbers import remove_line_numbers
from .lines import Line, page_lines
from .segments import PageSegments, page_segments

#: PDFium is not thread-safe: one call at a time in the whole process.
PDFIUM_LOCK = threading.Lock()

#: The end mark of a PDF is in its last bytes; the number of bytes searched.
_TRAILER = 2048


@dataclass(slots=True)
class Document:
    """The extracted data: lines of every page, page labels, metadata and arXiv's stamp.

    `glyphs` counts the signs of all fonts, readable or not.
    """

    pages: list[list[Line]] = field(default_factory=list)
    glyphs: int = 0
    labels: list[str] = field(default_factory=list)
    page_count: int = 0
    title: str = ""
    doi: str = ""
    stamp: str = ""


def extract(data: bytes) -> Document:
    """Extract the data from a PDF; pages that cannot be read have no lines."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise ProtectedError("the PDF is protected by a password") from None
        if b"%%EOF" not in data[-_TRAILER:]:
            raise InputError("the PDF is damaged: its end is missing") from None
        raise InputError("the PDF is damaged and cannot be read") from None
    found = Document()
    pages: list[PageSegments] = []
    unreadable = 0
    with closing(document):
        found.page_count = len(document)
        for index in range(min(len(document), MOST_PAGES)):
            found.labels.append(document.get_page_label(index))
            try:
                with closing(document[index]) as page:
                    pages.append(page_segments(page))
                    if index == 0:
                        found.stamp = stamp_of(page)
            except pdfium.PdfiumError:
                unreadable += 1
                pages.append(PageSegments([], 0.0, 0.0))
        found.title = document.get_metadata_value("Title")
        found.doi = metadata_doi(document, data)
    if unreadable == len(pages):
        raise InputError("the PDF is damaged: none of its pages can be read")
    found.glyphs = sum(page.glyphs for page in pages)
    remove_line_numbers(pages)
    found.pages = [page_lines(page, number) for number, page in enumerate(pages, 1)]
    return found
