"""OpenAlex: abstracts, open-access links, how often a work is cited.

After https://docs.openalex.org/api-entities/works: "Get a single work" (by DOI), "Filter works"
and https://developers.openalex.org/guides/searching (``search``: titles, abstracts and full texts,
best first), "Work object".
"""

from __future__ import annotations

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

_SELECTED: Final = (
    "id,doi,title,publication_year,authorships,abstract_inverted_index,cited_by_count,open_access"
)
#: Signs that mean something in a search; so do AND, OR and NOT in capitals.
_MEANT_OTHERWISE: Final = str.maketrans(dict.fromkeys(',|!:"()*?~^[]{}\\/+-&', " "))
_MOST_WORDS: Final = 20_000


class OpenAlex(Source):
    """The works of OpenAlex."""

    name = "OpenAlex"
    address = "https://api.openalex.org"
    pause = 0.15
    has_all_registrars = True
    wants_email = True
    charges_for_searches = True
    key_variable = "OPENALEX_API_KEY"
    key_parameter = "api_key"

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return ask(f"/works/doi:{quote(doi)}", {"select": _SELECTED})

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        parameters = {
            "search": " ".join(title.translate(_MEANT_OTHERWISE).lower().split()),
            "per_page": str(MOST_FOUND),
            "select": _SELECTED,
        }
        return items_of(ask("/works", parameters), "results")

    def _work(self, said: dict[str, Any]) -> FoundWork:
        authors = (
            part_of(each, "author").get("display_name") for each in items_of(said, "authorships")
        )
        cited_by = said.get("cited_by_count")
        return FoundWork(
            id=text_of(said.get("id")),
            title=prose_of(said.get("title")),
            authors=tuple(filter(None, map(text_of, authors))),
            year=str(said.get("publication_year") or ""),
            doi=doi_of(said.get("doi")),
            abstract=prose_of(_written_out(part_of(said, "abstract_inverted_index"))),
            open_access=text_of(part_of(said, "open_access").get("oa_url")),
            cited_by=cited_by if isinstance(cited_by, int) else None,
        )


def _written_out(index: dict[str, Any]) -> str:
    """Return the text of which an index has the positions of each word."""
    words: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if isinstance(position, int) and len(words) < _MOST_WORDS:
                words[position] = word
    return " ".join(words[position] for position in sorted(words))
