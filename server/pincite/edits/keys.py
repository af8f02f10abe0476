r"""Find the places where a draft and its bibliographies name an entry, and rename its key.

Citations, ``\bibitem``s, the keys of entries and references from other entries (``crossref``,
``xdata``, ``related``, ...) belong together: a key is renamed everywhere or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from ..model.bibliographies import BibliographyFile, EntryPlace, Place
from ..model.drafts import CitationKey, DraftFile, is_gap
from ..model.edits import TextEdit
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..model.spans import TextSpan
from ..parsing.bibliographies import entry_at
from ..parsing.bibliographies.item_file import key_written
from ..parsing.bibtex import Bibliography
from ..parsing.bibtex.entry import NO_ENTRIES
from .citations import key_replaced

# Characters that LaTeX, BibTeX or biber do not accept in a key.
_NO_PART_OF_A_KEY: Final = re.compile(r"""[\s,={}()%#~\\"']""")


class KeyPlace(NamedTuple):
    """A place that names an entry; `defines` indicates whether it is the entry's own key."""

    path: Path
    span: TextSpan
    defines: bool = False


@dataclass(frozen=True, slots=True)
class KeysOfDraft:
    """Where to look for keys: the files of a draft, and its bibliographies.

    `named` finds the draft's entries by name, aliases included; the names are in lower case unless
    the draft is `case_sensitive`. `place` finds the place of an entry.
    """

    files: Sequence[DraftFile] = ()
    bibliographies: Sequence[BibliographyFile] = ()
    named: Callable[[str], BibEntry | None] = lambda _: None
    case_sensitive: bool = True
    place: Callable[[BibEntry], Place | None] = lambda _: None

    def find(self, key: str) -> BibEntry | None:
        """Return the entry with a key."""
        return self.named(self._folded(key))

    def names_of(self, key: str) -> frozenset[str]:
        """Return all names of the entry with a key; for an undefined key, the key itself."""
        entry = self.find(key)
        return frozenset((key,) if entry is None else (key, entry.key, *entry.aliases))

    def places(self, names: Collection[str]) -> Iterator[KeyPlace]:
        """Yield the places that name an entry by one of `names`."""
        wanted = frozenset(map(self._folded, names))
        for file in self.files:
            for key in (key for citation in file.citations for key in citation.keys):
                if self._folded(key.key) in wanted:
                    yield KeyPlace(file.path, key.span)
            for item in file.bib_items:
                if self._folded(item.key) in wanted:
                    yield KeyPlace(file.path, item.key_span, defines=True)
        # BibTeX and our reader find a parent regardless of case, preferring an exact match.
        parents = frozenset(name.lower() for name in wanted)
        for own in self.bibliographies:
            for entry in _entries_with(own, wanted):
                for key, defines in entry.keys:
                    is_parent = key.key.lower() in parents and self.named(key.key) is None
                    if self._folded(key.key) in wanted or (is_parent and not defines):
                        yield KeyPlace(own.path, key.span, defines)

    def _folded(self, key: str) -> str:
        return key if self.case_sensitive else key.lower()


def key_in_bibliography(
    path: Path, text: str, offset: int, *, comments: bool = True
) -> CitationKey | None:
    """Return the key at `offset` in the text of the bibliography at `path`; see `entry_at`."""
    entry = entry_at(path, text, offset, comments=comments)
    keys = entry.keys if entry is not None else ()
    return next((key for key, _ in keys if key.span.covers(offset)), None)


def key_in_draft(
    file: DraftFile, bibliographies: Iterable[BibliographyFile], offset: int
) -> CitationKey | None:
    r"""Return the key at `offset`: cited, of a ``\bibitem``, or in an embedded bibliography."""
    for citation in reversed(file.citations):
        for key in citation.keys:
            if key.span.covers(offset):
                return None if is_gap(key.key) else key
    for item in file.bib_items:
        if item.key_span.covers(offset):
            return CitationKey(item.key, item.key_span)
    own = (each for each in bibliographies if each.path == file.path)
    entries = (entry for each in own for entry in each.entry_places())
    keys = (key for entry in entries if entry.span.covers(offset) for key, _ in entry.keys)
    return next((key for key in keys if key.span.covers(offset)), None)


@lru_cache(maxsize=4)  # drafts share bibliographies
def _entries_with(file: BibliographyFile, names: frozenset[str]) -> tuple[EntryPlace, ...]:
    """Return the entries of a bibliography in which one of `names` may be a key."""
    if isinstance(file, Bibliography):
        written = "|".join(r"\s+".join(map(re.escape, name.split())) for name in sorted(names))
        # The only letter whose lower case has two characters.
        written = written.replace("i\u0307", "(?:i\u0307|\u0130)")
        pattern = re.compile(rf"""(?:{written})(?=[\s,={{}}()"#]|\Z)""", re.IGNORECASE)
        entries = (each.text if each.kind not in NO_ENTRIES else "" for each in file.statements)
        found = [
            at
            for at, text in enumerate(entries)
            # With the character before it in the pattern, this would take twice as long.
            if any(text[key.start() - 1] in ' \t\r\n{(,"#=' for key in pattern.finditer(text))
        ]
    else:
        lower = {name.lower() for name in names}
        aliases = {key for alias, key in file.names.folded_aliases.items() if alias in lower}
        found = [at for at, key in enumerate(file.keys) if key.lower() in lower or key in aliases]
    return tuple(map(file.entry_place, found))


def renamed(drafts: Sequence[KeysOfDraft], old: str, new: str) -> tuple[TextEdit, ...]:
    """Return the edits that rename `old` to `new` in all of `drafts`.

    Raises `InputError` if `new` is invalid or taken, or if the entry cannot be edited. An undefined
    key may be renamed to the key of an entry: this corrects a misspelt citation everywhere.
    """
    if (reason := _why_no_key(new)) is not None:
        raise InputError(reason)
    for draft in drafts:
        other = draft.find(new)
        is_another = draft._folded(old) != draft._folded(new)
        if other is not None and is_another and draft.find(old) is not None:
            place = draft.place(other)
            line = f", line {place.line}" if place else ""
            raise InputError(f"“{new}” is already the key of an entry ({other.path.name}{line}).")
    places: set[KeyPlace] = set()
    for draft in drafts:
        found = set(draft.places((old,)))
        if draft.find(old) is not None and not any(place.defines for place in found):
            # For example, a \bibitem in a .bbl file, which the next run overwrites.
            raise InputError(
                f"The key “{old}” cannot be changed in the file that defines its entry."
            )
        places |= found
    files = {file.path: file.text for draft in drafts for file in draft.files}
    others = {each.path: each.text for draft in drafts for each in draft.bibliographies}
    return tuple(
        key_replaced(path, files[path], span, new)
        if path in files
        else TextEdit(path, span, key_written(path, others[path], span.start, new))
        for path, span, _ in sorted(places)
    )


def _why_no_key(text: str) -> str | None:
    """Return why a text cannot be a key; None if it can."""
    if not text:
        return "A key needs at least one letter."
    if (found := _NO_PART_OF_A_KEY.search(text)) is not None:
        return f"A key cannot contain {'a space' if found[0].isspace() else found[0]}."
    if not text.isprintable():
        return "A key cannot contain invisible characters."
    if text == "*" or is_gap(text):
        return f"“{text}” cannot be a key: it has another meaning in a citation."
    return None
