"""The entries of several bibliographies as one, as BibTeX and biber treat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from ...cancellation import check
from ...model.bibliographies import BibliographyFile
from ...model.papers import BibEntry
from .commands import folded
from .fields import Fields
from .inherit import parents_of, with_inheritance


class MergedEntries(Mapping[str, BibEntry]):
    """The citable entries of bibliographies by key, each parsed on access.

    Of several with the same key, the first one is used, or that of the first file of those in order
    of precedence. Parents may be in another file.
    """

    def __init__(
        self,
        files: Sequence[BibliographyFile] = (),
        others: Mapping[str, BibEntry] = MappingProxyType({}),
        by_precedence: Sequence[BibliographyFile] | None = None,
    ) -> None:
        """Store bibliographies in their order, and `others`, which are in none and come last."""
        self.files = tuple(files)
        self._by_precedence = self.files if by_precedence is None else tuple(by_precedence)
        first_counts = self._by_precedence == self.files
        #: Of a repeated key, the entry that counts is the first one here, or the last one.
        self._in_order = self.files if first_counts else self._by_precedence[::-1]
        self.others = others
        keys = [keys for keys in (*(file.entries for file in self._in_order), others) if keys]
        listed = tuple(chain.from_iterable(keys)) if len(keys) != 1 else ()
        if not first_counts:
            listed = tuple(dict.fromkeys(listed[::-1]))[::-1]
        self._keys: Mapping[str, object] = keys[0] if len(keys) == 1 else dict.fromkeys(listed)
        #: Parents whose inheritance from other files is resolved.
        self._complete: dict[str, BibEntry] = {}

    def __getitem__(self, key: str) -> BibEntry:
        # Loops over all entries of a large bibliography take long.
        check()
        file = self._file_of(key)
        if file is None:
            return self.others[key]
        entry = file.entries[key]
        return self._from_elsewhere(entry, file) if len(self.files) > 1 else entry

    def _file_of(self, key: str) -> BibliographyFile | None:
        """Return the file whose entry with a key counts."""
        return next((file for file in self._by_precedence if key in file.entries), None)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def read_through(self, *, title_only: bool = False) -> Iterator[BibEntry]:
        """Yield all entries in order, with their fields parsed: for one pass, as of one file."""
        several = len(self.files) > 1
        for file in self._in_order:
            for entry in file.read_through(title_only=title_only):
                check()
                if not several or self._file_of(entry.key) is file:
                    yield self._from_elsewhere(entry, file) if several else entry
        for key, entry in self.others.items():
            if self._file_of(key) is None:
                yield entry

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of entries, with the entries' keys."""
        found: dict[str, str] = {}
        for file in self.files:
            for alias, key in file.aliases.items():
                if self._file_of(key) is file:
                    found.setdefault(alias, key)
        return found

    def key_of(self, name: str, *, case_sensitive: bool) -> str | None:
        """Return the key of the entry that a name means: a key, else an alias.

        Without `case_sensitive`, the first of the keys that differ only in case is used.
        """
        if case_sensitive:
            return name if name in self else self.aliases.get(name)
        name = name.lower()
        return self._folded.get(name) or self._folded_aliases.get(name)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        if len(self.files) == 1 and len(self) == len(self.files[0].positions):
            return self.files[0].folded  # known since before an edit
        return folded(self)

    @cached_property
    def _folded_aliases(self) -> Mapping[str, str]:
        return {alias.lower(): key for alias, key in reversed(tuple(self.aliases.items()))}

    def changed_since(self, earlier: MergedEntries) -> Iterator[str]:
        """Yield the keys of entries that are new, or whose content differs from `earlier`.

        The place of an entry in its file does not matter. Parts that cannot have changed are
        skipped. A set of biblatex has the content of its members.
        """
        suspects = self._suspects(earlier)
        if suspects:
            suspects = {**suspects, **dict.fromkeys(k for file in self.files for k in file.sets())}
        for key in suspects:
            entry, other = self.get(key), earlier.get(key)
            if entry is None:
                continue
            if not _alike(entry, other) or any(
                not _alike(self._member(name), earlier._member(name)) for name in entry.members
            ):
                yield key

    def _suspects(self, earlier: MergedEntries) -> Mapping[str, None]:
        """Return the keys of all entries that may have changed."""
        if len(self.files) != len(earlier.files):
            return dict.fromkeys((*self, *earlier))
        files = tuple(zip(self.files, earlier.files, strict=True))
        found: dict[str, None] = {}
        for now, then in files:
            found.update(dict.fromkeys(now.keys_in_changed_parts(then)))
        if self.others != earlier.others:
            found.update(dict.fromkeys((*self.others, *earlier.others)))
        heirs = (
            {key: text.lower() for now, _ in files for key, text in now.heirs()} if found else {}
        )
        new = set(found)
        while new and heirs:
            # A parent may be named in another case, or by an alias.
            aliases = (
                alias
                for entries in (self, earlier)
                for file in entries.files
                for alias, key in file.folded_aliases.items()
                if key in new
            )
            names = {name.lower() for name in chain(new, aliases)}
            new = {key for key, text in heirs.items() if any(name in text for name in names)}
            new -= found.keys()
            found.update(dict.fromkeys(new))
        return found

    def _from_elsewhere(self, entry: BibEntry, file: BibliographyFile) -> BibEntry:
        """Return an entry with what it inherits from other files."""
        if not file.may_inherit(entry.key):
            return entry
        parents = (name.lower() for name in parents_of(entry))
        elsewhere = (name for name in parents if name not in file.folded)
        if any(name in other.folded for name in elsewhere for other in self.files):
            return with_inheritance(entry, self._find, self._complete)
        return entry

    def _member(self, name: str) -> BibEntry | None:
        key = name if name in self else self.key_of(name, case_sensitive=False)
        return None if key is None else self.get(key)

    def _find(self, name: str) -> BibEntry | None:
        exact = (file for file in self._by_precedence if name in file.positions)
        found = (file.find(name) for file in (*exact, *self._by_precedence))
        return next((entry for entry in found if entry is not None), None)


def _alike(entry: BibEntry | None, other: BibEntry | None) -> bool:
    """Compare two states of an entry by their content."""
    if entry is None or other is None:
        return entry is other
    said = (entry.entry_type, entry.path, entry.aliases, entry.members)
    if said != (other.entry_type, other.path, other.aliases, other.members):
        return False
    # Compare undecoded values if possible, as decoding is slow.
    if isinstance(entry.fields, Fields):
        return entry.fields.written_like(other.fields)
    return entry.fields == other.fields
