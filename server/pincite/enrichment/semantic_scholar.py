"""Semantic Scholar: abstracts, and the sentences in which other works cite a work.

After https://api.semanticscholar.org/api-docs/graph: "Details about a paper" (``DOI:``), "Paper
title search" (``/paper/search/match``), "Details about a paper's citations" (``contexts``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from .sources import (
    Ask,
    CitingWork,
    FoundWork,
    Source,
    doi_of,
    items_of,
    part_of,
    prose_of,
    text_of,
)

_SELECTED: Final = "title,year,authors,abstract,externalIds,citationCount,openAccessPdf"
#: So many works that cite are asked for; of a classic there are tens of thousands, and of many of
#: them no sentence is known.
_MOST_CITING: Final = 500
#: Sentences that are kept of one such work, and of all: more would only fill the disk.
_MOST_SENTENCES: Final = 5
_MOST_OF_ALL: Final = 100


class SemanticScholar(Source):
    """The papers of Semantic Scholar."""

    name = "Semantic Scholar"
    address = "https://api.semanticscholar.org"
    #: Without a key, one request a second.
    pause = 1.1
    has_all_registrars = True
    has_citing = True
    key_variable = "SEMANTIC_SCHOLAR_API_KEY"
    key_header = "x-api-key"

    def _of_doi(self, doi: str, ask: Ask) -> object:
        return ask(f"/graph/v1/paper/DOI:{quote(doi)}", {"fields": _SELECTED})

    def _titled(self, title: str, ask: Ask) -> list[Any]:
        parameters = {"query": title, "fields": _SELECTED}
        return items_of(ask("/graph/v1/paper/search/match", parameters), "data")[:1]

    def _work(self, said: dict[str, Any]) -> FoundWork:
        authors = (each.get("name") for each in items_of(said, "authors") if isinstance(each, dict))
        cited_by = said.get("citationCount")
        return FoundWork(
            id=text_of(said.get("paperId")),
            title=prose_of(said.get("title")),
            authors=tuple(filter(None, map(text_of, authors))),
            year=str(said.get("year") or ""),
            doi=doi_of(part_of(said, "externalIds").get("DOI")),
            abstract=prose_of(said.get("abstract")),
            open_access=text_of(part_of(said, "openAccessPdf").get("url")),
            cited_by=cited_by if isinstance(cited_by, int) else None,
        )

    def citing(self, work: FoundWork, ask: Ask) -> Sequence[CitingWork]:
        """Return works that cite it, with their sentences."""
        place = f"/graph/v1/paper/{quote(work.id, safe='')}/citations"
        answer = ask(place, {"fields": "contexts,title", "limit": str(_MOST_CITING)})
        found: list[CitingWork] = []
        left = _MOST_OF_ALL
        for each in filter(None, map(_citing, items_of(answer, "data"))):
            found.append(CitingWork(each.title, each.sentences[:left]))
            left -= len(found[-1].sentences)
            if left == 0:
                break
        return tuple(found)


def _citing(said: object) -> CitingWork | None:
    title = text_of(part_of(said, "citingPaper").get("title"))
    contexts = dict.fromkeys(filter(None, map(text_of, items_of(said, "contexts"))))
    sentences = tuple(contexts)[:_MOST_SENTENCES]
    return CitingWork(title, sentences) if title and sentences else None
