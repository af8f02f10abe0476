"""Find the entries of a draft that are the same work, and merge each group into one.

These are keys that occur twice, in one file or in two, and different keys of one work. All drafts
that read a deleted entry, or cite its key, are edited with it: they must have the one that stays.
Nothing is written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from ..cancellation import checked
from ..checking.bibliographies import cited_names
from ..edits.merging import deleted, recited, unite
from ..edits.written_entries import ConflictError, WrittenEntry
from ..library.same_work import same_works
from ..model.drafts import Draft, DraftFile
from ..model.edits import TextEdit, applied
from ..model.problems import InputError
from ..model.programs import BIBER
from ..parsing.bibliographies import parse_bibliography
from ..parsing.bibliographies.item_file import key_written
from .changes import Changes
from .open_draft import Place
from .workspace import Workspace

_BROKEN: Final = "one of the entries is broken"


class EntryPlace(NamedTuple):
    """An entry by its key, and where it is: `line` counts from 1."""

    key: str
    path: Path
    line: int


@dataclass(frozen=True)
class Merge:
    """Entries of one work: those that are `gone`, and the one that is `kept`."""

    kept: EntryPlace
    gone: tuple[EntryPlace, ...]


@dataclass(frozen=True)
class Unmerged:
    """Entries of one work that stay, and why; `values` are the fields that differ, and how."""

    entries: tuple[EntryPlace, ...]
    why: str
    values: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Merging(Changes):
    """How duplicates are merged: `merges`, and what is `unmerged`, with why."""

    merges: tuple[Merge, ...]
    unmerged: tuple[Unmerged, ...]


def drafts_sharing(workspace: Workspace, draft: Draft) -> list[Place]:
    """Return a draft, and those that cite and share a bibliography or a text with it."""
    own = Place(workspace, draft, workspace.bibliography(draft))
    found = [own]
    for other in workspace.drafts():
        if other.root != draft.root and any(file.cites for file in other.files):
            whole = Place(workspace, other, workspace.bibliography(other))
            shares = _paths(whole) & _paths(own) or other.own_paths & draft.own_paths
            found += [whole] if shares else []
    return found


def _paths(whole: Place) -> frozenset[Path]:
    return frozenset(source.path for source, _ in whole.bibliography.files)


def merge_plan(
    drafts: Sequence[Place],
    encoding_of: Callable[[Path], str],
    *,
    aliases: bool = False,
) -> Merging:
    """Return how the duplicates of the first draft are merged, in all `drafts`.

    `encoding_of` returns a file's encoding, or raises `InputError` if the file cannot be edited.
    With `aliases`, keys that go stay as aliases (``ids``) of the entries that stay, for biber.
    """
    return _Merger(drafts, encoding_of, aliases=aliases).plan()


class _Merger:
    def __init__(
        self, drafts: Sequence[Place], encoding_of: Callable[[Path], str], *, aliases: bool
    ) -> None:
        self.drafts, self.main, self.encoding_of = drafts, drafts[0], encoding_of
        self.aliases = aliases
        sources = self.main.draft.by_precedence(self.main.bibliography.files)
        self.files = [file for source, file in sources if source.text is None]
        strings: dict[str, str] = {}
        for file in self.files:
            strings.update(file.strings)
        texts = {file.path: file.text for file in self.files}
        self.entries = [
            WrittenEntry(file, position, texts[file.path], strings)
            for file in self.files
            for position, key in enumerate(file.keys)
            if key and file.all_entries[key].entry_type != "xdata"
        ]
        self.cited = Counter(
            self.main.fold(key.key.lstrip("*"))
            for each in drafts
            for file in each.draft.files
            for citation in file.citations
            for key in citation.keys
        )
        self.gone: list[WrittenEntry] = []
        self.new_keys: list[tuple[Place, dict[str, str]]] = []
        self.edits: list[TextEdit] = []

    def plan(self) -> Merging:
        merges: list[Merge] = []
        unmerged: list[Unmerged] = []
        groups = [*self._groups()]
        for group in groups:
            try:
                merges.append(self._merge(group))
            except InputError as error:
                values = error.values if isinstance(error, ConflictError) else ()
                unmerged.append(Unmerged(tuple(map(_place, group)), str(error), values))
        unmerged += self._other_works(groups)
        edits = dict.fromkeys((*self.edits, *deleted(self.gone), *self._recited()))
        ordered = tuple(sorted(edits, key=lambda edit: (edit.path, edit.span)))
        texts = {each.path: each.text for each in self.entries}
        for whole in self.drafts:
            texts.update((file.path, file.text) for file in whole.draft.files)
            texts.update((f.path, f.text) for s, f in whole.bibliography.files if s.text is None)
        found = Merging(ordered, texts, tuple(merges), tuple(unmerged))
        self._verify(found)
        return found

    def _groups(self) -> Iterator[list[WrittenEntry]]:
        groups: dict[int, list[WrittenEntry]] = {}
        by_entry: dict[int, WrittenEntry] = {}
        for each in self.entries:
            try:
                by_entry[id(each.entry)] = each
            except ConflictError:
                continue
        found = [each.entry for each in by_entry.values()]
        for entry, first in same_works(found):
            group = groups.setdefault(id(first), [by_entry[id(first)]])
            group.append(by_entry[id(entry)])
        return iter(groups.values())

    def _other_works(self, groups: Iterable[Sequence[WrittenEntry]]) -> Iterator[Unmerged]:
        """Yield the entries with one key that are not one work."""
        in_group = {(each.path, each.position) for group in groups for each in group}
        by_key: dict[str, list[WrittenEntry]] = {}
        for each in self.entries:
            by_key.setdefault(self.main.fold(each.key), []).append(each)
        for alike in by_key.values():
            left = [each for each in alike if (each.path, each.position) not in in_group]
            if left and len(alike) > 1:
                why = "they share a key but seem to be different works: change one of the keys"
                if any(map(_is_broken, alike)):
                    why = _BROKEN
                yield Unmerged(tuple(map(_place, alike)), why)

    def _merge(self, group: Sequence[WrittenEntry]) -> Merge:
        in_use = {
            (entry.path, entry.key)
            for each in group
            if (entry := self.main.bibliography.find(each.key)) is not None
        }
        candidates = [each for each in group if each.counts and (each.path, each.key) in in_use]
        candidates.sort(key=lambda each: -self.cited[self.main.fold(each.key)])
        failed: InputError | None = None
        if any(map(_is_broken, group)):
            raise ConflictError(_BROKEN)
        for kept in candidates:
            others = [each for each in group if each is not kept]
            try:
                return self._merge_into(kept, others)
            except InputError as error:
                failed = failed or error
        raise failed or ConflictError("the draft uses none of them")

    def _merge_into(self, kept: WrittenEntry, others: Sequence[WrittenEntry]) -> Merge:
        old = {each.key for each in others if self.main.fold(each.key) != self.main.fold(kept.key)}
        affected = self._affected(kept, others, old)
        by_biber = all(each.draft.program == BIBER for each in affected)
        encoding = self.encoding_of(kept.path)
        for each in others:
            self.encoding_of(each.path)
        edits = unite(kept, others, sorted(old) if self.aliases and by_biber else (), encoding)
        spans = [(each.path, each.place.span) for each in (kept, *others)]
        new_keys = []
        for whole in affected if old else ():
            for place in whole.keys.places(old):
                is_own = any(p == place.path and s.covers(place.span.start) for p, s in spans)
                if place.defines and not is_own:
                    raise ConflictError(f"{place.path.name} has another entry with this key")
                if not place.defines:
                    self.encoding_of(place.path)
                is_file = whole.draft.file(place.path) is None
                if is_file and not (place.defines or is_own):
                    text = next(t.text for t in whole.keys.bibliographies if t.path == place.path)
                    written = key_written(place.path, text, place.span.start, kept.key)
                    edits.append(TextEdit(place.path, place.span, written))
            new_keys.append((whole, {whole.fold(key): kept.key for key in old}))
        self.edits += edits
        self.gone += others
        self.new_keys += new_keys
        return Merge(_place(kept), tuple(map(_place, others)))

    def _affected(
        self, kept: WrittenEntry, others: Sequence[WrittenEntry], old: set[str]
    ) -> list[Place]:
        """Return the drafts that read the others; raise `ConflictError` if one lacks `kept`."""
        paths = {each.path for each in others}
        affected = [each for each in self.drafts if not paths.isdisjoint(_paths(each))]
        texts = {file.path for each in affected for file in each.draft.files}
        group = {(each.path, each.key) for each in (kept, *others)}
        names = {key.lower() for key in old}
        for whole in self.drafts:
            name = whole.draft.root.name
            if whole not in affected:
                shared = [file for file in whole.draft.files if file.path in texts]
                if names & cited_names(Draft(whole.draft.path, whole.draft.root, tuple(shared))):
                    raise ConflictError(f"{name} cites it from another bibliography")
                continue
            found = whole.bibliography.find(kept.key)
            if kept.path not in _paths(whole):
                raise ConflictError(f"{name} does not read {kept.path.name}")
            if found is None or (found.path, found.key) not in group:
                raise ConflictError(f"“{kept.key}” is a different entry in {name}")
            for key in old:
                other = whole.bibliography.find(key)
                if other is not None and (other.path, other.key) not in group:
                    raise ConflictError(f"“{key}” is a different entry in {name}")
        return affected

    def _recited(self) -> Iterator[TextEdit]:
        """Yield the edits of citations, each file once."""
        files: dict[Path, tuple[DraftFile, Place, dict[str, str]]] = {}
        for whole, new_keys in self.new_keys:
            for file in whole.draft.files:
                files.setdefault(file.path, (file, whole, {}))[2].update(new_keys)
        for file, whole, new_keys in checked(files.values()):
            yield from recited(file, new_keys, whole.fold)

    def _verify(self, plan: Merging) -> None:
        """Raise `InputError` if the edits would break a bibliography."""
        gone = {(each.path, each.position) for each in self.gone}
        for file in self.files:
            if (edits := plan.by_path.get(file.path)) is None:
                continue
            after = parse_bibliography(
                applied(plan.texts[file.path], edits), file.path, program=file.program
            )
            keys = [k for at, k in enumerate(file.keys) if k and (file.path, at) not in gone]
            if [key for key in after.keys if key] != keys:
                raise InputError(f"{file.path.name} is too broken for its entries to be merged")


def _is_broken(entry: WrittenEntry) -> bool:
    try:
        return entry.own is None
    except ConflictError:
        return True


def _place(entry: WrittenEntry) -> EntryPlace:
    return EntryPlace(entry.key, entry.path, entry.place.line)
