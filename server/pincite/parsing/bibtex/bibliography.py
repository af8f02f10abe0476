"""A parsed `.bib` file: the places of its entries are known, each entry is parsed on access."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from ...model.bibliographies import BibliographyFile, ByKey, Fault
from ...model.drafts import CitationKey
from ...model.edits import TextEdit
from ...model.papers import BibEntry
from ...model.problems import Problem
from ...model.programs import BIBER, Program
from ..encoding import read_text
from .commands import Commands, Keys, keys_of
from .faults import faults_of
from .fields import Fields, UnreadFields
from .inherit import inherits, listed_keys, with_inheritance
from .macros import MacrosOfFile
from .parts import Part, decoded, fields_of, read, scanned, with_edit, with_text


def read_bibliography(path: Path, strings: Mapping[str, str] | None = None) -> Bibliography:
    """Read a `.bib` file; raise `InputError` if it is missing, a folder or binary."""
    return parse_bibliography(read_text(path), path, strings)


def parse_bibliography(
    text: str,
    path: Path,
    strings: Mapping[str, str] | None = None,
    program: Program = BIBER,
) -> Bibliography:
    """Parse the text of the `.bib` file at `path` as a program does; any text gives a result.

    `strings` are macros of files that the program would read before this one.
    """
    parts = tuple(scanned(text, comments=program.comments))
    return Bibliography(parts, path, MacrosOfFile(parts, strings or {}), program=program)


class Bibliography(Commands, BibliographyFile):
    """The entries of a `.bib` file, what is wrong with it, and its ``@string`` macros.

    Immutable: `edited` and `updated` return new objects, which share the unedited parts. Everything
    but the keys is computed on demand; finding what is wrong parses every entry.
    """

    # Changes

    def edited(self, edit: TextEdit) -> Bibliography:
        """Return the bibliography after an edit of its text."""
        return self._with_parts(with_edit(self.parts, edit, comments=self.program.comments))

    def updated(self, text: str) -> Bibliography:
        """Return the bibliography with another text; the same object if the text is the same."""
        parts = with_text(self.parts, text, comments=self.program.comments)
        return self if parts == self.parts else self._with_parts(parts)

    def moved(self, start: int, line: int) -> Bibliography:
        """Return the bibliography as embedded in another file, at this offset and line."""
        return self._with(self.parts, self.macros, self._keys, start, line)

    def with_strings(self, strings: Mapping[str, str]) -> Bibliography:
        """Return the bibliography as read after files with other macros; the same if they are."""
        if self.macros.before == strings:
            return self
        macros = MacrosOfFile(self.parts, strings)
        return self._with(self.parts, macros, self._keys, self._start, self._line)

    def _with_parts(self, parts: tuple[Part, ...]) -> Bibliography:
        now, then = _unlike(parts, self.parts), _unlike(self.parts, parts)
        macros = self.macros.after(parts)
        keys = self._keys if keys_of(now) == keys_of(then) else None
        return self._with(parts, macros, keys, self._start, self._line)

    def _with(
        self,
        parts: tuple[Part, ...],
        macros: MacrosOfFile,
        keys: Keys | None,
        start: int,
        line: int,
    ) -> Bibliography:
        return Bibliography(parts, self.path, macros, start, line, keys, self.program)

    def keys_in_changed_parts(self, earlier: BibliographyFile) -> Iterable[str]:
        """Return the keys of all entries that may differ from an earlier state.

        Entries in other parts can differ only in what they inherit.
        """
        if self is earlier:
            return ()
        if (
            not isinstance(earlier, Bibliography)
            or self.path != earlier.path
            or (
                self.macros is not earlier.macros
                and (self.macros.before, self.macros.defined)
                != (earlier.macros.before, earlier.macros.defined)
            )
        ):
            return {**self.positions, **earlier.positions}
        changed = (*_unlike(self.parts, earlier.parts), *_unlike(earlier.parts, self.parts))
        return {key for part in changed for key in part.keys if key}

    # Entries

    # Not cached: a reference cycle would keep it in memory until a full collection.

    @property
    def entries(self) -> ByKey[BibEntry]:
        """The entries that can be cited, by key, in order."""
        return ByKey(self._citable, self.entry)

    @property
    def data_entries(self) -> ByKey[BibEntry]:
        """The ``@xdata`` entries by key: not citable, but inherited from."""
        return ByKey(self._data, self.entry)

    def read_through(self, *, title_only: bool = False) -> Iterator[BibEntry]:
        """Yield the entries that can be cited, in order, with their fields parsed."""
        positions, macros = self.positions, self.macros.at_end
        for first, part in zip(self.numbers, self.parts, strict=False):
            for index, (key, kind) in enumerate(zip(part.keys, part.kinds, strict=True)):
                position = first + index
                if not key or kind == "xdata" or positions[key] != position:
                    continue
                if kind == "set" or index in part.naming:
                    yield self.entry(position)
                else:
                    known = (self.macros_at(position) if self.definitions else macros).known
                    fields = fields_of(part.written(index), known, title_only=title_only)
                    yield BibEntry(key, kind, Fields(fields), self.path)

    @cached_property
    def _citable(self) -> Mapping[str, int]:
        data = self._data
        if not data:
            return self.positions
        return {key: at for key, at in self.positions.items() if key not in data}

    @cached_property
    def _data(self) -> Mapping[str, int]:
        return {key: self.positions[key] for key in self._of_kind("xdata")}

    def _of_kind(self, kind: str) -> Iterator[str]:
        """Yield the keys of the entries of a kind, quickly for those that few entries are of."""
        parts = (part for part in self.parts if kind in part.kinds)
        for key in dict.fromkeys(key for part in parts for key in part.keys if key):
            part, index = self.part(self.positions[key])
            if part.kinds[index] == kind:
                yield key

    def entry(self, position: int) -> BibEntry:
        """Return the entry whose command has this index; see `positions`."""
        part, index = self.part(position)
        entry = self._read(part, index, position)
        if index in part.naming and inherits(entry):
            return with_inheritance(entry, self._named, self._complete)
        return entry

    def _own(self, position: int) -> BibEntry:
        """Return an entry with its own fields only."""
        return self._read(*self.part(position), position)

    def _read(self, part: Part, index: int, position: int) -> BibEntry:
        key, kind = part.keys[index], part.kinds[index]
        fields = UnreadFields(part.written(index), self.macros_at(position))
        aliases: tuple[str, ...] = ()
        members: tuple[str, ...] = ()
        if index in part.naming:
            aliases = listed_keys(fields.as_written().get("ids", ""))
        if kind == "set":
            members = listed_keys(fields.as_written().get("entryset", ""))
        return BibEntry(key, kind, fields, self.path, aliases, members)

    # Names

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of citable entries, with the entries' keys."""
        found: dict[str, str] = {}
        for position in self._naming_positions:
            entry = self._own(position)
            if entry.entry_type != "xdata":
                for alias in entry.aliases:
                    found.setdefault(alias, entry.key)
        return found

    @property
    def folded(self) -> Mapping[str, str]:
        """All keys by their lower-case form; of keys with the same form, the first one."""
        return self._keys.folded

    @cached_property
    def _naming_positions(self) -> tuple[int, ...]:
        """The indices of the entries that may name keys other than their own."""
        return tuple(
            number + index
            for number, part in zip(self.numbers, self.parts, strict=False)
            for index in sorted(part.naming)
            if self.positions.get(part.keys[index]) == number + index
        )

    def find(self, name: str) -> BibEntry | None:
        """Return the entry for a parent's name, in any case, with all its fields."""
        position = self._position(name)
        return None if position is None else self.entry(position)

    def _named(self, name: str) -> BibEntry | None:
        position = self._position(name)
        return None if position is None else self._own(position)

    def _position(self, name: str) -> int | None:
        # BibTeX finds parents by their keys in any case; only biber has aliases.
        if name in self.positions:
            return self.positions[name]
        key = self.folded.get(name.lower()) or self.folded_aliases.get(name.lower())
        return None if key is None else self.positions[key]

    @cached_property
    def folded_aliases(self) -> Mapping[str, str]:
        """The aliases of all entries in lower case, with the entries' keys."""
        found: dict[str, str] = {}
        for position in self._naming_positions:
            entry = self._own(position)
            for alias in entry.aliases:
                found.setdefault(alias.lower(), entry.key)
        return found

    @cached_property
    def _complete(self) -> dict[str, BibEntry]:
        """Parents that themselves inherit, once their inheritance is resolved."""
        return {}

    def may_inherit(self, key: str) -> bool:
        """Return False, quickly, for most entries that inherit nothing."""
        part, index = self.part(self.positions[key])
        return index in part.naming

    def sets(self) -> Iterator[str]:
        """Yield the keys of biblatex's sets, quickly."""
        return self._of_kind("set")

    def heirs(self) -> Iterator[tuple[str, str]]:
        """Yield the keys of entries that may inherit from others, and the text of each."""
        for position in self._naming_positions:
            part, index = self.part(position)
            yield part.keys[index], decoded(part.written(index))

    @cached_property
    def crossref_parents(self) -> frozenset[str]:
        """The names, in lower case, of entries from which others inherit by ``crossref``.

        Every entry that may inherit is parsed for it.
        """
        entries = map(self._own, self._naming_positions)
        named = (entry.fields.get("crossref", "") for entry in entries)
        return frozenset(name.lower() for value in named for name in listed_keys(value))

    # Places

    @property
    def strings(self) -> Mapping[str, str]:
        """The macros as written, by lower-cased names; pass them on to a file that uses them."""
        return self.macros.strings

    def excerpt(self, entry: BibEntry) -> tuple[str, int] | None:
        """Return an entry's text from the beginning of its line, and the offset of that."""
        position = self.positions.get(entry.key)
        if position is None:
            return None
        part, index = self.part(position)
        at = bisect_right(self.numbers, position) - 1
        before = part.in_front(index)
        if len(before) == part.starts[index] and at:
            # Before the first entry of a part, its line has only space.
            earlier = self.parts[at - 1].text
            before = earlier[len(earlier.rstrip(" \t")) :] + before
        written = part.written(index)
        end = read(written, self.macros_at(position).known).end
        return before + decoded(written)[:end], self.start(position) - len(before)

    @cached_property
    def repeated(self) -> tuple[CitationKey, ...]:
        """The keys of entries that are ignored, because another one has the same key."""
        found = ((*self.part(at), self.place(at)) for at in self.repeated_positions)
        return tuple(CitationKey(part.keys[index], place.key_span) for part, index, place in found)

    # What is wrong

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, place by place, in order; takes long in a large file."""
        return self._faults[0]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The same as `faults`, entry by entry."""
        return self._faults[1]

    @cached_property
    def _faults(self) -> tuple[tuple[Fault, ...], tuple[Problem, ...]]:
        return faults_of(self)


def _unlike(parts: Iterable[Part], others: Iterable[Part]) -> list[Part]:
    """Return the parts that are not among the `others`."""
    known = set(map(id, others))
    return [part for part in parts if id(part) not in known]
