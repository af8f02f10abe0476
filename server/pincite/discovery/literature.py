"""Search services for works by words, which the author has seen and agreed to.

- https://developers.openalex.org/guides/searching: ``/works?search=``;
- https://api.crossref.org: ``/works?query.bibliographic=``;
- https://api.semanticscholar.org/api-docs/graph: "Paper relevance search".

arXiv's interface answers in Atom only; OpenAlex has its preprints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ..enrichment.service import Service, ServiceError
from ..enrichment.sources import SOURCES, Source
from ..library.same_work.titles import letters_of
from ..model.papers import BibEntry
from ..text.tokens import words
from .neighbours import COUNT, FOUND_BY

_ROWS: Final = 25
#: Fewer letters are rarely a word that tells a subject.
_MIN_LETTERS: Final = 4
_MAX_WORDS: Final = 8
#: The path and the parameters of each service's search, without the words, and the place of these.
_SEARCHES: Final[Mapping[str, tuple[str, dict[str, str], str]]] = {
    "openalex": (
        "/works",
        {
            "per_page": str(_ROWS),
            "select": "id,doi,title,publication_year,authorships,abstract_inverted_index,"
            "cited_by_count,open_access",
        },
        "search",
    ),
    "crossref": (
        "/works",
        {
            "rows": str(_ROWS),
            "select": "DOI,title,subtitle,author,issued,abstract,is-referenced-by-count",
        },
        "query.bibliographic",
    ),
    "semantic-scholar": (
        "/graph/v1/paper/search",
        {
            "limit": str(_ROWS),
            "fields": "title,year,authors,abstract,externalIds,citationCount,openAccessPdf",
        },
        "query",
    ),
}


def rare_words(sentence: str, draft: str, ignored: Collection[str]) -> str:
    """Return the rarest words of a sentence, by how often the draft has them, in their order.

    They are proposed for a search: never the sentence as it stands.
    """
    counts = Counter(word.lower() for word in words(draft))
    telling = [
        word
        for word in dict.fromkeys(words(sentence))
        if len(word) >= _MIN_LETTERS and word.isalpha() and word.lower() not in ignored
    ]
    rarest = sorted(telling, key=lambda word: counts[word.lower()])[:_MAX_WORDS]
    return " ".join(word for word in telling if word in rarest)


def search(asked: str, services: Sequence[Service], failures: dict[str, str]) -> list[BibEntry]:
    """Return the works that services find by words, each once, with who found it.

    Why a service gave no answer is in `failures`, by its name.
    """
    found: dict[str, BibEntry] = {}
    for service in services:
        source = service.source
        name = next(name for name, each in SOURCES.items() if each is source)
        path, parameters, at = _SEARCHES[name]
        try:
            answer = service.ask(path, {**parameters, at: asked}, is_answer=_is_object)
        except ServiceError as error:
            failures[source.name] = str(error)
            continue
        for entry in _entries(answer, source):
            letters = letters_of(entry.title)
            if (known := found.get(letters)) is None:
                found[letters] = entry
            else:
                by = f"{known.fields[FOUND_BY]}, {source.name}"
                # What one service lacks, such as an abstract, another may have.
                fields = {**entry.fields, **known.fields, FOUND_BY: by}
                found[letters] = replace(known, source=fields)
    return [*found.values()]


def _entries(answer: Any, source: Source) -> Iterable[BibEntry]:  # noqa: ANN401 - any JSON
    records: Any = answer
    for place in source.records.split("."):
        records = records.get(place) if isinstance(records, dict) else None
    for record in records if isinstance(records, list) else ():
        if isinstance(record, dict) and record:
            work = source.read(record)
            fields = {
                "author": " and ".join(work.authors),
                "title": work.title,
                "year": work.year,
                "doi": work.doi,
                "abstract": work.abstract,
                "url": work.open_access,
                COUNT: "" if work.cited_by is None else str(work.cited_by),
                FOUND_BY: source.name,
            }
            if work.title and letters_of(work.title):
                given = {name: value for name, value in fields.items() if value}
                yield BibEntry(f"{source.name}:{work.id}", "misc", given, Path())


def _is_object(answer: object) -> bool:
    return isinstance(answer, dict)
