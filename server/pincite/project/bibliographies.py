"""The bibliographies of drafts: each is scanned once, and they are merged for each draft."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from ..cancellation import holding
from ..library.index import PaperIndex
from ..model.bibliographies import BibliographyFile
from ..model.drafts import BibItem, BibliographySource, Draft
from ..model.edits import edit_between
from ..model.papers import BibEntry
from ..model.places import Place
from ..model.problems import InputError, Problem
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibtex import MergedEntries
from ..parsing.disk import Disk
from ..parsing.encoding import read_text
from .open_texts import parts_of

_MergeState = tuple[list[BibliographyFile], tuple[BibItem, ...], bool, list[Problem]]


@dataclass(frozen=True, slots=True)
class DraftBibliography:
    """The entries a draft can cite, by key, from all its bibliographies.

    `files` are the bibliographies in order, with their sources; `unread` is why others are not
    among them.
    """

    entries: MergedEntries = field(default_factory=MergedEntries)
    case_sensitive: bool = True
    files: tuple[tuple[BibliographySource, BibliographyFile], ...] = ()
    unread: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files and their entries; takes long where these are many."""
        found = (problem for _, file in self.files for problem in file.problems)
        return (*found, *self.unread)

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a citation with this key means."""
        name = self.key_of(key)
        return None if name is None else self.entries.get(name)

    def key_of(self, key: str) -> str | None:
        """Return the key of the entry that a citation with this key means."""
        return self.entries.key_of(key, case_sensitive=self.case_sensitive)

    def find_data(self, key: str) -> BibEntry | None:
        """Return the ``@xdata`` entry with a key, which cannot be cited."""
        files = (file for _, file in self.files if key in file.data_entries)
        return next((file.data_entries[key] for file in files), None)

    def place(self, entry: BibEntry) -> Place | None:
        """Return where an entry stands in the file at its path; None for one that is an item."""
        files = (file for source, file in self.files if source.path == entry.path)
        return next((file.places[entry.key] for file in files if entry.key in file.places), None)

    def excerpt(self, entry: BibEntry) -> tuple[str, int, int] | None:
        """Return an entry's text from the beginning of its line, where that begins, and the line.

        Positions within an entry are found in it, without the whole file. None where it is not
        known, as for an entry in a draft.
        """
        for source, file in self.files:
            if source.path == entry.path and source.text is None:
                found = file.excerpt(entry)
                return found and (*found, file.line(file.positions[entry.key]))
        return None


@dataclass(slots=True)
class _Known:
    """A bibliography with what it was read from.

    That is the time and size of a file (None once they tell nothing), the text in a draft, or the
    parts in which an editor holds it.
    """

    bibliography: BibliographyFile
    stamp: object
    parts: tuple[str, ...] | None


class Bibliographies:
    """The bibliographies that drafts name, as they stand on disk and in the editor.

    Both the thread that reads drafts and the one that ranks their entries ask for them.
    """

    def __init__(
        self, index: PaperIndex, open_texts: Mapping[Path, str], disk: Disk | None = None
    ) -> None:
        """Take an index that knows files by content, what an editor holds open, and the disk."""
        self._index = index
        self._disk = Disk() if disk is None else disk
        self._open_texts = open_texts
        self._read: dict[BibliographySource, _Known] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}
        self._reading = Lock()

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files again, even where time and size do not tell that they changed."""
        for source, known in tuple(self._read.items()):
            # What an editor holds, and what stands in a draft, is compared itself.
            if source.path in paths and source.text is None and known.parts is None:
                known.stamp = None

    def of_draft(self, draft: Draft, sources: Sequence[BibliographySource]) -> DraftBibliography:
        """Return the entries that stand in some bibliographies, for a draft and with its items."""
        with holding(self._reading):
            return self._of_draft(draft, sources)

    def _of_draft(self, draft: Draft, sources: Sequence[BibliographySource]) -> DraftBibliography:
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        read: list[BibliographySource] = []
        files: list[BibliographyFile] = []
        for source in sources:
            try:
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                files.append(self._parsed(source, dict(strings)))
                strings.update(files[-1].strings)
                read.append(source)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        # The merge stays the same object while its files do: what is made from it is kept.
        state = (files, draft.bib_items, draft.case_sensitive_keys, problems)
        merged = self._known_merge(draft.root, state)
        if merged is None:
            items: dict[str, BibEntry] = {}
            for item in draft.bib_items:
                items.setdefault(item.key, _entry_of_item(item, draft.root))
            merged = DraftBibliography(
                MergedEntries(files, items),
                draft.case_sensitive_keys,
                tuple(zip(read, files, strict=True)),
                tuple(problems),
            )
        self._merged[draft.root] = (state, merged)
        return merged

    def _known_merge(self, root: Path, state: _MergeState) -> DraftBibliography | None:
        """Return what was merged from this before, for this draft or for another.

        A hundred drafts may share one large bibliography.
        """
        known = self._merged.get(root)
        if known is not None and _same_state(known[0], state):
            return known[1]
        if state[1]:  # each draft has items of its own
            return None
        others = tuple(self._merged.values())
        return next((merged for other, merged in others if _same_state(other, state)), None)

    def _parsed(self, source: BibliographySource, strings: Mapping[str, str]) -> BibliographyFile:
        path, text, known = source.path, source.text, self._read.get(source)
        parts = parts_of(self._open_texts, path) if text is None else None
        stamp = self._disk.status(path) if text is None and parts is None else text
        if known is not None and (known.stamp, known.parts) == (stamp, parts):
            bibliography = known.bibliography
        elif known is None:
            whole = self._text(source, parts)
            bibliography = parse_bibliography(whole, path, strings)
            if source.start:
                bibliography = bibliography.moved(source.start, source.first_line)
        else:
            bibliography = known.bibliography
            edit = edit_between(known.parts, parts, path) if known.parts and parts else None
            if edit is not None:
                bibliography = bibliography.edited(edit)
            else:
                bibliography = bibliography.updated(self._text(source, parts))
        bibliography = bibliography.with_strings(strings)
        self._read[source] = _Known(bibliography, stamp, parts)
        return bibliography

    @staticmethod
    def _text(source: BibliographySource, parts: tuple[str, ...] | None) -> str:
        if source.text is not None:
            return source.text
        return read_text(source.path) if parts is None else "".join(parts)

    def content(self, sources: Iterable[BibliographySource], beside: str) -> str:
        """Return a digest of what stands in those bibliographies that can be read, and `beside`."""
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

    def saved(self, sources: Iterable[BibliographySource]) -> list[str] | None:
        """Return what names the contents of some bibliographies.

        None while one is edited: what was read of it is not what is on the disk.
        """
        names: list[str] = []
        try:
            for source in sources:
                if source.text is None and (known := self._read.get(source)) is not None:
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
    """Compare what bibliographies were merged from; parsed files by identity."""
    same_files = len(one[0]) == len(other[0]) and all(
        a is b for a, b in zip(one[0], other[0], strict=True)
    )
    return same_files and one[1:] == other[1:]


def _entry_of_item(item: BibItem, path: Path) -> BibEntry:
    r"""Return a ``\bibitem`` as an entry: all that is known is how it is printed."""
    return BibEntry(item.key, "bibitem", {"title": item.text}, path)
