"""Fetch the works around a bibliography from Semantic Scholar.

What is asked, after https://api.semanticscholar.org/api-docs/graph (``/paper/batch``: at most 500
identifiers in a question, 9,999 citations and 10 MB in an answer; ``/paper/{id}/citations``):

1. the author's works, by DOI or arXiv id, for what they cite (``references.paperId``);
2. the identifiers of what cites them, in as many batches as answers can have, those that are cited
   least first: they show most; and of those with more, one page each of the newest;
3. titles, authors and abstracts of what most of the author's works are connected with.

Only DOIs, arXiv ids and its own identifiers are sent. It does not know which works were retracted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ..enrichment.service import Service
from ..enrichment.sources import ARXIV_DOI, SOURCES, value_at, values_at
from ..model.fetched import CITED_BY as COUNT
from ..model.papers import BibEntry
from .found import Found, batches

_SEMANTIC: Final = SOURCES["semantic-scholar"]
_GRAPH: Final = "/graph/v1/paper"
#: The numbers of own works, and of other works, in one request.
_OWN: Final = 250
_IDS: Final = 500
#: The number of works for which more than their identifiers is requested.
MAX_WORKS: Final = 1_000
#: The number of citations in one answer, of such answers, and of works of which one page is asked.
_CITATIONS: Final = 9_000
_MAX_BATCHES: Final = 3
_MAX_PAGES: Final = 2
_PAGE: Final = 1_000


def most_requests(works: int) -> int:
    """Return how many requests are sent at most for so many own works."""
    return -(-works // _OWN) + _MAX_BATCHES + _MAX_PAGES + -(-MAX_WORKS // _IDS)


def discover(
    own: Mapping[str, BibEntry],
    service: Service,
    found: Found,
    step: Callable[[], None] = lambda: None,
) -> None:
    """Fetch the neighbours of own works, by DOI; each request is a `step`.

    What came in is in `found` even if this raises `ServiceError`.
    """
    ask = partial(_batch, service, step)
    cited = _own_works(own, ask, found)
    _citing(cited, ask, found)
    with_more = sorted((name for name in cited if cited[name] > _CITATIONS), key=cited.__getitem__)
    for name in with_more[:_MAX_PAGES]:
        step()
        page = {"fields": "paperId", "limit": str(_PAGE)}
        answer = service.ask(f"{_GRAPH}/{name}/citations", page, is_answer=_has_data)
        citing = (value_at(one, "citingPaper") for one in values_at(answer, "data"))
        _add_citing(found, name, citing)
    around = {*found.cited_by, *found.cites} - found.ids.keys()
    connections = {name: len(found.cited_by[name]) + len(found.cites[name]) for name in around}
    wanted = sorted(around, key=lambda name: (-connections[name], name))[:MAX_WORKS]
    for batch in batches(wanted, _IDS):
        for name, record in zip(batch, ask(batch, _SEMANTIC.values), strict=True):
            found.add(name, _SEMANTIC.read(record))


def _batch(
    service: Service, step: Callable[[], None], names: Sequence[str], fields: str
) -> list[dict[str, Any]]:
    """Return the records of works in their order, empty where one is unknown."""
    step()

    def is_answer(answer: object) -> bool:
        return answer is None or (isinstance(answer, list) and len(answer) == len(names))

    given = {"fields": fields}
    answer = service.ask(f"{_GRAPH}/batch", given, posted={"ids": [*names]}, is_answer=is_answer)
    records = [None] * len(names) if answer is None else answer
    return [record if isinstance(record, dict) else {} for record in records]


def _own_works(
    own: Mapping[str, BibEntry], ask: Callable[..., list[dict[str, Any]]], found: Found
) -> dict[str, int]:
    """Add own works, and what they cite; return how often each is cited."""
    cited: dict[str, int] = {}
    fields = "title,year,authors,externalIds,citationCount,references.paperId"
    for batch in batches([*own], _OWN):
        for doi, record in zip(batch, ask([*map(_named, batch)], fields), strict=True):
            work = _SEMANTIC.read(record)
            # A list may name works that the service does not know.
            if found.add_own(_id(record), own[doi], doi, work):
                cited[_id(record)] = int(work.fields.get(COUNT, 0))
                for name in filter(None, map(_id, values_at(record, "references"))):
                    found.cited_by[name].add(doi)
        found.asked.update(batch)
    return cited


def _citing(
    cited: Mapping[str, int], ask: Callable[..., list[dict[str, Any]]], found: Found
) -> None:
    """Add the identifiers of what cites own works, as far as batches have room."""
    for names in [*_packed(cited)][:_MAX_BATCHES]:
        for name, record in zip(names, ask(names, "citations.paperId"), strict=True):
            _add_citing(found, name, values_at(record, "citations"))


def _packed(cited: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield works, those that are cited least first, whose citations fit into one answer."""
    names: list[str] = []
    room = _CITATIONS
    for name in sorted(cited, key=lambda name: cited[name]):
        if 0 < cited[name] <= _CITATIONS:
            if cited[name] > room or len(names) == _IDS:
                yield names
                names, room = [], _CITATIONS
            names.append(name)
            room -= cited[name]
    if names:
        yield names


def _add_citing(found: Found, own: str, records: Iterable[Any]) -> None:
    for name in filter(None, map(_id, records)):
        found.cites[name].update(found.ids[own])


def _named(doi: str) -> str:
    is_arxiv = doi.startswith(ARXIV_DOI)
    return f"ARXIV:{doi.removeprefix(ARXIV_DOI)}" if is_arxiv else f"DOI:{doi}"


def _id(record: object) -> str:
    name = value_at(record, "paperId")
    return name if isinstance(name, str) and name.isalnum() and name.isascii() else ""


def _has_data(answer: object) -> bool:
    return isinstance(value_at(answer, "data"), list)
