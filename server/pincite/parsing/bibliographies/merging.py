"""The entries of several bibliographies as one, as BibTeX and biber treat them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from ...model.bibliographies import BibliographyFile, aliases_of, folded
from ...model.papers import BibEntry
from ..bibtex.inherit import PARENTS, keys_named_by, with_inheritance


@dataclass(frozen=True)
class EntryNames:
    """The names by which entries are cited: their keys, and aliases."""

    entries: Mapping[str, BibEntry]

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The aliases of entries, with the entries' keys."""
        return aliases_of(self.entries.values())

    def key_of(self, name: str, *, case_sensitive: bool) -> str | None:
        """Return the key with a name, else with that alias; of several, the first."""
        if case_sensitive:
            return name if name in self.entries else self.aliases.get(name)
        return self._folded.get(name.lower())

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        aliases = {alias.lower(): key for alias, key in reversed(self.aliases.items())}
        return {**aliases, **folded(self.entries)}


def merged(
    files: Sequence[BibliographyFile],
    others: Mapping[str, BibEntry] = MappingProxyType({}),
    by_precedence: Sequence[BibliographyFile] | None = None,
) -> dict[str, BibEntry]:
    """Return the citable entries of bibliographies, and `others`, which are in none, by key.

    Of several with the same key, the first one is used, or that of the first file of those in order
    of precedence. Parents may be in another file.
    """
    ranked = tuple(files if by_precedence is None else by_precedence)
    counting: dict[str, BibEntry] = {}
    for file in reversed(ranked):
        counting.update(file.entries)
    ordered = files if ranked == tuple(files) else ranked[::-1]
    every = chain.from_iterable(file.entries.items() for file in ordered)
    found = {key: entry for key, entry in every if counting[key] is entry}

    def find(name: str) -> BibEntry | None:
        """Return the entry for a parent's name: with its exact key if any file has that."""
        exact = (file for file in ranked if name in file.all_entries)
        named = (file.find(name) for file in (*exact, *ranked))
        return next((entry for entry in named if entry is not None), None)

    heirs: list[BibEntry] = []
    for file in files if len(files) > 1 else ():
        own = (file.all_entries[key] for key in file.heirs)
        for entry in (entry for entry in own if found.get(entry.key) is entry):
            elsewhere = {*map(str.lower, keys_named_by(entry, PARENTS))} - file.folded.keys()
            if not all(map(elsewhere.isdisjoint, (other.folded for other in files))):
                heirs.append(entry)
    found.update(with_inheritance(heirs, find))
    return {**found, **others, **found}
