"""What a PDF has on its first page and in its metadata: title, DOI, year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import dropwhile, takewhile

import pypdfium2 as pdfium
from rapidfuzz import fuzz

from ....model.papers import Reference
from ..hyphenation import Join, join_lines
from ..references import arxiv_in, doi_in
from .legibility import LETTER, WORD
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
#: A line that states when and where the paper was published, with its year.
_NOTICE = re.compile(
    r"Proceedings of|©|\(c\)\s?(?=\d)|Copyright|Published|Workshop on|Conference on"
)
_YEAR = re.compile(r"(?<![\d.:/–-])(?P<year>(?:19|20)\d\d)(?![\d–-])")
#: Head and foot of a page, with notices; the rest may cite other works by their DOI.
_HEAD, _FOOT = 0.16, 0.8
_DATA_REPOSITORIES = ("10.5281/", "10.6084/", "10.5061/", "10.17605/")

_FILE_NAME = re.compile(
    r"\.(?:dvi|docx?|tex|pdf|e?ps|rtf|indd|qxd)\b|^/|^doi:|Microsoft Word|untitled|^Proceedings of",
    re.IGNORECASE,
)
#: "BMC Bioinformatics 2009, 10:313", "Materials 2012, 5 28", "Phys. Rev. Lett. 112, 061102"
_JOURNAL = re.compile(
    # A short number at the end is the page number, after the title of the paper.
    r"([A-Z][^\d;()]{3,80}?)[\s,.;(]+(?:[Vv]ol(?:ume|\.)\s*\d|(?!\d{1,3}\Z)\d)"
)
_MIN_JOURNAL = 5
#: The pages whose running heads may name the journal, and the share of a page that they take.
_PAGES_WITH_HEADS, _EDGE = 4, 0.1
_MAX_TITLE = 300
_MAX_LINES = 6
#: The least similarity of two forms of a title, in per cent: metadata lack accents, subtitles and
#: mathematics.
_SAME = 80.0
#: What repositories and publishers write on a page that they put before a paper.
_COVER = re.compile(
    r"Linked references are available on JSTOR|JSTOR is a not-for-profit|HAL is a multi-?disc"
    r"|discussions, stats, and author profiles for this publication|Citation for published version"
    r"|Full Terms & Conditions of access and use|Take ?down policy|Research Online URL for this"
    r"|This version is available at",
    re.IGNORECASE,
)
_MAX_COVER_LINES = 60
_NOTE_MARKS = "∗*†‡§⁰¹²³⁴⁵⁶⁷⁸⁹, "


def cover_of(pages: Sequence[Sequence[Line]]) -> Sequence[Line]:
    """Return the lines of a page that a repository put before the paper; none without one."""
    first, *others = pages
    is_cover = any(others) and len(first) <= _MAX_COVER_LINES
    return first if is_cover and _COVER.search(" ".join(line.text for line in first)) else ()


def stamp_of(page: pdfium.PdfPage) -> str:
    """Return arXiv's stamp on a page, which is rotated and thus not in a line."""
    with closing(page.get_textpage()) as textpage:
        found = _STAMP.search(textpage.get_text_range())
    return found[0] if found else ""


def metadata_doi(document: pdfium.PdfDocument, data: bytes) -> str:
    """Return the DOI in the document's metadata."""
    if found := _XMP_DOI.search(data):
        return doi_in((found[1] or found[2]).decode("utf-8", "replace"))
    fields = (doi_in(document.get_metadata_value(name)) for name in _INFO_FIELDS)
    return next(filter(None, fields), "")


def front_of(page: Sequence[Line], above: Sequence[Line], stamp: str, doi: str) -> Reference:
    """Return DOI, arXiv id and year: of metadata and stamp, at the edges of a page, or above."""
    own = set(above)
    outer = [o for o in page if o.depth < _HEAD or o.depth > _FOOT or o in own]
    if not doi:
        named = {doi_in(line.text) for line in outer} - {""}
        named = {found for found in named if not found.startswith(_DATA_REPOSITORIES)}
        doi = named.pop() if len(named) == 1 else ""
    noticed = (_YEAR.search(line.text) for line in outer if _NOTICE.search(line.text))
    year = _STAMP.search(stamp) or next(filter(None, noticed), None)
    return Reference(year=year["year"] if year else "", doi=doi, arxiv=arxiv_in(stamp))


def title_of(
    declared: str,
    pages: Sequence[Sequence[Line]],
    lines: Sequence[Line],
    size: float,
    front_end: int,
    join: Join,
) -> tuple[str, Sequence[Line]]:
    """Return the title, the largest text at the top of the first page, and its lines.

    `declared` is the title in the metadata, `size` that of the body, which begins at position
    `front_end` of the lines (0 if unknown).
    """
    top = [
        line
        for line in lines[: front_end or 40]
        if line.page == lines[0].page and line.depth < 0.5 and len(LETTER.findall(line.text)) >= 4
    ]
    declared = " ".join(declared.split())
    if _FILE_NAME.search(declared) or len(WORD.findall(declared)) < 2:
        declared = ""
    edges = [
        line.text
        for page in pages[:_PAGES_WITH_HEADS]
        for line in page
        if not _EDGE <= line.depth <= 1 - _EDGE
    ]
    journals = [_letters(name[1]) for name in map(_JOURNAL.match, edges) if name]

    def text_of(chosen: Sequence[Line]) -> str:
        return join_lines((line.text for line in chosen), join).rstrip(_NOTE_MARKS)

    def is_journal(letters: str) -> bool:
        least = max(_MIN_JOURNAL, len(letters) / 2)
        return any(letters.startswith(name) and len(name) >= least for name in journals)

    large = [(text_of(chosen), chosen) for chosen in _large_texts(lines, top, size)]
    titles = [
        (title, chosen)
        for title, chosen in large
        if len(title) <= _MAX_TITLE and not is_journal(_letters(title))
    ]
    if titles:
        wanted = _letters(declared)
        same = (each for each in titles if fuzz.ratio(_letters(each[0]), wanted) > _SAME)
        return next(same, titles[0])
    if declared or not front_end:
        return declared, ()
    # In one type size: the first line, and those like it.
    top = [*dropwhile(lambda line: line.size <= 0.95 * size, top)]
    first = top[:1]
    for line in top[1:]:
        both = line, first[0]
        is_alike = all(o.bold for o in both) or all(o.text.isupper() for o in both)
        if not (is_alike and line.is_below(first[-1], 1.6 * line.size)):
            break
        first.append(line)
    return text_of(first), first


def _large_texts(
    lines: Sequence[Line], top: Sequence[Line], size: float
) -> Iterator[Sequence[Line]]:
    """Yield the lines of texts that are larger than the body, the largest first."""
    while top and (largest := max(line.size for line in top)) > 1.12 * size:
        first = next(line for line in top if line.size > 0.96 * largest)
        following = lines[first.number + 1 : first.number + _MAX_LINES]
        alike = takewhile(lambda line: abs(line.size - largest) <= 0.04 * largest, following)
        chosen = [first, *alike]
        yield chosen
        top = [line for line in top if line not in chosen]


def _letters(text: str) -> str:
    return "".join(LETTER.findall(text)).casefold()
