"""Data fetched about works from the network: one more bibliography, in the cache folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from .packed import packed, unpacked
from .results import FromService

#: Its folder below that of the index, and its name there.
FOLDER: Final = "fetched"
FILE_NAME: Final = "fetched.bib"
#: Fields: the source of the abstract, and citing sentences of other works, with their source.
ABSTRACT_FROM: Final = "abstract-from"
CITING: Final = "citing-sentences"
CITING_FROM: Final = "citing-sentences-from"
#: Fields: the address of a copy that is free to read, and how many works cite this one.
OPEN_ACCESS: Final = "url"
CITED_BY: Final = "cited-by"
#: Field of a service's record: whether the work was retracted.
RETRACTED: Final = "retracted"


def fetched_path(index: Path) -> Path:
    """Return the path of the bibliography beside an index."""
    return index.parent / FOLDER / FILE_NAME


def is_fetched(path: Path) -> bool:
    """Return whether a bibliography is the one with fetched data."""
    return path.name == FILE_NAME and path.parent.name == FOLDER


def written_citing(works: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return works that cite, with their titles and sentences, as the value of a field."""
    return packed((title, *sentences) for title, sentences in works)


def read_citing(value: str) -> list[tuple[str, list[str]]]:
    """Return the titles and sentences in the value of a field."""
    return [(title, sentences) for title, *sentences in unpacked(value) if title]


def by_service(fetched: Iterable[Mapping[str, str]]) -> tuple[FromService, ...]:
    """Return how much the fields of entries have from each service, by its name."""
    abstracts, sentences = Counter[str](), Counter[str]()
    for fields in fetched:
        abstracts[fields.get(ABSTRACT_FROM, "")] += bool(fields.get("abstract"))
        citing = read_citing(fields.get(CITING, ""))
        sentences[fields.get(CITING_FROM, "")] += sum(len(each) for _, each in citing)
    names = sorted({*+abstracts, *+sentences})
    return tuple(FromService(name, abstracts[name], sentences[name]) for name in names)
