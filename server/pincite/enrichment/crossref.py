"""Crossref: abstracts that publishers deposit, and the DOI of a title.

After https://api.crossref.org (``/works/{doi}``, ``/works?query.bibliographic=``) and its "Metadata
format"; abstracts are in JATS. Names and e-mail go into the User-Agent, as its "Etiquette" asks.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

from .sources import (
    MOST_FOUND,
    Ask,
    FoundWork,
    Source,
    doi_of,
    items_of,
    part_of,
    prose_of,
    text_of,
)

_SELECTED: Final = "DOI,title,subtitle,author,issued,abstract,is-referenced-by-count"
#: The heading of an abstract, which says "Abstract".
_HEADING: Final = re.compile(r"<(?:jats:)?title>\s*(?:abstract|summary)\s*</(?:jats:)?title>", re.I)


class Crossref(Source):
    """The works of Crossref."""

    name = "Crossref"
    address = "https://api.crossref.org"
    pause = 0.35
    wants_email = True

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return part_of(ask(f"/works/{quote(doi, safe='')}", {}), "message")

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        parameters = {
            "query.bibliographic": title,
            "rows": str(MOST_FOUND),
            "select": _SELECTED,
        }
        return items_of(part_of(ask("/works", parameters), "message"), "items")

    def _work(self, said: dict[str, Any]) -> FoundWork:
        titles = (
            text_of(items_of(said, name)[0])
            for name in ("title", "subtitle")
            if items_of(said, name)
        )
        cited_by = said.get("is-referenced-by-count")
        return FoundWork(
            id=text_of(said.get("DOI")),
            title=prose_of(": ".join(filter(None, titles))),
            authors=tuple(filter(None, map(_author, items_of(said, "author")))),
            year=_year(part_of(said, "issued")),
            doi=doi_of(said.get("DOI")),
            abstract=prose_of(_HEADING.sub(" ", text_of(said.get("abstract")))),
            cited_by=cited_by if isinstance(cited_by, int) else None,
        )


def _author(said: object) -> str:
    if not isinstance(said, dict):
        return ""
    family, given = text_of(said.get("family")), text_of(said.get("given"))
    # An institution has only a name.
    return f"{family}, {given}" if family and given else family or text_of(said.get("name"))


def _year(issued: dict[str, Any]) -> str:
    dates = items_of(issued, "date-parts")
    year = dates[0][0] if dates and isinstance(dates[0], list) and dates[0] else None
    return str(year) if isinstance(year, int) else ""
