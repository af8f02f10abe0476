"""What a service is asked, and what it says of a work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..model.papers import BibEntry
from ..text.controls import without_controls
from ..text.escaping import valid
from ..text.tags import without_tags

#: Asks for a path with parameters; returns the JSON of the answer, None if nothing is there.
#: Raises `ServiceError`.
Ask = Callable[[str, Mapping[str, str]], Any]
#: How many works of a search are looked at.
MOST_FOUND: Final = 5
_LONGEST_ABSTRACT: Final = 20_000
_LONGEST_DOI: Final = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a service learns of an entry: its DOI, or else its title."""

    doi: str
    title: str


@dataclass(frozen=True, slots=True)
class CitingWork:
    """A work that cites, with the sentences in which it does."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundWork:
    """What a service says of a work; unknown values are empty.

    `id` is the service's own name for it; `authors` are full names, `open_access` is an address.
    """

    id: str
    title: str
    authors: tuple[str, ...] = ()
    year: str = ""
    doi: str = ""
    abstract: str = ""
    open_access: str = ""
    cited_by: int | None = None

    def entry(self) -> BibEntry:
        """Return it as an entry of a bibliography, with what references to it have."""
        fields = {"author": " and ".join(self.authors), "title": self.title, "year": self.year}
        return BibEntry(self.id, "misc", fields, Path())


class Source(ABC):
    """A service; `name` is shown to authors, `address` is where it is, `pause` in seconds."""

    name: str
    address: str
    #: Between two requests.
    pause: float
    #: Whether it knows the sentences of citing works, and DOIs whoever has registered them.
    has_citing = False
    has_all_registrars = False
    #: Whether it asks for an address to write to, and charges for searches by title.
    wants_email = False
    charges_for_searches = False
    #: The variable of the environment with the user's own key, which nobody needs to have, and the
    #: parameter or the header in which it is sent.
    key_variable = ""
    key_parameter = ""
    key_header = ""

    def works(self, wanted: Wanted, ask: Ask) -> Iterator[FoundWork]:
        """Yield what may be the work, best first: that of the DOI, or those with such a title."""
        found = [self._of_doi(wanted.doi, ask)] if wanted.doi else self._titled(wanted.title, ask)
        for each in found[:MOST_FOUND]:
            if isinstance(each, dict) and each:
                yield self._work(each)

    @abstractmethod
    def _of_doi(self, doi: str, ask: Ask) -> object:
        """Return what the service says of the work with a DOI; None if it does not know it."""

    @abstractmethod
    def _titled(self, title: str, ask: Ask) -> list[Any]:
        """Return what the service says of works with such a title, best first."""

    @abstractmethod
    def _work(self, said: dict[str, Any]) -> FoundWork:
        """Return a work of which the service says this."""

    def citing(self, work: FoundWork, ask: Ask) -> Sequence[CitingWork]:
        """Return the works that cite one of its works; none unless it `has_citing`."""
        return ()


def text_of(value: object) -> str:
    """Return a value of an answer that should be a text, on one line; else an empty string.

    Signs that no file of text may have are left out: one would spoil a whole bibliography.
    """
    if not isinstance(value, str):
        return ""
    return " ".join(valid(without_controls(value)).split())[:_LONGEST_ABSTRACT]


def prose_of(value: object) -> str:
    """Return a title or an abstract of an answer without tags: as a bibliography's is read."""
    return text_of(without_tags(text_of(value), is_markup=True))


def items_of(answer: object, name: str) -> list[Any]:
    """Return the list that an answer has under a name; an empty one if it has none."""
    items = answer.get(name) if isinstance(answer, dict) else None
    return items if isinstance(items, list) else []


def part_of(answer: object, name: str) -> dict[str, Any]:
    """Return the object that an answer has under a name; an empty one if it has none."""
    part = answer.get(name) if isinstance(answer, dict) else None
    return part if isinstance(part, dict) else {}


def doi_of(value: object) -> str:
    """Return a DOI in lower case, without a resolver's address; "" for one that cannot be sent."""
    doi = BibEntry("", "", {"doi": value}, Path()).doi if isinstance(value, str) else ""
    return doi if is_sendable(doi) else ""


def is_sendable(doi: str) -> bool:
    """Return whether a DOI is fit to be part of an address, and of a file of text.

    It must not lead to another place of a service.
    """
    leads_elsewhere = not {".", ".."}.isdisjoint(doi.split("/"))
    return doi.isprintable() and len(doi) <= _LONGEST_DOI and not leads_elsewhere
