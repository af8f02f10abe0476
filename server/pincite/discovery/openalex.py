"""Fetch the works around a bibliography from OpenAlex.

What is asked, after https://developers.openalex.org (``works``, "Filter", "Page through results"):

1. the author's works by their DOIs, for what they cite (``referenced_works``);
2. the works that cite these (``filter=cites:``), the most cited first, and of these so many pages:
   of a classic there are tens of thousands;
3. titles, authors and abstracts of what is cited, that which most of the author's works cite first.

Only DOIs and OpenAlex's own identifiers are sent. Answers are cached: what was interrupted goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from ..enrichment.service import Service
from ..enrichment.sources import SOURCES, values_at
from ..model.papers import BibEntry
from .found import MAX_WORKS, Found, batches

_OPENALEX: Final = SOURCES["openalex"]
#: The numbers of DOIs and of identifiers in one request, and of works in one answer.
_DOIS: Final = 50
_IDS: Final = 100
_PAGE: Final = 100
#: The number of pages of works that cite a batch of own works.
_MAX_PAGES: Final = 5
#: The number of own works whose citing works are asked for at once.
_CITED: Final = 50
#: The number of cited works whose titles and abstracts are asked for.
_MAX_CITED: Final = 4_000
_OWN: Final = "id,doi,title,publication_year,authorships,referenced_works"

_Ask = Callable[..., list[dict[str, Any]]]


def most_requests(works: int) -> int:
    """Return how many requests are sent at most for so many own works."""
    batched = -(-works // _CITED)
    return -(-works // _DOIS) + batched * _MAX_PAGES + -(-_MAX_CITED // _IDS)


def discover(
    own: Mapping[str, BibEntry],
    service: Service,
    found: Found,
    step: Callable[[], None] = lambda: None,
) -> None:
    """Fetch the neighbours of own works, by DOI; each request is a `step`.

    What came in is in `found` even if this raises `ServiceError`.
    """
    ask = partial(_asked, service, step)
    _own_works(own, ask, found)
    # What most of the author's works cite, first.
    counted = sorted(found.cited_by, key=lambda name: -len(found.cited_by[name]))
    _citing(ask, found)
    wanted = [name for name in counted if name not in found.ids | found.works]
    for batch in batches(wanted[: min(MAX_WORKS - len(found.works), _MAX_CITED)], _IDS):
        for record in ask(f"openalex:{'|'.join(batch)}", _OPENALEX.values):
            found.add(_id(record), _OPENALEX.read(record))


def _asked(
    service: Service, step: Callable[[], None], condition: str, select: str, **parameters: str
) -> list[dict[str, Any]]:
    step()
    given = {"filter": condition, "per_page": str(_PAGE), "select": select, **parameters}
    answer = service.ask("/works", given, is_answer=_lists_works)
    return [record for record in answer["results"] if isinstance(record, dict)]


def _own_works(own: Mapping[str, BibEntry], ask: _Ask, found: Found) -> None:
    for batch in batches([*own], _DOIS):
        for record in ask(f"doi:{'|'.join(batch)}", _OWN):
            work = _OPENALEX.read(record)
            doi = work.fields.get("doi", "")
            if found.add_own(_id(record), own.get(doi), doi, work):
                for name in _ids(record):
                    found.cited_by[name].add(doi)
        found.asked.update(batch)


def _citing(ask: _Ask, found: Found) -> None:
    for batch in batches([*found.ids], _CITED):
        for page in range(1, _MAX_PAGES + 1):
            if len(found.works) >= MAX_WORKS // 2:
                return
            select = f"{_OPENALEX.values},referenced_works"
            condition = f"cites:{'|'.join(batch)}"
            records = ask(condition, select, sort="cited_by_count:desc", page=str(page))
            for record in records:
                found.add(_id(record), _OPENALEX.read(record))
                own = (found.ids[name] for name in _ids(record) if name in found.ids)
                found.cites[_id(record)].update(*own)
            if len(records) < _PAGE:
                break


def _lists_works(answer: object) -> bool:
    return isinstance(answer, dict) and isinstance(answer.get("results"), list)


def _id(record: Mapping[str, Any]) -> str:
    name = str(record.get("id") or "").rpartition("/")[2]
    return name if name.startswith("W") and name[1:].isdecimal() else ""


def _ids(record: Mapping[str, Any]) -> Iterator[str]:
    return filter(None, (_id({"id": each}) for each in values_at(record, "referenced_works")))
