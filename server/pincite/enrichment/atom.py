"""Atom feeds, as arXiv answers (https://info.arxiv.org/help/api/user-manual.html, 3.3)."""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"


def entries_in(body: bytes) -> dict[str, Any]:
    """Return the works of a feed; raise `ValueError` if it is not one, or declares entities."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.LxmlError as error:
        raise ValueError(str(error)) from None
    if root.tag != f"{_ATOM}feed" or root.getroottree().docinfo.internalDTD is not None:
        raise ValueError("this is not an Atom feed")
    # What is wrong with a question is an entry, too.
    works = map(_work, root.iterfind(f"{_ATOM}entry"))
    return {"entries": [each for each in works if each["id"]]}


def _work(entry: etree._Element) -> dict[str, Any]:
    def text(name: str, space: str = _ATOM) -> str:
        return entry.findtext(f"{space}{name}") or ""

    year = text("published")[:4]
    pdfs = (each.get("href") for each in entry.iterfind(f"{_ATOM}link[@title='pdf']"))
    return {
        "id": text("id").partition("/abs/")[2],
        "title": text("title"),
        "authors": [
            {"name": each.findtext(f"{_ATOM}name") or ""}
            for each in entry.iterfind(f"{_ATOM}author")
        ],
        "year": int(year) if year.isdecimal() else None,
        "doi": text("doi", _ARXIV),
        "summary": text("summary"),
        "pdf": next(pdfs, ""),
        "journal": text("journal_ref", _ARXIV),
    }
