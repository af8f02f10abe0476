"""The bibliographies of drafts, each read once in each state, and put together for each draft."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..library.bibliographies import WORTH_KEEPING, pack, unpack, version_with
from ..library.index import PaperIndex
from ..model.drafts import BibItem, BibliographySource, Draft
from ..model.papers import BibEntry
from ..model.places import Place
from ..model.problems import InputError, Problem
from ..parsing.bibtex import Bibliography, inherit_across, parse_bibliography
from ..parsing.bibtex.changes import parse_changed
from ..parsing.bibtex.glance import Glance
from ..parsing.disk import Disk
from ..parsing.encoding import read_bytes, read_text, without_mark
from .open_texts import HeldText, held_text

#: In place of the time and size of a file: those of no file.
_FORGOTTEN: Final = object()
#: Reading more bytes than these takes so long that it shows.
_LONG_TO_READ: Final = 2_000_000

#: Time and size of a file, its text, or what an editor holds, and the @string macros before it.
_Version = tuple[object, dict[str, str]]
_MergeState = tuple[list[Bibliography], tuple[BibItem, ...], bool, list[Problem]]


@dataclass(frozen=True, slots=True)
class DraftBibliography:
    """The entries a draft can cite, by key, from all its bibliographies.

    `names` maps every way of writing a key (aliases, and other cases where BibTeX is used) to
    the key itself. `files` are the bibliographies as they were read, in order, with their sources.
    """

    entries: Mapping[str, BibEntry] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    case_sensitive: bool = True
    problems: tuple[Problem, ...] = ()
    files: tuple[tuple[BibliographySource, Bibliography], ...] = ()

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a citation with this key means."""
        name = self.names.get(key if self.case_sensitive else key.lower())
        return self.entries.get(name) if name is not None else None

    def place(self, entry: BibEntry) -> Place | None:
        """Return where an entry stands in the file at its path; None for one that is an item."""
        files = (file for source, file in self.files if source.path == entry.path)
        return next((file.places[entry.key] for file in files if entry.key in file.places), None)

    def excerpt(self, entry: BibEntry) -> tuple[str, int, int] | None:
        """Return an entry's text from the beginning of its line, where that begins, and the line.

        What stands where in an entry is told by it without the whole file. None where it is not
        known, as of what stands in a draft.
        """
        for source, file in self.files:
            if source.path == entry.path and source.text is None:
                found = file.excerpt(entry)
                return found and (*found, file.places[entry.key].line)
        return None


