"""The bibliographies of drafts: each file is scanned once, and merged for each draft."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Final

from ..cancellation import holding
from ..library.index import PaperIndex
from ..model.bibliographies import BibliographyFile
from ..model.drafts import BibItem, BibliographySource, Draft
from ..model.edits import edit_between
from ..model.papers import BibEntry, doi_in_key
from ..model.places import Place
from ..model.problems import InputError, Problem
from ..model.programs import Program
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibtex import MergedEntries
from ..parsing.disk import Disk
from ..parsing.encoding import read_text
from .open_texts import parts_of

#: What may be a field in a title that macros or another entry gave; braces are gone by then.
_PERHAPS_FIELD: Final = re.compile(r"[A-Za-z][\w-]{2,}\s*=")
#: Faults in spite of which each value has its own text and no other.
_IN_ITS_FIELD: Final = frozenset(("no comma", "no macro", "key used", "comment"))
_MergeState = tuple[list[BibliographyFile], tuple[BibItem, ...], bool, list[Problem], bool]


@dataclass(frozen=True, slots=True)
class DraftBibliography:
    """The entries a draft can cite, by key, from all its bibliographies.

    `files` are the bibliographies in order, with their sources; `unread` says why others could not
    be read.
    """

    entries: MergedEntries = field(default_factory=MergedEntries)
    case_sensitive: bool = True
    files: tuple[tuple[BibliographySource, BibliographyFile], ...] = ()
    unread: tuple[Problem, ...] = ()
    #: Whether a DOI cites the entry that has it.
    by_doi: bool = False
    #: The keys of entries by DOI, found on first use.
    _dois: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files and their entries; slow if there are many entries."""
        found = (problem for _, file in self.files for problem in file.problems)
        return (*found, *self.unread)

    def sound_entries(self) -> Iterator[BibEntry]:
        """Yield the entries of which each value ends where it should; slow if there are many.

        A value that is not closed, or too late, has the fields behind it, such as notes.
        """
        unsound = [
            found
            for _, file in self.files
            if (starts := {f.entry.start for f in file.faults if f.kind not in _IN_ITS_FIELD})
            for key, place in file.places.items()
            if place.span.start in starts
            and (found := file.entries.get(key) or file.data_entries.get(key)) is not None
        ]
        places = {(entry.path, entry.key) for entry in unsound}
        # Others may inherit it.
        titles = {entry.fields.get("title", "") for entry in unsound} - {""}
        for entry in self.entries.values():
            is_sound = (entry.path, entry.key) not in places
            if is_sound and not (
                entry.fields.get("title", "") in titles or _PERHAPS_FIELD.search(entry.title)
            ):
                yield entry

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a citation key refers to."""
        name = self.key_of(key)
        return None if name is None else self.entries.get(name)

    def key_of(self, key: str) -> str | None:
        """Return the key of the entry that a citation key refers to."""
        name = self.entries.key_of(key, case_sensitive=self.case_sensitive)
        if name is None and self.by_doi and (doi := doi_in_key(key)):
            if not self._dois:
                self._dois.update({each.doi: each.key for each in self.entries.values()})
            name = self._dois.get(doi)
        return name

    def find_data(self, key: str) -> BibEntry | None:
        """Return the ``@xdata`` entry with a key, which cannot be cited."""
        files = (file for _, file in self.files if key in file.data_entries)
        return next((file.data_entries[key] for file in files), None)

    def place(self, entry: BibEntry) -> Place | None:
        """Return where an entry stands in the file at its path; None for one that is an item."""
        files = (file for source, file in self.files if source.path == entry.path)
        return next((file.places[entry.key] for file in files if entry.key in file.places), None)

    def excerpt(self, entry: BibEntry) -> tuple[str, int, int] | None:
        """Return an entry's text from the beginning of its line, its offset, and the line number.

        It is enough to find positions within the entry. None if the text is not known, as for an
        entry in a draft.
        """
        for source, file in self.files:
            if source.path == entry.path and source.text is None:
                found = file.excerpt(entry)
                return found and (*found, file.line(file.positions[entry.key]))
        return None


@dataclass(slots=True)
class _Known:
    """A parsed bibliography and the state of its source.

    `stamp` is the time and size of a file (None if it must be read again), or the text in a draft;
    `parts` are those of an open document. In a draft it starts at an offset and in a line, `at`.
    """

    bibliography: BibliographyFile
    stamp: object
    parts: tuple[str, ...] | None
    at: tuple[int, int]


class Bibliographies:
    """The bibliographies that drafts name, as they are in the editor or on disk.

    Used by the thread that reads drafts and by the one that ranks entries.
    """

    def __init__(
        self, index: PaperIndex, open_texts: Mapping[Path, str], disk: Disk | None = None
    ) -> None:
        """Store the index (for digests of files), the open documents, and the disk."""
        self._index = index
        self._disk = Disk() if disk is None else disk
        self._open_texts = open_texts
        #: A file has the number 0; those in a file of a draft are counted from 1.
        self._read: dict[tuple[Path, int, Program], _Known] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}
        self._reading = Lock()

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files again, even if their time and size have not changed."""
        for (path, number, _), known in tuple(self._read.items()):
            # Open documents and texts in drafts are compared by content.
            if path in paths and not number and known.parts is None:
                known.stamp = None

    def forget_draft(self, root: Path) -> None:
        """Release the merged entries of a draft that is no longer needed."""
        self._merged.pop(root, None)

    def of_draft(self, draft: Draft, sources: Sequence[BibliographySource]) -> DraftBibliography:
        """Return the entries of some bibliographies together with the items of a draft."""
        with holding(self._reading):
            return self._of_draft(draft, sources)

    def _of_draft(self, draft: Draft, sources: Sequence[BibliographySource]) -> DraftBibliography:
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        read: list[BibliographySource] = []
        files: list[BibliographyFile] = []
        embedded: Counter[Path] = Counter()
        for source in sources:
            embedded[source.path] += source.text is not None
            number = 0 if source.text is None else embedded[source.path]
            try:
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                files.append(self._parsed(source, number, dict(strings), draft.program))
                strings.update(files[-1].strings)
                read.append(source)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        # The merge remains the same object while its files do, for what was made from it.
        state = (files, draft.bib_items, draft.case_sensitive_keys, problems, draft.resolves_dois)
        merged = self._known_merge(draft.root, state)
        if merged is None:
            items: dict[str, BibEntry] = {}
            for item in draft.bib_items:
                items.setdefault(item.key, _entry_of_item(item, draft.root))
            found = tuple(zip(read, files, strict=True))
            preferred = [file for _, file in draft.by_precedence(found)]
            merged = DraftBibliography(
                MergedEntries(files, items, preferred),
                draft.case_sensitive_keys,
                found,
                tuple(problems),
                draft.resolves_dois,
            )
        self._merged[draft.root] = (state, merged)
        return merged

    def _known_merge(self, root: Path, state: _MergeState) -> DraftBibliography | None:
        """Return an earlier merge of the same state, for this draft or another.

        A hundred drafts may share one large bibliography.
        """
        known = self._merged.get(root)
        if known is not None and _same_state(known[0], state):
            return known[1]
        if state[1]:  # the items belong to one draft
            return None
        others = tuple(self._merged.values())
        return next((merged for other, merged in others if _same_state(other, state)), None)

    def _parsed(
        self,
        source: BibliographySource,
        number: int,
        strings: Mapping[str, str],
        program: Program,
    ) -> BibliographyFile:
        path, text = source.path, source.text
        known = self._read.get((path, number, program))
        parts = parts_of(self._open_texts, path) if text is None else None
        stamp = self._disk.status(path) if text is None and parts is None else text
        at, known_at = (source.start, source.first_line), (0, 1)
        if known is not None and (known.stamp, known.parts) == (stamp, parts):
            bibliography, known_at = known.bibliography, known.at
        elif known is None:
            bibliography = parse_bibliography(self._text(source, parts), path, strings, program)
        else:
            bibliography, known_at = known.bibliography, known.at
            edit = edit_between(known.parts, parts, path) if known.parts and parts else None
            if edit is not None:
                bibliography = bibliography.edited(edit)
            else:
                bibliography = bibliography.updated(self._text(source, parts))
        if at != known_at:
            bibliography = bibliography.moved(*at)
        bibliography = bibliography.with_strings(strings)
        self._read[path, number, program] = _Known(bibliography, stamp, parts, at)
        return bibliography

    @staticmethod
    def _text(source: BibliographySource, parts: tuple[str, ...] | None) -> str:
        if source.text is not None:
            return source.text
        return read_text(source.path) if parts is None else "".join(parts)

    def content(self, sources: Iterable[BibliographySource], beside: str) -> str:
        """Return a digest of `beside` and the contents of the bibliographies that can be read."""
        content = blake2b(digest_size=20)
        for source in sources:
            text = self._open_texts.get(source.path) if source.text is None else source.text
            with suppress(InputError, OSError):
                if text is None:
                    content.update(self._index.digest(source.path).encode())
                else:
                    content.update(text.encode("utf-8", "replace"))
        content.update(beside.encode())
        return content.hexdigest()

    def saved(self, sources: Iterable[BibliographySource], program: Program) -> list[str] | None:
        """Return digests of the contents of some bibliographies as a program reads them.

        None while one has unsaved edits: its state in memory is not the one on disk.
        """
        names = [program.name]
        try:
            for source in sources:
                known = self._read.get((source.path, 0, program))
                if source.text is None and known is not None:
                    if known.parts is None and known.stamp != self._disk.status(source.path):
                        return None
                    if known.parts is not None and "".join(known.parts) != read_text(source.path):
                        return None
                    names.append(self._index.digest(source.path))
                else:
                    names.append(repr(source.text))
        except (InputError, OSError):
            return None
        return names


def _same_state(one: _MergeState, other: _MergeState) -> bool:
    """Compare the states that two merges were made from; parsed files by identity."""
    same_files = len(one[0]) == len(other[0]) and all(
        a is b for a, b in zip(one[0], other[0], strict=True)
    )
    return same_files and one[1:] == other[1:]


def _entry_of_item(item: BibItem, path: Path) -> BibEntry:
    r"""Return a ``\bibitem`` as an entry; only its printed form is known."""
    return BibEntry(item.key, "bibitem", {"title": item.text}, path)
