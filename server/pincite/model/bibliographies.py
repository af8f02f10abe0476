"""Parsed bibliographies, whatever the format of their file."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from .drafts import CitationKey
from .papers import BibEntry
from .problems import Problem
from .programs import Program
from .spans import TextSpan

#: The kind of a fault; callers distinguish all kinds but "other".
#: A "comment" is one for biber, and a fault for BibTeX.
FaultKind = Literal[
    "no comma", "not closed", "extra brace", "no macro", "key used", "comment", "other"
]
#: The fields whose values are keys of entries; `ids` has aliases of the entry itself.
NAMING_FIELDS: Final = frozenset(("crossref", "xref", "xdata", "related", "entryset", "ids"))
_NAMED_KEY: Final = re.compile(r'[^\s,{}"#](?:[^,{}"#]*[^\s,{}"#])?')


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at an `offset` of the text, in the entry with the span `entry`."""

    message: str
    offset: int
    entry: TextSpan
    kind: FaultKind = "other"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an entry: its 1-based line, its span from the ``@`` on, and its key's span."""

    line: int
    span: TextSpan
    key_span: TextSpan


class FieldPlace(NamedTuple):
    """One field of an entry: `value` is its value as written, `content` without the delimiters.

    `content` is None if the value is concatenated with ``#``. `text` is that of a value in JSON or
    YAML.
    """

    name: str
    value: TextSpan
    content: TextSpan | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """One entry, even if it is ignored because its key is already used.

    `written` are the values of all fields before decoding, with `@string` macros as names. `named`
    are the keys in its `NAMING_FIELDS`, and whether each is an alias of its own.
    """

    entry_type: str
    key: str
    span: TextSpan
    key_span: TextSpan
    fields: Sequence[FieldPlace]
    written: Mapping[str, str]
    named: Sequence[tuple[CitationKey, bool]]

    @property
    def keys(self) -> list[tuple[CitationKey, bool]]:
        """The keys in the entry, and whether each is its own: these come first."""
        own = [(CitationKey(self.key, self.key_span), True)] if self.key else []
        return sorted([*own, *self.named], key=lambda each: not each[1])


@dataclass(frozen=True)
class EntryNames:
    """The names by which entries are cited: their keys, and aliases."""

    entries: Mapping[str, BibEntry]

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The aliases of entries, with the entries' keys; of a repeated one, the first."""
        found: dict[str, str] = {}
        for entry in self.entries.values():
            for alias in entry.aliases:
                found.setdefault(alias, entry.key)
        return found

    @cached_property
    def folded(self) -> Mapping[str, str]:
        """All keys by their lower-case form; of keys with the same form, the first one."""
        return {key.lower(): key for key in reversed(tuple(self.entries))}

    @cached_property
    def folded_aliases(self) -> Mapping[str, str]:
        """The aliases in lower case, with the entries' keys."""
        return {alias.lower(): key for alias, key in reversed(tuple(self.aliases.items()))}

    def key_of(self, name: str, *, case_sensitive: bool) -> str | None:
        """Return the key with a name, else with that alias; of several, the first."""
        if case_sensitive:
            return name if name in self.entries else self.aliases.get(name)
        return self.folded.get(name.lower()) or self.folded_aliases.get(name.lower())