class Bibliographies:
    """The bibliographies that drafts name, as they stand on disk and in the editor."""

    def __init__(
        self, index: PaperIndex, open_texts: Mapping[Path, str], disk: Disk | None = None
    ) -> None:
        """Take the index that keeps large ones, the files that an editor holds, and the disk."""
        self._index = index
        self._disk = Disk() if disk is None else disk
        self._open_texts = open_texts
        self._read: dict[BibliographySource, tuple[_Version, Bibliography]] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}
        #: Texts of which a glance was taken, until they are read.
        self._at_hand: dict[Path, tuple[object, str]] = {}

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files anew, even where time and size do not tell that they changed."""
        for source, ((stamp, strings), read) in tuple(self._read.items()):
            # What an editor holds, and what stands in a draft, is compared itself.
            if source.path in paths and not isinstance(stamp, (str, HeldText)):
                # Only what is another by now is read anew.
                self._read[source] = ((_FORGOTTEN, strings), read)

    def of_draft(self, draft: Draft, sources: Sequence[BibliographySource]) -> DraftBibliography:
        """Return the entries that stand in some bibliographies, for a draft and with its items."""
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        read: list[BibliographySource] = []
        files: list[Bibliography] = []
        for source in sources:
            try:
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                files.append(self._parsed(source, strings))
                strings.update(files[-1].strings)
                read.append(source)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        # Entries stay the same objects while their files do: what is made from them is kept.
        state = (files, draft.bib_items, draft.case_sensitive_keys, problems)
        merged = self._known_merge(draft.root, state)
        if merged is None:
            merged = _merge(files, draft, problems)
            merged = replace(merged, files=tuple(zip(read, files, strict=True)))
        self._merged[draft.root] = (state, merged)
        self._at_hand.clear()
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

    def _parsed(self, source: BibliographySource, strings: Mapping[str, str]) -> Bibliography:
        held = held_text(self._open_texts, source.path) if source.text is None else None
        stamp: object = source.text if source.text is not None else held
        if stamp is None:
            stamp = self._disk.status(source.path)
        version = (stamp, dict(strings))
        known = self._read.get(source)
        if known is not None and known[0] == version:
            # The next edit shares its parts with these.
            self._read[source] = (version, known[1])
            return known[1]
        parsed = None
        if known is not None and source.text is None and known[0][1] == strings:
            parsed = self._edited(source.path, held, strings, *known)
        if parsed is None and source.text is not None:
            parsed = parse_bibliography(source.text, source.path, strings)
        elif parsed is None and held is not None:
            parsed = parse_bibliography(held.text, source.path, strings)
        elif parsed is None:
            parsed = self._from_disk(source.path, strings)
        if source.start:
            parsed = _moved(parsed, source.first_line - 1, source.start)
        self._read[source] = (version, parsed)
        return parsed

    def _from_disk(self, path: Path, strings: Mapping[str, str]) -> Bibliography:
        """Return the bibliography in a file; a large one may be known to the index."""
        stamp, text = self._at_hand.pop(path, (None, ""))
        if stamp is None or stamp != self._disk.status(path):
            text = read_text(path)
        if len(text) >= WORTH_KEEPING:
            with suppress(OSError, ValueError):
                kept = self._index.bibliography(path, version_with(strings))
                if kept is not None:
                    return unpack(kept, text, path)
        return parse_bibliography(text, path, strings)

    def keep(self, sources: Iterable[BibliographySource]) -> None:
        """Keep what was read of large bibliographies in the index."""
        for source in sources:
            (stamp, strings), parsed = self._read.get(source, ((None, {}), None))
            if parsed is None or isinstance(stamp, str) or stamp != self._disk.status(source.path):
                continue
            with suppress(OSError, InputError):
                text, version = read_text(source.path), version_with(strings)
                if len(text) < WORTH_KEEPING or self._index.keeps(source.path, version):
                    continue
                digest = self._index.digest(source.path)
                # What was read may be another text by now.
                if stamp == self._disk.status(source.path):
                    packed = pack(parsed, text)
                    self._index.put_bibliography(source.path, digest, version, packed)

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
                if source.text is None and source in self._read:
                    (stamp, _), _ = self._read[source]
                    now: object = self._disk.status(source.path)
                    if isinstance(stamp, HeldText):
                        stamp, now = stamp.text, read_text(source.path)
                    if stamp != now:
                        return None
                    names.append(self._index.digest(source.path))
                else:
                    names.append(repr(source.text))
        except (InputError, OSError):
            return None
        return names

    def glance(
        self, draft: Draft, sources: Sequence[BibliographySource]
    ) -> DraftBibliography | None:
        """Return the entries of a draft as they look at a glance, before they are read.

        None where nothing takes long to read.
        """
        if not any(map(self._takes_long, sources)):
            return None
        texts: list[tuple[str, Path]] = []
        for source in sources:
            text = self._open_texts.get(source.path) if source.text is None else source.text
            with suppress(InputError):
                if text is None:
                    stamp, text = self._disk.status(source.path), read_text(source.path)
                    if source not in self._read:
                        self._at_hand[source.path] = (stamp, text)
                texts.append((text, source.path))
        entries = Glance(texts)
        return DraftBibliography(
            entries, _names(entries, draft.case_sensitive_keys), draft.case_sensitive_keys
        )

    def _takes_long(self, source: BibliographySource) -> bool:
        if source.text is not None or source in self._read:
            return False
        text = self._open_texts.get(source.path)
        if text is not None:
            return len(text) > _LONG_TO_READ
        found = self._disk.status(source.path)
        if found is None or found.size <= _LONG_TO_READ:
            return False
        with suppress(OSError):
            return not self._index.keeps(source.path, version_with({}))
        return False

    def _edited(
        self,
        path: Path,
        held: HeldText | None,
        strings: Mapping[str, str],
        version: _Version,
        known: Bibliography,
    ) -> Bibliography | None:
        """Return a bibliography that is another by now, if not all of it has to be read anew.

        `known` is what was read of its earlier `version`; `held` is what the editor holds by now.
        """
        if held is None:
            return parse_changed(without_mark(read_bytes(path)), path, strings, known)
        earlier = version[0]
        edit = held.edit_of(earlier, path) if isinstance(earlier, HeldText) else None
        return parse_changed(held.text if edit is None else edit, path, strings, known)


def _same_state(one: _MergeState, other: _MergeState) -> bool:
    """Compare what bibliographies were merged from; parsed files by identity."""
    same_files = len(one[0]) == len(other[0]) and all(
        a is b for a, b in zip(one[0], other[0], strict=True)
    )
    return same_files and one[1:] == other[1:]


def _merge(
    files: Sequence[Bibliography], draft: Draft, problems: Sequence[Problem]
) -> DraftBibliography:
    """Put a draft's bibliographies together; the first of several entries with one key counts."""
    entries: dict[str, BibEntry] = {}
    for file in inherit_across(files):
        # Without `@xdata`, all that stands there are entries.
        keys = [entry.key for entry in file.entries] if file.data_entries else file.places
        own = dict(zip(keys, file.entries, strict=True))
        entries = {**own, **entries} if entries else own
    for item in draft.bib_items:
        entries.setdefault(item.key, _entry_of_item(item, draft.root))
    names = _names(entries, draft.case_sensitive_keys)
    for entry in entries.values():
        for alias in entry.aliases:
            names.setdefault(alias if draft.case_sensitive_keys else alias.lower(), entry.key)
    found = (*(problem for file in files for problem in file.problems), *problems)
    return DraftBibliography(entries, names, draft.case_sensitive_keys, found)


def _names(keys: Iterable[str], case_sensitive: bool) -> dict[str, str]:
    """Return keys by the ways in which they may be written."""
    names = tuple(keys)
    if case_sensitive:
        return dict(zip(names, names, strict=True))
    # Of keys that differ in their case only, the first one counts.
    backwards = names[::-1]
    return dict(zip(map(str.lower, backwards), backwards, strict=True))


def _entry_of_item(item: BibItem, path: Path) -> BibEntry:
    r"""Return a ``\bibitem`` as an entry: all that is known is how it is printed."""
    return BibEntry(item.key, "bibitem", {"title": item.text}, path)


def _moved(parsed: Bibliography, lines: int, start: int) -> Bibliography:
    """Return an embedded bibliography with the places that it has in the file around it."""
    return replace(
        parsed,
        places=parsed.places.moved(lines, start),
        repeated=tuple(key.moved(start) for key in parsed.repeated),
        faults=tuple(fault.moved(start) for fault in parsed.faults),
        problems=tuple(
            replace(problem, line=problem.line + lines if problem.line else None)
            for problem in parsed.problems
        ),
    )
