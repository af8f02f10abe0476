"""The entries of several bibliographies as one, as BibTeX and biber treat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType

from ...model.bibliographies import BibliographyFile, aliases_of, folded
from ...model.papers import BibEntry
from ..bibtex.inherit import parents_of, with_inheritance


@dataclass(frozen=True)
class EntryNames:
    """The names by which entries are cited: their keys, and aliases."""

    entries: Mapping[str, BibEntry]

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of entries, with the entries' keys."""
        return aliases_of(self.entries.values())

    def key_of(self, name: str, *, case_sensitive: bool) -> str | None:
        """Return the key of the entry that a name means: a key, else an alias.

        Without `case_sensitive`, the first of the keys that differ only in case is used.
        """
        if case_sensitive:
            return name if name in self.entries else self.aliases.get(name)
        name = name.lower()
        return self._folded.get(name) or self._folded_aliases.get(name)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return folded(self.entries)

    @cached_property
    def _folded_aliases(self) -> Mapping[str, str]:
        return {alias.lower(): key for alias, key in reversed(tuple(self.aliases.items()))}


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
    found: dict[str, BibEntry] = {}
    if ranked == tuple(files):
        for key, entry in chain.from_iterable(file.entries.items() for file in files):
            found.setdefault(key, entry)
    else:
        # The last entry with a key counts, where it stands.
        for key, entry in chain.from_iterable(file.entries.items() for file in ranked[::-1]):
            found.pop(key, None)
            found[key] = entry
    if len(files) > 1:
        heirs = [heir for file in files for heir in _heirs_elsewhere(file, files, found)]
        found.update(with_inheritance(heirs, partial(_find, ranked)))
    return {**found, **others, **found}


def _heirs_elsewhere(
    file: BibliographyFile, files: Sequence[BibliographyFile], used: Mapping[str, BibEntry]
) -> Iterator[BibEntry]:
    """Yield the entries of a file that inherit from another file, of those in use."""
    for key in file.heirs:
        if (entry := used.get(key)) is file.all_entries[key] and entry is not None:
            elsewhere = [n for n in map(str.lower, parents_of(entry)) if n not in file.folded]
            if any(name in other.folded for name in elsewhere for other in files):
                yield entry


def _find(files: Sequence[BibliographyFile], name: str) -> BibEntry | None:
    """Return the entry for a parent's name: with its exact key if any file has that."""
    exact = (file for file in files if name in file.all_entries)
    found = (file.find(name) for file in (*exact, *files))
    return next((entry for entry in found if entry is not None), None)
