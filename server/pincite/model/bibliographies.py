"""Parsed bibliographies, whatever the format of their file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from .drafts import CitationKey
from .edits import TextEdit
from .papers import BibEntry
from .places import Place
from .problems import Problem
from .programs import Program
from .spans import TextSpan

#: The kind of a fault; callers distinguish all kinds but "other".
#: A "comment" is one for biber, and a fault for BibTeX.
FaultKind = Literal[
    "no comma", "not closed", "extra brace", "no macro", "key used", "comment", "other"
]
Found = TypeVar("Found")


class ByKey(Mapping[str, Found]):
    """What `find` returns for the position of each key, found on access; keys are in order."""

    __slots__ = ("_find", "_positions")

    def __init__(self, positions: Mapping[str, int], find: Callable[[int], Found]) -> None:
        self._positions, self._find = positions, find

    def __getitem__(self, key: str) -> Found:
        return self._find(self._positions[key])

    def __contains__(self, key: object) -> bool:
        return key in self._positions

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at an `offset` of the text, in the entry with the span `entry`.

    A fault of the kind "key used" is an entry that is ignored.
    """

    message: str
    offset: int
    entry: TextSpan
    kind: FaultKind = "other"


class BibliographyFile(ABC):
    """The entries of one file, where they are, and what is wrong with it.

    Immutable. Offsets are code points of the file's text. BibTeX has more than other formats:
    ``@xdata`` entries, macros, inheritance; of these, there are none by default.
    """

    #: The file.
    path: Path
    #: The program that reads it.
    program: Program
    #: The index of the entry in use with each key, in file order.
    positions: Mapping[str, int]

    @property
    def entries(self) -> ByKey[BibEntry]:
        """The entries that can be cited, by key, in order, each parsed on access."""
        return self.all_entries

    @property
    def data_entries(self) -> Mapping[str, BibEntry]:
        """Entries that cannot be cited but inherited from, by key."""
        return MappingProxyType({})

    @property
    def all_entries(self) -> ByKey[BibEntry]:
        """The entries of both kinds, by key, in order."""
        return ByKey(self.positions, self.entry)

    def read_through(self, *, title_only: bool = False) -> Iterator[BibEntry]:
        """Yield the entries that can be cited, in order, with their fields parsed.

        For one pass over all of them: those of `entries` take less memory to keep. If their titles
        are enough, other fields may be missing.
        """
        return iter(self.entries.values())

    @property
    def places(self) -> ByKey[Place]:
        """The places of all entries by key, found on access."""
        return ByKey(self.positions, self.place)

    @property
    @abstractmethod
    def aliases(self) -> Mapping[str, str]:
        """The aliases of citable entries, with the entries' keys."""

    @property
    @abstractmethod
    def folded(self) -> Mapping[str, str]:
        """All keys by their lower-case form; of keys with the same form, the first one."""

    @property
    @abstractmethod
    def folded_aliases(self) -> Mapping[str, str]:
        """The aliases of all entries in lower case, with the entries' keys."""

    @property
    def strings(self) -> Mapping[str, str]:
        """The macros as written, by lower-cased names; pass them on to a file that uses them."""
        return MappingProxyType({})

    @property
    def crossref_parents(self) -> frozenset[str]:
        """The names, in lower case, of entries from which others inherit by ``crossref``."""
        return frozenset()

    @property
    @abstractmethod
    def repeated(self) -> Sequence[CitationKey]:
        """The keys of entries that are ignored, because another one has the same key."""

    @property
    @abstractmethod
    def faults(self) -> Sequence[Fault]:
        """What is wrong, place by place, in order; takes long in a large file."""

    @property
    @abstractmethod
    def problems(self) -> Sequence[Problem]:
        """The same as `faults`, entry by entry."""

    @abstractmethod
    def entry(self, position: int) -> BibEntry:
        """Return the entry with this index; see `positions`."""

    @abstractmethod
    def place(self, position: int) -> Place:
        """Return the place of an entry; see `positions`."""

    @abstractmethod
    def start(self, position: int) -> int:
        """Return the offset at which an entry starts; see `positions`."""

    @abstractmethod
    def line(self, position: int) -> int:
        """Return the 1-based line in which an entry starts; see `positions`."""

    @abstractmethod
    def excerpt(self, entry: BibEntry) -> tuple[str, int] | None:
        """Return an entry's text from the beginning of its line, and the offset of that.

        None if there is no such entry.
        """

    @abstractmethod
    def find(self, name: str) -> BibEntry | None:
        """Return the entry for a name that another one gives, in any case."""

    def may_inherit(self, key: str) -> bool:
        """Return False, quickly, for most entries that inherit nothing."""
        return False

    def sets(self) -> Iterator[str]:
        """Yield the keys of biblatex's sets, quickly."""
        return iter(())

    def heirs(self) -> Iterator[tuple[str, str]]:
        """Yield the keys of entries that may inherit from others, and the text of each."""
        return iter(())

    @abstractmethod
    def edited(self, edit: TextEdit) -> BibliographyFile:
        """Return the bibliography after an edit of its text."""

    @abstractmethod
    def updated(self, text: str) -> BibliographyFile:
        """Return the bibliography with another text; the same object if the text is the same."""

    @abstractmethod
    def moved(self, start: int, line: int) -> BibliographyFile:
        """Return the bibliography as embedded in another file, at this offset and line."""

    def with_strings(self, strings: Mapping[str, str]) -> BibliographyFile:
        """Return the bibliography as read after files with other macros; the same if they are."""
        return self

    @abstractmethod
    def keys_in_changed_parts(self, earlier: BibliographyFile) -> Iterable[str]:
        """Return the keys of all entries that may differ from an earlier state."""
