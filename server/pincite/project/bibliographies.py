"""The bibliographies of drafts: each file is scanned once, and merged for each draft."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..library.index import PaperIndex
from ..model.bibliographies import BibliographyFile
from ..model.drafts import BibItem, BibliographySource, Draft
from ..model.papers import BibEntry, doi_in_key
from ..model.places import Place
from ..model.problems import InputError, Problem
from ..model.programs import Program
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibliographies.merging import EntryNames, merged
from ..parsing.disk import Disk
from ..parsing.encoding import read_text

#: What may be a field in a title that macros or another entry gave; braces are gone by then.
_PERHAPS_FIELD: Final = re.compile(r"[A-Za-z][\w-]{2,}\s*=")
#: Faults in spite of which each value has its own text and no other.
_IN_ITS_FIELD: Final = frozenset(("no comma", "no macro", "key used", "comment"))
_MergeState = tuple[list[BibliographyFile], tuple[BibItem, ...], bool, list[Problem], bool]


@dataclass(frozen=True)
class DraftBibliography:
    """The entries a draft can cite, by key, from all its bibliographies.

    `files` are the bibliographies in order, with their sources; `unread` says why others could not
    be read.
    """

    entries: Mapping[str, BibEntry] = field(default_factory=dict)
    case_sensitive: bool = True
    files: tuple[tuple[BibliographySource, BibliographyFile], ...] = ()
    unread: tuple[Problem, ...] = ()
    #: Whether a DOI cites the entry that has it.
    by_doi: bool = False

    @cached_property
    def names(self) -> EntryNames:
        """The names of the entries."""
        return EntryNames(self.entries)

    @cached_property
    def _dois(self) -> Mapping[str, str]:
        """The keys of entries by DOI."""
        return {each.doi: each.key for each in self.entries.values()}

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
        name = self.names.key_of(key, case_sensitive=self.case_sensitive)
        if name is None and self.by_doi and (doi := doi_in_key(key)):
            name = self._dois.get(doi)
        return name

    def find_data(self, key: str) -> BibEntry | None:
        """Return the ``@xdata`` entry with a key, which cannot be cited."""
        files = (file for _, file in self.files if key in file.data_entries)
        return next((file.data_entries[key] for file in files), None)

    def place(self, entry: BibEntry) -> Place | None:
        """Return where an entry stands in the file at its path; None for one that is an item."""
        files = (file for source, file in self.files if source.path == entry.path)
        found = (file for file in files if entry.key in file.all_entries)
        return next((file.place(entry.key) for file in found), None)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A parsed bibliography and the state of its source.

    `stamp` is the time and size of a file, or the text of an open document or in a draft. What
    else it was parsed with is in `arguments`.
    """

    bibliography: BibliographyFile
    stamp: object
    arguments: tuple[Mapping[str, str], Program, int, int]


class Bibliographies:
    """The bibliographies that drafts name, each parsed once for each of its contents."""

    def __init__(self, index: PaperIndex, disk: Disk) -> None:
        """Store the index (for digests of files) and the disk."""
        self._index = index
        self._disk = disk
        #: A file has the number 0; those in a file of a draft are counted from 1.
        self._parsed: dict[tuple[Path, int, Program], _Parsed] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files again, even if their time and size have not changed."""
        for key, parsed in tuple(self._parsed.items()):
            # Open documents and texts in drafts are compared by content.
            if key[0] in paths and not isinstance(parsed.stamp, str):
                self._parsed.pop(key, None)

    def forget_draft(self, root: Path) -> None:
        """Release the merged entries of a draft that is no longer needed."""
        self._merged.pop(root, None)

    def of_draft(
        self, draft: Draft, sources: Sequence[BibliographySource], open_texts: Mapping[Path, str]
    ) -> DraftBibliography:
        """Return the entries of some bibliographies together with the items of a draft.

        It is the same object while their contents are.
        """
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        read: list[BibliographySource] = []
        files: list[BibliographyFile] = []
        embedded: Counter[Path] = Counter()
        for source in sources:
            embedded[source.path] += source.text is not None
            number = 0 if source.text is None else embedded[source.path]
            try:
                text = source.text if source.text is not None else open_texts.get(source.path)
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                file = self._file(source, text, number, dict(strings), draft.program)
                files.append(file)
                strings.update(file.strings)
                read.append(source)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        # The merge remains the same object while its files do, for what was made from it.
        state = (files, draft.bib_items, draft.case_sensitive_keys, problems, draft.resolves_dois)
        made = self._known_merge(draft.root, state)
        if made is None:
            items: dict[str, BibEntry] = {}
            for item in draft.bib_items:
                items.setdefault(item.key, _entry_of_item(item, draft.root))
            found = tuple(zip(read, files, strict=True))
            preferred = [file for _, file in draft.by_precedence(found)]
            made = DraftBibliography(
                merged(files, items, preferred),
                draft.case_sensitive_keys,
                found,
                tuple(problems),
                draft.resolves_dois,
            )
        self._merged[draft.root] = (state, made)
        return made

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
        return next((made for other, made in others if _same_state(other, state)), None)

    def _file(
        self,
        source: BibliographySource,
        text: str | None,
        number: int,
        strings: Mapping[str, str],
        program: Program,
    ) -> BibliographyFile:
        """Return a parsed bibliography; `text` is None for what is read from the disk."""
        path, key = source.path, (source.path, number, program)
        stamp = self._disk.status(path) if text is None else text
        arguments = (strings, program, source.start, source.first_line)
        known = self._parsed.get(key)
        if known is None or stamp is None or (known.stamp, known.arguments) != (stamp, arguments):
            text = read_text(path) if text is None else text
            bibliography = parse_bibliography(text, path, *arguments)
            known = self._parsed[key] = _Parsed(bibliography, stamp, arguments)
        return known.bibliography

    def content(
        self, sources: Iterable[BibliographySource], open_texts: Mapping[Path, str], beside: str
    ) -> str:
        """Return a digest of `beside` and the contents of the bibliographies that can be read."""
        content = blake2b(digest_size=20)
        for source in sources:
            text = open_texts.get(source.path) if source.text is None else source.text
            with suppress(InputError, OSError):
                if text is None:
                    content.update(self._index.digest(source.path).encode())
                else:
                    content.update(text.encode("utf-8", "replace"))
        content.update(beside.encode())
        return content.hexdigest()


def _same_state(one: _MergeState, other: _MergeState) -> bool:
    """Compare the states that two merges were made from; parsed files by identity."""
    same_files = len(one[0]) == len(other[0]) and all(
        a is b for a, b in zip(one[0], other[0], strict=True)
    )
    return same_files and one[1:] == other[1:]


def _entry_of_item(item: BibItem, path: Path) -> BibEntry:
    r"""Return a ``\bibitem`` as an entry; only its printed form is known."""
    return BibEntry(item.key, "bibitem", {"title": item.text}, path)