class BibliographyFile(ABC):
    """The entries of one file, where they are, and what is wrong with it.

    Immutable. Offsets are code points of the file's text. BibTeX has more than other formats:
    ``@xdata`` entries, macros, inheritance; of these, there are none by default.
    """

    #: The entries in use by key, in order; those that cannot be cited included.
    all_entries: Mapping[str, BibEntry]
    #: The macros as written, by lower-cased names; pass them on to a file that uses them.
    strings: Mapping[str, str] = MappingProxyType({})
    #: The keys of entries that inherit from others.
    heirs: Sequence[str] = ()

    def __init__(
        self, path: Path, program: Program, start: int, line: int, keys: Sequence[str]
    ) -> None:
        """Store what reads the file, where its text starts, and the keys of all entries."""
        #: `start` and `line`, from 1, are where the text starts in the file.
        self.path, self.program, self.start, self.line = path, program, start, line
        self.keys = keys
        #: The position of the entry in use with each key: the first or the last one.
        self.positions: dict[str, int] = {}
        for position, key in enumerate(keys):
            if key and program.last_counts:
                self.positions.pop(key, None)
            if key:
                self.positions.setdefault(key, position)

    @property
    @abstractmethod
    def text(self) -> str:
        """The text of the bibliography."""

    @cached_property
    def digest(self) -> str:
        """A digest of the text."""
        return blake2b(self.text.encode("utf-8", "replace"), digest_size=20).hexdigest()

    @cached_property
    def entries(self) -> Mapping[str, BibEntry]:
        """The entries that can be cited, by key, in order."""
        if not self.data_entries:
            return self.all_entries
        return {k: entry for k, entry in self.all_entries.items() if k not in self.data_entries}

    @cached_property
    def data_entries(self) -> Mapping[str, BibEntry]:
        """Entries that cannot be cited but inherited from, by key."""
        return {k: entry for k, entry in self.all_entries.items() if entry.entry_type == "xdata"}

    @cached_property
    def names(self) -> EntryNames:
        """The names of all entries."""
        return EntryNames(self.all_entries)

    def find(self, name: str) -> BibEntry | None:
        """Return the entry for a name that another one gives, in any case."""
        # BibTeX finds parents by their keys in any case; only biber has aliases.
        if name in self.all_entries:
            return self.all_entries[name]
        key = self.names.key_of(name, case_sensitive=False)
        return None if key is None else self.all_entries[key]

    @property
    def places(self) -> Mapping[str, Place]:
        """The places of all entries by key; slow if there are many entries."""
        return {key: self.place(key) for key in self.all_entries}

    def place(self, key: str) -> Place:
        """Return the place of an entry; raise `KeyError` if there is none with this key."""
        return self.place_at(self.positions[key])

    @abstractmethod
    def place_at(self, position: int) -> Place:
        """Return the place of the entry with an index."""

    @abstractmethod
    def entry_place(self, position: int) -> EntryPlace:
        """Return the place of the entry with an index, and those of its fields."""

    def entry_places(self) -> Iterator[EntryPlace]:
        """Yield the places of the entries in order, those without a key included."""
        yield from map(self.entry_place, range(len(self.keys)))

    @cached_property
    def repeated(self) -> tuple[CitationKey, ...]:
        """The keys of entries that are ignored, because another one has the same key."""
        return tuple(
            CitationKey(key, self.place_at(at).key_span)
            for at, key in enumerate(self.keys)
            if key and self.positions[key] != at
        )

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, place by place, in order; takes long in a large file."""
        return self._wrong[0]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The same as `faults`, entry by entry."""
        return self._wrong[1]

    @cached_property
    def _wrong(self) -> tuple[tuple[Fault, ...], tuple[Problem, ...]]:
        faults, problems = self._find_faults()
        faults.sort(key=lambda fault: fault.entry.start)
        problems.sort(key=lambda problem: problem.line or 0)
        return tuple(faults), tuple(problems)

    @abstractmethod
    def _find_faults(self) -> tuple[list[Fault], list[Problem]]: ...


def named_keys(
    fields: Iterable[FieldPlace], text: str, start: int
) -> list[tuple[CitationKey, bool]]:
    """Return the keys that fields name in a text at `start`, and whether each is an alias."""
    return [
        (CitationKey(key[0], TextSpan(*key.span()).moved(start)), field.name == "ids")
        for field in fields
        if field.name in NAMING_FIELDS
        for key in _NAMED_KEY.finditer(text, field.value.start - start, field.value.end - start)
    ]


def key_used(line: int, program: Program) -> str:
    """Return what is wrong with an entry whose key the entry in a `line` has, which counts."""
    if program.last_counts:
        return f"key used again in line {line}; the last entry counts"
    return f"key already used in line {line}; the first entry counts"
