r"""The places where a draft and its bibliographies name an entry, and the rename of its key.

Citations, ``\bibitem``s, the keys of entries and what other entries say about them (``crossref``,
``xdata``, ``related``, ...) belong together: a key is renamed everywhere or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..model.drafts import CitationKey, TexFile
from ..model.edits import TextEdit
from ..model.papers import BibEntry
from ..model.places import Place
from ..model.problems import InputError
from ..model.spans import TextSpan
from ..parsing.bibtex.entry_places import EntryPlace, entry_at
from ..parsing.latex.parse import is_gap

# What LaTeX, BibTeX or biber would not read as part of a key.
_NO_PART_OF_A_KEY: Final = re.compile(r"""[\s,={}()%#~\\"']""")


@dataclass(frozen=True, slots=True, order=True)
class KeyPlace:
    """A place that names an entry; one that `defines` gives the entry this key."""

    path: Path
    span: TextSpan
    defines: bool = False


@dataclass(frozen=True, slots=True)
class BibliographyText:
    """The text of a bibliography, which begins at `start` in the file at `path`."""

    path: Path
    text: str
    start: int = 0


@dataclass(frozen=True, slots=True)
class KeysOfDraft:
    """Where to look for keys: the files of a draft, and its bibliographies.

    `entries` are the draft's entries by their names, aliases too; the names are in lower case
    unless the draft is `case_sensitive`.
    """

    files: Sequence[TexFile] = ()
    bibliographies: Sequence[BibliographyText] = ()
    entries: Mapping[str, BibEntry] = field(default_factory=dict)
    case_sensitive: bool = True
    #: Finds where an entry stands.
    place: Callable[[BibEntry], Place | None] = lambda _: None

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a key means."""
        return self.entries.get(self._folded(key))

    def same(self, one: str, other: str) -> bool:
        """Return whether two ways of writing a key are one."""
        return self._folded(one) == self._folded(other)

    def names_of(self, key: str) -> frozenset[str]:
        """Return all names of the entry that a key means; of an undefined key, itself."""
        entry = self.find(key)
        return frozenset((key,) if entry is None else (key, entry.key, *entry.aliases))

    def places(self, names: Collection[str]) -> Iterator[KeyPlace]:
        """Yield the places that name an entry by one of `names`."""
        meant = frozenset(map(self._folded, names))
        for file in self.files:
            for citation in file.citations:
                for key in citation.keys:
                    if self._folded(key.key) in meant:
                        yield KeyPlace(file.path, key.span)
            for item in file.bib_items:
                if self._folded(item.key) in meant:
                    yield KeyPlace(file.path, item.key_span, defines=True)
        for bibliography in self.bibliographies:
            yield from self._in_bibliography(bibliography, meant)

    def _folded(self, key: str) -> str:
        return key if self.case_sensitive else key.lower()

    def _in_bibliography(
        self, bibliography: BibliographyText, meant: frozenset[str]
    ) -> Iterator[KeyPlace]:
        by_entries = frozenset(name.lower() for name in meant)
        for entry in _entries_with(bibliography.text, meant):
            defining, naming = keys_in_entry(entry, bibliography.text)
            found = [(key, True) for key in defining if self._folded(key.key) in meant]
            # BibTeX and our reader find a parent whatever the case; one that fits exactly first.
            found += [
                (key, False)
                for key in naming
                if self._folded(key.key) in meant
                or (key.key.lower() in by_entries and key.key not in self.entries)
            ]
            for key, defines in found:
                yield KeyPlace(bibliography.path, key.span.moved(bibliography.start), defines)


def keys_in_entry(
    entry: EntryPlace, text: str
) -> tuple[tuple[CitationKey, ...], tuple[CitationKey, ...]]:
    """Return the keys that an entry has, and those of other entries that it names."""
    named = tuple(entry.named_keys(text))
    own = (CitationKey(entry.key, entry.key_span),) if entry.key else ()
    aliases = (key for field, key in named if field == "ids")
    return (*own, *aliases), tuple(key for field, key in named if field != "ids")


def key_in_bibliography(text: str, offset: int) -> CitationKey | None:
    """Return the key at `offset` in the text of a bibliography."""
    entry = entry_at(text, offset)
    keys = () if entry is None else (key for both in keys_in_entry(entry, text) for key in both)
    return next((key for key in keys if key.span.covers(offset)), None)


def key_in_draft(
    file: TexFile, bibliographies: Iterable[BibliographyText], offset: int
) -> CitationKey | None:
    r"""Return the key at `offset` in a file of a draft.

    It may be cited there, be a ``\bibitem``, or stand in one of the bibliographies in the file.
    """
    for citation in reversed(file.citations):
        for key in citation.keys:
            if key.span.covers(offset):
                return None if is_gap(key.key) else key
    for item in file.bib_items:
        if item.key_span.covers(offset):
            return CitationKey(item.key, item.key_span)
    for embedded in bibliographies:
        start, end = embedded.start, embedded.start + len(embedded.text)
        if embedded.path == file.path and start <= offset <= end:
            found = key_in_bibliography(embedded.text, offset - start)
            return found and CitationKey(found.key, found.span.moved(start))
    return None


@lru_cache(maxsize=8)  # drafts share their bibliographies
def _entries_with(text: str, names: frozenset[str]) -> tuple[EntryPlace, ...]:
    """Return the entries in which one of `names` may be a key."""
    written = "|".join(r"\s+".join(map(re.escape, name.split())) for name in sorted(names))
    # The one letter that is two in lower case.
    written = written.replace("i\u0307", "(?:i\u0307|\u0130)")
    pattern = re.compile(rf"(?:{written})(?=[\s,={{}}()\"#]|\Z)", re.IGNORECASE)
    found: list[EntryPlace] = []
    end = -1
    for match in pattern.finditer(text):
        start = match.start()
        if start <= end or (start and text[start - 1] not in ' \t\r\n{(,"#='):
            continue
        if (entry := entry_at(text, start)) is not None:
            found.append(entry)
            end = entry.span.end
    return tuple(found)


def renamed(drafts: Sequence[KeysOfDraft], old: str, new: str) -> tuple[TextEdit, ...]:
    """Return what to change so that `old` is called `new` in all of `drafts`.

    Raises `InputError` where `new` is no key or one that is taken, or where the entry is out of
    reach. A key that no entry has may become that of an entry: this mends a misspelt citation
    wherever it stands.
    """
    if (reason := why_no_key(new)) is not None:
        raise InputError(reason)
    for draft in drafts:
        other = draft.find(new)
        if other is not None and draft.find(old) is not None and not draft.same(old, new):
            place = draft.place(other)
            line = f", line {place.line}" if place else ""
            raise InputError(f"“{new}” is already the key of an entry ({other.path.name}{line}).")
    places: set[KeyPlace] = set()
    for draft in drafts:
        found = set(draft.places((old,)))
        if draft.find(old) is not None and not any(place.defines for place in found):
            # Such as a \bibitem in a .bbl file, which the next run overwrites.
            raise InputError(f"The key “{old}” cannot be changed where its entry is defined.")
        places |= found
    return tuple(TextEdit(place.path, place.span, new) for place in sorted(places))


def why_no_key(text: str) -> str | None:
    """Return why a text cannot be the key of an entry; None if it can."""
    if not text:
        return "A key needs at least one letter."
    if (found := _NO_PART_OF_A_KEY.search(text)) is not None:
        sign = "a space" if found.group().isspace() else found.group()
        return f"A key cannot have {sign} in it."
    if not text.isprintable():
        return "A key cannot have invisible signs in it."
    if text == "*" or is_gap(text):
        return f"“{text}” cannot be a key: it has another meaning in a citation."
    return None
