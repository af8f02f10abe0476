"""Crossref: abstracts that publishers deposit, and the DOI of a title.

After https://api.crossref.org (``/works/{doi}``, ``/works?query.bibliographic=``) and its "Metadata
format"; abstracts are in JATS. Names and e-mail go into the User-Agent, as its "Etiquette" asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from .sources import (
    MOST_FOUND,
    Ask,
    CitingWork,
    FoundWork,
    Wanted,
    doi_of,
    items_of,
    part_of,
    prose_of,
    text_of,
)

_SELECTED: Final = "DOI,title,subtitle,author,issued,abstract,is-referenced-by-count"
#: The heading of an abstract, which says "Abstract".
_HEADING: Final = re.compile(r"<(?:jats:)?title>\s*(?:abstract|summary)\s*</(?:jats:)?title>", re.I)


class Crossref:
    """The works of Crossref."""

    name = "Crossref"
    address = "https://api.crossref.org"
    pause = 0.35
    has_all_registrars = False
    has_citing = False
    wants_email = True
    charges_for_searches = False
    key_variable = ""
    key_parameter = ""
    key_header = ""

    def works(self, wanted: Wanted, ask: Ask) -> Iterator[FoundWork]:
        """Yield what may be the work."""
        if wanted.doi:
            found = [part_of(ask(f"/works/{quote(wanted.doi, safe='')}", {}), "message")]
        else:
            parameters = {
                "query.bibliographic": wanted.title,
                "rows": str(MOST_FOUND),
                "select": _SELECTED,
            }
            answer = part_of(ask("/works", parameters), "message")
            found = items_of(answer, "items")[:MOST_FOUND]
        for each in found:
            if isinstance(each, dict) and each:
                yield _work(each)

    def citing(self, work: FoundWork, ask: Ask) -> Sequence[CitingWork]:
        """Return nothing: Crossref knows how often a work is cited, and not where."""
        return ()


def _work(said: dict[str, Any]) -> FoundWork:
    titles = (
        text_of(items_of(said, name)[0]) for name in ("title", "subtitle") if items_of(said, name)
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
